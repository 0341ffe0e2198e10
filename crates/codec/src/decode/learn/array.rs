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

mod side;

use std::ops::Range;

use castile_value::DType;
use castile_xml::{Shift, common_prefix, realign};

use super::changes::Changes;
use super::form::{Cell, Form};
use super::splice::Splice;
use super::text::Part;
use crate::decode::repeat::{Ground, Kernel, after, end_of, number};
use crate::scalar::packed;
pub(super) use side::copy;

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
    /// Makes it the array whose first item begins at `at`. `old` is its text in the last message, and that of this
    /// one afterwards if nothing moved.
    pub(super) fn refresh(
        &mut self,
        form: &Form<'_>,
        old: Part<'_>,
        ground: Ground<'_, '_>,
        at: usize,
    ) -> Refreshed {
        let fuel = FUEL_A_BYTE * old.bytes().len();
        let mut changes = std::mem::take(&mut self.changes);
        changes.clear();
        let walk = Walk {
            ground,
            form,
            old,
            widths: Splice::new(std::mem::take(&mut self.widths)),
            values: Splice::new(std::mem::take(&mut self.values)),
            before: 0,
            at,
            cell: 0,
            items: 0,
            parsed: 0,
            items_parsed: 0,
            last_parsed: None,
            in_place: true,
            kept: true,
            fuel,
            changes,
        };
        walk.run(at, self)
    }

    /// Bytes of memory, roughly.
    pub(super) fn memory(&self) -> usize {
        self.widths.capacity() + self.values.capacity() + self.changes.memory() + size_of::<Self>()
    }
}

/// Values that differ in a row before something may have come between or gone; then eight times as many.
const PATIENCE: usize = 8;

/// Bytes that must be equal for two texts to be aligned again, and how far that is looked for.
const SAMPLE: usize = 64;
const WINDOW: usize = 32 << 10;

/// How many bytes may be looked at for that, for each byte of the old text.
const FUEL_A_BYTE: usize = 4;

struct Walk<'r, 'p, 'a> {
    ground: Ground<'p, 'a>,
    form: &'r Form<'r>,
    old: Part<'r>,
    widths: Splice,
    values: Splice,
    /// Where the value at hand begins in the old text,
    before: usize,
    /// and in the new one.
    at: usize,
    /// Which value of its item it is.
    cell: usize,
    /// Items of the new text before it.
    items: u32,
    parsed: usize,
    /// Items of several values of which one or more were read, and which was the last of them.
    items_parsed: usize,
    last_parsed: Option<u32>,
    in_place: bool,
    kept: bool,
    /// Bytes that may be looked at to align the texts.
    fuel: usize,
    changes: Changes,
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
enum Next {
    /// Another, which begins here.
    Value(usize),
    /// The new text has no further item like the pattern, and the last ends here.
    End(usize),
    /// The old text has no further item, and the new one may.
    More(usize),
}

impl<'a> Walk<'_, '_, 'a> {
    fn run(mut self, from: usize, array: &mut Array) -> Refreshed {
        let array_bytes = self.values.ahead().len();
        let next = match after(self.input(), from, self.form.first) {
            // Mostly nothing changed at all.
            Some(_)
                if !self.old.bytes().is_empty() && after(self.input(), from, self.old.bytes()).is_some() =>
            {
                let (values, bytes) = (self.widths.ahead().len(), self.old.bytes().len());
                self.pass(values, bytes);
                Next::More(from + bytes)
            }
            Some(at) if !self.widths.ahead().is_empty() => {
                (self.before, self.at) = (self.form.first.len(), at);
                self.compare(from)
            }
            _ => Next::More(from),
        };
        let end = match next {
            Next::End(end) | Next::Value(end) => end,
            Next::More(end) => self.append(from, end),
        };
        let items = self.items as usize;
        if !self.values.ahead().is_empty() || self.values.behind().len() != array_bytes {
            self.changes.add_all();
        }
        let same_length = end - from == self.old.bytes().len();
        *array = Array {
            span: Range::default(),
            widths: self.widths.finish(items * self.form.cells.len()),
            values: self.values.finish(items * self.form.stride),
            changes: self.changes,
        };
        Refreshed {
            items: self.items,
            end,
            parsed: self.parsed,
            of_parsed: match self.form.cells.len() {
                1 => self.parsed,
                cells => self.items_parsed * cells,
            },
            in_place: self.in_place && same_length,
            kept: self.kept,
        }
    }

