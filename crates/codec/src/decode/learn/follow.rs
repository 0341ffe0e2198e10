//! Following a track: compare and read everything, then tell the sink.

use std::sync::Arc;

use castile_value::{Column, ColumnBuf, DType, RowLayout, Scalar, Sink, Slot};

use super::array::Array;
use super::form::Form;
use super::notes::{Fixed, Kind, Layout};
use super::shadow::{Shadow, State};
use super::track::{BUFFERED_MAX, Items, Occurs, Several, Step, Track};
use crate::decode::repeat::{Cell, Ground, Kernel, Pattern, after, after_space};
use crate::scalar::push;

/// The values of a message that is like a track, in the order of its steps.
#[derive(Default)]
pub(in super::super) struct Found<'a> {
    scalars: Vec<Scalar<'a>>,
    /// Numbers of items, and which shape each has.
    counts: Vec<u32>,
    columns: Vec<ColumnBuf>,
    rows: Vec<Vec<u8>>,
    pub(super) tally: Tally,
}

/// What of the arrays that are kept was read, and what not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) values: usize,
    pub(super) parsed: usize,
}

impl Track {
    /// The values of a message whose bytes from `at` to its end are like this. `fuel` says how many bytes
    /// may be looked at to find out, and is what is left of it then. Arrays are compared with those of the
    /// shadow, which has them afterwards.
    pub(in super::super) fn follow<'a>(
        &self,
        ground: Ground<'_, 'a>,
        at: usize,
        fuel: &mut usize,
        shadow: Option<&mut Shadow>,
    ) -> Option<Found<'a>> {
        let mut found = Found {
            scalars: Vec::with_capacity(self.values),
            ..Found::default()
        };
        let mut walk = Walk {
            ground,
            found: &mut found,
            fuel,
            shadow,
            from: at,
        };
        let end = walk.steps(&self.steps, at)?;
        (end == ground.input.len()).then_some(found)
    }

    /// Tells a sink what was found, and what is in the shadow.
    pub(in super::super) fn tell(&self, found: Found<'_>, shadow: Option<&Shadow>, sink: &mut dyn Sink) {
        let mut teller = Teller {
            shadow,
            scalars: found.scalars.into_iter(),
            counts: found.counts.into_iter(),
            columns: found.columns.into_iter(),
            rows: found.rows.into_iter(),
        };
        teller.steps(&self.steps, sink);
    }
}

struct Walk<'w, 'p, 'a> {
    ground: Ground<'p, 'a>,
    found: &'w mut Found<'a>,
    /// Shapes that begin alike are tried one after the other, and that nests: without a limit a peer could
    /// make a message that takes the product of their lengths.
    fuel: &'w mut usize,
    shadow: Option<&'w mut Shadow>,
    /// Where the shadow's text begins in this message.
    from: usize,
}

impl<'a> Walk<'_, '_, 'a> {
    /// Where the bytes at `at` that are like the steps end.
    fn steps(&mut self, steps: &[Step], at: usize) -> Option<usize> {
        let input = self.ground.input.as_bytes();
        let mut at = at;
        let mut number = false;
        for step in steps {
            match step {
                Step::Constant(bytes) => {
                    self.spend(bytes.len())?;
                    at = match number {
                        true => after_space(input, at, bytes)?,
                        false => after(input, at, bytes)?,
                    };
                    number = false;
                }
                Step::Tell(_) => {}
                Step::Value(_, kernel) => {
                    let (scalar, end) = self.ground.value(*kernel, at)?;
                    self.found.scalars.push(scalar);
                    self.spend(end - at)?;
                    at = end;
                    number = !matches!(kernel, Kernel::Text | Kernel::Other(_) | Kernel::Attribute(..));
                }
                Step::Alike(items) => at = self.alike(items, at)?,
                Step::Items(several) => at = self.several(several, at)?,
            }
        }
        Some(at)
    }

    fn spend(&mut self, bytes: usize) -> Option<()> {
        *self.fuel = self.fuel.saturating_sub(bytes + 1);
        (*self.fuel > 0).then_some(())
    }

