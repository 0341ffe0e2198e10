//! Records some of whose fields have more than one leaf, such as `(a, b) | (b, a)` or `a, b, a`:
//! a search for the way through the content model that takes every value.

use castile_message::Marks;
use castile_plan::{ComplexId, FieldKind, Types};
use castile_value::{Item, Source};

use super::Encoder;
use super::content::{count, missing};
use crate::error::{Error, Kind};

/// Steps after which the search is given up.
const STEPS_MAX: u32 = 20_000;

/// Leaves in the order of the message, with the number of values each takes.
type Path = Vec<(u32, usize)>;

impl<M: Marks> Encoder<'_, M> {
    pub(super) fn shared_content(&mut self, id: ComplexId, source: &dyn Source) -> Result<(), Error> {
        let types = self.types;
        let complex = types.complex(id);
        let item = |field: u32| source.field(field as usize, &complex.fields[field as usize].name);
        let counts = complex
            .fields
            .iter()
            .enumerate()
            .map(|(i, field)| match field.kind {
                FieldKind::Element | FieldKind::Any(_) | FieldKind::Group => count(field, &item(i as u32)),
                _ => 0,
            });
        let left: Vec<usize> = counts.collect();
        let streamed = |(i, _): (usize, &castile_plan::Field)| matches!(item(i as u32), Item::Stream(_));
        if complex.fields.iter().enumerate().any(streamed) {
            let why = format!(
                "{} has several places for one field: a stream does not tell how many values go where",
                complex.label
            );
            return Err(Error::caller(Kind::Value, why));
        }
        let path = match way(types, id, left.clone()) {
            Some(path) => path,
            None if !self.options.strict => any_way(types, id, &left),
            None => return Err(no_way(types, id, &left)),
        };
        let mut done = vec![0; complex.fields.len()];
        for (leaf, values) in path {
            let field = types.leaves(id)[leaf as usize].field;
            let from = done[field as usize];
            done[field as usize] += values;
            self.part(id, field, item(field), from, from + values)?;
        }
        Ok(())
    }

    /// Writes values `from..to` of a field.
    fn part(
        &mut self,
        id: ComplexId,
        field: u32,
        item: Item<'_>,
        from: usize,
        to: usize,
    ) -> Result<(), Error> {
        let f = &self.types.complex(id).fields[field as usize];
        let one = |i: usize| match &item {
            Item::Items(items) => Some(items.item(i)),
            Item::Column(column) => column.get(i).map(Item::Scalar),
            _ => None,
        };
        for i in from..to {
            let result = match (&item, one(i)) {
                (_, Some(value)) if f.many => self.value(id, field, value),
                (Item::Table(table), _) if f.many => {
                    self.value(id, field, Item::Record(&super::array::Row(table, i)))
                }
                _ => return self.field(id, field, item),
            };
            result.map_err(|e| e.within(format!("[{}]", i + 1)).within(&*f.name))?;
        }
        Ok(())
    }
}

/// The first way that takes all values, leaves taking as many as they can.
fn way(types: &Types, id: ComplexId, left: Vec<usize>) -> Option<Path> {
    let counts = vec![0; types.leaves(id).len()];
    let mut search = Search {
        types,
        id,
        left,
        counts,
        path: Vec::new(),
        steps: 0,
    };
    search.go(None).then_some(search.path)
}

struct Search<'s> {
    types: &'s Types,
    id: ComplexId,
    /// Values of each field that no leaf took yet.
    left: Vec<usize>,
    /// What each leaf took.
    counts: Vec<u32>,
    path: Path,
    steps: u32,
}

impl Search<'_> {
    fn go(&mut self, after: Option<u32>) -> bool {
        if self.left.iter().all(|&n| n == 0) && self.types.may_end(self.id, &self.counts, after).is_ok() {
            return true;
        }
        (0..self.counts.len() as u32).any(|next| self.take(after, next))
    }

    fn take(&mut self, after: Option<u32>, next: u32) -> bool {
        let leaf = self.types.leaves(self.id)[next as usize];
        let left = self.left[leaf.field as usize];
        if left == 0
            || self.counts[next as usize] > 0
            || self.types.may_follow(self.id, &self.counts, after, next).is_err()
        {
            return false;
        }
        let least = if self.types.nullable(self.id, leaf.particle) {
            1
        } else {
            leaf.occurs.min.max(1)
        };
        let most = u32::try_from(left).unwrap_or(u32::MAX).min(leaf.occurs.max);
        for taken in (least..=most).rev() {
            self.steps += 1;
            if self.steps > STEPS_MAX {
                return false;
            }
            self.left[leaf.field as usize] = left - taken as usize;
            self.counts[next as usize] = taken;
            self.path.push((next, taken as usize));
            if self.go(Some(next)) {
                return true;
            }
            self.path.pop();
        }
        self.left[leaf.field as usize] = left;
        self.counts[next as usize] = 0;
        false
    }
}

/// All values at the first leaf of their field.
fn any_way(types: &Types, id: ComplexId, left: &[usize]) -> Path {
    let mut seen = vec![false; left.len()];
    let leaves = types.leaves(id).iter().enumerate();
    let first = leaves.filter(|(_, leaf)| !std::mem::replace(&mut seen[leaf.field as usize], true));
    first
        .map(|(n, leaf)| (n as u32, left[leaf.field as usize]))
        .filter(|(_, n)| *n > 0)
        .collect()
}

fn no_way(types: &Types, id: ComplexId, left: &[usize]) -> Error {
    let complex = types.complex(id);
    let mut fields = complex.fields.iter().zip(left);
    if let Some((field, _)) = fields
        .clone()
        .find(|(f, n)| f.required && **n == 0 && f.kind != FieldKind::Attribute)
    {
        return missing(complex, field);
    }
    let given: Vec<String> = fields
        .by_ref()
        .filter(|(_, n)| **n > 0)
        .map(|(f, n)| format!("{n} {}", f.name))
        .collect();
    let given = if given.is_empty() {
        "nothing".to_owned()
    } else {
        given.join(", ")
    };
    Error::caller(Kind::Value, format!("{} has no order for {given}", complex.label))
}
