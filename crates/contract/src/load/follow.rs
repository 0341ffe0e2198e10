//! From document to document: `wsdl:import`, `xsd:import`, `xsd:include`, `xsd:redefine`.

use std::collections::{HashSet, VecDeque};

use super::fetch::{Failed, Fetcher, Wanted};
use super::{DocumentKind, Documents, Entry, Schema};
use crate::error::{Error, masked};
use crate::names::Ns;
use crate::options::Options;
use crate::resolve::{Loaded, Resolver};
use crate::tree::NodeRef;
use crate::warning::{Warning, WarningKind};

/// Loads an entry and, breadth first, everything it refers to.
pub(super) fn load(entry: Entry<'_>, resolver: &dyn Resolver, options: &Options) -> Result<Documents, Error> {
    let mut documents = Documents::new();
    let mut fetcher = Fetcher::new(resolver, options);
    let first = match entry {
        Entry::Location(location) => fetcher.entry(location, &mut documents)?,
        Entry::Document {
            bytes,
            location,
            charset,
        } => {
            let (location, charset) = (location.to_owned(), charset.map(str::to_owned));
            fetcher.read(
                &Loaded {
                    bytes: bytes.to_vec(),
                    location,
                    charset,
                },
                None,
                &mut documents,
            )?
        }
    };
    let (waiting, relying) = (VecDeque::new(), VecDeque::new());
    let mut follower = Follower {
        fetcher,
        documents,
        visited: HashSet::new(),
        waiting,
        relying,
    };
    follower.visit(first, None);
    while let Some(reference) = follower
        .waiting
        .pop_front()
        .or_else(|| follower.relying.pop_front())
    {
        follower.follow(&reference)?;
    }
    Ok(follower.documents)
}

struct Follower<'r> {
    fetcher: Fetcher<'r>,
    documents: Documents,
    /// Schemas registered: document, element, target namespace. A WSDL is its root with no target.
    visited: HashSet<(u32, u32, Option<Ns>)>,
    waiting: VecDeque<Reference>,
    /// Imports that name no document: they come last, when most schemas are here anyway.
    relying: VecDeque<Reference>,
}

/// An element that refers to a document.
struct Reference {
    document: u32,
    node: u32,
    verb: Verb,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    WsdlImport,
    Import,
    /// Into this namespace.
    Include(Ns),
    /// Into this namespace, for the schema at this node.
    Redefine(Ns, u32),
}

