//! Text to a scalar, by the simple type.

use std::borrow::Cow;

use castile_lexical as lexical;
use castile_plan::{Builtin, SimpleId, Types, Variety};
use castile_value::{ColumnBuf, DType, DateTime, DateTimeKind, Decimal, Duration, QName, Scalar};

use super::{builtin, check_facets, check_name, is_text, range, refused, spaced, white_space};
use crate::error::{Error, Guilty};

/// Gives the namespace of a prefix in scope; empty prefix: the default namespace.
pub(crate) type Resolve<'r> = &'r dyn Fn(&str) -> Option<String>;

/// The value of a text. `strict` also checks facets and names.
pub(crate) fn parse<'a>(
    types: &Types,
    id: SimpleId,
    text: Cow<'a, str>,
    resolve: Resolve<'_>,
    strict: bool,
) -> Result<Scalar<'a>, Error> {
    match &types.simple(id).variety {
        Variety::Atomic(builtin) if strict => checked(types, id, *builtin, text, resolve),
        Variety::Atomic(builtin) => atomic(types, id, *builtin, text, resolve),
        Variety::List(item) => {
            let scalar = list(types, *item, &text, resolve, strict)?;
            if strict {
                check_facets(types, id, &scalar, &lexical::collapse(&text), Guilty::Peer)?;
            }
            Ok(scalar)
        }
        Variety::Union(members) => union(types, id, members, text, resolve, strict),
    }
}

fn checked<'a>(
    types: &Types,
    id: SimpleId,
    builtin: Builtin,
    text: Cow<'a, str>,
    resolve: Resolve<'_>,
) -> Result<Scalar<'a>, Error> {
    let kept =
        (types.rules(id).is_some() && !is_text(builtin)).then(|| lexical::collapse(&text).into_owned());
    let scalar = atomic(types, id, builtin, text, resolve)?;
    match (&scalar, &kept) {
        (Scalar::Text(text), _) => {
            check_name(types, id, builtin, text, Guilty::Peer)?;
            check_facets(types, id, &scalar, text, Guilty::Peer)?;
        }
        (_, Some(text)) => check_facets(types, id, &scalar, text, Guilty::Peer)?,
        _ => {}
    }
    Ok(scalar)
}

/// The first member that the text fits. Facets decide between members even when nobody asked for
/// strictness, unless no member is left then.
fn union<'a>(
    types: &Types,
    id: SimpleId,
    members: &[SimpleId],
    text: Cow<'a, str>,
    resolve: Resolve<'_>,
    strict: bool,
) -> Result<Scalar<'a>, Error> {
    let first = |strict: bool| {
        let mut each = members
            .iter()
            .map(|&member| parse(types, member, text.clone(), resolve, strict));
        each.find_map(Result::ok)
    };
    match first(true).or_else(|| first(false).filter(|_| !strict)) {
        Some(scalar) => {
            if strict {
                check_facets(types, id, &scalar, &text, Guilty::Peer)?;
            }
            Ok(scalar)
        }
        None => {
            let why = format!("{:?} fits no member of the union", &*text);
            Err(refused(types, id, Guilty::Peer, &why))
        }
    }
}

/// The value of a text that stands in the contract: a default or fixed value. Qualified names are
/// `{namespace}local` there.
pub(crate) fn parse_contract(types: &Types, id: SimpleId, text: &str) -> Result<Scalar<'static>, Error> {
    if let Some((namespace, local)) = text.strip_prefix('{').and_then(|rest| rest.rsplit_once('}'))
        && matches!(builtin(types, id), Some(Builtin::QName | Builtin::Notation))
    {
        return Ok(Scalar::QName(self::QName {
            namespace: namespace.to_owned(),
            local: local.to_owned(),
        }));
    }
    let value = parse(types, id, Cow::Owned(text.to_owned()), &|_| None, false);
    value.map_err(|e| e.blame(Guilty::Contract))
}

