//! The body of a message around a generated type.

use castile_value::Item;
use castile_value::typed::{Fields, Place};

/// A body of one element, which is of a generated type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body<T>(pub T);

impl<T: Fields + Default> Fields for Body<T> {
    fn label(&self) -> &'static str {
        ""
    }

    fn get(&self, _index: usize) -> Item<'_> {
        Item::Record(&self.0)
    }

    fn at(&mut self, index: usize) -> Option<&mut dyn Place> {
        (index == 0).then_some(&mut self.0 as &mut dyn Place)
    }

    fn start(_label: &str) -> Option<Self> {
        Some(Body::default())
    }
}
