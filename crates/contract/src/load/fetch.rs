//! One document: found through catalogs and the resolver, checked, read into a tree.

use castile_xml::Reader;

use super::{Document, DocumentKind, Documents};
use crate::error::{Error, Kind, Place};
use crate::names::Ns;
use crate::options::Options;
use crate::resolve::{Loaded, Resolver, is_remote, join, scheme};
use crate::tree::{NodeRef, Tree};
use crate::warning::{Warning, WarningKind};

/// Loads documents, each once, within limits.
pub(super) struct Fetcher<'r> {
    resolver: &'r dyn Resolver,
    options: &'r Options,
    /// Documents by every location that led to them; an error is an error again.
    known: std::collections::HashMap<String, Result<u32, String>>,
    bytes: u64,
}

/// Where a reference stands and what it says.
pub(super) struct Wanted<'a> {
    /// Where the document that refers came from; empty if it came from nowhere.
    pub(super) base: &'a str,
    /// What a catalog mapped it from.
    pub(super) asked: Option<&'a str>,
    pub(super) reference: &'a str,
    pub(super) namespace: Option<&'a str>,
    /// What it declares is known without it, so it is not worth asking the network.
    pub(super) known: bool,
}

/// Why there is no document: one that is missing leaves a contract usable, a limit does not.
pub(super) enum Failed {
    Missing { location: String, why: String },
    Limit(Error),
}

impl<'r> Fetcher<'r> {
    pub(super) fn new(resolver: &'r dyn Resolver, options: &'r Options) -> Self {
        Fetcher {
            resolver,
            options,
            known: std::collections::HashMap::new(),
            bytes: 0,
        }
    }

    /// The entry; here every failure is an error.
    pub(super) fn entry(&mut self, location: &str, to: &mut Documents) -> Result<u32, Error> {
        let mapped = self.catalog(location).unwrap_or_else(|| location.to_owned());
        let failed = |why: String| Error::new(Kind::Load(why.into()), Place::document(location));
        let loaded = self.load(&mapped).map_err(failed)?;
        let at = self.read(&loaded, (mapped != location).then_some(location), to)?;
        self.known.insert(mapped, Ok(at));
        Ok(at)
    }

    /// A document that another refers to.
    pub(super) fn fetch(&mut self, wanted: &Wanted<'_>, to: &mut Documents) -> Result<u32, Failed> {
        let candidates = self.candidates(wanted);
        let mut first_failure = None;
        for Candidate { location, asked } in candidates {
            let found = match self.known.get(&location) {
                Some(known) => known.clone(),
                None => {
                    let found = self.fetch_new(&location, asked.as_deref(), to)?;
                    self.known.insert(location.clone(), found.clone());
                    found
                }
            };
            match found {
                Ok(at) => return Ok(at),
                Err(why) => first_failure.get_or_insert((location, why)),
            };
        }
        let nowhere = || {
            (
                wanted.reference.to_owned(),
                "it has no location and no catalog has it".to_owned(),
            )
        };
        let (location, why) = first_failure.unwrap_or_else(nowhere);
        Err(Failed::Missing { location, why })
    }

    fn fetch_new(
        &mut self,
        location: &str,
        asked: Option<&str>,
        to: &mut Documents,
    ) -> Result<Result<u32, String>, Failed> {
        if self.known.len() >= self.options.limits.documents_max as usize {
            let max = self.options.limits.documents_max.into();
            return Err(Failed::Limit(Error::limit(
                "documents_max",
                max,
                Place::document(location),
            )));
        }
        let loaded = match self.load(location) {
            Ok(loaded) => loaded,
            Err(why) => return Ok(Err(why)),
        };
        match self.read(&loaded, asked, to) {
            Ok(at) => Ok(Ok(at)),
            Err(error) if matches!(error.kind(), Kind::Limit { .. }) => Err(Failed::Limit(error)),
            Err(error) => Ok(Err(error.to_string())),
        }
    }

    /// What a reference can mean, in the order in which it is tried: what catalogs say of it, of
    /// its absolute form and of its namespace; else beside the document that refers.
    fn candidates(&self, wanted: &Wanted<'_>) -> Vec<Candidate> {
        let reference = wanted.reference.trim();
        if reference.len() > LOCATION_BYTES_MAX {
            return Vec::new();
        }
        let mut found: Vec<Candidate> = Vec::new();
        let mut add = |location: Option<String>, asked: Option<&str>| {
            let asked = asked
                .filter(|a| location.as_deref() != Some(a))
                .map(str::to_owned);
            if let Some(location) = location.filter(|l| !found.iter().any(|f| f.location == *l)) {
                found.push(Candidate { location, asked });
            }
        };
        if !reference.is_empty() {
            let near = (!wanted.base.is_empty() || scheme(reference).is_some())
                .then(|| join(wanted.base, reference));
            let far = wanted.asked.map(|asked| join(asked, reference));
            add(self.catalog(reference), Some(reference));
            for absolute in far.iter().chain(&near) {
                add(self.catalog(absolute), Some(absolute));
            }
            add(near, far.as_deref());
            add(far, None);
        }
        add(wanted.namespace.and_then(|ns| self.catalog(ns)), wanted.namespace);
        // What came from the network does not get at files; what a catalog says is the user's word.
        let base = wanted.base;
        found.retain(|c| c.asked.is_some() || !is_remote(base) || is_remote(&c.location));
        found.retain(|c| c.asked.is_some() || !wanted.known || !is_remote(&c.location));
        found
    }

