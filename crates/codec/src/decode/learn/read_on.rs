//! [`ReadOn`]: an array of numbers that is read, in as many steps as its message takes to come.

use castile_value::ColumnBuf;

use super::notes::{Kind, Layout};
use super::track::Items;
use crate::decode::repeat::{Ground, Pattern};

/// What was read of an array, and where it goes on.
#[derive(Debug)]
pub(super) struct ReadOn {
    /// Where its first item begins.
    pub(super) from: usize,
    pub(super) items: u32,
    /// Where the last item that was read ends.
    pub(super) end: usize,
    pub(super) numbers: Numbers,
}

/// Numbers, or packed records of numbers.
#[derive(Debug)]
pub(super) enum Numbers {
    Column(ColumnBuf),
    Rows(Vec<u8>),
}

impl ReadOn {
    /// Before the first item of an array, if that has nothing but numbers.
    pub(super) fn before(items: &Items, at: usize) -> Option<ReadOn> {
        let numbers = match &items.kind {
            Kind::Column(dtype) => Numbers::Column(ColumnBuf::new(*dtype)),
            Kind::Rows(_) => Numbers::Rows(Vec::new()),
            Kind::Scalars | Kind::Records(..) => return None,
        };
        Some(ReadOn {
            from: at,
            items: 0,
            end: at,
            numbers,
        })
    }

    /// Reads as many items as follow and are like the pattern, from a text that begins `skipped` bytes behind the message.
    pub(super) fn go_on(&mut self, items: &Items, ground: Ground<'_, '_>, skipped: usize) {
        if self.items == 0 {
            // The first has no gap before it.
            self.some(items, &items.pattern(&[]), 1, ground, skipped);
        }
        if self.items > 0 {
            self.some(items, &items.pattern(&items.gap), u32::MAX, ground, skipped);
        }
    }

    fn some(
        &mut self,
        items: &Items,
        pattern: &Pattern<'_>,
        most: u32,
        ground: Ground<'_, '_>,
        skipped: usize,
    ) {
        let at = self.end - skipped;
        let left = most.min(items.occurs.most - self.items);
        let (count, end) = match (&mut self.numbers, &items.kind) {
            (Numbers::Column(column), _) => ground.numbers(pattern, at, left, column),
            (Numbers::Rows(rows), Kind::Rows(Layout(layout))) => ground.rows(pattern, at, left, layout, rows),
            (Numbers::Rows(_), _) => (0, at),
        };
        self.items += count;
        self.end = end + skipped;
    }
}

impl Items {
    /// The most bytes that an item takes whose numbers have no more white space around them than is usual.
    pub(super) fn reach(&self) -> usize {
        let values = self
            .cells
            .iter()
            .map(|(before, ..)| before.len() + usize::from(u8::MAX));
        self.gap.len() + values.sum::<usize>() + self.close.len()
    }
}