    /// Items from one pattern. The first has no gap before it.
    fn alike(&mut self, items: &Items, at: usize) -> Option<usize> {
        let Occurs { least, most } = items.occurs;
        let most = match items.kind {
            Kind::Scalars | Kind::Records(_) => most.min(BUFFERED_MAX),
            Kind::Column(_) | Kind::Rows(_) => most,
        };
        if let Some((count, end)) = self.refresh(items, most, at) {
            self.found.counts.push(count);
            self.spend(end - at)?;
            return (count >= least).then_some(end);
        }
        let whole = items.pattern(&items.gap);
        let first = items.pattern(&[]);
        let ground = self.ground;
        let (count, end) = match &items.kind {
            Kind::Scalars => {
                let scalars = &mut self.found.scalars;
                twice(at, most, |at, left, is_first| {
                    ground.each_value(if is_first { &first } else { &whole }, at, left, |v| {
                        scalars.push(v)
                    })
                })
            }
            Kind::Records(_) => {
                let scalars = &mut self.found.scalars;
                twice(at, most, |at, left, is_first| {
                    let pattern = if is_first { &first } else { &whole };
                    ground.each_record(pattern, at, left, |record| {
                        scalars.extend(record.drain(..).map(|(_, scalar)| scalar));
                    })
                })
            }
            Kind::Column(dtype) => {
                let mut column = ColumnBuf::new(*dtype);
                let read = twice(at, most, |at, left, is_first| {
                    ground.numbers(if is_first { &first } else { &whole }, at, left, &mut column)
                });
                self.found.columns.push(column);
                read
            }
            Kind::Rows(Layout(layout)) => {
                let mut rows = Vec::new();
                let read = twice(at, most, |at, left, is_first| {
                    let pattern = if is_first { &first } else { &whole };
                    ground.rows(pattern, at, left, layout, &mut rows)
                });
                self.found.rows.push(rows);
                read
            }
        };
        self.found.counts.push(count);
        self.spend(end - at)?;
        (count >= least).then_some(end)
    }

    /// An array that is kept: the number of its items, and where they end.
    fn refresh(&mut self, items: &Items, most: u32, at: usize) -> Option<(u32, usize)> {
        let place = items.kept?;
        let shadow = self.shadow.as_deref_mut().filter(|s| s.state != State::Spoilt)?;
        if shadow.arrays.len() <= place {
            shadow.arrays.resize_with(place + 1, Array::default);
        }
        let array = shadow.arrays.get_mut(place)?;
        let old = array.span.clone();
        let pattern = items.pattern(&items.gap);
        let form = Form::new(&pattern, &items.dtypes, most)?;
        let text = shadow.text.get_mut(old.clone()).unwrap_or_default();
        let read = array.refresh(&form, text, self.ground, at);
        let in_place = read.in_place && old.start + self.from == at;
        let state = match (read.kept, in_place) {
            (false, _) => State::Spoilt,
            (true, true) => State::InPlace,
            (true, false) => State::Moved,
        };
        shadow.state = shadow.state.max(state);
        if !read.kept {
            // It is read plainly, and those after it.
            shadow.arrays.truncate(place);
            return None;
        }
        array.span = at - self.from..read.end - self.from;
        self.found.tally.values += read.items as usize * items.dtypes.len();
        self.found.tally.parsed += read.parsed;
        Some((read.items, read.end))
    }

    fn several(&mut self, several: &Several, at: usize) -> Option<usize> {
        let input = self.ground.input.as_bytes();
        let place = self.found.counts.len();
        self.found.counts.push(0);
        let (mut at, mut count) = (at, 0);
        while count < several.occurs.most {
            let from = match count {
                0 => Some(at),
                _ => after(input, at, &several.gap),
            };
            let Some(end) = from.and_then(|from| self.one_of(several, from)) else {
                break;
            };
            at = end;
            count += 1;
        }
        if let Some(found) = self.found.counts.get_mut(place) {
            *found = count;
        }
        (count >= several.occurs.least).then_some(at)
    }

    /// An item of any of the shapes.
    fn one_of(&mut self, several: &Several, at: usize) -> Option<usize> {
        let marks = self.found.lengths();
        for (i, shape) in several.shapes.iter().enumerate() {
            self.found.counts.push(i as u32);
            if let Some(end) = self.steps(shape, at) {
                return Some(end);
            }
            self.found.truncate(marks);
        }
        None
    }
}

