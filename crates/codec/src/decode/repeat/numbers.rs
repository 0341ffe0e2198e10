//! Arrays of numbers.

use castile_lexical as lexical;
use castile_value::ColumnBuf;

use super::super::Decoder;
use super::pattern::{Kernel, Pattern};
use super::{Ground, after, after_space, number};
use crate::scalar::push;

impl Decoder<'_, '_> {
    /// Appends as many numbers as follow and are like the pattern, at most `left`.
    pub(super) fn numbers(&mut self, pattern: &Pattern<'_>, left: u32, column: &mut ColumnBuf) -> u32 {
        let at = self.reader.position();
        let (count, end) = self.ground().numbers(pattern, at, left, column);
        self.reader.skip_to(end);
        count
    }
}

impl Ground<'_, '_> {
    /// Appends as many numbers as stand at `at` and are like the pattern, at most `left`. Gives their
    /// number and where they end.
    pub(in super::super) fn numbers(
        self,
        pattern: &Pattern<'_>,
        at: usize,
        left: u32,
        column: &mut ColumnBuf,
    ) -> (u32, usize) {
        let [cell] = &pattern.values[..] else {
            return (0, at);
        };
        let mut items = Items {
            input: self.input.as_bytes(),
            at,
            left,
            gap: pattern.gap,
            open: cell.before,
            close: pattern.close,
        };
        let count = match (column, cell.kernel) {
            (ColumnBuf::F64(c), Kernel::F64) => items.each(lexical::prefix_f64, |v| c.push(v)),
            (ColumnBuf::F64(c), Kernel::F64In(least, greatest)) => items.each(
                |text| lexical::prefix_f64(text).filter(|(v, _)| (least..=greatest).contains(v)),
                |v| c.push(v),
            ),
            (ColumnBuf::F32(c), Kernel::F32) => items.each(lexical::prefix_f32, |v| c.push(v)),
            (ColumnBuf::F32(c), Kernel::F32In(least, greatest)) => items.each(
                |text| lexical::prefix_f32(text).filter(|(v, _)| (least..=greatest).contains(&f64::from(*v))),
                |v| c.push(v),
            ),
            (ColumnBuf::Bool(c), Kernel::Bool) => items.each(lexical::prefix_bool, |v| c.push(v)),
            (ColumnBuf::U64(c), Kernel::U64) => items.each(lexical::prefix_u64, |v| c.push(v)),
            (
                ColumnBuf::I64(c),
                Kernel::Int {
                    least: i64::MIN,
                    greatest: i64::MAX,
                },
            ) => items.each(lexical::prefix_i64, |v| c.push(v)),
            (other, Kernel::Int { least, greatest }) => {
                let fits =
                    |text: &[u8]| lexical::prefix_i64(text).filter(|(v, _)| (least..=greatest).contains(v));
                match other {
                    ColumnBuf::I64(c) => items.each(fits, |v| c.push(v)),
                    ColumnBuf::I32(c) => items.each(fits, |v| c.push(v as i32)),
                    ColumnBuf::U32(c) => items.each(fits, |v| c.push(v as u32)),
                    ColumnBuf::I16(c) => items.each(fits, |v| c.push(v as i16)),
                    ColumnBuf::U16(c) => items.each(fits, |v| c.push(v as u16)),
                    ColumnBuf::I8(c) => items.each(fits, |v| c.push(v as i8)),
                    ColumnBuf::U8(c) => items.each(fits, |v| c.push(v as u8)),
                    _ => 0,
                }
            }
            (other, _) => return self.each_value(pattern, at, left, |scalar| push(other, &scalar)),
        };
        (count, items.at)
    }
}

/// Items with one value each.
struct Items<'a> {
    input: &'a [u8],
    /// The end of the last item.
    at: usize,
    left: u32,
    gap: &'a [u8],
    open: &'a [u8],
    close: &'a [u8],
}

impl Items<'_> {
    #[inline(always)]
    fn each<T>(&mut self, prefix: impl Fn(&[u8]) -> Option<(T, usize)>, mut push: impl FnMut(T)) -> u32 {
        let Items {
            input,
            gap,
            open,
            close,
            ..
        } = *self;
        // What stands between two values is compared at once.
        let between = [close, gap, open].concat();
        let head = gap.len() + open.len();
        let Some(start) = after(input, self.at, gap).and_then(|at| after(input, at, open)) else {
            return 0;
        };
        let mut at = start;
        let mut count = 0;
        while count < self.left {
            let Some((value, end)) = number(input, at, &prefix) else {
                break;
            };
            if let Some(next) = after_space(input, end, &between) {
                push(value);
                count += 1;
                self.at = next - head;
                at = next;
                continue;
            }
            if let Some(end) = after_space(input, end, close) {
                push(value);
                count += 1;
                self.at = end;
            }
            break;
        }
        count
    }
}
