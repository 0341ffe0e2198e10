//! Compiled tables of messages: what encoders and decoders walk.
//!
//! A contract is compiled once into [`Types`], one flat table of every simple and complex type
//! and global element, and into one [`Plan`] a message, which points into the table. All ids are
//! indexes; nothing here is a tree of pointers, so the table is stored and loaded as it is.
//!
//! ```text
//!   Types ── simple[]   text <-> scalar, facets kept
//!        ├── complex[]  fields (attributes, elements, text, wildcards) + content model
//!        └── elements[] global elements, for wildcards and fault details
//!   Plan  ── header, body: two complex types whose fields are the header and body elements
//! ```
//!
//! [`Types::seal`] checks every index and derives what only memory needs (tags, shapes, look-ups),
//! so a table that exists is walkable without checks.
//!
//! Non-goals: no XML is read here and no WSDL is known.
//!
//! ```
//! use castile_plan::{Builtin, Types, decode_stored, encode_stored};
//!
//! let mut types = Types::new();
//! types.intern("urn:x");
//! types.seal()?;
//! let int = types.type_by_clark("{http://www.w3.org/2001/XMLSchema}int");
//! assert_eq!(int, Some(castile_plan::TypeId::Simple(Builtin::Int.into())));
//!
//! let mut stored = Vec::new();
//! encode_stored(&types, &mut stored)?;
//! let mut back: Types = decode_stored(&stored)?;
//! back.seal()?;
//! assert_eq!(back.namespaces, types.namespaces);
//! # Ok::<(), castile_plan::Error>(())
//! ```
#![forbid(unsafe_code)]

mod builtin;
mod check;
mod complex;
mod derive;
mod disallowed;
mod error;
mod global;
mod message;
mod model;
mod name;
mod rules;
mod seal;
mod simple;
mod store;
mod trie;
mod types;

pub use builtin::Builtin;
pub use complex::{Complex, Derivation, Field, FieldKind, Occurs, Particle, Process, Wildcard};
pub use disallowed::Disallowed;
pub use error::Error;
pub use global::Global;
pub use message::{Plan, Style};
pub use model::Block;
pub use name::{Namespace, NsIx, QName};
pub use rules::{Range, Rules, pattern_problem};
pub use seal::{Derived, Leaf, Tags};
pub use simple::{Facets, Simple, Variety, WhiteSpace};
pub use store::{decode_stored, encode_stored};
pub use types::{ComplexId, Element, ElementId, SimpleId, TypeId, Types};
