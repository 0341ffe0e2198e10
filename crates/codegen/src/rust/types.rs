//! Structs and enums.

use std::fmt::Write;

use castile_plan::{ComplexId, Field, FieldKind, SimpleId, TypeId, Variety};

use super::choices::{Layout, Member};
use super::model::Model;
use super::simple::variants;
use crate::doc::comment;
use crate::ident::{Scope, camel, rust, snake};
use crate::reach::Reached;

/// Appends all types that were reached.
pub(super) fn write(out: &mut String, model: &mut Model<'_>, reached: &Reached) {
    for &id in &reached.order {
        // A type that does not come to an end has no default, and no message holds one.
        match model.layouts.get(&id) {
            Some(Layout::Choice) => write_choice(out, model, id),
            Some(Layout::Struct(_)) => write_struct(out, model, id),
            None => {}
        }
        write_hierarchy(out, model, id);
    }
    for id in model.simples.order.clone() {
        match model.types.simple(id).variety {
            Variety::Union(_) => write_union(out, model, id),
            _ => write_enumeration(out, model, id),
        }
    }
}

/// One line of a struct's body and what the macro says of it.
struct Line {
    /// Indexes in the plan.
    fields: Vec<u32>,
    name: String,
    ty: String,
    choice: bool,
}

fn write_struct(out: &mut String, model: &mut Model<'_>, id: ComplexId) {
    let types = model.types;
    let complex = types.complex(id);
    let name = model.records[&id].clone();
    let Some(Layout::Struct(members)) = model.layouts.remove(&id) else {
        return;
    };
    let mut scope = Scope::default();
    let mut lines = Vec::with_capacity(members.len());
    for member in &members {
        match member {
            Member::Field(i) => {
                let field = &complex.fields[*i as usize];
                lines.push(Line {
                    fields: vec![*i],
                    name: rust(scope.take(&snake(&field.name), "")),
                    ty: model.field(id, field),
                    choice: false,
                });
            }
            Member::Choice { optional, fields } => {
                let alternatives: Vec<&Field> = fields.iter().map(|&i| &complex.fields[i as usize]).collect();
                let wanted = choice_name(&alternatives);
                let choice = model.scope.take(&format!("{name}{}", camel(&wanted)), "");
                write_enum(out, model, id, &choice, &alternatives, None);
                let field = rust(scope.take(&snake(&wanted), ""));
                let ty = if *optional {
                    format!("Option<{choice}>")
                } else {
                    choice
                };
                lines.push(Line {
                    fields: fields.clone(),
                    name: field,
                    ty,
                    choice: true,
                });
            }
        }
    }
    out.push('\n');
    describe(out, model, id);
    let _ = writeln!(out, "#[derive(Clone, Debug, Default, PartialEq)]");
    if lines.is_empty() {
        let _ = writeln!(out, "pub struct {name} {{}}");
    } else {
        let _ = writeln!(out, "pub struct {name} {{");
        for line in &lines {
            for &i in &line.fields {
                if let (Some(text), false) = (&complex.fields[i as usize].doc, line.choice) {
                    comment(out, "    ", "///", text);
                }
            }
            let _ = writeln!(out, "    pub {}: {},", line.name, line.ty);
        }
        out.push_str("}\n");
    }
    write_record(out, model, id, &name, &lines);
}

/// What a choice within a struct is called.
fn choice_name(alternatives: &[&Field]) -> String {
    match alternatives {
        [one, other] => format!("{}_or_{}", snake(&one.name), snake(&other.name)),
        _ => "choice".to_owned(),
    }
}

fn write_record(out: &mut String, model: &Model<'_>, id: ComplexId, name: &str, lines: &[Line]) {
    let types = model.types;
    let complex = types.complex(id);
    let _ = write!(out, "castile::record!({name}, {:?}, {{", &*complex.label);
    let mut places = Vec::new();
    for line in lines {
        for (k, i) in line.fields.iter().enumerate() {
            places.push(match line.choice {
                true => format!("{i}: {}[{k}]", line.name),
                false => format!("{i}: {}", line.name),
            });
        }
    }
    if !places.is_empty() {
        wrap(out, &places);
    }
    out.push('}');
    let required = complex.fields.iter().enumerate().filter(|(_, f)| {
        f.required
            && !f.many
            && matches!(f.kind, FieldKind::Element | FieldKind::Attribute)
            && f.default.is_none()
            && f.fixed.is_none()
    });
    let required: Vec<String> = required.map(|(i, _)| i.to_string()).collect();
    if !required.is_empty() {
        let _ = write!(out, ", required [{}]", required.join(", "));
    }
    let alone = lines.iter().all(|line| !line.choice);
    if types.packed_layout(id).is_some() && alone && lines.iter().all(|line| is_cell(&line.ty)) {
        let cells: Vec<&str> = lines.iter().map(|l| l.name.as_str()).collect();
        let _ = write!(out, ", flat [{}]", cells.join(", "));
    }
    out.push_str(");\n");
}

/// Whether a batch of records holds values of the Rust type (`castile::typed::Cell`).
fn is_cell(ty: &str) -> bool {
    matches!(
        ty,
        "bool" | "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64" | "f32" | "f64" | "String"
    )
}

