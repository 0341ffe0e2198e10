//! A sealed table and the plans in it.

use castile_plan::{
    Builtin, Complex, ComplexId, Derivation, Facets, Field, FieldKind, NsIx, Occurs, Particle, Plan, QName,
    Simple, SimpleId, Style, TypeId, Types, Variety, WhiteSpace,
};

use crate::TARGET;
use crate::notation::{self, Definition};
use crate::tree::{self, Group, Model, Ty};

/// A table of types, each of which can be the one element of a message.
#[derive(Clone, Debug)]
pub struct Table {
    /// The sealed table.
    pub types: Types,
    header: ComplexId,
}

impl Table {
    /// A table in the notation of this crate, one type a line; a line that is indented goes on
    /// with the type before it.
    ///
    /// ```text
    /// Name = a:int, b:string?, c:Other*, d:double{2-5}     a sequence
    /// Name = (a:int | (b:int, c:int)?)                     groups of , | &, with ? * + {m-n}
    /// Name = @id:string!, @lang:token=en, #:decimal        attributes (! required), then text
    /// Name = a:int~, b:int=5, ^c:int, x^d:int              nillable, default, no namespace, urn:x
    /// Name = a:[int], b:<int/string>, c:{red/green}, d:any list, union, enumeration, anyType
    /// Name = a:int, *any*, *other?, @*                     wildcards
    /// Name(Base) = b:int         Name! = a:int             extension, abstract
    /// ```
    ///
    /// The header of every plan is the type `Header`, if there is one.
    ///
    /// # Panics
    /// When the text is not in the notation.
    pub fn parse(text: &str) -> Table {
        let mut types = Types::new();
        let target = types.intern(TARGET);
        let definitions = notation::parse(text, &mut types, target);
        // Ids first, so that types may refer to one another in any order.
        for (i, definition) in definitions.iter().enumerate() {
            let name = QName::new(target, definition.name.as_str());
            let label = types.clark(&name);
            let base = definition.base.as_ref().map(|base| {
                let at = definitions
                    .iter()
                    .position(|d| d.name == *base)
                    .expect("the base is a type of the table");
                assert!(at < i, "a base stands before what is derived from it");
                TypeId::Complex(ComplexId(at as u32))
            });
            let derivation = if base.is_some() {
                Derivation::Extension
            } else {
                Derivation::None
            };
            let is_abstract = definition.is_abstract;
            types.complex.push(Complex {
                name: Some(name),
                base,
                derivation,
                is_abstract,
                ..tree::empty(&label)
            });
        }
        let names: Vec<String> = definitions.iter().map(|d| d.name.clone()).collect();
        for i in 0..definitions.len() {
            let complex = define(&mut types, &names, &definitions, i);
            types.complex[i] = complex;
        }
        Table::new(types)
    }

    /// The table of these types, with a plan for each named complex type.
    ///
    /// # Panics
    /// When the types are no good table.
    pub fn new(mut types: Types) -> Table {
        for i in 0..types.complex.len() {
            if let Some(name) = types.complex[i].name.clone() {
                let body = body(&name, TypeId::Complex(ComplexId(i as u32)));
                types.complex.push(body);
            }
        }
        let header = types
            .complex
            .iter()
            .position(|c| c.name.as_ref().is_some_and(|n| &*n.local == "Header"));
        let header = header.unwrap_or_else(|| {
            types.complex.push(tree::empty("no header"));
            types.complex.len() - 1
        });
        types.seal().expect("the types are a good table");
        Table {
            types,
            header: ComplexId(header as u32),
        }
    }

    /// The same table, in which types of one repeated element, each with its number of dimensions, are
    /// arrays of SOAP encoding.
    ///
    /// # Panics
    /// When there is no such type, or it has other fields.
    #[must_use]
    pub fn with_arrays(mut self, arrays: &[(&str, u32)]) -> Table {
        for &(local, rank) in arrays {
            let id = self.id(local);
            let complex = &mut self.types.complex[id.index()];
            complex.array = Some(rank);
            complex.fields[0].nillable = true;
        }
        self.types.seal().expect("the types are a good table");
        self
    }

    /// The complex type of this local name.
    ///
    /// # Panics
    /// When there is none.
    pub fn id(&self, local: &str) -> ComplexId {
        let same = |c: &Complex| c.name.as_ref().is_some_and(|n| &*n.local == local);
        let at = self.types.complex.iter().position(same);
        ComplexId(at.unwrap_or_else(|| panic!("no type {local}")) as u32)
    }

