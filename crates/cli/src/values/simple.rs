//! Simple values, as their types want them.
//!
//! Text is left to the codec, which reads it as the type wants; here is only what JSON and words
//! write otherwise: numbers digit by digit, bytes and qualified names.

use castile_lexical::is_ncname;
use castile_plan::{Builtin, SimpleId, TypeId, Types, Variety};
use castile_value::{Decimal, QName, Value};

use super::json::TYPE_KEY;
use super::typed::{Wrong, numbered, record};
use super::{Given, number};

/// A value of a simple type.
pub(super) fn simple(types: &Types, id: SimpleId, given: Given) -> Result<Value, Wrong> {
    match &types.simple(id).variety {
        Variety::Atomic(builtin) => atomic(types, *builtin, given),
        Variety::List(item) => match given {
            Given::List(items) => numbered(items, |given| simple(types, *item, given)),
            Given::Text(text) if holds_names(types, *item) => {
                let words = text
                    .split_whitespace()
                    .map(|word| simple(types, *item, Given::Text(word.into())));
                Ok(Value::List(words.collect::<Result<_, _>>()?))
            }
            given => untyped(given),
        },
        // Text goes to the first member that takes it.
        Variety::Union(_) => untyped(given),
    }
}

fn holds_names(types: &Types, id: SimpleId) -> bool {
    matches!(
        types.simple(id).variety,
        Variety::Atomic(Builtin::QName | Builtin::Notation)
    )
}

fn atomic(types: &Types, builtin: Builtin, given: Given) -> Result<Value, Wrong> {
    let binary = matches!(builtin, Builtin::Base64Binary | Builtin::HexBinary);
    match given {
        Given::File(_, bytes) if binary => Ok(Value::Bytes(bytes)),
        Given::Text(text) if matches!(builtin, Builtin::QName | Builtin::Notation) => qname(types, &text),
        Given::Number(number) => match builtin {
            Builtin::Decimal => positional(&number).map(Value::Text),
            _ if is_integer(builtin) => match number::whole(&number) {
                Some(whole) => Ok(Value::Text(whole)),
                None => Err(Wrong::new(format!(
                    "{number} is no xsd:{}: it is not whole",
                    builtin.name()
                ))),
            },
            _ => Ok(Value::Text(number)),
        },
        given => untyped(given),
    }
}

fn positional(number: &str) -> Result<String, Wrong> {
    number::positional(number).ok_or_else(|| Wrong::new(format!("{number} is too long to be written out")))
}

fn is_integer(builtin: Builtin) -> bool {
    let mut at = Some(builtin);
    while let Some(step) = at {
        if step == Builtin::Integer {
            return true;
        }
        at = step.base();
    }
    false
}

/// A simple value as it was given.
fn untyped(given: Given) -> Result<Value, Wrong> {
    match given {
        Given::Null => Ok(Value::Nil),
        Given::Bool(v) => Ok(Value::Bool(v)),
        Given::Number(text) | Given::Text(text) => Ok(Value::Text(text)),
        Given::File(path, bytes) => Ok(Value::Text(utf8(&path, bytes)?)),
        Given::List(items) => numbered(items, untyped),
        Given::Map(_) => Err(Wrong::new("an object given where a simple value belongs")),
    }
}

/// A value for anyType: XML if it is that, an object with a type, else a simple value that says its own.
pub(super) fn anything(types: &Types, given: Given) -> Result<Value, Wrong> {
    let xml = |text: &str| text.trim_start().starts_with('<') && castile_xml::Fragment::parse(text).is_ok();
    match given {
        Given::Text(text) if xml(&text) => Ok(Value::Xml(text)),
        Given::Number(number) => natural(&number),
        Given::Map(fields) => {
            let named = fields.iter().find_map(|(name, given)| match given {
                Given::Text(text) if name == TYPE_KEY => types.type_by_clark(text),
                _ => None,
            });
            match named {
                Some(TypeId::Complex(id)) => {
                    let fields = fields.into_iter().filter(|(name, _)| name != TYPE_KEY).collect();
                    record(types, id, Given::Map(fields))
                }
                _ => Err(Wrong::new(format!(
                    "an object for anyType needs {TYPE_KEY:?}, a type's {{namespace}}name"
                ))),
            }
        }
        given => match untyped(given)? {
            Value::Text(text) if xml(&text) => Ok(Value::Xml(text)),
            value => Ok(value),
        },
    }
}

/// A number whose type nobody says: an integer, a decimal, or with an exponent a double.
fn natural(number: &str) -> Result<Value, Wrong> {
    if let Ok(v) = number.parse::<i64>() {
        return Ok(Value::Int(v));
    }
    let parsed = match number.contains(['e', 'E']) {
        true => number.parse().ok().map(Value::Double),
        false => Decimal::parse(number).ok().map(Value::Decimal),
    };
    parsed.ok_or_else(|| Wrong::new(format!("{number} is no number")))
}

/// A qualified name as `{namespace}local`, `local`, or with a prefix that the contract has.
fn qname(types: &Types, text: &str) -> Result<Value, Wrong> {
    let text = text.trim();
    let (namespace, local) = match text.strip_prefix('{').and_then(|rest| rest.rsplit_once('}')) {
        Some((uri, local)) => (uri.to_owned(), local),
        None => match text.split_once(':') {
            Some((prefix, local)) => {
                let known = types.namespaces.iter().find(|n| &*n.prefix == prefix);
                let known =
                    known.ok_or_else(|| Wrong::new(format!("write {text:?} as {{namespace}}{local}")))?;
                (known.uri.to_string(), local)
            }
            None => (String::new(), text),
        },
    };
    if !is_ncname(local) {
        return Err(Wrong::new(format!("{text:?} is no qualified name")));
    }
    Ok(Value::from(QName {
        namespace,
        local: local.to_owned(),
    }))
}

/// The text of a file.
pub(super) fn utf8(path: &std::path::Path, bytes: Vec<u8>) -> Result<String, Wrong> {
    let mut text = String::from_utf8(bytes)
        .map_err(|_| Wrong::new(format!("{} is no text in UTF-8", path.display())))?;
    // The last line's end belongs to the file, not to the value.
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}
