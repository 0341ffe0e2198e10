//! Values of a complex type: a [`Record`] and the [`Shape`] it shares with its like.

use std::fmt;
use std::sync::Arc;

use crate::{Value, deep};

/// The names of a record's fields, in order, shared by all records of one type.
#[derive(Debug, PartialEq, Eq)]
pub struct Shape {
    name: Box<str>,
    fields: Vec<Box<str>>,
    sorted: Vec<u32>,
}

impl Shape {
    /// A shape with the type's name, `{namespace}local` (or a description for an anonymous type),
    /// and its fields' names, which must differ from one another.
    pub fn new(name: impl Into<Box<str>>, fields: Vec<Box<str>>) -> Self {
        let mut sorted: Vec<u32> = (0..fields.len() as u32).collect();
        sorted.sort_by(|&a, &b| fields[a as usize].cmp(&fields[b as usize]));
        Shape {
            name: name.into(),
            fields,
            sorted,
        }
    }

    /// The type's name, `{namespace}local`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The fields' names, in order.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = &str> {
        self.fields.iter().map(|f| &**f)
    }

    /// The name of field `index`.
    pub fn field(&self, index: usize) -> Option<&str> {
        self.fields.get(index).map(|f| &**f)
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether the type has no fields at all.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The index of the field named `name`.
    pub fn index(&self, name: &str) -> Option<usize> {
        let found = self
            .sorted
            .binary_search_by(|&i| (*self.fields[i as usize]).cmp(name))
            .ok()?;
        Some(self.sorted[found] as usize)
    }

    /// The first of some names that none of its fields has. Those that come in the fields' order are not searched for.
    pub(crate) fn first_unknown<'n>(&self, mut names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
        let mut fields = self.fields.iter();
        names.find(|name| !fields.any(|field| **field == **name) && self.index(name).is_none())
    }

    /// Whether these are its fields, all of them and in order.
    pub fn is_of_map(&self, entries: &[(String, Value)]) -> bool {
        let mut pairs = self.fields.iter().zip(entries);
        self.len() == entries.len() && pairs.all(|(field, (name, _))| **field == **name)
    }
}

/// A value of a complex type: one [`Value`] a field of its shape, `Absent` where there is none.
///
/// Records in records may be nested as deep as memory allows: copying, comparing, printing and dropping them takes no more
/// stack than there is. Flat records that were read together, up to 64, lie in one piece of memory, which is there as long
/// as any of them is; one that is changed, or whose values are taken out, gets its own copy of them first.
pub struct Record {
    held: Held,
}

/// Where the values of a record are.
enum Held {
    Own(Arc<Shape>, Box<[Value]>),
    /// In a block, as those of the record with this number.
    Shared(Arc<Block>, u32),
}

/// Flat records of one shape, one behind the other.
struct Block {
    shape: Arc<Shape>,
    values: Vec<Value>,
}

/// Flat records of one shape that are put together some at a time: memory is asked for once for many of them.
pub(crate) struct Flock<'o> {
    shape: &'o Arc<Shape>,
    out: &'o mut Vec<Value>,
    values: Vec<Value>,
    /// Records of the next block.
    records: usize,
}

/// Records of the first block and of the largest: few share a piece with others that are wanted for longer.
const FIRST: usize = 4;
const MOST: usize = 64;

impl Record {
    /// A record whose fields are all absent.
    pub fn new(shape: Arc<Shape>) -> Self {
        let values = (0..shape.len()).map(|_| Value::Absent).collect();
        Record {
            held: Held::Own(shape, values),
        }
    }

    /// The names of the fields.
    pub fn shape(&self) -> &Arc<Shape> {
        match &self.held {
            Held::Own(shape, _) => shape,
            Held::Shared(block, _) => &block.shape,
        }
    }

    /// Whether its fields are those of a shape.
    #[inline]
    pub fn is_of(&self, shape: &Arc<Shape>) -> bool {
        Arc::ptr_eq(self.shape(), shape) || self.shape() == shape
    }