fn list(
    types: &Types,
    item: SimpleId,
    text: &str,
    resolve: Resolve<'_>,
    strict: bool,
) -> Result<Scalar<'static>, Error> {
    let items = text.split([' ', '\t', '\n', '\r']).filter(|t| !t.is_empty());
    if let Some(dtype) = types.dtype(item) {
        let mut column = ColumnBuf::new(dtype);
        for text in items {
            let scalar = parse(types, item, Cow::Borrowed(text), resolve, strict)?;
            push(&mut column, &scalar);
        }
        return Ok(Scalar::Numbers(column));
    }
    let items = items.map(|t| parse(types, item, Cow::Owned(t.to_owned()), resolve, strict));
    Ok(Scalar::List(items.collect::<Result<_, _>>()?))
}

/// Appends a number that was parsed for the column's machine type.
pub(crate) fn push(column: &mut ColumnBuf, scalar: &Scalar<'_>) {
    match (column, scalar) {
        (ColumnBuf::Bool(c), Scalar::Bool(v)) => c.push(*v),
        (ColumnBuf::F64(c), Scalar::Double(v)) => c.push(*v),
        (ColumnBuf::F32(c), Scalar::Float(v)) => c.push(*v),
        (ColumnBuf::I8(c), Scalar::Int(v)) => c.push(*v as i8),
        (ColumnBuf::U8(c), Scalar::Int(v)) => c.push(*v as u8),
        (ColumnBuf::I16(c), Scalar::Int(v)) => c.push(*v as i16),
        (ColumnBuf::U16(c), Scalar::Int(v)) => c.push(*v as u16),
        (ColumnBuf::I32(c), Scalar::Int(v)) => c.push(*v as i32),
        (ColumnBuf::U32(c), Scalar::Int(v)) => c.push(*v as u32),
        (ColumnBuf::I64(c), Scalar::Int(v)) => c.push(*v),
        (ColumnBuf::U64(c), Scalar::UInt(v)) => c.push(*v),
        (ColumnBuf::U64(c), Scalar::Int(v)) => c.push(*v as u64),
        _ => debug_assert!(false, "a parsed number fits the machine type of its own type"),
    }
}

/// Appends a number's bytes to a packed row.
pub(crate) fn push_bytes(row: &mut Vec<u8>, dtype: DType, scalar: &Scalar<'_>) -> bool {
    let Some(bytes) = packed(dtype, scalar) else {
        return false;
    };
    match dtype.size() {
        8 => row.extend_from_slice(&bytes),
        size => row.extend_from_slice(&bytes[..size]),
    }
    true
}

/// A number's bytes in a packed row: the first as many as its machine type has.
#[inline]
pub(crate) fn packed(dtype: DType, scalar: &Scalar<'_>) -> Option<[u8; 8]> {
    let (float, int) = match *scalar {
        Scalar::Double(v) => (v, 0),
        Scalar::Float(v) => (f64::from(v), 0),
        Scalar::Int(v) => (0.0, v),
        Scalar::UInt(v) => (0.0, v as i64),
        Scalar::Bool(v) => (0.0, v.into()),
        _ => return None,
    };
    Some(match (dtype, scalar) {
        (DType::F64, _) => float.to_ne_bytes(),
        (DType::F32, Scalar::Float(v)) => wide(v.to_ne_bytes()),
        (DType::F32, _) => return None,
        (DType::Bool | DType::U8, _) => wide([int as u8]),
        (DType::I8, _) => wide((int as i8).to_ne_bytes()),
        (DType::I16, _) => wide((int as i16).to_ne_bytes()),
        (DType::U16, _) => wide((int as u16).to_ne_bytes()),
        (DType::I32, _) => wide((int as i32).to_ne_bytes()),
        (DType::U32, _) => wide((int as u32).to_ne_bytes()),
        (DType::I64 | DType::U64, _) => int.to_ne_bytes(),
    })
}

fn wide<const N: usize>(bytes: [u8; N]) -> [u8; 8] {
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(&bytes);
    wide
}

