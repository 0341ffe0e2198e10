//! The built-in simple types of XSD 1.0 part 2.

use castile_value::{DType, DateTimeKind};
use serde::{Deserialize, Serialize};

macro_rules! builtins {
    ($($variant:ident $name:literal,)*) => {
        /// A built-in simple type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[repr(u32)]
        #[allow(missing_docs)] // the names are the documentation
        pub enum Builtin { $($variant,)* }

        impl Builtin {
            /// All built-in types; a type's place is its [`crate::SimpleId`] in every table.
            pub const ALL: &[Builtin] = &[$(Builtin::$variant,)*];

            /// The type's local name in the XML Schema namespace.
            pub const fn name(self) -> &'static str {
                match self { $(Builtin::$variant => $name,)* }
            }
        }
    };
}

builtins! {
    AnySimpleType "anySimpleType",
    String "string",
    NormalizedString "normalizedString",
    Token "token",
    Language "language",
    Name "Name",
    NCName "NCName",
    NmToken "NMTOKEN",
    NmTokens "NMTOKENS",
    Id "ID",
    IdRef "IDREF",
    IdRefs "IDREFS",
    Entity "ENTITY",
    Entities "ENTITIES",
    AnyUri "anyURI",
    Boolean "boolean",
    Float "float",
    Double "double",
    Decimal "decimal",
    Integer "integer",
    NonPositiveInteger "nonPositiveInteger",
    NegativeInteger "negativeInteger",
    NonNegativeInteger "nonNegativeInteger",
    PositiveInteger "positiveInteger",
    Long "long",
    Int "int",
    Short "short",
    Byte "byte",
    UnsignedLong "unsignedLong",
    UnsignedInt "unsignedInt",
    UnsignedShort "unsignedShort",
    UnsignedByte "unsignedByte",
    DateTime "dateTime",
    Date "date",
    Time "time",
    GYearMonth "gYearMonth",
    GYear "gYear",
    GMonthDay "gMonthDay",
    GDay "gDay",
    GMonth "gMonth",
    Duration "duration",
    Base64Binary "base64Binary",
    HexBinary "hexBinary",
    QName "QName",
    Notation "NOTATION",
}

impl Builtin {
    /// The built-in type of this local name.
    pub fn from_name(name: &str) -> Option<Builtin> {
        Builtin::ALL.iter().copied().find(|b| b.name() == name)
    }

    /// The machine type of the values, for those that have one. The unbounded integers and
    /// xsd:decimal have none.
    pub const fn dtype(self) -> Option<DType> {
        Some(match self {
            Builtin::Boolean => DType::Bool,
            Builtin::Float => DType::F32,
            Builtin::Double => DType::F64,
            Builtin::Long => DType::I64,
            Builtin::Int => DType::I32,
            Builtin::Short => DType::I16,
            Builtin::Byte => DType::I8,
            Builtin::UnsignedLong => DType::U64,
            Builtin::UnsignedInt => DType::U32,
            Builtin::UnsignedShort => DType::U16,
            Builtin::UnsignedByte => DType::U8,
            _ => return None,
        })
    }

    /// The item type of the three built-in list types.
    pub const fn item(self) -> Option<Builtin> {
        match self {
            Builtin::NmTokens => Some(Builtin::NmToken),
            Builtin::IdRefs => Some(Builtin::IdRef),
            Builtin::Entities => Some(Builtin::Entity),
            _ => None,
        }
    }

    /// The built-in type that this one is derived from; `None` for the root.
    pub const fn base(self) -> Option<Builtin> {
        use Builtin::*;
        Some(match self {
            AnySimpleType => return None,
            NormalizedString => String,
            Token => NormalizedString,
            Language | Name | NmToken => Token,
            NCName => Name,
            Id | IdRef | Entity => NCName,
            Integer => Decimal,
            NonPositiveInteger | Long | NonNegativeInteger => Integer,
            NegativeInteger => NonPositiveInteger,
            Int => Long,
            Short => Int,
            Byte => Short,
            PositiveInteger | UnsignedLong => NonNegativeInteger,
            UnsignedInt => UnsignedLong,
            UnsignedShort => UnsignedInt,
            UnsignedByte => UnsignedShort,
            _ => AnySimpleType,
        })
    }

    /// Which parts of a date and time it has; `None` for a type that is neither.
    pub fn date_time(self) -> Option<DateTimeKind> {
        Some(match self {
            Builtin::DateTime => DateTimeKind::DateTime,
            Builtin::Date => DateTimeKind::Date,
            Builtin::Time => DateTimeKind::Time,
            Builtin::GYearMonth => DateTimeKind::GYearMonth,
            Builtin::GYear => DateTimeKind::GYear,
            Builtin::GMonthDay => DateTimeKind::GMonthDay,
            Builtin::GDay => DateTimeKind::GDay,
            Builtin::GMonth => DateTimeKind::GMonth,
            _ => return None,
        })
    }

    /// Whether it is xsd:integer or derived from it.
    pub fn is_integer(self) -> bool {
        std::iter::successors(Some(self), |b| b.base()).any(|b| b == Builtin::Integer)
    }
}
