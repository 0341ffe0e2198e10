//! Arrays of arrays where the contract has one array of several dimensions: Axis writes these.

use castile_plan::{ComplexId, Field};
use castile_value::{Sink, Slot};

use super::super::{Decoder, Next};
use super::array::{ANY_ROOM, ITEMS, Said};
use crate::error::{Error, Kind};

impl<'a> Decoder<'a, '_> {
    /// The items of arrays in an array, `rank` deep, as those of one array. All arrays of one depth must
    /// have as many items as the first.
    pub(super) fn nested(
        &mut self,
        field: &Field,
        id: Option<ComplexId>,
        rank: usize,
        said: &Said,
        slot: Slot,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let sizes = self.nested_sizes(rank, said)?;
        let types = self.types;
        let Some(graph) = sink.graph() else {
            return Err(self.no_graph("arrays of several dimensions"));
        };
        graph.array(slot, id.map(|id| types.shape(id)), &sizes);
        self.level(field, &sizes, sink)?;
        sink.close();
        Ok(())
    }

    /// How many items each depth has: what the first array of it says.
    fn nested_sizes(&mut self, rank: usize, said: &Said) -> Result<Vec<usize>, Error> {
        let mut sizes = said.sizes.clone();
        if sizes.is_empty() {
            sizes.push(self.count_items()?);
        }
        let back = self.reader.clone();
        while sizes.len() < rank {
            match self.child()? {
                Next::Start(_) => {
                    self.go_where_it_refers()?;
                    match self.said()?.sizes[..] {
                        [size] => sizes.push(size),
                        [] => sizes.push(self.count_items()?),
                        _ => {
                            let why = "an array of several dimensions in an array of arrays";
                            return Err(self.bad(Kind::Unexpected, why));
                        }
                    }
                }
                Next::End => sizes.push(0),
            }
        }
        self.go_on_with(back);
        Ok(sizes)
    }

    fn level(&mut self, field: &Field, sizes: &[usize], sink: &mut dyn Sink) -> Result<(), Error> {
        let [size, inner @ ..] = sizes else { return Ok(()) };
        let mut count = 0;
        while let Next::Start(start) = self.child()? {
            if inner.is_empty() {
                count += 1 + self.repeated(field, ITEMS, start, ANY_ROOM, sink)? as usize;
            } else {
                self.inner(field, inner, sink)
                    .map_err(|e| e.within(format!("[{}]", count + 1)))?;
                count += 1;
            }
        }
        if count != *size {
            let why = format!("{count} items in an array of {size}");
            return Err(self.bad(Kind::Unexpected, why));
        }
        Ok(())
    }

    /// An array in an array, after its start tag, or one that is referred to.
    fn inner(&mut self, field: &Field, sizes: &[usize], sink: &mut dyn Sink) -> Result<(), Error> {
        match self.refers_to()? {
            Some(id) => self.in_place(&id, |decoder, _| decoder.inner(field, sizes, sink)),
            None => self.level(field, sizes, sink),
        }
    }
}
