//! One value of a simple type.

use crate::{ColumnBuf, DateTime, Decimal, Duration};

/// A resolved qualified name as a value (XSD 1.0 part 2, 3.2.18).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct QName {
    /// Namespace URI; empty for no namespace.
    pub namespace: String,
    /// Local part.
    pub local: String,
}

/// One value of a simple type, its text and bytes borrowed where they can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// xsd:boolean
    Bool(bool),
    /// An integer that fits 64 signed bits.
    Int(i64),
    /// An integer that fits 64 unsigned bits.
    UInt(u64),
    /// xsd:float
    Float(f32),
    /// xsd:double
    Double(f64),
    /// xsd:decimal, or an integer of any length.
    Decimal(Decimal),
    /// xsd:string and every type that is text to a program.
    Text(std::borrow::Cow<'a, str>),
    /// xsd:base64Binary and xsd:hexBinary.
    Bytes(std::borrow::Cow<'a, [u8]>),
    /// xsd:dateTime, date, time and the g-types.
    DateTime(DateTime),
    /// xsd:duration
    Duration(Duration),
    /// xsd:QName and NOTATION, with the prefix resolved.
    QName(QName),
    /// A list type's items, except numbers.
    List(Vec<Scalar<'a>>),
    /// A list type's items when they are numbers.
    Numbers(ColumnBuf),
}

impl Scalar<'_> {
    /// What the value is, in words for messages, such as `text` or `a double`.
    pub fn kind(&self) -> &'static str {
        match self {
            Scalar::Bool(_) => "a boolean",
            Scalar::Int(_) | Scalar::UInt(_) => "an integer",
            Scalar::Float(_) => "a float",
            Scalar::Double(_) => "a double",
            Scalar::Decimal(_) => "a decimal",
            Scalar::Text(_) => "text",
            Scalar::Bytes(_) => "bytes",
            Scalar::DateTime(_) => "a date or time",
            Scalar::Duration(_) => "a duration",
            Scalar::QName(_) => "a qualified name",
            Scalar::List(_) => "a list",
            Scalar::Numbers(_) => "an array of numbers",
        }
    }

    /// The value with nothing borrowed.
    pub fn into_owned(self) -> Scalar<'static> {
        match self {
            Scalar::Text(text) => Scalar::Text(text.into_owned().into()),
            Scalar::Bytes(bytes) => Scalar::Bytes(bytes.into_owned().into()),
            Scalar::Bool(v) => Scalar::Bool(v),
            Scalar::Int(v) => Scalar::Int(v),
            Scalar::UInt(v) => Scalar::UInt(v),
            Scalar::Float(v) => Scalar::Float(v),
            Scalar::Double(v) => Scalar::Double(v),
            Scalar::Decimal(v) => Scalar::Decimal(v),
            Scalar::DateTime(v) => Scalar::DateTime(v),
            Scalar::Duration(v) => Scalar::Duration(v),
            Scalar::QName(v) => Scalar::QName(v),
            Scalar::List(v) => Scalar::List(v.into_iter().map(Scalar::into_owned).collect()),
            Scalar::Numbers(v) => Scalar::Numbers(v),
        }
    }
}

impl<'a> From<&'a str> for Scalar<'a> {
    fn from(text: &'a str) -> Self {
        Scalar::Text(text.into())
    }
}