/// Words with commas between, in lines of one indentation.
fn wrap(out: &mut String, words: &[String]) {
    if words.iter().map(|w| w.len() + 2).sum::<usize>() < 60 {
        let _ = write!(out, " {} ", words.join(", "));
        return;
    }
    let mut width = usize::MAX;
    for word in words {
        if width > 90 - word.len().min(80) {
            out.push_str("\n   ");
            width = 0;
        }
        let _ = write!(out, " {word},");
        width += word.len() + 2;
    }
    out.push('\n');
}

fn write_choice(out: &mut String, model: &mut Model<'_>, id: ComplexId) {
    let complex = model.types.complex(id);
    let name = model.records[&id].clone();
    let fields: Vec<&Field> = complex.fields.iter().collect();
    write_enum(out, model, id, &name, &fields, Some(&complex.label));
}

/// An enum of alternatives; with a label it is a record as well.
fn write_enum(
    out: &mut String,
    model: &Model<'_>,
    owner: ComplexId,
    name: &str,
    fields: &[&Field],
    label: Option<&str>,
) {
    let mut scope = Scope::with(&["Self"]);
    let mut variants = Vec::new();
    out.push('\n');
    if label.is_some() {
        describe(out, model, owner);
    } else {
        let _ = writeln!(
            out,
            "/// One of these elements, in [`{}`].",
            model.records[&owner]
        );
    }
    let _ = writeln!(out, "#[derive(Clone, Debug, PartialEq)]\npub enum {name} {{");
    for (k, field) in fields.iter().enumerate() {
        let variant = rust(scope.take(&camel(&field.name), ""));
        if let Some(text) = &field.doc {
            comment(out, "    ", "///", text);
        }
        let _ = writeln!(out, "    {variant}({}),", model.alternative(owner, field));
        variants.push(format!("{k}: {variant}"));
    }
    out.push_str("}\n");
    let _ = write!(out, "castile::choice!({name}, ");
    if let Some(label) = label {
        let _ = write!(out, "{label:?}, ");
    }
    out.push('{');
    wrap(out, &variants);
    out.push_str("});\n");
}

fn write_hierarchy(out: &mut String, model: &Model<'_>, id: ComplexId) {
    let Some((name, variants)) = model.hierarchies.get(&id) else {
        return;
    };
    let own = &model.records[&id];
    let _ = writeln!(out, "\n/// A [`{own}`], or a value of a type derived from it.");
    let _ = writeln!(out, "#[derive(Clone, Debug, PartialEq)]\npub enum {name} {{");
    let mut places = Vec::new();
    for variant in variants {
        let record = &model.records[variant];
        let _ = writeln!(out, "    {record}(Box<{record}>),");
        places.push(format!("{record}: {:?}", &*model.types.complex(*variant).label));
    }
    let _ = write!(out, "}}\ncastile::hierarchy!({name}, {{");
    wrap(out, &places);
    out.push_str("});\n");
}

fn write_enumeration(out: &mut String, model: &Model<'_>, id: SimpleId) {
    let simple = model.types.simple(id);
    let name = model.simple(id);
    out.push('\n');
    describe_simple(out, model, id);
    let _ = writeln!(
        out,
        "#[derive(Clone, Debug, PartialEq, Eq, Hash)]\npub enum {name} {{"
    );
    debug_assert!(!simple.facets.enumeration.is_empty());
    let mut places = Vec::new();
    for (variant, text) in variants(model.types, id) {
        let _ = writeln!(out, "    {variant},");
        places.push(format!("{variant}: {text:?}"));
    }
    out.push_str("    /// A text that the contract does not list.\n    Other(String),\n}\n");
    let _ = write!(out, "castile::enumeration!({name}, {{");
    wrap(out, &places);
    out.push_str("});\n");
}

fn write_union(out: &mut String, model: &Model<'_>, id: SimpleId) {
    let name = model.simple(id);
    let members = model.simples.members(model.types, id);
    out.push('\n');
    describe_simple(out, model, id);
    let _ = writeln!(out, "#[derive(Clone, Debug, PartialEq)]\npub enum {name} {{");
    let mut places = Vec::new();
    for (variant, ty) in members {
        let _ = writeln!(out, "    {variant}({ty}),");
        places.push(format!("{variant}: {ty}"));
    }
    let _ = write!(out, "}}\ncastile::union!({name}, {{");
    wrap(out, &places);
    out.push_str("});\n");
}

fn describe(out: &mut String, model: &Model<'_>, id: ComplexId) {
    let complex = model.types.complex(id);
    if let Some(text) = &complex.doc {
        comment(out, "", "///", text);
        out.push_str("///\n");
    }
    let what = match (&complex.name, complex.is_abstract) {
        (Some(_), true) => "The abstract type",
        (Some(_), false) => "The type",
        (None, _) => "What stands at",
    };
    let _ = writeln!(out, "/// {what} `{}`.", code(&complex.label));
}

fn describe_simple(out: &mut String, model: &Model<'_>, id: SimpleId) {
    let simple = model.types.simple(id);
    if let Some(text) = &simple.doc {
        comment(out, "", "///", text);
        out.push_str("///\n");
    }
    let label = model.types.type_label(TypeId::Simple(id));
    let _ = writeln!(out, "/// The simple type `{}`.", code(&label));
}

/// Text that may stand between backquotes.
fn code(text: &str) -> String {
    text.chars().filter(|c| *c != '`' && !c.is_control()).collect()
}
