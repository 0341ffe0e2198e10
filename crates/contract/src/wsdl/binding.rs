//! Services, ports and bindings (WSDL 1.1, 2.5 to 2.7).

use super::{At, Definitions, addressing, operation, wrong_namespace};
use crate::compile::Compiler;
use crate::contract::{Binding, Port, Protocol, Service};
use crate::names::Ns;
use crate::tree::NodeRef;
use crate::warning::{Warning, WarningKind};

/// Compiles every binding, then the services that refer to them.
pub(super) fn compile<'d>(
    compiler: &mut Compiler<'d>,
    definitions: &Definitions<'d>,
) -> (Vec<Service>, Vec<Binding>) {
    let mut bindings: Vec<Binding> = definitions
        .bindings
        .list
        .iter()
        .map(|&at| binding(compiler, definitions, at))
        .collect();
    let services = definitions
        .services
        .iter()
        .map(|&at| service(compiler, definitions, at))
        .collect();
    ports_ask(compiler, definitions, &mut bindings);
    (services, bindings)
}

fn binding<'d>(compiler: &mut Compiler<'d>, definitions: &Definitions<'d>, at: At<'d>) -> Binding {
    let names = &compiler.documents.names;
    let (protocol, extension) = protocol(compiler, at.node);
    let mut binding = Binding {
        name: at.node.token("name").unwrap_or_default().into(),
        namespace: names.uri(at.target).into(),
        port_type: String::new(),
        protocol,
        transport: extension
            .and_then(|e| e.token("transport"))
            .unwrap_or_default()
            .into(),
        operations: Vec::new(),
        addressing: addressing::asked(compiler, at),
    };
    let port_type = port_type(compiler, definitions, at);
    if let Some(found) = port_type {
        let name = found.node.token("name").unwrap_or_default();
        binding.port_type = compiler.documents.names.clark(found.target, name);
    }
    let style = extension.and_then(|e| e.token("style"));
    binding.operations = operation::compile(compiler, definitions, at, port_type, &binding.protocol, style);
    binding
}

/// A port that asks for addressing asks for all that use its binding.
fn ports_ask<'d>(compiler: &Compiler<'d>, definitions: &Definitions<'d>, bindings: &mut [Binding]) {
    for service in &definitions.services {
        for node in service.node.named(Ns::WSDL, "port") {
            let used = node
                .qname("binding")
                .and_then(|name| definitions.bindings.find(name));
            if let Some(binding) = used.and_then(|found| bindings.get_mut(found.index)) {
                let asked = addressing::asked(compiler, At { node, ..*service });
                binding.addressing = binding.addressing.max(asked);
            }
        }
    }
}

fn port_type<'d>(
    compiler: &mut Compiler<'d>,
    definitions: &Definitions<'d>,
    binding: At<'d>,
) -> Option<At<'d>> {
    let names = &compiler.documents.names;
    let Some(reference) = binding.node.qname("type") else {
        let text = "the binding names no port type (WSDL 1.1, 2.5)";
        warn(compiler, WarningKind::LeftOut, binding, binding.node, text);
        return None;
    };
    let Some(found) = definitions.port_types.find(reference) else {
        let text = format!(
            "there is no port type {} (WSDL 1.1, 2.5)",
            names.clark(reference.ns, reference.local)
        );
        warn(compiler, WarningKind::LeftOut, binding, binding.node, &text);
        return None;
    };
    if found.lenient {
        let text = wrong_namespace(names, "port type", reference, found.at);
        warn(compiler, WarningKind::Meant, binding, binding.node, &text);
    }
    Some(found.at)
}

/// What carries the messages, and the element that says so.
fn protocol<'d>(compiler: &Compiler<'d>, node: NodeRef<'d>) -> (Protocol, Option<NodeRef<'d>>) {
    let foreign = || node.children().filter(|c| c.ns() != Ns::WSDL);
    if let Some(extension) = foreign().find(|c| c.local() == "binding") {
        let protocol = match extension.ns() {
            Ns::SOAP11 => Protocol::Soap11,
            Ns::SOAP12 => Protocol::Soap12,
            Ns::HTTP => Protocol::Http,
            ns => Protocol::Other(compiler.documents.names.uri(ns).into()),
        };
        return (protocol, Some(extension));
    }
    let ns = foreign().next().map_or(Ns::NONE, NodeRef::ns);
    (Protocol::Other(compiler.documents.names.uri(ns).into()), None)
}

fn service<'d>(compiler: &mut Compiler<'d>, definitions: &Definitions<'d>, at: At<'d>) -> Service {
    let ports = at
        .node
        .named(Ns::WSDL, "port")
        .filter_map(|node| port(compiler, definitions, at, node))
        .collect();
    Service {
        name: at.node.token("name").unwrap_or_default().into(),
        namespace: compiler.documents.names.uri(at.target).into(),
        ports,
        doc: at.node.documentation().map(Into::into),
    }
}

fn port<'d>(
    compiler: &mut Compiler<'d>,
    definitions: &Definitions<'d>,
    service: At<'d>,
    node: NodeRef<'d>,
) -> Option<Port> {
    let name = node.token("name").unwrap_or_default();
    let reference = node.qname("binding");
    let Some((reference, found)) = reference.and_then(|r| Some((r, definitions.bindings.find(r)?))) else {
        let text = format!(
            "port {name} is left out: there is no binding {}",
            node.token("binding").unwrap_or("for it")
        );
        warn(compiler, WarningKind::LeftOut, service, node, &text);
        return None;
    };
    if found.lenient {
        let text = wrong_namespace(&compiler.documents.names, "binding", reference, found.at);
        warn(compiler, WarningKind::Meant, service, node, &text);
    }
    let address = node
        .children()
        .find(|c| c.ns() != Ns::WSDL && c.local() == "address");
    Some(Port {
        name: name.into(),
        binding: found.index,
        address: address.and_then(|a| a.token("location")).map(Into::into),
        doc: node.documentation().map(Into::into),
    })
}

pub(super) fn warn<'d>(
    compiler: &mut Compiler<'d>,
    kind: WarningKind,
    at: At<'d>,
    node: NodeRef<'d>,
    text: &str,
) {
    let place = compiler.documents.place(at.document, node);
    compiler.warnings.push(Warning {
        kind,
        place,
        text: text.into(),
    });
}
