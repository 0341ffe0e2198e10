//! Where values lie in a message.

use std::ops::Range;

/// What an encoder reports while it writes. Spans are bytes of the output buffer and leave out
/// the tags; they come in the order of the message.
pub trait Marks {
    /// Whether anything listens; when not, an encoder need not collect lengths.
    const ACTIVE: bool;

    /// A value of the simple type numbered `simple` lies at `span`.
    fn value(&mut self, simple: u32, span: Range<usize>);

    /// An array: `lengths` of its values, row after row, of which the first starts at `start`. A row
    /// has one value for each of `simples`, and `gaps[k]` bytes follow each row's value `k`; the last
    /// gap leads to the next row.
    fn array(&mut self, simples: &[u32], start: usize, gaps: &[u32], lengths: &[u8]);

    /// Bytes at `span` came from the source as XML, or as names and values that no type of the table
    /// explains.
    fn opaque(&mut self, span: Range<usize>);
}

/// Nobody listens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unmarked;

impl Marks for Unmarked {
    const ACTIVE: bool = false;
    fn value(&mut self, _simple: u32, _span: Range<usize>) {}
    fn array(&mut self, _simples: &[u32], _start: usize, _gaps: &[u32], _lengths: &[u8]) {}
    fn opaque(&mut self, _span: Range<usize>) {}
}

/// One value's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The number of its simple type in the plan's table.
    pub simple: u32,
    /// Its bytes in the message.
    pub span: Range<usize>,
}

/// An array's place, of numbers or of flat records: one entry, however long it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The numbers of the simple types of a row's values in the plan's table; one for an array of
    /// numbers.
    pub simples: Vec<u32>,
    /// Where the first value's bytes start.
    pub start: usize,
    /// Bytes after each value of a row, the last through the start of the next row's first.
    pub gaps: Vec<u32>,
    /// The values' lengths in bytes, row after row.
    pub lengths: Vec<u8>,
}

impl Array {
    /// The bytes of each value, row after row.
    pub fn spans(&self) -> impl Iterator<Item = Range<usize>> {
        let mut at = self.start;
        let gaps = self.gaps.iter().cycle();
        self.lengths.iter().zip(gaps).map(move |(&length, &gap)| {
            let span = at..at + usize::from(length);
            at = span.end + gap as usize;
            span
        })
    }
}

/// One mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A single value.
    Value(Slot),
    /// An array.
    Array(Array),
    /// Bytes that no type explains.
    Opaque(Range<usize>),
}

/// Keeps all marks: the data update tracking table of a message.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    marks: Vec<Mark>,
}

impl Slots {
    /// All marks, in the order of the message.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The single values, in the order of the message.
    pub fn values(&self) -> impl Iterator<Item = &Slot> {
        self.marks.iter().filter_map(|mark| match mark {
            Mark::Value(slot) => Some(slot),
            _ => None,
        })
    }

    /// The arrays, in the order of the message.
    pub fn arrays(&self) -> impl Iterator<Item = &Array> {
        self.marks.iter().filter_map(|mark| match mark {
            Mark::Array(array) => Some(array),
            _ => None,
        })
    }
}

impl Marks for Slots {
    const ACTIVE: bool = true;

    fn value(&mut self, simple: u32, span: Range<usize>) {
        self.marks.push(Mark::Value(Slot { simple, span }));
    }

    fn array(&mut self, simples: &[u32], start: usize, gaps: &[u32], lengths: &[u8]) {
        self.marks.push(Mark::Array(Array {
            simples: simples.to_vec(),
            start,
            gaps: gaps.to_vec(),
            lengths: lengths.to_vec(),
        }));
    }

    fn opaque(&mut self, span: Range<usize>) {
        self.marks.push(Mark::Opaque(span));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_lie_where_lengths_and_gaps_say() {
        let mut slots = Slots::default();
        slots.value(1, 2..4);
        // <r><a>1</a><b>22</b></r><r><a>333</a><b>4</b></r>
        slots.array(&[1, 2], 6, &[7, 15], &[1, 2, 3, 1]);
        slots.opaque(60..70);
        let spans: Vec<_> = slots.arrays().flat_map(Array::spans).collect();
        assert_eq!(spans, [6..7, 14..16, 31..34, 41..42]);
        assert_eq!(slots.values().count(), 1);
        assert!(matches!(
            slots.marks(),
            [Mark::Value(_), Mark::Array(_), Mark::Opaque(_)]
        ));
    }
}
