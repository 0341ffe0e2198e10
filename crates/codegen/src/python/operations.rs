//! Clients, what they call, and services.

use std::fmt::Write;

use castile_plan::{ComplexId, Field, Style};

use super::annotation::{NONE, Ty, Uses, Writer};
use super::classes::Later;
use super::model::{Empty, Model};
use super::names::{attributes, identifier};
use super::text::{bracketed, docstring, fits, literal};
use crate::ident::Scope;
use crate::reach::{Interface, Signature};

/// The types of an operation's messages as Python has them.
pub(super) struct Told<'c> {
    pub(super) signature: &'c Signature<'c>,
    /// The type whose fields are the arguments.
    pub(super) arguments: ComplexId,
    /// The type whose fields are the results: one of them is the value itself.
    pub(super) results: Option<ComplexId>,
}

impl<'c> Told<'c> {
    pub(super) fn new(types: &castile_plan::Types, signature: &'c Signature<'c>) -> Self {
        let results = signature.operation.output.as_ref().map(|plan| match plan.style {
            Style::Wrapped => plan.values(types).0,
            Style::Bare => plan.body,
        });
        Told {
            signature,
            arguments: signature.request,
            results,
        }
    }
}

/// Appends the exceptions of declared faults: one an element.
pub(super) fn write_faults(out: &mut String, model: &mut Model<'_>, uses: &mut Uses, told: &[Vec<Told<'_>>]) {
    // Parts with types make one element of different types in different operations.
    let mut faults: Vec<(String, &Field, Ty)> = Vec::new();
    for signature in told.iter().flatten().map(|t| t.signature) {
        let Some(detail) = signature.detail else { continue };
        for field in &model.types.complex(detail).fields {
            let element = model.types.clark(&field.wire);
            let ty = model.detail(field);
            match faults.iter_mut().find(|(known, ..)| *known == element) {
                Some((_, _, all)) => *all = all.clone().or(ty),
                None => faults.push((element, field, ty)),
            }
        }
    }
    for (element, field, ty) in faults {
        let local = identifier(&field.wire.local);
        let suffix = if local.ends_with("Fault") {
            "Error"
        } else {
            "Fault"
        };
        let name = model.scope.take(&format!("{local}{suffix}"), "_");
        let ty = Writer::new(uses, []).write(&ty);
        out.push_str("\n\n");
        bracketed(
            out,
            "",
            "@typed.fault(",
            &["_types".into(), literal(&element)],
            ")",
        );
        bracketed(
            out,
            "",
            &format!("class {name}("),
            &[format!("typed.Fault[{ty}]")],
            "):",
        );
        let words = format!("The declared fault `{element}`.");
        docstring(out, "    ", &[field.doc.as_deref().unwrap_or_default(), &words]);
    }
}

/// What methods are written with.
pub(super) struct Pen<'m, 'c> {
    pub(super) model: &'m mut Model<'c>,
    pub(super) uses: &'m mut Uses,
    pub(super) later: &'m mut Later,
}

