//! Namespace names numbered ([`NsId`]) and the prefixes bound to them at this place.
//!
//! Few names and prefixes are searched one by one; beyond [`LINEAR`] an index keeps every lookup
//! logarithmic, so that a thousand declarations do not make each name cost a thousand comparisons.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// A namespace name, numbered within one reader. `NsId(0)` is no namespace, `NsId(1)` the namespace
/// of the prefix `xml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NsId(pub u32);

impl NsId {
    /// No namespace.
    pub const NONE: NsId = NsId(0);
    /// `http://www.w3.org/XML/1998/namespace`.
    pub const XML: NsId = NsId(1);
}

/// The namespace that the prefix `xml` is always bound to (Namespaces in XML, 3).
pub const XML_URI: &str = "http://www.w3.org/XML/1998/namespace";
/// The namespace of declarations themselves, which nothing may be bound to (Namespaces in XML, 3).
pub const XMLNS_URI: &str = "http://www.w3.org/2000/xmlns/";

/// Up to this many names are searched in order, and bindings from the innermost outwards.
const LINEAR: usize = 16;
/// Names that every reader numbers alike.
const FIXED: usize = 2;
const UNSHADOWED: u32 = u32::MAX;
/// The places of what no binding gives: no namespace, and that of the prefix `xml`.
const NO_BINDING: u16 = u16::MAX;
const XML_BINDING: u16 = NO_BINDING - 1;

#[derive(Debug, Clone, Copy)]
struct Binding<'a> {
    prefix: &'a str,
    ns: NsId,
    /// The outer binding of the same prefix; kept up only while the index is.
    shadowed: u32,
}

#[derive(Debug, Clone)]
pub(crate) struct Namespaces<'a> {
    uris: Vec<Cow<'a, str>>,
    /// The numbers of all names, while there are more than [`LINEAR`].
    numbers: BTreeMap<Cow<'a, str>, NsId>,
    bindings: Vec<Binding<'a>>,
    /// The innermost binding of each prefix, while there are more than [`LINEAR`] bindings.
    index: BTreeMap<&'a str, u32>,
    scope: u64,
    scopes: u64,
    /// The last prefix resolved, and in which scope.
    last: (u64, &'a str, NsId),
}

/// Namespaces without the text that they were declared in.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    /// Those beyond the two that always have their numbers.
    uris: Vec<String>,
    bindings: Vec<(String, NsId)>,
    scope: u64,
    scopes: u64,
}

/// What [`Namespaces::leave`] goes back to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mark {
    bindings: usize,
    scope: u64,
}

impl Kept {
    /// Bytes of memory, roughly.
    pub(crate) fn memory(&self) -> usize {
        let uris: usize = self.uris.iter().map(|uri| uri.len() + size_of::<String>()).sum();
        let bindings = self.bindings.iter();
        uris + bindings
            .map(|(prefix, _)| prefix.len() + size_of::<(String, NsId)>())
            .sum::<usize>()
    }
}

impl<'a> Namespaces<'a> {
    pub(crate) fn new() -> Self {
        let mut uris = Vec::with_capacity(LINEAR);
        uris.extend([Cow::Borrowed(""), Cow::Borrowed(XML_URI)]);
        Namespaces {
            uris,
            numbers: BTreeMap::new(),
            bindings: Vec::with_capacity(LINEAR),
            index: BTreeMap::new(),
            scope: 0,
            scopes: 0,
            last: (0, "", NsId::NONE),
        }
    }

    /// What is needed to go on in another text.
    pub(crate) fn keep(&self) -> Kept {
        let bindings = self.bindings.iter();
        Kept {
            uris: self.uris.iter().skip(FIXED).map(|uri| uri.to_string()).collect(),
            bindings: bindings.map(|b| (b.prefix.to_owned(), b.ns)).collect(),
            scope: self.scope,
            scopes: self.scopes,
        }
    }

