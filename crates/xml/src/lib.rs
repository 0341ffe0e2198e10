//! XML 1.0 with namespaces, as a pull reader over complete UTF-8 text or over bytes as they come, and what
//! goes with it: limits, exact positions, escaping, transcoding.
//!
//! Not here: DTDs (refused, or passed over without being obeyed), validity, trees, XML 1.1 beyond
//! reading a document that names a version 1.x as 1.0. Names follow the fifth edition.
//!
//! ```text
//!  bytes --to_utf8--> text --Reader::next--> Start Text End ... Eof
//!                      |            |
//!                      |            +-- skip_to, skip_element, capture --> Fragment
//!                      +-- position, token_start: byte offsets into it
//!
//!  bytes, piece by piece --Feed::push--> Feed --read--> Window --next--> Start Text End ...
//!
//!  bytes and those of an earlier document --common_prefix, realign--> where they differ
//!
//!  text like earlier texts --Delta::read--> DeltaReader --next--> Start Text End ...
//! ```
//!
//! ```
//! use castile_xml::{Reader, Token, to_utf8};
//! # fn main() -> Result<(), castile_xml::Error> {
//! let text = to_utf8(b"<sum xmlns='urn:calc'><n>1</n><n>2</n></sum>", Some("utf-8"))?;
//! let mut reader = Reader::new(&text);
//! let mut numbers = Vec::new();
//! loop {
//!     match reader.next()? {
//!         Token::Text(text) => numbers.push(text),
//!         Token::Eof => break,
//!         _ => {}
//!     }
//! }
//! assert_eq!(numbers, ["1", "2"]);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod chars;
mod compare;
mod cursor;
mod delta;
mod encoding;
mod error;
mod escape;
mod feed;
mod fragment;
mod intake;
pub mod like;
mod limits;
mod namespaces;
mod reader;
mod room;
mod token;

pub use chars::{is_char, is_ncname};
pub use compare::{Shift, common_prefix, realign};
pub use delta::{Delta, DeltaOptions, DeltaReader, DeltaStats};
pub use encoding::{to_utf8, utf8_prefix};
pub use error::{Error, Guilty, Kind};
pub use escape::{check_text, copy_plain, escape_attribute, escape_text, unescape};
pub use feed::{Feed, Place, Window};
pub use fragment::Fragment;
pub use limits::{Doctype, Limits};
pub use namespaces::{NsId, XML_URI, XMLNS_URI};
pub use reader::{Reader, Suspended, character_data};
pub use room::{Constant, NUMBER, Room};
pub use token::{Attribute, Name, Token};
