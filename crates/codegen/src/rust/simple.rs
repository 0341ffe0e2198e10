//! Simple types in Rust: built-in types, enumerations, lists, unions.

use std::collections::{HashMap, HashSet};

use castile_plan::{Builtin, ComplexId, SimpleId, TypeId, Types, Variety, WhiteSpace};

use super::model::VALUE;
use crate::ident::{Scope, camel, rust};
use crate::reach::Reached;

/// The simple types that are enums of their own.
#[derive(Debug, Default)]
pub(super) struct Simples {
    names: HashMap<SimpleId, String>,
    /// In the order in which they were met.
    pub(super) order: Vec<SimpleId>,
}

impl Simples {
    pub(super) fn new(
        types: &Types,
        reached: &Reached,
        records: &HashMap<ComplexId, String>,
        scope: &mut Scope,
    ) -> Simples {
        let mut simples = Simples::default();
        let mut wanted: Vec<(SimpleId, String)> = Vec::new();
        let mut seen = HashSet::new();
        for &id in &reached.order {
            for field in &types.complex(id).fields {
                if let TypeId::Simple(simple) = field.ty {
                    let owner = records.get(&id).map_or("", String::as_str);
                    walk(
                        types,
                        simple,
                        &format!("{owner}{}", camel(&field.name)),
                        &mut seen,
                        &mut wanted,
                    );
                }
            }
        }
        let named = |(id, _): &&(SimpleId, String)| types.simple(*id).name.is_some();
        let (first, then): (Vec<_>, Vec<_>) = wanted.iter().partition(named);
        for (id, fallback) in first.into_iter().chain(then) {
            let name = types
                .simple(*id)
                .name
                .as_ref()
                .map_or(fallback.clone(), |n| camel(&n.local));
            simples.names.insert(*id, scope.take(&name, "Type"));
        }
        simples.order = wanted.into_iter().map(|(id, _)| id).collect();
        simples
    }

    /// The Rust type of a simple type.
    pub(super) fn name(&self, types: &Types, id: SimpleId) -> String {
        let id = shown(types, id);
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        match &types.simple(id).variety {
            Variety::Atomic(builtin) => atomic(*builtin).to_owned(),
            Variety::List(item) => format!("typed::List<{}>", self.name(types, *item)),
            Variety::Union(_) => match &self.members(types, id)[..] {
                [(_, only)] => only.clone(),
                _ => VALUE.to_owned(),
            },
        }
    }

    /// The member types of a union, each Rust type once, with variants' names.
    pub(super) fn members(&self, types: &Types, id: SimpleId) -> Vec<(String, String)> {
        let Variety::Union(members) = &types.simple(id).variety else {
            return Vec::new();
        };
        let mut found: Vec<(String, String)> = Vec::new();
        let mut scope = Scope::with(&["Self"]);
        for &member in members {
            let ty = self.name(types, member);
            if found.iter().all(|(_, known)| *known != ty) {
                let last = ty.trim_end_matches('>').rsplit(['<', ':']).next().unwrap_or(&ty);
                let prefix = if ty.contains("List<") { "List" } else { "" };
                found.push((scope.take(&format!("{prefix}{}", camel(last)), ""), ty));
            }
        }
        found
    }
}

/// Notes the enums that a simple type needs, its members' first.
fn walk(
    types: &Types,
    id: SimpleId,
    fallback: &str,
    seen: &mut HashSet<SimpleId>,
    out: &mut Vec<(SimpleId, String)>,
) {
    let id = shown(types, id);
    if !seen.insert(id) {
        return;
    }
    match &types.simple(id).variety {
        Variety::Atomic(_) if is_enumeration(types, id) => out.push((id, fallback.to_owned())),
        Variety::Atomic(_) => {}
        Variety::List(item) => walk(types, *item, &format!("{fallback}Item"), seen, out),
        Variety::Union(members) => {
            for member in members {
                walk(types, *member, &format!("{fallback}Member"), seen, out);
            }
            if is_union(types, id) {
                out.push((id, fallback.to_owned()));
            }
        }
    }
}

