//! Telling a sink what was found of a message that is like a track.

use std::borrow::Cow;
use std::sync::Arc;

use castile_value::{Column, ColumnBuf, DType, Packed, RowLayout, Scalar, Sink, Slot, deep};

use super::array::Array;
use super::follow::Found;
use super::grow::New;
use super::items::BY_EXAMPLE;
use super::notes::{Fixed, Kind, Layout};
use super::parts::Parts;
use super::shadow::Shadow;
use super::track::{Items, Several, Step, Track};
use crate::decode::repeat::give;
use crate::scalar::push;

impl Track {
    /// Tells a sink what was found, and what is in the shadow.
    /// Where the sink is given arrays of the message that the shadow was of, they are changed.
    pub(in super::super) fn tell(
        &self,
        found: Found<'_>,
        shadow: Option<&Shadow>,
        is_given: bool,
        sink: &mut dyn Sink,
    ) {
        let along_path = found.along_path;
        let mut teller = Teller {
            shadow,
            is_given,
            scalars: found.scalars.into_iter(),
            counts: found.counts.into_iter(),
            columns: found.columns.into_iter(),
            rows: found.rows.into_iter(),
            packed: found.packed.into_iter(),
            wilds: found.wilds.into_iter(),
            new: found.new,
        };
        let steps = if along_path { &self.path } else { &self.steps };
        teller.steps(steps, sink);
    }
}

/// What was found, handed out in order.
struct Teller<'a, 's> {
    /// The arrays that are kept, unless they were not.
    shadow: Option<&'s Shadow>,
    is_given: bool,
    scalars: std::vec::IntoIter<Scalar<'a>>,
    counts: std::vec::IntoIter<u32>,
    columns: std::vec::IntoIter<ColumnBuf>,
    rows: std::vec::IntoIter<Vec<u8>>,
    packed: std::vec::IntoIter<Option<Packed<'a>>>,
    wilds: std::vec::IntoIter<&'a str>,
    new: Vec<New>,
}

impl Teller<'_, '_> {
    fn steps(&mut self, steps: &[Step], sink: &mut dyn Sink) {
        for step in steps {
            match step {
                Step::Constant(_) => {}
                Step::Tell(fixed) => fixed.tell(sink),
                Step::Value(slot, _) => {
                    if let Some(scalar) = self.scalars.next() {
                        sink.scalar(*slot, scalar);
                    }
                }
                Step::Wild(slot, wild) => {
                    if let Some(raw) = self.wilds.next() {
                        sink.xml(*slot, wild.told(raw));
                    }
                }
                Step::Alike(items) => self.alike(items, sink),
                Step::Items(several) => {
                    for _ in 0..self.counts.next().unwrap_or(0) {
                        self.some(several, sink);
                    }
                }
                Step::Parts(parts) => self.parts(parts, sink),
            }
        }
    }

    fn some(&mut self, several: &Several, sink: &mut dyn Sink) {
        match (self.counts.as_slice(), &several.example) {
            ([BY_EXAMPLE, ..], Some(example)) => {
                self.counts.next();
                self.alike(example, sink);
            }
            _ => self.one_of(&several.shapes, sink),
        }
    }

    fn one_of(&mut self, shapes: &[Vec<Step>], sink: &mut dyn Sink) {
        let shape = self.counts.next().unwrap_or(0) as usize;
        match shapes.get(shape) {
            Some(shape) => deep(|| self.steps(shape, sink)),
            None => drop(self.tell_new(shape - shapes.len(), sink)),
        }
    }

    /// What was learned on the way; whether it is the end of a record.
    fn tell_new(&mut self, i: usize, sink: &mut dyn Sink) -> Option<bool> {
        let new = self.new.get(i)?;
        let (steps, is_end) = (new.steps(), new.is_end());
        deep(|| self.steps(&steps, sink));
        Some(is_end)
    }

    fn parts(&mut self, parts: &Parts, sink: &mut dyn Sink) {
        while let Some(number) = self.counts.next() {
            let is_end = match parts.get(number) {
                Some(part) => {
                    self.one_of(&part.ways, sink);
                    part.coming.is_end()
                }
                None => self
                    .tell_new(number as usize - parts.all.len(), sink)
                    .unwrap_or(true),
            };
            if is_end {
                return;
            }
        }
    }

    fn alike(&mut self, items: &Items, sink: &mut dyn Sink) {
        let count = self.counts.next().unwrap_or(0) as usize;
        let slot = items.slot;
        if let Some(array) = items.kept.and_then(|place| self.shadow?.arrays.get(place)) {
            return match &items.kind {
                Kind::Column(dtype) if self.is_given && change_column(slot, *dtype, array, sink) => {}
                Kind::Column(dtype) => copy_column(slot, *dtype, &array.values, sink),
                Kind::Rows(Layout(layout)) if self.is_given && change_rows(slot, layout, array, sink) => {}
                Kind::Rows(Layout(layout)) => copy_rows(slot, layout, &array.values, sink),
                Kind::Scalars | Kind::Records(..) => {}
            };
        }
        match &items.kind {
            Kind::Scalars => {
                let mut texts = Vec::new();
                for scalar in self.scalars.by_ref().take(count) {
                    match scalar {
                        Scalar::Text(Cow::Borrowed(text)) => texts.push(text),
                        other => {
                            give(&mut texts, slot, sink);
                            sink.scalar(slot, other);
                        }
                    }
                }
                give(&mut texts, slot, sink);
            }
            Kind::Records(shape, layout) => {
                let packed = layout.as_ref().and_then(|_| self.packed.next()).flatten();
                if let Some(packed) = packed {
                    return sink.packed(slot, &packed);
                }
                let mut record = Vec::with_capacity(items.cells.len());
                for _ in 0..count {
                    record.extend(
                        items
                            .cells
                            .iter()
                            .map(|(_, field, _)| *field)
                            .zip(self.scalars.by_ref()),
                    );
                    sink.record(slot, shape, &mut record);
                    record.clear();
                }
            }
            Kind::Column(_) => {
                if let Some(column) = self.columns.next() {
                    give_column(slot, column, sink);
                }
            }
            Kind::Rows(Layout(layout)) => {
                if let Some(rows) = self.rows.next() {
                    give_rows(slot, layout, rows, sink);
                }
            }
        }
    }
}

