//! What of a contract is generated: its operations, by port type, and the types they reach.

use std::collections::{HashMap, HashSet, VecDeque};

use castile_contract::{Binding, Contract, HEADER_ANY, Operation};
use castile_plan::{ComplexId, FieldKind, Plan, TypeId, Types};

/// The operations of a port type, as the first SOAP binding of it has them.
#[derive(Debug)]
pub(crate) struct Interface<'c> {
    pub(crate) binding: &'c Binding,
    /// The local name of the port type.
    pub(crate) name: &'c str,
    /// The service and port through which it was found.
    pub(crate) port: Option<(&'c str, &'c str)>,
    pub(crate) operations: Vec<Signature<'c>>,
    /// Operations that are left out, and why.
    pub(crate) left_out: Vec<(&'c str, String)>,
}

/// The types of an operation; `None` where there is nothing.
#[derive(Debug)]
pub(crate) struct Signature<'c> {
    pub(crate) operation: &'c Operation,
    pub(crate) request: ComplexId,
    pub(crate) request_header: Option<ComplexId>,
    pub(crate) reply: Option<ComplexId>,
    pub(crate) reply_header: Option<ComplexId>,
    pub(crate) detail: Option<ComplexId>,
}

/// The interfaces of a contract, those of services first, in document order.
pub(crate) fn interfaces(contract: &Contract) -> Vec<Interface<'_>> {
    let Ok(ports) = contract.ports(None, None) else {
        return Vec::new();
    };
    let mut found: Vec<Interface<'_>> = Vec::new();
    for port in ports.iter().filter(|p| p.binding.protocol.is_soap()) {
        if found
            .iter()
            .any(|i| i.binding.port_type == port.binding.port_type)
        {
            continue;
        }
        let name = port.binding.port_type.rsplit('}').next().unwrap_or_default();
        let mut interface = Interface {
            binding: port.binding,
            name: if name.is_empty() { &port.binding.name } else { name },
            port: port.service.zip(port.port).map(|(s, p)| (&*s.name, &*p.name)),
            operations: Vec::new(),
            left_out: Vec::new(),
        };
        for operation in &port.binding.operations {
            match signature(&contract.types, operation) {
                Ok(signature) => interface.operations.push(signature),
                Err(why) => interface.left_out.push((&operation.name, why)),
            }
        }
        found.push(interface);
    }
    found
}

fn signature<'c>(types: &Types, operation: &'c Operation) -> Result<Signature<'c>, String> {
    if let Some(why) = &operation.unsupported {
        return Err(why.clone());
    }
    let Some(input) = &operation.input else {
        return Err("it has no input message: it is the server that sends it".into());
    };
    let header = |plan: &Plan| {
        let own = |f: &castile_plan::Field| &*f.name != HEADER_ANY;
        Some(plan.header).filter(|&id| types.complex(id).fields.iter().any(own))
    };
    Ok(Signature {
        operation,
        request: input.values(types).0,
        request_header: header(input),
        reply: operation.output.as_ref().map(|plan| plan.values(types).0),
        reply_header: operation.output.as_ref().and_then(header),
        detail: Some(operation.detail).filter(|&id| !types.complex(id).fields.is_empty()),
    })
}

/// Complex types in the order in which they are met, and which of them fields are declared with.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    pub(crate) order: Vec<ComplexId>,
    /// Types that fields have, so that a derived one may stand there.
    pub(crate) declared: HashSet<ComplexId>,
    /// All types derived from a type, in any number of steps, in the order of the table.
    pub(crate) derived: HashMap<ComplexId, Vec<ComplexId>>,
}

impl Reached {
    /// What these types reach: fields, and types derived from those of fields.
    pub(crate) fn from(types: &Types, roots: impl IntoIterator<Item = ComplexId>) -> Reached {
        Reached::inside(types, &[], roots)
    }

    /// The same, and what the fields of the holders reach; the holders themselves only where something
    /// else reaches them.
    pub(crate) fn inside(
        types: &Types,
        holders: &[ComplexId],
        roots: impl IntoIterator<Item = ComplexId>,
    ) -> Reached {
        let mut reached = Reached {
            derived: derived(types),
            ..Reached::default()
        };
        let mut seen = vec![false; types.complex.len()];
        let mut queue = VecDeque::new();
        for &id in holders {
            reached.fields(types, id, &mut queue);
        }
        queue.extend(roots);
        while let Some(id) = queue.pop_front() {
            if !std::mem::replace(&mut seen[id.index()], true) {
                reached.order.push(id);
                reached.fields(types, id, &mut queue);
            }
        }
        reached
    }

    fn fields(&mut self, types: &Types, id: ComplexId, queue: &mut VecDeque<ComplexId>) {
        for field in &types.complex(id).fields {
            let TypeId::Complex(child) = field.ty else {
                continue;
            };
            if field.kind == FieldKind::Element && self.declared.insert(child) {
                queue.extend(self.derived.get(&child).into_iter().flatten());
            }
            queue.push_back(child);
        }
    }
}

/// All types of a contract that have names, and all elements': what is used of one without operations.
pub(crate) fn all(contract: &Contract) -> Vec<ComplexId> {
    let types = &contract.types;
    let named = types.complex.iter().enumerate().filter(|(_, c)| c.name.is_some());
    let named = named.map(|(i, _)| ComplexId(i as u32));
    let elements = types.elements.iter().filter_map(|e| match e.ty {
        TypeId::Complex(id) => Some(id),
        _ => None,
    });
    named.chain(elements).collect()
}

/// The named types derived from each type.
fn derived(types: &Types) -> HashMap<ComplexId, Vec<ComplexId>> {
    let mut derived: HashMap<ComplexId, Vec<ComplexId>> = HashMap::new();
    for (i, complex) in types.complex.iter().enumerate() {
        let id = ComplexId(i as u32);
        let mut base = complex.base.filter(|_| complex.name.is_some());
        // A chain cannot be longer than the table; a cycle would be a broken schema.
        for _ in 0..types.complex.len() {
            let Some(TypeId::Complex(at)) = base else { break };
            derived.entry(at).or_default().push(id);
            base = types.complex(at).base;
        }
    }
    derived
}
