//! Random tables: [`random_table`].

use castile_plan::{
    Builtin, ComplexId, Derivation, Field, FieldKind, NsIx, Occurs, Process, QName, TypeId, Types, Wildcard,
};

use crate::tree::{self, Group, Leaf, LeafKind, Model};
use crate::{Rng, TARGET, Table};

/// A table of a few types `T0`, `T1`, ..., each of which can be a message. Every content model is
/// deterministic, and a pass through a repeated group begins with an element that must be there, so
/// that a message says which values it was made from.
pub fn random_table(seed: u64) -> Table {
    let mut rng = Rng::new(seed);
    let mut types = Types::new();
    let target = types.intern(TARGET);
    let other = types.intern("urn:other");
    let count = 1 + rng.below(4);
    for i in 0..count {
        let name = QName::new(target, format!("T{i}"));
        let label = types.clark(&name);
        types.complex.push(castile_plan::Complex {
            name: Some(name),
            ..tree::empty(&label)
        });
    }
    for i in 0..count {
        let mut maker = Maker {
            types: &mut types,
            rng: &mut rng,
            count,
            spaces: [target, NsIx::NONE, other],
            names: 0,
        };
        let mut complex = maker.types.complex[i].clone();
        maker.attributes(&mut complex);
        match maker.rng.below(6) {
            0 => maker.text(&mut complex),
            1 => {}
            _ => {
                let model = maker.root();
                model.flatten(maker.types, &mut complex);
            }
        }
        types.complex[i] = complex;
    }
    if types.complex[0].text().is_none() && rng.once_in(2) {
        derive(&mut types, target);
    }
    Table::new(types)
}

/// Adds a type derived from `T0`: the same, and one element more.
fn derive(types: &mut Types, target: NsIx) {
    let base = TypeId::Complex(ComplexId(0));
    let name = QName::new(target, "Derived");
    let mut complex = types.complex[0].clone();
    complex.label = types.clark(&name).into();
    complex.name = Some(name);
    complex.base = Some(base);
    complex.derivation = Derivation::Extension;
    let field = Field {
        name: "added".into(),
        wire: QName::new(target, "added"),
        kind: FieldKind::Element,
        ty: TypeId::Simple(Builtin::String.into()),
        many: false,
        required: true,
        nillable: false,
        default: None,
        fixed: None,
        doc: None,
    };
    let field = tree::push(field, &mut complex);
    let leaf = castile_plan::Particle::Leaf {
        field,
        occurs: Occurs::ONE,
    };
    let sequence = |end| castile_plan::Particle::Sequence { optional: false, end };
    let mut content = vec![sequence(0)];
    content.extend(complex.content.iter().map(|p| shifted(*p)));
    content.push(leaf);
    content[0] = sequence(content.len() as u32);
    complex.content = content;
    // Wildcards before what is added would make the model ambiguous only for names of the target.
    types.complex.push(complex);
}

fn shifted(particle: castile_plan::Particle) -> castile_plan::Particle {
    use castile_plan::Particle::{All, Choice, Leaf, Sequence};
    match particle {
        Leaf { .. } => particle,
        Sequence { optional, end } => Sequence {
            optional,
            end: end + 1,
        },
        Choice { optional, end } => Choice {
            optional,
            end: end + 1,
        },
        All { optional, end } => All {
            optional,
            end: end + 1,
        },
    }
}

struct Maker<'m> {
    types: &'m mut Types,
    rng: &'m mut Rng,
    count: usize,
    spaces: [NsIx; 3],
    names: u32,
}