/// Appends clients and services, one of each for a port type.
pub(super) fn write(
    out: &mut String,
    pen: &mut Pen<'_, '_>,
    interfaces: &[Interface<'_>],
    told: &[Vec<Told<'_>>],
) {
    for (n, (interface, told)) in interfaces.iter().zip(told).enumerate() {
        let stem = identifier(interface.name);
        let mut take = |wanted: String| pen.model.scope.take(&wanted, "_");
        let plain = take(format!("{stem}Operations"));
        let waited = take(format!("Async{stem}Operations"));
        // The port type that a client calls when it is told nothing has the plain names.
        let (client, later) = match n {
            0 => ("Client".to_owned(), "AsyncClient".to_owned()),
            _ => (take(format!("{stem}Client")), take(format!("Async{stem}Client"))),
        };
        let stem = match stem.ends_with("Service") {
            true => stem,
            false => format!("{stem}Service"),
        };
        let service = take(stem);
        write_operations(out, pen, interface, told, &plain, "");
        write_operations(out, pen, interface, told, &waited, "async ");
        write_client(out, interface, &client, &plain, "Client");
        write_client(out, interface, &later, &waited, "AsyncClient");
        write_service(out, pen, interface, told, &service);
    }
}

fn write_operations(
    out: &mut String,
    pen: &mut Pen<'_, '_>,
    interface: &Interface<'_>,
    told: &[Told<'_>],
    name: &str,
    kind: &str,
) {
    pen.uses.note("Protocol");
    let _ = writeln!(out, "\n\nclass {name}(Protocol):");
    let how = if kind.is_empty() { "" } else { ", awaited" };
    let words = format!(
        "What the port type `{}` offers{how}: `client.service.NAME(...)`.",
        interface.binding.port_type
    );
    docstring(out, "    ", &[&words]);
    let methods = methods(told);
    for (told, method) in told.iter().zip(&methods) {
        let given = call_parameters(pen.model, told);
        let gives = result(pen.model, told, false);
        let mut lines = Lines {
            pen,
            shadowed: &methods,
            stem: format!("{name}_{method}"),
        };
        let parameters = given.iter().map(|p| lines.parameter(p)).collect();
        let gives = lines.shorter("    ) -> :", gives, "result");
        out.push('\n');
        write_def(out, kind, method, parameters, &gives);
        document(out, told, "Calls");
    }
    for (operation, why) in &interface.left_out {
        let _ = writeln!(out, "\n    # {} is left out: {}", line(operation), line(why));
    }
}

fn write_client(out: &mut String, interface: &Interface<'_>, name: &str, operations: &str, base: &str) {
    out.push_str("\n\n");
    let bases = [format!("typed.{base}[{operations}]")];
    bracketed(out, "", &format!("class {name}("), &bases, "):");
    let words = format!(
        "A client of the port type `{}`. Its settings are those of `castile.{base}`.",
        interface.binding.port_type
    );
    docstring(out, "    ", &[&words]);
    out.push_str("\n    _castile_types = _types\n");
    if let Some((service, port)) = interface.port {
        let items = [literal(service), literal(port)];
        bracketed(out, "    ", "_castile_port = (", &items, ")");
    }
}

fn write_service(
    out: &mut String,
    pen: &mut Pen<'_, '_>,
    interface: &Interface<'_>,
    told: &[Told<'_>],
    name: &str,
) {
    let _ = writeln!(out, "\n\nclass {name}(typed.Service):");
    let words = format!(
        "What answers the port type `{}`: derive from it, write the methods, and give an object to \
         `castile.serve`. Methods that are not written answer with a fault.",
        interface.binding.port_type
    );
    docstring(out, "    ", &[&words]);
    out.push_str("\n    _castile_types = _types\n");
    if let Some((service, _)) = interface.port {
        let _ = writeln!(out, "    _castile_service = {}", literal(service));
    }
    let methods = methods(told);
    for (told, method) in told.iter().zip(&methods) {
        let mut given: Vec<Parameter> = arguments(pen.model, told.arguments)
            .into_iter()
            .map(|(field, name)| Parameter::new(name, pen.model.held(told.arguments, field).ty, ""))
            .collect();
        if !given.is_empty() {
            given.insert(0, Parameter::Keywords);
        }
        let gives = result(pen.model, told, true);
        let mut lines = Lines {
            pen,
            shadowed: &methods,
            stem: format!("{name}_{method}"),
        };
        let parameters = given.iter().map(|p| lines.parameter(p)).collect();
        let gives = lines.shorter("    ) -> typed.Answer[]:", gives, "result");
        let gives = format!("{}[{gives}]", lines.writer().name("typed.Answer"));
        out.push('\n');
        write_def(out, "", method, parameters, &gives);
        document(out, told, "Answers");
        let _ = writeln!(
            out,
            "        raise typed.missing({})",
            literal(&told.signature.operation.name)
        );
    }
}

/// The Python names of operations, in their order.
fn methods(told: &[Told<'_>]) -> Vec<String> {
    attributes(told.iter().map(|t| &*t.signature.operation.name))
}

/// The fields of a message in the order of positions, with their Python names.
fn arguments<'c>(model: &Model<'c>, id: ComplexId) -> Vec<(&'c Field, String)> {
    let complex = model.types.complex(id);
    let order = complex.positional();
    let names = attributes(order.iter().map(|&i| &*complex.fields[i].name));
    order.iter().map(|&i| &complex.fields[i]).zip(names).collect()
}

/// A parameter of a method.
enum Parameter {
    /// Those that follow go by name only.
    Keywords,
    One {
        name: String,
        ty: Ty,
        default: &'static str,
    },
    /// All others that go by name.
    Rest { name: String, options: &'static str },
}

impl Parameter {
    fn new(name: String, ty: Ty, default: &'static str) -> Self {
        Parameter::One { name, ty, default }
    }
}

fn call_parameters(model: &Model<'_>, told: &Told<'_>) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    let mut scope = Scope::default();
    let (mut optional, mut keywords) = (false, false);
    for (field, name) in arguments(model, told.arguments) {
        let ty = model.given(told.arguments, field);
        let may_lack = model.held(told.arguments, field).empty != Empty::Never;
        let ty = ty.or_none(may_lack && !field.many);
        // By position only up to where one that must be given follows one that need not.
        if optional && !may_lack && !std::mem::replace(&mut keywords, true) {
            parameters.push(Parameter::Keywords);
        }
        optional |= may_lack;
        let default = match (may_lack, field.many) {
            (false, _) => "",
            (true, false) => " = None",
            (true, true) => " = ()",
        };
        scope.take(&name, "");
        parameters.push(Parameter::new(name, ty, default));
    }
    let options = match told.signature.request_header {
        Some(header) => {
            if !keywords {
                parameters.push(Parameter::Keywords);
            }
            let header = Ty::Own(model.class(header).to_owned());
            let ty = header.or(Ty::Name("typed.Blocks")).or(NONE);
            parameters.push(Parameter::new("_headers".into(), ty, " = None"));
            "typed.CallSettings"
        }
        None => "typed.CallOptions",
    };
    parameters.push(Parameter::Rest {
        name: scope.take("_call", "_"),
        options,
    });
    parameters
}

/// Writes the types of one method so that they fit into lines.
struct Lines<'l, 'm, 'c> {
    pen: &'l mut Pen<'m, 'c>,
    shadowed: &'l [String],
    /// What unions are named after.
    stem: String,
}

impl Lines<'_, '_, '_> {
    fn writer(&mut self) -> Writer<'_> {
        Writer::new(self.pen.uses, self.shadowed.iter().cloned())
    }

    fn parameter(&mut self, parameter: &Parameter) -> String {
        match parameter {
            Parameter::Keywords => "*".into(),
            Parameter::One { name, ty, default } => {
                let around = format!("        {name}: {default},");
                format!("{name}: {}{default}", self.shorter(&around, ty.clone(), name))
            }
            Parameter::Rest { name, options } => {
                let (unpack, options) = (self.writer().name("Unpack"), self.writer().name(options));
                format!("**{name}: {unpack}[{options}]")
            }
        }
    }

    /// A type that stands with this around it.
    fn shorter(&mut self, around: &str, ty: Ty, name: &str) -> String {
        let text = self.writer().write(&ty);
        if fits(around, &text) {
            return text;
        }
        let name = format!("{}_{name}", self.stem);
        let ty = self.pen.later.shorter(self.pen.model, ty, &name);
        self.writer().write(&ty)
    }
}

fn write_def(out: &mut String, kind: &str, name: &str, parameters: Vec<String>, result: &str) {
    let is_taken = parameters.iter().any(|p| p.starts_with("self:"));
    let this = if is_taken { "this" } else { "self" };
    let items: Vec<String> = std::iter::once(this.to_owned()).chain(parameters).collect();
    let head = format!("{kind}def {name}(");
    bracketed(out, "    ", &head, &items, &format!(") -> {result}:"));
}

/// What a call gives, or a handler may give.
fn result(model: &Model<'_>, told: &Told<'_>, given: bool) -> Ty {
    match told.results.map(|id| (id, &model.types.complex(id).fields[..])) {
        None | Some((_, [])) => NONE,
        Some((id, [only])) if given => model.given(id, only).or_none(only.nillable && !only.many),
        Some((id, [only])) => model.held(id, only).ty,
        Some((id, _)) => Ty::Own(model.class(id).to_owned()),
    }
}

fn document(out: &mut String, told: &Told<'_>, verb: &str) {
    let operation = told.signature.operation;
    let words = format!("{verb} `{}`.", operation.name);
    let text = operation.doc.as_deref().filter(|text| !text.trim().is_empty());
    docstring(out, "        ", &[text.unwrap_or(&words)]);
}

/// A text for a comment.
fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).collect()
}
