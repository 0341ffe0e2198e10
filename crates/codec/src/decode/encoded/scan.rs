//! Where in a message the ids are.
//!
//! A reference may point forward, and how often an object is referred to decides what becomes of it,
//! so the body is looked through once before it is read. Messages without references are not.

use std::collections::HashMap;

use castile_xml::{Attribute, Reader, Token};

use super::shared::{Encoding, Scope, Target};
use super::{Decoder, ENCODINGS, Start};
use crate::error::{Error, Kind};

/// Elements that declare namespaces around an id, within the element of the body that holds it.
const SCOPES_MAX: usize = 16;

impl<'a> Decoder<'a, '_> {
    /// Looks through the rest of the body, whose first start tag was read, and through the header.
    pub(super) fn scan(
        &self,
        first: Option<Start<'a>>,
        header: Option<Reader<'a>>,
    ) -> Result<Encoding<'a>, Error> {
        let mut encoding = Encoding::default();
        let rest = self.reader.rest();
        let refers = |needle: &str| memchr::memmem::find(rest, needle.as_bytes()).is_some();
        let Some(first) = first.filter(|_| refers("href") || refers("ref=") || refers("ref =")) else {
            return Ok(encoding);
        };
        let mut scan = Scan {
            reader: self.reader.clone(),
            targets: HashMap::new(),
            uses: HashMap::new(),
            open: Vec::new(),
            scopes: Vec::new(),
        };
        encoding.scopes.push(Scope::Reader(Box::new(self.reader.clone())));
        scan.element(first.at, 0, &mut encoding)?;
        scan.rest(0, &mut encoding)?;
        // Behind the first element its declarations do not hold any more.
        scan.siblings(&mut encoding)?;
        if let Some(header) = header {
            scan.reader = header;
            scan.siblings(&mut encoding)?;
        }
        for (id, mut target) in scan.targets {
            target.uses += scan.uses.get(&*id).copied().unwrap_or(0);
            encoding.ids.insert(id, encoding.targets.len());
            encoding.starts.insert(target.at, encoding.targets.len());
            encoding.targets.push(target);
        }
        Ok(encoding)
    }
}

struct Scan<'a> {
    reader: Reader<'a>,
    targets: HashMap<Box<str>, Target>,
    uses: HashMap<Box<str>, u32>,
    /// The open elements below one of the body: the id of each that has one, and whether it declares
    /// namespaces.
    open: Vec<(Option<Box<str>>, bool)>,
    /// The scopes of those that declare namespaces.
    scopes: Vec<Declaring>,
}

/// An open element that declares namespaces.
struct Declaring {
    at: usize,
    /// Its number in the encoding, once an id needs it.
    number: Option<usize>,
}

impl<'a> Scan<'a> {
    fn token(&mut self) -> Result<Token<'a>, Error> {
        self.reader.next().map_err(|e| Error::xml(e, self.reader.input()))
    }

    /// The elements that follow, up to the end of what they are in; the reader's scope is theirs.
    fn siblings(&mut self, encoding: &mut Encoding<'a>) -> Result<(), Error> {
        encoding.scopes.push(Scope::Reader(Box::new(self.reader.clone())));
        let base = encoding.scopes.len() - 1;
        loop {
            match self.token()? {
                Token::Start { .. } => {
                    self.element(self.reader.token_start(), base, encoding)?;
                    self.rest(base, encoding)?;
                }
                Token::End { .. } | Token::Eof => return Ok(()),
                _ => {}
            }
        }
    }

    /// What is below the open element, through its end. `base` is the scope of that element.
    fn rest(&mut self, base: usize, encoding: &mut Encoding<'a>) -> Result<(), Error> {
        while !self.open.is_empty() {
            match self.token()? {
                Token::Start { .. } => self.element(self.reader.token_start(), base, encoding)?,
                Token::End { .. } => self.end(),
                Token::Eof => break,
                _ => {}
            }
        }
        Ok(())
    }

    /// An element whose start tag was read.
    fn element(&mut self, at: usize, base: usize, encoding: &mut Encoding<'a>) -> Result<(), Error> {
        let mut own = None;
        for attribute in self.reader.attributes() {
            if let Some(id) = reference(&self.reader, attribute) {
                match self.uses.get_mut(id) {
                    Some(uses) => *uses = uses.saturating_add(1),
                    None => {
                        self.uses.insert(id.into(), 1);
                    }
                }
            } else if let Some(id) = identity(&self.reader, attribute) {
                own = Some(Box::<str>::from(id));
            }
        }
        if let Some(id) = &own {
            let scope = self.scope(base, encoding)?;
            let independent = self.open.is_empty() && base > 0;
            let target = Target::new(at, scope, independent);
            if self.targets.insert(id.clone(), target).is_some() {
                let error = Error::new(
                    Kind::DuplicateId,
                    crate::Guilty::Peer,
                    format!("id {id:?} stands twice"),
                );
                return Err(error.at(self.reader.input(), at));
            }
        }
        // The first element of the body is the scope of all in it.
        let outermost = self.open.is_empty() && base == 0;
        let declares = !outermost && !self.reader.declarations().is_empty();
        if declares {
            self.scopes.push(Declaring { at, number: None });
        }
        self.open.push((own, declares));
        Ok(())
    }

    fn end(&mut self) {
        let Some((id, declares)) = self.open.pop() else {
            return;
        };
        if declares {
            self.scopes.pop();
        }
        if let Some(target) = id.and_then(|id| self.targets.get_mut(&id)) {
            target.end = self.reader.token_start();
        }
    }

    /// The scope around the element at hand.
    fn scope(&mut self, base: usize, encoding: &mut Encoding<'a>) -> Result<usize, Error> {
        if self.scopes.len() > SCOPES_MAX {
            let why =
                format!("limit: an id is inside more than {SCOPES_MAX} elements that declare namespaces");
            let error = Error::new(Kind::Limit, crate::Guilty::Peer, why);
            return Err(error.at(self.reader.input(), self.reader.token_start()));
        }
        let mut around = base;
        for declaring in &mut self.scopes {
            around = *declaring.number.get_or_insert_with(|| {
                encoding.scopes.push(Scope::Within(around, declaring.at));
                encoding.scopes.len() - 1
            });
        }
        Ok(around)
    }
}

/// The id that an attribute refers to.
pub(super) fn reference<'v>(reader: &Reader<'_>, attribute: &'v Attribute<'_>) -> Option<&'v str> {
    let uri = reader.uri(attribute.name.ns);
    let value = attribute.value.trim();
    match attribute.name.local {
        "href" if uri.is_empty() => Some(value.strip_prefix('#').unwrap_or(value)),
        // An IDREF has no hash; some peers write one.
        "ref" if uri == ENCODINGS[1] => Some(value.strip_prefix('#').unwrap_or(value)),
        _ => None,
    }
}

/// The id that an attribute gives.
fn identity<'v>(reader: &Reader<'_>, attribute: &'v Attribute<'_>) -> Option<&'v str> {
    let uri = reader.uri(attribute.name.ns);
    let known = uri.is_empty() || uri == ENCODINGS[1] || uri == castile_xml::XML_URI;
    (attribute.name.local == "id" && known).then(|| attribute.value.trim())
}
