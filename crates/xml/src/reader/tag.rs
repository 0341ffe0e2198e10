//! Start tags: name, attributes and namespace declarations (XML 1.0, 3.1; Namespaces in XML, 3, 6).
//!
//! A tag is scanned whole into a [`Tag`] before anything else changes; only then do its
//! declarations come into scope and its names get their namespaces.

use crate::cursor::{Cursor, RawName};
use crate::error::{Error, Kind};
use crate::limits::Limits;
use crate::namespaces::{Mark, Namespaces, NsId, XML_URI, XMLNS_URI};
use crate::reader::text;
use crate::token::{Attribute, Name};

/// One start tag; its vectors are used again for the next one.
#[derive(Debug, Clone, Default)]
pub(super) struct Tag<'a> {
    pub(super) name: RawName<'a>,
    pub(super) empty: bool,
    pub(super) attributes: Vec<Attribute<'a>>,
    /// Where the name of each attribute starts.
    pub(super) attribute_starts: Vec<usize>,
    pub(super) declared: Vec<(&'a str, NsId)>,
    pub(super) declared_starts: Vec<usize>,
}

impl<'a> Tag<'a> {
    /// Room for so many declarations; attributes find theirs when they come.
    pub(super) fn with_capacity(count: usize) -> Self {
        Tag {
            declared: Vec::with_capacity(count),
            declared_starts: Vec::with_capacity(count),
            ..Tag::default()
        }
    }

    pub(super) fn clear(&mut self) {
        self.attributes.clear();
        self.attribute_starts.clear();
        self.declared.clear();
        self.declared_starts.clear();
    }

    /// Scans a start tag; the cursor stands at its `<`.
    #[inline]
    pub(super) fn scan(
        &mut self,
        cursor: &mut Cursor<'a>,
        limits: &Limits,
        namespaces: &mut Namespaces<'a>,
    ) -> Result<(), Error> {
        self.clear();
        cursor.at += 1;
        self.name = cursor.qname(limits, INSIDE)?;
        self.empty = false;
        if cursor.peek() == Some(b'>') {
            cursor.at += 1;
            return Ok(());
        }
        self.scan_attributes(cursor, limits, namespaces)
    }

    fn scan_attributes(
        &mut self,
        cursor: &mut Cursor<'a>,
        limits: &Limits,
        namespaces: &mut Namespaces<'a>,
    ) -> Result<(), Error> {
        loop {
            let spaced = cursor.eat_space();
            match cursor.peek() {
                Some(b'>') => {
                    cursor.at += 1;
                    return Ok(());
                }
                Some(b'/') => {
                    self.empty = true;
                    return eat_empty_end(cursor);
                }
                None => return Err(Error::end(cursor.at, INSIDE)),
                Some(_) if !spaced => return Err(not_spaced(cursor)),
                Some(_) => self.scan_attribute(cursor, limits, namespaces)?,
            }
        }
    }

    fn scan_attribute(
        &mut self,
        cursor: &mut Cursor<'a>,
        limits: &Limits,
        namespaces: &mut Namespaces<'a>,
    ) -> Result<(), Error> {
        if self.attributes.len() + self.declared.len() >= limits.attributes_max as usize {
            return Err(Error::limit(
                cursor.at,
                "attributes_max",
                limits.attributes_max.into(),
            ));
        }
        let name = cursor.qname(limits, INSIDE)?;
        cursor.eat_eq(INSIDE)?;
        let quote = cursor.eat_quote(INSIDE)?;
        let value = text::value(cursor, quote, limits)?;
        let declares = match (name.prefix, name.local) {
            ("xmlns", prefix) => Some(prefix),
            ("", "xmlns") => Some(""),
            _ => None,
        };
        if let Some(prefix) = declares {
            check_declaration(&name, prefix, &value)?;
            self.declared.push((prefix, namespaces.number(value)));
            self.declared_starts.push(name.start);
        } else {
            let name_ = Name {
                prefix: name.prefix,
                local: name.local,
                ns: NsId::NONE,
            };
            self.attributes.push(Attribute { name: name_, value });
            self.attribute_starts.push(name.start);
        }
        Ok(())
    }

    /// Brings the declarations into scope and gives the names their namespaces. On an error the
    /// scope is as it was.
    #[inline]
    pub(super) fn resolve(
        &mut self,
        namespaces: &mut Namespaces<'a>,
        limits: &Limits,
    ) -> Result<(Name<'a>, Mark), Error> {
        let mark = namespaces.mark();
        let resolved = self.resolve_names(namespaces, limits);
        match resolved {
            Ok(name) => Ok((name, mark)),
            Err(error) => {
                namespaces.leave(mark);
                Err(error)
            }
        }
    }

