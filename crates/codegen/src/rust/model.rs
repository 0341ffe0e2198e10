//! How a contract is told in Rust: the name of every type, and the type of every field.

use std::collections::HashMap;

use castile_contract::Contract;
use castile_plan::{ComplexId, Field, FieldKind, SimpleId, TypeId, Types};

use super::choices::{Layout, layout};
use super::finite::Finite;
use super::simple::Simples;
use crate::ident::{Scope, camel};
use crate::reach::{Interface, Reached};

/// Names that generated code uses for other things.
const RESERVED: &[&str] = &[
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Drop",
    "Eq",
    "Err",
    "Fn",
    "From",
    "Hash",
    "Into",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Self",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToString",
    "Vec",
];

pub(super) struct Model<'c> {
    pub(super) contract: &'c Contract,
    pub(super) types: &'c Types,
    /// Names of types in the module.
    pub(super) scope: Scope,
    /// The struct, or enum of alternatives, of each complex type that was reached.
    pub(super) records: HashMap<ComplexId, String>,
    /// The enum of a type and the types derived from it: name, and the variants, the default first.
    pub(super) hierarchies: HashMap<ComplexId, (String, Vec<ComplexId>)>,
    pub(super) layouts: HashMap<ComplexId, Layout>,
    pub(super) simples: Simples,
    pub(super) finite: Finite,
}

impl<'c> Model<'c> {
    pub(super) fn new(contract: &'c Contract, interfaces: &[Interface<'_>], reached: &Reached) -> Self {
        let types = &*contract.types;
        let mut scope = Scope::with(RESERVED);
        let records = name_records(types, interfaces, reached, &mut scope);
        let mut layouts: HashMap<ComplexId, Layout> =
            reached.order.iter().map(|&id| (id, layout(types, id))).collect();
        // A fault has one of the declared details.
        let details = interfaces
            .iter()
            .flat_map(|i| &i.operations)
            .filter_map(|s| s.detail);
        layouts.extend(details.map(|id| (id, Layout::Choice)));
        let variants = variants(types, reached);
        let finite = Finite::new(types, &reached.order, &layouts, &variants);
        let mut hierarchies = HashMap::new();
        for id in &reached.order {
            if let Some(variants) = variants.get(id) {
                let name = scope.take(&format!("Any{}", records[id]), "");
                hierarchies.insert(*id, (name, finite.first(variants)));
            }
        }
        let simples = Simples::new(types, reached, &records, &mut scope);
        Model {
            contract,
            types,
            scope,
            records,
            hierarchies,
            layouts,
            simples,
            finite,
        }
    }

    /// One value of a type.
    pub(super) fn single(&self, ty: TypeId) -> String {
        match ty {
            TypeId::Simple(id) => self.simple(id),
            TypeId::Complex(id) => match self.hierarchies.get(&id) {
                Some((name, _)) => name.clone(),
                None => self.records.get(&id).cloned().unwrap_or_else(|| VALUE.into()),
            },
            TypeId::Any | TypeId::Unsupported(_) => VALUE.into(),
        }
    }

    pub(super) fn simple(&self, id: SimpleId) -> String {
        self.simples.name(self.types, id)
    }

    /// One value of a field of `owner`, boxed where the type would hold itself.
    fn boxed(&self, owner: ComplexId, field: &Field) -> String {
        let single = self.item(field);
        match field.ty {
            TypeId::Complex(id) if self.finite.boxes(owner, id) => match self.is_mixed(field) {
                true => single.replacen("Mixed<", "Mixed<Box<", 1) + ">",
                false => format!("Box<{single}>"),
            },
            _ => single,
        }
    }

    /// One value of a repeated field.
    fn item(&self, field: &Field) -> String {
        match self.is_mixed(field) {
            true => format!("typed::Mixed<{}>", self.single(field.ty)),
            false => self.single(field.ty),
        }
    }

    /// Whether a value of the field may have text among its children, or be of a type that may.
    fn is_mixed(&self, field: &Field) -> bool {
        let TypeId::Complex(id) = field.ty else {
            return false;
        };
        let mixed = |id: &ComplexId| self.types.complex(*id).mixed().is_some();
        match self.hierarchies.get(&id) {
            Some((_, variants)) => variants.iter().any(mixed),
            None => mixed(&id),
        }
    }

    /// The type of a field that stands by itself.
    pub(super) fn field(&self, owner: ComplexId, field: &Field) -> String {
        let single = self.boxed(owner, field);
        let dynamic = single == VALUE;
        match &field.kind {
            FieldKind::AnyAttribute(_) => "typed::Attributes".into(),
            FieldKind::Text => single,
            _ if field.many && field.nillable && !dynamic => {
                format!("Vec<Option<{}>>", self.single(field.ty))
            }
            _ if field.many => format!("Vec<{}>", self.single(field.ty)),
            FieldKind::Element if dynamic => single,
            FieldKind::Any(_) => single,
            FieldKind::Element if field.nillable && field.required => format!("Option<{single}>"),
            FieldKind::Element if field.nillable => format!("typed::Maybe<{single}>"),
            _ if self.is_required(owner, field) => single,
            _ => format!("Option<{single}>"),
        }
    }

    /// The type of a field that is an alternative of a choice.
    pub(super) fn alternative(&self, owner: ComplexId, field: &Field) -> String {
        let single = self.boxed(owner, field);
        match (field.many, field.nillable, single == VALUE) {
            (true, true, false) => format!("Vec<Option<{}>>", self.item(field)),
            (true, ..) => format!("Vec<{}>", self.item(field)),
            (false, true, false) => format!("Option<{single}>"),
            _ => single,
        }
    }

    /// Whether the field always holds a value, of its own.
    pub(super) fn is_required(&self, owner: ComplexId, field: &Field) -> bool {
        super::finite::is_plain(field) && !self.finite.cut(owner, field.ty)
    }
}

