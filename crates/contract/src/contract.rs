//! The [`Contract`] and what it holds: services, ports, bindings, operations.

use std::sync::Arc;

use castile_plan::{ComplexId, ElementId, Field, Plan, Types};
use serde::{Deserialize, Serialize};

use crate::compile::Compiler;
use crate::error::{Error, Kind, Place};
use crate::load::{DocumentKind, Documents, Entry};
use crate::options::Options;
use crate::resolve::Resolver;
use crate::warning::Warning;
use crate::wsdl;

/// The field of every header type for blocks that the contract does not name, as XML.
pub const HEADER_ANY: &str = "#any";

/// What a WSDL and its schemas say, every reference resolved and every message compiled.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The name of the definitions, or the last part of the entry's location.
    pub name: String,
    /// Every type and global element, sealed.
    pub types: Arc<Types>,
    /// In document order, the entry's first.
    pub services: Vec<Service>,
    /// Those that a port uses and all others, in document order, the entry's first.
    pub bindings: Vec<Binding>,
    /// What is wrong with the contract without making it useless, the gravest first.
    pub warnings: Vec<Warning>,
    /// Every document, the entry first.
    pub documents: Vec<Document>,
    /// The target namespaces of the schemas, each once, in the order in which they were found.
    pub namespaces: Vec<String>,
    /// Locations that the contract refers to and that could not be loaded.
    pub missing: Vec<String>,
    /// The entry's documentation.
    pub doc: Option<String>,
}

/// A document of a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Where it came from, redirects followed.
    pub location: String,
    /// What it is.
    pub kind: DocumentKind,
    /// BLAKE3 of its bytes.
    pub digest: [u8; 32],
}

/// A `wsdl:service` (WSDL 1.1, 2.7).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Service {
    /// Its local name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Its ports, in document order.
    pub ports: Vec<Port>,
    /// Its documentation.
    pub doc: Option<String>,
}

/// A `wsdl:port` (WSDL 1.1, 2.6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Port {
    /// Its name, unique in the service.
    pub name: String,
    /// Index into [`Contract::bindings`].
    pub binding: usize,
    /// The `location` of its address.
    pub address: Option<String>,
    /// Its documentation.
    pub doc: Option<String>,
}

/// A `wsdl:binding` (WSDL 1.1, 2.5) with its port type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    /// Its local name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// The port type's name, as `{namespace}local`.
    pub port_type: String,
    /// What carries the messages.
    pub protocol: Protocol,
    /// The URI of the transport, for SOAP.
    pub transport: String,
    /// In document order.
    pub operations: Vec<Operation>,
    /// Whether callers use WS-Addressing.
    pub addressing: Addressing,
}

/// Whether a binding asks for WS-Addressing; a port that asks makes its binding ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Addressing {
    /// It does not say.
    #[default]
    Unsaid,
    /// Callers may use it.
    Optional,
    /// Callers must use it.
    Required,
}

/// What carries a binding's messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Protocol {
    /// SOAP 1.1 (WSDL 1.1, 3).
    Soap11,
    /// SOAP 1.2 (WSDL 1.1 Binding Extension for SOAP 1.2).
    Soap12,
    /// HTTP GET or POST without SOAP (WSDL 1.1, 4): not supported.
    Http,
    /// Something else, by the namespace of its extension element; empty if there is none.
    Other(String),
}

impl Protocol {
    /// Whether it is SOAP, of either version.
    pub fn is_soap(&self) -> bool {
        matches!(self, Protocol::Soap11 | Protocol::Soap12)
    }
}

/// An operation of a binding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// Its name, unique in the binding: a second operation of the same name gets `_2` (overloading,
    /// which WS-I Basic Profile R2304 forbids).
    pub name: String,
    /// The SOAPAction, perhaps empty.
    pub soap_action: String,
    /// Whether there is no reply.
    pub one_way: bool,
    /// How the body is made.
    pub style: BodyStyle,
    /// The request; `None` only if [`Operation::unsupported`] says why.
    pub input: Option<Plan>,
    /// The reply; `None` for one-way operations too.
    pub output: Option<Plan>,
    /// The declared faults.
    pub faults: Vec<FaultDecl>,
    /// A complex type with one optional element field for each element that a declared fault puts
    /// into the detail, and for each type that it may have there.
    pub detail: ComplexId,
    /// Why it cannot be used: the construct and where it stands.
    pub unsupported: Option<String>,
    /// Its documentation.
    pub doc: Option<String>,
    /// The WS-Addressing action of the request: declared, else the SOAPAction, else made of names
    /// (WS-Addressing 1.0 Metadata, 4.4).
    pub input_action: String,
    /// The WS-Addressing action of the reply, declared or made of names; empty for one-way operations.
    pub output_action: String,
}

impl Operation {
    /// The field of the detail that holds a fault of its own.
    pub fn fault_field<'t>(&self, types: &'t Types, fault: &FaultDecl) -> Option<&'t Field> {
        types.complex(self.detail).fields.get(fault.field? as usize)
    }
}

/// How a body is made (WSDL 1.1, 3.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyStyle {
    /// The parts are elements of the body.
    Document,
    /// The parts stand in an element named for the operation.
    Rpc,
}

/// A fault that an operation declares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultDecl {
    /// Its name.
    pub name: String,
    /// The element in the detail, as `{namespace}local`.
    pub element: String,
    /// The same in the table, unless it is missing there.
    pub id: Option<ElementId>,
    /// The field of [`Operation::detail`] that holds it.
    pub field: Option<u32>,
    /// Its WS-Addressing action, declared or made of names.
    pub action: String,
}

