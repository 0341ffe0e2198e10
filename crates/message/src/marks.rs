//! Where values lie in a message.

use std::ops::Range;

/// What an encoder reports while it writes. Spans are bytes of the output buffer and leave out
/// the tags; they come in the order of the message.
pub trait Marks {
    /// Whether anything listens; when not, an encoder need not collect lengths.
    const ACTIVE: bool;

    /// A value of the simple type numbered `simple` lies at `span`.
    fn value(&mut self, simple: u32, span: Range<usize>);

    /// An array begins: element `i` has length `lengths[i]`, the first starts at `start`, and all
    /// have the same bytes between them.
    fn array(&mut self, simple: u32, start: usize, lengths: &[u8]);
}

/// Nobody listens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unmarked;

impl Marks for Unmarked {
    const ACTIVE: bool = false;
    fn value(&mut self, _simple: u32, _span: Range<usize>) {}
    fn array(&mut self, _simple: u32, _start: usize, _lengths: &[u8]) {}
}

/// One value's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The number of its simple type in the plan's table.
    pub simple: u32,
    /// Its bytes in the message.
    pub span: Range<usize>,
}

/// An array's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The number of the elements' simple type in the plan's table.
    pub simple: u32,
    /// Where the first element's bytes start.
    pub start: usize,
    /// The elements' lengths in bytes.
    pub lengths: Vec<u8>,
}

/// Keeps all marks: the data update tracking table of a message.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    values: Vec<Slot>,
    arrays: Vec<Array>,
}

impl Slots {
    /// The single values, in the order of the message.
    pub fn values(&self) -> &[Slot] {
        &self.values
    }

    /// The arrays, in the order of the message.
    pub fn arrays(&self) -> &[Array] {
        &self.arrays
    }
}

impl Marks for Slots {
    const ACTIVE: bool = true;

    fn value(&mut self, simple: u32, span: Range<usize>) {
        self.values.push(Slot { simple, span });
    }

    fn array(&mut self, simple: u32, start: usize, lengths: &[u8]) {
        self.arrays.push(Array { simple, start, lengths: lengths.to_vec() });
    }
}
