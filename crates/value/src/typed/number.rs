//! Numbers and booleans: whole arrays of them move as columns.

use super::{Input, Mismatch, Single};
use crate::{Column, ColumnBuf, DType, Item, Scalar};

/// The number of a scalar; `None` when it does not fit.
trait Number: Sized {
    fn number(scalar: &Scalar<'_>) -> Option<Self>;
}

macro_rules! integers {
    ($($type:ty)*) => {
        $(impl Number for $type {
            #[inline]
            fn number(scalar: &Scalar<'_>) -> Option<Self> {
                match scalar {
                    Scalar::Int(v) => Self::try_from(*v).ok(),
                    Scalar::UInt(v) => Self::try_from(*v).ok(),
                    _ => None,
                }
            }
        })*
    };
}

integers! { i8 u8 i16 u16 i32 u32 i64 u64 }

impl Number for f64 {
    #[inline]
    fn number(scalar: &Scalar<'_>) -> Option<Self> {
        match scalar {
            Scalar::Double(v) => Some(*v),
            Scalar::Float(v) => Some((*v).into()),
            _ => None,
        }
    }
}

impl Number for f32 {
    #[inline]
    fn number(scalar: &Scalar<'_>) -> Option<Self> {
        match scalar {
            Scalar::Float(v) => Some(*v),
            _ => None,
        }
    }
}

impl Number for bool {
    #[inline]
    fn number(scalar: &Scalar<'_>) -> Option<Self> {
        match scalar {
            Scalar::Bool(v) => Some(*v),
            _ => None,
        }
    }
}

macro_rules! numbers {
    ($($type:ty, $dtype:ident, $scalar:ident($widen:ty), $words:literal;)*) => {
        $(impl Single for $type {
            #[inline]
            fn item(&self) -> Item<'_> {
                Item::Scalar(Scalar::$scalar(<$widen>::from(*self)))
            }

            #[inline]
            fn take(input: Input<'_, '_>) -> Result<Self, Mismatch> {
                let number = match &input {
                    Input::Scalar(scalar) => <$type as Number>::number(scalar),
                    _ => None,
                };
                number.ok_or_else(|| input.refuse($words))
            }

            fn items(many: &Vec<Self>) -> Item<'_> {
                let column = Column::new(bytemuck::cast_slice(many), size_of::<$type>(), DType::$dtype, many.len());
                column.map_or(Item::Items(many), Item::Column)
            }

            fn extend(many: &mut Vec<Self>, input: Input<'_, '_>) -> Result<(), Mismatch> {
                match input {
                    Input::Column(ColumnBuf::$dtype(column)) if many.is_empty() => *many = column,
                    Input::Column(ColumnBuf::$dtype(column)) => many.extend(column),
                    Input::Column(column) => {
                        for scalar in (0..column.len()).filter_map(|i| column.get(i)) {
                            many.push(Self::take(Input::Scalar(scalar))?);
                        }
                    }
                    Input::Scalar(Scalar::Numbers(column)) => Self::extend(many, Input::Column(column))?,
                    Input::Scalar(Scalar::List(list)) => {
                        for scalar in list {
                            many.push(Self::take(Input::Scalar(scalar))?);
                        }
                    }
                    one => many.push(Self::take(one)?),
                }
                Ok(())
            }
        })*
    };
}

numbers! {
    bool, Bool, Bool(bool), "a boolean";
    i8, I8, Int(i64), "a byte";
    u8, U8, Int(i64), "an unsigned byte";
    i16, I16, Int(i64), "a short integer";
    u16, U16, Int(i64), "an unsigned short integer";
    i32, I32, Int(i64), "an integer of 32 bits";
    u32, U32, Int(i64), "an unsigned integer of 32 bits";
    i64, I64, Int(i64), "an integer of 64 bits";
    u64, U64, UInt(u64), "an unsigned integer of 64 bits";
    f32, F32, Float(f32), "a float";
    f64, F64, Double(f64), "a double";
}