    /// The field named `name`; `None` when the type has no such field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.shape().index(name).map(|i| &self.values()[i])
    }

    /// Sets the field named `name`; gives the value back when the type has no such field.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) -> Result<(), Value> {
        match self.shape().index(name) {
            Some(i) => {
                self.values_mut()[i] = value.into();
                Ok(())
            }
            None => Err(value.into()),
        }
    }

    /// The values in the order of the shape's fields.
    #[inline]
    pub fn values(&self) -> &[Value] {
        match &self.held {
            Held::Own(_, values) => values,
            Held::Shared(block, at) => block.record(*at),
        }
    }

    /// The values of records that lie one behind the other, and how many records these are: the first of some values,
    /// and what follows it. `None` when that is no record of this shape.
    pub fn run<'v>(records: &'v [Value], shape: &Arc<Shape>) -> Option<(usize, &'v [Value])> {
        let Value::Record(first) = records.first()?.held() else {
            return None;
        };
        if !first.is_of(shape) {
            return None;
        }
        let Held::Shared(block, at) = &first.held else {
            return Some((1, first.values()));
        };
        let follows = |(at, value): &(u32, &Value)| match value {
            Value::Record(Record {
                held: Held::Shared(other, number),
            }) => Arc::ptr_eq(block, other) && number == at,
            _ => false,
        };
        let count = (*at..).zip(records).take_while(follows).count().max(1);
        let values = block.values.get(*at as usize * shape.len()..)?;
        Some((count, values.get(..count * shape.len())?))
    }

    /// The values in the order of the shape's fields, to change them.
    pub fn values_mut(&mut self) -> &mut [Value] {
        if let Held::Shared(block, at) = &self.held {
            self.held = Held::Own(block.shape.clone(), block.record(*at).into());
        }
        match &mut self.held {
            Held::Own(_, values) => values,
            Held::Shared(..) => &mut [],
        }
    }

    /// The values, taken out, in the order of the shape's fields.
    pub fn into_values(mut self) -> Vec<Value> {
        match &mut self.held {
            Held::Own(_, values) => std::mem::take(values).into(),
            Held::Shared(block, at) => block.record(*at).to_vec(),
        }
    }

    /// Name and value of each field that is not absent.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.shape()
            .fields()
            .zip(self.values())
            .filter(|(_, v)| !matches!(v, Value::Absent))
    }
}

impl Block {
    #[inline]
    fn record(&self, number: u32) -> &[Value] {
        let (number, each) = (number as usize, self.shape.len());
        self.values
            .get(number * each..(number + 1) * each)
            .unwrap_or_default()
    }
}

impl<'o> Flock<'o> {
    /// Records are appended to `out`, block by block.
    pub(crate) fn new(shape: &'o Arc<Shape>, out: &'o mut Vec<Value>) -> Self {
        Flock {
            shape,
            out,
            values: Vec::new(),
            records: FIRST,
        }
    }

    /// Has `put` append the values of a record, and nothing that holds other values; `None`, and nothing is appended,
    /// when it gives none. `more`: how many records follow, about, where so much memory is not there yet.
    #[inline(always)]
    pub(crate) fn push<R>(
        &mut self,
        more: impl FnOnce() -> usize,
        put: impl FnOnce(&mut Vec<Value>) -> Option<R>,
    ) -> Option<R> {
        let each = self.shape.len();
        if self.values.len() == self.records * each {
            self.give();
        }
        if self.values.capacity() == 0 {
            self.values.reserve_exact(self.records * each);
            if self.out.capacity() - self.out.len() < self.records {
                self.out.reserve(more().max(self.records));
            }
        }
        let whole = self.values.len();
        let done = put(&mut self.values);
        if done.is_none() || self.values.len() != whole + each {
            self.values.truncate(whole);
            return None;
        }
        done
    }

    /// Gives the records of a block.
    fn give(&mut self) {
        let values = std::mem::take(&mut self.values);
        let count = values.len() / self.shape.len().max(1);
        if count > 0 {
            let shape = self.shape.clone();
            let block = Arc::new(Block { shape, values });
            let record = |number| {
                Value::Record(Record {
                    held: Held::Shared(block.clone(), number),
                })
            };
            self.out.extend((0..count as u32).map(record));
            self.records = (2 * self.records).min(MOST);
        }
    }

    /// Gives the rest.
    pub(crate) fn finish(mut self) {
        self.values.shrink_to_fit();
        self.give();
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.is_of(other.shape()) && deep(|| self.values() == other.values())
    }
}

