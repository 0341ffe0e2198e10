//! Comparing values: NaN equals NaN, zeros differ by sign, and the form of a list does not matter.

use castile_value::{Record, Value};

/// The value with every array and table taken apart into lists, maps sorted, absent fields gone, and
/// XML in one form,
/// so that two values are the same when what they say is.
pub fn plain(value: &Value) -> Value {
    match value.held() {
        Value::List(items) => Value::List(items.iter().map(plain).collect()),
        Value::Column(_) | Value::Tracked(_) | Value::Rows(_) => {
            Value::List(value.clone().into_list().iter().map(plain).collect())
        }
        Value::Grid(grid) => Value::map([
            (
                "sizes",
                Value::List(grid.sizes().iter().map(|&n| Value::Int(n as i64)).collect()),
            ),
            ("values", plain(grid.values())),
        ]),
        Value::Record(record) => fields(record),
        Value::Map(entries) => {
            let entries = entries.iter().filter(|(_, v)| !matches!(v, Value::Absent));
            let mut entries: Vec<(String, Value)> = entries.map(|(k, v)| (k.clone(), plain(v))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Map(entries)
        }
        Value::Xml(text) => Value::Xml(crate::reference::canonical(text)),
        Value::UInt(v) => i64::try_from(*v).map_or(Value::UInt(*v), Value::Int),
        other => other.clone(),
    }
}

fn fields(record: &Record) -> Value {
    let entries = record.iter().map(|(name, value)| (name.to_owned(), plain(value)));
    let mut entries: Vec<(String, Value)> = entries.collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries.push(("".into(), Value::Text(record.shape().name().to_owned())));
    Value::Map(entries)
}

/// Where two values differ first, and how; `None` when they say the same. Doubles and floats are
/// compared by their bits, and every NaN is the same.
pub fn difference(a: &Value, b: &Value) -> Option<String> {
    differ(&plain(a), &plain(b), "")
}

fn differ(a: &Value, b: &Value, path: &str) -> Option<String> {
    match (a, b) {
        (Value::List(a), Value::List(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(i, (a, b))| differ(a, b, &format!("{path}[{i}]"))),
        (Value::Map(a), Value::Map(b)) if a.iter().map(|e| &e.0).eq(b.iter().map(|e| &e.0)) => a
            .iter()
            .zip(b)
            .find_map(|((name, a), (_, b))| differ(a, b, &format!("{path}/{name}"))),
        (Value::Double(x), Value::Double(y)) if x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan() => {
            None
        }
        (Value::Float(x), Value::Float(y)) if x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan() => None,
        (Value::Double(_), Value::Double(_)) | (Value::Float(_), Value::Float(_)) => {
            Some(format!("{path}: {a:?} is not {b:?}"))
        }
        _ if a == b => None,
        _ => Some(format!("{path}: {a:?} is not {b:?}")),
    }
}
