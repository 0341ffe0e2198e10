//! The types of SOAP encoding: its names for simple types, and arrays (SOAP 1.1, 5.4.2; WSDL 1.1, 2.2).
//!
//! An array is a complex type of one repeated field, the item, with
//! [`Complex::array`](castile_plan::Complex::array) set. Contracts describe it in two ways, both of
//! which are read: `wsdl:arrayType` on a reference to the attribute `soapenc:arrayType`, and an element
//! that stands for every item.

use castile_plan::{Complex, ComplexId, Derivation, Field, Occurs, Particle, TypeId};

use super::refer::built_in;
use super::{Compiler, Scope, Unusable, empty};
use crate::names::Ns;
use crate::tree::{NodeRef, QNameRef};
use crate::xsd::{Decl, Space};

/// What a type says of its items.
struct Said {
    item: Field,
    rank: u32,
}

/// Whether the name is that of the encoding's struct, which says nothing of its members.
pub(super) fn is_struct(name: QNameRef<'_>) -> bool {
    matches!(name.ns, Ns::ENCODING11 | Ns::ENCODING12) && name.local == "Struct"
}

fn is_array(name: QNameRef<'_>) -> bool {
    matches!(name.ns, Ns::ENCODING11 | Ns::ENCODING12) && name.local == "Array"
}

