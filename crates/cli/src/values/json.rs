//! Values to JSON, by the types of the contract, and JSON to text for people.

use castile_lexical::{format_base64, format_hex};
use castile_plan::{Builtin, ComplexId, Field, FieldKind, SimpleId, TypeId, Types, Variety};
use castile_value::{DateTime, Duration, QName, Record, Value};
use serde_json::{Map, Number, Value as Json, json};

use super::number;

/// The key under which an object says that its type is not the declared one.
pub(crate) const TYPE_KEY: &str = "@type";

/// A record as an object: absent fields are left out, nil is null.
pub(crate) fn record(types: &Types, declared: ComplexId, record: &Record) -> Json {
    let mut object = Map::new();
    let mut id = declared;
    if **record.shape() != **types.shape(declared) {
        if let Some(TypeId::Complex(own)) = types.type_by_clark(record.shape().name()) {
            id = own;
        }
        object.insert(TYPE_KEY.into(), record.shape().name().into());
    }
    for (name, value) in record.iter() {
        let field = types.complex(id).field(name);
        object.insert(name.to_owned(), self::field(types, field, value));
    }
    Json::Object(object)
}

/// The value of a field; `None`: of a field that the table does not know.
pub(crate) fn field(types: &Types, field: Option<&Field>, value: &Value) -> Json {
    if let Some(Field {
        kind: FieldKind::AnyAttribute(_),
        ..
    }) = field
    {
        return plain(value);
    }
    of_type(types, field.map_or(TypeId::Any, |f| f.ty), value)
}

fn of_type(types: &Types, ty: TypeId, value: &Value) -> Json {
    match (value.held(), ty) {
        (Value::List(items), _) => items
            .iter()
            .map(|v| of_type(types, item_type(types, ty), v))
            .collect(),
        (Value::Column(_) | Value::Tracked(_) | Value::Rows(_), _) => {
            let items = value.clone().into_list();
            items.iter().map(|v| of_type(types, ty, v)).collect()
        }
        (Value::Record(r), TypeId::Complex(id)) => record(types, id, r),
        (Value::Record(r), _) => match types.type_by_clark(r.shape().name()) {
            Some(TypeId::Complex(id)) => {
                let mut object = record(types, id, r);
                if let Json::Object(object) = &mut object {
                    object.insert(TYPE_KEY.into(), r.shape().name().into());
                }
                object
            }
            _ => r
                .iter()
                .map(|(name, value)| (name.to_owned(), plain(value)))
                .collect::<Map<_, _>>()
                .into(),
        },
        (Value::Bytes(bytes), TypeId::Simple(id)) if is_hex(types, id) => text(|out| format_hex(bytes, out)),
        _ => plain(value),
    }
}

/// The items of a list type have a type of their own; those of a repeated field have the field's.
fn item_type(types: &Types, ty: TypeId) -> TypeId {
    match ty {
        TypeId::Simple(id) => match types.simple(id).variety {
            Variety::List(item) => TypeId::Simple(item),
            _ => ty,
        },
        _ => ty,
    }
}

fn is_hex(types: &Types, id: SimpleId) -> bool {
    types.simple(id).variety == Variety::Atomic(Builtin::HexBinary)
}

