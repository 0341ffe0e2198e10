//! The content of records: attributes, then elements in the order of the content model.

use castile_message::Marks;
use castile_plan::{Complex, ComplexId, Field, FieldKind, Occurs, Particle};
use castile_value::{Item, Source};

use super::Encoder;
use crate::error::{Error, Kind};

/// One walk through a content model. A field that has several leaves hands out its values to them
/// in turn.
struct Walk<'w> {
    id: ComplexId,
    complex: &'w Complex,
    source: &'w dyn Source,
    /// Values of each field already written; empty while no field has two leaves.
    written: Vec<usize>,
}

impl<'w> Walk<'w> {
    fn item(&self, field: u32) -> Item<'w> {
        self.source.field(field as usize, &self.complex.fields[field as usize].name)
    }

    fn left(&self, field: u32) -> usize {
        let done = self.written.get(field as usize).copied().unwrap_or(0);
        count(&self.item(field)).saturating_sub(done)
    }

    /// Whether the particle at `i` has a value to write.
    fn present(&self, i: usize) -> bool {
        let leaves = &self.complex.content[i..end(&self.complex.content, i)];
        leaves.iter().any(|p| matches!(*p, Particle::Leaf { field, .. } if self.left(field) > 0))
    }
}

/// How many values an item is.
pub(super) fn count(item: &Item<'_>) -> usize {
    match item {
        Item::Absent => 0,
        Item::Column(column) => column.len(),
        Item::Table(table) => table.len(),
        Item::Items(items) => items.len(),
        _ => 1,
    }
}

/// The index after the last descendant of particle `i`.
fn end(content: &[Particle], i: usize) -> usize {
    match content[i] {
        Particle::Leaf { .. } => i + 1,
        Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => end as usize,
    }
}

fn children(content: &[Particle], i: usize) -> impl Iterator<Item = usize> + '_ {
    let stop = end(content, i);
    let next = move |&at: &usize| Some(end(content, at)).filter(|&n| n < stop);
    std::iter::successors(Some(i + 1).filter(|&c| c < stop), next)
}

