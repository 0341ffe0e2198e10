//! Arrays of more than one dimension.

use crate::Value;

/// An array of two or more dimensions, which SOAP encoding has (SOAP 1.1, 5.4.2).
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    sizes: Box<[usize]>,
    values: Box<Value>,
}

impl Grid {
    /// An array of these sizes, the slowest dimension first, over `values` in that order (rows of a
    /// matrix one after another).
    ///
    /// # Errors
    /// The values, unless there are as many as the sizes say.
    pub fn new(sizes: Vec<usize>, values: Value) -> Result<Grid, Value> {
        let count = sizes.iter().try_fold(1usize, |n, &size| n.checked_mul(size));
        if count != Some(values.count()) {
            return Err(values);
        }
        Ok(Grid {
            sizes: sizes.into(),
            values: Box::new(values),
        })
    }

    /// How many values each dimension has, the slowest first.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// All values, the fastest dimension last: a list, column or table.
    pub fn values(&self) -> &Value {
        &self.values
    }

    /// The sizes and values, taken apart.
    pub fn into_parts(self) -> (Vec<usize>, Value) {
        (self.sizes.into(), *self.values)
    }
}
