//! Operations of a binding together with those of its port type (WSDL 1.1, 2.4, 2.5, 3.4).

use std::collections::HashMap;

use castile_plan::Plan;

use super::message::{Messages, Side};
use super::{At, Definitions, binding::warn};
use crate::compile::Compiler;
use crate::contract::{BodyStyle, Operation, Protocol};
use crate::names::Ns;
use crate::tree::NodeRef;

/// Compiles the operations of `binding`, whose port type is `port_type`.
pub(super) fn compile<'d>(
    compiler: &mut Compiler<'d>,
    definitions: &Definitions<'d>,
    binding: At<'d>,
    port_type: At<'d>,
    protocol: &Protocol,
    style: Option<&'d str>,
) -> Vec<Operation> {
    let mut names: HashMap<String, u32> = HashMap::new();
    let mut operations = Vec::new();
    let abstracts: Vec<NodeRef<'d>> = port_type.node.named(Ns::WSDL, "operation").collect();
    for bound in binding.node.named(Ns::WSDL, "operation") {
        let Some(name) = bound.token("name") else {
            warn(
                compiler,
                binding,
                bound,
                "an operation without a name is left out",
            );
            continue;
        };
        let same = || {
            abstracts
                .iter()
                .copied()
                .filter(|a| a.token("name") == Some(name))
        };
        let Some(defined) = same().find(|a| messages_fit(bound, *a)).or_else(|| same().next()) else {
            let text =
                format!("operation {name} is left out: its port type has none of that name (WSDL 1.1, 2.5)");
            warn(compiler, binding, bound, &text);
            continue;
        };
        let count = names.entry(name.into()).or_insert(0);
        *count += 1;
        let mut unique = name.to_owned();
        if *count > 1 {
            unique = format!("{name}_{count}");
            let text = format!("operation {name} is overloaded (WS-I BP R2304); this one is called {unique}");
            warn(compiler, binding, bound, &text);
        }
        let parts = Parts {
            definitions,
            binding,
            port_type,
            bound,
            defined,
            protocol,
            style,
        };
        operations.push(operation(compiler, &parts, name, unique));
    }
    operations
}

/// What an operation is made from.
struct Parts<'a, 'd> {
    definitions: &'a Definitions<'d>,
    binding: At<'d>,
    port_type: At<'d>,
    bound: NodeRef<'d>,
    defined: NodeRef<'d>,
    protocol: &'a Protocol,
    style: Option<&'d str>,
}

/// Whether the names of input and output, which tell overloaded operations apart, are the same.
fn messages_fit(bound: NodeRef<'_>, defined: NodeRef<'_>) -> bool {
    ["input", "output"].into_iter().all(|side| {
        let name = |node: NodeRef<'_>| {
            let child = node.child(Ns::WSDL, side)?;
            Some(child.token("name")?.to_owned())
        };
        match (name(bound), name(defined)) {
            (Some(bound), Some(defined)) => bound == defined,
            _ => true,
        }
    })
}

fn operation<'d>(
    compiler: &mut Compiler<'d>,
    parts: &Parts<'_, 'd>,
    name: &'d str,
    unique: String,
) -> Operation {
    let soap = parts
        .bound
        .children()
        .find(|c| is_soap(c.ns()) && c.local() == "operation");
    let style = match soap.and_then(|s| s.token("style")).or(parts.style) {
        Some("rpc") => BodyStyle::Rpc,
        _ => BodyStyle::Document,
    };
    let messages = Messages {
        definitions: parts.definitions,
        document: parts.binding.document,
        target: parts.port_type.target,
        operation: name,
        style,
        bound: parts.bound,
        defined: parts.defined,
        port_type: parts.port_type,
    };
    let (faults, detail) = messages.faults(compiler);
    let mut operation = Operation {
        name: unique,
        soap_action: soap
            .and_then(|s| s.attribute("soapAction"))
            .unwrap_or_default()
            .into(),
        one_way: parts.defined.child(Ns::WSDL, "output").is_none(),
        style,
        input: None,
        output: None,
        faults,
        detail,
        unsupported: None,
        doc: parts
            .defined
            .documentation()
            .or_else(|| parts.bound.documentation())
            .map(Into::into),
        input_action: action(compiler, parts.defined, "input"),
        output_action: action(compiler, parts.defined, "output"),
    };
    match plans(compiler, parts, &messages) {
        Ok((input, output)) => (operation.input, operation.output) = (Some(input), output),
        Err(why) => operation.unsupported = Some(why),
    }
    operation
}

fn plans<'d>(
    compiler: &mut Compiler<'d>,
    parts: &Parts<'_, 'd>,
    messages: &Messages<'_, 'd>,
) -> Result<(Plan, Option<Plan>), String> {
    if !parts.protocol.is_soap() {
        let what = match parts.protocol {
            Protocol::Http => "an HTTP binding without SOAP",
            _ => "a binding that is not SOAP",
        };
        return Err(messages.refuse(compiler, parts.bound, &format!("{what} is not supported")));
    }
    let mut children = parts.defined.children().filter(|c| c.ns() == Ns::WSDL);
    let first = children.find(|c| matches!(c.local(), "input" | "output"));
    if first.is_none_or(|first| first.local() == "output") {
        let text = "a notification (an operation that the server starts) is not supported";
        return Err(messages.refuse(compiler, parts.defined, text));
    }
    let input = messages.plan(compiler, Side::Input, None)?;
    let output = match parts.defined.child(Ns::WSDL, "output") {
        Some(_) => Some(messages.plan(compiler, Side::Output, Some(&input))?),
        None => None,
    };
    Ok((input, output))
}

/// The `Action` attribute of WS-Addressing, in whichever of its namespaces.
fn action(compiler: &Compiler<'_>, defined: NodeRef<'_>, side: &'static str) -> Option<String> {
    let names = &compiler.documents.names;
    let message = defined.child(Ns::WSDL, side)?;
    let action = message.foreign("Action", |ns| names.uri(ns).contains("addressing"))?;
    Some(action.trim().to_owned()).filter(|action| !action.is_empty())
}

/// The namespaces of SOAP's binding elements. The version is the binding's; some contracts use the
/// elements of the other one inside.
pub(super) fn is_soap(ns: Ns) -> bool {
    matches!(ns, Ns::SOAP11 | Ns::SOAP12)
}
