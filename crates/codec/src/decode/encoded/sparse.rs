//! Items of arrays that say where they belong and do not stand in that order (SOAP 1.1, 5.4.2.2).

use castile_plan::Field;
use castile_value::Sink;
use castile_xml::{Reader, Token};

use super::super::{Decoder, Next, Start};
use super::array::ITEMS;
use crate::error::{Error, Kind};

/// The items of an array, by where they belong.
pub(super) struct Sparse<'a> {
    /// Where each belongs, and the offset of its start tag.
    places: Vec<(usize, usize)>,
    /// The one that stands first, with the reader behind its start tag.
    first: (Start<'a>, Reader<'a>),
    /// Behind the first, in the array.
    inside: Reader<'a>,
}

impl<'a> Decoder<'a, '_> {
    /// Looks through an array from its first item on, after that one's start tag. Its items, if they stand in
    /// another order than they belong; the reader is behind the array then.
    pub(super) fn out_of_order(
        &mut self,
        first: Start<'a>,
        position: usize,
        sizes: &[usize],
    ) -> Result<Option<Sparse<'a>>, Error> {
        let back = self.reader.clone();
        self.skip()?;
        let inside = self.reader.clone();
        let mut places = vec![(position, first.at)];
        let mut ordered = true;
        while let Next::Start(start) = self.child()? {
            let Some(position) = self.position(sizes)? else {
                ordered = true;
                break;
            };
            ordered &= places.last().is_none_or(|&(last, _)| last < position);
            places.push((position, start.at));
            self.skip()?;
        }
        self.looked(back.position(), self.reader.position())?;
        if ordered {
            self.go_on_with(back);
            return Ok(None);
        }
        places.sort_unstable();
        let first = (first, back);
        Ok(Some(Sparse {
            places,
            first,
            inside,
        }))
    }

    /// Reads the items in their order, and goes behind the array again.
    pub(super) fn in_order(
        &mut self,
        field: &Field,
        sparse: Sparse<'a>,
        count: &mut usize,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let end = self.reader.clone();
        for (position, at) in sparse.places {
            let (first, reader) = &sparse.first;
            let start = if at == first.at {
                self.go_on_with(reader.clone());
                *first
            } else {
                self.go_on_with(sparse.inside.clone());
                self.start_at(at)?
            };
            self.fill_before(position, count, sink)?;
            self.element(field, ITEMS, start, sink)
                .map_err(|e| e.within(format!("[{}]", *count + 1)))?;
            *count += 1;
        }
        self.go_on_with(end);
        Ok(())
    }

    /// Nils before the item that belongs at `position`, of which none may have come.
    pub(super) fn fill_before(
        &mut self,
        position: usize,
        count: &mut usize,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        if position < *count {
            let why = format!("item {position} of a sparse array stands twice");
            return Err(self.bad(Kind::Unexpected, why));
        }
        self.fill(count, position, sink)
    }

    /// Goes to the element at an offset in what is being read: its start tag is the last token then.
    pub(super) fn start_at(&mut self, at: usize) -> Result<Start<'a>, Error> {
        self.reader.skip_to(at);
        match self.token()? {
            Token::Start { name, .. } => Ok(Start { name, at }),
            _ => Err(self.bad(Kind::Malformed, "an element does not begin where it did")),
        }
    }
}
