//! A [`Raw`] type to fields and flattened particles.

use std::collections::{BTreeMap, HashMap};

use castile_plan::{
    Builtin, Complex, Derivation, Field, FieldKind, NsIx, Occurs, Particle, QName, SimpleId, TypeId,
};

use super::complex::Raw;
use super::model::{Compositor, Group, Leaf, Model};
use super::{Compiler, attribute, empty, naming};

impl Compiler<'_> {
    /// The table form of a type.
    pub(super) fn flatten(&mut self, raw: &Raw, label: &str) -> Complex {
        let mut complex = self.flatten_model(raw.model.as_deref(), label, |fields| {
            fields.extend(raw.attributes.uses.iter().map(|field| (**field).clone()));
            fields.extend(raw.attributes.any.clone().map(attribute::any_attribute));
            let mixed = raw.mixed.then(|| Builtin::String.into());
            fields.extend(
                raw.text
                    .or(mixed)
                    .map(|ty| text(ty, raw.mixed && raw.model.is_some())),
            );
        });
        complex.base = raw.base;
        complex.derivation = raw.derivation.unwrap_or(Derivation::None);
        complex
    }

    /// A type of the content `model`; `first` gives the fields that are no content.
    pub(crate) fn flatten_model(
        &mut self,
        model: Option<&Model>,
        label: &str,
        first: impl FnOnce(&mut Vec<Field>),
    ) -> Complex {
        let mut fields = Vec::new();
        first(&mut fields);
        let mut flattener = Flattener {
            compiler: self,
            label,
            fields,
            content: Vec::new(),
            leaves: HashMap::new(),
        };
        match model {
            None => {}
            Some(model @ Model::Leaf(..)) => {
                flattener.content.push(Particle::Sequence {
                    optional: false,
                    end: 2,
                });
                flattener.emit(model);
            }
            Some(Model::Group(group)) if group.occurs.max > 1 => {
                flattener.content.push(Particle::Sequence {
                    optional: false,
                    end: 2,
                });
                flattener.repeated(group);
            }
            Some(model) => flattener.emit(model),
        }
        let Flattener {
            mut fields, content, ..
        } = flattener;
        count(&content, &mut fields);
        naming::assign(&mut fields);
        Complex {
            fields,
            content,
            ..empty(label)
        }
    }
}

/// Name, type, default and fixed value.
type Same = (QName, TypeId, Option<Box<str>>, Option<Box<str>>);

struct Flattener<'c, 'd, 'l> {
    compiler: &'c mut Compiler<'d>,
    label: &'l str,
    fields: Vec<Field>,
    content: Vec<Particle>,
    /// The fields of the elements so far: the same element twice is one field, unless their values are
    /// fixed apart.
    leaves: HashMap<Same, u32>,
}

impl Flattener<'_, '_, '_> {
    fn emit(&mut self, model: &Model) {
        match model {
            Model::Leaf(leaf, occurs) => {
                let field = self.field(leaf);
                self.content.push(Particle::Leaf {
                    field,
                    occurs: *occurs,
                });
            }
            Model::Group(group) if group.occurs.max > 1 => self.repeated(group),
            Model::Group(group) => self.once(group),
        }
    }

    fn once(&mut self, group: &Group) {
        let at = self.content.len();
        let optional = group.occurs.min == 0;
        self.content.push(Particle::Sequence { optional, end: 0 });
        group.items.iter().for_each(|item| self.emit(item));
        let end = self.content.len() as u32;
        if let Some(particle) = self.content.get_mut(at) {
            *particle = match group.compositor {
                Compositor::Sequence => Particle::Sequence { optional, end },
                Compositor::Choice => Particle::Choice { optional, end },
                Compositor::All => Particle::All { optional, end },
            };
        }
    }

    /// A group that repeats is a field whose type has the elements of one pass.
    fn repeated(&mut self, group: &Group) {
        let name = group.name.as_deref().unwrap_or(group.compositor.name());
        let label = format!("{}/{name}", self.label);
        let once = Model::group(group.compositor, Occurs::ONE, group.items.clone(), None);
        let complex = self.compiler.flatten_model(once.as_deref(), &label, |_| {});
        let ty = TypeId::Complex(self.compiler.synthetic(complex));
        let mut field = field(FieldKind::Group, QName::new(NsIx::NONE, ""), ty);
        field.name = name.into();
        let at = self.push(field);
        self.content.push(Particle::Leaf {
            field: at,
            occurs: group.occurs,
        });
    }

    fn field(&mut self, leaf: &Leaf) -> u32 {
        let key = (
            leaf.wire.clone(),
            leaf.ty,
            leaf.default.clone(),
            leaf.fixed.clone(),
        );
        let named = matches!(leaf.kind, FieldKind::Element | FieldKind::Group);
        if named && let Some(&at) = self.leaves.get(&key) {
            if let Some(field) = self.fields.get_mut(at as usize) {
                field.nillable |= leaf.nillable;
            }
            return at;
        }
        let mut field = field(leaf.kind.clone(), leaf.wire.clone(), leaf.ty);
        field.nillable = leaf.nillable;
        field.default = leaf.default.clone();
        field.fixed = leaf.fixed.clone();
        field.doc = leaf.doc.clone();
        let at = self.push(field);
        if named {
            self.leaves.insert(key, at);
        }
        at
    }

    fn push(&mut self, field: Field) -> u32 {
        self.fields.push(field);
        self.fields.len() as u32 - 1
    }
}

