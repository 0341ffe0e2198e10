//! The texts of XSD's built-in simple types, read and written (XML Schema 1.0 Part 2).
//!
//! ```text
//!   bytes of a message                    scalars
//!   ------------------                    -------
//!   "1.5</x>"  -- prefix_f64 -->          (1.5, 3)      at the very start; None: look closer
//!   " 1.5 "    -- parse_f64  -->          1.5 or Error  the whole text, white space around it
//!   "1.5"      <-- format_f64 / write_f64 -- 1.5        to the end of a vector / into 32 bytes
//!
//!   xs:double xs:float xs:boolean         f64 f32 bool
//!   xs:long xs:int xs:short xs:byte       i64 i32 i16 i8
//!   xs:unsignedLong ... unsignedByte      u64 u32 u16 u8
//!   xs:decimal xs:integer and kin         Decimal       of any length
//!   xs:dateTime xs:date ... xs:gMonth     DateTime      eight kinds
//!   xs:duration                           Duration
//!   xs:base64Binary xs:hexBinary          Vec<u8>
//!   xs:Name xs:NCName xs:QName ...        is_name, is_ncname, split_qname, ...
//! ```
//!
//! Every job is a verb pair, parse and format; the caller allocates. Doubles and floats survive a
//! round trip bit for bit, any NaN as the quiet one. What a peer sends is never trusted: any bytes
//! give a value or an [`Error`], in time linear in their number.
//!
//! Not here: facets, lists and unions (a matter of the plan), escaping of markup (of `xml`),
//! positions and paths (of whoever holds the message), time zones by name, arithmetic.
//!
//! The fast conversions are others' work: `zmij` writes and `fast-float2` reads floating point,
//! `base64` has the vector code. Integers, and doubles of common sizes that are written, go eight digits at
//! a time in plain safe code, which measured faster than the crates for it.
//!
//! # Example
//!
//! ```
//! use castile_lexical::{format_f64, parse_f64, prefix_f64};
//!
//! let mut out = b"<t>".to_vec();
//! format_f64(-0.1, &mut out);
//! out.extend_from_slice(b"</t>");
//! assert_eq!(out, b"<t>-0.1</t>");
//!
//! assert_eq!(prefix_f64(&out[3..]), Some((-0.1, 4)));
//! assert_eq!(parse_f64(b" -1.0E-1\n"), Ok(-0.1));
//! assert_eq!(
//!     parse_f64(b"inf").unwrap_err().to_string(),
//!     "\"inf\" is not an xs:double: expected a decimal number with an optional exponent, INF, \
//!      -INF or NaN",
//! );
//! ```
#![forbid(unsafe_code)]

mod base64;
mod boolean;
mod datetime;
mod decimal;
mod digits;
mod duration;
mod error;
mod float;
mod fraction;
mod hex;
mod instant;
mod integer;
mod name;
mod order;
mod shortest;
mod space;

pub use crate::base64::{format_base64, parse_base64};
pub use boolean::{BOOL_WIDTH_MAX, format_bool, parse_bool, prefix_bool, write_bool};
pub use datetime::{DateTime, DateTimeKind};
pub use decimal::Decimal;
pub use digits::format_f64_digits;
pub use duration::Duration;
pub use error::Error;
pub use float::{
    F32_WIDTH_MAX, F64_WIDTH_MAX, format_f32, format_f64, parse_f32, parse_f64, prefix_f32, prefix_f64,
    write_f32, write_f64,
};
pub use hex::{format_hex, parse_hex};
pub use integer::*;
pub use name::{is_any_uri, is_language, is_name, is_ncname, is_nmtoken, split_qname};
pub use space::{collapse, is_xml_space, replace, trim};
