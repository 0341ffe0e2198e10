//! Between the neutral JSON of the suite (../../README.md) and Castile's dynamic values.
#![forbid(unsafe_code)]

use std::fmt;
use std::sync::Arc;

use castile::{DateTime, DateTimeKind, Decimal, Shape, Value, ValueRecord};
use serde_json::{Map, Value as Json, json};

/// The member of a neutral struct that names its type, where that is derived from the declared one.
const TYPE: &str = "@type";

/// What went wrong in this program, as opposed to Castile: a text for the harness.
#[derive(Debug)]
pub struct Problem(String);

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Problem {}

/// Makes any error a [`Problem`].
pub fn problem(error: impl fmt::Display) -> Problem {
    Problem(error.to_string())
}

/// The contracts as the harness wrote them down (interop/build/model.json).
pub fn model(folder: &str) -> Result<Json, Problem> {
    let text = std::fs::read_to_string(format!("{folder}/build/model.json")).map_err(problem)?;
    serde_json::from_str(&text).map_err(problem)
}

/// The member `name`, or null.
pub fn member<'a>(value: &'a Json, name: &str) -> &'a Json {
    value.get(name).unwrap_or(&Json::Null)
}

/// The text of a JSON string, empty for anything else.
pub fn text(value: &Json) -> &str {
    value.as_str().unwrap_or_default()
}

/// A struct of the model's fields, each with its name, type and flags.
pub fn fields(of: &Json) -> &[Json] {
    member(of, "fields").as_array().map_or(&[], Vec::as_slice)
}

fn flag(field: &Json, name: &str) -> bool {
    member(field, name) == &Json::Bool(true)
}

// ---- neutral -> Castile ----

/// A neutral value of a type of the model.
pub fn read(kind: &Json, value: &Json) -> Result<Value, Problem> {
    if value.is_null() {
        return Ok(Value::Nil);
    }
    if kind.is_object() {
        return read_struct(kind, value);
    }
    let it = text(value);
    Ok(match text(kind) {
        "double" => Value::Double(f64::from_bits(u64::from_str_radix(it, 16).map_err(problem)?)),
        "float" => Value::Float(f32::from_bits(u32::from_str_radix(it, 16).map_err(problem)?)),
        "boolean" => Value::Bool(value.as_bool().unwrap_or_default()),
        "byte" | "short" | "int" | "unsignedByte" | "unsignedShort" => {
            Value::Int(value.as_i64().unwrap_or_default())
        }
        "unsignedInt" | "long" => Value::Int(it.parse().map_err(problem)?),
        "unsignedLong" => Value::UInt(it.parse().map_err(problem)?),
        "integer" | "decimal" => Value::Decimal(Decimal::parse(it).map_err(problem)?),
        "date" => moment(DateTimeKind::Date, it)?,
        "time" => moment(DateTimeKind::Time, it)?,
        "dateTime" => moment(DateTimeKind::DateTime, it)?,
        "hexBinary" | "base64Binary" => {
            let mut bytes = Vec::new();
            castile::lexical::parse_hex(it.as_bytes(), &mut bytes).map_err(problem)?;
            Value::Bytes(bytes)
        }
        _ => Value::Text(it.to_owned()),
    })
}

fn moment(kind: DateTimeKind, text: &str) -> Result<Value, Problem> {
    Ok(DateTime::parse(kind, text.as_bytes()).map_err(problem)?.into())
}

/// The type that a value says it is of (`@type`), where that is derived from the declared one.
fn derived<'a>(of: &'a Json, name: &str) -> Option<&'a Json> {
    member(of, "derived").get(name)
}

fn read_struct(declared: &Json, value: &Json) -> Result<Value, Problem> {
    let derived = derived(declared, text(member(value, TYPE)));
    let of = derived.unwrap_or(declared);
    let mut made: Vec<(String, Value)> = Vec::new();
    for field in fields(of) {
        let (name, kind) = (text(member(field, "name")), member(field, "type"));
        match value.get(name) {
            None => {}
            Some(Json::Array(items)) => {
                let items: Result<Vec<_>, _> = items.iter().map(|item| read(kind, item)).collect();
                made.push((name.to_owned(), Value::List(items?)));
            }
            Some(item) => made.push((name.to_owned(), read(kind, item)?)),
        }
    }
    match derived {
        None => Ok(Value::Map(made)),
        Some(of) => record(of, made),
    }
}

/// A record knows the name of its type, which a map does not.
fn record(of: &Json, made: Vec<(String, Value)>) -> Result<Value, Problem> {
    let name = format!("{{{}}}{}", text(&of["namespace"]), text(&of["name"]));
    let names = made.iter().map(|(name, _)| name.as_str().into()).collect();
    let mut record = ValueRecord::new(Arc::new(Shape::new(name, names)));
    for (name, value) in made {
        record
            .set(&name, value)
            .map_err(|_| problem(format!("no field {name}")))?;
    }
    Ok(Value::Record(record))
}

// ---- Castile -> neutral ----

/// A value of a type of the model as a neutral one.
pub fn write(kind: &Json, value: Value) -> Json {
    if kind.is_object() {
        return write_struct(kind, &value);
    }
    match value {
        Value::Double(v) => json!(format!("{:016x}", v.to_bits())),
        Value::Float(v) => json!(format!("{:08x}", v.to_bits())),
        Value::Bool(v) => json!(v),
        Value::Int(v) if !matches!(text(kind), "unsignedInt" | "long" | "unsignedLong" | "integer") => {
            json!(v)
        }
        Value::Int(v) => json!(v.to_string()),
        Value::UInt(v) => json!(v.to_string()),
        Value::Decimal(v) => json!(v.to_string()),
        Value::Text(v) => json!(v),
        Value::DateTime(v) => formatted(|out| v.format(out)),
        Value::Bytes(v) => formatted(|out| castile::lexical::format_hex(&v, out)),
        Value::Nil => Json::Null,
        other => json!(format!("no {}: {other:?}", text(kind))),
    }
}

fn formatted(format: impl FnOnce(&mut Vec<u8>)) -> Json {
    let mut out = Vec::new();
    format(&mut out);
    json!(
        String::from_utf8_lossy(&out)
            .to_lowercase()
            .replace('t', "T")
            .replace('z', "Z")
    )
}

fn write_struct(declared: &Json, value: &Value) -> Json {
    let mut made = Map::new();
    let mut of = declared;
    if let Value::Record(record) = value {
        let name = record.shape().name().rsplit('}').next().unwrap_or_default();
        if let Some(derived) = derived(declared, name) {
            made.insert(TYPE.to_owned(), json!(name));
            of = derived;
        }
    }
    for field in fields(of) {
        let (name, kind) = (text(member(field, "name")), member(field, "type"));
        let item = value.get(name).cloned().unwrap_or_default();
        if flag(field, "repeated") {
            let items = item.into_list().into_iter().map(|each| write(kind, each));
            made.insert(name.to_owned(), items.collect());
        } else if !matches!(item, Value::Absent) {
            made.insert(name.to_owned(), write(kind, item));
        }
    }
    Json::Object(made)
}

/// What an operation gives, as the record of all its results: one result alone comes as itself.
pub fn results(of: &Json, value: Value) -> Value {
    match fields(of) {
        [single] => Value::map([(text(member(single, "name")), value)]),
        _ => value,
    }
}
