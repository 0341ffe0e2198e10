//! [`Walk`]: the values of an array, old and new text side by side.

use castile_value::DType;
use castile_xml::common_prefix;

use super::super::form::{Cell, Form};
use super::super::text::Part;
use super::align::LOOKED;
use super::progress::{PATIENCE, Progress, Source, Stage};
use crate::decode::repeat::{Kernel, end_of, number};
use crate::scalar::packed;

pub(super) struct Walk<'r, 'p, 'a> {
    pub(super) source: Source<'p, 'a>,
    pub(super) form: &'r Form<'r>,
    pub(super) old: Part<'r>,
    pub(super) on: &'r mut Progress,
}

/// A value as it is kept.
#[derive(Clone, Copy)]
struct Value {
    packed: [u8; 8],
    dtype: DType,
    /// Bytes of its text.
    width: u8,
}

/// What follows a value.
pub(super) enum Next {
    /// Another, which begins here.
    Value(usize),
    /// The new text has no further item like the pattern, and the last ends here.
    End(usize),
    /// The old text has no further item, and the new one may.
    More(usize),
    /// More of the new text has to come first.
    Waits(Stage),
}

impl Walk<'_, '_, '_> {
    /// Goes through both texts side by side.
    pub(super) fn compare(&mut self) -> Next {
        loop {
            if self.form.cells.len() == 1 {
                self.single();
            }
            let (old, new) = (
                self.old.bytes().get(self.on.before..),
                self.source.bytes.get(self.on.at..),
            );
            let same = common_prefix(old.unwrap_or_default(), new.unwrap_or_default());
            if self.pass_equal(same) {
                self.on.differing = 0;
            }
            if self.on.widths.ahead().is_empty() {
                return Next::More(self.on.at);
            }
            let is_lost =
                self.on.differing >= self.on.patience && self.on.cell == 0 && self.form.most == u32::MAX;
            if self.waits(self.on.at, if is_lost { LOOKED } else { 0 }) {
                return Next::Waits(Stage::Compare);
            }
            if is_lost {
                self.on.patience = match self.align() {
                    true => PATIENCE,
                    false => self.on.patience.saturating_mul(8),
                };
                self.on.differing = 0;
                if !self.on.kept {
                    return Next::End(self.on.from);
                }
                continue;
            }
            match self.read() {
                Next::Value(_) => self.on.differing += 1,
                other => return other,
            }
        }
    }

    /// Whether an item that begins at `at`, or as many bytes behind, may not have come whole.
    pub(super) fn waits(&self, at: usize, more: usize) -> bool {
        !self.source.is_whole() && self.source.bytes.len() < at + self.form.reach + more
    }

    /// Passes all values that lie in the next `same` bytes, with what follows each; whether there are any.
    #[inline]
    pub(super) fn pass_equal(&mut self, same: usize) -> bool {
        let (widths, cells) = (self.on.widths.ahead(), &self.form.cells[..]);
        let last = widths.len().saturating_sub(1);
        let (mut values, mut bytes, mut cell) = (0, 0, self.on.cell);
        // Many items at once, as long as there are any.
        if cell == 0 {
            let constant: usize = cells.iter().map(|cell| cell.gap).sum();
            for items in [32, 4] {
                let group = items * cells.len();
                let inner = widths.get(values..last).unwrap_or_default();
                for chunk in inner.chunks_exact(group) {
                    let sum: u32 = chunk.iter().map(|&width| u32::from(width)).sum();
                    let more = sum as usize + items * constant;
                    if bytes + more > same {
                        break;
                    }
                    (values, bytes) = (values + group, bytes + more);
                }
            }
        }
        for (i, &width) in widths.iter().enumerate().skip(values) {
            let gap = match cells.get(cell) {
                // After the last item there is no other.
                Some(cell) if i == last => cell.follows.len(),
                Some(cell) => cell.gap,
                None => 0,
            };
            let more = usize::from(width) + gap;
            if bytes + more > same {
                break;
            }
            (values, bytes) = (values + 1, bytes + more);
            cell = if cell + 1 == cells.len() { 0 } else { cell + 1 };
        }
        if values > 0 {
            self.pass(values, bytes);
        }
        values > 0
    }

    /// Passes so many values, which take so many bytes.
    pub(super) fn pass(&mut self, values: usize, bytes: usize) {
        let form = self.form;
        let (items, cell) = match form.cells.len() {
            1 => (values, 0),
            cells => ((self.on.cell + values) / cells, (self.on.cell + values) % cells),
        };
        let offset = |cell: usize| form.cells.get(cell).map_or(0, |cell| cell.offset);
        self.on
            .values
            .keep(items * form.stride + offset(cell) - offset(self.on.cell));
        self.on.widths.keep(values);
        self.on.items += items as u32;
        self.on.cell = cell;
        self.on.before += bytes;
        self.on.at += bytes;
    }

    /// Reads the value at hand, which differs from the old one.
    #[inline]
    fn read(&mut self) -> Next {
        let form = self.form;
        let Some((value, next)) = self.value(self.on.cell, self.on.at) else {
            return Next::End(self.item_before());
        };
        let widths = self.on.widths.ahead();
        let (last, old_width) = (widths.len() == 1, widths.first().map_or(0, |&w| usize::from(w)));
        let width = usize::from(value.width);
        self.on.in_place &= width == old_width;
        if self.on.in_place {
            let text = self.source.bytes.get(self.on.at..).unwrap_or_default();
            self.old.put(self.on.before, width, text);
        }
        self.on.changes.add(self.on.items as usize);
        self.put(value);
        self.on.before += old_width + form.cells.get(self.on.cell).map_or(0, |cell| cell.gap);
        self.on.cell += 1;
        if self.on.cell == form.cells.len() {
            self.on.cell = 0;
            self.on.items += 1;
            let room = self.on.items < form.most;
            return match next {
                Next::Value(at) if last || !room => {
                    let end = at - form.first.len() - form.gap().len();
                    if last { Next::More(end) } else { Next::End(end) }
                }
                Next::End(end) if last => Next::More(end),
                Next::Value(at) => {
                    self.on.at = at;
                    next
                }
                other => other,
            };
        }
        if let Next::Value(at) = next {
            self.on.at = at;
        }
        next
    }

    fn put(&mut self, value: Value) {
        self.on.widths.put([value.width]);
        match value.dtype.size() {
            8 => self.on.values.put(value.packed),
            size => self.on.values.put_all(&value.packed[..size]),
        }
        self.on.parsed += 1;
        if self.on.last_parsed != Some(self.on.items) {
            self.on.last_parsed = Some(self.on.items);
            self.on.items_parsed += 1;
        }
    }

    /// Where the item before the one at hand ends.
    fn item_before(&self) -> usize {
        let form = self.form;
        if self.on.items == 0 || !self.on.kept {
            return self.on.from;
        }
        let inside = self
            .on
            .widths
            .behind()
            .iter()
            .rev()
            .zip(form.cells.iter().take(self.on.cell).rev());
        let inside: usize = inside.map(|(&width, cell)| usize::from(width) + cell.gap).sum();
        self.on.at - inside - form.first.len() - form.gap().len()
    }

    /// The value at `at`, and what follows it. `None` when it is none, or not followed by what must; or when it
    /// cannot be kept.
    #[inline]
    fn value(&mut self, cell: usize, at: usize) -> Option<(Value, Next)> {
        let form = self.form;
        let input = self.source.bytes;
        let Cell {
            kernel,
            dtype,
            follows,
            ..
        } = *form.cells.get(cell)?;
        let (packed, end) = match (kernel, dtype) {
            (Kernel::F64, DType::F64) => {
                let (number, end) = number(input, at, castile_lexical::prefix_f64)?;
                (number.to_ne_bytes(), end)
            }
            _ => {
                let (scalar, end) = self.source.value(kernel, at)?;
                (packed(dtype, &scalar)?, end)
            }
        };
        let is_last = cell + 1 == form.cells.len();
        let further = if is_last { &form.between[..] } else { follows };
        let (next, text_end) = match end_of(kernel, input, end, further) {
            Some(next) => (Next::Value(next), next - further.len()),
            None if !is_last => return None,
            None => {
                let end = end_of(kernel, input, end, follows)?;
                (Next::End(end), end - follows.len())
            }
        };
        let width = self.width(text_end - at)?;
        let value = Value { packed, dtype, width };
        Some((value, next))
    }

    /// A text of so many bytes as it is kept; longer ones are not.
    #[inline]
    pub(super) fn width(&mut self, bytes: usize) -> Option<u8> {
        let width = u8::try_from(bytes).ok();
        self.on.kept &= width.is_some();
        width
    }
}