fn atomic<'a>(
    types: &Types,
    id: SimpleId,
    builtin: Builtin,
    text: Cow<'a, str>,
    resolve: Resolve<'_>,
) -> Result<Scalar<'a>, Error> {
    let bytes = text.as_bytes();
    let bad = |e: lexical::Error| refused(types, id, Guilty::Peer, &e.to_string());
    use Builtin::*;
    Ok(match builtin {
        Boolean => Scalar::Bool(lexical::parse_bool(bytes).map_err(bad)?),
        Double => Scalar::Double(lexical::parse_f64(bytes).map_err(bad)?),
        Float => Scalar::Float(lexical::parse_f32(bytes).map_err(bad)?),
        Decimal => Scalar::Decimal(castile_value::Decimal::parse(&text).map_err(bad)?),
        DateTime => moment(DateTimeKind::DateTime, bytes).map_err(bad)?,
        Date => moment(DateTimeKind::Date, bytes).map_err(bad)?,
        Time => moment(DateTimeKind::Time, bytes).map_err(bad)?,
        GYearMonth => moment(DateTimeKind::GYearMonth, bytes).map_err(bad)?,
        GYear => moment(DateTimeKind::GYear, bytes).map_err(bad)?,
        GMonthDay => moment(DateTimeKind::GMonthDay, bytes).map_err(bad)?,
        GDay => moment(DateTimeKind::GDay, bytes).map_err(bad)?,
        GMonth => moment(DateTimeKind::GMonth, bytes).map_err(bad)?,
        Duration => Scalar::Duration(self::Duration::parse(bytes).map_err(bad)?),
        Base64Binary => binary(lexical::parse_base64, bytes).map_err(bad)?,
        HexBinary => binary(lexical::parse_hex, bytes).map_err(bad)?,
        QName | Notation => qname(types, id, &text, resolve)?,
        _ if is_text(builtin) => Scalar::Text(spaced(white_space(types, id), text)),
        _ => integer(types, id, builtin, &text)?,
    })
}

fn moment(kind: DateTimeKind, text: &[u8]) -> Result<Scalar<'static>, lexical::Error> {
    DateTime::parse(kind, text).map(Scalar::DateTime)
}

fn binary(
    parse: fn(&[u8], &mut Vec<u8>) -> Result<(), lexical::Error>,
    text: &[u8],
) -> Result<Scalar<'static>, lexical::Error> {
    let mut out = Vec::new();
    parse(text, &mut out)?;
    Ok(Scalar::Bytes(out.into()))
}

fn integer(types: &Types, id: SimpleId, builtin: Builtin, text: &str) -> Result<Scalar<'static>, Error> {
    let (least, greatest) = range(builtin).unwrap_or((i128::MIN, i128::MAX));
    let bad = |e: lexical::Error| refused(types, id, Guilty::Peer, &e.to_string());
    let out = || {
        refused(
            types,
            id,
            Guilty::Peer,
            &format!("{:?} is out of range", text.trim()),
        )
    };
    if let Ok(v) = lexical::parse_i64(text.as_bytes()) {
        let fits = (least..=greatest).contains(&v.into());
        return if fits { Ok(Scalar::Int(v)) } else { Err(out()) };
    }
    let long = Decimal::parse_integer(text).map_err(bad)?;
    let negative = long.is_negative();
    match long.to_u64() {
        Some(v) if i128::from(v) <= greatest => Ok(Scalar::UInt(v)),
        None if negative && least == i128::MIN || !negative && greatest == i128::MAX => {
            Ok(Scalar::Decimal(long))
        }
        _ => Err(out()),
    }
}

fn qname(types: &Types, id: SimpleId, text: &str, resolve: Resolve<'_>) -> Result<Scalar<'static>, Error> {
    let trimmed = lexical::collapse(text);
    let no = |why: &str| refused(types, id, Guilty::Peer, &format!("{:?} {why}", &*trimmed));
    let (prefix, local) = lexical::split_qname(&trimmed).ok_or_else(|| no("is no qualified name"))?;
    let namespace = match prefix {
        Some(prefix) => resolve(prefix).ok_or_else(|| no("has a prefix that is not declared"))?,
        None => resolve("").unwrap_or_default(),
    };
    Ok(Scalar::QName(self::QName {
        namespace,
        local: local.to_owned(),
    }))
}
