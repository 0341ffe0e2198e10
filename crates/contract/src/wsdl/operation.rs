//! Operations of a binding together with those of its port type (WSDL 1.1, 2.4, 2.5, 3.4).

use std::collections::{HashMap, HashSet};

use castile_plan::{Plan, TypeId};

use super::message::{Messages, Side};
use super::{At, Definitions, addressing, binding::warn};
use crate::compile::Compiler;
use crate::contract::{BodyStyle, Operation, Protocol};
use crate::names::Ns;
use crate::tree::NodeRef;
use crate::warning::WarningKind;

/// Compiles the operations of `binding`, whose port type is `port_type`. One that the port type
/// lacks can be found and not used.
pub(super) fn compile<'d>(
    compiler: &mut Compiler<'d>,
    definitions: &Definitions<'d>,
    binding: At<'d>,
    port_type: Option<At<'d>>,
    protocol: &Protocol,
    style: Option<&'d str>,
) -> Vec<Operation> {
    let mut abstracts: HashMap<&str, Vec<NodeRef<'d>>> = HashMap::new();
    for defined in port_type.iter().flat_map(|p| p.node.named(Ns::WSDL, "operation")) {
        abstracts
            .entry(defined.token("name").unwrap_or_default())
            .or_default()
            .push(defined);
    }
    let mut names = HashSet::new();
    let mut operations = Vec::new();
    for bound in binding.node.named(Ns::WSDL, "operation") {
        let name = bound.token("name").unwrap_or_default();
        let unique = unique(&mut names, name);
        if unique != name {
            let text = format!("operation {name} is overloaded (WS-I BP R2304); this one is called {unique}");
            warn(compiler, WarningKind::Renamed, binding, bound, &text);
        }
        let same = abstracts.get(name).map(Vec::as_slice).unwrap_or_default();
        let defined = same
            .iter()
            .find(|a| messages_fit(bound, **a))
            .or_else(|| same.first());
        operations.push(match (port_type, defined) {
            (Some(port_type), Some(&defined)) => {
                let parts = Parts {
                    definitions,
                    binding,
                    port_type,
                    bound,
                    defined,
                    protocol,
                    style,
                };
                operation(compiler, &parts, name, unique)
            }
            _ => undefined(compiler, binding, bound, unique),
        });
    }
    operations
}

/// A name that no other operation of the binding has.
fn unique(names: &mut HashSet<String>, name: &str) -> String {
    let mut unique = name.to_owned();
    let mut count = 1;
    while !names.insert(unique.clone()) {
        count += 1;
        unique = format!("{name}_{count}");
    }
    unique
}

/// An operation that is bound and nowhere defined.
fn undefined<'d>(
    compiler: &mut Compiler<'d>,
    binding: At<'d>,
    bound: NodeRef<'d>,
    name: String,
) -> Operation {
    let text = format!("the port type of its binding has no operation {name} (WSDL 1.1, 2.5)");
    warn(compiler, WarningKind::LeftOut, binding, bound, &text);
    let place = compiler.documents.place(binding.document, bound);
    Operation {
        name,
        soap_action: String::new(),
        one_way: true,
        style: BodyStyle::Document,
        input: None,
        output: None,
        faults: Vec::new(),
        detail: compiler.nothing(),
        unsupported: Some(format!("{text}, at {place}")),
        doc: bound.documentation().map(Into::into),
        input_action: String::new(),
        output_action: String::new(),
    }
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
    let soap_action = soap.and_then(|s| s.attribute("soapAction")).unwrap_or_default();
    let mut operation = Operation {
        name: unique,
        soap_action: soap_action.into(),
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
        input_action: addressing::input(compiler, parts.port_type, parts.defined, soap_action),
        output_action: addressing::output(compiler, parts.port_type, parts.defined),
    };
    match plans(compiler, parts, &messages) {
        Ok((input, output)) => {
            let mut bodies = std::iter::once(&input).chain(&output);
            match bodies.find_map(|plan| unusable_body(compiler, plan)) {
                None => (operation.input, operation.output) = (Some(input), output),
                why => operation.unsupported = why,
            }
        }
        Err(why) => operation.unsupported = Some(why),
    }
    operation
}

/// Why a body cannot be written or read at all: an element of it has a type that is not supported.
fn unusable_body(compiler: &Compiler<'_>, plan: &Plan) -> Option<String> {
    let types = &compiler.types;
    types
        .complex(plan.body)
        .fields
        .iter()
        .find_map(|field| match field.ty {
            TypeId::Unsupported(i) => Some(types.unsupported[i as usize].to_string()),
            _ => None,
        })
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

/// The namespaces of SOAP's binding elements. The version is the binding's; some contracts use the
/// elements of the other one inside.
pub(super) fn is_soap(ns: Ns) -> bool {
    matches!(ns, Ns::SOAP11 | Ns::SOAP12)
}
