//! Elements.

use castile_message::Marks;
use castile_plan::{Builtin, ComplexId, Field, FieldKind, SimpleId, Tags, TypeId, Types};
use castile_value::{Item, Scalar, Source, Value, deep};

use super::any::natural;
use super::keep::Long;
use super::{EncodeOptions, Encoder};
use crate::error::{Error, Kind};
use crate::scalar::{Context, format, parse_contract, qname_uris};

impl<M: Marks> Encoder<'_, M> {
    /// Writes all values of a content field.
    pub(super) fn field(&mut self, id: ComplexId, field: u32, item: Item<'_>) -> Result<(), Error> {
        let types = self.types;
        let f = &types.complex(id).fields[field as usize];
        let result = match &f.kind {
            _ if let Item::Stream(batches) = item
                && f.many =>
            {
                self.streamed(id, field, batches)
            }
            FieldKind::Element => self.elements(f, &types.tags(id)[field as usize], item),
            _ => self.value(id, field, item),
        };
        result.map_err(|e| e.within(&*f.name))
    }

    /// Writes one value of a content field; errors do not have the field's name yet.
    pub(super) fn value(&mut self, id: ComplexId, field: u32, item: Item<'_>) -> Result<(), Error> {
        let types = self.types;
        let f = &types.complex(id).fields[field as usize];
        match &f.kind {
            FieldKind::Any(wildcard) => self.wild(wildcard, item),
            FieldKind::Group => self.groups(f, item),
            _ => self.element(f, &types.tags(id)[field as usize], item),
        }
    }

    pub(super) fn elements(&mut self, f: &Field, tags: &Tags, item: Item<'_>) -> Result<(), Error> {
        match item {
            Item::Column(column) if f.many => self.column(f, tags, column),
            Item::Table(table) if f.many => self.table(f, tags, table),
            Item::Items(items) if f.many => self.items(f, tags, items),
            item => self.element(f, tags, item),
        }
    }

    /// Writes one element with its tags.
    pub(super) fn element(&mut self, f: &Field, tags: &Tags, item: Item<'_>) -> Result<(), Error> {
        let declared = self.declared.len();
        if let (TypeId::Any | TypeId::Complex(_), Item::Xml(text)) = (f.ty, &item) {
            return self.any_xml(f, tags, text);
        }
        if let Item::Record(source) = &item {
            self.refuse_disallowed(f, *source)?;
        }
        self.out.extend_from_slice(&tags.open);
        self.qnames = 0;
        self.ensure(f.wire.ns);
        let result = match item {
            item @ (Item::Absent | Item::Nil | Item::Scalar(_)) => {
                self.refuse_deep()?;
                self.depth += 1;
                let written = self.rest(f, item, tags);
                self.depth -= 1;
                written
            }
            item => self.inside(|this| this.rest(f, item, tags)),
        };
        self.declared.truncate(declared);
        result
    }

    /// The rest of an element after its open start tag.
    fn rest(&mut self, f: &Field, item: Item<'_>, tags: &Tags) -> Result<(), Error> {
        match (item, f.ty) {
            (item, _) if self.encoding.is_some() => self.encoded(f, item, tags),
            (Item::Nil | Item::Absent, _) => self.nil(f),
            (item, TypeId::Simple(id)) => self
                .check_fixed(f, id, &item)
                .and_then(|()| self.simple_element(id, item, tags)),
            (Item::Record(source), TypeId::Complex(id)) if !f.nillable && self.says_nil(id, source) => {
                self.nil(f)
            }
            (item, TypeId::Complex(id)) => self.complex_element(id, item, tags),
            (item, TypeId::Any) => self.any_value(item, tags),
            (_, TypeId::Unsupported(i)) => Err(Error::unsupported(&self.types.unsupported[i as usize])),
        }
    }

    pub(super) fn nil(&mut self, f: &Field) -> Result<(), Error> {
        if !f.nillable && self.options.strict && self.encoding.is_none() {
            return Err(Error::caller(Kind::Value, format!("{:?} cannot be nil", f.name)));
        }
        self.ensure(Types::XSI);
        self.raw(" xsi:nil=\"true\"/>");
        Ok(())
    }

    /// A strict writer refuses another value than the one that the schema fixes.
    pub(super) fn check_fixed(&self, f: &Field, id: SimpleId, item: &Item<'_>) -> Result<(), Error> {
        let (Some(fixed), Item::Scalar(given)) = (f.fixed.as_deref().filter(|_| self.options.strict), item)
        else {
            return Ok(());
        };
        let by_schema = parse_contract(self.types, id, fixed)?;
        let written = |scalar: &Scalar<'_>| {
            let mut out = Vec::new();
            format(self.types, id, scalar, self.context(false, &[], 0), &mut out).map(|()| out)
        };
        if *given == by_schema
            || *given == Scalar::Text(fixed.into())
            || written(given)? == written(&by_schema)?
        {
            return Ok(());
        }
        let why = format!("{:?} has another value than {fixed:?}, which is fixed", f.name);
        Err(Error::caller(Kind::Value, why))
    }

    pub(super) fn simple_element(&mut self, id: SimpleId, item: Item<'_>, tags: &Tags) -> Result<(), Error> {
        match item {
            // A type that adds attributes to the declared one.
            Item::Record(source) if let Some(own) = self.own_complex_type(id, source) => {
                self.announce(own)?;
                self.record(own, source, tags)
            }
            Item::Scalar(scalar) => {
                let id = self.said_type(id, &scalar);
                self.text(id, &scalar, tags)
            }
            // A list type's items come as an array.
            Item::Column(_) | Item::Items(_) => self.text(id, &list_scalar(item)?, tags),
            other => Err(wrong_kind(self.types, TypeId::Simple(id), &other)),
        }
    }

    /// A value of `anySimpleType` says its own type, else it would come as text. Text says so as well in
    /// messages with arrays of SOAP encoding: their readers expect it (TR-069 Amendment 6, A.2.2.1).
    fn said_type(&mut self, id: SimpleId, scalar: &Scalar<'_>) -> SimpleId {
        if id != Builtin::AnySimpleType.into() || self.encoding.is_some() {
            return id;
        }
        match natural(scalar) {
            Ok(Builtin::String) if !self.borrows => id,
            Ok(own) => {
                self.announce_declared(TypeId::Simple(own.into()));
                own.into()
            }
            // A list has no type of its own.
            Err(_) => id,
        }
    }

    fn own_complex_type(&self, declared: SimpleId, source: &dyn Source) -> Option<ComplexId> {
        match self.types.type_by_clark(source.type_name()?)? {
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

    /// The rest of an element after its open start tag: text, and the end tag.
    pub(super) fn text(&mut self, id: SimpleId, scalar: &Scalar<'_>, tags: &Tags) -> Result<(), Error> {
        let (qnames, first) = self.declare_qnames(scalar);
        self.out.push(b'>');
        self.content_text(id, scalar, &qnames, first)?;
        self.out.extend_from_slice(&tags.close);
        Ok(())
    }

    fn content_text(
        &mut self,
        id: SimpleId,
        scalar: &Scalar<'_>,
        qnames: &[String],
        first: u32,
    ) -> Result<(), Error> {
        let start = self.out.len();
        if self.is_kept(id, scalar)? {
            return Ok(());
        }
        let context = self.context(false, qnames, first);
        format(self.types, id, scalar, context, self.out)?;
        self.marks.value(id.0, start..self.out.len());
        Ok(())
    }

    /// Whether somebody keeps a text, which then is not written.
    fn is_kept(&mut self, id: SimpleId, scalar: &Scalar<'_>) -> Result<bool, Error> {
        let Some(keep) = self.keep.take() else {
            return Ok(false);
        };
        let context = self.context(false, &[], 0);
        let write = |out: &mut Vec<u8>| format(self.types, id, scalar, context, out);
        let kept = match Long::new(id, self.options.strict, scalar) {
            Some(long) => keep.long(self.out.len(), &long, &write),
            None => Ok(false),
        };
        self.keep = Some(keep);
        kept
    }

    pub(super) fn context<'c>(
        &self,
        attribute: bool,
        qnames: &'c [String],
        qnames_first: u32,
    ) -> Context<'c> {
        let EncodeOptions { digits, strict, .. } = *self.options;
        Context {
            attribute,
            digits,
            strict,
            qnames,
            qnames_first,
        }
    }

    /// Declares the namespaces of the qualified names in a value in the open start tag; gives them,
    /// and the number of the first one's prefix.
    #[inline]
    pub(super) fn declare_qnames(&mut self, scalar: &Scalar<'_>) -> (Vec<String>, u32) {
        match scalar {
            Scalar::QName(_) | Scalar::List(_) => self.declare_each(qname_uris(scalar)),
            _ => (Vec::new(), self.qnames),
        }
    }

    fn declare_each(&mut self, mut uris: Vec<String>) -> (Vec<String>, u32) {
        uris.sort_unstable();
        uris.dedup();
        let first = self.qnames;
        for uri in &uris {
            self.raw(&format!(" xmlns:q{}=\"", self.qnames));
            castile_xml::escape_attribute(uri, self.out);
            self.raw("\"");
            self.qnames += 1;
        }
        (uris, first)
    }

    pub(super) fn complex_element(
        &mut self,
        declared: ComplexId,
        item: Item<'_>,
        tags: &Tags,
    ) -> Result<(), Error> {
        let types = self.types;
        if types.complex(declared).array.is_some() {
            return self.array_element(declared, item, tags);
        }
        let id = match &item {
            Item::Record(source) => self.actual_type(declared, *source)?,
            _ => declared,
        };
        let complex = types.complex(id);
        if complex.is_abstract {
            let why = format!(
                "{} is abstract: give a value of a type derived from it",
                complex.label
            );
            return Err(Error::caller(Kind::Value, why));
        }
        let says_type = std::mem::take(&mut self.says_type) && complex.name.is_some();
        if (id != declared || says_type) && self.encoding.is_none() {
            self.announce(id)?;
        } else if self.encoding.is_some() && !(self.is_untyped() && id == declared) {
            self.announce_declared(TypeId::Complex(id));
        }
        match item {
            Item::Record(source) => self.record(id, source, tags),
            Item::Scalar(scalar) if types.text_field(id).is_some() => self.only_text(id, &scalar, tags),
            Item::Scalar(scalar) if let Some((text, _)) = types.mixed_field(id) => {
                let name = complex.fields[text as usize].name.to_string();
                self.record(id, &vec![(name, Value::from(scalar))], tags)
            }
            // An array for a type that holds nothing but one: the element around it is implied.
            other if is_array_type(self, id) && is_array(&other) => {
                self.out.push(b'>');
                self.field(id, 0, other)?;
                self.out.extend_from_slice(&tags.close);
                Ok(())
            }
            other => Err(wrong_kind(types, TypeId::Complex(id), &other)),
        }
    }

    /// The rest of a record after its open start tag.
    pub(super) fn record(&mut self, id: ComplexId, source: &dyn Source, tags: &Tags) -> Result<(), Error> {
        let types = self.types;
        self.refuse_unknown(source, id)?;
        self.attributes(id, source)?;
        if self.says_nil(id, source) {
            self.raw("/>");
            return Ok(());
        }
        if let Some((field, simple)) = types.text_field(id) {
            let f = &types.complex(id).fields[field as usize];
            let result = match source.field(field as usize, &f.name) {
                Item::Scalar(scalar) => self.text(simple, &scalar, tags),
                Item::Absent => self.text(simple, &Scalar::Text("".into()), tags),
                item @ (Item::Column(_) | Item::Items(_)) => {
                    list_scalar(item).and_then(|list| self.text(simple, &list, tags))
                }
                other => Err(wrong_kind(types, TypeId::Simple(simple), &other)),
            };
            return result.map_err(|e| e.within(&*f.name));
        }
        self.out.push(b'>');
        if let Some((field, simple)) = types.mixed_field(id) {
            self.mixed_text(id, field, simple, source)?;
        }
        self.content(id, source)?;
        self.out.extend_from_slice(&tags.close);
        Ok(())
    }

    /// Whether the record is a nil element that has attributes.
    fn says_nil(&self, id: ComplexId, source: &dyn Source) -> bool {
        let Some(at) = self.types.nil_field(id) else {
            return false;
        };
        let name = &self.types.complex(id).fields[at as usize].name;
        match source.field(at as usize, name) {
            Item::Scalar(Scalar::Bool(nil)) => nil,
            Item::Scalar(Scalar::Text(text)) => matches!(text.trim(), "true" | "1"),
            _ => false,
        }
    }

    /// The text of mixed content, before all children.
    fn mixed_text(
        &mut self,
        id: ComplexId,
        field: u32,
        simple: SimpleId,
        source: &dyn Source,
    ) -> Result<(), Error> {
        let f = &self.types.complex(id).fields[field as usize];
        let result = match source.field(field as usize, &f.name) {
            Item::Absent | Item::Nil => Ok(()),
            Item::Scalar(scalar) => self.content_text(simple, &scalar, &[], 0),
            other => Err(wrong_kind(self.types, TypeId::Simple(simple), &other)),
        };
        result.map_err(|e| e.within(&*f.name))
    }

    /// A scalar where simple content belongs: its attributes are all absent.
    fn only_text(&mut self, id: ComplexId, scalar: &Scalar<'_>, tags: &Tags) -> Result<(), Error> {
        self.attributes(id, &Vec::new())?;
        match self.types.text_field(id) {
            Some((_, simple)) => self.text(simple, scalar, tags),
            None => Err(wrong_kind(self.types, TypeId::Complex(id), &Item::Absent)),
        }
    }

    /// The value's own type, when it names one that is derived from the declared type.
    fn actual_type(&self, declared: ComplexId, source: &dyn Source) -> Result<ComplexId, Error> {
        let types = self.types;
        let Some(name) = source.type_name() else {
            return Ok(declared);
        };
        if *types.complex(declared).label == *name {
            return Ok(declared);
        }
        match types.type_by_clark(name) {
            Some(TypeId::Complex(id)) if types.is_derived(TypeId::Complex(id), TypeId::Complex(declared)) => {
                Ok(id)
            }
            Some(_) if self.options.strict => {
                let why = format!(
                    "a value of type {name} where {} belongs",
                    types.complex(declared).label
                );
                Err(Error::caller(Kind::Value, why))
            }
            _ => Ok(declared),
        }
    }

    /// Writes `xsi:type`.
    pub(super) fn announce(&mut self, id: ComplexId) -> Result<(), Error> {
        let types = self.types;
        let Some(name) = &types.complex(id).name else {
            return Err(Error::caller(
                Kind::Value,
                "an anonymous type cannot be announced with xsi:type",
            ));
        };
        self.ensure(name.ns);
        self.ensure(Types::XSI);
        self.raw(&format!(" xsi:type=\"{}\"", types.prefixed(name)));
        Ok(())
    }

    /// Writes the passes of a repeated group.
    pub(super) fn groups(&mut self, f: &Field, item: Item<'_>) -> Result<(), Error> {
        let TypeId::Complex(id) = f.ty else {
            return Err(wrong_kind(self.types, f.ty, &item));
        };
        match item {
            item @ (Item::Record(_) | Item::Scalar(_) | Item::Nil) if f.is_substitution() => {
                self.substitute(f, id, item)
            }
            Item::Record(source) => {
                self.refuse_unknown(source, id)?;
                deep(|| self.pass(id, source, f.many))
            }
            Item::Items(items) => self.each_item(items, |this, item| this.groups(f, item)),
            Item::Table(table) => {
                (0..table.len()).try_for_each(|i| self.content(id, &super::array::Row(&table, i)))
            }
            other => Err(wrong_kind(self.types, f.ty, &other)),
        }
    }
}

