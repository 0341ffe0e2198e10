//! [`Edge`]: a start tag as it was, with holes for the values of its attributes.

use super::states::States;
use crate::reader::Reader;

/// A start tag that was parsed once: what in it is constant, and what it means.
#[derive(Debug, Clone)]
pub(crate) struct Edge {
    /// Each attribute with the bytes before its value, from the tag's `<` or the last value's closing quote.
    pub(crate) attributes: Box<[Hole]>,
    /// What follows the last value; all of the tag if there is none.
    pub(crate) last: Box<[u8]>,
    pub(crate) prefix_bytes: u32,
    pub(crate) name_bytes: u32,
    /// The automaton's number of the name's namespace.
    pub(crate) ns: u32,
    pub(crate) empty: bool,
    /// Whether it declares namespaces: then it is parsed each time, and only leads to its state.
    pub(crate) declares: bool,
}

/// An attribute whose value may be any.
#[derive(Debug, Clone)]
pub(crate) struct Hole {
    /// Up to and including the opening quote.
    pub(crate) before: Box<[u8]>,
    /// Where in it the name begins.
    pub(crate) name_at: u32,
    pub(crate) prefix_bytes: u32,
    pub(crate) name_bytes: u32,
    pub(crate) ns: u32,
    pub(crate) quote: u8,
}

impl Edge {
    /// The start tag that a reader has just read.
    pub(super) fn learn(reader: &Reader<'_>, states: &mut States) -> Option<Edge> {
        let (start, end) = (reader.token_start(), reader.position());
        let bytes = reader.input().as_bytes();
        let (whole, name) = reader.open_name()?;
        let mut from = start;
        let mut attributes = Vec::with_capacity(reader.attributes().len());
        for (i, attribute) in reader.attributes().iter().enumerate() {
            let at = reader.attribute_start(i)?;
            let name = attribute.name;
            let prefix_bytes = name.prefix.len();
            let name_bytes = name.local.len() + prefix_bytes + usize::from(prefix_bytes > 0);
            let (quote_at, quote) = opening_quote(bytes, at + name_bytes)?;
            attributes.push(Hole {
                before: bytes.get(from..=quote_at)?.into(),
                name_at: (at - from) as u32,
                prefix_bytes: prefix_bytes as u32,
                name_bytes: name_bytes as u32,
                ns: states.number(reader.uri(name.ns))?,
                quote,
            });
            from = quote_at + 1 + memchr::memchr(quote, bytes.get(quote_at + 1..end)?)? + 1;
        }
        Some(Edge {
            attributes: attributes.into(),
            last: bytes.get(from..end)?.into(),
            prefix_bytes: name.prefix.len() as u32,
            name_bytes: whole.len() as u32,
            ns: states.number(reader.uri(name.ns))?,
            empty: bytes.get(..end)?.ends_with(b"/>"),
            declares: !reader.declarations().is_empty(),
        })
    }

    /// Whether a tag that was found right is this one but for values.
    pub(super) fn is(&self, tag: &[u8]) -> bool {
        let mut rest = tag;
        for hole in &self.attributes {
            let behind = rest.strip_prefix(&*hole.before);
            let Some((behind, end)) = behind.and_then(|b| Some((b, memchr::memchr(hole.quote, b)?))) else {
                return false;
            };
            rest = behind.get(end + 1..).unwrap_or_default();
        }
        *rest == *self.last
    }

    /// The bytes that it begins with.
    pub(super) fn first(&self) -> &[u8] {
        self.attributes.first().map_or(&self.last, |hole| &hole.before)
    }

    /// Bytes of memory, roughly.
    pub(super) fn memory(&self) -> usize {
        let holes = self
            .attributes
            .iter()
            .map(|hole| size_of::<Hole>() + hole.before.len());
        size_of::<Edge>() + self.last.len() + holes.sum::<usize>()
    }
}

/// The quote that opens the value of an attribute whose name ends at `at`.
fn opening_quote(bytes: &[u8], at: usize) -> Option<(usize, u8)> {
    let rest = bytes.get(at..)?;
    let found = rest.iter().position(|b| matches!(b, b'"' | b'\''))?;
    Some((at + found, *rest.get(found)?))
}