    fn catalog(&self, name: &str) -> Option<String> {
        self.options
            .catalogs
            .iter()
            .find_map(|catalog| catalog.resolve(name))
    }

    fn load(&self, location: &str) -> Result<Loaded, String> {
        if self.options.offline && is_remote(location) {
            return Err("no catalog has it, and the network is not to be used".into());
        }
        self.resolver.load(location).map_err(|e| e.0)
    }

    /// Checks and reads a document. The same bytes are the same document.
    pub(super) fn read(
        &mut self,
        loaded: &Loaded,
        asked: Option<&str>,
        to: &mut Documents,
    ) -> Result<u32, Error> {
        let place = || Place::document(&loaded.location);
        self.bytes = self.bytes.saturating_add(loaded.bytes.len() as u64);
        let max = self.options.limits.bytes_max.min(u64::from(u32::MAX / 2));
        if self.bytes > max {
            return Err(Error::limit("bytes_max", max, place()));
        }
        let digest = *blake3::hash(&loaded.bytes).as_bytes();
        if let Some(&at) = to.digests.get(&digest) {
            return Ok(at);
        }
        let not_xml = |e: castile_xml::Error| Error::new(Kind::Xml(e.to_string().into()), place());
        let (space, bytes) = before_declaration(&loaded.bytes);
        let mut text = castile_xml::to_utf8(bytes, loaded.charset.as_deref()).map_err(not_xml)?;
        if let Some((_, rest)) = text.split_once("?>").filter(|_| !space.is_empty()) {
            text = (String::from_utf8_lossy(space) + rest).into_owned().into();
            to.warnings.push(Warning {
                kind: WarningKind::Tolerated,
                place: place(),
                text: "white space before the XML declaration is passed over (XML 1.0, 2.8)".into(),
            });
        }
        let tree = Tree::parse(&text, &mut to.names).map_err(|e| xml_error(&e, &text, &loaded.location))?;
        let kind = kind(&tree, to).map_err(|what| Error::new(Kind::NotContract(what.into()), place()))?;
        if let Some(draft) = to.names.take_draft() {
            let text = format!("{draft} is a draft of XML Schema; the recommendation of 2001 is read for it");
            to.warnings.push(Warning {
                kind: WarningKind::Tolerated,
                place: place(),
                text: text.into(),
            });
        }
        let at = to.list.len() as u32;
        to.digests.insert(digest, at);
        let (location, asked) = (loaded.location.as_str().into(), asked.map(Into::into));
        to.list.push(Document {
            location,
            asked,
            kind,
            digest,
            tree,
        });
        Ok(at)
    }
}

/// White space that stands before an XML declaration, and the document from there.
fn before_declaration(bytes: &[u8]) -> (&[u8], &[u8]) {
    let (space, rest) = bytes.split_at(bytes.len() - bytes.trim_ascii_start().len());
    match rest.starts_with(b"<?xml ") {
        true => (space, rest),
        false => (&[], bytes),
    }
}

/// Longer locations are taken as those of no document.
const LOCATION_BYTES_MAX: usize = 8192;

struct Candidate {
    location: String,
    /// What led to it, if that was something else.
    asked: Option<String>,
}

fn xml_error(error: &castile_xml::Error, text: &str, location: &str) -> Error {
    let (line, column) = Reader::line_column(text, error.offset());
    Error::new(
        Kind::Xml(error.kind().to_string().into()),
        Place {
            location: location.into(),
            line,
            column,
        },
    )
}

/// What a document is by its root, or what it is instead.
fn kind(tree: &Tree, documents: &Documents) -> Result<DocumentKind, String> {
    let root = tree.root().ok_or("it is empty")?;
    match (root.ns(), root.local()) {
        (Ns::WSDL, "definitions") => Ok(DocumentKind::Wsdl),
        (Ns::XSD, "schema") => Ok(DocumentKind::Schema),
        (Ns::WSDL20, _) => Err("WSDL 2.0, which this version does not read".into()),
        _ => Err(format!("its root element is {}", describe(root, documents))),
    }
}

fn describe(root: NodeRef<'_>, documents: &Documents) -> String {
    let name = documents.names.clark(root.ns(), root.local());
    name.chars().take(200).collect()
}
