//! A table that cannot be walked is refused when it is sealed, and a good one survives its stored form.

use castile_plan::{
    Builtin, Complex, ComplexId, Derivation, Element, Field, FieldKind, Namespace, NsIx, Occurs, Particle,
    QName, Simple, SimpleId, TypeId, Types, Variety, decode_stored, encode_stored,
};
use castile_testkit::random_table;

/// What makes a good table a bad one.
type Breaking = Box<dyn FnOnce(&mut Types)>;

fn field(name: &str, ty: TypeId) -> Field {
    Field {
        name: name.into(),
        wire: QName::new(NsIx::NONE, name),
        kind: FieldKind::Element,
        ty,
        many: false,
        required: false,
        nillable: false,
        default: None,
        fixed: None,
        doc: None,
    }
}

fn complex(fields: Vec<Field>, content: Vec<Particle>) -> Complex {
    Complex {
        name: None,
        label: "t".into(),
        base: None,
        derivation: Derivation::None,
        is_abstract: false,
        fields,
        content,
        array: None,
        doc: None,
    }
}

fn leaf(field: u32) -> Particle {
    Particle::Leaf {
        field,
        occurs: Occurs::ONE,
    }
}

fn sequence(end: u32) -> Particle {
    Particle::Sequence { optional: false, end }
}

const STRING: TypeId = TypeId::Simple(SimpleId(Builtin::String as u32));

