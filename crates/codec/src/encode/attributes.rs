//! Attributes.

use castile_message::Marks;
use castile_plan::{ComplexId, Field, FieldKind, TypeId};
use castile_value::{Item, Scalar, Source};

use super::Encoder;
use super::element::{list_scalar, wrong_kind};
use crate::error::{Error, Kind};
use crate::scalar::format;

impl<M: Marks> Encoder<'_, M> {
    /// Writes the attributes of a record.
    pub(super) fn attributes(&mut self, id: ComplexId, source: &dyn Source) -> Result<(), Error> {
        let types = self.types;
        for (i, f) in types.complex(id).fields.iter().enumerate() {
            let result = match &f.kind {
                FieldKind::Attribute => self.attribute(id, i, f, source.field(i, &f.name)),
                FieldKind::AnyAttribute(wildcard) => {
                    self.any_attributes(id, wildcard, source.field(i, &f.name))
                }
                _ => continue,
            };
            result.map_err(|e| e.within(format!("@{}", f.name)))?;
        }
        Ok(())
    }

    fn attribute(&mut self, id: ComplexId, i: usize, f: &Field, item: Item<'_>) -> Result<(), Error> {
        let scalar = match (item, &f.fixed) {
            (Item::Scalar(scalar), _) => scalar,
            (item @ (Item::Column(_) | Item::Items(_)), _) => list_scalar(item)?,
            (Item::Absent | Item::Nil, Some(fixed)) if f.required => Scalar::Text(fixed.to_string().into()),
            (Item::Absent | Item::Nil, _) if !f.required || !self.options.strict => return Ok(()),
            (Item::Absent | Item::Nil, _) => {
                return Err(Error::caller(
                    Kind::Missing,
                    format!("attribute {:?} is missing", f.name),
                ));
            }
            (other, _) => return Err(wrong_kind(self.types, f.ty, &other)),
        };
        let simple = match f.ty {
            TypeId::Simple(simple) => simple,
            TypeId::Unsupported(n) => return Err(Error::unsupported(&self.types.unsupported[n as usize])),
            _ => return Err(Error::unsupported("an attribute of a complex type")),
        };
        if f.fixed.is_some() {
            self.check_fixed(f, simple, &Item::Scalar(scalar.clone()))?;
        }
        self.ensure(f.wire.ns);
        let (qnames, first) = self.declare_qnames(&scalar);
        let types = self.types;
        let tags = &types.tags(id)[i];
        self.out.extend_from_slice(&tags.open);
        let start = self.out.len();
        format(
            types,
            simple,
            &scalar,
            self.context(true, &qnames, first),
            self.out,
        )?;
        self.marks.value(simple.0, start..self.out.len());
        self.out.extend_from_slice(&tags.close);
        Ok(())
    }
}
