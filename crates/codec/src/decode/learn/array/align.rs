//! Items that came or went.

use castile_xml::{Shift, realign};

use super::progress::Stage;
use super::walk::{Next, Value, Walk};
use crate::decode::repeat::after;

/// Bytes that must be equal for two texts to be aligned again, and how far that is looked for.
const SAMPLE: usize = 64;
const WINDOW: usize = 32 << 10;

/// Bytes of a text that are looked at.
pub(super) const LOOKED: usize = WINDOW + SAMPLE;

impl Walk<'_, '_, '_> {
    /// Reads items that the old text does not have, after one that ends at `end`.
    pub(super) fn append(&mut self, mut end: usize) -> Next {
        let form = self.form;
        if self.waits(end, 0) {
            return Next::Waits(Stage::Append(end));
        }
        let gap = if end == self.on.from { &[] } else { form.gap() };
        let mut next =
            after(self.source.bytes, end, gap).and_then(|at| after(self.source.bytes, at, form.first));
        let mut item = Vec::with_capacity(form.cells.len());
        while self.on.items < form.most
            && let Some((behind, its_end)) = next.and_then(|at| self.item(at, &mut item))
        {
            item.drain(..).for_each(|value| self.put(value));
            self.on.items += 1;
            (end, next) = (its_end, behind);
            if self.waits(end, 0) {
                return Next::Waits(Stage::Append(end));
            }
        }
        Next::End(end)
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
                Next::Waits(_) => return None,
            };
        }
        Some((Some(at), at - self.form.first.len() - self.form.gap().len()))
    }

    /// Looks for the place where the texts are equal again, and goes there: past old items that are gone, or
    /// reading new ones that came between. False when there is none.
    pub(super) fn align(&mut self) -> bool {
        let (Some(old), Some(new)) = (
            self.old.bytes().get(self.on.before..),
            self.source.bytes.get(self.on.at..),
        ) else {
            return false;
        };
        let looked = old.len().min(WINDOW) + new.len().min(WINDOW);
        if self.on.fuel < looked {
            return false;
        }
        self.on.fuel -= looked;
        match realign(old, new, SAMPLE, WINDOW) {
            None => false,
            Some(Shift::Removed(bytes)) => self.leave_out(bytes),
            Some(Shift::Inserted(bytes)) => {
                let target = self.on.at + bytes;
                let mut item = Vec::with_capacity(self.form.cells.len());
                while self.on.at < target {
                    let Some((Some(next), _)) = self.item(self.on.at, &mut item) else {
                        return false;
                    };
                    self.on.changes.add_all();
                    for value in &item {
                        self.on.widths.insert(&[value.width]);
                        self.on.values.insert(&value.packed[..value.dtype.size()]);
                    }
                    self.on.in_place = false;
                    self.on.parsed += item.len();
                    self.on.items_parsed += 1;
                    self.on.items += 1;
                    self.on.at = next;
                }
                true
            }
        }
    }

    /// Leaves out the old items in so many bytes, when they end there.
    fn leave_out(&mut self, bytes: usize) -> bool {
        let cells = &self.form.cells;
        let (mut values, mut passed) = (0, 0);
        for (&width, cell) in self.on.widths.ahead().iter().zip(cells.iter().cycle()) {
            if passed >= bytes {
                break;
            }
            passed += usize::from(width) + cell.gap;
            values += 1;
        }
        let items = values / cells.len();
        if passed != bytes || items * cells.len() != values || values == self.on.widths.ahead().len() {
            return false;
        }
        self.on.in_place &= values == 0;
        self.on.changes.add_all();
        self.on.widths.skip(values);
        self.on.values.skip(items * self.form.stride);
        self.on.before += bytes;
        true
    }
}
