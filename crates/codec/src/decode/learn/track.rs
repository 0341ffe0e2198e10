//! [`Track`]: one path through what was learned.

use std::ops::Range;

use castile_value::{DType, Slot};

use super::markup::{is_markup, is_markup_from};
use super::merge::{Joint, merged, without_joints};
use super::notes::{Alike, Event, Fixed, Heard, Kind, Layout, Number};
use super::wild::Wild;
use crate::decode::repeat::Kernel;

/// How a message of one shape goes: constant bytes and, between them, values.
///
/// A track belongs to one plan, one [`Prologue`](super::Prologue) and one set of options.
#[derive(Debug)]
pub struct Track {
    pub(super) steps: Vec<Step>,
    /// The same with the joints, where other paths can meet it.
    path: Vec<Step>,
    /// Whether values of the message that it was learned from are in it.
    private: bool,
    bytes: usize,
    /// How many values the message had.
    pub(super) values: usize,
    /// Whether there is anything that a [`Shadow`](super::Shadow) keeps.
    pub(super) has_arrays: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// Bytes that must stand here.
    Constant(Box<[u8]>),
    /// What the sink is told, whatever the values.
    Tell(Fixed),
    /// A value; white space after a number belongs to nothing.
    Value(Slot, Kernel),
    /// An element that is kept as XML.
    Wild(Slot, Wild),
    Alike(Items),
    Items(Several),
    /// One of several ways, the first that fits.
    Choice(Vec<Vec<Step>>),
    /// Where paths can meet.
    Joint(Joint),
}

/// Items that are like one pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Items {
    pub(super) slot: Slot,
    pub(super) kind: Kind,
    pub(super) occurs: Occurs,
    pub(super) gap: Box<[u8]>,
    pub(super) cells: Vec<(Box<[u8]>, u32, Kernel)>,
    pub(super) close: Box<[u8]>,
    /// The machine types of an item's numbers, and which of the arrays that a shadow keeps it is.
    pub(super) dtypes: Box<[DType]>,
    pub(super) kept: Option<usize>,
}

/// Items of several shapes, in any order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Several {
    pub(super) gap: Box<[u8]>,
    pub(super) shapes: Vec<Vec<Step>>,
    pub(super) occurs: Occurs,
}

/// How many items there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occurs {
    pub(super) least: u32,
    pub(super) most: u32,
}

/// Items with texts that wait in a buffer until the whole message is found to be like a track. Longer runs
/// are read plainly, which is as quick: by the example of the first, and told at once.
pub(super) const BUFFERED_MAX: u32 = 256;

/// Shapes of items that one repetition learns, and ways of one choice.
pub(super) const SHAPES_MAX: usize = 16;

/// Tracks are equal when the same messages are like them.
impl PartialEq for Track {
    fn eq(&self, other: &Track) -> bool {
        self.steps == other.steps
    }
}

impl Track {
    #[cfg(test)]
    pub(super) fn of(steps: Vec<Step>) -> Track {
        Track {
            steps,
            path: Vec::new(),
            private: false,
            bytes: 0,
            values: 0,
            has_arrays: false,
        }
    }

    /// The track of a message, from byte `from` to its end. `None` for what is not worth learning.
    pub(super) fn new(heard: &Heard, message: &str, from: usize) -> Option<Track> {
        let many = |event: &Event| matches!(event, Event::Alike(alike) if alike.is_one_by_one() && alike.count > BUFFERED_MAX);
        if heard.is_too_long() || heard.events.iter().any(many) {
            return None;
        }
        let input = message.as_bytes();
        let path = Builder { input }.steps(&heard.events, from..input.len())?;
        Some(Track::along(path, heard.events.len()))
    }

    fn along(path: Vec<Step>, values: usize) -> Track {
        let mut steps = without_joints(&path);
        let arrays = steps.iter_mut().filter_map(|step| match step {
            Step::Alike(items) if !items.dtypes.is_empty() => Some(items),
            _ => None,
        });
        // What follows each other and is not repeated has one place.
        let arrays = arrays
            .zip(0..)
            .map(|(items, place)| items.kept = Some(place))
            .count();
        Track {
            private: is_private(&steps),
            bytes: steps.iter().chain(&path).map(Step::bytes).sum(),
            values,
            has_arrays: arrays > 0,
            steps,
            path,
        }
    }

