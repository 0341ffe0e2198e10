//! Sample values of simple types.

use castile_plan::{Builtin, Facets, SimpleId, Types, Variety};
use castile_value::{DateTime, Decimal, Duration, QName, Value};

use super::pattern;

/// What a value is wanted for.
#[derive(Clone, Copy)]
pub(super) struct Wish<'w> {
    /// The field's name, which text says again.
    pub(super) name: &'w str,
    /// Counts the values of a sample.
    pub(super) number: u32,
    /// Which value of an enumeration.
    pub(super) variant: u32,
}

/// Longest text that a facet may ask for.
const LENGTH_MAX: u64 = 100_000;

/// A value of a simple type; `None` where none is found.
pub(super) fn scalar(types: &Types, id: SimpleId, wish: Wish<'_>) -> Option<Value> {
    if let Some(values) = enumeration(types, id) {
        let at = (wish.variant as usize).checked_rem(values.len())?;
        return parse(types, id, values.get(at)?);
    }
    let simple = types.simple(id);
    match &simple.variety {
        Variety::Atomic(builtin) => atomic(types, id, *builtin, wish),
        Variety::List(item) => {
            let Facets {
                length,
                min_length,
                max_length,
                ..
            } = simple.facets;
            let most = length.or(max_length).unwrap_or(2).min(LENGTH_MAX);
            let items = length
                .unwrap_or(most.min(2))
                .max(min_length.unwrap_or(0))
                .min(LENGTH_MAX);
            let item = |n: u64| {
                scalar(
                    types,
                    *item,
                    Wish {
                        number: wish.number.wrapping_add(n as u32),
                        ..wish
                    },
                )
            };
            (0..items).map(item).collect::<Option<Vec<_>>>().map(Value::List)
        }
        Variety::Union(members) => members.iter().find_map(|member| scalar(types, *member, wish)),
    }
}

/// The values of the nearest enumeration, this type's or a base's.
fn enumeration(types: &Types, id: SimpleId) -> Option<&[Box<str>]> {
    chain(types, id)
        .map(|id| &*types.simple(id).facets.enumeration)
        .find(|values| !values.is_empty())
}

/// A type and those it restricts.
fn chain(types: &Types, id: SimpleId) -> impl Iterator<Item = SimpleId> {
    std::iter::successors(Some(id), |id| types.simple(*id).base)
}

/// A text of the schema as the value that a reader of it gives.
pub(super) fn parse(types: &Types, id: SimpleId, text: &str) -> Option<Value> {
    match &types.simple(id).variety {
        Variety::Atomic(builtin) => read(*builtin, text),
        Variety::List(item) => text
            .split_ascii_whitespace()
            .map(|word| parse(types, *item, word))
            .collect::<Option<Vec<_>>>()
            .map(Value::List),
        Variety::Union(members) => members
            .iter()
            .find_map(|member| match enumeration(types, *member) {
                Some(values) if !values.iter().any(|v| &**v == text) => None,
                _ => parse(types, *member, text),
            }),
    }
}

/// The value of a text of a built-in type.
fn read(builtin: Builtin, text: &str) -> Option<Value> {
    let bytes = text.as_bytes();
    Some(match builtin {
        Builtin::Boolean => Value::Bool(matches!(text.trim(), "true" | "1")),
        Builtin::Double => Value::Double(float(text)?),
        Builtin::Float => Value::Float(float(text)? as f32),
        Builtin::Decimal => Value::Decimal(Decimal::parse(text).ok()?),
        Builtin::Duration => Value::from(Duration::parse(bytes).ok()?),
        Builtin::Base64Binary | Builtin::HexBinary => return None,
        Builtin::QName | Builtin::Notation => {
            let clark = text.strip_prefix('{').and_then(|rest| rest.rsplit_once('}'));
            let (namespace, local) = clark.unwrap_or((super::NAMESPACE, text));
            Value::from(QName {
                namespace: namespace.into(),
                local: local.into(),
            })
        }
        _ => match (builtin.date_time(), builtin.is_integer()) {
            (Some(kind), _) => Value::from(DateTime::parse(kind, bytes).ok()?),
            (None, true) => integer(Decimal::parse_integer(text).ok()?),
            (None, false) => collapsed(builtin, text).into(),
        },
    })
}

fn collapsed(builtin: Builtin, text: &str) -> String {
    match builtin {
        Builtin::String | Builtin::AnySimpleType | Builtin::NormalizedString => text.to_owned(),
        _ => text.split_ascii_whitespace().collect::<Vec<_>>().join(" "),
    }
}

fn float(text: &str) -> Option<f64> {
    match text.trim() {
        "INF" => Some(f64::INFINITY),
        "-INF" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        number => number.parse().ok(),
    }
}

/// An integer in the smallest variant that holds it, as a decoder gives it.
fn integer(v: Decimal) -> Value {
    match (v.to_i64(), v.to_u64()) {
        (Some(v), _) => Value::Int(v),
        (None, Some(v)) => Value::UInt(v),
        (None, None) => Value::Decimal(v),
    }
}

