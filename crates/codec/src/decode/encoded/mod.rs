//! SOAP encoding (SOAP 1.1, 5; SOAP 1.2 part 2, 3): references, arrays, types that elements say.
//!
//! What is not peculiar to it is read by the code of literal messages. Elements are found by name in
//! any order, and what is left out is absent.
//!
//! ```text
//!   body ─ scan: where is each id? (only if the message has references) ─▶ Encoding
//!   first element ─ encoded ─▶ sink            href ─▶ the value, if nobody else refers to it
//!                                                  └─▶ sink.reference, and the object waits
//!   waiting objects, one after another ─▶ sink.object
//! ```

mod array;
mod nested;
mod scan;
mod shared;
mod sparse;

use castile_plan::{Builtin, ComplexId, Field, QName, SimpleId, TypeId, Types};
use castile_value::{Sink, Slot};
use castile_xml::{Name, Reader};

use super::{Decoder, Next, Start};
use crate::error::{Error, Kind};

pub(super) use shared::Encoding;

/// The namespaces of SOAP encoding, versions 1.1 and 1.2.
const ENCODINGS: [&str; 2] = [
    "http://schemas.xmlsoap.org/soap/encoding/",
    "http://www.w3.org/2003/05/soap-encoding",
];

/// Namespaces that XML Schema had before it was finished, which old peers still write.
const OLD_SCHEMAS: [&str; 2] = [
    "http://www.w3.org/1999/XMLSchema",
    "http://www.w3.org/2000/10/XMLSchema",
];

/// The same for the instance namespace.
const OLD_INSTANCES: [&str; 2] = [
    "http://www.w3.org/1999/XMLSchema-instance",
    "http://www.w3.org/2000/10/XMLSchema-instance",
];

/// The namespace of SOAP 1.2's representation of procedure calls.
const RPC: &str = "http://www.w3.org/2003/05/soap-rpc";

/// Envelope, Body, the call, the parameter.
const PARAMETER_DEPTH: u32 = 4;

/// What an element's `xsi:type` names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Own {
    /// Nothing, or nothing that is known.
    Nothing,
    Type(TypeId),
    /// The encoding's array, whose items are told elsewhere.
    Array,
}