    /// One track for messages that are like this or like the other, if their paths meet. The other was learned from
    /// one message.
    pub fn merged(&self, other: &Track) -> Option<Track> {
        let path = merged(&self.path, &other.path)?;
        Some(Track::along(path, self.values.max(other.values)))
    }

    /// Whether values of a message are part of it, which nobody else's message may be compared with.
    pub fn is_private(&self) -> bool {
        self.private
    }

    /// Whether a [`Shadow`](super::Shadow) of such a message keeps arrays of numbers.
    pub fn has_arrays(&self) -> bool {
        self.has_arrays
    }

    /// Bytes of memory, roughly.
    pub fn memory(&self) -> usize {
        self.bytes
    }
}

struct Builder<'m> {
    input: &'m [u8],
}

impl Builder<'_> {
    fn steps(&self, events: &[Event], span: Range<usize>) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let mut at = span.start;
        let mut i = 0;
        while let Some(event) = events.get(i) {
            i += 1;
            match event {
                Event::Fixed(fixed) => steps.push(Step::Tell(fixed.clone())),
                Event::Value(slot, kernel, place) => {
                    self.constant(at..place.start, &mut steps)?;
                    steps.push(Step::Value(*slot, *kernel));
                    at = place.end;
                }
                Event::Xml(slot, text, place) => match Wild::new(self.input, place.clone(), text) {
                    Some(wild) => {
                        self.constant(at..place.start, &mut steps)?;
                        steps.push(Step::Wild(*slot, wild));
                        at = place.end;
                    }
                    None => steps.push(Step::Tell(Fixed::Xml(*slot, text.clone()))),
                },
                Event::Joint(joint, place) if *place >= at => {
                    self.constant(at..*place, &mut steps)?;
                    at = *place;
                    steps.push(Step::Joint(joint.clone()));
                }
                // The first is in the prologue.
                Event::Joint(joint, _) => steps.push(Step::Joint(joint.clone().closed())),
                Event::Alike(alike) if alike.is_followed_by(after_joints(events, i)) => {
                    at = self.several(alike.slot, alike.number, &mut i, events, at, &mut steps)?;
                }
                Event::Item(slot, number, _) => {
                    at = self.several(*slot, *number, &mut i, events, at, &mut steps)?;
                }
                Event::Alike(alike) => {
                    self.constant(at..alike.span.start, &mut steps)?;
                    steps.push(Step::Alike(Items::new(alike)));
                    at = alike.span.end;
                }
                // Every end belongs to an item, and is passed with it.
                Event::ItemEnd(_) => return None,
            }
        }
        self.constant(at..span.end, &mut steps)?;
        Some(steps)
    }

    fn constant(&self, range: Range<usize>, steps: &mut Vec<Step>) -> Option<()> {
        // A range that runs backwards is none: what comes out of order cannot be followed.
        let bytes = self.input.get(range)?;
        if !bytes.is_empty() {
            steps.push(Step::Constant(bytes.into()));
        }
        Some(())
    }

    /// The items of one repetition that follow each other, which the event before `i` begins; where the
    /// last ends.
    fn several(
        &self,
        slot: Slot,
        number: Number,
        i: &mut usize,
        events: &[Event],
        at: usize,
        steps: &mut Vec<Step>,
    ) -> Option<usize> {
        *i -= 1;
        let mut run = Run::default();
        let mut from = None;
        while let Some((item, span)) = next_item(events, *i, slot) {
            let inside = match events.get(item)? {
                Event::Alike(alike) => {
                    if !run.joins(self.input.get(run.end..span)?, alike) {
                        break;
                    }
                    run.add(Items::new(alike).shape()?, alike.count, alike.span.end)?;
                    0
                }
                _ => {
                    if !run.gap_is(self.input.get(run.end..span)?) {
                        break;
                    }
                    let inside = item_length(events.get(item..)?)?;
                    let Some(Event::ItemEnd(to)) = events.get(item + inside) else {
                        return None;
                    };
                    let shape = self.steps(events.get(item + 1..item + inside)?, span..*to)?;
                    run.add(without_joints(&shape), 1, *to)?;
                    inside
                }
            };
            from.get_or_insert(span);
            *i = item + inside + 1;
        }
        self.constant(at..from?, steps)?;
        let end = run.end;
        steps.push(Step::Items(Several {
            gap: run.gap.unwrap_or_default(),
            shapes: run.shapes,
            occurs: Occurs::new(number, run.count),
        }));
        Some(end)
    }
}

