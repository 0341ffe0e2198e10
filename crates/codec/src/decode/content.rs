//! The content of records.

use castile_plan::{ComplexId, FieldKind, Occurs, Particle, TypeId};
use castile_value::{Sink, Slot};

use super::leaf::{Cursor, Known, find};
use super::{Decoder, Next, Start};
use crate::encode::emptiable;
use crate::error::{Error, Kind};

impl<'a> Decoder<'a, '_> {
    /// Reads the children of a record. `first` is a start tag that was read already. In a repeated
    /// group the first child that does not belong ends the pass and is given back.
    pub(super) fn content(
        &mut self,
        id: ComplexId,
        first: Option<Start<'a>>,
        sink: &mut dyn Sink,
        group: bool,
    ) -> Result<Next<'a>, Error> {
        let base = self.counts.len();
        self.counts.resize(base + self.types.leaves(id).len(), 0);
        let result = self.children(id, first, sink, group, base);
        let result = result.and_then(|next| {
            if self.options.strict {
                self.check_counts(id, base)?;
            }
            Ok(next)
        });
        self.counts.truncate(base);
        result
    }

    /// A record whose end tag was read and that has no children.
    pub(super) fn empty(&mut self, id: ComplexId) -> Result<(), Error> {
        let base = self.counts.len();
        self.counts.resize(base + self.types.leaves(id).len(), 0);
        let result = if self.options.strict { self.check_counts(id, base) } else { Ok(()) };
        self.counts.truncate(base);
        result
    }

    fn children(
        &mut self,
        id: ComplexId,
        first: Option<Start<'a>>,
        sink: &mut dyn Sink,
        group: bool,
        base: usize,
    ) -> Result<Next<'a>, Error> {
        let types = self.types;
        let mut cursor = Cursor { leaf: None, base };
        let mut pending = first.map(Next::Start);
        loop {
            let start = match pending.take() {
                Some(Next::Start(start)) => start,
                Some(Next::End) => return Ok(Next::End),
                None => match self.child()? {
                    Next::Start(start) => start,
                    Next::End => return Ok(Next::End),
                },
            };
            let name = Known { ns: self.ns(start.name.ns), local: start.name.local };
            let Some(leaf) = find(types, id, &cursor, &self.counts[base..], name, self.options.strict) else {
                if group {
                    return Ok(Next::Start(start));
                }
                self.unexpected(id, start)?;
                continue;
            };
            cursor.leaf = Some(leaf);
            pending = self.leaf(id, &cursor, leaf, start, sink)?;
        }
    }

    /// Reads an element, or passes through a group, for a leaf; gives back a start tag or end that
    /// was read too far.
    fn leaf(
        &mut self,
        id: ComplexId,
        cursor: &Cursor,
        leaf: usize,
        start: Start<'a>,
        sink: &mut dyn Sink,
    ) -> Result<Option<Next<'a>>, Error> {
        let types = self.types;
        let number = types.leaves(id)[leaf].field;
        let field = &types.complex(id).fields[number as usize];
        let slot = Slot { field: number, many: field.many };
        let count = &mut self.counts[cursor.base + leaf];
        *count += 1;
        let nth = *count;
        let in_path = |e: Error| match field.many {
            true => e.within(format!("{}[{nth}]", field.name)),
            false => e.within(&*field.name),
        };
        match (&field.kind, field.ty) {
            (FieldKind::Any(_), _) => self.wild(slot, sink).map_err(in_path)?,
            (FieldKind::Group, TypeId::Complex(group)) => {
                return self.group_pass(group, slot, start, sink).map(Some).map_err(in_path);
            }
            _ if field.many => {
                let left = types.leaves(id)[leaf].occurs.max.saturating_sub(nth);
                let more = self.repeated(field, slot, start, left, sink).map_err(in_path)?;
                self.counts[cursor.base + leaf] += more;
            }
            _ => self.element(field, slot, start, sink).map_err(in_path)?,
        }
        Ok(None)
    }

    fn group_pass(
        &mut self,
        group: ComplexId,
        slot: Slot,
        start: Start<'a>,
        sink: &mut dyn Sink,
    ) -> Result<Next<'a>, Error> {
        self.forget();
        sink.open(slot, self.types.shape(group));
        let at = start.at;
        let next = self.content(group, Some(start), sink, true)?;
        sink.close();
        match next {
            // Nothing was taken: the name belongs to a wildcard that does not admit it.
            Next::Start(again) if again.at == at => Err(self.bad(
                Kind::Unexpected,
                format!("element {} is not one that may stand here", self.shown(again.name)),
            )),
            next => Ok(next),
        }
    }

    /// An element that no leaf takes.
    #[cold]
    fn unexpected(&mut self, id: ComplexId, start: Start<'a>) -> Result<(), Error> {
        if !self.options.strict {
            return self.reader.skip_element().map_err(|e| Error::xml(e, self.reader.input()));
        }
        let complex = self.types.complex(id);
        let elements = complex.fields.iter().filter(|f| f.kind == FieldKind::Element);
        let same = elements.clone().find(|f| *f.wire.local == *start.name.local);
        let shown = self.shown(start.name);
        let why = match same {
            Some(field) if Some(field.wire.ns) != self.types.namespace(self.reader.uri(start.name.ns)) => {
                format!("element {shown} is in the wrong namespace: {} was expected", self.types.clark(&field.wire))
            }
            Some(_) => format!("element {shown} stands too often or in the wrong order in {}", complex.label),
            None => {
                let known: Vec<&str> = elements.take(12).map(|f| &*f.name).collect();
                let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
                format!("element {shown} is not known in {}, which has {known}", complex.label)
            }
        };
        Err(self.bad_at(Kind::Unexpected, start.at, why).within(start.name.local))
    }

    /// Checks that everything is there that must be, and nothing beside it in a choice.
    fn check_counts(&self, id: ComplexId, base: usize) -> Result<(), Error> {
        let complex = self.types.complex(id);
        if complex.content.is_empty() {
            return Ok(());
        }
        let mut check = Check { decoder: self, id, counts: &self.counts[base..] };
        check.particle(0)
    }
}

