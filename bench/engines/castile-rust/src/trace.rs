//! Trace files, a value a line, as Castile's dynamic values and back.

use std::fmt::Write as _;
use std::sync::Arc;

use castile::{ColumnBuf, DType, RowLayout, Rows, Shape, Value};

use crate::Outcome;

/// The argument `values` of the operations on `kind`, and how many items it has.
pub(crate) fn parse(kind: &str, text: &str, encoded: bool) -> Outcome<(Value, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let items = match kind {
        "doubles" => Value::from(parsed::<f64>(&lines)?),
        "ints" => Value::Column(ColumnBuf::I32(parsed(&lines)?)),
        "strings" => Value::List(lines.iter().map(|&line| line.into()).collect()),
        "mios" => mios(&lines)?,
        "events" => records(&lines, |f| {
            Ok([
                ("sequence", Value::Int(field(f, 0)?.parse()?)),
                ("time", Value::Double(field(f, 1)?.parse()?)),
                ("message", field(f, 2)?.into()),
            ]
            .to_vec())
        })?,
        "attributes" => records(&lines, attribute)?,
        "classads" => records(&lines, |f| {
            let list = f
                .chunks(3)
                .map(|f| attribute(f).map(Value::map))
                .collect::<Outcome<Vec<_>>>()?;
            Ok(vec![("attributes", array(Value::List(list), encoded))])
        })?,
        "bytes" => return Ok((Value::Bytes(from_hex(lines.first().unwrap_or(&""))?), lines.len())),
        "packed" => {
            let bytes = parsed::<f64>(&lines)?
                .into_iter()
                .flat_map(f64::to_le_bytes)
                .collect();
            return Ok((Value::Bytes(bytes), lines.len()));
        }
        "google" => return Ok((records(&lines, |f| result(f, encoded))?, lines.len())),
        "nested" => return Ok((nested(&lines)?, lines.len())),
        "files" => records(&lines, |f| {
            Ok(vec![
                ("name", field(f, 0)?.into()),
                ("data", Value::Bytes(from_hex(field(f, 1)?)?)),
            ])
        })?,
        _ => return Err(format!("no kind {kind}").into()),
    };
    Ok((array(items, encoded), lines.len()))
}

/// How many items the argument `values` of `operation` has.
pub(crate) fn count(operation: &str, values: &Value) -> usize {
    match operation.trim_start_matches("send") {
        "Bytes" => bytes_of(values).len(),
        "Packed" => bytes_of(values).len() / 8,
        "Nested" => std::iter::successors(Some(values), |level| inner(level)).count(),
        _ => items(values).count(),
    }
}

/// What an operation on `kind` returned, as the text of a trace file.
pub(crate) fn print(kind: &str, value: &Value) -> Outcome<String> {
    let mut out = String::new();
    match kind {
        "bytes" => writeln!(out, "{}", to_hex(bytes_of(value)))?,
        "packed" => {
            for number in bytes_of(value).chunks_exact(8) {
                writeln!(out, "{}", f64::from_le_bytes(number.try_into()?))?;
            }
        }
        "nested" => {
            for level in std::iter::successors(Some(value), |level| inner(level)) {
                line(&mut out, level)?;
            }
        }
        "google" => {
            for item in items(member(value, "resultElements")).clone().into_list() {
                line(&mut out, &item)?;
            }
        }
        _ => {
            for item in items(value).clone().into_list() {
                line(&mut out, &item)?;
            }
        }
    }
    Ok(out)
}

/// An array is a record with one repeated field, but not by the rules of SOAP encoding.
pub(crate) fn array(items: Value, encoded: bool) -> Value {
    if encoded {
        items
    } else {
        Value::map([("item", items)])
    }
}

fn items(value: &Value) -> &Value {
    match value {
        Value::Record(_) | Value::Map(_) => member(value, "item"),
        other => other,
    }
}

fn member<'v>(value: &'v Value, name: &str) -> &'v Value {
    value.get(name).unwrap_or(&Value::Absent)
}

fn inner(level: &Value) -> Option<&Value> {
    level.get("level").filter(|v| !matches!(v, Value::Absent))
}

fn bytes_of(value: &Value) -> &[u8] {
    match value {
        Value::Bytes(bytes) => bytes,
        _ => &[],
    }
}

fn parsed<T: std::str::FromStr>(lines: &[&str]) -> Outcome<Vec<T>>
where
    T::Err: std::error::Error + 'static,
{
    Ok(lines.iter().map(|line| line.parse()).collect::<Result<_, _>>()?)
}

