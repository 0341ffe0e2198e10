//! What the tests share: messages both ways.
#![allow(dead_code, reason = "each test file uses some")]

pub(crate) mod encoded;
pub(crate) mod learned;
pub(crate) mod schemas;
pub(crate) mod written;

use castile_codec::{DecodeOptions, EncodeOptions, Envelope, Error, Limits, Version, encode};
use castile_plan::{Plan, Types};
use castile_testkit::Table;
use castile_value::{Record, Value, ValueSink};

/// Encodes a body without headers.
pub(crate) fn encoded(types: &Types, plan: &Plan, body: &Record) -> Result<String, Error> {
    encoded_by(types, plan, body, &EncodeOptions::default())
}

pub(crate) fn encoded_by(
    types: &Types,
    plan: &Plan,
    body: &Record,
    options: &EncodeOptions,
) -> Result<String, Error> {
    let header = Record::new(types.shape(plan.header).clone());
    let mut out = b"before".to_vec();
    let result = encode(types, plan, Version::Soap11, &header, body, options, &mut out);
    assert!(out.starts_with(b"before"), "what was there is kept");
    match result {
        Ok(()) => Ok(String::from_utf8(out.split_off(6)).expect("a message is UTF-8")),
        Err(e) => {
            assert_eq!(out, b"before", "after an error the output is as it was");
            Err(e)
        }
    }
}

/// The body of a message, read strictly.
pub(crate) fn decoded(types: &Types, plan: &Plan, text: &str) -> Result<Record, Error> {
    decoded_by(types, plan, text, true).map(|(_, body)| body)
}

/// Header and body of a message.
pub(crate) fn decoded_by(
    types: &Types,
    plan: &Plan,
    text: &str,
    strict: bool,
) -> Result<(Record, Record), Error> {
    let envelope = Envelope::open(text, &Limits::default())?;
    let mut header = ValueSink::new(types.shape(plan.header).clone());
    let mut body = ValueSink::new(types.shape(plan.body).clone());
    envelope.decode(
        types,
        plan,
        &DecodeOptions {
            strict,
            ..DecodeOptions::default()
        },
        &mut header,
        &mut body,
    )?;
    Ok((header.finish(), body.finish()))
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
