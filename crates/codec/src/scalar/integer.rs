//! The ranges of the integer types.

use castile_plan::Builtin;

/// The least and greatest value of a bounded or half-bounded integer type; `None` for other types.
/// An open end is the end of `i128`, which no 64-bit value reaches.
pub(crate) fn range(builtin: Builtin) -> Option<(i128, i128)> {
    use Builtin::*;
    Some(match builtin {
        Integer => (i128::MIN, i128::MAX),
        NonPositiveInteger => (i128::MIN, 0),
        NegativeInteger => (i128::MIN, -1),
        NonNegativeInteger => (0, i128::MAX),
        PositiveInteger => (1, i128::MAX),
        Long => (i64::MIN as i128, i64::MAX as i128),
        Int => (i32::MIN as i128, i32::MAX as i128),
        Short => (i16::MIN as i128, i16::MAX as i128),
        Byte => (i8::MIN as i128, i8::MAX as i128),
        UnsignedLong => (0, u64::MAX as i128),
        UnsignedInt => (0, u32::MAX as i128),
        UnsignedShort => (0, u16::MAX as i128),
        UnsignedByte => (0, u8::MAX as i128),
        _ => return None,
    })
}
