//! Documents: loading an entry and everything it refers to.
//!
//! [`Documents`] is what the rest of the crate reads: the trees, where each schema stands, and what
//! could not be loaded. References are followed in document order, each document once.

mod fetch;
mod follow;

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Place};
use crate::names::{Names, Ns};
use crate::options::Options;
use crate::resolve::Resolver;
use crate::tree::{NodeRef, Tree};
use crate::warning::Warning;

/// What a contract is made from.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'a> {
    /// A document that the resolver loads: a path or a URL.
    Location(&'a str),
    /// A document in memory.
    Document {
        /// Its bytes.
        bytes: &'a [u8],
        /// Where relative locations in it start; if empty, they cannot be loaded but by a catalog.
        location: &'a str,
        /// The encoding, if the transport named one.
        charset: Option<&'a str>,
    },
}

impl<'a> From<&'a str> for Entry<'a> {
    fn from(location: &'a str) -> Self {
        Entry::Location(location)
    }
}

impl<'a> From<&'a String> for Entry<'a> {
    fn from(location: &'a String) -> Self {
        Entry::Location(location)
    }
}

impl<'a> From<&'a [u8]> for Entry<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Entry::Document {
            bytes,
            location: "",
            charset: None,
        }
    }
}

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DocumentKind {
    /// WSDL 1.1.
    Wsdl,
    /// XML Schema 1.0.
    Schema,
}

/// Everything an entry refers to.
#[derive(Debug)]
pub(crate) struct Documents {
    pub(crate) names: Names,
    pub(crate) list: Vec<Document>,
    /// In the order in which they were found, the same element perhaps under several namespaces.
    pub(crate) schemas: Vec<Schema>,
    /// The namespaces of the schemas.
    pub(crate) targets: HashSet<Ns>,
    /// What could not be loaded, the first few, by the namespace that it was to define.
    pub(crate) missing: HashMap<Ns, Vec<String>>,
    /// Locations that could not be loaded.
    pub(crate) missing_locations: Vec<String>,
    pub(crate) warnings: Vec<Warning>,
    digests: HashMap<[u8; 32], u32>,
}

/// A document.
#[derive(Debug)]
pub(crate) struct Document {
    /// Where it came from in the end.
    pub(crate) location: Box<str>,
    /// What was asked for, if a catalog gave another location for it.
    pub(crate) asked: Option<Box<str>>,
    pub(crate) kind: DocumentKind,
    pub(crate) digest: [u8; 32],
    pub(crate) tree: Tree,
}

/// A `schema` element: its own document, or in `wsdl:types`.
#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) document: u32,
    pub(crate) node: u32,
    /// The namespace of what it declares: `targetNamespace`, or that of the schema that includes it.
    pub(crate) target: Ns,
    /// Whether `target` was imposed by an include (chameleon): references without a namespace then
    /// mean `target` too.
    pub(crate) chameleon: bool,
    pub(crate) elements_qualified: bool,
    pub(crate) attributes_qualified: bool,
    /// Redefinitions: this schema's components replace those of this number of an earlier schema.
    pub(crate) redefines: bool,
}

impl Documents {
    pub(crate) fn load(entry: Entry<'_>, resolver: &dyn Resolver, options: &Options) -> Result<Self, Error> {
        follow::load(entry, resolver, options)
    }

    fn new() -> Self {
        Documents {
            names: Names::new(),
            list: Vec::new(),
            schemas: Vec::new(),
            targets: HashSet::new(),
            missing: HashMap::new(),
            missing_locations: Vec::new(),
            warnings: Vec::new(),
            digests: HashMap::new(),
        }
    }

    /// The target namespaces of the schemas, each once.
    pub(crate) fn namespaces(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        let targets = self.schemas.iter().map(|schema| schema.target);
        let first = targets.filter(|&target| target != Ns::NONE && seen.insert(target));
        first.map(|target| self.names.uri(target).to_owned()).collect()
    }

    /// An element.
    pub(crate) fn node(&self, document: u32, node: u32) -> Option<NodeRef<'_>> {
        self.list.get(document as usize)?.tree.node(node)
    }

    /// The root elements of the documents of a kind.
    pub(crate) fn roots(&self, kind: DocumentKind) -> impl Iterator<Item = (u32, NodeRef<'_>)> {
        let these = self.list.iter().enumerate().filter(move |(_, d)| d.kind == kind);
        these.filter_map(|(i, d)| Some((i as u32, d.tree.root()?)))
    }

    pub(crate) fn location(&self, document: u32) -> &str {
        self.list.get(document as usize).map_or("", |d| &d.location)
    }

    /// Where an element stands.
    pub(crate) fn place(&self, document: u32, node: NodeRef<'_>) -> Place {
        let (line, column) = node.position();
        Place {
            location: self.location(document).into(),
            line,
            column,
        }
    }
}
