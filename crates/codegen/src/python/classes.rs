//! Classes of complex types, aliases of enumerations.

use std::fmt::Write;

use castile_plan::{ComplexId, Field};

use super::annotation::{Ty, Uses, Writer};
use super::model::{Empty, Model};
use super::simple::texts;
use super::text::{bracketed, docstring, fits, literal, nested, union};

/// What is written after the classes, because it speaks of them.
#[derive(Default)]
pub(super) struct Later {
    /// Unions that are too long for a line.
    unions: Vec<(String, Vec<Ty>)>,
}

/// Appends the aliases of enumerations and the dtypes of rows, which nothing need come before.
pub(super) fn write_plain(out: &mut String, model: &Model<'_>, uses: &mut Uses) {
    for &id in &model.simples.order {
        let Some(name) = model.simples.name(id) else {
            continue;
        };
        uses.note("TypeAlias");
        uses.note("Literal");
        let simple = model.types.simple(id);
        let texts: Vec<String> = texts(model.types, id).iter().map(|t| literal(t)).collect();
        out.push('\n');
        let head = format!("{name}: TypeAlias = ");
        if fits("", &format!("{head}Literal[")) {
            bracketed(out, "", &format!("{head}Literal["), &texts, "]");
        } else {
            let _ = writeln!(out, "{head}(");
            bracketed(out, "    ", "Literal[", &texts, "]");
            out.push_str(")\n");
        }
        let label = model.types.type_label(castile_plan::TypeId::Simple(id));
        let what = format!("The texts of `{label}`.");
        docstring(out, "", &[simple.doc.as_deref().unwrap_or_default(), &what]);
    }
    for &id in &model.order {
        let (Some(name), Some(layout)) = (model.row(id), model.types.row_layout(id)) else {
            continue;
        };
        let mut writer = Writer::new(uses, []);
        let np = writer.name("np");
        let columns = layout.fields().iter();
        let columns: Vec<String> = columns
            .map(|c| format!("({}, {})", literal(&c.name), writer.dtype(c.dtype)))
            .collect();
        out.push('\n');
        let list = nested("    ", "[", &columns, "]");
        bracketed(out, "", &format!("{name} = {np}.dtype("), &[list], ")");
        let what = format!("The rows of an array of `{}`.", model.class(id));
        docstring(out, "", &[&what]);
    }
}

/// Appends all classes.
pub(super) fn write(out: &mut String, model: &mut Model<'_>, uses: &mut Uses) -> Later {
    let mut later = Later::default();
    for id in model.order.clone() {
        write_class(out, model, uses, &mut later, id);
    }
    later
}

impl Later {
    /// The same with a union by a name.
    pub(super) fn shorter(&mut self, model: &mut Model<'_>, ty: Ty, name: &str) -> Ty {
        match ty {
            Ty::Union(all) => {
                let name = model.scope.take(&super::names::identifier(name), "_");
                self.unions.push((name.clone(), all));
                Ty::Own(name)
            }
            Ty::List(item) => self.shorter(model, *item, name).list(),
            Ty::Sequence(item) => Ty::Sequence(self.shorter(model, *item, name).into()),
            other => other,
        }
    }

    /// Appends unions and names for what was shadowed.
    pub(super) fn write(&self, out: &mut String, uses: &mut Uses) {
        for (name, all) in &self.unions {
            uses.note("TypeAlias");
            let mut writer = Writer::new(uses, []);
            let all: Vec<String> = all.iter().map(|ty| writer.write(ty)).collect();
            let head = format!("{name}: TypeAlias = ");
            let _ = writeln!(out, "{}", union("", &head, &all, ""));
        }
        out.push_str(&uses.aliases());
    }
}

fn write_class(out: &mut String, model: &mut Model<'_>, uses: &mut Uses, later: &mut Later, id: ComplexId) {
    let types = model.types;
    let complex = types.complex(id);
    let name = model.class(id).to_owned();
    let attributes = model.attributes(id);
    let members = model.members(id);
    let inherited = model.parent(id);
    let is_inherited =
        |field: &Field| inherited.is_some_and(|parent| types.complex(parent).field(&field.name).is_some());
    out.push_str("\n\n");
    write_head(out, model, id, &attributes);
    let words = class_words(model, id);
    docstring(out, "    ", &[complex.doc.as_deref().unwrap_or_default(), &words]);

    let member_names: Vec<&str> = members.iter().map(|(m, _)| &*m.name).collect();
    let readable = super::names::attributes(member_names.iter().copied());
    let shadowed = attributes.iter().chain(&readable).cloned();
    let mut first = true;
    for (field, attribute) in complex
        .fields
        .iter()
        .zip(&attributes)
        .filter(|(f, _)| !is_inherited(f))
    {
        let held = model.held(id, field);
        let mut writer = Writer::new(uses, shadowed.clone());
        let default = default(&mut writer, model, &held.empty);
        let mut line = format!("{attribute}: {}{default}", writer.write(&held.ty));
        if !fits("    ", &line) {
            let ty = later.shorter(model, held.ty, &format!("{name}_{attribute}"));
            line = format!("{attribute}: {}{default}", writer.write(&ty));
        }
        if !fits("    ", &line) {
            line = broken_field(line);
        }
        if std::mem::take(&mut first) {
            out.push('\n');
        }
        let _ = writeln!(out, "    {line}");
        docstring(out, "    ", &[field.doc.as_deref().unwrap_or_default()]);
    }
    write_members(out, model, (uses, later), &name, &members, &readable, &attributes);
}