/// Reads the first item and then the others, at most `most` together; their number and where they end.
fn twice(at: usize, most: u32, mut read: impl FnMut(usize, u32, bool) -> (u32, usize)) -> (u32, usize) {
    let (first, at) = read(at, 1.min(most), true);
    if first == 0 {
        return (0, at);
    }
    let (more, at) = read(at, most - 1, false);
    (1 + more, at)
}

impl Items {
    fn pattern<'p>(&'p self, gap: &'p [u8]) -> Pattern<'p> {
        let cell = |(before, field, kernel): &'p (Box<[u8]>, u32, Kernel)| Cell {
            before,
            field: *field,
            kernel: *kernel,
        };
        Pattern {
            gap,
            values: self.cells.iter().map(cell).collect(),
            close: &self.close,
        }
    }
}

impl Found<'_> {
    fn lengths(&self) -> [usize; 4] {
        [
            self.scalars.len(),
            self.counts.len(),
            self.columns.len(),
            self.rows.len(),
        ]
    }

    fn truncate(&mut self, [scalars, counts, columns, rows]: [usize; 4]) {
        self.scalars.truncate(scalars);
        self.counts.truncate(counts);
        self.columns.truncate(columns);
        self.rows.truncate(rows);
    }
}

/// What was found, handed out in order.
struct Teller<'a, 's> {
    /// The arrays that are kept, unless they were not.
    shadow: Option<&'s Shadow>,
    scalars: std::vec::IntoIter<Scalar<'a>>,
    counts: std::vec::IntoIter<u32>,
    columns: std::vec::IntoIter<ColumnBuf>,
    rows: std::vec::IntoIter<Vec<u8>>,
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
                Step::Alike(items) => self.alike(items, sink),
                Step::Items(several) => {
                    for _ in 0..self.counts.next().unwrap_or(0) {
                        let shape = self.counts.next().unwrap_or(0) as usize;
                        if let Some(shape) = several.shapes.get(shape) {
                            self.steps(shape, sink);
                        }
                    }
                }
            }
        }
    }

    fn alike(&mut self, items: &Items, sink: &mut dyn Sink) {
        let count = self.counts.next().unwrap_or(0) as usize;
        let slot = items.slot;
        if let Some(array) = items.kept.and_then(|place| self.shadow?.arrays.get(place)) {
            return match &items.kind {
                Kind::Column(dtype) => copy_column(slot, *dtype, &array.values, sink),
                Kind::Rows(Layout(layout)) => copy_rows(slot, layout, &array.values, sink),
                Kind::Scalars | Kind::Records(_) => {}
            };
        }
        match &items.kind {
            Kind::Scalars => {
                for scalar in self.scalars.by_ref().take(count) {
                    sink.scalar(slot, scalar);
                }
            }
            Kind::Records(shape) => {
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

#[cfg(test)]
mod tests {
    use castile_plan::Types;

    use super::*;

    /// How much fuel is left after a message was found like a track, or not.
    fn follow(track: &Track, input: &str, fuel: usize) -> (bool, usize) {
        let types = Types::default();
        let ground = Ground {
            types: &types,
            strict: true,
            input,
        };
        let mut left = fuel;
        let found = track.follow(ground, 0, &mut left, None);
        (found.is_some(), left)
    }

    #[test]
    fn shapes_that_begin_alike_are_tried_only_as_long_as_there_is_fuel() {
        let constant = |text: &str| Step::Constant(text.as_bytes().into());
        // Each level tries its first shape in vain, and all that is inside it.
        let nested = (0..12).fold(vec![constant("<a/>")], |inner: Vec<Step>, _| {
            let shape =
                |inner: Vec<Step>, end: &str| [vec![constant("<a>")], inner, vec![constant(end)]].concat();
            let several = Several {
                gap: Box::default(),
                shapes: vec![shape(inner.clone(), "x</a>"), shape(inner, "</a>")],
                occurs: Occurs { least: 1, most: 1 },
            };
            vec![Step::Items(several)]
        });
        let track = Track::of(nested);
        let input = format!("{}<a/>{}", "<a>".repeat(12), "</a>".repeat(12));
        let (like, left) = follow(&track, &input, usize::MAX);
        assert!(
            like && usize::MAX - left > 1 << 12,
            "it takes the product of the levels"
        );
        assert_eq!(follow(&track, &input, 4 * input.len()), (false, 0));
    }
}
