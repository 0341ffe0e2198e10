//! A scalar to text, by the simple type.

use castile_lexical as lexical;
use castile_plan::{Builtin, SimpleId, Types, Variety};
use castile_value::{DateTime, DateTimeKind, Decimal, Duration, QName, Scalar};

use super::{
    builtin, check_facets, check_name, is_text, name_check, parse, range, refused, spaced, white_space,
};
use crate::error::{Error, Guilty};

/// Where the text goes and how it is written.
#[derive(Clone, Copy)]
pub(crate) struct Context<'c> {
    /// Inside an attribute value, else element content.
    pub(crate) attribute: bool,
    /// Significant digits of doubles and floats; `None`: exact.
    pub(crate) digits: Option<u8>,
    /// Check facets and names.
    pub(crate) strict: bool,
    /// Namespaces declared for qualified names, under the prefixes `q` and a number, ascending.
    pub(crate) qnames: &'c [String],
    /// The number of the first one's prefix.
    pub(crate) qnames_first: u32,
}

/// The namespaces of the qualified names in a value, to be declared before it is written.
pub(crate) fn qname_uris(scalar: &Scalar<'_>) -> Vec<String> {
    match scalar {
        Scalar::QName(name) if !name.namespace.is_empty() => vec![name.namespace.clone()],
        Scalar::List(items) => items.iter().flat_map(qname_uris).collect(),
        _ => Vec::new(),
    }
}

/// Appends the text of a value, escaped.
pub(crate) fn format(
    types: &Types,
    id: SimpleId,
    scalar: &Scalar<'_>,
    context: Context<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let start = out.len();
    match &types.simple(id).variety {
        Variety::Atomic(builtin) => atomic(types, id, *builtin, scalar, context, out)?,
        Variety::List(item) => list(types, *item, scalar, context, out)?,
        Variety::Union(members) => union(types, id, members, scalar, context, out)?,
    }
    if context.strict && types.rules(id).is_some() {
        let Err(refusal) = check_written(types, id, scalar, &out[start..]) else {
            return Ok(());
        };
        let fitting =
            other_forms(types, id, &out[start..]).find(|form| check_written(types, id, scalar, form).is_ok());
        out.truncate(start);
        out.extend_from_slice(&fitting.ok_or(refusal)?);
    }
    Ok(())
}

/// Other texts of a number, which its type's pattern may ask for: with more zeros before it, and behind
/// its point.
fn other_forms(types: &Types, id: SimpleId, written: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    const ZEROS_MAX: usize = 20;
    let decimal = |b: Builtin| std::iter::successors(Some(b), |b| b.base()).any(|b| b == Builtin::Decimal);
    let number =
        builtin(types, id).is_some_and(|b| decimal(b) || matches!(b, Builtin::Double | Builtin::Float));
    let plain = number
        && written
            .iter()
            .all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'.'));
    let sign = usize::from(written.starts_with(b"-"));
    let (sign, digits) = written.split_at(sign);
    let fraction = if digits.contains(&b'.') { "" } else { "." };
    let (sign, digits) = (sign.to_vec(), digits.to_vec());
    let before = move |zeros: usize| [&sign[..], &b"0".repeat(zeros), &digits].concat();
    let both = (0..=ZEROS_MAX).flat_map(|behind| (0..=ZEROS_MAX).map(move |zeros| (zeros, behind)));
    both.skip(1)
        .filter(move |_| plain)
        .map(move |(zeros, behind)| match behind {
            0 => before(zeros),
            _ => [&before(zeros)[..], fraction.as_bytes(), &b"0".repeat(behind)].concat(),
        })
}

/// Checks facets by what was written: it has the one form that the value has as its type.
#[cold]
fn check_written(types: &Types, id: SimpleId, given: &Scalar<'_>, written: &[u8]) -> Result<(), Error> {
    let text = castile_xml::unescape(written);
    let text = spaced(white_space(types, id), text);
    let nothing = |_: &str| None;
    let read = match given {
        // The prefixes are declared elsewhere.
        Scalar::QName(_) => given.clone(),
        _ if !qname_uris(given).is_empty() => given.clone(),
        _ => parse(types, id, text.clone(), &nothing, false)?,
    };
    check_facets(types, id, &read, &text, Guilty::Caller)
}

fn union(
    types: &Types,
    id: SimpleId,
    members: &[SimpleId],
    scalar: &Scalar<'_>,
    context: Context<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let start = out.len();
    let strictest = Context {
        strict: true,
        ..context
    };
    for context in [strictest, context] {
        for &member in members {
            if format(types, member, scalar, context, out).is_ok() {
                return Ok(());
            }
            out.truncate(start);
        }
    }
    let why = format!("{} fits no member of the union", scalar.kind());
    Err(refused(types, id, Guilty::Caller, &why))
}