#[test]
fn bad_tables_are_refused() {
    let one = || vec![field("a", STRING)];
    let with = |complex: Complex| Box::new(move |types: &mut Types| types.complex.push(complex)) as Breaking;
    let group = |id: u32| Field {
        kind: FieldKind::Group,
        ..field("g", TypeId::Complex(ComplexId(id)))
    };
    let attribute = || Field {
        kind: FieldKind::Attribute,
        ..field("b", STRING)
    };
    let occurs = |min, max| Particle::Leaf {
        field: 0,
        occurs: Occurs { min, max },
    };
    let prefixed = |prefix: &str| {
        let namespace = Namespace {
            uri: "urn:x".into(),
            prefix: prefix.into(),
        };
        Box::new(move |types: &mut Types| types.namespaces.push(namespace)) as Breaking
    };
    let cases: Vec<(&str, Breaking)> = vec![
        (
            "type Simple(SimpleId(9999)) is not in the table",
            with(complex(vec![field("a", TypeId::Simple(SimpleId(9999)))], vec![])),
        ),
        (
            "type Complex(ComplexId(7)) is not",
            with(complex(vec![field("a", TypeId::Complex(ComplexId(7)))], vec![])),
        ),
        (
            "type Unsupported(0) is not",
            with(complex(vec![field("a", TypeId::Unsupported(0))], vec![])),
        ),
        (
            "is in namespace 99",
            with(complex(
                vec![Field {
                    wire: QName::new(NsIx(99), "a"),
                    ..field("a", STRING)
                }],
                vec![],
            )),
        ),
        (
            "two fields are called a",
            with(complex([one(), one()].concat(), vec![])),
        ),
        (
            "cannot have type Any",
            with(complex(
                vec![Field {
                    ty: TypeId::Any,
                    ..attribute()
                }],
                vec![],
            )),
        ),
        (
            "field g cannot have type Simple",
            with(complex(
                vec![Field {
                    ty: STRING,
                    ..group(0)
                }],
                vec![],
            )),
        ),
        (
            "particle 1 is no usable leaf",
            with(complex(one(), vec![sequence(2), leaf(1)])),
        ),
        (
            "particle 1 is no usable leaf",
            with(complex(vec![attribute()], vec![sequence(2), leaf(0)])),
        ),
        (
            "is no usable leaf",
            with(complex(one(), vec![sequence(2), occurs(2, 1)])),
        ),
        (
            "is no usable leaf",
            with(complex(one(), vec![sequence(2), occurs(0, 0)])),
        ),
        (
            "particle 0 ends at 1",
            with(complex(one(), vec![sequence(1), leaf(0)])),
        ),
        (
            "particle 0 ends at 3",
            with(complex(one(), vec![sequence(3), leaf(0)])),
        ),
        (
            "particle 1 ends at 4",
            with(complex(one(), vec![sequence(3), sequence(4), leaf(0)])),
        ),
        (
            "particle 1 ends at 1",
            with(complex(one(), vec![sequence(3), sequence(1), leaf(0)])),
        ),
        ("more than one root", with(complex(one(), vec![leaf(0), leaf(0)]))),
        (
            "nest deeper",
            with(complex(vec![group(0)], vec![sequence(2), leaf(0)])),
        ),
        ("prefix \"S\"", prefixed("S")),
        ("prefix \"q7\"", prefixed("q7")),
        ("prefix \"f\"", prefixed("f")),
        ("prefix \"a0\"", prefixed("a0")),
        ("prefix \"xsd\"", prefixed("xsd")),
        ("prefix \"\"", prefixed("")),
        ("prefix \"7\"", prefixed("7")),
        ("prefix \"a b\"", prefixed("a b")),
        (
            "built-in types are not at their places",
            Box::new(|types| types.simple.swap(1, 2)),
        ),
        (
            "built-in types are not at their places",
            Box::new(|types| types.namespaces[1].prefix = "xs".into()),
        ),
        (
            "simple type 45 refers to 45",
            Box::new(|types| {
                let variety = Variety::List(SimpleId(45));
                types.simple.push(Simple {
                    name: None,
                    base: None,
                    variety,
                    facets: castile_plan::Facets::default(),
                    doc: None,
                });
            }),
        ),
        (
            "is not in the table",
            Box::new(|types| {
                types.elements.push(Element {
                    name: QName::new(NsIx::NONE, "e"),
                    ty: TypeId::Complex(ComplexId(0)),
                    nillable: false,
                    is_abstract: false,
                    substitutes: None,
                    default: None,
                    fixed: None,
                    doc: None,
                })
            }),
        ),
    ];
    for (words, break_it) in cases {
        let mut types = Types::new();
        break_it(&mut types);
        let error = types.seal().expect_err(words).to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
}

#[test]
fn deep_groups_are_refused_and_shallow_ones_taken() {
    for (depth, fits) in [(60u32, true), (70, false)] {
        let mut types = Types::new();
        types
            .complex
            .push(complex(vec![field("a", STRING)], vec![sequence(2), leaf(0)]));
        for i in 0..depth {
            let group = Field {
                kind: FieldKind::Group,
                ..field("g", TypeId::Complex(ComplexId(i)))
            };
            types
                .complex
                .push(complex(vec![group], vec![sequence(2), leaf(0)]));
        }
        // Types that refer forward are walked from the outermost.
        types.complex.reverse();
        for complex in &mut types.complex {
            for field in &mut complex.fields {
                if let TypeId::Complex(id) = &mut field.ty {
                    id.0 = depth - id.0;
                }
            }
        }
        assert_eq!(types.seal().is_ok(), fits, "{depth}");
    }
}

#[test]
fn a_stored_table_is_the_same_table() {
    for seed in 0..100 {
        let table = random_table(seed);
        let mut stored = Vec::new();
        encode_stored(&table.types, &mut stored).unwrap();
        let mut back: Types = decode_stored(&stored).unwrap();
        back.seal().unwrap();
        assert_eq!(back.complex, table.types.complex);
        assert_eq!(back.simple, table.types.simple);
        for i in 0..back.complex.len() {
            let id = ComplexId(i as u32);
            assert_eq!(back.shape(id), table.types.shape(id));
            assert_eq!(back.row_layout(id), table.types.row_layout(id));
            assert_eq!(
                format!("{:?}", back.leaves(id)),
                format!("{:?}", table.types.leaves(id))
            );
        }
    }
}

#[test]
fn flat_types_have_rows_and_others_have_none() {
    let int = TypeId::Simple(Builtin::Int.into());
    let flat = |fields: Vec<Field>, content: Vec<Particle>| {
        let mut types = Types::new();
        types.complex.push(complex(fields, content));
        types.seal().unwrap();
        (
            types.row_layout(ComplexId(0)).is_some(),
            types.is_plain(ComplexId(0)),
        )
    };
    let two = || vec![field("a", int), field("b", int)];
    let optional = Particle::Leaf {
        field: 1,
        occurs: Occurs { min: 0, max: 1 },
    };
    let many = Particle::Leaf {
        field: 1,
        occurs: Occurs { min: 1, max: 2 },
    };
    assert_eq!(flat(two(), vec![sequence(3), leaf(0), leaf(1)]), (true, true));
    // Rows are the order of the message.
    assert_eq!(flat(two(), vec![sequence(3), leaf(1), leaf(0)]), (false, true));
    assert_eq!(flat(two(), vec![sequence(3), leaf(0), optional]), (false, true));
    assert_eq!(flat(two(), vec![sequence(3), leaf(0), many]), (false, false));
    assert_eq!(
        flat(
            two(),
            vec![
                Particle::Choice {
                    optional: false,
                    end: 3
                },
                leaf(0),
                leaf(1)
            ]
        ),
        (false, false)
    );
    assert_eq!(
        flat(
            two(),
            vec![
                Particle::Sequence {
                    optional: true,
                    end: 3
                },
                leaf(0),
                leaf(1)
            ]
        ),
        (false, false)
    );
    assert_eq!(
        flat(
            vec![field("a", int), field("b", STRING)],
            vec![sequence(3), leaf(0), leaf(1)]
        ),
        (false, true)
    );
    let nillable = vec![Field {
        nillable: true,
        ..field("a", int)
    }];
    assert_eq!(flat(nillable, vec![sequence(2), leaf(0)]), (false, true));
    let attribute = vec![Field {
        kind: FieldKind::Attribute,
        ..field("a", int)
    }];
    assert_eq!(flat(attribute, vec![]), (false, false));
}
