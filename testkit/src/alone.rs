//! Messages that no binding describes: one that holds a global element, and one that holds anything.

use castile_plan::{
    Complex, ComplexId, Derivation, Element, Field, FieldKind, NsIx, Occurs, Particle, Plan, Process, QName,
    Style, TypeId, Types, Wildcard,
};

/// The table with one more type, and the plan of a message whose body is the element.
///
/// # Panics
/// If the table is not sound any more, which one more type cannot bring about.
pub fn alone(types: &Types, element: &Element) -> (Types, Plan) {
    let mut types = types.clone();
    let header = any(&mut types);
    let mut field = element.to_field();
    field.required = true;
    let leaf = Particle::Leaf {
        field: 0,
        occurs: Occurs::ONE,
    };
    let content = vec![
        Particle::Sequence {
            optional: false,
            end: 2,
        },
        leaf,
    ];
    let body = push(&mut types, vec![field], content);
    types.seal().expect("one more type changes nothing");
    let plan = Plan::new(&types, element.name.local.clone(), Style::Bare, header, body);
    (types, plan)
}

/// A table without types, and the plan of a message whose header and body are any elements, kept as XML.
///
/// # Panics
/// Never: the table is sound.
pub fn anything() -> (Types, Plan) {
    let mut types = Types::default();
    let (header, body) = (any(&mut types), any(&mut types));
    types.seal().expect("two wildcards are sound");
    let plan = Plan::new(&types, "anything", Style::Bare, header, body);
    (types, plan)
}

/// A type of any elements.
fn any(types: &mut Types) -> ComplexId {
    let field = Field {
        // As contracts call the header blocks that they do not name.
        name: "#any".into(),
        wire: QName::new(NsIx::NONE, ""),
        kind: FieldKind::Any(Wildcard {
            namespaces: None,
            other_than: None,
            process: Process::Skip,
        }),
        ty: TypeId::Any,
        many: true,
        required: false,
        nillable: false,
        default: None,
        fixed: None,
        doc: None,
    };
    let leaf = Particle::Leaf {
        field: 0,
        occurs: Occurs {
            min: 0,
            max: Occurs::UNBOUNDED,
        },
    };
    let all = Particle::All {
        optional: false,
        end: 2,
    };
    push(types, vec![field], vec![all, leaf])
}

fn push(types: &mut Types, fields: Vec<castile_plan::Field>, content: Vec<Particle>) -> ComplexId {
    let id = ComplexId(types.complex.len() as u32);
    types.complex.push(Complex {
        name: None,
        label: "message".into(),
        base: Some(TypeId::Any),
        derivation: Derivation::Restriction,
        is_abstract: false,
        fields,
        content,
        array: None,
        doc: None,
    });
    id
}