impl<M: Marks> Encoder<'_, M> {
    /// Writes all element content of a record.
    pub(super) fn content(&mut self, id: ComplexId, source: &dyn Source) -> Result<(), Error> {
        let types = self.types;
        let complex = types.complex(id);
        if complex.content.is_empty() {
            return Ok(());
        }
        let shared = types.leaves(id).len() > complex.fields.iter().filter(|f| is_content(f)).count();
        let written = if shared { vec![0; complex.fields.len()] } else { Vec::new() };
        let mut walk = Walk { id, complex, source, written };
        self.particle(&mut walk, 0)?;
        self.refuse_left(&walk)
    }

    fn particle(&mut self, walk: &mut Walk<'_>, i: usize) -> Result<(), Error> {
        let content = &walk.complex.content;
        match content[i] {
            Particle::Leaf { field, occurs } => self.leaf(walk, field, occurs),
            Particle::Sequence { optional, .. } | Particle::All { optional, .. } => {
                if optional && !walk.present(i) {
                    return Ok(());
                }
                children(content, i).try_for_each(|child| self.particle(walk, child))
            }
            Particle::Choice { optional, .. } => {
                let chosen = children(content, i).find(|&child| walk.present(child));
                match chosen {
                    Some(child) => self.particle(walk, child),
                    None if optional || !self.options.strict || emptiable(content, i) => Ok(()),
                    None => Err(no_choice(walk, i)),
                }
            }
        }
    }

    fn leaf(&mut self, walk: &mut Walk<'_>, field: u32, occurs: Occurs) -> Result<(), Error> {
        let item = walk.item(field);
        if !walk.written.is_empty() {
            return self.shared_leaf(walk, field, occurs, item);
        }
        if matches!(item, Item::Absent) {
            return self.absent(walk, field, occurs);
        }
        if matches!(item, Item::Nil) && occurs.min == 0 && !walk.complex.fields[field as usize].nillable {
            return Ok(());
        }
        let many = count(&item);
        self.check_count(walk, field, occurs, many)?;
        self.field(walk.id, field, item)
    }

    /// A leaf of a field that has more than one: it takes as many of the values left as it may.
    fn shared_leaf(&mut self, walk: &mut Walk<'_>, field: u32, occurs: Occurs, item: Item<'_>) -> Result<(), Error> {
        let left = walk.left(field);
        let taken = left.min(occurs.max as usize);
        if taken < occurs.min as usize {
            return self.absent(walk, field, occurs);
        }
        let done = walk.written[field as usize];
        match item {
            Item::Items(items) => {
                for i in done..done + taken {
                    self.field(walk.id, field, items.item(i)).map_err(|e| e.within(format!("[{}]", i + 1)))?;
                }
            }
            Item::Column(column) => {
                for scalar in (done..done + taken).filter_map(|i| column.get(i)) {
                    self.field(walk.id, field, Item::Scalar(scalar))?;
                }
            }
            item if taken > 0 => self.field(walk.id, field, item)?,
            _ => {}
        }
        walk.written[field as usize] += taken;
        Ok(())
    }

    fn absent(&mut self, walk: &Walk<'_>, field: u32, occurs: Occurs) -> Result<(), Error> {
        let f = &walk.complex.fields[field as usize];
        if occurs.min == 0 {
            return Ok(());
        }
        if f.nillable && f.kind == FieldKind::Element {
            return self.field(walk.id, field, Item::Nil);
        }
        // A repeated group that may be empty in itself is satisfied by nothing.
        if !self.options.strict || f.kind == FieldKind::Group && self.emptiable_group(f) {
            return Ok(());
        }
        Err(missing(walk.complex, &f.name))
    }

    fn emptiable_group(&self, field: &Field) -> bool {
        let castile_plan::TypeId::Complex(id) = field.ty else { return false };
        let content = &self.types.complex(id).content;
        content.is_empty() || emptiable(content, 0)
    }

    fn check_count(&self, walk: &Walk<'_>, field: u32, occurs: Occurs, count: usize) -> Result<(), Error> {
        let name = &walk.complex.fields[field as usize].name;
        if !self.options.strict {
            return Ok(());
        }
        if count == 0 && occurs.min > 0 {
            return Err(missing(walk.complex, name));
        }
        if count < occurs.min as usize || (occurs.max != Occurs::UNBOUNDED && count > occurs.max as usize) {
            let most = if occurs.max == Occurs::UNBOUNDED { "any number".into() } else { occurs.max.to_string() };
            let why = format!("{count} values of {name:?}; the contract wants {} to {most}", occurs.min);
            return Err(Error::caller(Kind::Value, why));
        }
        Ok(())
    }

    /// Values that no leaf took: a second alternative of a choice, or more than the leaves hold.
    fn refuse_left(&self, walk: &Walk<'_>) -> Result<(), Error> {
        let mut taken = vec![false; walk.complex.fields.len()];
        mark_taken(walk, 0, &mut taken);
        for (i, field) in walk.complex.fields.iter().enumerate() {
            let content = is_content(field);
            let lost = content && !taken[i] && !matches!(walk.item(i as u32), Item::Absent | Item::Nil);
            let more = !walk.written.is_empty() && content && walk.left(i as u32) > 0 && taken[i];
            if (lost && walk.left(i as u32) > 0) || more {
                let why = format!("{:?} cannot stand beside the other values of {}", field.name, walk.complex.label);
                return Err(Error::caller(Kind::Value, why));
            }
        }
        Ok(())
    }
}

fn is_content(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Element | FieldKind::Any(_) | FieldKind::Group)
}

/// Which fields the walk wrote: the same choices again, without writing.
fn mark_taken(walk: &Walk<'_>, i: usize, taken: &mut [bool]) {
    let content = &walk.complex.content;
    match content[i] {
        Particle::Leaf { field, .. } => taken[field as usize] = true,
        Particle::Choice { .. } if walk.written.is_empty() => {
            if let Some(child) = children(content, i).find(|&child| walk.present(child)) {
                mark_taken(walk, child, taken);
            }
        }
        _ => children(content, i).for_each(|child| mark_taken(walk, child, taken)),
    }
}

/// Whether the particle allows no element at all.
pub(crate) fn emptiable(content: &[Particle], i: usize) -> bool {
    match content[i] {
        Particle::Leaf { occurs, .. } => occurs.min == 0,
        Particle::Sequence { optional, .. } | Particle::All { optional, .. } => {
            optional || children(content, i).all(|c| emptiable(content, c))
        }
        Particle::Choice { optional, .. } => optional || children(content, i).any(|c| emptiable(content, c)),
    }
}

fn missing(complex: &Complex, name: &str) -> Error {
    Error::caller(Kind::Missing, format!("{name:?} is missing: {} needs it", complex.label))
}

fn no_choice(walk: &Walk<'_>, i: usize) -> Error {
    let content = &walk.complex.content;
    let leaves = content[i..end(content, i)].iter().filter_map(|p| match p {
        Particle::Leaf { field, .. } => Some(&*walk.complex.fields[*field as usize].name),
        _ => None,
    });
    let names: Vec<&str> = leaves.collect();
    let why = format!("one of {} is missing: {} needs one", names.join(", "), walk.complex.label);
    Error::caller(Kind::Missing, why)
}
