//! The content of records.

use castile_plan::{ComplexId, FieldKind, TypeId};
use castile_value::{Sink, Slot};

use super::leaf::{Cursor, Known, Place, find, find_lax};
use super::{Decoder, Next, Start};
use crate::error::{Error, Kind};

impl<'a> Decoder<'a, '_> {
    /// Reads the children of a record. `first` is a child or end that was read already. In a repeated
    /// group the first child that does not belong ends the pass and is given back.
    pub(super) fn content(
        &mut self,
        id: ComplexId,
        first: Option<Next<'a>>,
        sink: &mut dyn Sink,
        group: bool,
    ) -> Result<Next<'a>, Error> {
        let base = self.counts.len();
        self.counts.resize(base + self.types.leaves(id).len(), 0);
        let result = self.children(id, first, sink, group, base);
        self.counts.truncate(base);
        result
    }

    fn children(
        &mut self,
        id: ComplexId,
        first: Option<Next<'a>>,
        sink: &mut dyn Sink,
        group: bool,
        base: usize,
    ) -> Result<Next<'a>, Error> {
        let mut cursor = Cursor { leaf: None, base };
        let mut pending = first;
        loop {
            let next = match pending.take() {
                Some(next) => next,
                None => self.child()?,
            };
            let Next::Start(start) = next else {
                self.check_end(id, &cursor)?;
                return Ok(Next::End);
            };
            match self.leaf_of(id, &cursor, start, group) {
                Some(leaf) => {
                    cursor.leaf = Some(leaf);
                    pending = self.leaf(id, &cursor, leaf, start, sink)?;
                }
                None if group => {
                    self.check_end(id, &cursor)?;
                    return Ok(Next::Start(start));
                }
                None => self.unexpected(id, &cursor, start)?,
            }
        }
    }

    #[inline]
    fn leaf_of(&mut self, id: ComplexId, cursor: &Cursor, start: Start<'a>, group: bool) -> Option<usize> {
        let name = Known {
            ns: self.ns(start.name.ns),
            local: start.name.local,
        };
        let place = Place {
            id,
            leaf: cursor.leaf,
            counts: &self.counts[cursor.base..],
        };
        if self.options.strict {
            find(self.types, place, name)
        } else {
            find_lax(self.types, place, name, group)
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
        let slot = Slot {
            field: number,
            many: field.many,
        };
        let count = &mut self.counts[cursor.base + leaf];
        *count = count.saturating_add(1);
        let nth = *count;
        let in_path = |e: Error| match field.many {
            true => e.within(format!("{}[{nth}]", field.name)),
            false => e.within(&*field.name),
        };
        match (&field.kind, field.ty) {
            (FieldKind::Any(_), _) => self.wild(slot, sink).map_err(in_path)?,
            (FieldKind::Group, TypeId::Complex(group)) => {
                return self
                    .group_pass(group, slot, start, sink)
                    .map(Some)
                    .map_err(in_path);
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
        let next = self.content(group, Some(Next::Start(start)), sink, true)?;
        sink.close();
        match next {
            // Whoever chose the leaf saw that the group takes the element; else it would come back
            // for ever.
            Next::Start(again) if again.at == at => Err(self.bad(
                Kind::Unexpected,
                format!(
                    "element {} is not one that may stand here",
                    self.shown(again.name)
                ),
            )),
            next => Ok(next),
        }
    }
}
