//! SOAP encoding (SOAP 1.1, 5; SOAP 1.2 part 2, 3): elements that say their types, arrays, and objects
//! that stand in several places.
//!
//! Tags, texts and records are those of literal messages. What comes here is asked for where a start
//! tag is still open, and only when a message is encoded.

mod array;
mod shared;
mod texts;

use castile_message::{Marks, Version};
use castile_plan::{Field, Tags, TypeId, Types};
use castile_value::{Item, Scalar};

use super::Encoder;
use super::any::natural;
use super::element::wrong_kind;
use crate::error::{Error, Kind};

pub(super) use shared::{Encoding, Place};
pub(super) use texts::Shared;

/// The namespace of the encoding.
const fn namespace(version: Version) -> &'static str {
    match version {
        Version::Soap11 => "http://schemas.xmlsoap.org/soap/encoding/",
        Version::Soap12 => "http://www.w3.org/2003/05/soap-encoding",
    }
}

impl<M: Marks> Encoder<'_, M> {
    /// Declares the prefix of the encoding's own names in the open start tag.
    pub(super) fn declare_encoding(&mut self) {
        self.raw(" xmlns:E=\"");
        self.raw(namespace(self.version));
        self.raw("\"");
    }

    /// Writes one of several elements of a field. Those of SOAP encoding say their type only where it
    /// is not the declared one: the array says it for all of them.
    pub(super) fn repeated(&mut self, f: &Field, tags: &Tags, item: Item<'_>) -> Result<(), Error> {
        if let Some(encoding) = &mut self.encoding {
            encoding.untyped = true;
        }
        self.element(f, tags, item)
    }

    /// Whether the element at hand need not say its declared type; asked once.
    pub(super) fn is_untyped(&mut self) -> bool {
        let encoding = self.encoding.as_mut();
        encoding.is_some_and(|encoding| std::mem::take(&mut encoding.untyped))
    }

    /// The rest of an element after its open start tag.
    pub(super) fn encoded(&mut self, f: &Field, item: Item<'_>, tags: &Tags) -> Result<(), Error> {
        if self.depth == 1 {
            self.style();
        }
        match item {
            Item::Nil | Item::Absent => {
                self.is_untyped();
                self.nil(f)
            }
            Item::Ref(number) => {
                self.is_untyped();
                self.reference(number, f.ty, tags)
            }
            Item::Scalar(Scalar::Text(text)) if self.shares_texts() => self.shared_text(f.ty, &text, tags),
            item => self.encoded_value(f.ty, item, tags),
        }
    }

    /// Says that what follows is encoded.
    fn style(&mut self) {
        self.raw(" S:encodingStyle=\"");
        self.raw(namespace(self.version));
        self.raw("\"");
    }

    fn encoded_value(&mut self, ty: TypeId, item: Item<'_>, tags: &Tags) -> Result<(), Error> {
        match ty {
            TypeId::Simple(id) => {
                if !self.is_untyped() {
                    self.announce_declared(ty);
                }
                self.simple_element(id, item, tags)
            }
            TypeId::Complex(id) => self.complex_element(id, item, tags),
            TypeId::Any => self.encoded_any(item, tags),
            TypeId::Unsupported(i) => Err(Error::unsupported(&self.types.unsupported[i as usize])),
        }
    }

    /// A value whose type nobody declares: it says its own.
    fn encoded_any(&mut self, item: Item<'_>, tags: &Tags) -> Result<(), Error> {
        self.is_untyped();
        match item {
            Item::Scalar(scalar) => {
                let builtin = natural(&scalar)?;
                self.announce_declared(TypeId::Simple(builtin.into()));
                self.text(builtin.into(), &scalar, tags)
            }
            Item::Column(_) | Item::Items(_) | Item::Table(_) | Item::Grid(..) => self.any_array(item, tags),
            Item::Stream(_) => Err(super::stream::no_encoded_stream()),
            Item::Xml(_) => Err(wrong_kind(self.types, TypeId::Any, &item)),
            item => self.any_value(item, tags),
        }
    }

    /// Writes `xsi:type` with the name of a type, if it has one.
    pub(super) fn announce_declared(&mut self, ty: TypeId) {
        let types = self.types;
        if let Some(name) = types.announced(ty) {
            self.ensure(name.ns);
            self.ensure(Types::XSI);
            self.raw(" xsi:type=\"");
            self.raw(&types.prefixed(name));
            self.raw("\"");
        }
    }

    pub(super) fn shares_texts(&self) -> bool {
        self.options.share_texts && self.encoding.is_some()
    }
}

fn no_object(number: u32) -> Error {
    Error::caller(
        Kind::Value,
        format!("there is no object {number}, or it is a reference itself"),
    )
}