impl Follower<'_> {
    /// Registers what a document declares and queues what it refers to. `into` is the namespace of
    /// the schema that includes it.
    fn visit(&mut self, document: u32, into: Option<Ns>) {
        let Some(kind) = self.documents.list.get(document as usize).map(|d| d.kind) else {
            return;
        };
        match kind {
            DocumentKind::Schema => self.register(document, 0, into, None),
            DocumentKind::Wsdl if !self.visited.insert((document, 0, None)) => {}
            DocumentKind::Wsdl => {
                let Some(root) = self.documents.node(document, 0) else {
                    return;
                };
                let imports: Vec<u32> = root.named(Ns::WSDL, "import").map(NodeRef::id).collect();
                let types = root.named(Ns::WSDL, "types");
                let schemas: Vec<u32> = types
                    .flat_map(|t| t.named(Ns::XSD, "schema"))
                    .map(NodeRef::id)
                    .collect();
                for node in schemas {
                    self.register(document, node, None, None);
                }
                let imports = imports.into_iter();
                self.waiting.extend(imports.map(|node| Reference {
                    document,
                    node,
                    verb: Verb::WsdlImport,
                }));
            }
        }
    }

    /// Registers the schema at `node`, or the redefinition there, which stands in the schema at `within`.
    fn register(&mut self, document: u32, node: u32, into: Option<Ns>, within: Option<u32>) {
        let Some(root) = self
            .documents
            .list
            .get(document as usize)
            .and_then(|d| d.tree.node(node))
        else {
            return;
        };
        let own = root
            .token("targetNamespace")
            .map(|uri| self.documents.names.number(uri));
        let target = own.or(into).unwrap_or(Ns::NONE);
        if !self.visited.insert((document, node, Some(target))) {
            return;
        }
        let form = within.and_then(|schema| self.documents.node(document, schema));
        let qualified = |attribute| form.unwrap_or(root).token(attribute) == Some("qualified");
        let schema = Schema {
            document,
            node,
            target,
            chameleon: own.is_none() && target != Ns::NONE,
            elements_qualified: qualified("elementFormDefault"),
            attributes_qualified: qualified("attributeFormDefault"),
            redefines: within.is_some(),
        };
        for child in root.children().filter(|c| c.ns() == Ns::XSD) {
            let verb = match child.local() {
                "import" => Verb::Import,
                "include" => Verb::Include(target),
                "redefine" => Verb::Redefine(target, node),
                _ => continue,
            };
            let relies = verb == Verb::Import && child.token("schemaLocation").is_none();
            let queue = if relies {
                &mut self.relying
            } else {
                &mut self.waiting
            };
            queue.push_back(Reference {
                document,
                node: child.id(),
                verb,
            });
        }
        self.documents.schemas.push(schema);
        self.documents.targets.insert(target);
    }

    fn follow(&mut self, reference: &Reference) -> Result<(), Error> {
        let Some(Says {
            base,
            asked,
            location,
            namespace,
        }) = self.says(reference)
        else {
            return Ok(());
        };
        let ns = match reference.verb {
            Verb::Include(target) | Verb::Redefine(target, _) => target,
            _ => namespace
                .as_deref()
                .map_or(Ns::NONE, |uri| self.documents.names.number(uri)),
        };
        let imports = reference.verb == Verb::Import;
        // An import that names no document relies on a schema that is here already, or on a catalog.
        let relies = location.is_empty();
        let here = || relies && self.documents.targets.contains(&ns);
        if imports && (is_built_in(ns) || here()) {
            return Ok(());
        }
        let namespace = namespace.as_deref().filter(|_| imports);
        let wanted = Wanted {
            base: &base,
            asked: asked.as_deref(),
            reference: &location,
            namespace,
            known: imports && is_envelope(ns),
        };
        match self.fetcher.fetch(&wanted, &mut self.documents) {
            Ok(found) => self.visit(
                found,
                (!imports && reference.verb != Verb::WsdlImport).then_some(ns),
            ),
            Err(Failed::Limit(error)) => return Err(error),
            Err(Failed::Missing { location, why }) => {
                self.miss(reference, ns, location, &why, relies || wanted.known);
            }
        }
        if let Verb::Redefine(target, schema) = reference.verb {
            // What stands in the redefinition comes after, and replaces, what it redefines.
            self.register(reference.document, reference.node, Some(target), Some(schema));
        }
        Ok(())
    }

    fn says(&self, reference: &Reference) -> Option<Says> {
        let document = self.documents.list.get(reference.document as usize)?;
        let node = document.tree.node(reference.node)?;
        let location = if reference.verb == Verb::WsdlImport {
            "location"
        } else {
            "schemaLocation"
        };
        Some(Says {
            base: document.location.to_string(),
            asked: document.asked.as_deref().map(str::to_owned),
            location: node.token(location).unwrap_or_default().to_owned(),
            namespace: node.token("namespace").map(str::to_owned),
        })
    }

    fn miss(&mut self, reference: &Reference, ns: Ns, location: String, why: &str, relies: bool) {
        let documents = &mut self.documents;
        let missing = documents.missing.entry(ns).or_default();
        if relies {
            return;
        }
        let text = format!("{} cannot be loaded: {why}", masked(&location));
        if missing.contains(&text) {
            return;
        }
        if missing.len() < MISSING_MAX {
            missing.push(text.clone());
        }
        if let Some(node) = documents.node(reference.document, reference.node) {
            let place = documents.place(reference.document, node);
            let text = format!("{text}; what needs it cannot be used");
            documents.warnings.push(Warning {
                kind: WarningKind::Missing,
                place,
                text: text.into(),
            });
        }
        documents.missing_locations.push(location);
    }
}

/// How many of the documents that a namespace lacks are named.
const MISSING_MAX: usize = 4;

/// What an element that refers to a document says.
struct Says {
    base: String,
    asked: Option<String>,
    location: String,
    namespace: Option<String>,
}

/// The namespaces of SOAP's envelopes: schemas refer to their attributes, which are built in.
fn is_envelope(ns: Ns) -> bool {
    matches!(ns, Ns::ENVELOPE11 | Ns::ENVELOPE12)
}

/// Namespaces that need no document: what is used of them is built in or not supported at all.
fn is_built_in(ns: Ns) -> bool {
    matches!(
        ns,
        Ns::XSD | Ns::XSI | Ns::XML | Ns::ENCODING11 | Ns::ENCODING12 | Ns::WSDL
    )
}
