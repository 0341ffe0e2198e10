//! Elements and attributes.

use std::borrow::Cow;

use castile_plan::{ComplexId, Field, FieldKind, SimpleId, TypeId, Types, Variety};
use castile_value::{Scalar, Sink, Slot};
use castile_xml::Attribute;

use super::{Decoder, Start};
use crate::error::{Error, Kind};
use crate::scalar::parse;

impl<'a> Decoder<'a, '_> {
    /// Reads one element, after its start tag, through its end tag.
    pub(super) fn element(
        &mut self,
        field: &Field,
        slot: Slot,
        start: Start<'a>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        if self.is_nil()? {
            self.forget();
            return self.nil(slot, sink);
        }
        match field.ty {
            TypeId::Simple(id) => self.simple(id, field, slot, sink),
            TypeId::Complex(id) => {
                self.forget();
                let id = self.actual_type(id)?;
                sink.open(slot, self.types.shape(id));
                self.record(id, sink)?;
                sink.close();
                Ok(())
            }
            TypeId::Any => self.any(slot, start, sink),
            TypeId::Unsupported(i) => {
                let error = Error::unsupported(&self.types.unsupported[i as usize]);
                Err(error.at(self.reader.input(), start.at))
            }
        }
    }

    fn nil(&mut self, slot: Slot, sink: &mut dyn Sink) -> Result<(), Error> {
        let (text, _) = self.text()?;
        if !text.trim().is_empty() {
            return Err(self.bad(Kind::Unexpected, "an element that says it is nil has content"));
        }
        sink.nil(slot);
        Ok(())
    }

    fn simple(&mut self, id: SimpleId, field: &Field, slot: Slot, sink: &mut dyn Sink) -> Result<(), Error> {
        let (own, scalar, span) = self.simple_value(id, field)?;
        self.traced(slot.field, own, span);
        sink.scalar(slot, scalar);
        Ok(())
    }

    /// The value of an element of a simple type, through its end tag, with the type it was read as
    /// and where its text lay.
    pub(super) fn simple_value(
        &mut self,
        id: SimpleId,
        field: &Field,
    ) -> Result<(SimpleId, Scalar<'a>, std::ops::Range<usize>), Error> {
        let own = self.own_simple_type(id);
        let (text, span) = self.text()?;
        let at = span.start;
        let text = match field.default.as_ref().or(field.fixed.as_ref()) {
            Some(default) => {
                // Another item may be empty where this one is not.
                self.forget();
                if text.is_empty() { Cow::Owned(default.to_string()) } else { text }
            }
            None => text,
        };
        Ok((own, self.scalar(own, text, at)?, span))
    }

    /// A text as a value; `at` is where it lies.
    pub(super) fn scalar(&self, id: SimpleId, text: Cow<'a, str>, at: usize) -> Result<Scalar<'a>, Error> {
        let resolve = |prefix: &str| {
            let ns = self.reader.lookup(prefix)?;
            Some(self.reader.uri(ns).to_owned())
        };
        let scalar = parse(self.types, id, text, &resolve, self.options.strict);
        scalar.map_err(|e| e.at(self.reader.input(), at))
    }

    /// `anySimpleType` and unions are narrowed by `xsi:type`.
    fn own_simple_type(&mut self, id: SimpleId) -> SimpleId {
        if self.reader.attributes().is_empty() {
            return id;
        }
        let open = id == castile_plan::Builtin::AnySimpleType.into()
            || matches!(self.types.simple(id).variety, Variety::Union(_));
        match self.xsi_type() {
            Some(TypeId::Simple(own)) if open => own,
            _ => id,
        }
    }

    /// The type that `xsi:type` names, when the table knows it.
    pub(super) fn xsi_type(&mut self) -> Option<TypeId> {
        let value = self.xsi("type")?;
        let (prefix, local) = castile_lexical::split_qname(value.trim())?;
        let ns = self.reader.lookup(prefix.unwrap_or(""))?;
        let local = local.to_owned();
        let ns = self.ns(ns)?;
        self.types.type_named(&castile_plan::QName::new(ns, local))
    }

    fn actual_type(&mut self, declared: ComplexId) -> Result<ComplexId, Error> {
        let types = self.types;
        let mut id = declared;
        if !self.reader.attributes().is_empty() && self.xsi("type").is_some() {
            match self.xsi_type() {
                Some(TypeId::Complex(own)) if types.is_derived(TypeId::Complex(own), TypeId::Complex(declared)) => {
                    id = own;
                }
                _ if !self.options.strict => {}
                _ => {
                    let value = self.xsi("type").unwrap_or_default();
                    let label = &types.complex(declared).label;
                    let why = format!("xsi:type {value:?} is no type derived from {label}");
                    return Err(self.bad(Kind::Unexpected, why));
                }
            }
        }
        let complex = types.complex(id);
        if complex.is_abstract && self.options.strict {
            let why = format!("{} is abstract and the element has no xsi:type", complex.label);
            return Err(self.bad(Kind::Missing, why));
        }
        Ok(id)
    }

    /// The value of an attribute of the XML Schema instance namespace.
    fn xsi(&self, local: &str) -> Option<String> {
        let xsi = self.types.uri(Types::XSI);
        let found = self.reader.attributes().iter().find(|a| a.name.local == local && self.reader.uri(a.name.ns) == xsi);
        found.map(|a| a.value.to_string())
    }

    pub(super) fn is_nil(&self) -> Result<bool, Error> {
        if self.reader.attributes().is_empty() {
            return Ok(false);
        }
        let Some(value) = self.xsi("nil") else { return Ok(false) };
        castile_lexical::parse_bool(value.as_bytes()).map_err(|e| self.bad(Kind::Lexical, e.to_string()))
    }

    /// Reads a record, after its start tag, through its end tag.
    pub(super) fn record(&mut self, id: ComplexId, sink: &mut dyn Sink) -> Result<(), Error> {
        self.attributes(id, sink)?;
        let types = self.types;
        if let Some((field, simple)) = types.complex(id).text() {
            self.forget();
            let f = &types.complex(id).fields[field as usize];
            let (_, scalar, _) = self.simple_value(simple, f).map_err(|e| e.within(&*f.name))?;
            sink.scalar(Slot { field, many: false }, scalar);
            return Ok(());
        }
        self.content(id, None, sink, false)?;
        Ok(())
    }

    fn attributes(&mut self, id: ComplexId, sink: &mut dyn Sink) -> Result<(), Error> {
        let types = self.types;
        let complex = types.complex(id);
        let declares = complex.fields.first().is_some_and(|f| is_attribute(&f.kind));
        if self.reader.attributes().is_empty() && !declares {
            return Ok(());
        }
        let found = self.reader.attributes().to_vec();
        if !found.is_empty() || complex.fields.iter().any(|f| f.default.is_some() && f.kind == FieldKind::Attribute) {
            self.forget();
        }
        let mut met = vec![false; complex.fields.len()];
        for attribute in found {
            self.attribute(id, attribute, &mut met, sink)?;
        }
        for (i, field) in complex.fields.iter().enumerate() {
            if field.kind != FieldKind::Attribute || met[i] {
                continue;
            }
            if field.required && self.options.strict {
                let why = format!("attribute {} is missing in {}", field.name, complex.label);
                return Err(self.bad(Kind::Missing, why));
            }
            if let (Some(default), TypeId::Simple(simple)) = (&field.default, field.ty) {
                let scalar = self.scalar(simple, Cow::Owned(default.to_string()), self.reader.token_start())?;
                sink.scalar(Slot { field: i as u32, many: false }, scalar);
            }
        }
        Ok(())
    }

    fn attribute(
        &mut self,
        id: ComplexId,
        attribute: Attribute<'a>,
        met: &mut [bool],
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let types = self.types;
        let ns = self.ns(attribute.name.ns);
        let fields = types.complex(id).fields.iter().enumerate();
        let local = attribute.name.local;
        let same = |f: &Field| f.kind == FieldKind::Attribute && *f.wire.local == *local && Some(f.wire.ns) == ns;
        if let Some((i, field)) = fields.clone().find(|(_, f)| same(f)) {
            met[i] = true;
            let TypeId::Simple(simple) = field.ty else {
                return Err(Error::unsupported(&format!("attribute {} of an unsupported type", field.name)));
            };
            let at = self.reader.token_start();
            let scalar = self.scalar(simple, attribute.value, at).map_err(|e| e.within(format!("@{}", field.name)))?;
            sink.scalar(Slot { field: i as u32, many: false }, scalar);
            return Ok(());
        }
        if ns == Some(Types::XSI) {
            return Ok(());
        }
        let wild = |f: &Field| matches!(&f.kind, FieldKind::AnyAttribute(w) if w.admits(ns));
        if let Some((i, _)) = fields.clone().find(|(_, f)| wild(f)) {
            let name = self.shown(attribute.name);
            sink.attribute(Slot { field: i as u32, many: false }, name, &attribute.value);
            return Ok(());
        }
        // Attributes of the SOAP and XML namespaces may stand anywhere.
        let uri = self.reader.uri(attribute.name.ns);
        let known = uri == castile_xml::XML_URI || castile_message::Version::from_namespace(uri).is_some();
        if known || !self.options.strict {
            return Ok(());
        }
        let shown = self.shown(attribute.name);
        let why = format!("attribute {shown} is not known in {}", types.complex(id).label);
        Err(self.bad(Kind::Unexpected, why).within(format!("@{local}")))
    }
}

fn is_attribute(kind: &FieldKind) -> bool {
    matches!(kind, FieldKind::Attribute | FieldKind::AnyAttribute(_))
}
