//! What a WSDL has against the WS-I Basic Profile 1.1: nothing that keeps it from being used here, but what other
//! toolkits may not understand. Each finding begins with the number of its requirement.

use std::collections::HashSet;

use super::operation::is_soap;
use super::{At, Definitions};
use crate::contract::Contract;
use crate::error::Error;
use crate::load::{DocumentKind, Documents, Entry};
use crate::names::Ns;
use crate::options::Options;
use crate::resolve::Resolver;
use crate::tree::NodeRef;
use crate::warning::{Warning, WarningKind};

impl Contract {
    /// What the documents of a WSDL have against the Basic Profile 1.1, in their order.
    ///
    /// # Errors
    /// As of [`Contract::load`].
    pub fn profile<'a>(
        entry: impl Into<Entry<'a>>,
        resolver: &dyn Resolver,
        options: &Options,
    ) -> Result<Vec<Warning>, Error> {
        let documents = Documents::load(entry.into(), resolver, options)?;
        let definitions = Definitions::new(&documents);
        let mut profile = Profile {
            documents: &documents,
            definitions: &definitions,
            found: Vec::new(),
        };
        for (document, root) in documents.roots(DocumentKind::Wsdl) {
            profile.order(document, root);
            profile.schemas(document, root);
            for child in root.children().filter(|c| c.ns() == Ns::WSDL) {
                match child.local() {
                    "message" => profile.message(document, child),
                    "portType" => profile.port_type(document, child),
                    "binding" => profile.binding(document, child),
                    _ => {}
                }
            }
        }
        Ok(profile.found)
    }
}

struct Profile<'d> {
    documents: &'d Documents,
    definitions: &'d Definitions<'d>,
    found: Vec<Warning>,
}

impl<'d> Profile<'d> {
    fn find(&mut self, document: u32, node: NodeRef<'d>, text: &str) {
        self.found.push(Warning {
            kind: WarningKind::Profile,
            place: self.documents.place(document, node),
            text: text.into(),
        });
    }

    /// Imports come first, then types.
    fn order(&mut self, document: u32, root: NodeRef<'d>) {
        let (mut types, mut others) = (false, false);
        for child in root.children().filter(|c| c.ns() == Ns::WSDL) {
            match child.local() {
                "documentation" => {}
                "import" => {
                    if types || others {
                        self.find(document, child, "R2022: wsdl:import stands behind other elements");
                    }
                    if child.token("location").is_none() {
                        self.find(document, child, "R2007: wsdl:import has no location");
                    }
                }
                "types" => {
                    if others {
                        self.find(document, child, "R2023: wsdl:types stands behind other elements");
                    }
                    types = true;
                }
                _ => others = true,
            }
        }
    }

    fn schemas(&mut self, document: u32, root: NodeRef<'d>) {
        for schema in root
            .named(Ns::WSDL, "types")
            .flat_map(|types| types.named(Ns::XSD, "schema"))
        {
            let only_imports = schema
                .children()
                .all(|c| c.is(Ns::XSD, "import") || c.is(Ns::XSD, "annotation"));
            if schema.token("targetNamespace").is_none() && !only_imports {
                self.find(document, schema, "R2105: a schema has no targetNamespace");
            }
            let mut waiting = vec![schema];
            while let Some(node) = waiting.pop() {
                let is_array = |q: crate::tree::QNameRef<'_>| q.ns == Ns::ENCODING11 && q.local == "Array";
                if node.qname("base").is_some_and(is_array) {
                    self.find(document, node, "R2110: a type is derived from soapenc:Array");
                }
                if node.array_type().is_some() {
                    self.find(document, node, "R2111: an attribute has wsdl:arrayType");
                }
                let below: Vec<_> = node.children().collect();
                waiting.extend(below.into_iter().rev());
            }
        }
    }

    fn message(&mut self, document: u32, message: NodeRef<'d>) {
        for part in message.named(Ns::WSDL, "part") {
            if part.token("element").is_some() && part.token("type").is_some() {
                self.find(document, part, "R2306: a part has both element and type");
            }
        }
    }

    fn port_type(&mut self, document: u32, port_type: NodeRef<'d>) {
        let mut names = HashSet::new();
        for operation in port_type.named(Ns::WSDL, "operation") {
            if !names.insert(operation.token("name")) {
                self.find(
                    document,
                    operation,
                    "R2304: two operations of a port type have one name",
                );
            }
            let first = operation
                .children()
                .find(|c| c.is(Ns::WSDL, "input") || c.is(Ns::WSDL, "output"));
            if first.is_some_and(|c| c.local() == "output") {
                self.find(
                    document,
                    operation,
                    "R2303: an operation that the server begins (notification or solicit-response)",
                );
            }
        }
    }

    fn binding(&mut self, document: u32, binding: NodeRef<'d>) {
        let Some(soap) = binding.child(Ns::SOAP11, "binding") else {
            let speaks = |node: NodeRef<'d>| node.children().any(|c| is_soap(c.ns()));
            if speaks(binding) || binding.named(Ns::WSDL, "operation").any(speaks) {
                self.find(
                    document,
                    binding,
                    "R2701: a binding of SOAP has no soap:binding of SOAP 1.1",
                );
            }
            return;
        };
        if soap.token("transport") != Some("http://schemas.xmlsoap.org/soap/http") {
            self.find(
                document,
                soap,
                "R2702: the transport of a binding is not SOAP over HTTP",
            );
        }
        self.operations(document, binding, soap.token("style").unwrap_or("document"));
    }