/// What stands after the annotation of a field.
fn default(writer: &mut Writer<'_>, model: &Model<'_>, empty: &Empty) -> String {
    let of = match *empty {
        Empty::Never => return String::new(),
        Empty::Nothing => return " = None".into(),
        Empty::List => String::new(),
        Empty::Array(dtype) => writer.dtype(dtype),
        Empty::Rows(id) => writer.write(&Ty::Own(model.row(id).unwrap_or("None").to_owned())),
    };
    format!(" = {}({of})", writer.name("typed.many"))
}

/// A field in several lines: what it holds when nothing came stands alone, or a list breaks inside.
fn broken_field(line: String) -> String {
    let (head, default) = line.split_once(" = ").unwrap_or((&line, ""));
    let assigned = if default.is_empty() {
        String::new()
    } else {
        format!(" = {default}")
    };
    if fits("    ", &format!("{head} = (")) && !default.is_empty() {
        return format!("{head} = (\n        {default}\n    )");
    }
    match head
        .split_once(": list[")
        .map(|(name, rest)| (name, rest.strip_suffix(']')))
    {
        Some((name, Some(item))) => format!("{name}: list[\n        {item}\n    ]{assigned}"),
        _ => line,
    }
}

fn write_head(out: &mut String, model: &Model<'_>, id: ComplexId, attributes: &[String]) {
    let complex = model.types.complex(id);
    let mut items = vec!["_types".to_owned(), literal(&complex.label)];
    let renamed = complex
        .fields
        .iter()
        .zip(attributes)
        .filter(|(f, a)| *f.name != ***a);
    let renamed: Vec<String> = renamed
        .map(|(f, a)| format!("{}: {}", literal(a), literal(&f.name)))
        .collect();
    if !renamed.is_empty() {
        items.push(nested("    ", "names={", &renamed, "}"));
    }
    let parent = model.parent(id);
    if let Some(parent) = parent {
        let base = model.attributes(parent);
        let own = attributes.iter().filter(|a| !base.contains(a));
        let natural: Vec<&String> = base.iter().chain(own).collect();
        if !natural.iter().copied().eq(attributes) {
            let order: Vec<String> = attributes.iter().map(|a| literal(a)).collect();
            items.push(nested("    ", "field_order=[", &order, "]"));
        }
    }
    let members = model.members(id);
    let members: Vec<String> = members
        .iter()
        .map(|(member, group)| format!("{}: {}", literal(&member.name), literal(group)))
        .collect();
    if !members.is_empty() {
        items.push(nested("    ", "members={", &members, "}"));
    }
    bracketed(out, "", "@typed.record(", &items, ")");
    let bases: Vec<String> = match (parent, model.is_array(id)) {
        (None, false) => vec!["typed.Record".into()],
        (None, true) => vec!["typed.ArrayRecord".into()],
        (Some(parent), true) if !model.is_array(parent) => {
            vec![model.class(parent).into(), "typed.ArrayRecord".into()]
        }
        (Some(parent), _) => vec![model.class(parent).into()],
    };
    bracketed(out, "", &format!("class {}(", model.class(id)), &bases, "):");
}

fn class_words(model: &Model<'_>, id: ComplexId) -> String {
    let complex = model.types.complex(id);
    let what = match (&complex.name, complex.is_abstract) {
        (Some(_), true) => "The abstract type",
        (Some(_), false) => "The type",
        (None, _) => "What stands at",
    };
    format!("{what} `{}`.", complex.label)
}

/// Elements of repeated groups, which can be read by their names.
fn write_members(
    out: &mut String,
    model: &mut Model<'_>,
    (uses, later): (&mut Uses, &mut Later),
    class: &str,
    members: &[(&Field, &str)],
    readable: &[String],
    attributes: &[String],
) {
    // What has no name of its own in Python is read as an item.
    let plain = |(member, name): &(&(&Field, &str), &String)| *member.0.name == ***name;
    let members: Vec<_> = members.iter().zip(readable).filter(plain).collect();
    if members.is_empty() {
        return;
    }
    let shadowed = attributes.iter().chain(readable).cloned();
    uses.note("TYPE_CHECKING");
    out.push_str("\n    if TYPE_CHECKING:\n");
    for ((member, group), name) in members {
        let mut writer = Writer::new(uses, shadowed.clone());
        let property = writer.name("property");
        let held = model.member(member);
        let mut ty = writer.write(&held);
        if !fits("        ) -> :", &ty) {
            let short = later.shorter(model, held, &format!("{class}_{name}"));
            ty = writer.write(&short);
        }
        let _ = writeln!(out, "\n        @{property}");
        let (head, tail) = (format!("def {name}("), format!(") -> {ty}:"));
        bracketed(out, "        ", &head, &["self".into()], &tail);
        let words = format!("Those in all of `{group}`, in order.");
        docstring(out, "            ", &[&words]);
    }
}
