//! Which types a user meets: those that messages reach, in the order met.

use castile_contract::{Contract, Operation};
use castile_plan::{ComplexId, SimpleId, TypeId, Types, Variety};

/// Types met, once each.
#[derive(Debug, Default)]
pub(super) struct Reached {
    pub(super) complex: Vec<ComplexId>,
    pub(super) simple: Vec<SimpleId>,
}

/// The types of an operation's messages, the bodies' and headers' own types left out.
pub(super) fn of_operation(contract: &Contract, operation: &Operation, reached: &mut Reached) {
    let types = &contract.types;
    let plans = operation.input.iter().chain(&operation.output);
    for id in plans
        .flat_map(|plan| [plan.header, plan.body])
        .chain([operation.detail])
    {
        fields(types, id, reached);
    }
}

/// All types of the table with a name that is not built in.
pub(super) fn all(contract: &Contract) -> Reached {
    let types = &contract.types;
    let complex = (0..types.complex.len() as u32).map(ComplexId);
    let simple = (0..types.simple.len() as u32).map(SimpleId);
    Reached {
        complex: complex.filter(|id| types.complex(*id).name.is_some()).collect(),
        simple: simple.filter(|id| own_name(types, *id)).collect(),
    }
}

fn own_name(types: &Types, id: SimpleId) -> bool {
    types
        .simple(id)
        .name
        .as_ref()
        .is_some_and(|name| name.ns != Types::XSD)
}

fn fields(types: &Types, id: ComplexId, reached: &mut Reached) {
    let mut at = reached.complex.len();
    for field in &types.complex(id).fields {
        meet(types, field.ty, reached);
    }
    // What is met is looked into in turn; there is no recursion to run out of stack.
    while let Some(&id) = reached.complex.get(at) {
        for field in &types.complex(id).fields {
            meet(types, field.ty, reached);
        }
        at += 1;
    }
}

fn meet(types: &Types, ty: TypeId, reached: &mut Reached) {
    match ty {
        TypeId::Complex(id) if !reached.complex.contains(&id) => reached.complex.push(id),
        TypeId::Simple(id) if !reached.simple.contains(&id) => {
            if own_name(types, id) {
                reached.simple.push(id);
            }
            match &types.simple(id).variety {
                Variety::List(item) => meet(types, TypeId::Simple(*item), reached),
                Variety::Union(members) => {
                    members
                        .iter()
                        .for_each(|member| meet(types, TypeId::Simple(*member), reached));
                }
                Variety::Atomic(_) => {}
            }
        }
        _ => {}
    }
}