fn list(
    types: &Types,
    item: SimpleId,
    scalar: &Scalar<'_>,
    context: Context<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let one = |scalar: &Scalar<'_>, first: bool, out: &mut Vec<u8>| {
        if !first {
            out.push(b' ');
        }
        format(types, item, scalar, context, out)
    };
    match scalar {
        Scalar::List(items) => items.iter().enumerate().try_for_each(|(i, s)| {
            let no = |why: &str| refused(types, item, Guilty::Caller, why).within(format!("[{}]", i + 1));
            match s {
                // White space parts the items, so an item that has none or some would be no item.
                Scalar::Text(t) if !is_word(t) => Err(no(&format!("{t:?} is no item of a list"))),
                s => one(s, i == 0, out),
            }
        }),
        Scalar::Numbers(column) => {
            let view = column.view();
            (0..view.len())
                .filter_map(|i| Some((i, view.get(i)?)))
                .try_for_each(|(i, s)| one(&s, i == 0, out))
        }
        Scalar::Text(text) => {
            let words = text.split_ascii_whitespace().enumerate();
            words
                .into_iter()
                .try_for_each(|(i, word)| one(&Scalar::Text(word.into()), i == 0, out))
        }
        single => one(single, true, out),
    }
}

/// Whether text has something in it, and no white space but around it.
fn is_word(text: &str) -> bool {
    let text = lexical::trim(text.as_bytes());
    !text.is_empty() && !text.iter().any(|&b| lexical::is_xml_space(b))
}

fn atomic(
    types: &Types,
    id: SimpleId,
    builtin: Builtin,
    scalar: &Scalar<'_>,
    context: Context<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let bad = |e: lexical::Error| refused(types, id, Guilty::Caller, &e.to_string());
    let wrong = || refused(types, id, Guilty::Caller, &given(scalar));
    if is_text(builtin) {
        return text(types, id, builtin, scalar, context, out);
    }
    match builtin {
        Builtin::Boolean => lexical::format_bool(boolean(scalar).ok_or_else(wrong)?.map_err(bad)?, out),
        Builtin::Double => double(number(scalar).ok_or_else(wrong)?.map_err(bad)?, context, out),
        Builtin::Float => float(types, id, scalar, context, out)?,
        Builtin::Decimal => decimal(types, id, scalar, out)?,
        Builtin::Duration => match scalar {
            Scalar::Duration(v) => v.format(out),
            Scalar::Text(t) => Duration::parse(t.as_bytes()).map_err(bad)?.format(out),
            _ => return Err(wrong()),
        },
        Builtin::Base64Binary | Builtin::HexBinary => {
            binary(builtin, scalar, out).ok_or_else(wrong)?.map_err(bad)?
        }
        Builtin::QName | Builtin::Notation => qname(scalar, context, out).ok_or_else(wrong)?,
        _ => match builtin.date_time() {
            Some(kind) => moment(kind, scalar, out).ok_or_else(wrong)?.map_err(bad)?,
            None => integer(types, id, builtin, scalar, out)?,
        },
    }
    Ok(())
}

fn text(
    types: &Types,
    id: SimpleId,
    builtin: Builtin,
    scalar: &Scalar<'_>,
    context: Context<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let mut number = Vec::new();
    let text: &str = match scalar {
        Scalar::Text(text) => text,
        // Numbers are text to a type that says nothing of them: an id is often a string of digits.
        Scalar::Bool(v) => {
            if *v {
                "true"
            } else {
                "false"
            }
        }
        Scalar::Decimal(v) => v.as_str(),
        Scalar::Int(v) => digits(&mut number, |out| lexical::format_i64(*v, out)),
        Scalar::UInt(v) => digits(&mut number, |out| lexical::format_u64(*v, out)),
        Scalar::Double(v) => digits(&mut number, |out| lexical::format_f64(*v, out)),
        Scalar::Float(v) => digits(&mut number, |out| lexical::format_f32(*v, out)),
        Scalar::DateTime(v) => digits(&mut number, |out| v.format(out)),
        Scalar::Duration(v) => digits(&mut number, |out| v.format(out)),
        _ => {
            return Err(refused(types, id, Guilty::Caller, &given(scalar)));
        }
    };
    let is_checked = context.strict && name_check(builtin).is_some();
    if !is_checked && copy_short(text, context.attribute, out) {
        return Ok(());
    }
    castile_xml::check_text(text).map_err(|e| refused(types, id, Guilty::Caller, &e.to_string()))?;
    if is_checked {
        let seen = spaced(white_space(types, id), text.into());
        check_name(types, id, builtin, &seen, Guilty::Caller)?;
    }
    if context.attribute {
        castile_xml::escape_attribute(text, out);
    } else {
        castile_xml::escape_text(text, out);
    }
    Ok(())
}