    #[inline]
    fn resolve_names(&mut self, namespaces: &mut Namespaces<'a>, limits: &Limits) -> Result<Name<'a>, Error> {
        if !self.declared.is_empty() {
            self.declare(namespaces, limits)?;
        }
        let RawName {
            prefix, local, start, ..
        } = self.name;
        let ns = namespaces.resolve(prefix).ok_or_else(|| unbound(start, prefix))?;
        if !self.attributes.is_empty() {
            self.resolve_attributes(namespaces)?;
        }
        Ok(Name { prefix, local, ns })
    }

    fn declare(&mut self, namespaces: &mut Namespaces<'a>, limits: &Limits) -> Result<(), Error> {
        if let Some(i) = repeated(&self.declared, |&(prefix, _)| prefix) {
            return Err(twice(self.declared_starts.get(i)));
        }
        if namespaces.len() + self.declared.len() > limits.namespaces_max as usize {
            let max = limits.namespaces_max.into();
            return Err(Error::limit(self.name.start, "namespaces_max", max));
        }
        namespaces.enter(&self.declared);
        Ok(())
    }

    fn resolve_attributes(&mut self, namespaces: &mut Namespaces<'a>) -> Result<(), Error> {
        for (attribute, &start) in self.attributes.iter_mut().zip(&self.attribute_starts) {
            let prefix = attribute.name.prefix;
            if !prefix.is_empty() {
                let ns = namespaces.resolve(prefix).ok_or_else(|| unbound(start, prefix))?;
                attribute.name.ns = ns;
            }
        }
        match repeated(&self.attributes, |a| (a.name.ns, a.name.local)) {
            Some(i) => Err(twice(self.attribute_starts.get(i))),
            None => Ok(()),
        }
    }
}

const INSIDE: &str = "a start tag";

fn eat_empty_end(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    if cursor.eat("/>") {
        return Ok(());
    }
    Err(match cursor.bytes().len() - cursor.at {
        1 => Error::end(cursor.at + 1, INSIDE),
        _ => Error::not_well_formed(cursor.at, "expected />", "3.1"),
    })
}

#[cold]
fn not_spaced(cursor: &Cursor<'_>) -> Error {
    match crate::chars::illegal_at(cursor.input, cursor.at) {
        Some(c) => Error::new(Kind::Character(c), cursor.at),
        None => Error::not_well_formed(cursor.at, "expected white space, > or />", "3.1"),
    }
}

/// The rules of Namespaces in XML, 3 and 5, for the declaration `name` of `prefix`.
fn check_declaration(name: &RawName<'_>, prefix: &str, uri: &str) -> Result<(), Error> {
    let wrong = |what, clause| Err(Error::namespace(name.start, what, name.whole, clause));
    match (prefix, uri) {
        ("xml", XML_URI) => Ok(()),
        ("xml", _) => wrong("the prefix xml cannot be bound anew", "NS 3"),
        ("xmlns", _) => wrong("the prefix xmlns cannot be declared", "NS 3"),
        (_, XML_URI) => wrong("only the prefix xml can be bound to its namespace", "NS 3"),
        (_, XMLNS_URI) => wrong("nothing can be bound to the xmlns namespace", "NS 3"),
        ("", _) => Ok(()),
        (_, "") => wrong("a prefix cannot be bound to no namespace", "NS 5"),
        _ => Ok(()),
    }
}

#[cold]
fn unbound(start: usize, prefix: &str) -> Error {
    Error::namespace(start, "the prefix is not bound to a namespace", prefix, "NS 5")
}

#[cold]
fn twice(start: Option<&usize>) -> Error {
    let start = start.copied().unwrap_or_default();
    Error::not_well_formed(start, "an attribute name appears twice in the tag", "3.1")
}

/// The first item whose key an earlier item has, without comparing each with each when many.
fn repeated<T, K: Ord>(items: &[T], key: impl Fn(&T) -> K) -> Option<usize> {
    const FEW: usize = 8;
    if items.len() <= FEW {
        return (1..items.len()).find(|&i| {
            let (earlier, rest) = items.split_at(i);
            rest.first()
                .is_some_and(|item| earlier.iter().any(|e| key(e) == key(item)))
        });
    }
    let mut sorted: Vec<(K, usize)> = items.iter().map(key).zip(0..).collect();
    sorted.sort_unstable();
    sorted
        .windows(2)
        .filter_map(|pair| match pair {
            [(a, _), (b, i)] if a == b => Some(*i),
            _ => None,
        })
        .min()
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn repeats_are_found_among_few_and_many() {
        for length in 2..40usize {
            for first in 0..length {
                for second in first + 1..length {
                    let mut keys: Vec<usize> = (0..length).collect();
                    keys[second] = keys[first];
                    assert_eq!(repeated(&keys, |&k| k), Some(second));
                }
            }
            assert_eq!(repeated(&(0..length).collect::<Vec<_>>(), |&k| k), None);
        }
    }
}
