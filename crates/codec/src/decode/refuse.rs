//! What to say of an element that may not stand where it stands, and of one that is missing.

use castile_plan::{Block, ComplexId, Field, FieldKind, Particle, TypeId};

use super::leaf::Cursor;
use super::{Decoder, Start};
use crate::error::{Error, Kind};

impl<'a> Decoder<'a, '_> {
    /// An element that no leaf takes: passed over, or an error that says why.
    #[cold]
    pub(super) fn unexpected(
        &mut self,
        id: ComplexId,
        cursor: &Cursor,
        start: Start<'a>,
    ) -> Result<(), Error> {
        if !self.options.strict {
            return self
                .reader
                .skip_element()
                .map_err(|e| Error::xml(e, self.reader.input()));
        }
        if let Some(missing) = self.missing_before(id, cursor, start) {
            let why = format!("{missing}, before {}", self.shown(start.name));
            return Err(self.bad_at(Kind::Missing, start.at, why));
        }
        let why = self.why_unexpected(id, cursor, start);
        Err(self
            .bad_at(Kind::Unexpected, start.at, why)
            .within(start.name.local))
    }

    /// What must stand before this element could.
    fn missing_before(&mut self, id: ComplexId, cursor: &Cursor, start: Start<'a>) -> Option<String> {
        self.leaves_of(id, start)
            .into_iter()
            .find_map(|n| match self.way_to(id, cursor, n) {
                Err(Block::Missing(particle)) if cursor.leaf != Some(n as usize) => {
                    Some(self.missing(id, particle, cursor))
                }
                _ => None,
            })
    }

    fn way_to(&self, id: ComplexId, cursor: &Cursor, leaf: u32) -> Result<(), Block> {
        self.types.may_follow(
            id,
            &self.counts[cursor.base..],
            cursor.leaf.map(|l| l as u32),
            leaf,
        )
    }

    /// The leaves whose elements have this very name.
    fn leaves_of(&mut self, id: ComplexId, start: Start<'a>) -> Vec<u32> {
        let ns = self.ns(start.name.ns);
        let types = self.types;
        let field = |n: u32| &types.complex(id).fields[types.leaves(id)[n as usize].field as usize];
        let called = types.leaves_called(id, start.name.local).iter().copied();
        called
            .filter(|&n| field(n).kind == FieldKind::Element && Some(field(n).wire.ns) == ns)
            .collect()
    }

    fn why_unexpected(&mut self, id: ComplexId, cursor: &Cursor, start: Start<'a>) -> String {
        let shown = self.shown(start.name);
        let complex = self.types.complex(id);
        let label = &complex.label;
        let exact = self.leaves_of(id, start);
        if let Some(&leaf) = exact.first() {
            let exclusive = exact
                .iter()
                .all(|&n| self.way_to(id, cursor, n) == Err(Block::Exclusive));
            return match cursor.leaf.filter(|_| exclusive) {
                Some(met) if leaf != met as u32 => {
                    format!(
                        "element {shown} and {} exclude each other in {label}",
                        self.leaf_name(id, met as u32)
                    )
                }
                _ => format!("element {shown} stands too often or in the wrong order in {label}"),
            };
        }
        let elements = complex.fields.iter().filter(|f| f.kind == FieldKind::Element);
        if let Some(field) = elements.clone().find(|f| *f.wire.local == *start.name.local) {
            return format!(
                "element {shown} is in the wrong namespace: {} was expected",
                self.types.clark(&field.wire)
            );
        }
        let known: Vec<&str> = elements.take(12).map(|f| &*f.name).collect();
        let known = if known.is_empty() {
            "nothing".to_owned()
        } else {
            known.join(", ")
        };
        format!("element {shown} is not known in {label}, which has {known}")
    }

    /// Checks that nothing is missing where the content ends.
    #[inline]
    pub(super) fn check_end(&self, id: ComplexId, cursor: &Cursor) -> Result<(), Error> {
        if !self.options.strict {
            return Ok(());
        }
        let ended = self
            .types
            .may_end(id, &self.counts[cursor.base..], cursor.leaf.map(|l| l as u32));
        ended.map_err(|particle| self.bad(Kind::Missing, self.missing(id, particle, cursor)))
    }

    /// Says that a particle is missing.
    #[cold]
    fn missing(&self, id: ComplexId, particle: u32, cursor: &Cursor) -> String {
        let types = self.types;
        let complex = types.complex(id);
        let stop = match complex.content[particle as usize] {
            Particle::Leaf { .. } => particle + 1,
            Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => end,
        };
        let leaves = types
            .leaves(id)
            .iter()
            .enumerate()
            .filter(|(_, l)| (particle..stop).contains(&l.particle));
        let names: Vec<(usize, &str)> = leaves.map(|(n, _)| (n, self.leaf_name(id, n as u32))).collect();
        let what = match &names[..] {
            [(leaf, name)] => {
                let least = types.leaves(id)[*leaf].occurs.min;
                let met = self.counts[cursor.base..].get(*leaf).copied().unwrap_or(0);
                let times = if least > 1 {
                    format!(" ({met} of at least {least})")
                } else {
                    String::new()
                };
                format!("element {name}{times}")
            }
            several => format!(
                "one of {}",
                several
                    .iter()
                    .map(|(_, name)| *name)
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        };
        format!("{what} is missing in {}", complex.label)
    }

    fn leaf_name(&self, id: ComplexId, leaf: u32) -> &str {
        let types = self.types;
        &types.complex(id).fields[types.leaves(id)[leaf as usize].field as usize].name
    }

    /// A construct that this version cannot do, met in a message.
    #[cold]
    pub(super) fn unsupported(&self, field: &Field, at: usize) -> Error {
        let error = match field.ty {
            TypeId::Unsupported(i) => Error::unsupported(&self.types.unsupported[i as usize]),
            _ => Error::unsupported(&format!("{} is of a type that cannot stand there", field.name)),
        };
        error.at(self.reader.input(), at)
    }
}
