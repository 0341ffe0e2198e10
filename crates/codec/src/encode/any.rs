//! Wildcards and `anyType`: what no schema describes is kept as XML, or says its own type.

use castile_message::Marks;
use castile_plan::{Builtin, ComplexId, Field, FieldKind, Tags, TypeId, Types, Wildcard};
use castile_value::{Item, Scalar, Source};
use castile_xml::{Fragment, Limits};

use super::element::wrong_kind;
use super::{ENVELOPE_DEPTH, Encoder};
use crate::error::{Error, Kind};
use crate::scalar::{Context, format};

impl<M: Marks> Encoder<'_, M> {
    /// Writes the elements that a wildcard admits.
    pub(super) fn wild(&mut self, wildcard: &Wildcard, item: Item<'_>) -> Result<(), Error> {
        match item {
            Item::Absent | Item::Nil => Ok(()),
            Item::Xml(text) => self.fragment(wildcard, text),
            Item::Scalar(Scalar::Text(text)) => self.fragment(wildcard, &text),
            Item::Record(source) => self.declared_element(wildcard, source),
            Item::Items(items) => self.each_item(items, |this, item| this.wild(wildcard, item)),
            other => Err(wrong_kind(self.types, TypeId::Any, &other)),
        }
    }

    /// Writes an element of the contract that a wildcard admits: a record of one value, called
    /// `{namespace}local`.
    fn declared_element(&mut self, wildcard: &Wildcard, source: &dyn Source) -> Result<(), Error> {
        let types = self.types;
        let entries = source.entries().unwrap_or_default();
        let mut present = entries.iter().filter(|(_, item)| !matches!(item, Item::Absent));
        let (Some((name, _)), None) = (present.next(), present.next()) else {
            let why = "an element for a wildcard is XML, or a record of one value called {namespace}local";
            return Err(Error::caller(Kind::Value, why));
        };
        let Some(id) = types
            .parse_clark(name)
            .and_then(|name| types.element_named(&name))
        else {
            let why = format!("the contract has no global element {name}; give it as XML");
            return Err(Error::caller(Kind::UnknownName, why));
        };
        let global = types.global(id);
        if self.options.strict && !wildcard.admits(Some(global.field.wire.ns)) {
            return Err(Error::caller(
                Kind::Value,
                format!("the wildcard does not admit {name}"),
            ));
        }
        let item = entries
            .into_iter()
            .map(|(_, item)| item)
            .find(|item| !matches!(item, Item::Absent));
        self.element(&global.field, &global.tags, item.unwrap_or(Item::Absent))
    }

    fn fragment(&mut self, wildcard: &Wildcard, text: &str) -> Result<(), Error> {
        let fragment = self.checked(text)?;
        let (uri, local) = fragment.name();
        if self.options.strict && !wildcard.admits(self.types.namespace(uri)) {
            let why = format!("the wildcard does not admit {local} of namespace {uri:?}");
            return Err(Error::caller(Kind::Value, why));
        }
        self.opaque(fragment.as_str());
        Ok(())
    }

    /// XML that may stand where the encoder is.
    fn checked(&self, text: &str) -> Result<Fragment, Error> {
        let limits = Limits {
            depth_max: self.options.depth_max.saturating_sub(self.depth + ENVELOPE_DEPTH),
            ..Limits::default()
        };
        Fragment::parse_within(text, &limits)
            .map_err(|e| Error::caller(Kind::Value, format!("not one well-formed XML element: {e}")))
    }

    fn opaque(&mut self, text: &str) {
        let start = self.out.len();
        self.raw(text);
        self.marks.opaque(start..self.out.len());
    }

    /// XML for an element: the element itself when the names agree, else, for `anyType`, its child.
    pub(super) fn any_xml(&mut self, f: &Field, tags: &Tags, text: &str) -> Result<(), Error> {
        let fragment = self.checked(text)?;
        let (uri, local) = fragment.name();
        if *local == *f.wire.local && uri == self.types.uri(f.wire.ns) {
            self.opaque(fragment.as_str());
            return Ok(());
        }
        if f.ty != TypeId::Any {
            let why = format!("XML of element {local} given where {} belongs", f.wire.local);
            return Err(Error::caller(Kind::Value, why));
        }
        let declared = self.declared.len();
        self.out.extend_from_slice(&tags.open);
        self.ensure(f.wire.ns);
        self.raw(">");
        self.opaque(fragment.as_str());
        self.out.extend_from_slice(&tags.close);
        self.declared.truncate(declared);
        Ok(())
    }

    /// The rest of an element of `anyType` after its open start tag: a value that says its type.
    pub(super) fn any_value(&mut self, item: Item<'_>, tags: &Tags) -> Result<(), Error> {
        match item {
            Item::Scalar(scalar) => {
                let builtin = natural(&scalar)?;
                self.ensure(Types::XSD);
                self.ensure(Types::XSI);
                self.raw(&format!(" xsi:type=\"xsd:{}\"", builtin.name()));
                self.text(builtin.into(), &scalar, tags)
            }
            Item::Record(source) => {
                let types = self.types;
                let Some(TypeId::Complex(id)) = source.type_name().and_then(|name| types.type_by_clark(name))
                else {
                    let why =
                        "a record for anyType must be a typed object: its type is announced with xsi:type";
                    return Err(Error::caller(Kind::Value, why));
                };
                self.announce(id)?;
                self.record(id, source, tags)
            }
            other => Err(wrong_kind(self.types, TypeId::Any, &other)),
        }
    }

    /// Attributes of a wildcard: a map from `{namespace}local` to text.
    pub(super) fn any_attributes(
        &mut self,
        id: ComplexId,
        wildcard: &Wildcard,
        item: Item<'_>,
    ) -> Result<(), Error> {
        let entries = match item {
            Item::Absent | Item::Nil => return Ok(()),
            Item::Record(source) => source.entries(),
            _ => None,
        };
        let Some(entries) = entries else {
            return Err(Error::caller(
                Kind::Value,
                "attributes of a wildcard are a map from name to text",
            ));
        };
        let start = self.out.len();
        for (number, (name, value)) in entries.iter().enumerate() {
            if matches!(value, Item::Absent) {
                continue;
            }
            let Item::Scalar(scalar) = value else {
                return Err(Error::caller(
                    Kind::Value,
                    format!("attribute {name} has no simple value"),
                ));
            };
            if entries.iter().take(number).any(|(other, _)| other == name) {
                return Err(Error::caller(
                    Kind::Value,
                    format!("attribute {name} is given twice"),
                ));
            }
            let (uri, local) = self.admitted(id, wildcard, name)?;
            self.any_attribute(number, uri, local, scalar)?;
        }
        if !entries.is_empty() {
            self.marks.opaque(start..self.out.len());
        }
        Ok(())
    }

    /// Namespace and local part of an attribute that may be written under the wildcard.
    fn admitted<'n>(
        &self,
        id: ComplexId,
        wildcard: &Wildcard,
        name: &'n str,
    ) -> Result<(&'n str, &'n str), Error> {
        let (uri, local) = match name.strip_prefix('{').and_then(|rest| rest.rsplit_once('}')) {
            Some((uri, local)) => (uri, local),
            None => ("", name),
        };
        let no = |why: &str| Err(Error::caller(Kind::Value, format!("attribute {name} {why}")));
        let reserved = uri == castile_xml::XMLNS_URI || uri == self.types.uri(Types::XSI);
        if !castile_xml::is_ncname(local) || reserved || uri.is_empty() && local == "xmlns" {
            return no("cannot be written as one");
        }
        let own = |f: &Field| {
            f.kind == FieldKind::Attribute && *f.wire.local == *local && self.types.uri(f.wire.ns) == uri
        };
        if self.types.complex(id).fields.iter().any(own) {
            return no("is a field of its own");
        }
        if self.options.strict && !wildcard.admits(self.types.namespace(uri)) {
            return no("is not admitted by the wildcard");
        }
        Ok((uri, local))
    }

    fn any_attribute(
        &mut self,
        number: usize,
        uri: &str,
        local: &str,
        scalar: &Scalar<'_>,
    ) -> Result<(), Error> {
        let prefix = match uri {
            "" => String::new(),
            castile_xml::XML_URI => "xml:".to_owned(),
            uri => {
                castile_xml::check_text(uri).map_err(|e| Error::caller(Kind::Value, e.to_string()))?;
                self.raw(&format!(" xmlns:a{number}=\""));
                castile_xml::escape_attribute(uri, self.out);
                self.raw("\"");
                format!("a{number}:")
            }
        };
        self.raw(&format!(" {prefix}{local}=\""));
        let context = Context {
            attribute: true,
            digits: None,
            strict: false,
            qnames: &[],
            qnames_first: 0,
        };
        format(self.types, Builtin::String.into(), scalar, context, self.out)?;
        self.raw("\"");
        Ok(())
    }
}