/// Items that follow each other, while they are gathered.
#[derive(Default)]
struct Run {
    shapes: Vec<Vec<Step>>,
    /// White space between two, once known.
    gap: Option<Box<[u8]>>,
    count: u32,
    /// Where the last ends.
    end: usize,
}

impl Run {
    /// Whether an item belongs to the run, which has these bytes before it.
    fn gap_is(&mut self, between: &[u8]) -> bool {
        self.count == 0 || **self.gap.get_or_insert_with(|| between.into()) == *between
    }

    /// The same for items that are alike.
    fn joins(&mut self, between: &[u8], alike: &Alike) -> bool {
        let before = self.gap.clone();
        let fits = self.gap_is(between)
            && (alike.count == 1 || self.gap.get_or_insert_with(|| alike.gap.clone()) == &alike.gap);
        if !fits {
            self.gap = before;
        }
        fits
    }

    fn add(&mut self, shape: Vec<Step>, count: u32, end: usize) -> Option<()> {
        if !self.shapes.contains(&shape) {
            self.shapes.push(shape);
        }
        self.count = self.count.checked_add(count)?;
        self.end = end;
        (self.shapes.len() <= SHAPES_MAX).then_some(())
    }
}

impl Event {
    /// Where an item of this field begins, if the event begins one that can stand beside others of
    /// another shape.
    fn begins(&self, slot: Slot) -> Option<usize> {
        match self {
            Event::Item(own, _, from) if *own == slot => Some(*from),
            Event::Alike(alike) if alike.slot == slot && alike.is_one_by_one() => Some(alike.span.start),
            _ => None,
        }
    }
}

impl Alike {
    fn is_one_by_one(&self) -> bool {
        matches!(self.kind, Kind::Scalars | Kind::Records(..))
    }

    /// The machine types of an item's numbers, for an array that can be kept.
    fn dtypes(&self) -> Box<[DType]> {
        match &self.kind {
            Kind::Column(dtype) if self.cells.len() == 1 => [*dtype].into(),
            Kind::Rows(Layout(layout)) => {
                let fields = layout.fields();
                let in_order = self.cells.iter().map(|(_, field, _)| *field as usize);
                match in_order.eq(0..fields.len()) {
                    true => fields.iter().map(|field| field.dtype).collect(),
                    false => Box::default(),
                }
            }
            _ => Box::default(),
        }
    }

    fn is_followed_by(&self, event: Option<&Event>) -> bool {
        self.is_one_by_one() && event.is_some_and(|event| event.begins(self.slot).is_some())
    }
}

impl Occurs {
    fn new(number: Number, count: u32) -> Occurs {
        match number {
            Number::Any => Occurs {
                least: 1,
                most: u32::MAX,
            },
            Number::Same => Occurs {
                least: count,
                most: count,
            },
        }
    }
}

/// The next event that is no joint.
fn after_joints(events: &[Event], i: usize) -> Option<&Event> {
    let mut rest = events.get(i..)?.iter();
    rest.find(|event| !matches!(event, Event::Joint(..)))
}

/// The item of a repetition that comes next: its event, and where it begins.
fn next_item(events: &[Event], i: usize, slot: Slot) -> Option<(usize, usize)> {
    let rest = events.get(i..)?;
    let item = i + rest.iter().position(|event| !matches!(event, Event::Joint(..)))?;
    Some((item, events.get(item)?.begins(slot)?))
}

/// How many events stand from the item that the first begins to its end.
fn item_length(events: &[Event]) -> Option<usize> {
    let mut depth = 0usize;
    for (i, event) in events.iter().enumerate() {
        match event {
            Event::Item(..) => depth += 1,
            Event::ItemEnd(_) if depth == 1 => return Some(i),
            Event::ItemEnd(_) => depth -= 1,
            _ => {}
        }
    }
    None
}

