//! Arrays whose items go to the sink one by one: texts, and records of single values.

use std::borrow::Cow;
use std::sync::Arc;

use castile_lexical as lexical;
use castile_value::{Scalar, Shape, Sink, Slot};

use super::super::Decoder;
use super::pattern::{Kernel, Pattern};
use super::{after, after_space, number};

impl<'a> Decoder<'a, '_> {
    /// Passes on as many values as follow and are like the pattern, at most `left`.
    pub(super) fn texts(&mut self, pattern: &Pattern<'a>, left: u32, slot: Slot, sink: &mut dyn Sink) -> u32 {
        self.each_value(pattern, left, |scalar| sink.scalar(slot, scalar))
    }

    /// Hands over as many values as follow and are like the pattern, at most `left`.
    #[inline]
    pub(super) fn each_value(
        &mut self,
        pattern: &Pattern<'a>,
        left: u32,
        mut take: impl FnMut(Scalar<'a>),
    ) -> u32 {
        let [cell] = &pattern.values[..] else { return 0 };
        let input = self.reader.input().as_bytes();
        let mut position = self.reader.position();
        let mut count = 0;
        while count < left {
            let start = after(input, position, pattern.gap).and_then(|at| after(input, at, cell.before));
            let Some((scalar, end)) = start.and_then(|at| self.value(cell.kernel, at)) else {
                break;
            };
            let Some(end) = end_of(cell.kernel, input, end, pattern.close) else {
                break;
            };
            take(scalar);
            position = end;
            count += 1;
        }
        self.reader.skip_to(position);
        count
    }

    /// The same for records.
    pub(super) fn records(
        &mut self,
        pattern: &Pattern<'a>,
        left: u32,
        slot: Slot,
        shape: &Arc<Shape>,
        sink: &mut dyn Sink,
    ) -> u32 {
        let mut scalars = Vec::with_capacity(pattern.values.len());
        let mut position = self.reader.position();
        let mut count = 0;
        while count < left {
            scalars.clear();
            let Some(end) = self.item(pattern, position, &mut scalars) else {
                break;
            };
            sink.record(slot, shape, &mut scalars);
            position = end;
            count += 1;
        }
        self.reader.skip_to(position);
        count
    }

    /// The values of one item at `at`, and where it ends; `None` when it is not like the pattern.
    fn item(&self, pattern: &Pattern<'a>, at: usize, out: &mut Vec<(u32, Scalar<'a>)>) -> Option<usize> {
        let input = self.reader.input().as_bytes();
        let mut at = after(input, at, pattern.gap)?;
        let mut last = Kernel::Text;
        for cell in &pattern.values {
            at = end_of(last, input, at, cell.before)?;
            let (scalar, end) = self.value(cell.kernel, at)?;
            out.push((cell.field, scalar));
            at = end;
            last = cell.kernel;
        }
        end_of(last, input, at, pattern.close)
    }

    /// The value at `at`, and where it ends.
    #[inline(always)]
    fn value(&self, kernel: Kernel, at: usize) -> Option<(Scalar<'a>, usize)> {
        let text = self.reader.input();
        let input = text.as_bytes();
        Some(match kernel {
            Kernel::F64 => number(input, at, lexical::prefix_f64).map(|(v, end)| (Scalar::Double(v), end))?,
            Kernel::F32 => number(input, at, lexical::prefix_f32).map(|(v, end)| (Scalar::Float(v), end))?,
            Kernel::Bool => number(input, at, lexical::prefix_bool).map(|(v, end)| (Scalar::Bool(v), end))?,
            Kernel::F64In(least, greatest) => {
                let found = number(input, at, lexical::prefix_f64);
                let (v, end) = found.filter(|(v, _)| (least..=greatest).contains(v))?;
                (Scalar::Double(v), end)
            }
            Kernel::F32In(least, greatest) => {
                let found = number(input, at, lexical::prefix_f32);
                let (v, end) = found.filter(|(v, _)| (least..=greatest).contains(&f64::from(*v)))?;
                (Scalar::Float(v), end)
            }
            Kernel::U64 => {
                let (v, end) = number(input, at, lexical::prefix_u64)?;
                (i64::try_from(v).map_or(Scalar::UInt(v), Scalar::Int), end)
            }
            Kernel::Int { least, greatest } => {
                let found = number(input, at, lexical::prefix_i64);
                let (v, end) = found.filter(|(v, _)| (least..=greatest).contains(v))?;
                (Scalar::Int(v), end)
            }
            Kernel::Text => {
                let end = at + plain_text(input.get(at..)?)?;
                (Scalar::Text(Cow::Borrowed(text.get(at..end)?)), end)
            }
            Kernel::Other(id) => {
                let end = at + plain_text(input.get(at..)?)?;
                (
                    self.scalar(&self.reader, id, Cow::Borrowed(text.get(at..end)?), at)
                        .ok()?,
                    end,
                )
            }
        })
    }
}

/// The place after what must follow a value. White space after a number belongs to no value; text
/// was read up to the tag.
#[inline(always)]
fn end_of(kernel: Kernel, input: &[u8], at: usize, expected: &[u8]) -> Option<usize> {
    match kernel {
        Kernel::Text | Kernel::Other(_) => after(input, at, expected),
        _ => after_space(input, at, expected),
    }
}

/// The length of text up to the next tag, when it is text as it stands: no reference, no carriage
/// return, and nothing that is not well-formed.
#[inline]
fn plain_text(bytes: &[u8]) -> Option<usize> {
    let end = memchr::memchr2(b'<', b'&', bytes)?;
    let text = &bytes[..end];
    let suspect = |b: u8| ((b < 0x20) & (b != b'\n') & (b != b'\t')) | (b == b']') | (b == 0xEF);
    let clean = !text.iter().fold(false, |any, &b| any | suspect(b)) || well_formed(text);
    (bytes[end] == b'<' && clean).then_some(end)
}

/// Whether text that holds something suspicious is all right: no control character, no `]]>`, no
/// U+FFFE or U+FFFF.
#[cold]
fn well_formed(text: &[u8]) -> bool {
    let control = |b: &u8| *b < 0x20 && *b != b'\n' && *b != b'\t';
    !text.iter().any(control)
        && !text
            .windows(3)
            .any(|w| matches!(w, b"]]>" | [0xEF, 0xBF, 0xBE] | [0xEF, 0xBF, 0xBF]))
}

#[cfg(test)]
mod tests {
    use super::plain_text;

    #[test]
    fn plain_text_is_what_needs_no_second_look() {
        for (text, length) in [
            ("<", Some(0)),
            ("abc<", Some(3)),
            ("a\n\tb<", Some(4)),
            ("a\rb<", None),
            ("a&amp;<", None),
            ("abc", None),
            ("", None),
            ("]] ><", Some(4)),
            ("]]><", None),
            ("]]<", Some(2)),
            ("\u{FFFD}\u{F900}<", Some(6)),
            ("\u{FFFE}<", None),
            ("\u{FFFF}<", None),
            ("\u{1}<", None),
            ("long enough to be more than one vector wide \u{1F600}<", Some(48)),
        ] {
            assert_eq!(plain_text(text.as_bytes()), length, "{text:?}");
        }
    }
}
