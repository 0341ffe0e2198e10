//! What a WSDL says about WS-Addressing: the action of each message (WS-Addressing 1.0 Metadata, 4.4;
//! the older WSDL Binding, 4), and whether a binding asks for it (Metadata, 3.1; WSDL Binding, 3.1).

use super::At;
use crate::compile::Compiler;
use crate::contract::Addressing;
use crate::names::{Names, Ns};
use crate::tree::NodeRef;

/// The action of an operation's request: declared, else its SOAPAction, else made of names.
pub(super) fn input<'d>(
    compiler: &Compiler<'d>,
    port_type: At<'d>,
    defined: NodeRef<'d>,
    soap_action: &str,
) -> String {
    let names = &compiler.documents.names;
    let input = defined.child(Ns::WSDL, "input");
    match input.and_then(|input| declared(names, input)) {
        Some(action) => action,
        None if !soap_action.is_empty() => soap_action.to_owned(),
        None => by_names(names, port_type, &[&message_name(defined, input, "Request")]),
    }
}

/// The action of an operation's reply; empty for one-way operations.
pub(super) fn output<'d>(compiler: &Compiler<'d>, port_type: At<'d>, defined: NodeRef<'d>) -> String {
    let names = &compiler.documents.names;
    let Some(output) = defined.child(Ns::WSDL, "output") else {
        return String::new();
    };
    let declared = declared(names, output);
    declared.unwrap_or_else(|| {
        by_names(
            names,
            port_type,
            &[&message_name(defined, Some(output), "Response")],
        )
    })
}

/// The action of a declared fault.
pub(super) fn fault<'d>(
    compiler: &Compiler<'d>,
    port_type: At<'d>,
    operation: &str,
    fault: NodeRef<'d>,
) -> String {
    let names = &compiler.documents.names;
    let name = fault.token("name").unwrap_or_default();
    declared(names, fault).unwrap_or_else(|| by_names(names, port_type, &[operation, "Fault", name]))
}

/// Whether a binding, or the port that uses it, asks for addressing: by `UsingAddressing` or by a
/// policy, in it or referred to.
pub(super) fn asked<'d>(compiler: &Compiler<'d>, at: At<'d>) -> Addressing {
    let names = &compiler.documents.names;
    let here = below(at.node).filter(|n| !n.is(Ns::WSDL, "operation"));
    let references = at.node.children().filter_map(|child| {
        let uri = child
            .token("URI")
            .filter(|_| child.local() == "PolicyReference")?;
        let root = compiler.documents.node(at.document, 0)?;
        let named = |n: &NodeRef<'d>| {
            n.local() == "Policy" && n.foreign("Id", |_| true) == Some(uri.trim_start_matches('#'))
        };
        below(root).find(named)
    });
    let everywhere = here.chain(references.flat_map(below));
    let asks = everywhere.filter(|n| {
        matches!(n.local(), "UsingAddressing" | "Addressing") && names.uri(n.ns()).contains("addressing")
    });
    asks.map(|n| strength(names, n))
        .max()
        .unwrap_or(Addressing::Unsaid)
}

/// A policy's assertion holds unless it says that it is optional; an extension of WSDL may be ignored
/// unless it says that it is required.
fn strength(names: &Names, node: NodeRef<'_>) -> Addressing {
    let says = |local: &str, part: &str| {
        let value = node.foreign(local, |ns| names.uri(ns).contains(part));
        value.is_some_and(|v| matches!(v.trim(), "true" | "1"))
    };
    let required = match node.local() {
        "Addressing" => !says("Optional", "policy"),
        _ => says("required", "wsdl"),
    };
    if required {
        Addressing::Required
    } else {
        Addressing::Optional
    }
}

/// A node and all elements under it, to a depth that policies do not reach.
fn below<'d>(node: NodeRef<'d>) -> Box<dyn Iterator<Item = NodeRef<'d>> + 'd> {
    deeper(node, 8)
}

fn deeper<'d>(node: NodeRef<'d>, depth: u32) -> Box<dyn Iterator<Item = NodeRef<'d>> + 'd> {
    let inside = node
        .children()
        .filter(move |c| depth > 0 && !c.is(Ns::WSDL, "operation"));
    Box::new(std::iter::once(node).chain(inside.flat_map(move |c| deeper(c, depth - 1))))
}

/// The `Action` attribute of WS-Addressing, in whichever of its namespaces.
fn declared(names: &Names, message: NodeRef<'_>) -> Option<String> {
    let action = message.foreign("Action", |ns| names.uri(ns).contains("addressing"))?;
    Some(action.trim().to_owned()).filter(|action| !action.is_empty())
}

/// The name of an input or output (WSDL 1.1, 2.4.5).
fn message_name(defined: NodeRef<'_>, message: Option<NodeRef<'_>>, suffix: &str) -> String {
    let operation = defined.token("name").unwrap_or_default();
    match message.and_then(|m| m.token("name")) {
        Some(name) => name.to_owned(),
        None if suffix == "Request" && defined.child(Ns::WSDL, "output").is_none() => operation.to_owned(),
        None => format!("{operation}{suffix}"),
    }
}

/// The default pattern: target namespace, port type and the rest, joined by `/`, or by `:` for a URN.
fn by_names(names: &Names, port_type: At<'_>, rest: &[&str]) -> String {
    let target = names.uri(port_type.target);
    let joint = if target.starts_with("urn:") { ":" } else { "/" };
    let port_type = port_type.node.token("name").unwrap_or_default();
    let mut action = target.strip_suffix(joint).unwrap_or(target).to_owned();
    for name in std::iter::once(&port_type).chain(rest) {
        action.push_str(joint);
        action.push_str(name);
    }
    action
}