/// Copies a short text that stands for itself; `false`, and nothing is copied, when it may not.
fn copy_short(text: &str, attribute: bool, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    if text.len() > SHORT || attribute && text.contains('"') {
        return false;
    }
    out.resize(start + text.len(), 0);
    let copied = castile_xml::copy_plain(text, &mut out[start..]);
    out.truncate(if copied { start + text.len() } else { start });
    copied
}

/// Bytes up to which looking at a text and copying it at once is cheaper than doing one after the other.
const SHORT: usize = 64;

/// What was given, with the value where that is a number.
fn given(scalar: &Scalar<'_>) -> String {
    let kind = scalar.kind();
    match scalar {
        Scalar::Int(v) => format!("{kind} given, {v}"),
        Scalar::UInt(v) => format!("{kind} given, {v}"),
        Scalar::Float(v) => format!("{kind} given, {v}"),
        Scalar::Double(v) => format!("{kind} given, {v}"),
        Scalar::Decimal(v) => format!("{kind} given, {}", v.as_str()),
        _ => format!("{kind} given"),
    }
}

/// Numbers and dates are ASCII.
fn digits(buffer: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> &str {
    write(buffer);
    std::str::from_utf8(buffer).unwrap_or_default()
}

fn boolean(scalar: &Scalar<'_>) -> Option<Result<bool, lexical::Error>> {
    match scalar {
        Scalar::Bool(v) => Some(Ok(*v)),
        Scalar::Int(v @ (0 | 1)) => Some(Ok(*v == 1)),
        Scalar::UInt(v @ (0 | 1)) => Some(Ok(*v == 1)),
        Scalar::Text(t) => Some(lexical::parse_bool(t.as_bytes())),
        _ => None,
    }
}

/// A double of equal value; integers only where the double is exact.
fn number(scalar: &Scalar<'_>) -> Option<Result<f64, lexical::Error>> {
    match scalar {
        Scalar::Double(v) => Some(Ok(*v)),
        Scalar::Float(v) => Some(Ok(f64::from(*v))),
        Scalar::Int(v) => Some(*v as f64).filter(|f| *f as i128 == i128::from(*v)).map(Ok),
        Scalar::UInt(v) => Some(*v as f64).filter(|f| *f as u128 == u128::from(*v)).map(Ok),
        Scalar::Decimal(v) => Some(Ok(v.to_f64())),
        Scalar::Text(t) => Some(lexical::parse_f64(t.as_bytes())),
        _ => None,
    }
}

fn double(v: f64, context: Context<'_>, out: &mut Vec<u8>) {
    match context.digits {
        Some(digits) => lexical::format_f64_digits(v, digits, out),
        None => lexical::format_f64(v, out),
    }
}

fn float(
    types: &Types,
    id: SimpleId,
    scalar: &Scalar<'_>,
    context: Context<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let no = |why: &str| refused(types, id, Guilty::Caller, why);
    let v = match scalar {
        Scalar::Float(v) => *v,
        other => {
            let wide = number(other).ok_or_else(|| no(&given(other)))?;
            let wide = wide.map_err(|e| no(&e.to_string()))?;
            let narrow = wide as f32;
            if narrow.is_infinite() && wide.is_finite() {
                return Err(no(&format!("{wide:e} is out of range")));
            }
            narrow
        }
    };
    match context.digits {
        Some(digits) if digits < 9 => lexical::format_f64_digits(f64::from(v), digits, out),
        _ => lexical::format_f32(v, out),
    }
    Ok(())
}

fn decimal(types: &Types, id: SimpleId, scalar: &Scalar<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
    let no = |why: &str| refused(types, id, Guilty::Caller, why);
    match scalar {
        Scalar::Decimal(v) => out.extend_from_slice(v.as_str().as_bytes()),
        Scalar::Int(v) => lexical::format_i64(*v, out),
        Scalar::UInt(v) => lexical::format_u64(*v, out),
        Scalar::Text(t) => {
            let v = Decimal::parse(t).map_err(|e| no(&e.to_string()))?;
            out.extend_from_slice(v.as_str().as_bytes());
        }
        // Positional digits, shortest that read back as the same double.
        Scalar::Double(v) if v.is_finite() => out.extend_from_slice(format!("{v}").as_bytes()),
        Scalar::Float(v) if v.is_finite() => out.extend_from_slice(format!("{v}").as_bytes()),
        _ => return Err(no(&given(scalar))),
    }
    Ok(())
}

fn integer(
    types: &Types,
    id: SimpleId,
    builtin: Builtin,
    scalar: &Scalar<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let no = |why: &str| refused(types, id, Guilty::Caller, why);
    let (least, greatest) = range(builtin).unwrap_or((i128::MIN, i128::MAX));
    let long = match scalar {
        Scalar::Decimal(v) => Some(v.clone()),
        Scalar::Text(t) => Some(Decimal::parse_integer(t).map_err(|e| no(&e.to_string()))?),
        _ => None,
    };
    let small: Option<i128> = match (scalar, &long) {
        (Scalar::Int(v), _) => Some((*v).into()),
        (Scalar::UInt(v), _) => Some((*v).into()),
        // The whole doubles below 2^63 are exactly integers.
        (Scalar::Double(v), _) if v.fract() == 0.0 && v.abs() < 9.3e18 => Some(*v as i128),
        (Scalar::Float(v), _) if v.fract() == 0.0 && v.abs() < 9.3e18 => Some(*v as i128),
        (_, Some(v)) if !v.is_integer() => return Err(no(&format!("{} is not whole", v.as_str()))),
        (_, Some(v)) => v.to_i64().map(i128::from).or(v.to_u64().map(i128::from)),
        _ => return Err(no(&given(scalar))),
    };
    match (small, long) {
        (Some(v), _) if (least..=greatest).contains(&v) => match i64::try_from(v) {
            Ok(v) => lexical::format_i64(v, out),
            Err(_) => lexical::format_u64(v as u64, out),
        },
        (Some(v), _) => return Err(no(&format!("{v} is out of range"))),
        (None, Some(v)) => {
            let open = if v.is_negative() {
                least == i128::MIN
            } else {
                greatest == i128::MAX
            };
            if !open {
                return Err(no(&format!("{} is out of range", v.as_str())));
            }
            out.extend_from_slice(v.as_str().as_bytes());
        }
        (None, None) => return Err(no(&given(scalar))),
    }
    Ok(())
}

fn binary(builtin: Builtin, scalar: &Scalar<'_>, out: &mut Vec<u8>) -> Option<Result<(), lexical::Error>> {
    let hex = builtin == Builtin::HexBinary;
    match scalar {
        Scalar::Bytes(bytes) if hex => lexical::format_hex(bytes, out),
        Scalar::Bytes(bytes) => lexical::format_base64(bytes, out),
        // Text is taken as the encoded form, which JSON has to use.
        Scalar::Text(text) => {
            let mut bytes = Vec::new();
            let parse = if hex {
                lexical::parse_hex
            } else {
                lexical::parse_base64
            };
            if let Err(e) = parse(text.as_bytes(), &mut bytes) {
                return Some(Err(e));
            }
            return binary(builtin, &Scalar::Bytes(bytes.into()), out);
        }
        _ => return None,
    }
    Some(Ok(()))
}

fn qname(scalar: &Scalar<'_>, context: Context<'_>, out: &mut Vec<u8>) -> Option<()> {
    let Scalar::QName(QName { namespace, local }) = scalar else {
        return None;
    };
    if !namespace.is_empty() {
        let number = context.qnames.iter().position(|uri| uri == namespace)? + context.qnames_first as usize;
        out.extend_from_slice(format!("q{number}:").as_bytes());
    }
    if !lexical::is_ncname(local) {
        return None;
    }
    out.extend_from_slice(local.as_bytes());
    Some(())
}

fn moment(kind: DateTimeKind, scalar: &Scalar<'_>, out: &mut Vec<u8>) -> Option<Result<(), lexical::Error>> {
    let parsed = match scalar {
        Scalar::DateTime(v) if v.kind == kind => v.check().map(|()| *v),
        Scalar::Text(t) => DateTime::parse(kind, t.as_bytes()),
        Scalar::Int(v) => DateTime::parse(kind, number_of(kind, *v)?.as_bytes()),
        _ => return None,
    };
    Some(parsed.map(|v| v.format(out)))
}

/// The text of a year, month or day that is given as its number.
fn number_of(kind: DateTimeKind, v: i64) -> Option<String> {
    match kind {
        DateTimeKind::GYear if v < 0 => Some(format!("-{:04}", v.unsigned_abs())),
        DateTimeKind::GYear => Some(format!("{v:04}")),
        DateTimeKind::GMonth => Some(format!("--{v:02}")),
        DateTimeKind::GDay => Some(format!("---{v:02}")),
        _ => None,
    }
}