impl Fixed {
    fn tell(&self, sink: &mut dyn Sink) {
        match self {
            Fixed::Open(at, shape) => sink.open(*at, shape),
            Fixed::Close => sink.close(),
            Fixed::Nil(at) => sink.nil(*at),
            Fixed::Scalar(at, scalar) => sink.scalar(*at, scalar.clone()),
            Fixed::Xml(at, text) => sink.xml(*at, text.clone()),
            Fixed::Attribute(at, name, value) => sink.attribute(*at, name.clone(), value),
            Fixed::Column(at, dtype) => {
                sink.column(*at, *dtype);
            }
            Fixed::Number(at, dtype, number) => match sink.column(*at, *dtype) {
                Some(column) => push(column, number),
                None => sink.scalar(*at, number.clone()),
            },
            Fixed::Row(at, Layout(layout), row) => give_rows(*at, layout, row.to_vec(), sink),
            Fixed::Array(at, shape, sizes) => {
                if let Some(graph) = sink.graph() {
                    graph.array(*at, shape.as_ref(), sizes);
                }
            }
            Fixed::Object(number) => {
                if let Some(graph) = sink.graph() {
                    graph.object(*number);
                }
            }
            Fixed::Reference(at, number) => {
                if let Some(graph) = sink.graph() {
                    graph.reference(*at, *number);
                }
            }
        }
    }
}

fn give_column(slot: Slot, numbers: ColumnBuf, sink: &mut dyn Sink) {
    match sink.column(slot, numbers.dtype()) {
        Some(column) if column.is_empty() => *column = numbers,
        Some(column) => column.append(numbers),
        None => one_by_one(slot, &numbers.view(), sink),
    }
}

/// The same for numbers that are kept, packed.
fn copy_column(slot: Slot, dtype: DType, packed: &[u8], sink: &mut dyn Sink) {
    match sink.column(slot, dtype) {
        Some(column) => column.extend_from_packed(packed),
        None => {
            let count = packed.len() / dtype.size();
            if let Some(column) = Column::new(packed, dtype.size(), dtype, count) {
                one_by_one(slot, &column, sink);
            }
        }
    }
}

/// Makes a column that holds the last message's numbers hold this one's; false when there is none.
fn change_column(slot: Slot, dtype: DType, array: &Array, sink: &mut dyn Sink) -> bool {
    let size = dtype.size();
    let Some(blocks) = array.changes.of(&array.values, size) else {
        return false;
    };
    let Some(column) = sink.given_column(slot, dtype) else {
        return false;
    };
    match column.len() * size == array.values.len() {
        true => blocks.for_each(|(from, block)| column.set_packed(from / size, block)),
        // It is of other values after all.
        false => {
            column.clear();
            column.extend_from_packed(&array.values);
        }
    }
    true
}

/// The same for records.
fn change_rows(slot: Slot, layout: &Arc<RowLayout>, array: &Array, sink: &mut dyn Sink) -> bool {
    let Some(blocks) = array.changes.of(&array.values, layout.stride()) else {
        return false;
    };
    let Some(rows) = sink.given_rows(slot, layout) else {
        return false;
    };
    let data = rows.data_mut();
    if data.len() != array.values.len() {
        data.clone_from(&array.values);
        return true;
    }
    for (from, block) in blocks {
        if let Some(place) = data.get_mut(from..from + block.len()) {
            place.copy_from_slice(block);
        }
    }
    true
}

fn one_by_one(slot: Slot, column: &Column<'_>, sink: &mut dyn Sink) {
    (0..column.len())
        .filter_map(|i| column.get(i))
        .for_each(|number| sink.scalar(slot, number));
}

fn give_rows(slot: Slot, layout: &Arc<RowLayout>, packed: Vec<u8>, sink: &mut dyn Sink) {
    match sink.rows(slot, layout) {
        Some(rows) if rows.is_empty() => *rows.data_mut() = packed,
        _ => copy_rows(slot, layout, &packed, sink),
    }
}

fn copy_rows(slot: Slot, layout: &Arc<RowLayout>, packed: &[u8], sink: &mut dyn Sink) {
    if let Some(rows) = sink.rows(slot, layout) {
        return rows.data_mut().extend_from_slice(packed);
    }
    let mut record = Vec::with_capacity(layout.fields().len());
    for row in packed.chunks_exact(layout.stride()) {
        let cells = layout.fields().iter().zip(0u32..).filter_map(|(cell, field)| {
            let column = Column::new(row.get(cell.offset..)?, cell.dtype.size(), cell.dtype, 1)?;
            Some((field, column.get(0)?))
        });
        record.extend(cells);
        sink.record(slot, layout.shape(), &mut record);
        record.clear();
    }
}