    fn input(&self) -> &'a [u8] {
        self.ground.input.as_bytes()
    }

    /// Goes through both texts side by side.
    fn compare(&mut self, from: usize) -> Next {
        let (mut differing, mut patience) = (0, PATIENCE);
        loop {
            if self.form.cells.len() == 1 {
                self.single(&mut differing, patience);
            }
            let (old, new) = (self.old.bytes().get(self.before..), self.input().get(self.at..));
            let same = common_prefix(old.unwrap_or_default(), new.unwrap_or_default());
            if self.pass_equal(same) {
                differing = 0;
            }
            if self.widths.ahead().is_empty() {
                return Next::More(self.at);
            }
            if differing >= patience && self.cell == 0 && self.form.most == u32::MAX {
                patience = match self.align() {
                    true => PATIENCE,
                    false => patience.saturating_mul(8),
                };
                differing = 0;
                if !self.kept {
                    return Next::End(from);
                }
                continue;
            }
            match self.read(from) {
                Next::Value(_) => differing += 1,
                other => return other,
            }
        }
    }

    /// Passes all values that lie in the next `same` bytes, with what follows each; whether there are any.
    #[inline]
    fn pass_equal(&mut self, same: usize) -> bool {
        let (widths, cells) = (self.widths.ahead(), &self.form.cells[..]);
        let last = widths.len().saturating_sub(1);
        let (mut values, mut bytes, mut cell) = (0, 0, self.cell);
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
    fn pass(&mut self, values: usize, bytes: usize) {
        let form = self.form;
        let (items, cell) = match form.cells.len() {
            1 => (values, 0),
            cells => ((self.cell + values) / cells, (self.cell + values) % cells),
        };
        let offset = |cell: usize| form.cells.get(cell).map_or(0, |cell| cell.offset);
        self.values
            .keep(items * form.stride + offset(cell) - offset(self.cell));
        self.widths.keep(values);
        self.items += items as u32;
        self.cell = cell;
        self.before += bytes;
        self.at += bytes;
    }

    /// Reads the value at hand, which differs from the old one.
    #[inline]
    fn read(&mut self, from: usize) -> Next {
        let form = self.form;
        let Some((value, next)) = self.value(self.cell, self.at) else {
            return Next::End(self.item_before(from));
        };
        let widths = self.widths.ahead();
        let (last, old_width) = (widths.len() == 1, widths.first().map_or(0, |&w| usize::from(w)));
        let width = usize::from(value.width);
        self.in_place &= width == old_width;
        if self.in_place {
            let text = self.input().get(self.at..).unwrap_or_default();
            self.old.put(self.before, width, text);
        }
        self.changes.add(self.items as usize);
        self.put(value);
        self.before += old_width + form.cells.get(self.cell).map_or(0, |cell| cell.gap);
        self.cell += 1;
        if self.cell == form.cells.len() {
            self.cell = 0;
            self.items += 1;
            let room = self.items < form.most;
            return match next {
                Next::Value(at) if last || !room => {
                    let end = at - form.first.len() - form.gap().len();
                    if last { Next::More(end) } else { Next::End(end) }
                }
                Next::End(end) if last => Next::More(end),
                Next::Value(at) => {
                    self.at = at;
                    next
                }
                other => other,
            };
        }
        if let Next::Value(at) = next {
            self.at = at;
        }
        next
    }

    fn put(&mut self, value: Value) {
        self.widths.put([value.width]);
        match value.dtype.size() {
            8 => self.values.put(value.packed),
            size => self.values.put_all(&value.packed[..size]),
        }
        self.parsed += 1;
        if self.last_parsed != Some(self.items) {
            self.last_parsed = Some(self.items);
            self.items_parsed += 1;
        }
    }

    /// Where the item before the one at hand ends.
    fn item_before(&self, from: usize) -> usize {
        let form = self.form;
        if self.items == 0 || !self.kept {
            return from;
        }
        let inside = self
            .widths
            .behind()
            .iter()
            .rev()
            .zip(form.cells.iter().take(self.cell).rev());
        let inside: usize = inside.map(|(&width, cell)| usize::from(width) + cell.gap).sum();
        self.at - inside - form.first.len() - form.gap().len()
    }

    /// The value at `at`, and what follows it. `None` when it is none, or not followed by what must; or when it
    /// cannot be kept.
    #[inline]
    fn value(&mut self, cell: usize, at: usize) -> Option<(Value, Next)> {
        let form = self.form;
        let input = self.ground.input.as_bytes();
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
                let (scalar, end) = self.ground.value(kernel, at)?;
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
        let Ok(width) = u8::try_from(text_end - at) else {
            self.kept = false;
            return None;
        };
        let value = Value { packed, dtype, width };
        Some((value, next))
    }

    /// Reads items that the old text does not have, after one that ends at `end`; where the last ends.
    fn append(&mut self, from: usize, mut end: usize) -> usize {
        let form = self.form;
        let gap = if end == from { &[] } else { form.gap() };
        let first = after(self.input(), end, gap).and_then(|at| after(self.input(), at, form.first));
        let mut next = first.filter(|_| self.items < form.most);
        let mut item = Vec::with_capacity(form.cells.len());
        while let Some((after, its_end)) = next.and_then(|at| self.item(at, &mut item)) {
            item.drain(..).for_each(|value| self.put(value));
            self.items += 1;
            end = its_end;
            next = after.filter(|_| self.items < form.most);
        }
        end
    }

    /// The values of the item whose first begins at `at`; where that of the next begins, and where the item ends.
    fn item(&mut self, mut at: usize, item: &mut Vec<Value>) -> Option<(Option<usize>, usize)> {
        item.clear();
        for cell in 0..self.form.cells.len() {
            let (value, next) = self.value(cell, at)?;
            item.push(value);
            at = match next {
                Next::Value(next) => next,
                Next::End(end) | Next::More(end) => return Some((None, end)),
            };
        }
        Some((Some(at), at - self.form.first.len() - self.form.gap().len()))
    }

    /// Looks for the place where the texts are equal again, and goes there: past old items that are gone, or
    /// reading new ones that came between. False when there is none.
    fn align(&mut self) -> bool {
        let (Some(old), Some(new)) = (self.old.bytes().get(self.before..), self.input().get(self.at..))
        else {
            return false;
        };
        let looked = old.len().min(WINDOW) + new.len().min(WINDOW);
        if self.fuel < looked {
            return false;
        }
        self.fuel -= looked;
        match realign(old, new, SAMPLE, WINDOW) {
            None => false,
            Some(Shift::Removed(bytes)) => self.leave_out(bytes),
            Some(Shift::Inserted(bytes)) => {
                let target = self.at + bytes;
                let mut item = Vec::with_capacity(self.form.cells.len());
                while self.at < target {
                    let Some((Some(next), _)) = self.item(self.at, &mut item) else {
                        return false;
                    };
                    self.changes.add_all();
                    for value in &item {
                        self.widths.insert(&[value.width]);
                        self.values.insert(&value.packed[..value.dtype.size()]);
                    }
                    self.in_place = false;
                    self.parsed += item.len();
                    self.items_parsed += 1;
                    self.items += 1;
                    self.at = next;
                }
                true
            }
        }
    }

    /// Leaves out the old items in so many bytes, when they end there.
    fn leave_out(&mut self, bytes: usize) -> bool {
        let cells = &self.form.cells;
        let (mut values, mut passed) = (0, 0);
        for (&width, cell) in self.widths.ahead().iter().zip(cells.iter().cycle()) {
            if passed >= bytes {
                break;
            }
            passed += usize::from(width) + cell.gap;
            values += 1;
        }
        let items = values / cells.len();
        if passed != bytes || items * cells.len() != values || values == self.widths.ahead().len() {
            return false;
        }
        self.in_place &= values == 0;
        self.changes.add_all();
        self.widths.skip(values);
        self.values.skip(items * self.form.stride);
        self.before += bytes;
        true
    }
}
