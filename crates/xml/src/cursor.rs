//! A place in the text, and the small scans that everything above is made of. A scan moves only its
//! own copy of the cursor; the reader takes the place over when the whole token is right.

use crate::chars;
use crate::error::{Error, Kind};
use crate::limits::Limits;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    pub(crate) input: &'a str,
    pub(crate) at: usize,
}

/// A name as written, taken apart at its colon.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RawName<'a> {
    pub(crate) start: usize,
    pub(crate) whole: &'a str,
    pub(crate) prefix: &'a str,
    pub(crate) local: &'a str,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.input.as_bytes()
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    #[inline]
    pub(crate) fn peek_second(&self) -> Option<u8> {
        self.bytes().get(self.at + 1).copied()
    }

    /// The text between two offsets. They lie at ASCII characters that were just looked at, so the
    /// range is good; `get` states it without a panic.
    #[inline]
    pub(crate) fn slice(&self, from: usize, to: usize) -> &'a str {
        self.input.get(from..to).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn since(&self, from: usize) -> &'a str {
        self.slice(from, self.at)
    }

    #[inline]
    pub(crate) fn rest(&self) -> &'a str {
        self.slice(self.at, self.input.len())
    }

    #[inline]
    pub(crate) fn starts_with(&self, expected: &str) -> bool {
        self.bytes()
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(expected.as_bytes()))
    }

    /// Passes `expected` if it comes next.
    #[inline]
    pub(crate) fn eat(&mut self, expected: &str) -> bool {
        let found = self.starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    /// Passes white space; true if there was any.
    #[inline]
    pub(crate) fn eat_space(&mut self) -> bool {
        let from = self.at;
        while self.peek().is_some_and(chars::is_space) {
            self.at += 1;
        }
        self.at > from
    }

    /// Passes an equals sign with white space around it (production 25 Eq).
    pub(crate) fn eat_eq(&mut self, inside: &'static str) -> Result<(), Error> {
        self.eat_space();
        match self.peek() {
            Some(b'=') => self.at += 1,
            Some(_) => return Err(Error::not_well_formed(self.at, "expected =", "3.1")),
            None => return Err(Error::end(self.at, inside)),
        }
        self.eat_space();
        Ok(())
    }

    /// Passes an opening quote and gives it.
    pub(crate) fn eat_quote(&mut self, inside: &'static str) -> Result<u8, Error> {
        match self.peek() {
            Some(quote @ (b'"' | b'\'')) => {
                self.at += 1;
                Ok(quote)
            }
            Some(_) => Err(Error::not_well_formed(self.at, "expected a quoted value", "2.3")),
            None => Err(Error::end(self.at, inside)),
        }
    }

    /// Passes a name (production 5) of at most `name_bytes_max`. No document ends in a name: one that
    /// reaches the end of the text is cut off.
    pub(crate) fn name(&mut self, limits: &Limits, inside: &'static str) -> Result<&'a str, Error> {
        let rest = self.rest();
        let length = chars::name_length(rest);
        if length == 0 || length >= rest.len() || length > limits.name_bytes_max as usize {
            return Err(self.no_name(length, limits, inside));
        }
        self.at += length;
        Ok(rest.get(..length).unwrap_or_default())
    }

    #[cold]
    fn no_name(&self, length: usize, limits: &Limits, inside: &'static str) -> Error {
        match self.rest().chars().next() {
            _ if length > limits.name_bytes_max as usize => {
                Error::limit(self.at, "name_bytes_max", limits.name_bytes_max.into())
            }
            _ if length == self.rest().len() => Error::end(self.input.len(), inside),
            Some(c) if !chars::is_char(c) => Error::new(Kind::Character(c), self.at),
            _ => Error::not_well_formed(self.at, "expected a name", "2.3"),
        }
    }

    /// Passes a name with at most one colon, and that inside it (Namespaces, production 7 QName).
    #[inline]
    pub(crate) fn qname(&mut self, limits: &Limits, inside: &'static str) -> Result<RawName<'a>, Error> {
        let start = self.at;
        let whole = self.name(limits, inside)?;
        let Some(colon) = whole.bytes().position(|b| b == b':') else {
            return Ok(RawName {
                start,
                whole,
                prefix: "",
                local: whole,
            });
        };
        let prefix = whole.get(..colon).unwrap_or_default();
        let local = whole.get(colon + 1..).unwrap_or_default();
        if prefix.is_empty() || !chars::is_ncname(local) {
            return Err(Error::namespace(start, "not a qualified name", whole, "NS 4"));
        }
        Ok(RawName {
            start,
            whole,
            prefix,
            local,
        })
    }

    /// Passes everything up to and including `end`, and gives what stands before it, its
    /// characters checked.
    pub(crate) fn until(&mut self, end: &str, inside: &'static str) -> Result<&'a str, Error> {
        let from = self.at;
        let rest = self.bytes().get(from..).unwrap_or_default();
        let length = memchr::memmem::find(rest, end.as_bytes());
        let text = self.slice(from, length.map_or(self.input.len(), |length| from + length));
        if let Some((at, c)) = chars::first_illegal(text) {
            return Err(Error::new(Kind::Character(c), from + at));
        }
        if length.is_none() {
            return Err(Error::end(self.input.len(), inside));
        }
        self.at = from + text.len() + end.len();
        Ok(text)
    }
}