    /// The operations of a binding of this style, and those of its port type.
    fn operations(&mut self, document: u32, binding: NodeRef<'d>, style: &str) {
        let operations: Vec<_> = binding.named(Ns::WSDL, "operation").collect();
        let own = |operation: &NodeRef<'d>| {
            let soap = operation.child(Ns::SOAP11, "operation");
            soap.and_then(|soap| soap.token("style")).unwrap_or(style)
        };
        if operations.iter().any(|o| own(o) != own(&operations[0])) {
            self.find(document, binding, "R2705: a binding mixes rpc and document style");
        }
        let port_type = binding
            .qname("type")
            .and_then(|name| self.definitions.port_types.find(name));
        let defined: Vec<_> = port_type
            .iter()
            .flat_map(|found| found.at.node.named(Ns::WSDL, "operation"))
            .collect();
        let names = |list: &[NodeRef<'d>]| -> HashSet<_> { list.iter().map(|o| o.token("name")).collect() };
        if port_type.is_some() && names(&operations) != names(&defined) {
            let text = "R2718: a binding has other operations than its port type";
            self.find(document, binding, text);
        }
        let mut bodies = HashSet::new();
        for operation in operations {
            let definition = defined
                .iter()
                .find(|o| o.token("name") == operation.token("name"));
            let rpc = own(&operation) == "rpc";
            let request = self.messages(document, operation, definition.copied(), rpc);
            if request.is_some_and(|wire| !rpc && !bodies.insert(wire)) {
                let text = "R2710: two operations of a binding take the same message";
                self.find(document, operation, text);
            }
        }
    }

    /// The messages of a bound operation, which its port type defines; gives what its request is on the wire.
    fn messages(
        &mut self,
        document: u32,
        operation: NodeRef<'d>,
        definition: Option<NodeRef<'d>>,
        rpc: bool,
    ) -> Option<(Ns, &'d str)> {
        let mut request = None;
        for bound in operation.children().filter(|c| c.ns() == Ns::WSDL) {
            self.bound(document, bound, rpc);
            let message = definition.and_then(|d| {
                let same = |c: &NodeRef<'d>| {
                    c.is(Ns::WSDL, bound.local())
                        && (bound.local() != "fault" || c.token("name") == bound.token("name"))
                };
                let name = d.children().find(same)?.qname("message")?;
                self.definitions.messages.find(name)
            });
            let wire = message.and_then(|message| self.parts(document, bound, message.at, rpc));
            if bound.local() == "input" {
                request = wire;
            }
        }
        request
    }

    /// What stands in the input, output or fault of a bound operation.
    fn bound(&mut self, document: u32, bound: NodeRef<'d>, rpc: bool) {
        let direct = || bound.children().filter(|c| c.ns() == Ns::SOAP11);
        let faults = direct().flat_map(|c| c.named(Ns::SOAP11, "headerfault"));
        let all: Vec<_> = direct().chain(faults).collect();
        for soap in all {
            if soap.token("use").is_some_and(|word| word != "literal") {
                self.find(document, soap, "R2706: a message is encoded, not literal");
            }
            let namespace = soap.attribute("namespace").is_some();
            match (rpc, soap.local()) {
                (true, "body") if soap.token("namespace").is_none() => {
                    self.find(document, soap, "R2717: soap:body in rpc style has no namespace");
                }
                (true, "header" | "headerfault" | "fault") if namespace => {
                    self.find(document, soap, "R2726: a header or fault has a namespace");
                }
                (false, _) if namespace => {
                    self.find(
                        document,
                        soap,
                        "R2716: a message in document style has a namespace",
                    );
                }
                _ => {}
            }
            match soap.local() {
                "fault" if soap.token("name").is_none() => {
                    self.find(document, soap, "R2721: soap:fault has no name");
                }
                "fault" if soap.token("name") != bound.token("name") => {
                    self.find(
                        document,
                        soap,
                        "R2754: soap:fault and its wsdl:fault have different names",
                    );
                }
                "header" | "headerfault" if soap.token("part").is_none() => {
                    self.find(document, soap, "R2720: a header names no part");
                }
                _ => {}
            }
        }
    }

    /// The parts that a bound message sends in its body; the element of the first.
    fn parts(
        &mut self,
        document: u32,
        bound: NodeRef<'d>,
        message: At<'d>,
        rpc: bool,
    ) -> Option<(Ns, &'d str)> {
        let body = bound.child(Ns::SOAP11, "body");
        let listed = body.and_then(|body| body.attribute("parts"));
        let sent = |part: &NodeRef<'d>| {
            listed.is_none_or(|names| {
                names
                    .split_ascii_whitespace()
                    .any(|n| part.token("name") == Some(n))
            })
        };
        let parts: Vec<_> = message.node.named(Ns::WSDL, "part").filter(sent).collect();
        if body.is_none() && bound.local() != "fault" {
            return None;
        }
        if !rpc && parts.len() > 1 && bound.local() != "fault" {
            let place = body.unwrap_or(bound);
            self.find(
                document,
                place,
                "R2201: a body in document style has several parts",
            );
        }
        for part in &parts {
            let element = part.token("element").is_some();
            if rpc && element && bound.local() != "fault" {
                self.find(
                    message.document,
                    *part,
                    "R2203: a part in rpc style has an element",
                );
            }
            if !element && bound.local() == "fault" {
                self.find(message.document, *part, "R2205: a part of a fault has no element");
            } else if !rpc && !element {
                self.find(
                    message.document,
                    *part,
                    "R2204: a part in document style has no element",
                );
            }
        }
        let first = parts.first()?.qname("element")?;
        Some((first.ns, first.local))
    }
}