impl Items {
    fn new(alike: &Alike) -> Items {
        Items {
            slot: alike.slot,
            kind: alike.kind.clone(),
            occurs: Occurs::new(alike.number, alike.count),
            gap: alike.gap.clone(),
            cells: alike.cells.clone(),
            close: alike.close.clone(),
            dtypes: alike.dtypes(),
            kept: None,
        }
    }

    /// One of them by itself.
    fn shape(self) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let one = |field: u32| Slot { field, many: false };
        match &self.kind {
            Kind::Records(shape, _) => steps.push(Step::Tell(Fixed::Open(self.slot, shape.clone()))),
            Kind::Scalars => {}
            Kind::Column(_) | Kind::Rows(_) => return None,
        }
        for (before, field, kernel) in self.cells {
            let slot = match self.kind {
                Kind::Records(..) => one(field),
                _ => self.slot,
            };
            steps.push(Step::Constant(before));
            steps.push(Step::Value(slot, kernel));
        }
        steps.push(Step::Constant(self.close));
        if let Kind::Records(..) = self.kind {
            steps.push(Step::Tell(Fixed::Close));
        }
        Some(steps)
    }
}

/// Whether steps hold values of a message.
fn is_private(steps: &[Step]) -> bool {
    let tells = |step: &&Step| matches!(step, Step::Tell(_));
    let attribute = |step: Option<&Step>| matches!(step, Some(Step::Value(_, Kernel::Attribute(..))));
    steps.iter().enumerate().any(|(i, step)| match step {
        Step::Tell(fixed) => fixed.is_private(),
        Step::Items(several) => several.shapes.iter().any(|shape| is_private(shape)),
        Step::Constant(bytes) => {
            let (before, behind) = steps.split_at(i);
            let inside = attribute(before.iter().rev().find(|step| !tells(step)));
            // An attribute whose value is not in the bytes: they end with its name, an equals sign and a quote.
            let opens = attribute(behind.iter().skip(1).find(|step| !tells(step)));
            let end = bytes.len().saturating_sub(if opens { 2 } else { 0 });
            !is_markup_from(inside, bytes.get(..end).unwrap_or_default())
        }
        Step::Alike(items) => {
            let mut before = items.cells.iter().map(|(before, ..)| before);
            !before.all(|bytes| is_markup(bytes)) || !is_markup(&items.close)
        }
        Step::Wild(_, wild) => wild.is_private(),
        Step::Choice(ways) => ways.iter().any(|way| is_private(way)),
        Step::Value(..) | Step::Joint(_) => false,
    })
}

impl Step {
    /// Bytes of memory, roughly.
    pub(super) fn bytes(&self) -> usize {
        let inside = match self {
            Step::Constant(bytes) => bytes.len(),
            Step::Tell(fixed) => fixed.bytes(),
            Step::Value(..) => 0,
            Step::Wild(_, wild) => wild.bytes(),
            Step::Alike(items) => {
                let cells = items.cells.iter().map(|(before, ..)| before.len() + 32);
                items.gap.len() + items.close.len() + cells.sum::<usize>()
            }
            Step::Items(Several { shapes: ways, .. }) | Step::Choice(ways) => {
                ways.iter().flatten().map(Step::bytes).sum()
            }
            Step::Joint(joint) => 4 * joint.state.len(),
        };
        inside + size_of::<Step>()
    }
}

impl Fixed {
    /// Whether it holds a value of the message.
    fn is_private(&self) -> bool {
        matches!(
            self,
            Fixed::Scalar(..) | Fixed::Xml(..) | Fixed::Attribute(..) | Fixed::Number(..) | Fixed::Row(..)
        )
    }

    fn bytes(&self) -> usize {
        match self {
            Fixed::Xml(_, text) => text.len(),
            Fixed::Attribute(_, name, value) => name.len() + value.len(),
            Fixed::Row(_, _, row) => row.len(),
            Fixed::Scalar(_, castile_value::Scalar::Text(text)) => text.len(),
            Fixed::Scalar(_, castile_value::Scalar::Bytes(bytes)) => bytes.len(),
            _ => 0,
        }
    }
}
