//! How a contract is told in Python: the name of every class, what it derives from, and what its fields
//! hold.

use std::collections::{HashMap, HashSet};

use castile_plan::{ComplexId, Field, FieldKind, SimpleId, TypeId, Types, Variety};
use castile_value::DType;

use super::annotation::{ANY, Ty, reserved};
use super::names::{attributes, class};
use super::simple::Simples;
use crate::ident::Scope;
use crate::reach::Reached;

/// Arrays in arrays are told so deep.
const DEPTH_MAX: u32 = 8;

pub(super) struct Model<'c> {
    pub(super) types: &'c Types,
    /// Names in the module.
    pub(super) scope: Scope,
    /// The classes to be written, each after the one it derives from.
    pub(super) order: Vec<ComplexId>,
    pub(super) simples: Simples,
    classes: HashMap<ComplexId, String>,
    parents: HashMap<ComplexId, ComplexId>,
    /// All types derived from a type.
    derived: HashMap<ComplexId, Vec<ComplexId>>,
    rows: HashMap<ComplexId, String>,
}

/// What a field of a record holds.
pub(super) struct Held {
    /// What reading it gives.
    pub(super) ty: Ty,
    pub(super) empty: Empty,
}

/// What a field holds when nothing came.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Empty {
    /// Something always comes.
    Never,
    /// `None`.
    Nothing,
    /// An empty list.
    List,
    /// An empty array of numbers.
    Array(DType),
    /// An empty structured array with the dtype of this type.
    Rows(ComplexId),
}

impl<'c> Model<'c> {
    /// `holders` are types whose fields stand by themselves: no class is made of them.
    pub(super) fn new(types: &'c Types, reached: &Reached, holders: &[ComplexId]) -> Self {
        let mut scope = Scope::with(&reserved());
        // Clients are what everybody imports.
        for name in ["Client", "AsyncClient"] {
            scope.take(name, "");
        }
        let mut classes = HashMap::new();
        let named = |id: &&ComplexId| types.complex(**id).name.is_some();
        let (first, then): (Vec<_>, Vec<_>) = reached.order.iter().partition(named);
        for &id in first.into_iter().chain(then) {
            classes.insert(id, scope.take(&class(&types.complex(id).label), "_"));
        }
        let simples = Simples::new(types, reached, holders, &classes, &mut scope);
        let mut model = Model {
            types,
            order: Vec::new(),
            simples,
            classes,
            parents: HashMap::new(),
            derived: reached.derived.clone(),
            rows: HashMap::new(),
            scope,
        };
        for &id in &reached.order {
            model
                .parents
                .extend(model.parent_of(id).map(|parent| (id, parent)));
        }
        model.order = parents_first(&reached.order, &model.parents);
        let all = holders.iter().chain(&reached.order);
        for field in all.flat_map(|&id| &types.complex(id).fields) {
            if let (true, TypeId::Complex(id)) = (field.many, field.ty)
                && types.row_layout(id).is_some()
                && !model.rows.contains_key(&id)
            {
                let name = model.scope.take(&format!("{}Row", model.class(id)), "_");
                model.rows.insert(id, name);
            }
        }
        model
    }

    /// The name of a class.
    pub(super) fn class(&self, id: ComplexId) -> &str {
        self.classes.get(&id).map_or("Any", String::as_str)
    }

    /// What a class derives from, among those that are written.
    pub(super) fn parent(&self, id: ComplexId) -> Option<ComplexId> {
        self.parents.get(&id).copied()
    }

    /// The name of the dtype of a type's rows, where a field holds such.
    pub(super) fn row(&self, id: ComplexId) -> Option<&str> {
        self.rows.get(&id).map(String::as_str)
    }

    /// What a field of a type holds.
    pub(super) fn held(&self, owner: ComplexId, field: &Field) -> Held {
        if field.many {
            let (ty, empty) = self.many(owner, field);
            return Held { ty, empty };
        }
        let one = self.one(field);
        let always = self.is_always(owner, field);
        Held {
            ty: one.or_none(!always || field.nillable),
            empty: match always && !field.nillable {
                true => Empty::Never,
                false => Empty::Nothing,
            },
        }
    }

    /// Whether something is there in each value of the type: a nil one has nothing but attributes.
    fn is_always(&self, owner: ComplexId, field: &Field) -> bool {
        let nil = self.types.complex(owner).fields.iter().any(Field::is_nil);
        field.required && (!nil || field.kind == FieldKind::Attribute)
    }

