//! The types of Apache SOAP and Axis that contracts name and often do not declare: `Map`, a list of
//! pairs of a key and a value, `Vector`, a list of anything, and elements of a document.

use castile_plan::{Complex, Derivation, Field, NsIx, Occurs, Particle, QName, TypeId};

use super::{Compiler, empty};
use crate::names::Ns;

impl Compiler<'_> {
    /// The type of this local name in the namespace of Apache's types.
    pub(super) fn apache_type(&mut self, local: &str) -> Option<TypeId> {
        if let Some(&known) = self.apache.get(local) {
            return Some(known);
        }
        let ty = match local {
            "Map" => {
                let pair = self.apache_struct("mapItem", vec![one("key"), one("value")]);
                self.apache_struct("Map", vec![Field::item(pair)])
            }
            "Vector" => self.apache_struct("Vector", vec![Field::item(TypeId::Any)]),
            "Element" | "Document" => TypeId::Any,
            _ => return None,
        };
        self.apache.insert(local.into(), ty);
        Some(ty)
    }

    /// A sequence of these elements, under a name of Apache's.
    fn apache_struct(&mut self, local: &str, fields: Vec<Field>) -> TypeId {
        let name = self.qname(Ns::APACHE, local);
        let label = self.documents.names.clark(Ns::APACHE, local);
        let leaf = |(field, of): (usize, &Field)| {
            let occurs = if of.many {
                Occurs {
                    min: 0,
                    max: Occurs::UNBOUNDED,
                }
            } else {
                Occurs::ONE
            };
            Particle::Leaf {
                field: field as u32,
                occurs,
            }
        };
        let sequence = Particle::Sequence {
            optional: false,
            end: 1 + fields.len() as u32,
        };
        let content = std::iter::once(sequence).chain(fields.iter().enumerate().map(leaf));
        let complex = Complex {
            name: Some(name),
            derivation: Derivation::Restriction,
            base: Some(TypeId::Any),
            content: content.collect(),
            fields,
            ..empty(&label)
        };
        TypeId::Complex(self.synthetic(complex))
    }
}

/// An element of any type that stands there once and may be nil.
fn one(name: &str) -> Field {
    Field {
        name: name.into(),
        wire: QName::new(NsIx::NONE, name),
        many: false,
        required: true,
        ..Field::item(TypeId::Any)
    }
}
