//! XSD text to and from scalars: numbers, dates, base64, hex
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
mod integer;
mod name;
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
