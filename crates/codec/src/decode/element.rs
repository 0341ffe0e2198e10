//! Elements and attributes.

use std::borrow::Cow;
use std::ops::Range;

use castile_plan::{Builtin, ComplexId, Field, FieldKind, SimpleId, TypeId, Types, Variety};
use castile_value::{Scalar, Sink, Slot, deep};
use castile_xml::{Attribute, Name, Reader};

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
        if self.encoding.is_some() {
            return self.encoded(field, slot, start, sink);
        }
        if self.is_nil()? {
            self.forget();
            return self.nil(field, slot, sink);
        }
        if !self.types.disallowed.is_empty() && self.options.strict {
            self.refuse_disallowed(field)?;
        }
        match field.ty {
            TypeId::Simple(id) => match self.own_complex_type(id) {
                Some(own) => {
                    self.forget();
                    self.complex(own, slot, sink)
                }
                None => self.simple(id, field, slot, sink),
            },
            TypeId::Complex(id) if self.types.complex(id).array.is_some() => self.array(id, slot, sink),
            TypeId::Complex(id) => {
                self.forget();
                let id = self.actual_type(id)?;
                self.complex(id, slot, sink)
            }
            TypeId::Any => self.any(slot, sink),
            TypeId::Unsupported(_) => Err(self.unsupported(field, start.at)),
        }
    }

    /// Reads a nil element; one with attributes of its own is a record of these (XSD 1.0 part 1, 3.3.4).
    pub(super) fn nil(&mut self, field: &Field, slot: Slot, sink: &mut dyn Sink) -> Result<(), Error> {
        if !field.nillable && self.options.strict && self.encoding.is_none() {
            let why = format!("element {} says that it is nil, but may not be", field.name);
            return Err(self.bad(Kind::Unexpected, why));
        }
        let xsi = self.types.uri(Types::XSI);
        let own = |a: &Attribute<'_>| self.reader.uri(a.name.ns) != xsi;
        let record = match field.ty {
            TypeId::Complex(id) if self.reader.attributes().iter().any(own) => {
                let id = self.actual_type(id)?;
                self.types.nil_field(id).map(|_| id)
            }
            _ => None,
        };
        if let Some(id) = record {
            sink.open(slot, self.types.shape(id));
            self.attributes(id, sink)?;
        }
        let (text, _) = self.text()?;
        if !text.trim().is_empty() {
            return Err(self.bad(Kind::Unexpected, "an element that says it is nil has content"));
        }
        match record {
            Some(_) => sink.close(),
            None => sink.nil(slot),
        }
        Ok(())
    }

    pub(super) fn simple(
        &mut self,
        id: SimpleId,
        field: &Field,
        slot: Slot,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let (own, scalar, span) = self.simple_value(id, field)?;
        self.taught(field, own, &span);
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
    ) -> Result<(SimpleId, Scalar<'a>, Range<usize>), Error> {
        let own = self.own_simple_type(id)?;
        let (scalar, span) = self.scalar_text(own, field)?;
        Ok((own, scalar, span))
    }

    /// The text of the open element as a value, through its end tag, and where it lay. An empty
    /// element has the value that its field has by default, and a fixed value must be just that (XSD 1.0
    /// part 1, 3.3.4).
    pub(super) fn scalar_text(
        &mut self,
        id: SimpleId,
        field: &Field,
    ) -> Result<(Scalar<'a>, Range<usize>), Error> {
        let default = field.default.as_deref().or(field.fixed.as_deref());
        let Some(default) = default else {
            return self.plain_text(id);
        };
        // Another item may be empty where this one is not.
        self.forget();
        let inside = self.reader.clone();
        let (text, span) = self.text()?;
        if text.is_empty() {
            return Ok((self.by_schema(id, default)?, span));
        }
        let scalar = self.scalar(&inside, id, text, span.start)?;
        self.check_fixed(id, field, &scalar, span.start)?;
        Ok((scalar, span))
    }

    /// The text of the open element as a value, through its end tag, and where it lay.
    pub(super) fn plain_text(&mut self, id: SimpleId) -> Result<(Scalar<'a>, Range<usize>), Error> {
        // A prefix in the text may be declared on the element, and is out of scope after its end.
        let inside = has_names(self.types, id).then(|| self.reader.clone());
        let (text, span) = self.text()?;
        let reader = inside.as_ref().unwrap_or(&self.reader);
        let scalar = self.scalar(reader, id, text, span.start)?;
        Ok((scalar, span))
    }

    /// A default or fixed value.
    fn by_schema(&self, id: SimpleId, text: &str) -> Result<Scalar<'a>, Error> {
        let value = crate::scalar::parse_contract(self.types, id, text);
        value.map_err(|e| e.at(self.reader.input(), self.reader.token_start()))
    }

    /// Whether a value is the one that its field has by the schema, if there is only one.
    fn check_fixed(&self, id: SimpleId, field: &Field, value: &Scalar<'_>, at: usize) -> Result<(), Error> {
        let Some(fixed) = field.fixed.as_deref().filter(|_| self.options.strict) else {
            return Ok(());
        };
        if self.by_schema(id, fixed)? == *value {
            return Ok(());
        }
        let why = format!("{} has another value than {fixed:?}, which is fixed", field.name);
        Err(self.bad_at(Kind::Lexical, at, why))
    }

    /// A text as a value. Prefixes are looked up where `reader` stands; `at` is where the text lies.
    pub(super) fn scalar(
        &self,
        reader: &Reader<'a>,
        id: SimpleId,
        text: Cow<'a, str>,
        at: usize,
    ) -> Result<Scalar<'a>, Error> {
        let resolve = |prefix: &str| {
            let ns = reader.lookup(prefix)?;
            Some(reader.uri(ns).to_owned())
        };
        let scalar = parse(self.types, id, text, &resolve, self.options.strict);
        scalar.map_err(|e| e.at(self.reader.input(), at))
    }

    /// The type that `xsi:type` names, if it is one that adds attributes to the simple type declared.
    pub(super) fn own_complex_type(&mut self, declared: SimpleId) -> Option<ComplexId> {
        if self.reader.attributes().is_empty() {
            return None;
        }
        match self.xsi_type()? {
            TypeId::Complex(own)
                if self
                    .types
                    .is_derived(TypeId::Complex(own), TypeId::Simple(declared)) =>
            {
                Some(own)
            }
            _ => None,
        }
    }

    /// Simple types are narrowed by `xsi:type`; a name of another type is passed over, as peers write
    /// types that merely hold the value.
    fn own_simple_type(&mut self, id: SimpleId) -> Result<SimpleId, Error> {
        if self.reader.attributes().is_empty() {
            return Ok(id);
        }
        if self.encoding.is_none() {
            self.refuse_attributes(id)?;
        }
        let declared = TypeId::Simple(id);
        let open = matches!(self.types.simple(id).variety, Variety::Union(_));
        match self.xsi_type() {
            Some(TypeId::Simple(own)) if open || self.types.is_derived(TypeId::Simple(own), declared) => {
                Ok(own)
            }
            _ => Ok(id),
        }
    }

    /// An element of a simple type has no attributes but those that may stand anywhere.
    fn refuse_attributes(&mut self, id: SimpleId) -> Result<(), Error> {
        let foreign = |a: &&Attribute<'a>| !self.stands_anywhere(a.name);
        let Some(found) = self
            .reader
            .attributes()
            .iter()
            .find(foreign)
            .filter(|_| self.options.strict)
        else {
            return Ok(());
        };
        let label = self.types.type_label(TypeId::Simple(id));
        let why = format!(
            "attribute {} on an element of simple type {label}",
            self.shown(found.name)
        );
        Err(self
            .bad(Kind::Unexpected, why)
            .within(format!("@{}", found.name.local)))
    }

    /// Attributes of the namespaces of XML, XML Schema instances and SOAP may stand on any element.
    fn stands_anywhere(&self, name: Name<'_>) -> bool {
        let uri = self.reader.uri(name.ns);
        !uri.is_empty()
            && (uri == castile_xml::XML_URI
                || uri == self.types.uri(Types::XSI)
                || castile_message::Version::from_namespace(uri).is_some())
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

    pub(super) fn actual_type(&mut self, declared: ComplexId) -> Result<ComplexId, Error> {
        let types = self.types;
        let mut id = declared;
        if !self.reader.attributes().is_empty() && self.xsi("type").is_some() {
            match self.xsi_type() {
                Some(TypeId::Complex(own))
                    if types.is_derived(TypeId::Complex(own), TypeId::Complex(declared)) =>
                {
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
        self.refuse_abstract(id)?;
        Ok(id)
    }

    /// A type that is derived from the declared one in a way that its schema blocks.
    fn refuse_disallowed(&mut self, field: &Field) -> Result<(), Error> {
        if self.reader.attributes().is_empty() {
            return Ok(());
        }
        let Some(own) = self.xsi_type() else {
            return Ok(());
        };
        match self.types.disallows(field, own) {
            Some(way) => {
                let label = self.types.type_label(own);
                let why = format!(
                    "type {label}: element {} blocks types derived by {way}",
                    field.name
                );
                Err(self.bad(Kind::Unexpected, why))
            }
            None => Ok(()),
        }
    }

    pub(super) fn refuse_abstract(&self, id: ComplexId) -> Result<(), Error> {
        let complex = self.types.complex(id);
        if complex.is_abstract && self.options.strict {
            let why = format!(
                "{} is abstract: xsi:type must name a type derived from it",
                complex.label
            );
            return Err(self.bad(Kind::Missing, why));
        }
        Ok(())
    }

    /// The value of an attribute of the XML Schema instance namespace.
    pub(super) fn xsi(&self, local: &str) -> Option<String> {
        let xsi = self.types.uri(Types::XSI);
        let found = self
            .reader
            .attributes()
            .iter()
            .find(|a| a.name.local == local && self.reader.uri(a.name.ns) == xsi);
        found.map(|a| a.value.to_string())
    }

    pub(super) fn is_nil(&self) -> Result<bool, Error> {
        if self.reader.attributes().is_empty() {
            return Ok(false);
        }
        let Some(value) = self.xsi("nil") else {
            return Ok(false);
        };
        castile_lexical::parse_bool(value.as_bytes()).map_err(|e| self.bad(Kind::Lexical, e.to_string()))
    }

    /// Reads a record, after its start tag, through its end tag, as one that the sink is told of.
    pub(super) fn told_record(
        &mut self,
        id: ComplexId,
        slot: Slot,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        sink.open(slot, self.types.shape(id));
        let around = std::mem::take(&mut self.arrays);
        let read = deep(|| self.record(id, sink));
        self.arrays = around;
        read?;
        sink.close();
        Ok(())
    }

    /// Reads what is in a record, after its start tag, through its end tag.
    pub(super) fn record(&mut self, id: ComplexId, sink: &mut dyn Sink) -> Result<(), Error> {
        self.attributes(id, sink)?;
        let types = self.types;
        if let Some((field, simple)) = types.text_field(id) {
            self.forget();
            let f = &types.complex(id).fields[field as usize];
            let (scalar, span) = self.scalar_text(simple, f)?;
            self.taught(f, simple, &span);
            sink.scalar(Slot { field, many: false }, scalar);
            return Ok(());
        }
        let first = match types.mixed_field(id) {
            Some(text) => Some(self.leading_text(text, sink)?),
            None => None,
        };
        self.content(id, first, sink, None)?;
        Ok(())
    }

    pub(super) fn attributes(&mut self, id: ComplexId, sink: &mut dyn Sink) -> Result<(), Error> {
        let types = self.types;
        let complex = types.complex(id);
        let declares = complex.fields.first().is_some_and(|f| is_attribute(&f.kind));
        // What a value of SOAP encoding has as attributes is not its own (SOAP 1.1, 5.1).
        if self.encoding.is_some() && !declares {
            return Ok(());
        }
        if self.reader.attributes().is_empty() && !declares {
            return Ok(());
        }
        let found = self.reader.attributes().to_vec();
        if !found.is_empty()
            || complex
                .fields
                .iter()
                .any(|f| default_of(f).is_some() && f.kind == FieldKind::Attribute)
        {
            self.forget();
        }
        let mut met = vec![false; complex.fields.len()];
        for (i, attribute) in found.into_iter().enumerate() {
            let at = self
                .reader
                .attribute_start(i)
                .unwrap_or(self.reader.token_start());
            self.attribute(id, attribute, at, &mut met, sink)?;
        }
        for (i, field) in complex.fields.iter().enumerate() {
            if field.kind != FieldKind::Attribute || met[i] {
                continue;
            }
            if field.required && self.options.strict {
                let why = format!("attribute {} is missing in {}", field.name, complex.label);
                return Err(self.bad(Kind::Missing, why));
            }
            if let (Some(default), TypeId::Simple(simple)) = (default_of(field), field.ty) {
                let named = |e: Error| e.within(format!("@{}", field.name));
                let scalar = self.by_schema(simple, default).map_err(named)?;
                sink.scalar(
                    Slot {
                        field: i as u32,
                        many: false,
                    },
                    scalar,
                );
            }
        }
        Ok(())
    }

    fn attribute(
        &mut self,
        id: ComplexId,
        attribute: Attribute<'a>,
        at: usize,
        met: &mut [bool],
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let types = self.types;
        let ns = self.ns(attribute.name.ns);
        let fields = types.complex(id).fields.iter().enumerate();
        let local = attribute.name.local;
        let same =
            |f: &Field| f.kind == FieldKind::Attribute && *f.wire.local == *local && Some(f.wire.ns) == ns;
        if let Some((i, field)) = fields.clone().find(|(_, f)| same(f)) {
            met[i] = true;
            let TypeId::Simple(simple) = field.ty else {
                return Err(self.unsupported(field, at).within(format!("@{}", field.name)));
            };
            let named = |e: Error| e.within(format!("@{}", field.name));
            let scalar = self
                .scalar(&self.reader, simple, attribute.value, at)
                .map_err(named)?;
            self.check_fixed(simple, field, &scalar, at).map_err(named)?;
            self.taught_attribute(field, simple, at);
            sink.scalar(
                Slot {
                    field: i as u32,
                    many: false,
                },
                scalar,
            );
            return Ok(());
        }
        if ns == Some(Types::XSI) || self.encoding.is_some() && self.is_markup(attribute.name) {
            return Ok(());
        }
        let wild = |f: &Field| matches!(&f.kind, FieldKind::AnyAttribute(w) if w.admits(ns));
        if let Some((i, _)) = fields.clone().find(|(_, f)| wild(f)) {
            let name = self.shown(attribute.name);
            sink.attribute(
                Slot {
                    field: i as u32,
                    many: false,
                },
                name,
                &attribute.value,
            );
            return Ok(());
        }
        if self.stands_anywhere(attribute.name) || !self.options.strict {
            return Ok(());
        }
        let shown = self.shown(attribute.name);
        let why = format!("attribute {shown} is not known in {}", types.complex(id).label);
        Err(self.bad_at(Kind::Unexpected, at, why).within(format!("@{local}")))
    }
}

/// What an attribute that is not there has as its value.
fn default_of(field: &Field) -> Option<&str> {
    field.default.as_deref().or(field.fixed.as_deref())
}

fn is_attribute(kind: &FieldKind) -> bool {
    matches!(kind, FieldKind::Attribute | FieldKind::AnyAttribute(_))
}

/// Whether the type's text has prefixes that mean something.
pub(super) fn has_names(types: &Types, id: SimpleId) -> bool {
    match &types.simple(id).variety {
        Variety::Atomic(builtin) => matches!(builtin, Builtin::QName | Builtin::Notation),
        Variety::List(item) => has_names(types, *item),
        Variety::Union(members) => members.iter().any(|&member| has_names(types, member)),
    }
}