/// The built-in type that a value has of itself.
pub(super) fn natural(scalar: &Scalar<'_>) -> Result<Builtin, Error> {
    use castile_value::DateTimeKind;
    Ok(match scalar {
        Scalar::Bool(_) => Builtin::Boolean,
        Scalar::Int(v) if i32::try_from(*v).is_ok() => Builtin::Int,
        Scalar::Int(_) => Builtin::Long,
        Scalar::UInt(_) => Builtin::UnsignedLong,
        Scalar::Float(_) => Builtin::Float,
        Scalar::Double(_) => Builtin::Double,
        Scalar::Decimal(v) if v.is_integer() => Builtin::Integer,
        Scalar::Decimal(_) => Builtin::Decimal,
        Scalar::Text(_) => Builtin::String,
        Scalar::Bytes(_) => Builtin::Base64Binary,
        Scalar::Duration(_) => Builtin::Duration,
        Scalar::QName(_) => Builtin::QName,
        Scalar::DateTime(v) => match v.kind {
            DateTimeKind::DateTime => Builtin::DateTime,
            DateTimeKind::Date => Builtin::Date,
            DateTimeKind::Time => Builtin::Time,
            DateTimeKind::GYearMonth => Builtin::GYearMonth,
            DateTimeKind::GYear => Builtin::GYear,
            DateTimeKind::GMonthDay => Builtin::GMonthDay,
            DateTimeKind::GDay => Builtin::GDay,
            DateTimeKind::GMonth => Builtin::GMonth,
        },
        Scalar::List(_) | Scalar::Numbers(_) => return Err(no_list()),
    })
}

fn no_list() -> Error {
    Error::caller(
        Kind::Value,
        "a list has no type of its own that anyType could announce: give a record of a type that holds one (by \"@type\")",
    )
}
