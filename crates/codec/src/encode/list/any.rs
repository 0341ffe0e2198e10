//! Lists of records of any kind: with optional parts, attributes, other records and small lists in them.

use std::ops::Range;

use castile_message::{Unmarked, Version};
use castile_plan::{Field, NsIx, Tags, TypeId, Types};
use castile_value::Items;

use super::super::items::Rest;
use super::super::keep::Apart;
use super::super::{EncodeOptions, Encoder};
use super::Known;
use super::print::{Printed, is_printed, print};

/// How items are written: all that an encoder knows where they stand.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AnyWriter {
    pub(super) field: Field,
    pub(super) tags: Tags,
    pub(super) declared: Vec<NsIx>,
    pub(super) depth: u32,
    pub(super) borrows: bool,
    pub(super) version: Version,
    pub(super) options: EncodeOptions,
    pub(super) apart: Apart,
}

impl AnyWriter {
    /// The values that an item mostly has.
    pub(super) fn fields(&self, types: &Types) -> usize {
        fields(types, self.field.ty)
    }

    /// Appends items, and what is known of them; `false` when one cannot be written or printed.
    pub(super) fn write(&self, types: &Types, rest: &Rest<'_>, out: &mut Vec<u8>, known: &mut Known) -> bool {
        let mut unmarked = Unmarked;
        let mut encoder = Encoder::new(types, &self.options, self.version, out, &mut unmarked);
        encoder.declared.clone_from(&self.declared);
        (encoder.depth, encoder.borrows) = (self.depth, self.borrows);
        encoder.overlay_above = usize::MAX;
        let ends = &mut known.ends;
        let written = encoder.each(&self.field, &self.tags, rest, |end| ends.push(end as u32));
        let mut all = 0..rest.len();
        written.is_ok()
            && all.all(|i| {
                let held = self.print(types, rest.items, rest.index(i), &mut known.values);
                known.value_ends.push(known.values.len() as u32);
                held
            })
            && u32::try_from(out.len().max(known.values.len())).is_ok()
    }

    /// Appends what an item holds; `false` when it cannot be printed.
    pub(super) fn print(&self, types: &Types, items: &dyn Items, i: usize, out: &mut Vec<u8>) -> bool {
        print(types, self.apart, self.field.ty, printed(items, i), out)
    }

    /// Whether an item holds what is known of one that was written.
    pub(super) fn is_item(&self, types: &Types, items: &dyn Items, i: usize, known: &[u8]) -> bool {
        is_printed(types, self.apart, self.field.ty, printed(items, i), known)
    }

    /// Finds the items that are not as they were.
    pub(super) fn find_changed(
        &self,
        types: &Types,
        items: &dyn Items,
        range: Range<usize>,
        known: &Known,
        changed: &mut Vec<usize>,
    ) {
        let first = range.start;
        changed.extend((0..range.len()).filter(|&i| !self.is_item(types, items, first + i, known.value(i))));
    }
}

/// The values that an item of a type mostly has.
pub(super) fn fields(types: &Types, ty: TypeId) -> usize {
    match ty {
        TypeId::Complex(id) => types.complex(id).fields.len().max(1),
        _ => 1,
    }
}

/// A dynamic value where it lies, or the item as its owner gives it.
fn printed(items: &dyn Items, i: usize) -> Printed<'_> {
    match items.values(i..i + 1) {
        Some([value]) => Printed::Value(value),
        _ => Printed::Item(items.item(i)),
    }
}
