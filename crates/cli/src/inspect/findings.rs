//! Which of a contract's warnings are about an operation.

use castile_contract::{Contract, Operation, Warning};
use castile_plan::{TypeId, Types};

use super::reach::Reached;

/// The warnings that name the operation, or a type or element of its messages.
pub(super) fn of_operation<'c>(
    contract: &'c Contract,
    operation: &Operation,
    reached: &Reached,
) -> impl Iterator<Item = &'c Warning> {
    let names = names(&contract.types, operation, reached);
    let warnings = contract.warnings.iter();
    warnings.filter(move |warning| names.iter().any(|name| mentions(&warning.text, name)))
}

fn names(types: &Types, operation: &Operation, reached: &Reached) -> Vec<String> {
    let plans = operation.input.iter().chain(&operation.output);
    let messages: Vec<_> = plans.flat_map(|plan| [plan.header, plan.body]).collect();
    let elements = messages.iter().flat_map(|&id| &types.complex(id).fields);
    // An element without a namespace may be any.
    let elements = elements
        .map(|field| types.clark(&field.wire))
        .filter(|name| name.starts_with('{'));
    let records = messages.iter().chain(&reached.complex);
    let mut names = vec![format!("operation {}", operation.name)];
    names.extend(elements);
    names.extend(records.map(|&id| types.complex(id).label.to_string()));
    names.extend(
        reached
            .simple
            .iter()
            .map(|&id| types.type_label(TypeId::Simple(id))),
    );
    names
}

/// Whether a text has a name, and not as the beginning of a longer one.
fn mentions(text: &str, name: &str) -> bool {
    let longer = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut found = text.match_indices(name);
    found.any(|(at, _)| {
        text.get(at + name.len()..)
            .is_some_and(|rest| !rest.starts_with(longer))
    })
}

#[cfg(test)]
mod tests {
    use super::mentions;

    #[test]
    fn names_are_found_whole() {
        for (text, expected) in [
            ("type {urn:t}A: wrong", true),
            ("type {urn:t}A/b is wrong", true),
            ("{urn:t}A", true),
            ("type {urn:t}Ab and {urn:t}A-b", false),
            ("type {urn:t}Ab, not {urn:t}A.", true),
        ] {
            assert_eq!(mentions(text, "{urn:t}A"), expected, "{text}");
        }
    }
}
