//! [`Wild`]: an element that is kept as XML, with holes for its texts and the values of its attributes.

use std::ops::Range;

use super::markup::is_markup_from;
use crate::decode::repeat::{Ground, after, plain_value};

/// An element that a wildcard admitted: its tags are constant, what they hold is not.
///
/// A text is a hole only where an element has nothing else, and so is the value of every attribute but those that
/// may say what type an element is of or that it is nil.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wild {
    /// The bytes before each hole, and what the hole is.
    holes: Vec<(Box<[u8]>, Hole)>,
    close: Box<[u8]>,
    /// The declarations that are added to its start tag, so that it can stand alone, and after how many bytes.
    declarations: Box<str>,
    name_end: usize,
}

/// What may be anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hole {
    /// Text up to the next tag.
    Text,
    /// The value of an attribute up to this quote.
    Value(u8),
}

impl Wild {
    /// The element that lay at `span`, and was given as `text`. `None` for one with comments, instructions or
    /// sections: it is a constant.
    pub(super) fn new(input: &[u8], span: Range<usize>, text: &str) -> Option<Wild> {
        let raw = input.get(span)?;
        let name_end = raw
            .iter()
            .position(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'/' | b'>'))?;
        let declarations = text.get(name_end..name_end + text.len().checked_sub(raw.len())?)?;
        let mut scan = Scan {
            raw,
            at: 0,
            from: 0,
            holes: Vec::new(),
        };
        scan.element()?;
        let Scan { holes, from, .. } = scan;
        Some(Wild {
            holes,
            close: raw.get(from..)?.into(),
            declarations: declarations.into(),
            name_end,
        })
    }

    /// Where an element like this that begins at `at` ends.
    pub(super) fn end(&self, ground: Ground<'_, '_>, at: usize) -> Option<usize> {
        let input = ground.input.as_bytes();
        let mut at = at;
        for (before, hole) in &self.holes {
            at = after(input, at, before)?;
            at = match hole {
                Hole::Text => ground.text(at)?.1,
                Hole::Value(quote) => at + plain_value(input.get(at..)?, *quote)?,
            };
        }
        after(input, at, &self.close)
    }

    /// The element as XML that can stand alone.
    pub(super) fn told(&self, raw: &str) -> String {
        let (name, rest) = raw.split_at_checked(self.name_end).unwrap_or((raw, ""));
        [name, &self.declarations, rest].concat()
    }

    /// How many bytes are added to the element.
    pub(super) fn added(&self) -> usize {
        self.declarations.len()
    }

    /// Whether any of its constants says more than names.
    pub(super) fn is_private(&self) -> bool {
        let mut inside = false;
        let before_holes = self.holes.iter().any(|(before, hole)| {
            let was_inside = std::mem::replace(&mut inside, matches!(hole, Hole::Value(_)));
            // The name of the hole's attribute, an equals sign and a quote.
            let opening = if inside { 2 } else { 0 };
            let end = before.len().saturating_sub(opening);
            !is_markup_from(was_inside, before.get(..end).unwrap_or_default())
        });
        before_holes || !is_markup_from(inside, &self.close)
    }

    /// Bytes of memory, roughly.
    pub(super) fn bytes(&self) -> usize {
        let holes = self.holes.iter().map(|(before, _)| before.len() + 32);
        holes.sum::<usize>() + self.close.len() + self.declarations.len()
    }
}

/// Looks for holes in an element that was found to be well-formed.
struct Scan<'r> {
    raw: &'r [u8],
    at: usize,
    /// Where the last hole ended.
    from: usize,
    holes: Vec<(Box<[u8]>, Hole)>,
}

impl Scan<'_> {
    fn element(&mut self) -> Option<()> {
        let mut depth = 0usize;
        loop {
            let next = self.raw.get(self.at + 1)?;
            match next {
                b'!' | b'?' => return None,
                b'/' => {
                    self.at += memchr::memchr(b'>', self.raw.get(self.at..)?)? + 1;
                    depth = depth.checked_sub(1)?;
                }
                _ => {
                    if !self.start_tag()? {
                        depth += 1;
                        self.leaf()?;
                    }
                }
            }
            if depth == 0 {
                return (self.at == self.raw.len()).then_some(());
            }
            self.at += memchr::memchr(b'<', self.raw.get(self.at..)?)?;
        }
    }

    /// Passes a start tag; whether it is an empty element's.
    fn start_tag(&mut self) -> Option<bool> {
        let mut name_from = self.at;
        loop {
            match self.raw.get(self.at)? {
                b'>' => {
                    let empty = self.raw.get(self.at - 1) == Some(&b'/');
                    self.at += 1;
                    return Some(empty);
                }
                quote @ (b'"' | b'\'') => {
                    let value_from = self.at + 1;
                    let length = memchr::memchr(*quote, self.raw.get(value_from..)?)?;
                    if is_free(self.raw.get(name_from..self.at)?) {
                        self.hole(value_from..value_from + length, Hole::Value(*quote))?;
                    }
                    self.at = value_from + length + 1;
                    name_from = self.at;
                }
                _ => self.at += 1,
            }
        }
    }

    /// After a start tag: the text of an element that has nothing else.
    fn leaf(&mut self) -> Option<()> {
        let length = memchr::memchr(b'<', self.raw.get(self.at..)?)?;
        if self.raw.get(self.at + length + 1) == Some(&b'/') {
            self.hole(self.at..self.at + length, Hole::Text)?;
        }
        Some(())
    }

    fn hole(&mut self, place: Range<usize>, hole: Hole) -> Option<()> {
        self.holes
            .push((self.raw.get(self.from..place.start)?.into(), hole));
        self.from = place.end;
        Some(())
    }
}

/// Whether an attribute's value may be any. `before` ends with its name and an equals sign.
fn is_free(before: &[u8]) -> bool {
    let trimmed = before.trim_ascii();
    let before_equals = trimmed.strip_suffix(b"=").unwrap_or(trimmed).trim_ascii_end();
    let name = before_equals.rsplit(|b| castile_lexical::is_xml_space(*b)).next();
    let name = name.unwrap_or_default();
    let local = name.rsplit(|b| *b == b':').next().unwrap_or_default();
    !name.starts_with(b"xmlns") && !matches!(local, b"type" | b"nil")
}
