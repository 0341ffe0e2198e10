//! [`Array`]: an array of numbers of the last message, of which only what differs is read.
//!
//! ```text
//!  old   <n>1.5</n><n>2</n><n>3.25</n>      values  1.5  2  3.25
//!  new   <n>1.5</n><n>7</n><n>3.25</n>                   ↑
//!        └── equal ───┘│└── equal ────┘              read this one
//! ```
//!
//! Equal bytes after equal bytes of the same pattern have the same values. How long each value's text was says
//! which value a place belongs to, and where the next begins in the old text when the new one is longer.

mod align;
mod progress;
mod side;
mod walk;

use std::ops::Range;

use castile_xml::common_prefix;

use super::changes::Changes;
use super::form::Form;
use super::splice::Splice;
use super::text::Part;
use crate::decode::repeat::after;
use progress::Stage;
pub(super) use progress::{Progress, Source};
pub(super) use side::copy;
use walk::{Next, Walk};

/// An array of numbers, or of records of numbers, as the last message had it.
#[derive(Debug, Default)]
pub(super) struct Array {
    /// Where its items lay in the text that is kept.
    pub(super) span: Range<usize>,
    /// How many bytes each value's text had, white space around it among them.
    widths: Vec<u8>,
    /// The values, packed.
    pub(super) values: Vec<u8>,
    /// Which of them the last message changed.
    pub(super) changes: Changes,
}

/// What became of an array.
pub(super) struct Refreshed {
    /// How many items there are now.
    pub(super) items: u32,
    /// Where the last ends.
    pub(super) end: usize,
    /// Values that were read.
    pub(super) parsed: usize,
    /// Values of the items of which one or more were read.
    pub(super) of_parsed: usize,
    /// Whether all bytes that are equal still lie where they did.
    pub(super) in_place: bool,
    /// Whether it is right: an array with very long texts is not kept, and has to be read plainly.
    pub(super) kept: bool,
}

impl Array {
    /// Makes it the array that the source has, as far as that came; where its last item ends, or `None` while more of it may come.
    /// `old` is its text in the last message, and that of this one afterwards if nothing moved.
    pub(super) fn advance(
        &mut self,
        form: &Form<'_>,
        mut old: Part<'_>,
        source: Source<'_, '_>,
        on: &mut Progress,
    ) -> Option<usize> {
        if let Stage::Equal(equal) = on.stage {
            on.stage = self.begin(form, old.again(), source, on, equal)?;
        }
        let mut walk = Walk {
            source,
            form,
            old,
            on,
        };
        loop {
            let next = match walk.on.stage {
                Stage::Equal(_) | Stage::Compare => walk.compare(),
                Stage::Append(end) => walk.append(end),
                Stage::Ended(end) => return Some(end),
            };
            walk.on.stage = match next {
                Next::Value(end) | Next::End(end) => Stage::Ended(end),
                Next::More(end) => Stage::Append(end),
                Next::Waits(stage) => {
                    walk.on.stage = stage;
                    return None;
                }
            };
        }
    }

    /// Passes what is equal from the first byte on: mostly that is all.
    fn begin(
        &mut self,
        form: &Form<'_>,
        old: Part<'_>,
        source: Source<'_, '_>,
        on: &mut Progress,
        equal: usize,
    ) -> Option<Stage> {
        let (bytes, from) = (old.bytes(), on.from);
        let (old_rest, at) = (bytes.get(equal..).unwrap_or_default(), from + equal);
        let is_same = source.is_whole() && after(source.bytes, at, old_rest).is_some();
        let equal = match is_same {
            true => bytes.len(),
            false => equal + common_prefix(old_rest, source.bytes.get(at..).unwrap_or_default()),
        };
        if !source.is_whole() && from + equal == source.bytes.len() {
            on.stage = Stage::Equal(equal);
            return None;
        }
        on.widths = Splice::new(std::mem::take(&mut self.widths));
        on.values = Splice::new(std::mem::take(&mut self.values));
        on.array_bytes = on.values.ahead().len();
        on.changes = std::mem::take(&mut self.changes);
        on.changes.clear();
        let (is_whole_array, has_items) = (equal == bytes.len() && equal > 0, !on.widths.ahead().is_empty());
        let mut walk = Walk {
            source,
            form,
            old,
            on,
        };
        Some(match after(source.bytes, from, form.first) {
            Some(_) if is_whole_array => {
                walk.pass(walk.on.widths.ahead().len(), equal);
                Stage::Append(from + equal)
            }
            Some(at) if has_items => {
                (walk.on.before, walk.on.at) = (form.first.len(), at);
                walk.pass_equal(equal.saturating_sub(form.first.len()));
                Stage::Compare
            }
            _ => Stage::Append(from),
        })
    }

    /// Takes the values back from a walk that has come to the end of the array.
    pub(super) fn settle(
        &mut self,
        form: &Form<'_>,
        old_length: usize,
        on: Progress,
        end: usize,
    ) -> Refreshed {
        let (items, cells) = (on.items as usize, form.cells.len());
        let mut changes = on.changes;
        if !on.values.ahead().is_empty() || on.values.behind().len() != on.array_bytes {
            changes.add_all();
        }
        *self = Array {
            span: Range::default(),
            widths: on.widths.finish(items * cells),
            values: on.values.finish(items * form.stride),
            changes,
        };
        Refreshed {
            items: on.items,
            end,
            parsed: on.parsed,
            of_parsed: match cells {
                1 => on.parsed,
                cells => on.items_parsed * cells,
            },
            in_place: on.in_place && end - on.from == old_length,
            kept: on.kept,
        }
    }

    /// Bytes of memory, roughly.
    pub(super) fn memory(&self) -> usize {
        self.widths.capacity() + self.values.capacity() + self.changes.memory() + size_of::<Self>()
    }
}
