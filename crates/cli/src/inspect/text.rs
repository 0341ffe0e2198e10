//! A contract as text.

use std::fmt::Write;

use castile_contract::{BodyStyle, Contract, Operation, PortRef, Protocol, Warning};
use castile_plan::{ComplexId, Field, FieldKind, Occurs, Plan, Style, TypeId, Types};

use super::outline::{Row, outline};
use super::reach::{self, Reached};
use super::{View, faults, findings, words};

pub(super) const BOLD: anstyle::Style = anstyle::Style::new().bold();
const NAME: anstyle::Style = anstyle::AnsiColor::Cyan.on_default();
pub(super) const DIM: anstyle::Style = anstyle::Style::new().dimmed();
const WARN: anstyle::Style = anstyle::AnsiColor::Yellow.on_default();

/// Characters of documentation shown on a line of an overview.
const DOC_CHARS: usize = 96;

/// Lines of an example.
const EXAMPLE_LINES: usize = 30;

/// Everything of the view.
pub(super) fn contract(view: &View) -> String {
    let contract = &view.contract;
    let mut out = String::new();
    head(view, &mut out);
    services(view, &mut out);
    let detailed = view.operation.is_some();
    let mut reached = Reached::default();
    let mut found: Vec<&Warning> = Vec::new();
    for (ports, binding) in groups(view) {
        let _ = writeln!(out, "\n{BOLD}operations of {ports}{BOLD:#}");
        for operation in binding.operations.iter().filter(|o| view.wants(o)) {
            if detailed {
                self::operation(contract, operation, &mut out);
                reach::of_operation(contract, operation, &mut reached);
                found.extend(findings::of_operation(contract, operation, &reached));
            } else {
                signature(contract, operation, &mut out);
            }
        }
    }
    if view.types && !detailed {
        reached = reach::all(contract);
    }
    if view.types || detailed {
        types(&contract.types, &reached, &mut out);
    }
    warnings(view, &found, &mut out);
    if detailed {
        example(view, &mut out);
    }
    out
}

fn head(view: &View, out: &mut String) {
    let contract = &view.contract;
    let documents = contract.documents.len();
    let plural = if documents == 1 { "" } else { "s" };
    let _ = writeln!(
        out,
        "{BOLD}{}{BOLD:#}  {} ({documents} document{plural})",
        contract.name, view.location
    );
    doc(contract.doc.as_deref(), "  ", usize::MAX, out);
}

fn services(view: &View, out: &mut String) {
    let shown = |name: &str, wanted: &Option<String>| wanted.as_ref().is_none_or(|w| w == name);
    for service in view
        .contract
        .services
        .iter()
        .filter(|s| shown(&s.name, &view.service))
    {
        let _ = writeln!(out, "\n{BOLD}service {}{BOLD:#}", service.name);
        doc(service.doc.as_deref(), "  ", usize::MAX, out);
        let ports: Vec<_> = service
            .ports
            .iter()
            .filter(|p| shown(&p.name, &view.port))
            .collect();
        let width = ports.iter().map(|p| p.name.len()).max().unwrap_or(0);
        for port in ports {
            let binding = view.contract.bindings.get(port.binding);
            let protocol = binding.map_or_else(String::new, |b| protocol(&b.protocol));
            let address = port.address.as_deref().unwrap_or("(no address)");
            let _ = writeln!(
                out,
                "  port {NAME}{:width$}{NAME:#}  {protocol}  {address}",
                port.name
            );
        }
    }
    if view.contract.services.is_empty() {
        let what = if view.contract.bindings.is_empty() {
            "no services: only types"
        } else {
            "no services"
        };
        let _ = writeln!(out, "\n{what}");
    }
}

pub(super) fn protocol(protocol: &Protocol) -> String {
    match protocol {
        Protocol::Soap11 => "SOAP 1.1".into(),
        Protocol::Soap12 => "SOAP 1.2".into(),
        Protocol::Http => "HTTP without SOAP (not supported)".into(),
        Protocol::Other(uri) if uri.is_empty() => "no protocol (not supported)".into(),
        Protocol::Other(uri) => format!("{uri} (not supported)"),
    }
}