pub(crate) fn field<'t>(fields: &[&'t str], index: usize) -> Outcome<&'t str> {
    fields
        .get(index)
        .copied()
        .ok_or_else(|| format!("a line has no field {index}").into())
}

type Named = Vec<(&'static str, Value)>;

fn records(lines: &[&str], record: impl Fn(&[&str]) -> Outcome<Named>) -> Outcome<Value> {
    let made = lines.iter().map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        Ok(Value::map(record(&fields)?))
    });
    Ok(Value::List(made.collect::<Outcome<_>>()?))
}

fn attribute(f: &[&str]) -> Outcome<Named> {
    Ok(vec![
        ("name", field(f, 0)?.into()),
        ("type", field(f, 1)?.into()),
        ("value", field(f, 2)?.into()),
    ])
}

fn mios(lines: &[&str]) -> Outcome<Value> {
    let names = ["x", "y", "value"].map(Box::from).to_vec();
    let shape = Arc::new(Shape::new("{urn:castile:bench}Mio", names));
    let layout = RowLayout::packed(shape, &[DType::I32, DType::I32, DType::F64]).ok_or("a layout")?;
    let mut data = Vec::new();
    for line in lines {
        let f: Vec<&str> = line.split('\t').collect();
        data.extend(field(&f, 0)?.parse::<i32>()?.to_ne_bytes());
        data.extend(field(&f, 1)?.parse::<i32>()?.to_ne_bytes());
        data.extend(field(&f, 2)?.parse::<f64>()?.to_ne_bytes());
    }
    Ok(Rows::from_data(Arc::new(layout), data).into())
}

fn result(f: &[&str], _encoded: bool) -> Outcome<Named> {
    Ok(vec![
        ("summary", field(f, 0)?.into()),
        ("URL", field(f, 1)?.into()),
        ("snippet", field(f, 2)?.into()),
        ("title", field(f, 3)?.into()),
        ("cachedSize", field(f, 4)?.into()),
        ("relatedInformationPresent", Value::Bool(field(f, 5)? == "true")),
        ("hostName", field(f, 6)?.into()),
        (
            "directoryCategory",
            Value::map([
                ("fullViewableName", Value::from(field(f, 7)?)),
                ("specialEncoding", Value::from(field(f, 8)?)),
            ]),
        ),
        ("directoryTitle", field(f, 9)?.into()),
    ])
}

/// The levels from the innermost outwards.
fn nested(lines: &[&str]) -> Outcome<Value> {
    let mut level = Value::Absent;
    for line in lines.iter().rev() {
        let f: Vec<&str> = line.split('\t').collect();
        level = Value::map([
            ("name", Value::from(field(&f, 4)?)),
            ("name_2", Value::from(field(&f, 5)?)),
            ("level", level),
            ("id", Value::from(field(&f, 0)?)),
            ("id_attribute", Value::from(field(&f, 1)?)),
            ("kind", Value::from(field(&f, 2)?)),
            ("kind_attribute", Value::from(field(&f, 3)?)),
        ]);
    }
    Ok(level)
}

/// The fields of one item, separated by tabs; what lies in an item's item counts as its own fields.
fn line(out: &mut String, item: &Value) -> Outcome<()> {
    let mut fields = Vec::new();
    flatten(item, &mut fields);
    writeln!(out, "{}", fields.join("\t"))?;
    Ok(())
}

fn flatten(value: &Value, fields: &mut Vec<String>) {
    match value {
        Value::Record(record) => {
            for (name, value) in record.iter().filter(|(name, _)| *name != "level") {
                let _ = name;
                flatten(value, fields);
            }
        }
        Value::List(_) | Value::Column(_) | Value::Rows(_) => {
            for item in value.clone().into_list() {
                flatten(&item, fields);
            }
        }
        Value::Double(v) => fields.push(format!("{v:e}")),
        Value::Int(v) => fields.push(v.to_string()),
        Value::Bool(v) => fields.push(v.to_string()),
        Value::Text(v) => fields.push(v.clone()),
        Value::Bytes(v) => fields.push(to_hex(v)),
        _ => {}
    }
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

pub(crate) fn from_hex(text: &str) -> Outcome<Vec<u8>> {
    let digits: Vec<u32> = text
        .chars()
        .map(|c| c.to_digit(16).ok_or("a digit is not hexadecimal"))
        .collect::<Result<_, _>>()?;
    Ok(digits
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | *digit as u8))
        .collect())
}