/// The extension or restriction of complex content.
fn derived(node: NodeRef<'_>) -> Option<NodeRef<'_>> {
    let content = node.child(Ns::XSD, "complexContent")?;
    let mut children = content.children();
    children.find(|c| c.is(Ns::XSD, "extension") || c.is(Ns::XSD, "restriction"))
}

impl<'d> Compiler<'d> {
    /// A type of the encoding's own namespace. Its simple types are those of XSD with attributes
    /// that carry no value (SOAP 1.1, 5.2.1).
    pub(super) fn encoded_type(&mut self, name: QNameRef<'_>) -> Option<TypeId> {
        if is_array(name) {
            return Some(TypeId::Complex(self.any_array()));
        }
        if is_struct(name) {
            return Some(TypeId::Any);
        }
        let local = if name.local == "base64" {
            "base64Binary"
        } else {
            name.local
        };
        built_in(local).filter(|ty| *ty != TypeId::Any)
    }

    /// The array of any items: what `soapenc:Array` alone is.
    pub(crate) fn any_array(&mut self) -> ComplexId {
        self.array_of(TypeId::Any, 1)
    }

    /// The array type of the declaration, if it is one.
    pub(super) fn array(&mut self, decl: Decl, label: &str) -> Result<Option<Complex>, Unusable> {
        let Some(node) = self.schemas.node(decl) else {
            return Ok(None);
        };
        let Some(Said { item, rank }) = self.items(decl, label, 0)? else {
            return Ok(None);
        };
        let name = self.global_name(decl, node);
        Ok(Some(Complex {
            name,
            derivation: Derivation::Restriction,
            base: Some(TypeId::Any),
            doc: node.documentation(),
            ..array(label, item, rank)
        }))
    }

    /// What a declaration or the array it is derived from says of its items.
    fn items(&mut self, decl: Decl, label: &str, depth: u32) -> Result<Option<Said>, Unusable> {
        let Some(derived) = self.schemas.node(decl).and_then(derived) else {
            return Ok(None);
        };
        let Some(base) = derived.qname("base").filter(|_| depth < self.limits.depth_max) else {
            return Ok(None);
        };
        let inherited = if is_array(base) {
            Said {
                item: Field::item(TypeId::Any),
                rank: 1,
            }
        } else {
            let before = self.before(Space::Type, decl, base);
            let found = before.or_else(|| self.schemas.find(Space::Type, decl.schema, base));
            match found
                .map(|found| self.items(found, label, depth + 1))
                .transpose()?
            {
                Some(Some(said)) => said,
                _ => return Ok(None),
            }
        };
        self.own_items(decl, derived, label)
            .map(|own| Some(own.unwrap_or(inherited)))
    }

    fn own_items(&mut self, decl: Decl, derived: NodeRef<'d>, label: &str) -> Result<Option<Said>, Unusable> {
        let mut attributes = derived.named(Ns::XSD, "attribute");
        if let Some((attribute, (name, dimensions))) = attributes.find_map(|a| Some((a, a.array_type()?))) {
            let Some(ranks) = ranks(dimensions) else {
                let text = format!("wsdl:arrayType has the dimensions {dimensions:?} (SOAP 1.1, 5.4.2)");
                return Err(self.refuse(decl.schema, attribute, &text));
            };
            // Names of the encoding itself may stand for XSD's, and anything for no prefix at all.
            let mut ty = self.type_named(decl.schema, attribute, name);
            let (rank, inner) = ranks
                .split_last()
                .map_or((1, &[][..]), |(last, inner)| (*last, inner));
            for &rank in inner {
                ty = TypeId::Complex(self.array_of(ty, rank));
            }
            let item = Field {
                ty,
                ..self
                    .item_element(decl, derived, label)?
                    .unwrap_or_else(|| Field::item(ty))
            };
            return Ok(Some(Said { item, rank }));
        }
        let element = self.item_element(decl, derived, label)?;
        Ok(element.map(|item| Said { item, rank: 1 }))
    }

    /// The element that stands for every item, when the content is just that.
    fn item_element(
        &mut self,
        decl: Decl,
        derived: NodeRef<'d>,
        label: &str,
    ) -> Result<Option<Field>, Unusable> {
        let groups = ["sequence", "all", "choice"];
        let Some(group) = groups.iter().find_map(|name| derived.child(Ns::XSD, name)) else {
            return Ok(None);
        };
        let mut elements = group.named(Ns::XSD, "element");
        let (Some(element), None) = (elements.next(), elements.next()) else {
            return Ok(None);
        };
        let scope = Scope {
            schema: decl.schema,
            label,
        };
        let model = self.local_element(scope, element, Occurs::ONE)?;
        let complex = self.flatten_model(Some(&model), label, |_| {});
        Ok(complex.fields.into_iter().next().map(|field| Field {
            many: true,
            required: false,
            nillable: true,
            ..field
        }))
    }

    /// The array type without a name of these items.
    fn array_of(&mut self, ty: TypeId, rank: u32) -> ComplexId {
        if let Some(&id) = self.arrays.get(&(ty, rank)) {
            return id;
        }
        let label = match ty {
            TypeId::Any => "soapenc:Array".to_owned(),
            // A type that is compiled later has its label already.
            ty => format!("array of {}", self.types.type_label(ty)),
        };
        let id = self.synthetic(array(&label, Field::item(ty), rank));
        self.arrays.insert((ty, rank), id);
        id
    }
}

/// An array type.
fn array(label: &str, item: Field, rank: u32) -> Complex {
    let occurs = Occurs {
        min: 0,
        max: Occurs::UNBOUNDED,
    };
    Complex {
        fields: vec![item],
        content: vec![
            Particle::Sequence {
                optional: false,
                end: 2,
            },
            Particle::Leaf { field: 0, occurs },
        ],
        array: Some(rank),
        ..empty(label)
    }
}

/// Dimensions such as `[,][]`, innermost arrays first, as the number of dimensions of each; sizes may
/// stand there. No brackets at all are those of one dimension, which some contracts forget.
fn ranks(text: &str) -> Option<Vec<u32>> {
    let mut ranks = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (inside, after) = rest.strip_prefix('[')?.split_once(']')?;
        let sizes = |b: u8| b.is_ascii_digit() || matches!(b, b',' | b' ');
        if !inside.bytes().all(sizes) {
            return None;
        }
        ranks.push(1 + inside.bytes().filter(|&b| b == b',').count() as u32);
        rest = after.trim_start();
    }
    (ranks.len() <= RANKS_MAX).then_some(ranks)
}

/// Most arrays within one another that one attribute may describe.
const RANKS_MAX: usize = 16;

#[cfg(test)]
mod tests {
    #[test]
    fn dimensions_are_read() {
        for (text, expected) in [
            ("", Some(vec![])),
            ("[]", Some(vec![1])),
            ("[,]", Some(vec![2])),
            ("[][,,]", Some(vec![1, 3])),
            ("[2,3]", Some(vec![2])),
            ("[", None),
            ("[a]", None),
            ("]", None),
        ] {
            assert_eq!(super::ranks(text), expected, "{text:?}");
        }
        assert_eq!(super::ranks(&"[]".repeat(17)), None);
    }
}
