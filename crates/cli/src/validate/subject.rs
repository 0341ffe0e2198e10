//! What a message is: a request, a reply or a fault, and of which operation.

use std::fmt;

use castile_codec::{Envelope, Name};
use castile_contract::{Binding, BodyStyle, Contract, Operation};
use castile_plan::{ComplexId, Plan, Types};

use super::ValidateArgs;
use crate::failure::Failure;

/// What a message is taken for.
pub(super) enum Subject<'c> {
    /// A request or reply.
    Message {
        operation: &'c str,
        kind: &'static str,
        /// Whether its body is made in rpc style.
        rpc: bool,
        plan: &'c Plan,
    },
    /// A fault; its details are known when the operation is.
    Fault {
        operation: Option<&'c str>,
        detail: Option<ComplexId>,
    },
    /// Nothing that the contract has.
    Unknown { why: String },
}

impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Message { operation, kind, .. } => write!(f, "a {kind} of {operation}"),
            Subject::Fault {
                operation: Some(operation),
                ..
            } => write!(f, "a fault of {operation}"),
            Subject::Fault { operation: None, .. } => f.write_str("a fault"),
            Subject::Unknown { .. } => f.write_str("a message of no operation"),
        }
    }
}

/// Finds out what a message is.
///
/// # Errors
/// An operation that the contract has not, or that cannot be used.
pub(super) fn find<'c>(
    contract: &'c Contract,
    envelope: &Envelope<'_>,
    args: &ValidateArgs,
) -> Result<Subject<'c>, Failure> {
    let (service, port, reply) = (args.service.as_deref(), args.port.as_deref(), args.reply);
    let named = args.operation.as_deref();
    let named = named
        .map(|name| contract.operation(service, port, name))
        .transpose()?;
    let named = named.map(|found| found.operation);
    if envelope.is_fault() {
        return Ok(Subject::Fault {
            operation: named.map(|o| &*o.name),
            detail: named.map(|o| o.detail),
        });
    }
    if let Some(operation) = named {
        return of_operation(contract, operation, envelope, reply);
    }
    let first = envelope.first();
    let bindings: Vec<&Binding> = match (service, port) {
        (None, None) => contract.bindings.iter().collect(),
        _ => contract
            .ports(service, port)?
            .iter()
            .map(|port| port.binding)
            .collect(),
    };
    let bindings = bindings.into_iter().filter(|b| b.protocol.is_soap());
    let operations: Vec<&Operation> = bindings.flat_map(|b| &b.operations).collect();
    let types = &contract.types;
    let request = operations
        .iter()
        .find_map(|o| message(types, o, "request", o.input.as_ref(), first.as_ref()));
    let reply_of = || {
        operations
            .iter()
            .find_map(|o| message(types, o, "reply", o.output.as_ref(), first.as_ref()))
    };
    let found = if reply {
        reply_of()
    } else {
        request.or_else(reply_of)
    };
    Ok(found.unwrap_or_else(|| unknown(types, first.as_ref(), &operations, reply)))
}

/// The request of an operation, or its reply: as asked for, or as the message looks.
fn of_operation<'c>(
    contract: &'c Contract,
    operation: &'c Operation,
    envelope: &Envelope<'_>,
    reply: bool,
) -> Result<Subject<'c>, Failure> {
    if let Some(why) = &operation.unsupported {
        return Err(Failure::caller(format!(
            "operation {} cannot be used: {why}",
            operation.name
        )));
    }
    let (input, output) = (operation.input.as_ref(), operation.output.as_ref());
    let first = envelope.first();
    let types = &contract.types;
    let is_reply = || {
        let fits = |plan| message(types, operation, "", plan, first.as_ref()).is_some();
        fits(output) && !fits(input)
    };
    let (kind, plan) = if reply || is_reply() {
        ("reply", output)
    } else {
        ("request", input)
    };
    match plan {
        Some(plan) => Ok(Subject::Message {
            operation: &operation.name,
            kind,
            rpc: operation.style == BodyStyle::Rpc,
            plan,
        }),
        None => Err(Failure::caller(format!(
            "operation {} has no {kind}",
            operation.name
        ))),
    }
}

/// The message, if the first body element is the plan's first.
fn message<'c>(
    types: &Types,
    operation: &'c Operation,
    kind: &'static str,
    plan: Option<&'c Plan>,
    first: Option<&Name>,
) -> Option<Subject<'c>> {
    let plan = plan?;
    let expected = types.complex(plan.body).fields.first();
    let same = match (first, expected) {
        (Some(first), Some(field)) => {
            *first.local == *field.wire.local && first.namespace == types.uri(field.wire.ns)
        }
        (None, None) => true,
        _ => false,
    };
    same.then_some(Subject::Message {
        operation: &operation.name,
        kind,
        rpc: operation.style == BodyStyle::Rpc,
        plan,
    })
}

fn unknown<'c>(types: &Types, first: Option<&Name>, operations: &[&Operation], reply: bool) -> Subject<'c> {
    let plans = operations.iter().filter_map(|o| {
        if reply {
            o.output.as_ref()
        } else {
            o.input.as_ref()
        }
    });
    let elements: Vec<String> = plans
        .filter_map(|plan| Some(types.clark(&types.complex(plan.body).fields.first()?.wire)))
        .collect();
    let what = first.map_or_else(|| "an empty body".to_owned(), |name| format!("element {name}"));
    let near = first.and_then(|name| {
        elements
            .iter()
            .find(|e| e.rsplit('}').next() == Some(&name.local))
    });
    let hint = match near {
        Some(near) => format!("; there is {near}, in another namespace"),
        None if elements.len() <= 8 => format!("; there is {}", elements.join(", ")),
        None => format!("; there are {} others", elements.len()),
    };
    Subject::Unknown {
        why: format!("{what} belongs to no operation of the contract{hint}"),
    }
}
