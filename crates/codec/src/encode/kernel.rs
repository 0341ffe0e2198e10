//! How the values of a column are written: [`Kernel`].

use castile_lexical as lexical;
use castile_plan::{Builtin, Range, SimpleId, Types};
use castile_value::{Column, DType, Scalar};
use castile_xml::NUMBER;

use super::EncodeOptions;
use crate::scalar::{builtin, range};

/// A way to write every value of a column without a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kernel {
    F64,
    F32,
    /// Floats as doubles of the same value.
    Widened,
    /// Doubles as floats of the same value.
    Narrowed,
    /// Doubles or floats with so many digits.
    Digits(DType, u8),
    I32,
    I64,
    U64,
    Bool,
    Small(DType),
}

/// Why there is no kernel.
pub(super) enum Refusal {
    /// The values have to be looked at one by one.
    Unknown,
    /// This text says which value cannot be written.
    Changes(String),
}

impl Kernel {
    /// For all values of a machine type, as they are.
    pub(super) fn exact(dtype: DType) -> Kernel {
        match dtype {
            DType::F64 => Kernel::F64,
            DType::F32 => Kernel::F32,
            DType::I32 => Kernel::I32,
            DType::I64 => Kernel::I64,
            DType::U64 => Kernel::U64,
            DType::Bool => Kernel::Bool,
            small => Kernel::Small(small),
        }
    }

    /// The kernel for a column of values of a simple type, all of which the type can hold.
    pub(super) fn new(
        types: &Types,
        id: SimpleId,
        column: &Column<'_>,
        options: &EncodeOptions,
    ) -> Result<Kernel, Refusal> {
        let dtype = column.dtype();
        let builtin = builtin(types, id).ok_or(Refusal::Unknown)?;
        if let Some(rules) = types.rules(id).filter(|_| options.strict) {
            let range = rules.range().ok_or(Refusal::Unknown)?;
            if !within(column, range) {
                return Err(Refusal::Unknown);
            }
        }
        Ok(match (builtin, dtype, options.digits) {
            (Builtin::Double, DType::F64 | DType::F32, Some(digits)) => Kernel::Digits(dtype, digits),
            (Builtin::Double, DType::F64, None) => Kernel::F64,
            (Builtin::Double, DType::F32, None) => Kernel::Widened,
            (Builtin::Float, DType::F32 | DType::F64, digits) => {
                narrows(column)?;
                match (dtype, digits.filter(|d| *d < 9)) {
                    (dtype, Some(digits)) => Kernel::Digits(dtype, digits),
                    (DType::F32, None) => Kernel::F32,
                    _ => Kernel::Narrowed,
                }
            }
            (Builtin::Boolean, DType::Bool, _) => Kernel::Bool,
            _ => Kernel::integers(builtin, column, options).ok_or(Refusal::Unknown)?,
        })
    }

    /// `None` when some value is none of the type, or perhaps none.
    fn integers(builtin: Builtin, column: &Column<'_>, options: &EncodeOptions) -> Option<Kernel> {
        let (least, greatest) = match builtin {
            // The integers that every one of these types has, written with all their digits.
            Builtin::Double if options.digits.is_none() => (-(1i128 << 53), 1i128 << 53),
            Builtin::Float if options.digits.is_none() => (-(1i128 << 24), 1i128 << 24),
            Builtin::Decimal => (i128::MIN, i128::MAX),
            _ => range(builtin)?,
        };
        let dtype = column.dtype();
        let (low, high, kernel): (i128, i128, Kernel) = match dtype {
            DType::I8 => (i8::MIN.into(), i8::MAX.into(), Kernel::Small(dtype)),
            DType::U8 => (0, u8::MAX.into(), Kernel::Small(dtype)),
            DType::I16 => (i16::MIN.into(), i16::MAX.into(), Kernel::Small(dtype)),
            DType::U16 => (0, u16::MAX.into(), Kernel::Small(dtype)),
            DType::I32 => (i32::MIN.into(), i32::MAX.into(), Kernel::I32),
            DType::U32 => (0, u32::MAX.into(), Kernel::Small(dtype)),
            DType::I64 => (i64::MIN.into(), i64::MAX.into(), Kernel::I64),
            DType::U64 => (0i128, u64::MAX.into(), Kernel::U64),
            _ => return None,
        };
        let always = least <= low && high <= greatest;
        (always || fits(column, least, greatest)).then_some(kernel)
    }

