//! A global element as it stands under a wildcard: [`Global`].

use std::sync::Arc;

use castile_value::Shape;

use crate::{Element, Field, Tags, Types};

/// What reading and writing a global element takes where only a wildcard says that it may stand.
#[derive(Clone, Debug)]
pub struct Global {
    /// The element as a field that stands for itself, once.
    pub field: Field,
    /// Its tags.
    pub tags: Tags,
    /// The shape of the value that names it: one field, called `{namespace}local`.
    pub shape: Arc<Shape>,
}

impl Global {
    pub(crate) fn new(types: &Types, element: &Element) -> Global {
        let clark = types.clark(&element.name);
        Global {
            field: element.to_field(),
            tags: types.element_tags(&element.name),
            shape: Arc::new(Shape::new(format!("element {clark}"), vec![clark.into()])),
        }
    }
}
