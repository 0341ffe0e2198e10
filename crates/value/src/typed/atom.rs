//! Values of simple types that are no numbers with a machine type.

use super::{Input, Mismatch, Single};
use crate::{DateTime, Decimal, Duration, Item, QName, Scalar};

impl Single for String {
    #[inline]
    fn item(&self) -> Item<'_> {
        Item::Scalar(Scalar::Text(self.as_str().into()))
    }

    #[inline]
    fn take(input: Input<'_, '_>) -> Result<Self, Mismatch> {
        match input {
            Input::Scalar(Scalar::Text(text)) => Ok(text.into_owned()),
            other => Err(other.refuse("text")),
        }
    }

    fn extend(many: &mut Vec<Self>, input: Input<'_, '_>) -> Result<(), Mismatch> {
        match input {
            Input::Texts(texts) => many.extend(texts.iter().map(|text| (*text).to_owned())),
            Input::Scalar(Scalar::List(list)) => {
                for scalar in list {
                    many.push(Self::take(Input::Scalar(scalar))?);
                }
            }
            one => many.push(Self::take(one)?),
        }
        Ok(())
    }

    fn strings(many: &[Self]) -> Option<&[String]> {
        Some(many)
    }
}

impl Single for Decimal {
    fn item(&self) -> Item<'_> {
        Item::Scalar(Scalar::Decimal(self.clone()))
    }

    fn take(input: Input<'_, '_>) -> Result<Self, Mismatch> {
        match input {
            Input::Scalar(Scalar::Decimal(v)) => Ok(v),
            Input::Scalar(Scalar::Int(v)) => Ok(v.into()),
            Input::Scalar(Scalar::UInt(v)) => Ok(v.into()),
            other => Err(other.refuse("a decimal")),
        }
    }
}

macro_rules! single {
    ($($type:ty, $variant:ident, $get:ident, $words:literal;)*) => {
        $(impl Single for $type {
            fn item(&self) -> Item<'_> {
                Item::Scalar(Scalar::$variant(self.$get()))
            }

            fn take(input: Input<'_, '_>) -> Result<Self, Mismatch> {
                match input {
                    Input::Scalar(Scalar::$variant(v)) => Ok(v),
                    other => Err(other.refuse($words)),
                }
            }
        })*
    };
}

single! {
    DateTime, DateTime, clone, "a date or time";
    Duration, Duration, clone, "a duration";
    QName, QName, clone, "a qualified name";
}