impl Clone for Record {
    fn clone(&self) -> Self {
        let held = match &self.held {
            Held::Own(shape, values) => Held::Own(shape.clone(), deep(|| values.clone())),
            Held::Shared(block, at) => Held::Shared(block.clone(), *at),
        };
        Record { held }
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Record");
        shown.field("shape", self.shape());
        deep(|| shown.field("values", &self.values()).finish())
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        // Mostly nothing is in the values that could be nested, and never in a block.
        if let Held::Own(_, values) = &mut self.held
            && values.iter().any(Value::holds_values)
        {
            let values = std::mem::take(values);
            deep(|| drop(values));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_three_words() {
        assert_eq!(size_of::<Record>(), 3 * size_of::<u64>());
    }

    /// So many records of a number and its text, put together.
    fn flock(count: usize) -> Vec<Value> {
        let shape = Arc::new(Shape::new("t", vec!["n".into(), "text".into()]));
        let mut records = vec![Value::Nil];
        let mut flock = Flock::new(&shape, &mut records);
        for n in 0..count as i64 {
            let pushed = flock.push(
                || 1,
                |values| {
                    values.extend([n.into(), n.to_string().into()]);
                    Some(())
                },
            );
            assert_eq!(pushed, Some(()));
            for bad in [None, Some(())] {
                let refused = flock.push(
                    || 1,
                    |values| {
                        values.push(Value::Nil);
                        bad
                    },
                );
                assert_eq!(refused, None);
            }
        }
        flock.finish();
        records
    }

    #[test]
    fn records_that_share_memory_are_as_others() {
        for count in [0, 1, 3, 4, 5, 12, 13, 28, 300] {
            let records = flock(count);
            assert_eq!((records.len(), &records[0]), (count + 1, &Value::Nil));
            for (n, value) in (0i64..).zip(&records[1..]) {
                let Value::Record(record) = value else {
                    panic!("{value:?}")
                };
                let mut own = Record::new(record.shape().clone());
                own.values_mut()
                    .clone_from_slice(&[n.into(), n.to_string().into()]);
                assert_eq!((record, record.values()), (&own, own.values()));
                assert_eq!(format!("{record:?}"), format!("{own:?}"));
                assert_eq!(record.get("text"), Some(&n.to_string().into()));
            }
        }
    }

    #[test]
    fn records_in_one_piece_of_memory_are_a_run() {
        let mut records = flock(30);
        let shape = match &records[1] {
            Value::Record(record) => record.shape().clone(),
            other => panic!("{other:?}"),
        };
        let counts = |records: &[Value]| -> Vec<usize> {
            let mut rest = records;
            let runs = std::iter::from_fn(|| {
                let (count, values) = Record::run(rest, &shape)?;
                let all = rest[..count].iter().flat_map(|record| match record.held() {
                    Value::Record(record) => record.values(),
                    _ => &[],
                });
                assert!(all.eq(values), "{values:?}");
                rest = &rest[count..];
                Some(count)
            });
            runs.collect()
        };
        assert_eq!(Record::run(&records, &shape), None);
        assert_eq!(counts(&records[1..]), [4, 8, 16, 2]);
        assert_eq!(counts(&records[3..]), [2, 8, 16, 2]);
        records.swap(7, 8);
        records[20] = Arc::new(records[20].clone()).into();
        assert_eq!(counts(&records[1..]), [4, 2, 1, 1, 4, 7, 1, 8, 2]);
        let other = Arc::new(Shape::new("t", vec!["n".into()]));
        assert_eq!(Record::run(&records[1..], &other), None);
    }

    #[test]
    fn one_that_is_changed_changes_no_other() {
        let mut records = flock(10);
        let before = records.clone();
        let Value::Record(record) = &mut records[5] else {
            panic!("a record")
        };
        let copy = record.clone();
        record.set("n", 77).unwrap();
        assert_eq!(
            (record.get("n"), copy.get("n")),
            (Some(&77.into()), Some(&4.into()))
        );
        assert_eq!(copy.into_values(), [4.into(), "4".into()]);
        assert_eq!((&records[..5], &records[6..]), (&before[..5], &before[6..]));
        let last = records.pop();
        drop(records);
        let Some(Value::Record(last)) = last else {
            panic!("a record")
        };
        assert_eq!(last.values(), [9.into(), "9".into()]);
    }
}
