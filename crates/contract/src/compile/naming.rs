//! What users call the fields of a type.

use std::collections::{HashMap, HashSet};

use castile_plan::{Field, FieldKind};

/// Gives every field its name: the local name of elements, and of heads of substitution groups, first,
/// so they keep it; an attribute
/// that clashes with one gets `_attribute`, whatever else clashes `_2`, `_3`. The text is `value`,
/// or `text` if that is taken; wildcards are `any` and `any_attributes`.
pub(super) fn assign(fields: &mut [Field]) {
    let mut taken = Taken::default();
    let ranks: [fn(&Field) -> bool; 6] = [
        |f| f.kind == FieldKind::Element || f.is_substitution(),
        |f| f.kind == FieldKind::Attribute,
        |f| f.kind == FieldKind::Text,
        |f| f.kind == FieldKind::Group && !f.is_substitution(),
        |f| matches!(f.kind, FieldKind::Any(_)),
        |f| matches!(f.kind, FieldKind::AnyAttribute(_)),
    ];
    for rank in ranks {
        for field in fields.iter_mut().filter(|field| rank(field)) {
            field.name = match field.kind {
                FieldKind::Element => taken.name(&field.wire.local, None),
                FieldKind::Attribute => taken.name(&field.wire.local, Some("_attribute")),
                FieldKind::Text if taken.names.contains("value") => taken.name("text", None),
                FieldKind::Text => taken.name("value", None),
                FieldKind::Group => taken.name(&field.name, None),
                FieldKind::Any(_) => taken.name("any", None),
                FieldKind::AnyAttribute(_) => taken.name("any_attributes", None),
            };
        }
    }
}

#[derive(Default)]
struct Taken {
    names: HashSet<Box<str>>,
    /// The next number to try for a name.
    next: HashMap<Box<str>, u32>,
}

impl Taken {
    fn name(&mut self, wanted: &str, suffix: Option<&str>) -> Box<str> {
        if self.take(wanted) {
            return wanted.into();
        }
        let wanted = format!("{wanted}{}", suffix.unwrap_or_default());
        if suffix.is_some() && self.take(&wanted) {
            return wanted.into();
        }
        loop {
            let next = self.next.entry(wanted.as_str().into()).or_insert(2);
            let name = format!("{wanted}_{next}");
            *next += 1;
            if self.take(&name) {
                return name.into();
            }
        }
    }

    fn take(&mut self, name: &str) -> bool {
        self.names.insert(name.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castile_plan::{NsIx, Process, QName, TypeId, Types, Wildcard};

    #[test]
    fn names_are_unique_and_elements_keep_theirs() {
        let field = |kind: FieldKind, local: &str| Field {
            name: local.into(),
            wire: QName::new(if local == "b" { Types::XML } else { NsIx::NONE }, local),
            kind,
            ty: TypeId::Any,
            many: false,
            required: false,
            nillable: false,
            default: None,
            fixed: None,
            doc: None,
        };
        let any = || Wildcard {
            namespaces: None,
            other_than: None,
            process: Process::Lax,
        };
        let mut fields = [
            field(FieldKind::Attribute, "a"),
            field(FieldKind::Attribute, "value"),
            field(FieldKind::Text, ""),
            field(FieldKind::Element, "a"),
            field(FieldKind::Element, "a"),
            field(FieldKind::Group, "choice"),
            field(FieldKind::Group, "choice"),
            field(FieldKind::Any(any()), ""),
            field(FieldKind::AnyAttribute(any()), ""),
        ];
        assign(&mut fields);
        let names: Vec<&str> = fields.iter().map(|f| &*f.name).collect();
        let expected = [
            "a_attribute",
            "value",
            "text",
            "a",
            "a_2",
            "choice",
            "choice_2",
            "any",
            "any_attributes",
        ];
        assert_eq!(names, expected);
    }
}