/// Bindings that have operations to show; ports that offer the same come together.
fn groups(view: &View) -> Vec<(String, &castile_contract::Binding)> {
    let types = &view.contract.types;
    let mut groups: Vec<(Vec<String>, Vec<String>, &castile_contract::Binding)> = Vec::new();
    for PortRef {
        service,
        port,
        binding,
    } in view.ports()
    {
        if !binding.protocol.is_soap() {
            continue;
        }
        let operations = binding.operations.iter().filter(|o| view.wants(o));
        let lines: Vec<String> = operations
            .map(|o| o.name.clone() + &takes_and_gives(types, o))
            .collect();
        if lines.is_empty() {
            continue;
        }
        let name = port.map_or(&binding.name, |p| &p.name);
        let name = match service {
            Some(service) if view.contract.services.len() > 1 => format!("{}/{name}", service.name),
            _ => name.clone(),
        };
        match groups.iter_mut().find(|(_, same, _)| *same == lines) {
            Some((names, ..)) => names.push(name),
            None => groups.push((vec![name], lines, binding)),
        }
    }
    groups
        .into_iter()
        .map(|(names, _, binding)| (names.join(", "), binding))
        .collect()
}

/// An operation on a line, and the start of its documentation.
fn signature(contract: &Contract, operation: &Operation, out: &mut String) {
    let takes = takes_and_gives(&contract.types, operation);
    let _ = writeln!(out, "  {NAME}{}{NAME:#}{takes}", operation.name);
    if let Some(why) = &operation.unsupported {
        let _ = writeln!(out, "      {WARN}cannot be used:{WARN:#} {why}");
    }
    doc(operation.doc.as_deref(), "      ", DOC_CHARS, out);
}

/// `(city: string, days?: int) -> Forecast[]`
fn takes_and_gives(types: &Types, operation: &Operation) -> String {
    let mut text = match &operation.input {
        Some(plan) => {
            let fields = &types.complex(arguments(types, plan)).fields;
            let arguments: Vec<String> = fields.iter().map(|f| short(types, f)).collect();
            format!("({})", arguments.join(", "))
        }
        None => "(...)".into(),
    };
    match &operation.output {
        Some(plan) => match &types.complex(results(types, plan)).fields[..] {
            [] => {}
            [only] => {
                text += &format!(
                    " -> {}{}",
                    words::type_name(types, only.ty),
                    if only.many { "[]" } else { "" }
                )
            }
            several => {
                let results: Vec<String> = several.iter().map(|f| short(types, f)).collect();
                text += &format!(" -> ({})", results.join(", "));
            }
        },
        None if operation.one_way => text += " one-way",
        None => {}
    }
    text
}

/// The type whose fields are the arguments.
pub(super) fn arguments(types: &Types, plan: &Plan) -> ComplexId {
    match &types.complex(plan.body).fields[..] {
        [
            Field {
                ty: TypeId::Complex(id),
                many: false,
                ..
            },
        ] => *id,
        _ => plan.body,
    }
}

/// The type whose fields are the results.
pub(super) fn results(types: &Types, plan: &Plan) -> ComplexId {
    match plan.style {
        Style::Wrapped => arguments(types, plan),
        Style::Bare => plan.body,
    }
}

fn short(types: &Types, field: &Field) -> String {
    let optional = if field.required || field.many { "" } else { "?" };
    let many = if field.many { "[]" } else { "" };
    format!(
        "{}{optional}: {}{many}",
        field.name,
        words::type_name(types, field.ty)
    )
}