    /// The longest text of a value.
    pub(super) fn width_max(self) -> usize {
        let small = |dtype| match dtype {
            DType::I8 => "-128",
            DType::U8 => "255",
            DType::I16 => "-32768",
            DType::U16 => "65535",
            _ => "4294967295",
        };
        match self {
            Kernel::F64 | Kernel::Widened | Kernel::Digits(..) => lexical::F64_WIDTH_MAX,
            Kernel::F32 | Kernel::Narrowed => lexical::F32_WIDTH_MAX,
            Kernel::I32 => "-2147483648".len(),
            Kernel::I64 => "-9223372036854775808".len(),
            Kernel::U64 => "18446744073709551615".len(),
            Kernel::Bool => "false".len(),
            Kernel::Small(dtype) => small(dtype).len(),
        }
    }

    /// Writes value `i` of the column.
    #[inline(always)]
    pub(super) fn put(self, column: &Column<'_>, i: usize, out: &mut [u8; NUMBER]) -> usize {
        match self {
            Kernel::F64 => lexical::write_f64(f64::from_ne_bytes(column.bytes(i)), out),
            Kernel::I32 => lexical::write_i32(i32::from_ne_bytes(column.bytes(i)), out),
            Kernel::F32 => lexical::write_f32(f32::from_ne_bytes(column.bytes(i)), out),
            Kernel::I64 => lexical::write_i64(i64::from_ne_bytes(column.bytes(i)), out),
            Kernel::U64 => lexical::write_u64(u64::from_ne_bytes(column.bytes(i)), out),
            Kernel::Bool => lexical::write_bool(column.bytes::<1>(i)[0] != 0, out),
            Kernel::Widened => lexical::write_f64(f32::from_ne_bytes(column.bytes(i)).into(), out),
            Kernel::Narrowed => lexical::write_f32(f64::from_ne_bytes(column.bytes(i)) as f32, out),
            Kernel::Digits(DType::F32, digits) => {
                write_digits(f32::from_ne_bytes(column.bytes(i)).into(), digits, out)
            }
            Kernel::Digits(_, digits) => write_digits(f64::from_ne_bytes(column.bytes(i)), digits, out),
            Kernel::Small(DType::I8) => lexical::write_i64(i8::from_ne_bytes(column.bytes(i)).into(), out),
            Kernel::Small(DType::U8) => lexical::write_i64(u8::from_ne_bytes(column.bytes(i)).into(), out),
            Kernel::Small(DType::I16) => lexical::write_i64(i16::from_ne_bytes(column.bytes(i)).into(), out),
            Kernel::Small(DType::U16) => lexical::write_i64(u16::from_ne_bytes(column.bytes(i)).into(), out),
            Kernel::Small(_) => lexical::write_i64(u32::from_ne_bytes(column.bytes(i)).into(), out),
        }
    }
}

/// A double with few digits; at most 17 digits, a sign, a point, an exponent and four zeros.
fn write_digits(v: f64, digits: u8, out: &mut [u8; NUMBER]) -> usize {
    let mut text = Vec::with_capacity(NUMBER);
    lexical::format_f64_digits(v, digits, &mut text);
    let length = text.len().min(NUMBER);
    out[..length].copy_from_slice(&text[..length]);
    length
}

/// Whether no value of a column lies outside of what facets allow.
fn within(column: &Column<'_>, range: Range) -> bool {
    match (range, column.dtype()) {
        (Range::Integer(least, greatest), _) => fits(column, least, greatest),
        (Range::Float(least, greatest), DType::F64) => column.f64s().all(|v| (least..=greatest).contains(&v)),
        (Range::Float(..), _) => false,
    }
}

fn fits(column: &Column<'_>, least: i128, greatest: i128) -> bool {
    (0..column.len())
        .filter_map(|i| column.get(i))
        .all(|scalar| match scalar {
            Scalar::Int(v) => (least..=greatest).contains(&v.into()),
            Scalar::UInt(v) => (least..=greatest).contains(&v.into()),
            _ => false,
        })
}

/// An array converts only where no value changes: says which double would change as a float.
fn narrows(column: &Column<'_>) -> Result<(), Refusal> {
    let changes = |v: &f64| !v.is_nan() && f64::from(*v as f32) != *v;
    match column.f64s().enumerate().find(|(_, v)| changes(v)) {
        Some((i, v)) => {
            let at = i + 1;
            Err(Refusal::Changes(format!(
                "{v:?}, value {at} of an array of float64, is no float: convert the array"
            )))
        }
        None => Ok(()),
    }
}
