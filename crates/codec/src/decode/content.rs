//! The content of records.

use castile_plan::{ComplexId, FieldKind, TypeId};
use castile_value::{Sink, Slot, deep};

use super::leaf::{Cursor, Known, Outer, Place, find, find_by, find_lax};
use super::learn::{Comes, number_of};
use super::repeat::Room;
use super::{Decoder, Names, Next, Start};
use crate::error::{Error, Kind};

impl<'a> Decoder<'a, '_> {
    /// Reads the children of a record. `first` is a child or end that was read already. In a pass
    /// through a repeated group, which `outer` is around, the first child that does not belong ends
    /// the pass and is given back.
    pub(super) fn content(
        &mut self,
        id: ComplexId,
        first: Option<Next<'a>>,
        sink: &mut dyn Sink,
        outer: Option<&Outer<'_>>,
    ) -> Result<Next<'a>, Error> {
        let base = self.counts.len();
        self.counts.resize(base + self.types.leaves(id).len(), 0);
        self.enters(id, first.is_none(), outer.is_some());
        let result = self.children(id, first, sink, outer, base);
        self.leaves();
        self.counts.truncate(base);
        result
    }

    fn children(
        &mut self,
        id: ComplexId,
        first: Option<Next<'a>>,
        sink: &mut dyn Sink,
        outer: Option<&Outer<'_>>,
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
                self.joins(id, &cursor, &next, Comes::EndTag);
                self.check_end(id, &cursor)?;
                return Ok(Next::End);
            };
            let leaf = self.leaf_of(id, &cursor, start, outer);
            let what = match leaf {
                Some(leaf) => Comes::Leaf(leaf),
                None if outer.is_some() => Comes::Other,
                None => Comes::Stranger,
            };
            self.joins(id, &cursor, &next, what);
            match leaf {
                Some(leaf) => {
                    cursor.leaf = Some(leaf);
                    pending = self.leaf(
                        Outer {
                            id,
                            cursor: &cursor,
                            outer,
                        },
                        leaf,
                        start,
                        sink,
                    )?;
                }
                None if outer.is_some() => {
                    self.check_end(id, &cursor)?;
                    return Ok(Next::Start(start));
                }
                None => self.unexpected(id, &cursor, start)?,
            }
        }
    }

    #[inline]
    pub(super) fn leaf_of(
        &mut self,
        id: ComplexId,
        cursor: &Cursor,
        start: Start<'a>,
        outer: Option<&Outer<'_>>,
    ) -> Option<usize> {
        let name = Known {
            ns: self.ns(start.name.ns),
            local: start.name.local,
        };
        let place = Place {
            id,
            leaf: cursor.leaf,
            counts: &self.counts[cursor.base..],
        };
        // The accessors of a struct are told by their names alone (SOAP 1.1, 5.1).
        match self.options.strict && self.encoding.is_none() {
            true if self.options.techniques.names != Names::Predicted => {
                find_by(self.options.techniques.names, self.types, place, name)
            }
            true => find(self.types, place, name),
            false => find_lax(self.types, place, name, outer, &self.counts)
                .or_else(|| self.parameter(id, cursor.base, start)),
        }
    }

    /// Reads an element, or passes through a group, for a leaf; gives back a start tag or end that
    /// was read too far.
    pub(super) fn leaf(
        &mut self,
        here: Outer<'_>,
        leaf: usize,
        start: Start<'a>,
        sink: &mut dyn Sink,
    ) -> Result<Option<Next<'a>>, Error> {
        let (types, id, base) = (self.types, here.id, here.cursor.base);
        let number = types.leaves(id)[leaf].field;
        let field = &types.complex(id).fields[number as usize];
        let slot = Slot {
            field: number,
            many: field.many,
        };
        let count = &mut self.counts[base + leaf];
        *count = count.saturating_add(1);
        let nth = *count;
        let in_path = |e: Error| match field.many {
            true => e.within(format!("{}[{nth}]", field.name)),
            false => e.within(&*field.name),
        };
        match (&field.kind, field.ty) {
            (FieldKind::Any(wildcard), _) => {
                let mark = field
                    .many
                    .then(|| self.before_item(slot, number_of(types.leaves(id)[leaf].occurs), start.at));
                self.admitted(wildcard, slot, start, sink).map_err(in_path)?;
                if let Some(mark) = mark {
                    self.after_item(mark);
                }
            }
            (FieldKind::Group, TypeId::Complex(group)) => {
                return self
                    .group_pass(group, slot, start, &here, sink)
                    .map(Some)
                    .map_err(in_path);
            }
            _ if field.many => {
                let occurs = types.leaves(id)[leaf].occurs;
                let room = Room {
                    left: occurs.max.saturating_sub(nth),
                    number: number_of(occurs),
                };
                let more = self.repeated(field, slot, start, room, sink).map_err(in_path)?;
                self.counts[base + leaf] += more;
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
        outer: &Outer<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Next<'a>, Error> {
        self.forget();
        sink.open(slot, self.types.shape(group));
        let at = start.at;
        let next = deep(|| self.content(group, Some(Next::Start(start)), sink, Some(outer)))?;
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
