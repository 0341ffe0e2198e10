//! Simple types in Python: plain values; enumerations are aliases of their texts.

use std::collections::{HashMap, HashSet};

use castile_plan::{Builtin, ComplexId, SimpleId, TypeId, Types, Variety, WhiteSpace};

use super::annotation::{ANY, Ty};
use super::names::identifier;
use crate::ident::Scope;
use crate::reach::Reached;

/// More texts than this are no alias: checkers would take long.
const TEXTS_MAX: usize = 400;

/// Members of unions and items of lists nest at most so deep.
const DEPTH_MAX: u32 = 16;

/// The simple types that have a name in the module.
#[derive(Default)]
pub(super) struct Simples {
    names: HashMap<SimpleId, String>,
    /// In the order in which they were met.
    pub(super) order: Vec<SimpleId>,
}

impl Simples {
    pub(super) fn new(
        types: &Types,
        reached: &Reached,
        holders: &[ComplexId],
        classes: &HashMap<ComplexId, String>,
        scope: &mut Scope,
    ) -> Simples {
        let mut simples = Simples::default();
        let mut wanted: Vec<(SimpleId, String)> = Vec::new();
        let mut seen = HashSet::new();
        for &id in holders.iter().chain(&reached.order) {
            let complex = types.complex(id);
            for field in &complex.fields {
                if let TypeId::Simple(simple) = field.ty {
                    let owner = classes.get(&id).cloned();
                    let owner = owner.unwrap_or_else(|| super::names::class(&complex.label));
                    let path = identifier(&format!("{owner}_{}", field.name));
                    walk(types, simple, &path, 0, &mut seen, &mut wanted);
                }
            }
        }
        // What has a name of its own keeps it.
        wanted.sort_by_key(|(id, _)| types.simple(*id).name.is_none());
        for (id, path) in wanted {
            let name = types.simple(id).name.as_ref().map(|n| identifier(&n.local));
            simples.names.insert(id, scope.take(&name.unwrap_or(path), "_"));
            simples.order.push(id);
        }
        simples
    }

    /// The name of an enumeration.
    pub(super) fn name(&self, id: SimpleId) -> Option<&str> {
        self.names.get(&id).map(String::as_str)
    }

    /// A value.
    pub(super) fn ty(&self, types: &Types, id: SimpleId) -> Ty {
        self.at(types, id, 0)
    }

    fn at(&self, types: &Types, id: SimpleId, depth: u32) -> Ty {
        if depth > DEPTH_MAX {
            return ANY;
        }
        if let Some(name) = enumeration(types, id).and_then(|id| self.names.get(&id)) {
            return Ty::Text(name.clone());
        }
        match &types.simple(id).variety {
            Variety::Atomic(builtin) => atomic(*builtin),
            Variety::List(item) => match types.dtype(*item) {
                Some(dtype) => Ty::Array(dtype),
                None => self.at(types, *item, depth + 1).list(),
            },
            Variety::Union(members) => {
                let mut each = members.iter().map(|&m| self.at(types, m, depth + 1));
                let first = each.next().unwrap_or(ANY);
                each.fold(first, Ty::or)
            }
        }
    }
}

/// Finds enumerations in a simple type.
fn walk(
    types: &Types,
    id: SimpleId,
    path: &str,
    depth: u32,
    seen: &mut HashSet<SimpleId>,
    found: &mut Vec<(SimpleId, String)>,
) {
    if depth > DEPTH_MAX {
        return;
    }
    if let Some(id) = enumeration(types, id) {
        if seen.insert(id) {
            found.push((id, path.to_owned()));
        }
        return;
    }
    match &types.simple(id).variety {
        Variety::Atomic(_) => {}
        Variety::List(item) => walk(types, *item, path, depth + 1, seen, found),
        Variety::Union(members) => {
            for &member in members {
                walk(types, member, path, depth + 1, seen, found);
            }
        }
    }
}

/// The type, itself or the nearest that it restricts, that lists the texts a value may be.
fn enumeration(types: &Types, id: SimpleId) -> Option<SimpleId> {
    let mut at = Some(id);
    for _ in 0..types.simple.len() {
        let simple = types.simple(at?);
        if !matches!(simple.variety, Variety::Atomic(builtin) if atomic(builtin) == Ty::Name("str")) {
            return None;
        }
        match simple.facets.enumeration.len() {
            0 => at = simple.base,
            1..=TEXTS_MAX => return at,
            _ => return None,
        }
    }
    None
}

/// The texts of an enumeration as they are read, each once.
pub(super) fn texts(types: &Types, id: SimpleId) -> Vec<String> {
    let facets = &types.simple(id).facets;
    let mut seen = HashSet::new();
    let read = |text: &str| match facets.white_space {
        Some(WhiteSpace::Preserve) => text.to_owned(),
        Some(WhiteSpace::Replace) => text.replace(['\t', '\n', '\r'], " "),
        _ => text.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    let texts = facets.enumeration.iter().map(|text| read(text));
    texts.filter(|text| seen.insert(text.clone())).collect()
}

fn atomic(builtin: Builtin) -> Ty {
    use Builtin::*;
    Ty::Name(match builtin {
        AnySimpleType => return ANY,
        Boolean => "bool",
        Float | Double => "float",
        Decimal => "Decimal",
        Integer | NonPositiveInteger | NegativeInteger | NonNegativeInteger | PositiveInteger | Long
        | Int | Short | Byte | UnsignedLong | UnsignedInt | UnsignedShort | UnsignedByte => "int",
        DateTime => "typed.AnyDateTime",
        Date => "typed.AnyDate",
        Time => "typed.AnyTime",
        GYearMonth | GYear | GMonthDay | GDay | GMonth => "typed.DateTime",
        Duration => "typed.AnyDuration",
        Base64Binary | HexBinary => "bytes",
        QName | Notation => "typed.QName",
        String | NormalizedString | Token | Language | Name | NCName | NmToken | NmTokens | Id | IdRef
        | IdRefs | Entity | Entities | AnyUri => "str",
    })
}
