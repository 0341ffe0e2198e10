//! Texts of simple types, one at a time and the plain way.

use castile_lexical::{DateTime, DateTimeKind, Decimal, Duration};
use castile_plan::{Builtin, SimpleId, Types, Variety, WhiteSpace};
use castile_value::{QName, Value};

use super::Refusal;

/// The value of a text. `namespace` gives the namespace of a prefix.
///
/// # Errors
/// A text that the type does not allow, enumerations of text included.
pub fn parse_text(
    types: &Types,
    id: SimpleId,
    text: &str,
    namespace: &dyn Fn(&str) -> Option<String>,
) -> Result<Value, Refusal> {
    match &types.simple(id).variety {
        Variety::List(item) => {
            let items = text.split([' ', '\t', '\n', '\r']).filter(|t| !t.is_empty());
            items
                .map(|t| parse_text(types, *item, t, namespace))
                .collect::<Result<_, _>>()
                .map(Value::List)
        }
        Variety::Union(members) => {
            let mut found = members
                .iter()
                .filter_map(|m| parse_text(types, *m, text, namespace).ok());
            found.next().ok_or_else(|| "no member fits".to_owned())
        }
        Variety::Atomic(builtin) => {
            let value = atomic(types, id, *builtin, text, namespace)?;
            if let Value::Text(text) = &value
                && !is_named(*builtin, text)
            {
                return Err(format!("{text:?} is no {}", builtin.name()));
            }
            let steps = std::iter::successors(Some(id), |&id| types.simple(id).base);
            for step in steps {
                let allowed = &types.simple(step).facets.enumeration;
                if let Value::Text(text) = &value
                    && !allowed.is_empty()
                    && !allowed.iter().any(|a| **a == **text)
                {
                    return Err(format!("{text:?} is not in the enumeration"));
                }
            }
            Ok(value)
        }
    }
}

/// Whether text is a name, where the type wants one.
fn is_named(builtin: Builtin, text: &str) -> bool {
    match builtin {
        Builtin::Name => castile_lexical::is_name(text),
        Builtin::NCName | Builtin::Id | Builtin::IdRef | Builtin::Entity => castile_lexical::is_ncname(text),
        Builtin::NmToken => castile_lexical::is_nmtoken(text),
        Builtin::Language => castile_lexical::is_language(text),
        _ => true,
    }
}

fn atomic(
    types: &Types,
    id: SimpleId,
    builtin: Builtin,
    text: &str,
    namespace: &dyn Fn(&str) -> Option<String>,
) -> Result<Value, Refusal> {
    use Builtin as B;
    let collapsed = castile_lexical::collapse(text);
    let bytes = collapsed.as_bytes();
    let no = |e: castile_lexical::Error| e.to_string();
    let moment = |kind| DateTime::parse(kind, bytes).map(Value::from).map_err(no);
    match builtin {
        B::Boolean => match &*collapsed {
            "true" | "1" => Ok(Value::Bool(true)),
            "false" | "0" => Ok(Value::Bool(false)),
            other => Err(format!("{other:?} is no boolean")),
        },
        B::Double => special(&collapsed)
            .map(Value::Double)
            .or_else(|| number(&collapsed).map(Value::Double))
            .ok_or("no double".into()),
        B::Float => special(&collapsed)
            .map(|v| Value::Float(v as f32))
            .or_else(|| number(&collapsed).map(Value::Float))
            .ok_or("no float".into()),
        B::Decimal => Decimal::parse(&collapsed).map(Value::Decimal).map_err(no),
        B::DateTime => moment(DateTimeKind::DateTime),
        B::Date => moment(DateTimeKind::Date),
        B::Time => moment(DateTimeKind::Time),
        B::GYearMonth => moment(DateTimeKind::GYearMonth),
        B::GYear => moment(DateTimeKind::GYear),
        B::GMonthDay => moment(DateTimeKind::GMonthDay),
        B::GDay => moment(DateTimeKind::GDay),
        B::GMonth => moment(DateTimeKind::GMonth),
        B::Duration => Duration::parse(bytes).map(Value::from).map_err(no),
        B::Base64Binary | B::HexBinary => {
            let parse = if builtin == B::HexBinary {
                castile_lexical::parse_hex
            } else {
                castile_lexical::parse_base64
            };
            let mut out = Vec::new();
            parse(text.as_bytes(), &mut out)
                .map(|()| Value::Bytes(out))
                .map_err(no)
        }
        B::QName | B::Notation => {
            let (prefix, local) = castile_lexical::split_qname(&collapsed).ok_or("no name")?;
            let namespace = namespace(prefix.unwrap_or("")).ok_or("no such prefix")?;
            Ok(Value::from(QName {
                namespace,
                local: local.to_owned(),
            }))
        }
        _ => match integer_range(builtin) {
            Some((least, greatest)) => integer(&collapsed, least, greatest),
            None => Ok(Value::Text(
                match types
                    .simple(id)
                    .facets
                    .white_space
                    .unwrap_or(WhiteSpace::Collapse)
                {
                    WhiteSpace::Preserve => text.to_owned(),
                    WhiteSpace::Replace => text.replace(['\t', '\n', '\r'], " "),
                    WhiteSpace::Collapse => collapsed.into_owned(),
                },
            )),
        },
    }
}

