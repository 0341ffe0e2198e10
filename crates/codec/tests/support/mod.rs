//! What the tests share: messages both ways.
#![allow(dead_code, reason = "each test file uses some")]

pub(crate) mod batches;
pub(crate) mod encoded;
pub(crate) mod learned;
pub(crate) mod schemas;
pub(crate) mod written;

use castile_codec::{EncodeOptions, Error};
use castile_plan::{Plan, Types};
use castile_testkit::{Table, plainly};
use castile_value::{Record, Value};

/// Encodes a body without headers.
pub(crate) fn encoded(types: &Types, plan: &Plan, body: &Record) -> Result<String, Error> {
    plainly::write(types, plan, body, &EncodeOptions::default())
}

/// The body of a message, read strictly.
pub(crate) fn decoded(types: &Types, plan: &Plan, text: &str) -> Result<Record, Error> {
    plainly::read(types, plan, text, true).map(|(_, body)| body)
}

/// A SOAP 1.1 message around the inside of the element `name` of [`castile_testkit::TARGET`].
pub(crate) fn message(name: &str, inside: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns='urn:t' \
         xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:xsd='http://www.w3.org/2001/XMLSchema' \
         xmlns:t='urn:t'><e:Body><{name}>{inside}</{name}></e:Body></e:Envelope>"
    )
}

/// What the type `name` of a table makes of the inside of its element.
pub(crate) fn read(table: &Table, name: &str, inside: &str) -> Result<Value, Error> {
    let body = decoded(&table.types, &table.plan(name), &message(name, inside))?;
    Ok(body.into_values().pop().expect("the body has one field"))
}

/// The body record with one element.
pub(crate) fn body(table: &Table, name: &str, value: Value) -> Record {
    let mut body = Record::new(table.types.shape(table.plan(name).body).clone());
    body.set(name, value).expect("the body has this field");
    body
}

/// What is written between the tags of the element of type `name`.
pub(crate) fn write(table: &Table, name: &str, value: Value) -> Result<String, Error> {
    let text = encoded(&table.types, &table.plan(name), &body(table, name, value))?;
    let start = text.find("<S:Body>").expect("a body") + "<S:Body>".len();
    let end = text.find("</S:Body>").expect("an end");
    Ok(text[start..end].to_owned())
}

/// A value in a line.
pub(crate) fn brief(value: &Value) -> String {
    match value {
        Value::Map(fields) => {
            let fields =
                fields
                    .iter()
                    .filter(|(name, _)| !name.is_empty())
                    .map(|(name, value)| match value {
                        Value::Map(_) => format!("{name}=({})", brief(value)),
                        value => format!("{name}={}", brief(value)),
                    });
            fields.collect::<Vec<_>>().join(" ")
        }
        Value::List(items) => format!("[{}]", items.iter().map(brief).collect::<Vec<_>>().join(",")),
        Value::Nil => "nil".into(),
        Value::Text(text) | Value::Xml(text) => text.clone(),
        Value::Int(v) => v.to_string(),
        Value::Bool(v) => v.to_string(),
        Value::Double(v) => format!("{v:?}"),
        Value::Decimal(v) => v.as_str().to_owned(),
        Value::QName(v) => format!("{{{}}}{}", v.namespace, v.local),
        other => format!("{other:?}"),
    }
}

/// Its characters: fields in any order.
pub(crate) fn sorted(line: &str) -> Vec<char> {
    let mut chars: Vec<char> = line.chars().collect();
    chars.sort_unstable();
    chars
}
