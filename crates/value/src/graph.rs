//! Values in which objects are shared: a tree, and the objects beside it.

use crate::{Item, Record, Shape, Source, Value, deep};

/// A record in which, and in whose objects, [`Value::Ref`] stands for one of the objects. Two places
/// with the same number hold the same object; an object may refer to itself.
///
/// A decoder numbers the objects in the order in which they are first referred to, so two graphs of
/// the same meaning are equal.
///
/// ```
/// use castile_value::{Graph, Objects, Value};
///
/// let ring = Graph {
///     root: Value::map([("head", Value::Ref(0))]),
///     objects: vec![Value::map([("value", 1.into()), ("next", Value::Ref(0))])],
/// };
/// let head = ring.follow(ring.root.get("head").unwrap());
/// assert_eq!(ring.follow(head.get("next").unwrap()), head);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph<R = Value> {
    /// The tree: a record or map.
    pub root: R,
    /// What the numbers stand for.
    pub objects: Vec<Value>,
}

/// What numbers of objects stand for.
pub trait Objects {
    /// The object of this number; `None` if there is none.
    fn object(&self, number: u32) -> Option<&Value>;

    /// The object that a value refers to, or the value itself. A number that stands for nothing is
    /// [`Value::Absent`].
    fn follow<'v>(&'v self, value: &'v Value) -> &'v Value {
        match value {
            Value::Ref(number) => self.object(*number).unwrap_or(&Value::Absent),
            other => other,
        }
    }
}

impl<R> Objects for Graph<R> {
    fn object(&self, number: u32) -> Option<&Value> {
        self.objects.get(number as usize)
    }
}

impl Graph<Record> {
    /// The tree with a copy of each object in each of its places.
    ///
    /// # Errors
    /// The graph itself, when objects refer to one another in a circle, or when the copies would hold more
    /// than `values_max` values.
    pub fn into_tree(self, values_max: usize) -> Result<Record, Graph<Record>> {
        if self.objects.is_empty() {
            return Ok(self.root);
        }
        let mut copier = Copier {
            objects: &self.objects,
            left: values_max,
        };
        match copier.record(&self.root, 0) {
            Some(record) => Ok(record),
            None => Err(self),
        }
    }
}

/// Copies values and what they refer to.
struct Copier<'g> {
    objects: &'g [Value],
    /// Values that may still be copied.
    left: usize,
}

impl Copier<'_> {
    /// A copy of a value that stands behind `followed` references, one in another.
    fn value(&mut self, value: &Value, followed: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1 + value.count())?;
        // Who follows more than there are objects goes in a circle.
        if followed > self.objects.len() {
            return None;
        }
        Some(match value {
            Value::Ref(number) => {
                let object = self.objects.get(*number as usize)?;
                deep(|| self.value(object, followed + 1))?
            }
            Value::Record(record) => deep(|| self.record(record, followed))?.into(),
            Value::List(items) => {
                let items = items.iter().map(|item| self.value(item, followed));
                Value::List(items.collect::<Option<_>>()?)
            }
            Value::Grid(grid) => {
                let values = self.value(grid.values(), followed)?;
                crate::Grid::new(grid.sizes().to_vec(), values).ok()?.into()
            }
            other => other.clone(),
        })
    }

    fn record(&mut self, record: &Record, followed: usize) -> Option<Record> {
        let mut copy = Record::new(record.shape().clone());
        for (place, value) in copy.values_mut().iter_mut().zip(record.values()) {
            *place = self.value(value, followed)?;
        }
        Some(copy)
    }
}

impl From<Record> for Graph<Record> {
    fn from(root: Record) -> Self {
        Graph {
            root,
            objects: Vec::new(),
        }
    }
}

impl From<Value> for Graph {
    fn from(root: Value) -> Self {
        Graph {
            root,
            objects: Vec::new(),
        }
    }
}

impl From<Graph<Record>> for Graph {
    fn from(graph: Graph<Record>) -> Self {
        Graph {
            root: graph.root.into(),
            objects: graph.objects,
        }
    }
}

impl Source for Graph<Record> {
    fn field(&self, index: usize, name: &str) -> Item<'_> {
        self.root.field(index, name)
    }
    fn type_name(&self) -> Option<&str> {
        self.root.type_name()
    }
    fn unknown_name(&self, shape: &Shape) -> Option<String> {
        self.root.unknown_name(shape)
    }
    fn object(&self, number: u32) -> Item<'_> {
        self.objects
            .get(number as usize)
            .map_or(Item::Absent, Value::item)
    }
}

impl Source for Graph {
    fn field(&self, index: usize, name: &str) -> Item<'_> {
        match self.root.held() {
            Value::Record(record) => record.field(index, name),
            Value::Map(fields) => fields.field(index, name),
            _ => Item::Absent,
        }
    }
    fn type_name(&self) -> Option<&str> {
        match self.root.held() {
            Value::Record(record) => record.type_name(),
            _ => None,
        }
    }
    fn unknown_name(&self, shape: &Shape) -> Option<String> {
        match self.root.held() {
            Value::Record(record) => record.unknown_name(shape),
            Value::Map(fields) => fields.unknown_name(shape),
            _ => None,
        }
    }
    fn object(&self, number: u32) -> Item<'_> {
        self.objects
            .get(number as usize)
            .map_or(Item::Absent, Value::item)
    }
}