impl<'a> Decoder<'a, '_> {
    /// The body of an encoded message: the first element is the value, those behind it are what its
    /// references name. What the first is called matters only to who dispatches.
    pub(super) fn encoded_body(
        &mut self,
        id: ComplexId,
        first: Option<Start<'a>>,
        header: Option<Reader<'a>>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        self.encoding = Some(Box::new(self.scan(first, header)?));
        let types = self.types;
        match (first, types.complex(id).fields.first()) {
            (Some(start), Some(field)) => {
                let slot = Slot {
                    field: 0,
                    many: field.many,
                };
                self.element(field, slot, start, sink)
                    .map_err(|e| e.within(&*field.name))?;
            }
            (Some(_), None) => self.skip()?,
            (None, None) => return Ok(()),
            (None, Some(field)) => {
                let why = format!("the body is empty; element {} was expected", field.name);
                return Err(self.bad(Kind::Missing, why));
            }
        }
        let after = self.reader.clone();
        self.waiting(sink)?;
        self.go_on_with(after);
        while let Next::Start(_) = self.child()? {
            self.skip()?;
        }
        Ok(())
    }

    /// The leaf of a parameter that its peer calls otherwise: the one at its place, when nothing was met
    /// of it yet. What a return value is called means nothing (SOAP 1.1, 7.1), and peers without a
    /// contract call parameters by number.
    pub(super) fn parameter(&self, id: ComplexId, base: usize, start: Start<'a>) -> Option<usize> {
        let outermost =
            self.encoding.is_some() && self.below() == 0 && self.reader.depth() == PARAMETER_DEPTH;
        if !outermost || self.is_result_name(start) {
            return None;
        }
        let counts = self.counts.get(base..base + self.types.leaves(id).len())?;
        let place = counts.iter().filter(|&&count| count > 0).count();
        let in_order = counts.get(..place)?.iter().all(|&count| count > 0);
        (in_order && place < counts.len()).then_some(place)
    }

    /// Whether an element only says which one is the return value (SOAP 1.2 part 2, 4.2.1).
    pub(super) fn is_result_name(&self, start: Start<'a>) -> bool {
        self.encoding.is_some() && self.reader.uri(start.name.ns) == RPC && start.name.local == "result"
    }

    fn skip(&mut self) -> Result<(), Error> {
        self.reader
            .skip_element()
            .map_err(|e| Error::xml(e, self.reader.input()))
    }

    /// A fault does not say that its details are encoded; references do. An object is copied to each of
    /// its places then, as details are values of their own.
    pub(super) fn refer_in_fault(&mut self, first: Option<Start<'a>>) -> Result<(), Error> {
        if memchr::memmem::find(self.reader.rest(), b"href").is_some() {
            let mut encoding = self.scan(first, None)?;
            encoding.copied = true;
            self.encoding = Some(Box::new(encoding)).filter(|encoding| !encoding.ids.is_empty());
        }
        Ok(())
    }

    /// Reads one element, after its start tag, through its end tag.
    pub(super) fn encoded(
        &mut self,
        field: &Field,
        slot: Slot,
        start: Start<'a>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        self.refuse_deep()?;
        if self.reader.attributes().is_empty() {
            return self.encoded_value(field, slot, start, sink);
        }
        if let Some(id) = self.refers_to()? {
            self.forget();
            return self.follow(&id, field, slot, sink);
        }
        match self.shared_here(start) {
            Some(number) => self.define(number, field, slot, start, sink),
            None => self.encoded_value(field, slot, start, sink),
        }
    }

    /// Elements that references lead to count as within those that lead there.
    fn refuse_deep(&self) -> Result<(), Error> {
        let most = self.reader.limits().depth_max;
        if self.below().saturating_add(self.reader.depth()) <= most {
            return Ok(());
        }
        let why = format!("limit depth_max = {most} is exceeded, references followed");
        Err(self.bad(Kind::Limit, why))
    }

    /// The value of an element that is no reference.
    fn encoded_value(
        &mut self,
        field: &Field,
        slot: Slot,
        start: Start<'a>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        if self.is_encoded_nil()? {
            self.forget();
            return self.nil(field, slot, sink);
        }
        match field.ty {
            TypeId::Simple(id) if slot.many => self.number_or_simple(id, field, slot, sink),
            TypeId::Simple(id) => self.simple(id, field, slot, sink),
            TypeId::Complex(id) if self.types.complex(id).array.is_some() => self.array(id, slot, sink),
            TypeId::Complex(id) => self.encoded_record(id, slot, sink),
            TypeId::Any => self.encoded_any(field, slot, start, sink),
            TypeId::Unsupported(_) => Err(self.unsupported(field, start.at)),
        }
    }

    /// A simple value among several: numbers stay a column when each stands behind a reference, too.
    fn number_or_simple(
        &mut self,
        id: SimpleId,
        field: &Field,
        slot: Slot,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let (own, scalar, span) = self.simple_value(id, field)?;
        self.traced(slot.field, own, span);
        match self.types.dtype(id) {
            Some(dtype) => self.append(slot, dtype, scalar, sink),
            None => sink.scalar(slot, scalar),
        }
        Ok(())
    }

    fn encoded_record(&mut self, id: ComplexId, slot: Slot, sink: &mut dyn Sink) -> Result<(), Error> {
        let id = self.actual_type(id)?;
        self.forget();
        self.complex(id, slot, sink)
    }

    fn encoded_any(
        &mut self,
        field: &Field,
        slot: Slot,
        start: Start<'a>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        self.forget();
        let ty = match self.own() {
            Own::Type(ty) if ty != TypeId::Any => ty,
            Own::Array => return self.any_array(slot, sink),
            _ if self.array_type().is_some() => return self.any_array(slot, sink),
            _ if self.is_text_only()? => TypeId::Simple(Builtin::String.into()),
            _ => return self.wild(slot, sink),
        };
        let field = Field { ty, ..field.clone() };
        self.encoded_value(&field, slot, start, sink)
    }

    /// What `xsi:type` says, in whichever version of XML Schema.
    fn own(&mut self) -> Own {
        let Some(value) = self.instance("type") else {
            return Own::Nothing;
        };
        let value = value.trim();
        let (prefix, local) = value.split_once(':').unwrap_or(("", value));
        let Some(ns) = self.reader.lookup(prefix) else {
            return Own::Nothing;
        };
        let uri = self.reader.uri(ns);
        if ENCODINGS.contains(&uri) {
            return match local {
                "Array" => Own::Array,
                "base64" => Own::Type(TypeId::Simple(Builtin::Base64Binary.into())),
                _ => Builtin::from_name(local).map_or(Own::Nothing, |b| Own::Type(TypeId::Simple(b.into()))),
            };
        }
        let ns = match OLD_SCHEMAS.contains(&uri) {
            true => Some(Types::XSD),
            false => self.ns(ns),
        };
        let named = |ns| self.types.type_named(&QName::new(ns, local));
        ns.and_then(named)
            .or_else(|| old_name(local).filter(|_| ns == Some(Types::XSD)))
            .map_or(Own::Nothing, Own::Type)
    }

    /// An attribute of the instance namespace, in whichever version.
    fn instance(&self, local: &str) -> Option<String> {
        self.xsi(local).or_else(|| {
            let mut attributes = self.reader.attributes().iter();
            let found = attributes
                .find(|a| a.name.local == local && OLD_INSTANCES.contains(&self.reader.uri(a.name.ns)));
            found.map(|a| a.value.to_string())
        })
    }

    /// `xsi:nil`, or `xsi:null` as it was called before XML Schema was finished.
    fn is_encoded_nil(&self) -> Result<bool, Error> {
        if self.reader.attributes().is_empty() {
            return Ok(false);
        }
        let Some(value) = self.instance("nil").or_else(|| self.instance("null")) else {
            return Ok(false);
        };
        castile_lexical::parse_bool(value.as_bytes()).map_err(|e| self.bad(Kind::Lexical, e.to_string()))
    }

    /// Whether the item whose start tag was read has nothing that one like it could not have too: no
    /// reference, no identity, no position, no nil, no type but the declared.
    pub(super) fn is_plain_item(&mut self, declared: TypeId) -> bool {
        let is_array = |id: ComplexId| self.types.complex(id).array.is_some();
        if declared == TypeId::Any || matches!(declared, TypeId::Complex(id) if is_array(id)) {
            return false;
        }
        let attributes = self.reader.attributes();
        if attributes.is_empty() {
            return true;
        }
        let types = self.types;
        let only_type = attributes
            .iter()
            .all(|a| a.name.local == "type" && self.reader.uri(a.name.ns) == types.uri(Types::XSI));
        // An enumeration, say, calls itself by its own name or by that of its base.
        only_type && (matches!(declared, TypeId::Simple(_)) || self.own() == Own::Type(declared))
    }

    /// Whether an attribute belongs to the encoding and not to the value.
    pub(super) fn is_markup(&self, name: Name<'_>) -> bool {
        let uri = self.reader.uri(name.ns);
        ENCODINGS.contains(&uri)
            || OLD_INSTANCES.contains(&uri)
            || uri.is_empty() && matches!(name.local, "id" | "href")
    }

    /// An attribute of the encoding's namespace, in whichever version.
    fn of_encoding(&self, local: &str) -> Option<String> {
        let mut attributes = self.reader.attributes().iter();
        let found =
            attributes.find(|a| a.name.local == local && ENCODINGS.contains(&self.reader.uri(a.name.ns)));
        found.map(|a| a.value.trim().to_owned())
    }
}

/// Types that XML Schema called otherwise before it was finished.
fn old_name(local: &str) -> Option<TypeId> {
    let builtin = match local {
        "timeInstant" => Builtin::DateTime,
        "timeDuration" => Builtin::Duration,
        "uriReference" => Builtin::AnyUri,
        "binary" => Builtin::Base64Binary,
        "ur-type" => return Some(TypeId::Any),
        _ => return None,
    };
    Some(TypeId::Simple(builtin.into()))
}
