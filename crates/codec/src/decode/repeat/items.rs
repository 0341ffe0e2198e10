//! Arrays whose items go to the sink one by one: texts, and records of single values.

use std::borrow::Cow;
use std::sync::Arc;

use castile_lexical as lexical;
use castile_plan::{ComplexId, SimpleId};
use castile_value::typed::LinesIn;
use castile_value::{Packed, RowLayout, Scalar, Sink, Slot};
use castile_xml::like::plain_text;
use castile_xml::{Limits, character_data};

use super::super::Decoder;
use super::pattern::{Kernel, Pattern};
use super::{Ground, after, after_space, number};
use crate::scalar::parse;

/// Most items handed over at once.
const SOME: usize = 256;

impl<'a, 'p> Decoder<'a, 'p> {
    /// Passes on as many values as follow and are like the pattern, at most `left`.
    pub(super) fn values(
        &mut self,
        pattern: &Pattern<'_>,
        left: u32,
        slot: Slot,
        sink: &mut dyn Sink,
    ) -> u32 {
        let ground = self.ground();
        let are_texts = matches!(&pattern.values[..], [cell] if matches!(cell.kernel, Kernel::Text));
        let (mut count, mut at) = (0, self.reader.position());
        let mut texts = Vec::with_capacity(if are_texts { SOME } else { 0 });
        loop {
            while are_texts
                && let (some @ 1.., end) = ground.some_texts(pattern, at, left - count, &mut texts)
            {
                sink.texts(slot, &texts);
                texts.clear();
                (count, at) = (count + some, end);
            }
            // All of them, or one text that needs a second look, such as one with a reference.
            let most = if are_texts { 1 } else { u32::MAX };
            let give = |scalar| sink.scalar(slot, scalar);
            let (more, end) = ground.each_value(pattern, at, (left - count).min(most), give);
            (count, at) = (count + more, end);
            if more == 0 || !are_texts {
                self.reader.skip_to(at);
                return count;
            }
        }
    }