fn atomic(types: &Types, id: SimpleId, builtin: Builtin, wish: Wish<'_>) -> Option<Value> {
    let facets = &types.simple(id).facets;
    let patterns = chain(types, id)
        .map(|id| &*types.simple(id).facets.patterns)
        .find(|p| !p.is_empty());
    if let Some(patterns) = patterns {
        let (least, most) = lengths(facets);
        let text = patterns.iter().find_map(|p| pattern::sample(p, least, most));
        let value = text
            .and_then(|text| read(builtin, &text))
            .filter(|v| in_bounds(v, facets));
        if value.is_some() {
            return value;
        }
    }
    match builtin {
        Builtin::Boolean => Some(Value::Bool(true)),
        Builtin::Base64Binary | Builtin::HexBinary => {
            let (least, most) = lengths(facets);
            Some(Value::Bytes(
                (0..least.max(most.min(6))).map(|n| n as u8).collect(),
            ))
        }
        Builtin::QName | Builtin::Notation => read(builtin, "sample"),
        Builtin::Duration => first(builtin, facets, &["P1DT2H".into(), "PT1S".into(), "P1Y".into()]),
        _ if builtin.date_time().is_some() => first(builtin, facets, &moments(builtin, wish.number)),
        _ if builtin.is_integer() || is_real(builtin) => {
            first(builtin, facets, &numbers(builtin, facets, wish.number))
        }
        _ => Some(texts(builtin, facets, wish).into()),
    }
}

fn is_real(builtin: Builtin) -> bool {
    matches!(builtin, Builtin::Double | Builtin::Float | Builtin::Decimal)
}

/// The first candidate within the bounds; the bounds themselves are candidates too.
fn first(builtin: Builtin, facets: &Facets, candidates: &[String]) -> Option<Value> {
    let bounds = [&facets.min_inclusive, &facets.max_inclusive];
    let bounds = bounds.into_iter().flatten().map(|b| b.to_string());
    let mut all = candidates
        .iter()
        .cloned()
        .chain(bounds)
        .filter_map(|text| read(builtin, &text));
    all.find(|value| in_bounds(value, facets))
}

/// Whether a value is within the bounds and has no more digits than it may.
fn in_bounds(value: &Value, facets: &Facets) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let is = |bound: &Option<Box<str>>, allowed: &[std::cmp::Ordering]| match bound {
        Some(bound) => compare(value, bound).is_none_or(|order| allowed.contains(&order)),
        None => true,
    };
    is(&facets.min_inclusive, &[Greater, Equal])
        && is(&facets.min_exclusive, &[Greater])
        && is(&facets.max_inclusive, &[Less, Equal])
        && is(&facets.max_exclusive, &[Less])
        && fits_digits(value, facets)
}

/// The order of a value and a bound; `None` when they have none.
fn compare(value: &Value, bound: &str) -> Option<std::cmp::Ordering> {
    match value {
        Value::Int(v) => Decimal::from(*v).partial_cmp(&Decimal::parse(bound).ok()?),
        Value::UInt(v) => Decimal::parse(&v.to_string())
            .ok()?
            .partial_cmp(&Decimal::parse(bound).ok()?),
        Value::Decimal(v) => v.partial_cmp(&Decimal::parse(bound).ok()?),
        Value::Double(v) => v.partial_cmp(&float(bound)?),
        Value::Float(v) => f64::from(*v).partial_cmp(&float(bound)?),
        Value::DateTime(v) => v.compare(&DateTime::parse(v.kind, bound.as_bytes()).ok()?),
        Value::Duration(v) => v.compare(&Duration::parse(bound.as_bytes()).ok()?),
        _ => None,
    }
}

fn fits_digits(value: &Value, facets: &Facets) -> bool {
    let Some(decimal) = (match value {
        Value::Int(v) => Some(Decimal::from(*v)),
        Value::UInt(v) => Decimal::parse(&v.to_string()).ok(),
        Value::Decimal(v) => Some(v.clone()),
        _ => None,
    }) else {
        return true;
    };
    let fits = |digits: usize, most: Option<u32>| most.is_none_or(|most| digits <= most as usize);
    fits(decimal.total_digits(), facets.total_digits)
        && fits(decimal.fraction_digits(), facets.fraction_digits)
}

/// Numbers to try, the most telling first.
fn numbers(builtin: Builtin, facets: &Facets, number: u32) -> Vec<String> {
    // Small enough for a byte.
    let n = number % 100 + 1;
    let mut all = Vec::new();
    if is_real(builtin) {
        all.push(format!("{n}.5"));
    }
    all.extend([
        n.to_string(),
        "1".into(),
        "0".into(),
        format!("-{n}"),
        "-1".into(),
        "0.5".into(),
        "-0.5".into(),
    ]);
    let step = |bound: &Option<Box<str>>, by: i128| {
        let bound = bound.as_ref()?.trim().split('.').next()?.parse::<i128>().ok()?;
        Some((bound + by).to_string())
    };
    all.extend(step(&facets.min_exclusive, 1));
    all.extend(step(&facets.max_exclusive, -1));
    let integers = |text: &String| !builtin.is_integer() || !text.contains('.');
    let range = |text: &String| fits_range(builtin, text);
    all.into_iter().filter(integers).filter(range).collect()
}

