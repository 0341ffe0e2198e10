//! WSDL 1.1 definitions: an index of what stands where ([`Definitions`]), and its compilation to
//! services, bindings and operations.

mod addressing;
mod binding;
mod fault;
mod message;
mod operation;
mod part;
mod profile;
mod rpc;

use std::collections::HashMap;

use crate::compile::Compiler;
use crate::contract::{Binding, Service};
use crate::load::{DocumentKind, Documents};
use crate::names::{Names, Ns};
use crate::pairs;
use crate::tree::{NodeRef, QNameRef};
use crate::warning::{Warning, WarningKind};

pub(crate) use part::{block, open_block};

/// What is compiled of all definitions.
pub(crate) struct Compiled {
    pub(crate) name: String,
    pub(crate) doc: Option<String>,
    pub(crate) services: Vec<Service>,
    pub(crate) bindings: Vec<Binding>,
}

/// Compiles the definitions of a load whose types are compiled.
pub(crate) fn compile(compiler: &mut Compiler<'_>) -> Compiled {
    let documents = compiler.documents;
    let definitions = Definitions::new(documents);
    let root = documents.node(0, 0);
    let name = root.and_then(|root| root.token("name")).map(str::to_owned);
    let name = name.unwrap_or_else(|| stem(documents.location(0)).to_owned());
    let doc = root
        .filter(|r| r.ns() == Ns::WSDL)
        .and_then(NodeRef::documentation)
        .map(Into::into);
    let (services, mut bindings) = binding::compile(compiler, &definitions);
    let is_wsdl = documents
        .list
        .first()
        .is_some_and(|d| d.kind == DocumentKind::Wsdl);
    if !is_wsdl {
        bindings.extend(pairs::compile(compiler, &name));
    } else if bindings.is_empty() {
        let place = crate::error::Place::document(documents.location(0));
        let text = "the contract has no binding, so nothing can be called".into();
        compiler.warnings.push(Warning {
            kind: WarningKind::LeftOut,
            place,
            text,
        });
    }
    Compiled {
        name,
        doc,
        services,
        bindings,
    }
}

/// The last part of a location, without its extension.
fn stem(location: &str) -> &str {
    let path = location.split(['?', '#']).next().unwrap_or_default();
    let file = path
        .trim_end_matches('/')
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or_default();
    file.rsplit_once('.')
        .map_or(file, |(stem, _)| if stem.is_empty() { file } else { stem })
}

/// A WSDL component where it stands.
#[derive(Clone, Copy)]
pub(crate) struct At<'d> {
    pub(crate) document: u32,
    pub(crate) node: NodeRef<'d>,
    /// The namespace of its definitions.
    pub(crate) target: Ns,
}

/// Every message, port type, binding and service of a load.
pub(crate) struct Definitions<'d> {
    messages: Kind<'d>,
    port_types: Kind<'d>,
    bindings: Kind<'d>,
    services: Vec<At<'d>>,
}

/// Components of one kind, in the order in which they stand.
#[derive(Default)]
struct Kind<'d> {
    list: Vec<At<'d>>,
    by_name: HashMap<(Ns, &'d str), usize>,
    /// By local name; `None` if there are several.
    by_local: HashMap<&'d str, Option<usize>>,
}

impl<'d> Definitions<'d> {
    fn new(documents: &'d Documents) -> Self {
        let mut definitions = Definitions {
            messages: Kind::default(),
            port_types: Kind::default(),
            bindings: Kind::default(),
            services: Vec::new(),
        };
        for (document, root) in documents.roots(DocumentKind::Wsdl) {
            let target = root
                .token("targetNamespace")
                .and_then(|uri| documents.names.find(uri));
            let target = target.unwrap_or(Ns::NONE);
            for node in root.children().filter(|c| c.ns() == Ns::WSDL) {
                let at = At {
                    document,
                    node,
                    target,
                };
                match node.local() {
                    "message" => definitions.messages.add(at),
                    "portType" => definitions.port_types.add(at),
                    "binding" => definitions.bindings.add(at),
                    "service" => definitions.services.push(at),
                    _ => {}
                }
            }
        }
        definitions
    }
}

/// What a look-up found, and whether only its local name fits.
struct Match<'d> {
    index: usize,
    at: At<'d>,
    lenient: bool,
}

impl<'d> Kind<'d> {
    /// The first of a name counts.
    fn add(&mut self, at: At<'d>) {
        let name = at.node.token("name").unwrap_or_default();
        self.by_name.entry((at.target, name)).or_insert(self.list.len());
        self.by_local
            .entry(name)
            .and_modify(|only| *only = None)
            .or_insert(Some(self.list.len()));
        self.list.push(at);
    }

    /// The component of this name; where its namespace is wrong, the only one of its local name.
    fn find(&self, name: QNameRef<'_>) -> Option<Match<'d>> {
        if let Some(&index) = self.by_name.get(&(name.ns, name.local)) {
            return self.list.get(index).map(|&at| Match {
                index,
                at,
                lenient: false,
            });
        }
        let index = self.by_local.get(name.local).copied().flatten()?;
        self.list.get(index).map(|&at| Match {
            index,
            at,
            lenient: true,
        })
    }
}

/// The text of a warning about a reference that fits by its local name only.
fn wrong_namespace(names: &Names, what: &str, name: QNameRef<'_>, found: At<'_>) -> String {
    let (wanted, there) = (
        names.clark(name.ns, name.local),
        names.clark(found.target, name.local),
    );
    format!("there is no {what} {wanted}; {there} is taken (WSDL 1.1, 2.1.1)")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_location_has_a_stem() {
        for (location, stem) in [
            ("http://h/a/Calc.svc?wsdl", "Calc"),
            ("x/.hidden", ".hidden"),
            ("a", "a"),
            ("", ""),
        ] {
            assert_eq!(super::stem(location), stem);
        }
    }
}