/// A dynamic value.
pub(super) const VALUE: &str = "castile::Value";

/// Names the structs: what has a name keeps it, what has none is called after the operation that
/// uses it or after the path to it.
fn name_records(
    types: &Types,
    interfaces: &[Interface<'_>],
    reached: &Reached,
    scope: &mut Scope,
) -> HashMap<ComplexId, String> {
    let mut names = HashMap::new();
    let mut order = reached.order.clone();
    order.sort();
    for &id in &order {
        if let Some(name) = &types.complex(id).name {
            names.insert(id, scope.take(&camel(&name.local), "Type"));
        }
    }
    let mut wanted: HashMap<ComplexId, String> = HashMap::new();
    for signature in interfaces.iter().flat_map(|i| &i.operations) {
        let name = &signature.operation.name;
        let mut add = |id: Option<ComplexId>, suffix: &str| {
            if let Some(id) = id {
                wanted
                    .entry(id)
                    .or_insert_with(|| format!("{}{suffix}", camel(name)));
            }
        };
        add(signature.request_header, "Header");
        add(signature.reply_header, "ResponseHeader");
        add(signature.detail, "Fault");
    }
    for &id in &order {
        if names.contains_key(&id) {
            continue;
        }
        let name = match wanted.get(&id) {
            Some(name) => name.clone(),
            None => camel(path(&types.complex(id).label)),
        };
        names.insert(id, scope.take(&name, ""));
    }
    names
}

/// A label without its namespace.
fn path(label: &str) -> &str {
    label.rsplit('}').next().unwrap_or(label)
}

/// The concrete types that may stand where a type is declared, if there is more than the type itself.
fn variants(types: &Types, reached: &Reached) -> HashMap<ComplexId, Vec<ComplexId>> {
    let mut found = HashMap::new();
    for &id in &reached.order {
        let Some(derived) = reached
            .derived
            .get(&id)
            .filter(|_| reached.declared.contains(&id))
        else {
            continue;
        };
        let all = std::iter::once(id).chain(derived.iter().copied());
        let concrete: Vec<ComplexId> = all.filter(|&id| !types.complex(id).is_abstract).collect();
        if !concrete.is_empty() {
            found.insert(id, concrete);
        }
    }
    found
}
