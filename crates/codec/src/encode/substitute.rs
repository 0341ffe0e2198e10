//! What stands for what is declared: which element of a substitution group, and which derived type may not.

use castile_message::Marks;
use castile_plan::{ComplexId, Field, FieldKind, TypeId};
use castile_value::{Item, Source};

use super::Encoder;
use super::element::wrong_kind;
use crate::error::{Error, Kind};

impl<M: Marks> Encoder<'_, M> {
    /// Writes one element of the substitution group `f`, whose elements are the fields of `id`.
    ///
    /// A record that has one of their names says so itself. A typed record that is none stands in the
    /// element of its type, any other value in the head.
    pub(super) fn substitute(&mut self, f: &Field, id: ComplexId, item: Item<'_>) -> Result<(), Error> {
        let types = self.types;
        let fields = &types.complex(id).fields;
        let head = || fields.iter().position(|member| member.wire == f.wire);
        let implied = match &item {
            Item::Record(source) if self.names_member(id, *source) => None,
            Item::Record(source) => self.member_of_type(id, *source).or_else(head),
            _ => head(),
        };
        match (implied, item) {
            (Some(member), item) => self.field(id, member as u32, item),
            (None, Item::Record(source)) => {
                self.refuse_unknown(source, id)
                    .map_err(|e| self.ambiguous(id, source).unwrap_or(e))?;
                self.content(id, source)
            }
            (None, other) => Err(wrong_kind(types, f.ty, &other)),
        }
    }

    /// Refuses a value of a type that is derived from the declared one in a way that its schema blocks.
    pub(super) fn refuse_disallowed(&self, f: &Field, source: &dyn Source) -> Result<(), Error> {
        let types = self.types;
        if types.disallowed.is_empty() || !self.options.strict {
            return Ok(());
        }
        let own = source.type_name().and_then(|name| types.type_by_clark(name));
        match own.and_then(|own| Some((own, types.disallows(f, own)?))) {
            Some((own, way)) => {
                let label = types.type_label(own);
                let why = format!("type {label}: element {} blocks types derived by {way}", f.name);
                Err(Error::caller(Kind::Value, why))
            }
            None => Ok(()),
        }
    }

    fn names_member(&self, id: ComplexId, source: &dyn Source) -> bool {
        let complex = self.types.complex(id);
        if let Some(name) = source.type_name() {
            return *name == *complex.label;
        }
        let mut fields = complex.fields.iter().enumerate();
        fields.any(|(i, f)| !matches!(source.field(i, &f.name), Item::Absent))
    }

    /// The only element whose type the value's own type is, or else is derived from.
    fn member_of_type(&self, id: ComplexId, source: &dyn Source) -> Option<usize> {
        let types = self.types;
        let own = types.type_by_clark(source.type_name()?)?;
        let fields = &types.complex(id).fields;
        let only = |fits: &dyn Fn(TypeId) -> bool| {
            let mut found =
                (0..fields.len()).filter(|&i| fields[i].kind == FieldKind::Element && fits(fields[i].ty));
            found.next().filter(|_| found.next().is_none())
        };
        only(&|ty| ty == own).or_else(|| only(&|ty| ty != TypeId::Any && types.is_derived(own, ty)))
    }

    /// What is wrong with a value whose type several elements have: nothing says which is meant.
    fn ambiguous(&self, id: ComplexId, source: &dyn Source) -> Option<Error> {
        let types = self.types;
        let name = source.type_name()?;
        let own = types.type_by_clark(name)?;
        let fits = |ty| ty != TypeId::Any && types.is_derived(own, ty);
        let members = types.complex(id).fields.iter();
        let members: Vec<&str> = members.filter(|m| fits(m.ty)).map(|m| &*m.name).collect();
        let first = members.first().filter(|_| members.len() > 1)?;
        let names = members.join(" or ");
        let why = format!("a value of {name} can stand in {names}; say which, as in {{{first:?}: value}}");
        Some(Error::caller(Kind::Value, why))
    }
}