fn field(kind: FieldKind, wire: QName, ty: TypeId) -> Field {
    let name = wire.local.clone();
    Field {
        name,
        wire,
        kind,
        ty,
        many: false,
        required: false,
        nillable: false,
        default: None,
        fixed: None,
        doc: None,
    }
}

fn text(ty: SimpleId, mixed: bool) -> Field {
    let mut field = field(FieldKind::Text, QName::new(NsIx::NONE, ""), TypeId::Simple(ty));
    field.required = !mixed;
    field
}

/// Sets `many` and `required` of the content's fields: how often each can stand there along any
/// path through the model, and whether it stands on every path.
fn count(content: &[Particle], fields: &mut [Field]) {
    let parents = parents(content);
    let mut children = vec![0usize; content.len()];
    for parent in parents.iter().flatten() {
        if let Some(count) = children.get_mut(*parent as usize) {
            *count += 1;
        }
    }
    let mut leaves: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (i, particle) in content.iter().enumerate() {
        if let Particle::Leaf { field, .. } = particle {
            leaves.entry(*field).or_default().push(i as u32);
        }
    }
    for (field, leaves) in leaves {
        let occurs = total(content, &parents, &children, &leaves);
        if let Some(field) = fields.get_mut(field as usize) {
            field.many = occurs.max > 1;
            field.required = occurs.min > 0;
        }
    }
}

/// How often the particles at `leaves`, which are of one field, occur altogether.
fn total(content: &[Particle], parents: &[Option<u32>], children: &[usize], leaves: &[u32]) -> Occurs {
    // What each open particle contributes; the last one is always complete: children come after
    // their parents.
    let mut open: BTreeMap<u32, Vec<Occurs>> = BTreeMap::new();
    for &leaf in leaves {
        open.insert(leaf, Vec::new());
    }
    while let Some((at, parts)) = open.pop_last() {
        let occurs = match content.get(at as usize) {
            Some(&Particle::Leaf { occurs, .. }) => occurs,
            Some(&Particle::Choice { optional, .. }) => {
                let max = parts.iter().map(|p| p.max).max().unwrap_or(0);
                let all = !optional && children.get(at as usize) == Some(&parts.len());
                Occurs {
                    min: if all {
                        parts.iter().map(|p| p.min).min().unwrap_or(0)
                    } else {
                        0
                    },
                    max,
                }
            }
            Some(&(Particle::Sequence { optional, .. } | Particle::All { optional, .. })) => {
                let sum = |n: fn(&Occurs) -> u32| parts.iter().map(n).fold(0u32, u32::saturating_add);
                Occurs {
                    min: if optional { 0 } else { sum(|p| p.min) },
                    max: sum(|p| p.max),
                }
            }
            None => return Occurs::ONE,
        };
        match parents.get(at as usize) {
            Some(&Some(parent)) => open.entry(parent).or_default().push(occurs),
            _ => return occurs,
        }
    }
    Occurs::ONE
}

/// The group in which each particle stands.
fn parents(content: &[Particle]) -> Vec<Option<u32>> {
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut parents = Vec::with_capacity(content.len());
    for (i, particle) in content.iter().enumerate() {
        let i = i as u32;
        while open.last().is_some_and(|&(_, end)| end <= i) {
            open.pop();
        }
        parents.push(open.last().map(|&(at, _)| at));
        if let Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } =
            *particle
        {
            open.push((i, end));
        }
    }
    parents
}