struct Check<'c, 'a, 'p> {
    decoder: &'c Decoder<'a, 'p>,
    id: ComplexId,
    counts: &'c [u32],
}

impl Check<'_, '_, '_> {
    fn content(&self) -> &[Particle] {
        &self.decoder.types.complex(self.id).content
    }

    /// The numbers of the leaves in particles `from..to`.
    fn leaves(&self, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        let leaves = self.decoder.types.leaves(self.id);
        let first = leaves.partition_point(|l| (l.particle as usize) < from);
        let last = leaves.partition_point(|l| (l.particle as usize) < to);
        first..last
    }

    fn met(&self, from: usize, to: usize) -> bool {
        self.leaves(from, to).any(|n| self.counts[n] > 0)
    }

    fn particle(&mut self, i: usize) -> Result<(), Error> {
        match self.content()[i] {
            Particle::Leaf { field, occurs } => self.leaf(i, field, occurs),
            Particle::Sequence { optional, end } | Particle::All { optional, end } => {
                if optional && !self.met(i, end as usize) {
                    return Ok(());
                }
                let mut child = i + 1;
                while child < end as usize {
                    self.particle(child)?;
                    child = self.after(child);
                }
                Ok(())
            }
            Particle::Choice { optional, end } => self.choice(i, end as usize, optional),
        }
    }

    fn choice(&mut self, i: usize, end: usize, optional: bool) -> Result<(), Error> {
        let mut chosen = None;
        let mut child = i + 1;
        while child < end {
            let after = self.after(child);
            if self.met(child, after) {
                if let Some(first) = chosen {
                    return Err(self.both(first, child));
                }
                chosen = Some(child);
            }
            child = after;
        }
        match chosen {
            Some(child) => self.particle(child),
            None if optional || emptiable(self.content(), i) => Ok(()),
            None => {
                let names: Vec<&str> = self.leaves(i, end).map(|n| self.name(n)).collect();
                Err(self.missing(&format!("one of {}", names.join(", "))))
            }
        }
    }

    fn leaf(&self, i: usize, field: u32, occurs: Occurs) -> Result<(), Error> {
        let count = self.leaves(i, i + 1).next().map_or(0, |n| self.counts[n]);
        if count >= occurs.min {
            return Ok(());
        }
        let types = self.decoder.types;
        let f = &types.complex(self.id).fields[field as usize];
        if let (FieldKind::Group, TypeId::Complex(group)) = (&f.kind, f.ty) {
            let content = &types.complex(group).content;
            if content.is_empty() || emptiable(content, 0) {
                return Ok(());
            }
        }
        let times = if occurs.min > 1 { format!(" ({count} of at least {})", occurs.min) } else { String::new() };
        Err(self.missing(&format!("element {}{times}", f.name)))
    }

    fn after(&self, i: usize) -> usize {
        match self.content()[i] {
            Particle::Leaf { .. } => i + 1,
            Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => end as usize,
        }
    }

    fn name(&self, leaf: usize) -> &str {
        let types = self.decoder.types;
        &types.complex(self.id).fields[types.leaves(self.id)[leaf].field as usize].name
    }

    #[cold]
    fn missing(&self, what: &str) -> Error {
        let label = &self.decoder.types.complex(self.id).label;
        self.decoder.bad(Kind::Missing, format!("{what} is missing in {label}"))
    }

    #[cold]
    fn both(&self, a: usize, b: usize) -> Error {
        let name = |i: usize| {
            let mut met = self.leaves(i, self.after(i)).filter(|&n| self.counts[n] > 0);
            met.next().map_or("", |n| self.name(n))
        };
        let why = format!("{} and {} exclude each other", name(a), name(b));
        self.decoder.bad(Kind::Unexpected, why)
    }
}