impl Maker<'_> {
    fn attributes(&mut self, complex: &mut castile_plan::Complex) {
        for _ in 0..self.rng.below(3) {
            let name = self.name("at");
            let ns = *self.rng.pick(&self.spaces[1..]);
            let required = self.rng.once_in(2);
            let ty = TypeId::Simple(self.simple());
            self.apart(complex, &name, ns, FieldKind::Attribute, ty, required);
        }
        if self.rng.once_in(6) {
            let wildcard = Wildcard {
                namespaces: None,
                other_than: None,
                process: Process::Lax,
            };
            self.apart(
                complex,
                "attributes",
                NsIx::NONE,
                FieldKind::AnyAttribute(wildcard),
                TypeId::Any,
                false,
            );
        }
    }

    fn text(&mut self, complex: &mut castile_plan::Complex) {
        let ty = TypeId::Simple(self.simple());
        self.apart(complex, "text", NsIx::NONE, FieldKind::Text, ty, true);
    }

    fn apart(
        &mut self,
        complex: &mut castile_plan::Complex,
        name: &str,
        ns: NsIx,
        kind: FieldKind,
        ty: TypeId,
        required: bool,
    ) {
        let local = if kind == FieldKind::Attribute { name } else { "" };
        let (wire, name) = (QName::new(ns, local), name.into());
        let field = Field {
            name,
            wire,
            kind,
            ty,
            many: false,
            required,
            nillable: false,
            default: None,
            fixed: None,
            doc: None,
        };
        tree::push(field, complex);
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn root(&mut self) -> Model {
        match self.rng.below(8) {
            0 => {
                let count = 1 + self.rng.below(4);
                let items = (0..count).map(|_| {
                    let mut leaf = self.leaf();
                    // Recursion must be able to end.
                    let recursive = matches!(leaf.ty, TypeId::Complex(_));
                    leaf.occurs = Occurs {
                        min: if recursive { 0 } else { self.rng.below(2) as u32 },
                        max: 1,
                    };
                    Model::Leaf(leaf)
                });
                let items = items.collect();
                Model::Group(
                    Group::All,
                    Occurs {
                        min: self.rng.below(2) as u32,
                        max: 1,
                    },
                    items,
                )
            }
            1 => self.twice(),
            _ => {
                let mut items: Vec<Model> = (0..1 + self.rng.below(5)).map(|_| self.model(0)).collect();
                if self.rng.once_in(4) {
                    items.push(Model::Leaf(self.wildcard()));
                }
                Model::Group(Group::Sequence, Occurs::ONE, items)
            }
        }
    }

    /// The same element at several places.
    fn twice(&mut self) -> Model {
        let (a, b) = (self.once(), self.once());
        let pair =
            |x: &Model, y: &Model| Model::Group(Group::Sequence, Occurs::ONE, vec![x.clone(), y.clone()]);
        match self.rng.below(3) {
            0 => Model::Group(Group::Choice, Occurs::ONE, vec![pair(&a, &b), pair(&b, &a)]),
            1 => Model::Group(Group::Sequence, Occurs::ONE, vec![a.clone(), b, a]),
            _ => {
                let often = match &a {
                    Model::Leaf(leaf) => Model::Leaf(Leaf {
                        occurs: Occurs { min: 1, max: 2 },
                        ..leaf.clone()
                    }),
                    other => other.clone(),
                };
                Model::Group(Group::Sequence, Occurs::ONE, vec![often.clone(), b, often])
            }
        }
    }

    fn model(&mut self, depth: u32) -> Model {
        if depth > 2 || !self.rng.once_in(3) {
            return Model::Leaf(self.leaf());
        }
        let repeats = self.rng.once_in(3);
        let group = if self.rng.once_in(2) {
            Group::Choice
        } else {
            Group::Sequence
        };
        let mut items: Vec<Model> = (0..1 + self.rng.below(3))
            .map(|_| self.model(depth + 1))
            .collect();
        if repeats {
            self.tell_passes_apart(group, &mut items);
            let min = self.rng.below(2) as u32;
            return Model::Group(
                group,
                Occurs {
                    min,
                    max: Occurs::UNBOUNDED,
                },
                items,
            );
        }
        Model::Group(
            group,
            Occurs {
                min: self.rng.below(2) as u32,
                max: 1,
            },
            items,
        )
    }

    /// Makes the passes of a repeated group begin with an element that is there once.
    fn tell_passes_apart(&mut self, group: Group, items: &mut Vec<Model>) {
        match group {
            Group::Choice => {
                for item in items.iter_mut() {
                    *item = self.once();
                }
            }
            _ => {
                let first = self.once();
                items.insert(0, first);
            }
        }
    }

    /// An element that is there once.
    fn once(&mut self) -> Model {
        // Of no complex type: recursion must be able to end.
        let ty = TypeId::Simple(self.simple());
        Model::Leaf(Leaf {
            occurs: Occurs::ONE,
            ty,
            default: None,
            nillable: false,
            ..self.leaf()
        })
    }

    fn leaf(&mut self) -> Leaf {
        let name = self.name("e");
        let ns = *self.rng.pick(&self.spaces);
        let ty = self.ty();
        let occurs = *self.rng.pick(&[
            Occurs::ONE,
            Occurs::ONE,
            Occurs { min: 0, max: 1 },
            Occurs {
                min: 0,
                max: Occurs::UNBOUNDED,
            },
            Occurs {
                min: 0,
                max: Occurs::UNBOUNDED,
            },
            Occurs { min: 2, max: 5 },
        ]);
        // Recursion must be able to end.
        let recursive = matches!(ty, TypeId::Complex(_));
        let occurs = if recursive {
            Occurs { min: 0, ..occurs }
        } else {
            occurs
        };
        let nillable = self.rng.once_in(5);
        let default =
            (ty == TypeId::Simple(Builtin::Int.into()) && self.rng.once_in(4)).then(|| "42".to_owned());
        Leaf {
            name,
            ns,
            kind: LeafKind::Element,
            ty,
            occurs,
            nillable,
            default,
        }
    }

    fn wildcard(&mut self) -> Leaf {
        // A namespace that no element has, so that the model stays deterministic.
        let namespaces = Some(vec![self.types.intern("urn:wild")]);
        let kind = LeafKind::Any(Wildcard {
            namespaces,
            other_than: None,
            process: Process::Lax,
        });
        let occurs = Occurs { min: 0, max: 3 };
        Leaf {
            name: "any".into(),
            ns: NsIx::NONE,
            kind,
            ty: TypeId::Any,
            occurs,
            nillable: false,
            default: None,
        }
    }

    fn ty(&mut self) -> TypeId {
        match self.rng.below(6) {
            0 => TypeId::Complex(ComplexId(self.rng.below(self.count) as u32)),
            1 => TypeId::Any,
            _ => TypeId::Simple(self.simple()),
        }
    }

    fn simple(&mut self) -> castile_plan::SimpleId {
        const COMMON: &[Builtin] = &[Builtin::Int, Builtin::Double, Builtin::String, Builtin::Boolean];
        let builtin = if self.rng.once_in(2) {
            *self.rng.pick(COMMON)
        } else {
            *self.rng.pick(Builtin::ALL)
        };
        if self.rng.once_in(8) && builtin.item().is_none() {
            self.types.simple.push(castile_plan::Simple {
                name: None,
                base: None,
                variety: castile_plan::Variety::List(builtin.into()),
                facets: castile_plan::Facets::default(),
                doc: None,
            });
            return castile_plan::SimpleId(self.types.simple.len() as u32 - 1);
        }
        builtin.into()
    }
}