    /// How records of a type that are like the pattern are packed, if they can be.
    pub(super) fn packed_layout(&self, id: ComplexId, pattern: &Pattern<'_>) -> Option<&'p Arc<RowLayout>> {
        let layout = self.types.packed_layout(id);
        layout.filter(|layout| pattern.is_like(layout))
    }

    /// Passes on as many records of a type as follow and are like the pattern, packed where they have a layout.
    pub(super) fn records(
        &mut self,
        pattern: &Pattern<'_>,
        left: u32,
        slot: Slot,
        id: ComplexId,
        layout: Option<&Arc<RowLayout>>,
        sink: &mut dyn Sink,
    ) -> u32 {
        let (types, ground) = (self.types, self.ground());
        let mut packed = None;
        let mut at = self.reader.position();
        let mut count = 0;
        loop {
            if let Some(layout) = layout {
                let lines = ground.lines(pattern, at, left - count, layout);
                let (more, end) = sink.read_lines(slot, &lines).unwrap_or_else(|| {
                    let packed = packed.get_or_insert_with(|| Packed::new(layout.clone()));
                    let (more, end) = ground.pack(pattern, at, (left - count).min(SOME as u32), packed);
                    if more > 0 {
                        sink.packed(slot, packed);
                        packed.truncate(0);
                    }
                    (more, end)
                });
                if more > 0 {
                    (count, at) = (count + more, end);
                    continue;
                }
            }
            // All of them, or one that cannot be packed, such as one with a reference in a text.
            let most = if layout.is_some() { 1 } else { u32::MAX };
            let give = |scalars: &mut _| sink.record(slot, types.shape(id), scalars);
            let (more, end) = ground.each_record(pattern, at, (left - count).min(most), give);
            (count, at) = (count + more, end);
            if more == 0 || layout.is_none() {
                self.reader.skip_to(at);
                return count;
            }
        }
    }
}

/// Hands over the texts that were gathered.
pub(in super::super) fn give(texts: &mut Vec<&str>, slot: Slot, sink: &mut dyn Sink) {
    if !texts.is_empty() {
        sink.texts(slot, texts);
        texts.clear();
    }
}

impl<'a> Ground<'_, 'a> {
    /// The records at `at` for a sink that reads them itself.
    pub(super) fn lines<'l>(
        &'l self,
        pattern: &'l Pattern<'_>,
        at: usize,
        left: u32,
        layout: &'l RowLayout,
    ) -> LinesIn<'l> {
        LinesIn {
            text: self.input,
            at,
            left,
            layout,
            gap: pattern.gap,
            cells: pattern,
            close: pattern.close,
        }
    }

    /// Gathers as many texts as stand at `at`, are like the pattern and need no second look, at most `left` and [`SOME`].
    /// Gives their number and where they end.
    fn some_texts(
        self,
        pattern: &Pattern<'_>,
        at: usize,
        left: u32,
        texts: &mut Vec<&'a str>,
    ) -> (u32, usize) {
        let [cell] = &pattern.values[..] else {
            return (0, at);
        };
        let input = self.input.as_bytes();
        // What stands between two texts is compared at once.
        let opening = [pattern.gap, cell.before].concat();
        let between = [pattern.close, &opening].concat();
        let text_at = |start: usize| {
            let text = start..start + plain_text(input.get(start..)?)?;
            let (end, next) = match after(input, text.end, &between) {
                Some(next) => (next - opening.len(), Some(next)),
                None => (after(input, text.end, pattern.close)?, None),
            };
            Some((self.input.get(text)?, end, next))
        };
        let (mut position, most) = (at, SOME.min(left as usize));
        let mut next = after(input, at, &opening);
        while texts.len() < most
            && let Some((text, end, behind)) = next.and_then(text_at)
        {
            texts.push(text);
            (position, next) = (end, behind);
        }
        (texts.len() as u32, position)
    }

    /// Hands over as many values as stand at `at` and are like the pattern, at most `left`. Gives their
    /// number and where they end.
    #[inline]
    pub(in super::super) fn each_value(
        self,
        pattern: &Pattern<'_>,
        at: usize,
        left: u32,
        mut take: impl FnMut(Scalar<'a>),
    ) -> (u32, usize) {
        let [cell] = &pattern.values[..] else {
            return (0, at);
        };
        let input = self.input.as_bytes();
        let mut position = at;
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
        (count, position)
    }

    /// The same for records, each the values of its fields.
    pub(in super::super) fn each_record(
        self,
        pattern: &Pattern<'_>,
        at: usize,
        left: u32,
        mut take: impl FnMut(&mut Vec<(u32, Scalar<'a>)>),
    ) -> (u32, usize) {
        let mut scalars = Vec::with_capacity(pattern.values.len());
        let mut position = at;
        let mut count = 0;
        while count < left {
            scalars.clear();
            let Some(end) = self.item(pattern, position, &mut scalars) else {
                break;
            };
            take(&mut scalars);
            position = end;
            count += 1;
        }
        (count, position)
    }

    /// The values of one item at `at`, and where it ends; `None` when it is not like the pattern.
    fn item(self, pattern: &Pattern<'_>, at: usize, out: &mut Vec<(u32, Scalar<'a>)>) -> Option<usize> {
        let input = self.input.as_bytes();
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

    /// The value at `at`, and where it ends; `None` when it has to be looked at more closely.
    #[inline(always)]
    pub(in super::super) fn value(self, kernel: Kernel, at: usize) -> Option<(Scalar<'a>, usize)> {
        let text = self.input;
        let input = text.as_bytes();
        Some(match kernel {
            Kernel::Text => {
                let (found, end) = self.text(at)?;
                (Scalar::Text(found), end)
            }
            Kernel::Other(id) => {
                let (found, end) = self.text(at)?;
                (self.of_type(id, found)?, end)
            }
            Kernel::Attribute(id, quote) => {
                let rest = input.get(at..)?;
                let end = at + plain_value(rest, quote)?;
                (self.of_type(id, Cow::Borrowed(text.get(at..end)?))?, end)
            }
            number => return plain_number(number, input, at),
        })
    }

    /// The text at `at` up to the next tag.
    #[inline(always)]
    pub(in super::super) fn text(self, at: usize) -> Option<(Cow<'a, str>, usize)> {
        match plain_text(self.input.as_bytes().get(at..)?) {
            Some(length) => Some((Cow::Borrowed(self.input.get(at..at + length)?), at + length)),
            None => self.unusual_text(at),
        }
    }

    /// Text with references in it, say.
    #[cold]
    fn unusual_text(self, at: usize) -> Option<(Cow<'a, str>, usize)> {
        character_data(self.input, at, &Limits::default()).ok()
    }

    /// A text as a value of a type without names.
    fn of_type(self, id: SimpleId, text: Cow<'a, str>) -> Option<Scalar<'a>> {
        parse(self.types, id, text, &|_| None, self.strict).ok()
    }
}

/// The number at `at` of a kernel that [reads numbers](Kernel::is_plain_number), and where it ends.
#[inline(always)]
pub(in super::super) fn plain_number<'a>(
    kernel: Kernel,
    input: &[u8],
    at: usize,
) -> Option<(Scalar<'a>, usize)> {
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
        Kernel::Text | Kernel::Other(_) | Kernel::Attribute(..) => return None,
    })
}

/// The place after what must follow a value. White space after a number belongs to no value; text
/// was read up to the tag.
#[inline(always)]
pub(in super::super) fn end_of(kernel: Kernel, input: &[u8], at: usize, expected: &[u8]) -> Option<usize> {
    match kernel {
        Kernel::Text | Kernel::Other(_) | Kernel::Attribute(..) => after(input, at, expected),
        _ => after_space(input, at, expected),
    }
}

/// The length of an attribute's value up to its quote, when it is its text as it stands: no reference, no white
/// space but blanks, and nothing that is not well-formed.
pub(in super::super) fn plain_value(bytes: &[u8], quote: u8) -> Option<usize> {
    let end = memchr::memchr(quote, bytes)?;
    let value = bytes.get(..end)?;
    let suspect = |b: u8| (b < 0x20) | (b == b'<') | (b == b'&') | (b == 0xEF);
    (!value.iter().fold(false, |any, &b| any | suspect(b))).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::plain_value;

    #[test]
    fn a_plain_value_ends_at_its_quote() {
        for (value, length) in [
            ("\"", Some(0)),
            ("it's 5 > 4\" b=\"", Some(10)),
            ("a&amp;\"", None),
            ("a<\"", None),
            ("a\tb\"", None),
            ("a\nb\"", None),
            ("\u{FFFE}\"", None),
            ("abc'", None),
        ] {
            assert_eq!(plain_value(value.as_bytes(), b'"'), length, "{value:?}");
        }
    }
}
