//! Messages that nobody holds as a whole: written portion by portion ([`Drain`]), from arrays that come
//! batch by batch ([`Item::Stream`]).
//!
//! This is chunk overlaying (paper 000, 3.5): the bytes of a long array pass through one buffer, which is
//! handed on between two items whenever it is full. There is one encoder; what it writes does not
//! depend on where it is drained.

use castile_message::Marks;
use castile_plan::{ComplexId, Field, FieldKind, Occurs, Tags};
use castile_value::{Batches, Item};

use super::Encoder;
use crate::error::{Error, Kind};

/// Takes a message while it is written.
pub trait Drain {
    /// Bytes from which on the buffer is handed over, between two items of an array.
    fn portion_bytes(&self) -> usize;

    /// Takes the bytes of `out`, which it leaves empty; it may leave another buffer there.
    ///
    /// # Errors
    /// Nobody wants the rest: encoding stops with [`Kind::Stopped`].
    fn drain(&mut self, out: &mut Vec<u8>) -> Result<(), Stopped>;
}

/// Nobody takes the message any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl<M: Marks> Encoder<'_, M> {
    /// Writes the values of a content field batch by batch.
    pub(super) fn streamed(&mut self, id: ComplexId, field: u32, batches: &dyn Batches) -> Result<(), Error> {
        if self.drain.is_none() && self.options.overlay_above.is_some() {
            return Err(Error::overlay());
        }
        if self.encoding.is_some() {
            return Err(no_encoded_stream());
        }
        let types = self.types;
        let f = &types.complex(id).fields[field as usize];
        let tags = match f.kind {
            FieldKind::Element => Some(&types.tags(id)[field as usize]),
            _ => None,
        };
        let count = self.batches(f, tags, batches)?;
        let mut leaves = types.leaves(id).iter().filter(|leaf| leaf.field == field);
        match leaves.next() {
            Some(leaf) if self.options.strict && !types.nullable(id, leaf.particle) => {
                check_count(f, leaf.occurs, count)
            }
            _ => Ok(()),
        }
    }

    fn batches(&mut self, f: &Field, tags: Option<&Tags>, batches: &dyn Batches) -> Result<usize, Error> {
        batches.start().map_err(Error::batch)?;
        let mut count = 0;
        loop {
            let mut written = Ok(());
            let more = batches
                .next(&mut |item| written = self.batch(f, tags, item, &mut count))
                .map_err(|cause| Error::batch(cause).within(format!("[{}]", count + 1)))?;
            written?;
            if !more {
                return Ok(count);
            }
            self.drained()?;
        }
    }

    fn batch(
        &mut self,
        f: &Field,
        tags: Option<&Tags>,
        item: Item<'_>,
        count: &mut usize,
    ) -> Result<(), Error> {
        let before = *count;
        let many = super::content::count(f, &item);
        let several = matches!(item, Item::Column(_) | Item::Table(_) | Item::Items(_));
        let result = match (tags, item) {
            (_, Item::Absent) => return Ok(()),
            (_, Item::Stream(_)) => Err(Error::caller(Kind::Value, "a batch cannot be a stream itself")),
            (Some(tags), item) if several => self.elements(f, tags, item),
            (Some(tags), item) => self.repeated(f, tags, item).map_err(|e| e.within("[1]")),
            (None, item) if several => self.groups(f, item),
            (None, item) => self.groups(f, item).map_err(|e| e.within("[1]")),
        };
        *count += if several { many } else { 1 };
        result.map_err(|e| e.later(before))
    }

    /// Hands over what is written, if that is enough. Only between two items: whoever is in the
    /// middle of one may have noted a place in the buffer.
    #[inline]
    pub(super) fn drained(&mut self) -> Result<(), Error> {
        match &mut self.drain {
            Some(drain) if self.out.len() >= drain.portion_bytes() => {
                drain.drain(self.out).map_err(|Stopped| Error::stopped())
            }
            Some(_) => Ok(()),
            None if self.out.len() > self.overlay_above => Err(Error::overlay()),
            None => Ok(()),
        }
    }

    /// Gives up when so many bytes more are to be written than a message held as a whole may have.
    pub(super) fn check_overlay(&self, more: usize) -> Result<(), Error> {
        match self.drain {
            None if self.out.len().saturating_add(more) > self.overlay_above => Err(Error::overlay()),
            _ => Ok(()),
        }
    }
}

pub(super) fn no_encoded_stream() -> Error {
    let why = "an array of SOAP encoding begins with the number of its items, which a stream does not know: \
               give the whole array";
    Error::caller(Kind::Value, why)
}

/// What the contract says of a number of items that nobody knew before.
fn check_count(f: &Field, occurs: Occurs, count: usize) -> Result<(), Error> {
    let most = if occurs.max == Occurs::UNBOUNDED {
        usize::MAX
    } else {
        occurs.max as usize
    };
    if (occurs.min as usize..=most).contains(&count) {
        return Ok(());
    }
    let why = format!(
        "the stream of {:?} ended after {count} values; the contract wants {} to {}",
        f.name,
        occurs.min,
        if most == usize::MAX {
            "any number".into()
        } else {
            most.to_string()
        }
    );
    Err(Error::caller(Kind::Value, why))
}
