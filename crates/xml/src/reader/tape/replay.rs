//! Tokens whose bytes were read before, with the same elements open: handed out again, and not read.
//!
//! Who calls has compared the bytes. `None` changes nothing: the token has to be read.

use std::borrow::Cow;

use super::{Entry, Kind, before_prefix};
use crate::reader::{Open, Reader, State};
use crate::token::{Attribute, Name, Token};

impl<'a> Reader<'a> {
    /// The text that ends at `end`.
    #[inline]
    pub(crate) fn text_again(&mut self, end: usize) -> Option<Token<'a>> {
        let text = self.input.get(self.at..end)?;
        self.token_start = self.at;
        self.at = end;
        self.state = State::Content;
        Some(Token::Text(Cow::Borrowed(text)))
    }

    /// The end of the innermost element, whose tag ends at `end`.
    #[inline]
    pub(crate) fn end_again(&mut self, end: usize) -> Option<Token<'a>> {
        let open = self.open.pop()?;
        Some(self.leave(open, end))
    }

    /// A start tag.
    #[inline]
    pub(crate) fn start_again(&mut self, tag: &Entry, values: &[Entry]) -> Option<Token<'a>> {
        let (whole, prefix, local) = parts(self.input, self.at + 1, tag)?;
        let outside = self.namespaces.mark();
        self.tag.clear();
        if !values.is_empty() && self.values_again(values).is_none() {
            self.namespaces.leave(outside);
            return None;
        }
        let name = Name {
            prefix,
            local,
            ns: self.namespaces.at_place(tag.binding),
        };
        self.open.push(Open { name, whole, outside });
        let empty = tag.is_empty();
        self.state = match empty {
            true => State::StartedEmpty,
            false => State::Started,
        };
        self.token_start = self.at;
        self.at += tag.bytes as usize;
        Some(Token::Start { name, empty })
    }

    /// Declarations and attributes of the tag that begins here.
    fn values_again(&mut self, values: &[Entry]) -> Option<()> {
        let declared = values.partition_point(|value| value.kind == Kind::Declaration);
        let (declarations, attributes) = values.split_at_checked(declared)?;
        for entry in declarations {
            let start = self.at + usize::from(entry.at);
            let prefix_bytes = usize::from(entry.local_bytes);
            let from = start + before_prefix(prefix_bytes);
            let prefix = self.input.get(from..from + prefix_bytes)?;
            let value = from + prefix_bytes + usize::from(entry.gap);
            let uri = self.input.get(value..value + entry.bytes as usize)?;
            let ns = self.namespaces.number(Cow::Borrowed(uri));
            self.tag.declared.push((prefix, ns));
        }
        if declared > 0 {
            self.namespaces.enter(&self.tag.declared);
        }
        for entry in attributes {
            let start = self.at + usize::from(entry.at);
            let (whole, prefix, local) = parts(self.input, start, entry)?;
            let value = start + whole.len() + usize::from(entry.gap);
            let value = Cow::Borrowed(self.input.get(value..value + entry.bytes as usize)?);
            let ns = self.namespaces.at_place(entry.binding);
            let name = Name { prefix, local, ns };
            self.tag.attributes.push(Attribute { name, value });
            self.tag.attribute_starts.push(start);
        }
        Some(())
    }
}

/// The name that begins at `at`: whole, prefix and local part.
#[inline(always)]
fn parts<'a>(input: &'a str, at: usize, entry: &Entry) -> Option<(&'a str, &'a str, &'a str)> {
    let whole = input.get(at..at + entry.name_bytes())?;
    match usize::from(entry.prefix_bytes) {
        0 => Some((whole, "", whole)),
        prefix => Some((whole, whole.get(..prefix)?, whole.get(prefix + 1..)?)),
    }
}