    pub(crate) fn resume(kept: &'a Kept) -> Namespaces<'a> {
        let mut namespaces = Namespaces::new();
        for uri in &kept.uris {
            namespaces.number(Cow::Borrowed(uri));
        }
        for (prefix, ns) in &kept.bindings {
            namespaces.push(prefix, *ns);
        }
        namespaces.scope = kept.scope;
        namespaces.scopes = kept.scopes;
        namespaces
    }

    pub(crate) fn uri(&self, ns: NsId) -> &str {
        self.uris.get(ns.0 as usize).map_or("", |uri| uri)
    }

    /// The number of a namespace name. The text is at most 2^32 declarations long because its
    /// length is limited, so the count fits; should a caller have raised that limit further, the
    /// last number is shared rather than wrapped around.
    pub(crate) fn number(&mut self, uri: Cow<'a, str>) -> NsId {
        if let Some(ns) = self.known(&uri) {
            return ns;
        }
        if self.uris.len() == LINEAR {
            self.numbers = self.uris.iter().cloned().zip((0..).map(NsId)).collect();
        }
        let ns = NsId(u32::try_from(self.uris.len()).unwrap_or(u32::MAX));
        if self.uris.len() >= LINEAR {
            self.numbers.insert(uri.clone(), ns);
        }
        self.uris.push(uri);
        ns
    }

    fn known(&self, uri: &str) -> Option<NsId> {
        if self.uris.len() > LINEAR {
            return self.numbers.get(uri).copied();
        }
        let place = self.uris.iter().position(|known| **known == *uri)?;
        Some(NsId(place as u32))
    }

    pub(crate) fn scope(&self) -> u64 {
        self.scope
    }

    /// How many bindings are in scope, shadowed ones included.
    pub(crate) fn len(&self) -> usize {
        self.bindings.len()
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            bindings: self.bindings.len(),
            scope: self.scope,
        }
    }

