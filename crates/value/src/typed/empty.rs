//! No fields at all: [`Empty`].

use std::sync::Arc;

use super::{Fields, Input, Mismatch, Open, Place};
use crate::{Item, Shape};

/// No fields: the declared header of an operation that declares none, the results of one that has
/// none. What comes for it nevertheless is passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Empty {
    over: Over,
}

/// The one there is.
pub static EMPTY: Empty = Empty { over: Over };

/// Takes everything and keeps nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Over;

impl Fields for Empty {
    fn label(&self) -> &'static str {
        ""
    }

    fn get(&self, _index: usize) -> Item<'_> {
        Item::Absent
    }

    fn at(&mut self, _index: usize) -> Option<&mut dyn Place> {
        Some(&mut self.over)
    }

    fn start(_label: &str) -> Option<Self> {
        Some(Empty::default())
    }
}

impl Place for Over {
    fn item(&self) -> Item<'_> {
        Item::Absent
    }

    fn put(&mut self, _many: bool, input: Input<'_, '_>) -> Result<(), Mismatch> {
        if let Input::Flat(_, values) = input {
            values.clear();
        }
        Ok(())
    }

    fn open(&self, _shape: &Arc<Shape>) -> Result<Box<dyn Open>, Mismatch> {
        Ok(Box::new(Empty::default()))
    }
}