    /// The message whose body has one element of the type of this local name, called like it.
    ///
    /// # Panics
    /// When there is no such type.
    pub fn plan(&self, local: &str) -> Plan {
        let inner = TypeId::Complex(self.id(local));
        let wraps = |c: &Complex| c.label.starts_with("body of") && c.fields[0].ty == inner;
        let body = self
            .types
            .complex
            .iter()
            .position(wraps)
            .expect("every type has a body");
        Plan::new(
            &self.types,
            local,
            Style::Wrapped,
            self.header,
            ComplexId(body as u32),
        )
    }
}

/// A body with one element.
fn body(name: &QName, ty: TypeId) -> Complex {
    let field = Field {
        wire: name.clone(),
        required: true,
        ..field(&name.local, FieldKind::Element, ty)
    };
    Complex {
        fields: vec![field],
        content: vec![
            Particle::Sequence {
                optional: false,
                end: 2,
            },
            Particle::Leaf {
                field: 0,
                occurs: Occurs::ONE,
            },
        ],
        ..tree::empty(&format!("body of {}", name.local))
    }
}

fn field(name: &str, kind: FieldKind, ty: TypeId) -> Field {
    Field {
        name: name.into(),
        wire: QName::new(NsIx::NONE, ""),
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

fn define(types: &mut Types, names: &[String], definitions: &[Definition], i: usize) -> Complex {
    let mut complex = types.complex[i].clone();
    let mut models = Vec::new();
    // What is inherited comes first.
    let mut chain = vec![i];
    while let Some(base) = &definitions[chain[chain.len() - 1]].base {
        chain.push(names.iter().position(|n| n == base).expect("checked before"));
    }
    for &step in chain.iter().rev() {
        let definition = &definitions[step];
        for attribute in &definition.attributes {
            let ty = resolve(types, names, &attribute.ty);
            let wire = QName::new(
                attribute.ns,
                if attribute.named() {
                    attribute.name.as_str()
                } else {
                    ""
                },
            );
            let made = Field {
                wire,
                required: attribute.required,
                default: attribute.default.as_deref().map(Into::into),
                ..field(&attribute.name, attribute.kind.clone(), ty)
            };
            tree::push(made, &mut complex);
        }
        models.extend(definition.model.iter().map(|model| resolved(types, names, model)));
    }
    let model = match models.len() {
        0 => return complex,
        1 => models.remove(0),
        _ => Model::Group(Group::Sequence, Occurs::ONE, models),
    };
    model.flatten(types, &mut complex);
    complex
}

fn resolved(types: &mut Types, names: &[String], model: &notation::Tree) -> Model {
    match model {
        notation::Tree::Leaf(leaf, ty) => Model::Leaf(tree::Leaf {
            ty: resolve(types, names, ty),
            ..leaf.clone()
        }),
        notation::Tree::Group(group, occurs, items) => Model::Group(
            *group,
            *occurs,
            items.iter().map(|item| resolved(types, names, item)).collect(),
        ),
    }
}

fn resolve(types: &mut Types, names: &[String], ty: &Ty) -> TypeId {
    match ty {
        Ty::Any => TypeId::Any,
        Ty::Known(id) => *id,
        Ty::Named(name) => match names.iter().position(|n| n == name) {
            Some(at) => TypeId::Complex(ComplexId(at as u32)),
            None => {
                let builtin = Builtin::from_name(name).unwrap_or_else(|| panic!("no type {name}"));
                TypeId::Simple(builtin.into())
            }
        },
        Ty::List(item) => {
            let item = simple(types, names, item);
            add(types, Variety::List(item), None, Facets::default())
        }
        Ty::Union(members) => {
            let members = members.iter().map(|m| simple(types, names, m)).collect();
            add(types, Variety::Union(members), None, Facets::default())
        }
        Ty::Enumeration(values) => {
            let enumeration = values.iter().map(|v| v.as_str().into()).collect();
            let facets = Facets {
                enumeration,
                white_space: Some(WhiteSpace::Preserve),
                ..Facets::default()
            };
            add(
                types,
                Variety::Atomic(Builtin::String),
                Some(Builtin::String.into()),
                facets,
            )
        }
    }
}

fn simple(types: &mut Types, names: &[String], ty: &Ty) -> SimpleId {
    match resolve(types, names, ty) {
        TypeId::Simple(id) => id,
        other => panic!("{other:?} is no simple type"),
    }
}

fn add(types: &mut Types, variety: Variety, base: Option<SimpleId>, facets: Facets) -> TypeId {
    types.simple.push(Simple {
        name: None,
        base,
        variety,
        facets,
        doc: None,
    });
    TypeId::Simple(SimpleId(types.simple.len() as u32 - 1))
}
