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
        let back = self.reader.clone();
        while sizes.len() < rank {
            match self.child()? {
                Next::Start(_) => match self.said()?.sizes[..] {
                    [size] => sizes.push(size),
                    _ => return Err(self.bad(Kind::Unexpected, "an array in an array does not say its size")),
                },
                Next::End => sizes.push(0),
            }
        }
        self.reader = back;
        Ok(sizes)
    }

    fn level(&mut self, field: &Field, sizes: &[usize], sink: &mut dyn Sink) -> Result<(), Error> {
        let [size, inner @ ..] = sizes else { return Ok(()) };
        let mut count = 0;
        while let Next::Start(start) = self.child()? {
            if inner.is_empty() {
                count += 1 + self.repeated(field, ITEMS, start, ANY_ROOM, sink)? as usize;
            } else if self.refers_to()?.is_some() {
                let why = "a reference to an array inside an array of several dimensions";
                return Err(self.bad(Kind::Unsupported, why));
            } else {
                self.level(field, inner, sink)
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
}
