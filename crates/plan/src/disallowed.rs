//! Derived types that may not stand for a declared one: `block` and `blockDefault` (XSD 1.0 part 1, 3.3.4).

use serde::{Deserialize, Serialize};

use crate::{Derivation, Field, QName, TypeId, Types};

/// How the type of an element that names its own by `xsi:type` may not be derived: what the declarations of
/// the element and of its type block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disallowed {
    /// The element.
    pub element: QName,
    /// Its declared type.
    pub ty: TypeId,
    /// Not by extension.
    pub extension: bool,
    /// Not by restriction.
    pub restriction: bool,
}

impl Types {
    /// The way of derivation that keeps `own` from standing for the type of a field, if one does.
    pub fn disallows(&self, field: &Field, own: TypeId) -> Option<&'static str> {
        let known = self.derived.disallowed.get(&field.wire)?;
        let here = known.iter().map(|&i| &self.disallowed[i as usize]);
        let Disallowed {
            extension,
            restriction,
            ..
        } = here.into_iter().find(|d| d.ty == field.ty)?;
        let mut at = own;
        // A chain cannot be longer than the table.
        for _ in 0..=self.complex.len() + self.simple.len() {
            let (way, base) = match at {
                ty if ty == field.ty => return None,
                TypeId::Complex(id) => (self.complex(id).derivation, self.complex(id).base?),
                TypeId::Simple(id) => (Derivation::Restriction, TypeId::Simple(self.simple(id).base?)),
                _ => return None,
            };
            match way {
                Derivation::Extension if *extension => return Some("extension"),
                Derivation::Restriction if *restriction => return Some("restriction"),
                _ => at = base,
            }
        }
        None
    }
}