    fn many(&self, owner: ComplexId, field: &Field) -> (Ty, Empty) {
        let one = self.one(field);
        let nested = self.types.complex(owner).array.is_some_and(|rank| rank > 1);
        let list = match nested {
            // Lists in lists, as deep as there are dimensions.
            true => ANY.list(),
            false => one.clone().or_none(field.nillable).list(),
        };
        match field.ty {
            TypeId::Simple(id) => match self.dtype(id) {
                Some(dtype) if field.nillable => (Ty::Array(dtype).or(list), Empty::Array(dtype)),
                Some(dtype) => (Ty::Array(dtype), Empty::Array(dtype)),
                None => (list, Empty::List),
            },
            TypeId::Complex(id) if self.types.row_layout(id).is_some() => {
                let rows = Ty::Name("typed.Rows");
                let listed = field.nillable || self.derived.contains_key(&id);
                let ty = if listed { rows.or(list) } else { rows };
                (ty, Empty::Rows(id))
            }
            _ => (list, Empty::List),
        }
    }

    /// The machine type of an atomic type.
    fn dtype(&self, id: SimpleId) -> Option<DType> {
        match self.types.simple(id).variety {
            Variety::Atomic(builtin) => builtin.dtype(),
            _ => None,
        }
    }

    /// One value of a field, if it is there and not nil.
    pub(super) fn one(&self, field: &Field) -> Ty {
        match (&field.kind, field.ty) {
            (FieldKind::AnyAttribute(_), _) => Ty::Name("dict[str, str]"),
            (FieldKind::Any(_), _) => Ty::Name("typed.Record").or(Ty::Name("typed.XML")),
            (_, TypeId::Simple(id)) => self.simples.ty(self.types, id),
            (FieldKind::Group, TypeId::Complex(id)) => Ty::Own(self.class(id).to_owned()),
            (_, TypeId::Complex(id)) => self.complex(id),
            (_, TypeId::Any | TypeId::Unsupported(_)) => ANY,
        }
    }

    /// A value of a type, or of one derived from it.
    pub(super) fn complex(&self, id: ComplexId) -> Ty {
        if self.types.complex(id).array.is_some() {
            return self.array(id, 0);
        }
        if !self.classes.contains_key(&id) {
            return ANY;
        }
        let all: Vec<ComplexId> = std::iter::once(id)
            .chain(self.derived.get(&id).into_iter().flatten().copied())
            .collect();
        let mut ty = Ty::Own(self.class(id).to_owned());
        for &derived in &all[1..] {
            if self.classes.contains_key(&derived) && !self.inherits(derived, id) {
                ty = ty.or(Ty::Own(self.class(derived).to_owned()));
            }
        }
        match all.iter().any(|&id| self.types.complex(id).mixed().is_some()) {
            true => ty.or(Ty::Name("typed.XML")),
            false => ty,
        }
    }

    /// An array of SOAP encoding: its items without a record around them.
    fn array(&self, id: ComplexId, depth: u32) -> Ty {
        match &self.types.complex(id).fields[..] {
            [item] => match item.ty {
                _ if depth > DEPTH_MAX => ANY,
                TypeId::Complex(inner) if self.types.complex(inner).array.is_some() => {
                    self.array(inner, depth + 1).or_none(item.nillable).list()
                }
                _ => self.many(id, item).0,
            },
            _ => ANY,
        }
    }

    fn inherits(&self, id: ComplexId, base: ComplexId) -> bool {
        std::iter::successors(Some(id), |at| self.parent(*at)).any(|at| at == base)
    }

    /// What may be given for a field where a call takes it by itself: more than what it holds.
    pub(super) fn given(&self, owner: ComplexId, field: &Field) -> Ty {
        let held = self.held(owner, field).ty;
        if field.many {
            return self.given_items(field);
        }
        match field.ty {
            TypeId::Complex(id) if field.is_substitution() => {
                let members = self.types.complex(id).fields.iter().map(|f| self.one(f));
                let members = members.filter(|ty| matches!(ty, Ty::Own(_) | Ty::Union(_)));
                members.fold(held, Ty::or)
            }
            TypeId::Complex(id) => match self.inner(id) {
                Some(inner) => held.or(self.given(id, inner)),
                None => held,
            },
            _ if held == Ty::Name("Decimal") => held.or(Ty::Name("int")),
            _ => held,
        }
    }

    fn given_items(&self, field: &Field) -> Ty {
        let is_array = match field.ty {
            TypeId::Simple(id) => self.dtype(id).is_some(),
            TypeId::Complex(id) => self.types.row_layout(id).is_some(),
            _ => false,
        };
        let items = Ty::Sequence(self.one(field).or_none(field.nillable).into());
        match is_array {
            true => Ty::Name("typed.Numbers").or(items),
            false => items,
        }
    }