/// A port and what belongs to it.
#[derive(Clone, Copy, Debug)]
pub struct PortRef<'c> {
    /// The service; `None` when the contract has none.
    pub service: Option<&'c Service>,
    /// The port; `None` when the contract has no service.
    pub port: Option<&'c Port>,
    /// The port's binding.
    pub binding: &'c Binding,
}

/// An operation and what it was found through.
#[derive(Clone, Copy, Debug)]
pub struct Found<'c> {
    /// The service; `None` when the contract has none.
    pub service: Option<&'c Service>,
    /// The port; `None` when the contract has no service.
    pub port: Option<&'c Port>,
    /// The binding.
    pub binding: &'c Binding,
    /// The operation.
    pub operation: &'c Operation,
}

impl Contract {
    /// Loads and compiles a contract: WSDL 1.1, or an XML Schema alone. A schema has no services; where
    /// its elements pair as `X` and `XResponse`, it has one binding of SOAP 1.1 with an operation `X` for
    /// each pair, and elements called `...Fault` are the details of its faults.
    ///
    /// # Errors
    /// If the entry cannot be loaded, is no contract, or a limit is reached. What is wrong or
    /// missing in parts of it is a warning, and an error when such a part is used
    /// ([`Operation::unsupported`], [`castile_plan::TypeId::Unsupported`]).
    pub fn load<'a>(
        entry: impl Into<Entry<'a>>,
        resolver: &dyn Resolver,
        options: &Options,
    ) -> Result<Self, Error> {
        let documents = Documents::load(entry.into(), resolver, options)?;
        let mut compiler = Compiler::new(&documents, options.limits);
        compiler.compile()?;
        let wsdl::Compiled {
            name,
            doc,
            services,
            bindings,
        } = wsdl::compile(&mut compiler);
        let Compiler {
            mut types,
            mut warnings,
            ..
        } = compiler;
        let place = Place::document(documents.location(0));
        let missing = documents.missing_locations.clone();
        let namespaces = documents.namespaces();
        types
            .seal()
            .map_err(|e| Error::new(Kind::Table(e.to_string().into()), place))?;
        warnings.splice(..0, documents.warnings);
        // What is used in several places is compiled in each.
        let mut said = std::collections::HashSet::new();
        warnings.retain(|warning| said.insert(warning.to_string()));
        warnings.sort_by_key(|warning| warning.kind);
        let sources = documents.list.into_iter();
        let documents = sources.map(|d| Document {
            location: d.location.into(),
            kind: d.kind,
            digest: d.digest,
        });
        Ok(Contract {
            name,
            types: Arc::new(types),
            services,
            bindings,
            warnings,
            documents: documents.collect(),
            namespaces,
            missing,
            doc,
        })
    }

    /// An operation by name, through the first of [`Contract::ports`] that has it.
    ///
    /// # Errors
    /// [`Kind::Unknown`], with the names there are.
    pub fn operation(
        &self,
        service: Option<&str>,
        port: Option<&str>,
        name: &str,
    ) -> Result<Found<'_>, Error> {
        let ports = self.ports(service, port)?;
        for &PortRef {
            service,
            port,
            binding,
        } in &ports
        {
            if let Some(operation) = binding.operations.iter().find(|o| o.name == name) {
                return Ok(Found {
                    service,
                    port,
                    binding,
                    operation,
                });
            }
        }
        let first = ports.iter().take(1);
        let names = first.flat_map(|p| p.binding.operations.iter().map(|o| o.name.as_str()));
        Err(unknown("operation", name, names))
    }

    /// The ports of this service and of this name, or of all; those of SOAP first, else in document
    /// order. So the first is the port that a caller who names none means. The bindings of a
    /// contract without services count as ports without a service.
    ///
    /// # Errors
    /// [`Kind::Unknown`] if there is none, with the names there are.
    pub fn ports(&self, service: Option<&str>, port: Option<&str>) -> Result<Vec<PortRef<'_>>, Error> {
        let mut found = Vec::new();
        let named = |s: &&Service| service.is_none_or(|name| name == s.name);
        for service in self.services.iter().filter(named) {
            for port in &service.ports {
                if let Some(binding) = self.bindings.get(port.binding) {
                    found.push(PortRef {
                        service: Some(service),
                        port: Some(port),
                        binding,
                    });
                }
            }
        }
        if let (Some(name), true) = (service, !self.services.iter().any(|s| named(&s))) {
            return Err(unknown(
                "service",
                name,
                self.services.iter().map(|s| s.name.as_str()),
            ));
        }
        if self.services.is_empty() {
            found.extend(self.bindings.iter().map(|binding| PortRef {
                service: None,
                port: None,
                binding,
            }));
        }
        if let Some(name) = port {
            let names: Vec<&str> = found.iter().filter_map(|p| Some(p.port?.name.as_str())).collect();
            if !names.contains(&name) {
                return Err(unknown("port", name, names.into_iter()));
            }
            found.retain(|p| p.port.is_some_and(|p| p.name == name));
        }
        found.sort_by_key(|p| !p.binding.protocol.is_soap());
        if found.is_empty() {
            return Err(unknown(
                "port",
                port.unwrap_or("with operations"),
                std::iter::empty(),
            ));
        }
        Ok(found)
    }
}

fn unknown<'a>(what: &'static str, name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let known = known.map(Into::into).collect();
    Error::new(
        Kind::Unknown {
            what,
            name: name.into(),
            known,
        },
        Place::default(),
    )
}