/// A value whose type is not known.
pub(crate) fn plain(value: &Value) -> Json {
    match value {
        Value::Absent | Value::Nil => Json::Null,
        Value::Bool(v) => (*v).into(),
        Value::Int(v) => (*v).into(),
        Value::UInt(v) => (*v).into(),
        Value::Float(v) if v.is_finite() => (*v).into(),
        Value::Double(v) if v.is_finite() => (*v).into(),
        Value::Float(v) => special(f64::from(*v)).into(),
        Value::Double(v) => special(*v).into(),
        Value::Decimal(v) => Json::Number(Number::from_string_unchecked(number::json(v.as_str()))),
        Value::Text(v) | Value::Xml(v) => v.as_str().into(),
        Value::Bytes(v) => text(|out| format_base64(v, out)),
        Value::DateTime(v) => moment(v),
        Value::Duration(v) => duration(v),
        Value::QName(v) => qname(v),
        Value::List(items) => items.iter().map(plain).collect(),
        Value::Column(_) | Value::Tracked(_) | Value::Rows(_) => {
            value.clone().into_list().iter().map(plain).collect()
        }
        Value::Grid(v) => grid(
            v.sizes(),
            v.values().clone().into_list().iter().map(plain).collect(),
        ),
        Value::Ref(number) => json!({ super::shared::REF_KEY: number }),
        Value::Shared(v) => plain(v),
        Value::Record(v) => v
            .iter()
            .map(|(n, v)| (n.to_owned(), plain(v)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Map(v) => v
            .iter()
            .map(|(n, v)| (n.clone(), plain(v)))
            .collect::<Map<_, _>>()
            .into(),
    }
}

/// An array of several dimensions as arrays in arrays.
fn grid(sizes: &[usize], items: Vec<Json>) -> Json {
    let inner: usize = sizes.iter().skip(1).product();
    if sizes.len() < 2 || inner == 0 {
        return items.into();
    }
    let rows = items.chunks(inner);
    rows.map(|row| grid(sizes.get(1..).unwrap_or_default(), row.to_vec()))
        .collect()
}

/// What JSON has no number for, as XML Schema writes it.
fn special(v: f64) -> &'static str {
    match v {
        v if v.is_nan() => "NaN",
        v if v > 0.0 => "INF",
        _ => "-INF",
    }
}

fn moment(v: &DateTime) -> Json {
    text(|out| v.format(out))
}

fn duration(v: &Duration) -> Json {
    text(|out| v.format(out))
}

fn qname(v: &QName) -> Json {
    match &*v.namespace {
        "" => v.local.as_str().into(),
        uri => json!(format!("{{{uri}}}{}", v.local)),
    }
}

fn text(write: impl FnOnce(&mut Vec<u8>)) -> Json {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8_lossy(&out).into()
}

/// JSON for people: indented, and what fits a line on one line.
pub(crate) fn pretty(json: &Json) -> String {
    let mut out = String::new();
    write(json, 0, &mut out);
    out
}

const LINE_CHARS: usize = 96;

fn write(json: &Json, indent: usize, out: &mut String) {
    let items: Vec<(Option<&String>, &Json)> = match json {
        Json::Array(items) => items.iter().map(|v| (None, v)).collect(),
        Json::Object(fields) => fields.iter().map(|(k, v)| (Some(k), v)).collect(),
        scalar => return out.push_str(&scalar.to_string()),
    };
    if let Some(line) = one_line(json, LINE_CHARS.saturating_sub(indent)) {
        return out.push_str(&line);
    }
    let (open, close) = if json.is_array() { ('[', ']') } else { ('{', '}') };
    out.push(open);
    for (i, (key, value)) in items.iter().enumerate() {
        out.push_str(if i == 0 { "\n" } else { ",\n" });
        out.push_str(&" ".repeat(indent + 2));
        if let Some(key) = key {
            out.push_str(&format!("{}: ", Json::from(key.as_str())));
        }
        write(value, indent + 2, out);
    }
    out.push('\n');
    out.push_str(&" ".repeat(indent));
    out.push(close);
}

/// The value on one line, when it has at most so many characters.
fn one_line(json: &Json, most: usize) -> Option<String> {
    let mut out = String::new();
    fits(json, most, &mut out).then_some(out)
}

fn fits(json: &Json, most: usize, out: &mut String) -> bool {
    match json {
        Json::Array(items) => {
            out.push('[');
            for (i, value) in items.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                if !fits(value, most, out) {
                    return false;
                }
            }
            out.push(']');
        }
        Json::Object(fields) => {
            out.push('{');
            for (i, (key, value)) in fields.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                out.push_str(&format!("{}: ", Json::from(key.as_str())));
                if !fits(value, most, out) {
                    return false;
                }
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
    out.len() <= most
}

#[cfg(test)]
mod tests {
    use super::*;
    use castile_value::Decimal;

    #[test]
    fn numbers_are_exact() {
        let decimal = Decimal::parse("123456789012345678901234567890.10").unwrap();
        assert_eq!(
            plain(&Value::Decimal(decimal)).to_string(),
            "123456789012345678901234567890.10"
        );
        assert_eq!(plain(&Value::Float(0.1)).to_string(), "0.1");
        assert_eq!(plain(&Value::Double(-0.0)).to_string(), "-0.0");
        assert_eq!(plain(&Value::Double(f64::NEG_INFINITY)).to_string(), "\"-INF\"");
        assert_eq!(plain(&Value::UInt(u64::MAX)).to_string(), "18446744073709551615");
        assert_eq!(plain(&vec![1.5, 2e300].into()).to_string(), "[1.5,2e+300]");
    }

    #[test]
    fn short_values_stay_on_a_line() {
        let json = json!({"a": [1, 2], "b": "x".repeat(90), "c": {}});
        let text = pretty(&json);
        assert_eq!(text.lines().count(), 5, "{text}");
        assert!(text.contains("\n  \"a\": [1, 2],\n"), "{text}");
    }
}
