//! The content of records: elements in the order of the content model.

use castile_message::Marks;
use castile_plan::{Complex, ComplexId, Field, FieldKind, Occurs, Particle, TypeId};
use castile_value::{Item, Scalar, Source};

use super::Encoder;
use crate::error::{Error, Kind};

/// One walk through a content model.
struct Walk<'w> {
    id: ComplexId,
    complex: &'w Complex,
    source: &'w dyn Source,
    /// The values are those of one pass through a group that repeats.
    repeats: bool,
}

/// What a particle has to write.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Presence {
    Nothing,
    /// Nils only, which give way to a value elsewhere in a choice.
    Nil,
    Value,
}

impl<'w> Walk<'w> {
    fn item(&self, field: u32) -> Item<'w> {
        self.source
            .field(field as usize, &self.complex.fields[field as usize].name)
    }

    fn presence(&self, i: usize) -> Presence {
        let leaves = &self.complex.content[i..end(&self.complex.content, i)];
        let presences = leaves.iter().filter_map(|particle| match *particle {
            Particle::Leaf { field, .. } => {
                let item = self.item(field);
                Some(match (count(&self.complex.fields[field as usize], &item), item) {
                    (0, _) => Presence::Nothing,
                    (_, Item::Nil) => Presence::Nil,
                    _ => Presence::Value,
                })
            }
            _ => None,
        });
        presences.max().unwrap_or(Presence::Nothing)
    }
}

/// How many elements, or passes through a group, an item is. A nil where none can be written is
/// nothing.
pub(super) fn count(field: &Field, item: &Item<'_>) -> usize {
    match item {
        Item::Absent => 0,
        Item::Nil => usize::from(field.nillable && field.kind == FieldKind::Element),
        Item::Column(column) if field.many => column.len(),
        Item::Table(table) if field.many => table.len(),
        Item::Items(items) if field.many => items.len(),
        _ => 1,
    }
}

