//! Identifiers: from names of XML, which may hold any letter, to names of Rust and Python.

use std::collections::HashSet;

use unicode_ident::{is_xid_continue, is_xid_start};

/// `CamelCase`; never empty, never beginning with a digit.
pub(crate) fn camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for word in words(name) {
        let mut chars = word.chars();
        let Some(first) = chars.next() else { continue };
        // Two numbers in a row stay two.
        if out.ends_with(|c: char| c.is_numeric()) && first.is_numeric() {
            out.push('_');
        }
        out.extend(first.to_uppercase());
        let rest = chars.as_str();
        if rest.chars().any(char::is_lowercase) {
            out.push_str(rest);
        } else {
            out.extend(rest.chars().flat_map(char::to_lowercase));
        }
    }
    started(out, "Value")
}

/// `snake_case`; never empty, never beginning with a digit.
pub(crate) fn snake(name: &str) -> String {
    let words: Vec<String> = words(name).iter().map(|w| w.to_lowercase()).collect();
    started(words.join("_"), "value")
}

/// Lower-case letters that `to_lowercase` makes of one may be no part of an identifier alone.
fn started(mut name: String, empty: &str) -> String {
    name.retain(|c| c == '_' || is_xid_continue(c));
    match name.chars().next() {
        None => empty.to_owned(),
        Some(first) if first == '_' && name.chars().all(|c| c == '_') => empty.to_owned(),
        Some(first) if first == '_' || is_xid_start(first) => name,
        Some(_) => format!("_{name}"),
    }
}

/// The words of a name: runs of letters and digits, parted where a capital follows a small letter
/// or where a capital before a small letter follows a capital (`SOAPAction` is `SOAP`, `Action`).
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        if c == '_' || !is_xid_continue(c) {
            words.extend(Some(std::mem::take(&mut word)).filter(|w| !w.is_empty()));
            continue;
        }
        let before = i.checked_sub(1).and_then(|b| chars.get(b)).copied();
        let after = chars.get(i + 1).copied();
        let small_before = before.is_some_and(|b| b.is_lowercase() || b.is_numeric());
        let acronym_ends = before.is_some_and(char::is_uppercase) && after.is_some_and(char::is_lowercase);
        if c.is_uppercase() && (small_before || acronym_ends) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        word.push(c);
    }
    words.extend(Some(word).filter(|w| !w.is_empty()));
    words
}

/// Names that are taken in one scope.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    taken: HashSet<String>,
}

impl Scope {
    /// A scope in which these names are taken.
    pub(crate) fn with(reserved: &[&str]) -> Self {
        Scope {
            taken: reserved.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    /// The name, or the name with `suffix`, or that with the first number from 2 that is free.
    pub(crate) fn take(&mut self, wanted: &str, suffix: &str) -> String {
        if self.taken.insert(wanted.to_owned()) {
            return wanted.to_owned();
        }
        let base = format!("{wanted}{suffix}");
        if !suffix.is_empty() && self.taken.insert(base.clone()) {
            return base;
        }
        let numbered = (2u32..).map(|n| match base.ends_with(|c: char| c.is_numeric()) {
            true => format!("{base}_{n}"),
            false => format!("{base}{n}"),
        });
        // There are more numbers than names in any scope.
        numbered
            .into_iter()
            .find(|name| self.taken.insert(name.clone()))
            .unwrap_or(base)
    }
}

/// A name as a Rust identifier: keywords are written raw, and those that cannot be get a dash below.
pub(crate) fn rust(name: String) -> String {
    const RAW: &[&str] = &[
        "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
        "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
        "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static",
        "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where",
        "while", "yield",
    ];
    match name.as_str() {
        "self" | "super" | "crate" | "Self" | "_" => format!("{name}_"),
        word if RAW.contains(&word) => format!("r#{name}"),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_xml_become_identifiers() {
        for (name, type_name, field) in [
            ("echoDoubles", "EchoDoubles", "echo_doubles"),
            ("SOAPAction", "SoapAction", "soap_action"),
            ("x-coord.y", "XCoordY", "x_coord_y"),
            ("ID", "Id", "id"),
            ("3d", "_3d", "_3d"),
            ("v1.0", "V1_0", "v1_0"),
            ("a_b__c", "ABC", "a_b_c"),
            ("größe", "Größe", "größe"),
            ("Straße2Name", "Straße2Name", "straße2_name"),
            ("名前", "名前", "名前"),
            ("<=", "Value", "value"),
            ("_", "Value", "value"),
            ("", "Value", "value"),
        ] {
            assert_eq!(
                (camel(name).as_str(), snake(name).as_str()),
                (type_name, field),
                "{name}"
            );
        }
    }

    #[test]
    fn names_differ_in_a_scope_and_keywords_are_escaped() {
        let mut scope = Scope::with(&["Option"]);
        let taken: Vec<String> = ["Option", "Option", "A", "A", "A", "V1", "V1"]
            .iter()
            .map(|name| scope.take(name, ""))
            .collect();
        assert_eq!(taken, ["Option2", "Option3", "A", "A2", "A3", "V1", "V1_2"]);
        assert_eq!(scope.take("Option", "Type"), "OptionType");
        assert_eq!(rust("type".into()), "r#type");
        assert_eq!(rust("self".into()), "self_");
        assert_eq!(rust("name".into()), "name");
    }
}