fn is_array(item: &Item<'_>) -> bool {
    matches!(
        item,
        Item::Column(_) | Item::Table(_) | Item::Items(_) | Item::Stream(_)
    )
}

/// Whether the type has one field, a repeated element, and nothing else.
fn is_array_type<M>(encoder: &Encoder<'_, M>, id: ComplexId) -> bool {
    matches!(&encoder.types.complex(id).fields[..], [f] if f.many && f.kind == FieldKind::Element)
}

/// An array as the items of a list type.
pub(super) fn list_scalar(item: Item<'_>) -> Result<Scalar<'static>, Error> {
    let one =
        |i: usize, item: Item<'_>| match item {
            Item::Scalar(scalar) => Ok(scalar.into_owned()),
            _ => Err(Error::caller(Kind::Value, "a list type holds simple values only")
                .within(format!("[{}]", i + 1))),
        };
    Ok(Scalar::List(match item {
        Item::Column(column) => (0..column.len()).filter_map(|i| column.get(i)).collect(),
        Item::Items(items) => (0..items.len())
            .map(|i| one(i, items.item(i)))
            .collect::<Result<_, _>>()?,
        other => vec![one(0, other)?],
    }))
}

pub(super) fn wrong_kind(types: &Types, ty: TypeId, item: &Item<'_>) -> Error {
    let given = match item {
        Item::Absent => "nothing",
        Item::Nil => "nil",
        Item::Scalar(scalar) => scalar.kind(),
        Item::Column(_) => "an array of numbers",
        Item::Table(_) => "an array of records",
        Item::Record(_) => "a record",
        Item::Items(_) => "a list",
        Item::Stream(_) => "a stream",
        Item::Xml(_) => "XML",
        Item::Grid(..) => "an array of several dimensions",
        Item::Ref(_) => "a shared object, which only SOAP encoding has,",
    };
    Error::caller(
        Kind::Value,
        format!("{given} given where the type is {}", types.type_label(ty)),
    )
}