/// The index after the last descendant of particle `i`.
fn end(content: &[Particle], i: usize) -> usize {
    match content[i] {
        Particle::Leaf { .. } => i + 1,
        Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => {
            end as usize
        }
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
        self.pass(id, source, false)
    }

    /// Writes all element content of a record, or of one pass through a group, which may be one that repeats.
    pub(super) fn pass(&mut self, id: ComplexId, source: &dyn Source, repeats: bool) -> Result<(), Error> {
        let types = self.types;
        let complex = types.complex(id);
        if complex.content.is_empty() {
            return Ok(());
        }
        if types.shares_fields(id) {
            return self.shared_content(id, source);
        }
        let walk = Walk {
            id,
            complex,
            source,
            repeats,
        };
        self.particle(&walk, 0)
    }

    fn particle(&mut self, walk: &Walk<'_>, i: usize) -> Result<(), Error> {
        let content = &walk.complex.content;
        match content[i] {
            Particle::Leaf { field, occurs } => self.leaf(walk, i, field, occurs),
            Particle::Sequence { optional, .. } | Particle::All { optional, .. } => {
                if optional && walk.presence(i) == Presence::Nothing {
                    return Ok(());
                }
                children(content, i).try_for_each(|child| self.particle(walk, child))
            }
            Particle::Choice { .. } => self.choice(walk, i),
        }
    }

    fn choice(&mut self, walk: &Walk<'_>, i: usize) -> Result<(), Error> {
        let content = &walk.complex.content;
        let most = walk.presence(i);
        if most == Presence::Nothing {
            let empty = !self.options.strict || self.types.nullable(walk.id, i as u32);
            return if empty { Ok(()) } else { Err(no_choice(walk, i)) };
        }
        let mut present = children(content, i).filter(|&child| walk.presence(child) == most);
        let Some(chosen) = present.next() else {
            return Ok(());
        };
        self.particle(walk, chosen)?;
        match present.next() {
            Some(_) if most == Presence::Nil => Ok(()),
            Some(other) if self.options.strict => Err(both(walk, chosen, other)),
            // Nothing is dropped silently.
            Some(other) => std::iter::once(other)
                .chain(present)
                .try_for_each(|child| self.particle(walk, child)),
            None => Ok(()),
        }
    }

    fn leaf(&mut self, walk: &Walk<'_>, i: usize, field: u32, occurs: Occurs) -> Result<(), Error> {
        let item = walk.item(field);
        let f = &walk.complex.fields[field as usize];
        let count = count(f, &item);
        match item {
            Item::Absent => self.absent(walk, i, field, occurs),
            Item::Nil if f.kind != FieldKind::Element => self.absent(walk, i, field, occurs),
            Item::Nil if count == 0 && self.types.nullable(walk.id, i as u32) => Ok(()),
            // How many values there are shows at its end.
            item @ Item::Stream(_) => self.field(walk.id, field, item),
            item => {
                self.check_count(walk, i, f, occurs, count)?;
                self.field(walk.id, field, item)
            }
        }
    }

    fn absent(&mut self, walk: &Walk<'_>, i: usize, field: u32, occurs: Occurs) -> Result<(), Error> {
        let f = &walk.complex.fields[field as usize];
        if occurs.min == 0 || self.types.nullable(walk.id, i as u32) {
            return Ok(());
        }
        // Where several must stand, one is too few, and how many were meant nothing says.
        let one = occurs.min == 1;
        if let (Some(text), TypeId::Simple(_)) = (f.fixed.as_ref().or(f.default.as_ref()), f.ty)
            && one
        {
            return self.field(
                walk.id,
                field,
                Item::Scalar(Scalar::Text(text.to_string().into())),
            );
        }
        // An accessor that is left out is one that is nil (SOAP 1.1, 5.1).
        if (f.nillable && one || self.encoding.is_some()) && f.kind == FieldKind::Element {
            return self.field(walk.id, field, Item::Nil);
        }
        if self.options.strict {
            Err(missing(walk.complex, f))
        } else {
            Ok(())
        }
    }

    fn check_count(
        &self,
        walk: &Walk<'_>,
        i: usize,
        field: &Field,
        occurs: Occurs,
        count: usize,
    ) -> Result<(), Error> {
        let enough = count >= occurs.min as usize || self.types.nullable(walk.id, i as u32);
        let few_enough = occurs.max == Occurs::UNBOUNDED || count <= occurs.max as usize;
        // A nil that cannot be written is refused for what it is.
        if !self.options.strict || !field.many || enough && few_enough {
            return Ok(());
        }
        if count == 0 {
            return Err(missing(walk.complex, field));
        }
        let most = if occurs.max == Occurs::UNBOUNDED {
            "any number".into()
        } else {
            occurs.max.to_string()
        };
        let why = format!(
            "{count} values of {:?}; the contract wants {} to {most}",
            field.name, occurs.min
        );
        Err(Error::caller(Kind::Value, why))
    }
}

pub(super) fn missing(complex: &Complex, field: &Field) -> Error {
    Error::caller(
        Kind::Missing,
        format!("{:?} is missing: {} needs it", field.name, complex.label),
    )
}

fn no_choice(walk: &Walk<'_>, i: usize) -> Error {
    let names = names(walk, i).collect::<Vec<_>>().join(", ");
    Error::caller(
        Kind::Missing,
        format!("one of {names} is missing: {} needs one", walk.complex.label),
    )
}

fn both(walk: &Walk<'_>, a: usize, b: usize) -> Error {
    let name = |i| names(walk, i).next().unwrap_or_default();
    let (a, b) = (name(a), name(b));
    let mut why = format!("{a:?} and {b:?} exclude each other in {}", walk.complex.label);
    if walk.repeats {
        why += &format!("; give a list with a record for each: [{{{a:?}: ...}}, {{{b:?}: ...}}]");
    }
    Error::caller(Kind::Value, why)
}

/// The fields of a particle, those with a value first.
fn names<'w>(walk: &Walk<'w>, i: usize) -> impl Iterator<Item = &'w str> {
    let content = &walk.complex.content;
    let leaf = |i: usize| match content[i] {
        Particle::Leaf { field, .. } => Some((walk.presence(i) == Presence::Nothing, field)),
        _ => None,
    };
    let mut fields: Vec<(bool, u32)> = (i..end(content, i)).filter_map(leaf).collect();
    fields.sort_unstable();
    fields
        .into_iter()
        .map(|(_, field)| &*walk.complex.fields[field as usize].name)
}