    /// Brings the declarations of one element into scope.
    pub(crate) fn enter(&mut self, declared: &[(&'a str, NsId)]) {
        for &(prefix, ns) in declared {
            self.push(prefix, ns);
        }
        self.scopes += 1;
        self.scope = self.scopes;
    }

    /// Takes every declaration since `mark` out of scope.
    #[inline]
    pub(crate) fn leave(&mut self, mark: Mark) {
        if self.scope != mark.scope {
            self.pop_to(mark.bindings);
            self.scope = mark.scope;
        }
    }

    fn push(&mut self, prefix: &'a str, ns: NsId) {
        if self.bindings.len() == LINEAR {
            for i in 0..self.bindings.len() {
                self.index_binding(i);
            }
        }
        self.bindings.push(Binding {
            prefix,
            ns,
            shadowed: UNSHADOWED,
        });
        if self.bindings.len() > LINEAR {
            self.index_binding(self.bindings.len() - 1);
        }
    }

    fn index_binding(&mut self, i: usize) {
        if let Some(binding) = self.bindings.get_mut(i) {
            let shadowed = self.index.insert(binding.prefix, i as u32);
            binding.shadowed = shadowed.unwrap_or(UNSHADOWED);
        }
    }

    fn pop_to(&mut self, length: usize) {
        while self.bindings.len() > length {
            let indexed = self.bindings.len() > LINEAR;
            match self.bindings.pop() {
                Some(b) if indexed && b.shadowed == UNSHADOWED => {
                    self.index.remove(b.prefix);
                }
                Some(b) if indexed => {
                    self.index.insert(b.prefix, b.shadowed);
                }
                _ => {}
            }
        }
        if self.bindings.len() <= LINEAR {
            self.index.clear();
        }
    }

    /// The place of the innermost binding of `prefix`.
    fn innermost(&self, prefix: &str) -> Option<usize> {
        if self.bindings.len() <= LINEAR {
            self.bindings.iter().rposition(|b| b.prefix == prefix)
        } else {
            self.index.get(prefix).map(|&i| i as usize)
        }
    }

    /// The namespace of a prefix; the empty one always has one, if only [`NsId::NONE`].
    pub(crate) fn lookup(&self, prefix: &str) -> Option<NsId> {
        match self.innermost(prefix).and_then(|i| self.bindings.get(i)) {
            Some(binding) => Some(binding.ns),
            None if prefix.is_empty() => Some(NsId::NONE),
            None if prefix == "xml" => Some(NsId::XML),
            None => None,
        }
    }

    /// The same, remembering the answer: neighbours mostly share a prefix.
    #[inline]
    pub(crate) fn resolve(&mut self, prefix: &'a str) -> Option<NsId> {
        let (scope, last, ns) = self.last;
        if scope == self.scope && same(last.as_bytes(), prefix.as_bytes()) {
            return Some(ns);
        }
        let ns = self.lookup(prefix)?;
        self.last = (self.scope, prefix, ns);
        Some(ns)
    }

    /// The place of the binding that gives a prefix its namespace; `None` when there are too many for a number.
    pub(crate) fn place(&self, prefix: &str) -> Option<u16> {
        if self.bindings.len() > usize::from(XML_BINDING) {
            return None;
        }
        match self.innermost(prefix) {
            Some(place) => u16::try_from(place).ok(),
            None if prefix == "xml" => Some(XML_BINDING),
            None => Some(NO_BINDING),
        }
    }

    /// The same for an attribute: without a prefix it is in no namespace (NS 6.2).
    pub(crate) fn attribute_place(&self, prefix: &str) -> Option<u16> {
        match prefix {
            "" => Some(NO_BINDING),
            _ => self.place(prefix),
        }
    }

    /// The namespace that the binding at a [`place`](Namespaces::place) gives, with the same bindings in scope.
    #[inline]
    pub(crate) fn at_place(&self, place: u16) -> NsId {
        match self.bindings.get(usize::from(place)) {
            Some(binding) => binding.ns,
            None if place == XML_BINDING => NsId::XML,
            None => NsId::NONE,
        }
    }

    /// Every prefix bound here, innermost first, without `xml` and without an undeclared default.
    pub(crate) fn in_scope(&self) -> impl Iterator<Item = (&'a str, NsId)> {
        self.visible(self.bindings.len())
    }

    /// Those of them that were declared before `mark` was made and are not hidden since.
    pub(crate) fn inherited(&self, mark: Mark) -> impl Iterator<Item = (&'a str, NsId)> {
        self.visible(mark.bindings)
    }

    fn visible(&self, until: usize) -> impl Iterator<Item = (&'a str, NsId)> {
        (0..until)
            .rev()
            .filter_map(|i| self.bindings.get(i).map(|b| (i, b)))
            .filter(|&(i, b)| self.innermost(b.prefix) == Some(i))
            .filter(|(_, b)| b.ns != NsId::NONE && b.prefix != "xml")
            .map(|(_, b)| (b.prefix, b.ns))
    }
}

/// Equality of what is mostly a few bytes, without a call.
#[inline]
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len()
        && if a.len() < 16 {
            a.iter().zip(b).all(|(a, b)| a == b)
        } else {
            a == b
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number_however_many_there_are() {
        let mut namespaces = Namespaces::new();
        for count in 0..3 * LINEAR {
            for i in (0..=count).rev() {
                let ns = namespaces.number(Cow::Owned(format!("urn:{i}")));
                assert_eq!(namespaces.uri(ns), format!("urn:{i}"));
                assert_eq!(ns.0 as usize, i + 2);
            }
            assert_eq!(namespaces.number(Cow::Borrowed("")), NsId::NONE);
            assert_eq!(namespaces.number(Cow::Borrowed(XML_URI)), NsId::XML);
        }
    }

    #[test]
    fn many_bindings_behave_as_few() {
        let prefixes: Vec<String> = (0..40).map(|i| format!("p{}", i % 25)).collect();
        let mut namespaces = Namespaces::new();
        let mut marks = Vec::new();
        for (i, prefix) in prefixes.iter().enumerate() {
            marks.push(namespaces.mark());
            let ns = namespaces.number(Cow::Owned(format!("urn:{i}")));
            namespaces.enter(&[(prefix, ns)]);
        }
        while let Some(mark) = marks.pop() {
            let open = marks.len() + 1;
            for p in 0..25 {
                let expected = (0..open).rev().find(|i| i % 25 == p).map(|i| format!("urn:{i}"));
                let found = namespaces.lookup(&format!("p{p}"));
                assert_eq!(found.map(|ns| namespaces.uri(ns).to_owned()), expected);
            }
            assert_eq!(namespaces.in_scope().count(), open.min(25));
            namespaces.leave(mark);
        }
        assert_eq!(namespaces.scope(), 0);
        assert!(namespaces.index.is_empty());
    }
}
