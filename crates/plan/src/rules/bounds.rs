//! `minInclusive` and its like: the order of values.

use std::cmp::Ordering;

use castile_lexical as lexical;
use castile_value::{Decimal, Duration, Scalar};

use crate::{Builtin, Facets};

/// The values between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Of an integer type; both ends belong to it. An open end is the end of `i128`.
    Integer(i128, i128),
    /// Of a double or float; both ends belong to it, NaN does not.
    Float(f64, f64),
}

/// The bounds of a type's values.
#[derive(Debug)]
pub(super) struct Bounds {
    kind: Option<Builtin>,
    least: Option<Bound>,
    greatest: Option<Bound>,
}

#[derive(Debug)]
struct Bound {
    value: Scalar<'static>,
    inclusive: bool,
    /// As it stands in the schema.
    text: Box<str>,
}

impl Bounds {
    pub(super) fn new(kind: Option<Builtin>, facets: &Facets) -> Bounds {
        let bound = |inclusive: &Option<Box<str>>, exclusive: &Option<Box<str>>| {
            let (text, inclusive) = match (inclusive, exclusive) {
                (Some(text), _) => (text, true),
                (None, Some(text)) => (text, false),
                (None, None) => return None,
            };
            Some(Bound {
                value: value(kind?, text)?,
                inclusive,
                text: text.clone(),
            })
        };
        Bounds {
            kind,
            least: bound(&facets.min_inclusive, &facets.min_exclusive),
            greatest: bound(&facets.max_inclusive, &facets.max_exclusive),
        }
    }

    /// The same for machine numbers.
    pub(super) fn range(&self) -> Option<Range> {
        self.kind?.dtype()?;
        let ends = (self.least.as_ref(), self.greatest.as_ref());
        match self.kind? {
            Builtin::Boolean => None,
            Builtin::Float | Builtin::Double => {
                let least = ends
                    .0
                    .map_or(Some(f64::NEG_INFINITY), |b| b.float(f64::next_up))?;
                let greatest = ends.1.map_or(Some(f64::INFINITY), |b| b.float(f64::next_down))?;
                Some(Range::Float(least, greatest))
            }
            _ => {
                let least = ends.0.map_or(Some(i128::MIN), |b| b.integer(1))?;
                let greatest = ends.1.map_or(Some(i128::MAX), |b| b.integer(-1))?;
                Some(Range::Integer(least, greatest))
            }
        }
    }

    pub(super) fn check(&self, value: &Scalar<'_>, text: &str) -> Result<(), String> {
        let fits = |bound: &Bound, beyond: Ordering| match compare(value, &bound.value) {
            Some(Ordering::Equal) => bound.inclusive,
            Some(order) => order == beyond,
            None => false,
        };
        let wrong = |words: [&str; 2], bound: &Bound| {
            let word = words[usize::from(bound.inclusive)];
            Err(format!("{text} is not {word} {}", bound.text))
        };
        if let Some(least) = self.least.as_ref().filter(|b| !fits(b, Ordering::Greater)) {
            return wrong(["greater than", "at least"], least);
        }
        match self.greatest.as_ref().filter(|b| !fits(b, Ordering::Less)) {
            Some(greatest) => wrong(["less than", "at most"], greatest),
            None => Ok(()),
        }
    }
}

impl Bound {
    fn integer(&self, step: i128) -> Option<i128> {
        let value: i128 = match &self.value {
            Scalar::Int(v) => (*v).into(),
            Scalar::UInt(v) => (*v).into(),
            _ => return None,
        };
        Some(if self.inclusive { value } else { value + step })
    }

    fn float(&self, next: fn(f64) -> f64) -> Option<f64> {
        let value = match self.value {
            Scalar::Double(v) => v,
            // The next double is no float, so no float lies between the two.
            Scalar::Float(v) => v.into(),
            _ => return None,
        };
        Some(if self.inclusive { value } else { next(value) })
    }
}

/// The value of a text in a schema; `None` for text, names and what is no text of the type.
pub(super) fn value(builtin: Builtin, text: &str) -> Option<Scalar<'static>> {
    use Builtin::*;
    let bytes = text.as_bytes();
    Some(match builtin {
        Boolean => Scalar::Bool(lexical::parse_bool(bytes).ok()?),
        Double => Scalar::Double(lexical::parse_f64(bytes).ok()?),
        Float => Scalar::Float(lexical::parse_f32(bytes).ok()?),
        Duration => Scalar::Duration(self::Duration::parse(bytes).ok()?),
        Base64Binary | HexBinary => {
            let parse = if builtin == HexBinary {
                lexical::parse_hex
            } else {
                lexical::parse_base64
            };
            let mut out = Vec::new();
            parse(bytes, &mut out).ok()?;
            Scalar::Bytes(out.into())
        }
        Decimal => number(text)?,
        _ if builtin.is_integer() => number(text)?,
        _ => Scalar::DateTime(castile_value::DateTime::parse(builtin.date_time()?, bytes).ok()?),
    })
}

/// A number, in the smallest form.
fn number(text: &str) -> Option<Scalar<'static>> {
    if let Ok(v) = lexical::parse_i64(text.as_bytes()) {
        return Some(Scalar::Int(v));
    }
    let long = Decimal::parse(text).ok()?;
    Some(match (long.to_i64(), long.to_u64()) {
        (Some(v), _) => Scalar::Int(v),
        (_, Some(v)) => Scalar::UInt(v),
        _ => Scalar::Decimal(long),
    })
}

/// Whether two values of one type are the same value.
pub(super) fn equal(a: &Scalar<'_>, b: &Scalar<'_>) -> bool {
    let nan = |v: &Scalar<'_>| match v {
        Scalar::Double(v) => v.is_nan(),
        Scalar::Float(v) => v.is_nan(),
        _ => false,
    };
    a == b || compare(a, b) == Some(Ordering::Equal) || nan(a) && nan(b)
}

fn compare(a: &Scalar<'_>, b: &Scalar<'_>) -> Option<Ordering> {
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => Some(a.cmp(b)),
        (Scalar::Double(a), Scalar::Double(b)) => a.partial_cmp(b),
        (Scalar::Float(a), Scalar::Float(b)) => a.partial_cmp(b),
        (Scalar::DateTime(a), Scalar::DateTime(b)) => a.compare(b),
        (Scalar::Duration(a), Scalar::Duration(b)) => a.compare(b),
        _ => Some(exact(a)?.cmp(&exact(b)?)),
    }
}

fn exact(scalar: &Scalar<'_>) -> Option<Decimal> {
    match scalar {
        Scalar::Decimal(v) => Some(v.clone()),
        Scalar::Int(v) => Decimal::parse(&v.to_string()).ok(),
        Scalar::UInt(v) => Decimal::parse(&v.to_string()).ok(),
        _ => None,
    }
}