    /// The repeated element of a type that has only that.
    fn inner(&self, id: ComplexId) -> Option<&'c Field> {
        match &self.types.complex(id).fields[..] {
            [inner] if inner.many && inner.kind == FieldKind::Element => Some(inner),
            _ => None,
        }
    }

    /// Whether values of a type are sequences themselves.
    pub(super) fn is_array(&self, id: ComplexId) -> bool {
        self.inner(id).is_some()
    }

    /// The nearest base that a class can derive from: one whose fields are all its own, and hold no less.
    fn parent_of(&self, id: ComplexId) -> Option<ComplexId> {
        let mut base = self.types.complex(id).base;
        for _ in 0..self.types.complex.len() {
            let Some(TypeId::Complex(at)) = base else { break };
            if self.classes.contains_key(&at) && self.extends(id, at) {
                return Some(at);
            }
            base = self.types.complex(at).base;
        }
        None
    }

    fn extends(&self, id: ComplexId, base: ComplexId) -> bool {
        let own = self.types.complex(id);
        let alike = |field: &Field| {
            let Some(same) = own.field(&field.name) else {
                return false;
            };
            let less = |always: bool, was: bool| always || !was;
            let ty = match (same.ty, field.ty) {
                (TypeId::Simple(a), TypeId::Simple(b)) => {
                    let ty = |id| self.simples.ty(self.types, id);
                    self.dtype(a) == self.dtype(b) && ty(a).is_within(&ty(b))
                }
                (a, b) => a == b,
            };
            ty && same.many == field.many
                && std::mem::discriminant(&same.kind) == std::mem::discriminant(&field.kind)
                && less(self.is_always(id, same), self.is_always(base, field))
                && (!same.nillable || field.nillable)
        };
        let fields = &self.types.complex(base).fields;
        id != base && fields.iter().all(alike) && (!self.is_array(base) || self.is_array(id))
    }

    /// The Python names of a type's fields.
    pub(super) fn attributes(&self, id: ComplexId) -> Vec<String> {
        attributes(self.types.complex(id).fields.iter().map(|f| &*f.name))
    }

    /// The elements that stand in exactly one repeated group and nowhere else, each with its group.
    pub(super) fn members(&self, id: ComplexId) -> Vec<(&'c Field, &'c str)> {
        let complex = self.types.complex(id);
        let mut members: Vec<(&Field, &str)> = Vec::new();
        for field in complex
            .fields
            .iter()
            .filter(|f| f.many && f.kind == FieldKind::Group)
        {
            if let TypeId::Complex(group) = field.ty {
                members.extend(self.types.complex(group).fields.iter().map(|f| (f, &*field.name)));
            }
        }
        let mut times: HashMap<&str, usize> = HashMap::new();
        for (member, _) in &members {
            *times.entry(&member.name).or_default() += 1;
        }
        let own: HashSet<&str> = complex.fields.iter().map(|f| &*f.name).collect();
        members.retain(|(member, _)| times.get(&*member.name) == Some(&1) && !own.contains(&*member.name));
        members
    }

    /// What reading such an element gives.
    pub(super) fn member(&self, field: &Field) -> Ty {
        match field.ty {
            // Of arrays the single numbers, of which NumPy has its own kinds.
            TypeId::Simple(id) if field.many && self.dtype(id).is_some() => ANY.list(),
            TypeId::Complex(id) if field.many && self.types.row_layout(id).is_some() => ANY.list(),
            _ => self.one(field).or_none(field.nillable).list(),
        }
    }

    /// The value of a detail entry of this type: there, a longer integer than a machine's is a
    /// `Decimal`.
    pub(super) fn detail(&self, field: &Field) -> Ty {
        match self.one(field) {
            Ty::Name("int") => Ty::Name("int").or(Ty::Name("Decimal")),
            ty => ty,
        }
        .or_none(field.nillable)
    }
}

fn parents_first(order: &[ComplexId], parents: &HashMap<ComplexId, ComplexId>) -> Vec<ComplexId> {
    let mut done = HashSet::new();
    let mut sorted = Vec::with_capacity(order.len());
    for &id in order {
        let line = std::iter::successors(Some(id), |at| parents.get(at).copied());
        let mut line: Vec<ComplexId> = line.take_while(|at| !done.contains(at)).collect();
        line.reverse();
        done.extend(line.iter().copied());
        sorted.extend(line);
    }
    sorted
}
