//! Items that came or went.

use castile_xml::{Shift, realign};

use super::super::splice::Splice;
use super::progress::Stage;
use super::walk::{Next, Walk};
use crate::decode::repeat::{after, end_of};

/// Bytes that must be equal for two texts to be aligned again, and how far that is looked for.
const SAMPLE: usize = 64;
const WINDOW: usize = 32 << 10;

/// Bytes of a text that are looked at.
pub(super) const LOOKED: usize = WINDOW + SAMPLE;

impl Walk<'_, '_, '_> {
    /// Reads items that the old text does not have, after one that ends at `end`.
    pub(super) fn append(&mut self, end: usize) -> Next {
        let take = |splice: &mut Splice| std::mem::take(splice).finish(usize::MAX);
        let (mut values, mut widths) = (take(&mut self.on.values), take(&mut self.on.widths));
        let before = widths.len();
        let next = self.append_to(&mut values, &mut widths, end);
        let parsed = widths.len() - before;
        self.on.parsed += parsed;
        self.on.items_parsed += parsed / self.form.cells.len();
        (self.on.values, self.on.widths) = (Splice::passed(values), Splice::passed(widths));
        next
    }

    fn append_to(&mut self, values: &mut Vec<u8>, widths: &mut Vec<u8>, mut end: usize) -> Next {
        let form = self.form;
        if self.waits(end, 0) {
            return Next::Waits(Stage::Append(end));
        }
        let gap = if end == self.on.from { &[] } else { form.gap() };
        let mut next =
            after(self.source.bytes, end, gap).and_then(|at| after(self.source.bytes, at, form.first));
        while self.on.items < form.most
            && let Some((behind, its_end)) = next.and_then(|at| self.item(at, values, widths))
        {
            self.on.items += 1;
            (end, next) = (its_end, behind);
            if self.waits(end, 0) {
                return Next::Waits(Stage::Append(end));
            }
        }
        Next::End(end)
    }

    /// Appends the values of the item whose first begins at `at`, and their widths; where that of the next begins, and
    /// where the item ends. `None`, and nothing is appended, when it is none that can be kept.
    fn item(
        &mut self,
        at: usize,
        values: &mut Vec<u8>,
        widths: &mut Vec<u8>,
    ) -> Option<(Option<usize>, usize)> {
        let whole = (values.len(), widths.len());
        let item = self.cells(at, values, widths);
        if item.is_none() {
            values.truncate(whole.0);
            widths.truncate(whole.1);
        }
        item
    }

    #[inline(always)]
    fn cells(
        &mut self,
        mut at: usize,
        values: &mut Vec<u8>,
        widths: &mut Vec<u8>,
    ) -> Option<(Option<usize>, usize)> {
        let (form, source) = (self.form, self.source);
        let (last, inner) = form.cells.split_last()?;
        for cell in inner {
            let end = source.push(cell, at, values)?;
            let next = end_of(cell.kernel, source.bytes, end, cell.follows)?;
            widths.push(self.width(next - cell.gap - at)?);
            at = next;
        }
        let end = source.push(last, at, values)?;
        let (next, text_end) = match end_of(last.kernel, source.bytes, end, &form.between) {
            Some(next) => (Some(next), next - last.gap),
            None => (
                None,
                end_of(last.kernel, source.bytes, end, last.follows)? - last.follows.len(),
            ),
        };
        widths.push(self.width(text_end - at)?);
        Some((next, text_end + last.follows.len()))
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
                let (mut values, mut widths) = (Vec::new(), Vec::new());
                while self.on.at < target {
                    let Some((Some(next), _)) = self.item(self.on.at, &mut values, &mut widths) else {
                        return false;
                    };
                    self.on.changes.add_all();
                    self.on.parsed += widths.len();
                    self.on.widths.insert(&widths);
                    self.on.values.insert(&values);
                    widths.clear();
                    values.clear();
                    self.on.in_place = false;
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
