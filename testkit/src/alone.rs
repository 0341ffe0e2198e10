//! A message that holds one global element of a table.

use castile_plan::{Complex, ComplexId, Derivation, Element, Occurs, Particle, Plan, Style, TypeId, Types};

/// The table with one more type, and the plan of a message whose body is the element.
///
/// # Panics
/// If the table is not sound any more, which one more type cannot bring about.
pub fn alone(types: &Types, element: &Element) -> (Types, Plan) {
    let mut types = types.clone();
    let header = push(&mut types, Vec::new(), Vec::new());
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