/// The signs that the built-in integers allow; their sizes all hold small numbers.
fn fits_range(builtin: Builtin, text: &str) -> bool {
    let derived = |from: Builtin| std::iter::successors(Some(builtin), |b| b.base()).any(|b| b == from);
    let negative = text.starts_with('-');
    match text {
        "0" => !derived(Builtin::PositiveInteger) && !derived(Builtin::NegativeInteger),
        _ => {
            !(negative && derived(Builtin::NonNegativeInteger))
                && (negative || !derived(Builtin::NonPositiveInteger))
        }
    }
}

fn moments(builtin: Builtin, number: u32) -> Vec<String> {
    let day = number % 28 + 1;
    let texts: &[&str] = match builtin {
        Builtin::DateTime => &["2024-05-DDT12:30:00Z", "2024-05-DDT12:30:00"],
        Builtin::Date => &["2024-05-DD", "2024-05-DDZ"],
        Builtin::Time => &["12:30:00", "12:30:00Z"],
        Builtin::GYearMonth => &["2024-05"],
        Builtin::GYear => &["2024"],
        Builtin::GMonthDay => &["--05-DD"],
        Builtin::GDay => &["---DD"],
        _ => &["--05"],
    };
    texts
        .iter()
        .map(|text| text.replace("DD", &format!("{day:02}")))
        .collect()
}

/// The least and the greatest length.
fn lengths(facets: &Facets) -> (u64, u64) {
    let least = facets.length.or(facets.min_length).unwrap_or(0).min(LENGTH_MAX);
    (
        least,
        facets
            .length
            .or(facets.max_length)
            .unwrap_or(LENGTH_MAX)
            .max(least),
    )
}

fn texts(builtin: Builtin, facets: &Facets, wish: Wish<'_>) -> String {
    let text = match builtin {
        Builtin::Language => "en".to_owned(),
        Builtin::AnyUri => format!("urn:{}", name(wish.name, wish.number)),
        _ => name(wish.name, wish.number),
    };
    let (least, most) = lengths(facets);
    let mut text: String = text
        .chars()
        .take(usize::try_from(most).unwrap_or(usize::MAX))
        .collect();
    let missing = usize::try_from(least)
        .unwrap_or(0)
        .saturating_sub(text.chars().count());
    text.extend(std::iter::repeat_n('x', missing));
    text
}

/// A text that says what it stands for and differs from the others: `city-3`. It is an NCName.
pub(super) fn name(field: &str, number: u32) -> String {
    let letters = field.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_');
    let mut text: String = letters.collect();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        text.insert(0, 'x');
    }
    format!("{text}-{number}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use castile_plan::Simple;

    fn sample(builtin: Builtin, facets: Facets) -> Option<Value> {
        let mut types = Types::new();
        let base = Some(builtin.into());
        types.simple.push(Simple {
            name: None,
            base,
            variety: Variety::Atomic(builtin),
            facets,
            doc: None,
        });
        types.seal().unwrap();
        let id = SimpleId(types.simple.len() as u32 - 1);
        scalar(
            &types,
            id,
            Wish {
                name: "city",
                number: 3,
                variant: 0,
            },
        )
    }

    #[test]
    fn bounds_are_respected() {
        let bounds = |min: &str, max: &str| Facets {
            min_inclusive: Some(min.into()),
            max_inclusive: Some(max.into()),
            ..Facets::default()
        };
        assert_eq!(
            sample(Builtin::Int, bounds("1000", "2000")),
            Some(Value::Int(1000))
        );
        assert_eq!(sample(Builtin::Int, bounds("-7", "-5")), Some(Value::Int(-7)));
        assert_eq!(
            sample(Builtin::Double, bounds("0", "1")),
            Some(Value::Double(1.0))
        );
        let after = Facets {
            min_exclusive: Some("41".into()),
            ..Facets::default()
        };
        assert_eq!(sample(Builtin::Short, after), Some(Value::Int(42)));
        assert_eq!(
            sample(Builtin::NegativeInteger, Facets::default()),
            Some(Value::Int(-4))
        );
        let whole = Facets {
            fraction_digits: Some(0),
            ..Facets::default()
        };
        assert_eq!(
            sample(Builtin::Decimal, whole),
            Some(Value::Decimal(Decimal::from(4i64)))
        );
    }

    #[test]
    fn lengths_and_patterns_are_respected() {
        let length = |n| Facets {
            length: Some(n),
            ..Facets::default()
        };
        assert_eq!(sample(Builtin::String, length(3)), Some("cit".into()));
        assert_eq!(sample(Builtin::Token, length(8)), Some("city-3xx".into()));
        let code = Facets {
            patterns: vec![r"[A-Z]{2}-\d{3}".into()],
            ..Facets::default()
        };
        assert_eq!(sample(Builtin::String, code), Some("AA-111".into()));
        let number = Facets {
            patterns: vec!["[1-9][0-9]{2}".into()],
            ..Facets::default()
        };
        assert_eq!(sample(Builtin::Int, number), Some(Value::Int(111)));
    }
}