/// The simple type whose Rust type stands for this one: for a restriction of an enumeration that lists
/// no values itself, what it restricts.
fn shown(types: &Types, id: SimpleId) -> SimpleId {
    let mut at = Some(id).filter(|id| matches!(types.simple(*id).variety, Variety::Atomic(_)));
    // A chain cannot be longer than the table.
    for _ in 0..types.simple.len() {
        match at {
            Some(listed) if is_enumeration(types, listed) => return listed,
            Some(step) => at = types.simple(step).base,
            None => break,
        }
    }
    id
}

fn is_enumeration(types: &Types, id: SimpleId) -> bool {
    let simple = types.simple(id);
    matches!(simple.variety, Variety::Atomic(builtin) if atomic(builtin) == "String")
        && !simple.facets.enumeration.is_empty()
}

/// Whether a union has members that differ in Rust, none of them dynamic.
fn is_union(types: &Types, id: SimpleId) -> bool {
    let mut kinds = HashSet::new();
    let Variety::Union(members) = &types.simple(id).variety else {
        return false;
    };
    for &member in members {
        let Some(kind) = kind(types, member, 0) else {
            return false;
        };
        kinds.insert(kind);
    }
    kinds.len() > 1
}

/// Something equal for simple types of the same Rust type; `None` for what is dynamic.
fn kind(types: &Types, id: SimpleId, depth: u32) -> Option<String> {
    let id = shown(types, id);
    match &types.simple(id).variety {
        _ if depth > 16 => None,
        Variety::Atomic(_) if is_enumeration(types, id) => Some(format!("#{}", id.0)),
        Variety::Atomic(builtin) => Some(atomic(*builtin).to_owned()).filter(|name| name != VALUE),
        Variety::List(item) => Some(format!("[{}]", kind(types, *item, depth + 1)?)),
        Variety::Union(members) => {
            let kinds: Option<HashSet<String>> = members.iter().map(|&m| kind(types, m, depth + 1)).collect();
            let mut kinds: Vec<String> = kinds?.into_iter().collect();
            match kinds.len() {
                1 => kinds.pop(),
                _ => Some(format!("#{}", id.0)),
            }
        }
    }
}

/// The variants of an enumeration: name and text, each text once.
pub(super) fn variants(types: &Types, id: SimpleId) -> Vec<(String, String)> {
    let facets = &types.simple(id).facets;
    let collapse = facets.white_space.is_none_or(|w| w == WhiteSpace::Collapse);
    let mut scope = Scope::with(&["Other", "Self"]);
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for text in &facets.enumeration {
        let text = match collapse {
            true => text.split_whitespace().collect::<Vec<_>>().join(" "),
            false => text.to_string(),
        };
        if seen.insert(text.clone()) {
            let name = if text.is_empty() {
                "Empty".into()
            } else {
                camel(&text)
            };
            // An identifier may be long, but nobody would write it.
            let name: String = name.chars().take(80).collect();
            found.push((rust(scope.take(&name, "Value")), text));
        }
    }
    found
}

fn atomic(builtin: Builtin) -> &'static str {
    use Builtin::*;
    match builtin {
        AnySimpleType => VALUE,
        Boolean => "bool",
        Float => "f32",
        Double => "f64",
        Long => "i64",
        Int => "i32",
        Short => "i16",
        Byte => "i8",
        UnsignedLong => "u64",
        UnsignedInt => "u32",
        UnsignedShort => "u16",
        UnsignedByte => "u8",
        Decimal | Integer | NonPositiveInteger | NegativeInteger | NonNegativeInteger | PositiveInteger => {
            "castile::Decimal"
        }
        DateTime | Date | Time | GYearMonth | GYear | GMonthDay | GDay | GMonth => "castile::DateTime",
        Duration => "castile::Duration",
        Base64Binary | HexBinary => "typed::Binary",
        QName | Notation => "castile::QName",
        String | NormalizedString | Token | Language | Name | NCName | NmToken | NmTokens | Id | IdRef
        | IdRefs | Entity | Entities | AnyUri => "String",
    }
}