/// An operation in full.
fn operation(contract: &Contract, operation: &Operation, out: &mut String) {
    let types = &contract.types;
    let _ = writeln!(
        out,
        "\n{BOLD}{}{BOLD:#}{}",
        operation.name,
        takes_and_gives(types, operation)
    );
    doc(operation.doc.as_deref(), "  ", usize::MAX, out);
    if let Some(why) = &operation.unsupported {
        let _ = writeln!(out, "  {WARN}cannot be used:{WARN:#} {why}");
    }
    let encoded = operation.input.as_ref().is_some_and(|plan| plan.encoded);
    let style = match operation.style {
        BodyStyle::Document => "document/literal",
        BodyStyle::Rpc if encoded => "rpc/encoded",
        BodyStyle::Rpc => "rpc/literal",
    };
    let way = if operation.one_way {
        ", one-way: no reply"
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "  {DIM}{style}, SOAPAction {:?}{way}{DIM:#}",
        operation.soap_action
    );
    let mut block = |title: &str, id: ComplexId| {
        let rows = outline(types.complex(id));
        let _ = writeln!(
            out,
            "  {BOLD}{title}{BOLD:#}{}",
            if rows.is_empty() { "  none" } else { "" }
        );
        table(types, &rows, 4, out);
    };
    if let Some(plan) = &operation.input {
        block("arguments", arguments(types, plan));
    }
    if let Some(plan) = &operation.output {
        block("result", results(types, plan));
    }
    let known = |id: ComplexId| {
        types
            .complex(id)
            .fields
            .iter()
            .any(|f| f.kind == FieldKind::Element)
    };
    for (title, plan) in [
        ("headers of the request", &operation.input),
        ("headers of the reply", &operation.output),
    ] {
        if let Some(plan) = plan.as_ref().filter(|plan| known(plan.header)) {
            block(title, plan.header);
        }
    }
    if !operation.faults.is_empty() {
        faults::table(types, operation, out);
    }
}

/// Rows as columns of names, types and notes.
fn table(types: &Types, rows: &[Row<'_>], indent: usize, out: &mut String) {
    let mut lines = Vec::new();
    flatten(types, rows, indent, &mut Vec::new(), &mut lines);
    let width = |column: fn(&Line) -> usize| lines.iter().map(column).filter(|w| *w <= 40).max().unwrap_or(0);
    let name_width = width(|l| l.indent + l.name.chars().count());
    let type_width = width(|l| l.ty.chars().count());
    for Line {
        indent,
        name,
        ty,
        notes,
    } in lines
    {
        let pad = " ".repeat(name_width.saturating_sub(indent + name.chars().count()));
        let line = format!(
            "{}{NAME}{name}{NAME:#}{pad}  {ty:type_width$}  {DIM}{notes}{DIM:#}",
            " ".repeat(indent)
        );
        let line = if notes.is_empty() {
            line.trim_end_matches(&format!("  {DIM}{DIM:#}"))
                .trim_end()
                .to_owned()
        } else {
            line
        };
        let _ = writeln!(out, "{line}");
    }
}

struct Line {
    indent: usize,
    name: String,
    ty: String,
    notes: String,
}

fn flatten<'t>(
    types: &'t Types,
    rows: &[Row<'t>],
    indent: usize,
    open: &mut Vec<ComplexId>,
    lines: &mut Vec<Line>,
) {
    for row in rows {
        match row {
            Row::Choice(occurs, inner) => {
                let notes = if occurs.min == 0 { "optional" } else { "" };
                lines.push(Line {
                    indent,
                    name: "one of".into(),
                    ty: String::new(),
                    notes: notes.into(),
                });
                flatten(types, inner, indent + 2, open, lines);
            }
            Row::Together(inner) => {
                lines.push(Line {
                    indent,
                    name: "together".into(),
                    ty: String::new(),
                    notes: "optional".into(),
                });
                flatten(types, inner, indent + 2, open, lines);
            }
            Row::Field(field, occurs) => self::field(types, field, *occurs, indent, open, lines),
        }
    }
}

fn field<'t>(
    types: &'t Types,
    field: &'t Field,
    occurs: Occurs,
    indent: usize,
    open: &mut Vec<ComplexId>,
    lines: &mut Vec<Line>,
) {
    let mut notes = words::notes(types, field, occurs);
    notes.extend(field.doc.as_deref().map(|d| cut(d, DOC_CHARS)));
    let ty = match words::wildcard(types, field) {
        Some(what) => what,
        None if field.kind == FieldKind::Group => "group".into(),
        None => words::type_name(types, field.ty),
    };
    lines.push(Line {
        indent,
        name: field.name.to_string(),
        ty,
        notes: notes.join("; "),
    });
    // A type without a name is shown where it is used.
    if let TypeId::Complex(id) = field.ty
        && types.complex(id).name.is_none()
        && !open.contains(&id)
    {
        open.push(id);
        flatten(types, &outline(types.complex(id)), indent + 2, open, lines);
        open.pop();
    }
}