fn special(text: &str) -> Option<f64> {
    match text {
        "INF" => Some(f64::INFINITY),
        "-INF" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        _ => None,
    }
}

/// A number in the alphabet of XSD, read by the standard library.
fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    let legal = text
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    text.parse().ok().filter(|_| legal)
}

fn integer(text: &str, least: i128, greatest: i128) -> Result<Value, Refusal> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("{text:?} is no integer"));
    }
    match text.parse::<i128>() {
        Ok(v) if (least..=greatest).contains(&v) => Ok(integer_value(v)),
        Ok(v) => Err(format!("{v} is out of range")),
        // Longer than any 128 bits.
        Err(_) => match Decimal::parse_integer(text) {
            Ok(v) if v.is_negative() && least == i128::MIN => Ok(Value::Decimal(v)),
            Ok(v) if !v.is_negative() && greatest == i128::MAX => Ok(Value::Decimal(v)),
            Ok(_) => Err("out of range".into()),
            Err(e) => Err(e.to_string()),
        },
    }
}

/// An integer in the form in which a decoder gives it.
pub(crate) fn integer_value(v: i128) -> Value {
    match (i64::try_from(v), u64::try_from(v)) {
        (Ok(v), _) => Value::Int(v),
        (_, Ok(v)) => Value::UInt(v),
        _ => Value::Decimal(Decimal::parse_integer(&v.to_string()).expect("digits")),
    }
}

/// The range of an integer type; open ends are those of `i128`.
pub(crate) fn integer_range(builtin: Builtin) -> Option<(i128, i128)> {
    use Builtin as B;
    Some(match builtin {
        B::Integer => (i128::MIN, i128::MAX),
        B::NonPositiveInteger => (i128::MIN, 0),
        B::NegativeInteger => (i128::MIN, -1),
        B::NonNegativeInteger => (0, i128::MAX),
        B::PositiveInteger => (1, i128::MAX),
        B::Long => (i64::MIN.into(), i64::MAX.into()),
        B::Int => (i32::MIN.into(), i32::MAX.into()),
        B::Short => (i16::MIN.into(), i16::MAX.into()),
        B::Byte => (i8::MIN.into(), i8::MAX.into()),
        B::UnsignedLong => (0, u64::MAX.into()),
        B::UnsignedInt => (0, u32::MAX.into()),
        B::UnsignedShort => (0, u16::MAX.into()),
        B::UnsignedByte => (0, u8::MAX.into()),
        _ => return None,
    })
}
