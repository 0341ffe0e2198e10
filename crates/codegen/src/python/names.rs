//! Names as Python can write them: those that dynamic values have too.

use std::collections::HashSet;

use unicode_ident::{is_xid_continue, is_xid_start};

const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Names that annotations take from Python itself.
pub(super) const BUILTINS: &[&str] = &[
    "bool", "bytes", "dict", "float", "int", "list", "object", "property", "str", "tuple", "type",
];

/// Python names for names on the wire, one each and all different: the rule of `attribute_names` in
/// `castile._names`.
pub(super) fn attributes<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Vec<String> {
    let mut taken: HashSet<String> = names.clone().map(str::to_owned).collect();
    let mut found = Vec::new();
    for name in names {
        let mut attribute = identifier(name);
        while attribute != name && taken.contains(&attribute) {
            attribute.push('_');
        }
        taken.insert(attribute.clone());
        found.push(attribute);
    }
    found
}

/// A name as an identifier of Python.
pub(super) fn identifier(name: &str) -> String {
    let reserved = |name: &str| name.starts_with("__") || name.starts_with("_castile_");
    if is_identifier(name) && !KEYWORDS.contains(&name) && !reserved(name) {
        return name.to_owned();
    }
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let clean: String = name.chars().map(|c| if word(c) { c } else { '_' }).collect();
    if KEYWORDS.contains(&&*clean) {
        return clean + "_";
    }
    match reserved(&clean) || !is_identifier(&clean) {
        true => format!("x{clean}"),
        false => clean,
    }
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c == '_' || is_xid_start(c)) && chars.all(is_xid_continue)
}

/// What a class is called: the local name of its type, or for a type without a name the path to it.
pub(super) fn class(label: &str) -> String {
    let path = label.rsplit('}').next().unwrap_or(label);
    identifier(path.trim_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::{attributes, class};

    #[test]
    fn names_are_those_of_dynamic_values() {
        // The examples of `attribute_names`.
        let wire = ["x", "unit-price", "from", "__init__", "unit.price", "2nd"];
        assert_eq!(
            attributes(wire.iter().copied()),
            ["x", "unit_price", "from_", "x__init__", "unit_price_", "x2nd"]
        );
        assert_eq!(class("{urn:x}Ship/choice"), "Ship_choice");
        assert_eq!(class("register request header"), "register_request_header");
        assert_eq!(class("{urn:x}class"), "class_");
    }
}