fn types(types: &Types, reached: &Reached, out: &mut String) {
    if reached.complex.is_empty() && reached.simple.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{BOLD}types{BOLD:#}");
    for &id in &reached.complex {
        let complex = types.complex(id);
        if complex.name.is_none() {
            continue;
        }
        let base = complex.base.filter(|base| *base != TypeId::Any);
        let base = base
            .map(|base| format!(" extends {}", words::type_name(types, base)))
            .unwrap_or_default();
        let kind = if complex.is_abstract {
            " (abstract: give a type derived from it)"
        } else {
            ""
        };
        let name = words::type_name(types, TypeId::Complex(id));
        let _ = writeln!(
            out,
            "  {BOLD}{name}{BOLD:#}{base}{kind}  {DIM}{}{DIM:#}",
            complex.label
        );
        doc(complex.doc.as_deref(), "    ", usize::MAX, out);
        table(types, &outline(complex), 4, out);
    }
    for &id in &reached.simple {
        let simple = types.simple(id);
        let mut rules = words::rules(types, id);
        rules.extend(simple.doc.as_deref().map(|d| cut(d, DOC_CHARS)));
        let name = words::type_name(types, TypeId::Simple(id));
        let what = words::variety(types, id);
        let _ = writeln!(out, "  {BOLD}{name}{BOLD:#}  {what}  {}", rules.join("; "));
    }
}

/// What is wrong with what is shown, and how much else is.
fn warnings(view: &View, found: &[&Warning], out: &mut String) {
    let all = view.contract.warnings.iter();
    let about: Vec<Warning> = all.filter(|warning| found.contains(warning)).cloned().collect();
    if !about.is_empty() {
        out.push('\n');
    }
    for line in crate::load::lines(&about, view.verbose) {
        let _ = writeln!(out, "{WARN}warning: {line}{WARN:#}");
    }
    if let Some(line) = crate::load::warned(&view.contract, about.len(), &view.words) {
        let _ = writeln!(out, "\n{WARN}{line}{WARN:#}");
    }
}

/// How to call the operation, with arguments to start from.
fn example(view: &View, out: &mut String) {
    let Some(name) = &view.operation else { return };
    let found = view
        .contract
        .operation(view.service.as_deref(), view.port.as_deref(), name);
    let Some(plan) = found.ok().and_then(|found| found.operation.input.as_ref()) else {
        return;
    };
    let types = &view.contract.types;
    let Some(template) = crate::call::template(types, arguments(types, plan)) else {
        return;
    };
    let template = crate::values::json::pretty(&template);
    let _ = writeln!(
        out,
        "\n{BOLD}example{BOLD:#}  castile call {} {name} --data args.json",
        view.words
    );
    let lines: Vec<&str> = template.lines().collect();
    for line in lines.iter().take(EXAMPLE_LINES) {
        let _ = writeln!(out, "  {line}");
    }
    if lines.len() > EXAMPLE_LINES {
        let _ = writeln!(
            out,
            "  ... castile call {} {name} --template prints all of it",
            view.words
        );
    }
}

fn doc(doc: Option<&str>, indent: &str, most: usize, out: &mut String) {
    if let Some(doc) = doc.map(str::trim).filter(|d| !d.is_empty()) {
        let _ = writeln!(out, "{indent}{DIM}{}{DIM:#}", cut(doc, most));
    }
}

/// The first so many characters.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}...", text[..at].trim_end()),
        None => text.to_owned(),
    }
}
