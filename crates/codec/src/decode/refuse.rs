//! What to say of an element that may not stand where it stands, and of one that is missing.

use castile_plan::{Block, Complex, ComplexId, Field, FieldKind, Particle, TypeId, Types};

use super::leaf::{Cursor, Known, Place, holds};
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
        if !self.options.strict || self.is_result_name(start) {
            return self
                .reader
                .skip_element()
                .map_err(|e| Error::xml(e, self.reader.input()));
        }
        let name = Known {
            ns: self.ns(start.name.ns),
            local: start.name.local,
        };
        let place = Place {
            id,
            leaf: cursor.leaf,
            counts: &self.counts[cursor.base..],
        };
        let shown = self.shown(start.name);
        if let Some(missing) = missing_before(self.types, place, name) {
            return Err(self.bad_at(Kind::Missing, start.at, format!("{missing}, before {shown}")));
        }
        let why = why_unexpected(self.types, place, name, &shown);
        Err(self
            .bad_at(Kind::Unexpected, start.at, why)
            .within(start.name.local))
    }

    /// Checks that nothing is missing where the content ends.
    #[inline]
    pub(super) fn check_end(&self, id: ComplexId, cursor: &Cursor) -> Result<(), Error> {
        if !self.options.strict || self.encoding.is_some() {
            return Ok(());
        }
        let place = Place {
            id,
            leaf: cursor.leaf,
            counts: &self.counts[cursor.base..],
        };
        let ended = self.types.may_end(id, place.counts, place.leaf.map(|l| l as u32));
        ended.map_err(|particle| self.bad(Kind::Missing, missing(self.types, place, particle)))
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

fn field_of(types: &Types, id: ComplexId, leaf: u32) -> &Field {
    &types.complex(id).fields[types.leaves(id)[leaf as usize].field as usize]
}

/// The leaves to which an element of this very name can belong.
fn leaves_of<'n>(types: &'n Types, id: ComplexId, name: Known<'n>) -> impl Iterator<Item = u32> + 'n {
    let called = types.leaves_called(id, name.local).iter().copied();
    called.filter(move |&n| holds(types, field_of(types, id, n), name))
}

fn way_to(types: &Types, place: Place<'_>, leaf: u32) -> Result<(), Block> {
    match place.leaf {
        Some(at) if at as u32 == leaf => Ok(()),
        at => types.may_follow(place.id, place.counts, at.map(|l| l as u32), leaf),
    }
}

/// What must stand before the element could, in the words of [`missing`].
fn missing_before(types: &Types, place: Place<'_>, name: Known<'_>) -> Option<String> {
    leaves_of(types, place.id, name).find_map(|leaf| {
        let field = field_of(types, place.id, leaf);
        match (way_to(types, place, leaf), &field.kind, field.ty) {
            (Err(Block::Missing(particle)), ..) => Some(missing(types, place, particle)),
            // A pass could begin here, but not with this element.
            (Ok(()), FieldKind::Group, TypeId::Complex(id)) => missing_before(
                types,
                Place {
                    id,
                    leaf: None,
                    counts: &[],
                },
                name,
            ),
            _ => None,
        }
    })
}

fn why_unexpected(types: &Types, place: Place<'_>, name: Known<'_>, shown: &str) -> String {
    let complex = types.complex(place.id);
    let label = &complex.label;
    let exact: Vec<u32> = leaves_of(types, place.id, name).collect();
    if !exact.is_empty() {
        let exclusive = exact
            .iter()
            .all(|&leaf| way_to(types, place, leaf) == Err(Block::Exclusive));
        return match place.leaf.filter(|_| exclusive) {
            Some(met) => {
                let met = &field_of(types, place.id, met as u32).name;
                format!("element {shown} and {met} exclude each other in {label}")
            }
            None => format!("element {shown} stands too often or in the wrong order in {label}"),
        };
    }
    let mut elements = Vec::new();
    collect(types, complex, &mut elements);
    if let Some(field) = elements.iter().find(|f| *f.wire.local == *name.local) {
        let expected = types.clark(&field.wire);
        return format!("element {shown} is in the wrong namespace: {expected} was expected");
    }
    let known: Vec<&str> = elements.iter().take(12).map(|f| &*f.name).collect();
    let more = if elements.len() > known.len() { ", ..." } else { "" };
    let known = if known.is_empty() {
        "nothing".to_owned()
    } else {
        known.join(", ")
    };
    format!("element {shown} is not known in {label}, which has {known}{more}")
}

/// The elements of a type, those of repeated groups included.
fn collect<'t>(types: &'t Types, complex: &'t Complex, out: &mut Vec<&'t Field>) {
    for field in &complex.fields {
        match (&field.kind, field.ty) {
            (FieldKind::Element, _) => out.push(field),
            (FieldKind::Group, TypeId::Complex(id)) => collect(types, types.complex(id), out),
            _ => {}
        }
    }
}

/// The name of an element, or those in a repeated group.
fn element_names(types: &Types, field: &Field) -> String {
    match (&field.kind, field.ty) {
        (FieldKind::Group, TypeId::Complex(id)) => {
            let mut elements = Vec::new();
            collect(types, types.complex(id), &mut elements);
            elements.iter().map(|f| &*f.name).collect::<Vec<_>>().join(", ")
        }
        _ => field.name.to_string(),
    }
}

/// Says that a particle is missing.
#[cold]
fn missing(types: &Types, place: Place<'_>, particle: u32) -> String {
    let complex = types.complex(place.id);
    let stop = match complex.content[particle as usize] {
        Particle::Leaf { .. } => particle + 1,
        Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => end,
    };
    let leaves = types.leaves(place.id).iter().enumerate();
    let leaves = leaves.filter(|(_, leaf)| (particle..stop).contains(&leaf.particle));
    let fields: Vec<(usize, &Field)> = leaves
        .map(|(n, _)| (n, field_of(types, place.id, n as u32)))
        .collect();
    let what = match &fields[..] {
        [(leaf, field)] if field.kind == FieldKind::Element => {
            let least = types.leaves(place.id)[*leaf].occurs.min;
            let met = place.counts.get(*leaf).copied().unwrap_or(0);
            let times = if least > 1 {
                format!(" ({met} of at least {least})")
            } else {
                String::new()
            };
            format!("element {}{times}", field.name)
        }
        several => format!(
            "one of {}",
            several
                .iter()
                .map(|(_, f)| element_names(types, f))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    format!("{what} is missing in {}", complex.label)
}
