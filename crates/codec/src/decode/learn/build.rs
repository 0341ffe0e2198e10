//! From what was heard of a message to the steps of its track.

use std::ops::Range;
use std::sync::Arc;

use castile_lexical::is_xml_space;
use castile_value::{DType, Slot};

use super::entrance::Entrance;
use super::joints::Joint;
use super::notes::{Alike, Event, Fixed, Kind, Layout, Number};
use super::parts::{Numbered, Part, Parts, add_way};
use super::track::{Items, Occurs, Several, Step};
use super::wild::Wild;

/// Makes steps of the events of a message.
pub(super) struct Builder<'m> {
    input: &'m [u8],
    /// How many records are open.
    depth: usize,
}

/// Records in records that have parts: what is deeper is one part, for it would need as deep a stack to be copied and
/// compared.
pub(super) const DEPTH_MAX: usize = 128;

/// Events that are gone through, and how far the message has been made steps of.
struct Way<'e> {
    events: &'e [Event],
    next: usize,
    at: usize,
}

impl<'m> Builder<'m> {
    pub(super) fn new(input: &'m [u8]) -> Builder<'m> {
        Builder { input, depth: 0 }
    }

    /// The steps of the bytes at `span`, which these events are of.
    pub(super) fn steps(&mut self, events: &[Event], span: Range<usize>) -> Option<Vec<Step>> {
        let mut way = Way {
            events,
            next: 0,
            at: span.start,
        };
        let mut steps = Vec::new();
        while way.next < events.len() {
            self.event(&mut way, &mut steps)?;
        }
        self.constant(way.at..span.end, &mut steps)?;
        Some(steps)
    }

    /// Adds the steps of what is next.
    fn event(&mut self, way: &mut Way<'_>, steps: &mut Vec<Step>) -> Option<()> {
        let event = way.events.get(way.next)?;
        way.next += 1;
        match event {
            Event::Fixed(fixed) => steps.push(Step::Tell(fixed.clone())),
            Event::Value(slot, kernel, place) => {
                self.constant(way.at..place.start, steps)?;
                steps.push(Step::Value(*slot, *kernel));
                way.at = place.end;
            }
            Event::Xml(slot, text, place) => match Wild::new(self.input, place.clone(), text) {
                Some(wild) => {
                    self.constant(way.at..place.start, steps)?;
                    steps.push(Step::Wild(*slot, wild));
                    way.at = place.end;
                }
                None => steps.push(Step::Tell(Fixed::Xml(*slot, text.clone()))),
            },
            // Of the body the first part begins in the prologue.
            Event::Joint(joint, place) if joint.first && *place >= way.at && self.depth < DEPTH_MAX => {
                way.next -= 1;
                let parts = self.record(joint, way, steps)?;
                steps.push(Step::Parts(parts));
            }
            Event::Joint(..) => {}
            Event::Alike(alike) if alike.is_followed_by(after_joints(way.events, way.next)) => {
                self.several(alike.slot, alike.number, way, steps)?;
            }
            Event::Item(start) => self.several(start.slot, start.number, way, steps)?,
            Event::Alike(alike) => {
                self.constant(way.at..alike.span.start, steps)?;
                steps.push(Step::Alike(self.alike(alike)?));
                way.at = alike.span.end;
            }
            // Every end belongs to an item, and is passed with it.
            Event::ItemEnd(_) => return None,
        }
        Some(())
    }

    fn constant(&self, range: Range<usize>, steps: &mut Vec<Step>) -> Option<()> {
        // A range that runs backwards is none: what comes out of order cannot be followed.
        let bytes = self.input.get(range)?;
        if !bytes.is_empty() {
            steps.push(Step::Constant(bytes.into()));
        }
        Some(())
    }

    /// The parts of the record that begins at a joint.
    fn record(&mut self, begin: &Joint, way: &mut Way<'_>, before: &mut Vec<Step>) -> Option<Parts> {
        self.depth += 1;
        let mut parts: Vec<Part> = Vec::new();
        let ended = loop {
            let Some(Event::Joint(joint, place)) = way.events.get(way.next) else {
                return None;
            };
            // What stands before a tag belongs to the part that begins with it.
            let at = self.before_space(way.at..*place)?;
            match parts.last_mut() {
                Some(part) => {
                    part.count = joint.behind;
                    self.constant(way.at..at, part.ways.last_mut()?)?;
                }
                None => self.constant(way.at..at, before)?,
            }
            way.at = at;
            way.next += 1;
            let mut steps = Vec::new();
            if joint.next.is_end() {
                self.constant(at..*place, &mut steps)?;
                way.at = *place;
            } else {
                self.until(begin.level, way, &mut steps)?;
            }
            parts.push(Part {
                coming: joint.next.clone(),
                count: 0,
                ways: vec![steps],
                next: Vec::new(),
            });
            if joint.next.is_end() {
                break Parts::in_order(begin.id, begin.entrance.clone(), parts);
            }
        };
        self.depth -= 1;
        ended
    }

    /// Adds the steps of what comes before the next joint of a record.
    fn until(&mut self, level: u32, way: &mut Way<'_>, steps: &mut Vec<Step>) -> Option<()> {
        while !matches!(way.events.get(way.next)?, Event::Joint(joint, _) if joint.level == level) {
            self.event(way, steps)?;
        }
        Some(())
    }

    /// Where the white space at the end of some bytes begins.
    fn before_space(&self, range: Range<usize>) -> Option<usize> {
        let bytes = self.input.get(range.clone())?;
        let space = bytes.iter().rev().take_while(|&&byte| is_xml_space(byte)).count();
        Some(range.end - space)
    }

    /// The items of one repetition that follow each other, which the event before the next one begins.
    fn several(
        &mut self,
        slot: Slot,
        number: Number,
        way: &mut Way<'_>,
        steps: &mut Vec<Step>,
    ) -> Option<()> {
        way.next -= 1;
        let entrance = way.events.get(way.next).and_then(Event::entrance).cloned();
        let mut run = Run::default();
        let mut from = None;
        while let Some((item, span)) = next_item(way.events, way.next, slot) {
            let inside = match way.events.get(item)? {
                Event::Alike(alike) => {
                    if !run.joins(self.input.get(run.end..span)?, alike) {
                        break;
                    }
                    run.add(self.one_of(alike)?, alike.count, alike.span.end)?;
                    run.example = run.example.or_else(|| alike.example());
                    0
                }
                _ => {
                    if !run.gap_is(self.input.get(run.end..span)?) {
                        break;
                    }
                    let inside = item_length(way.events.get(item..)?)?;
                    let Some(Event::ItemEnd(to)) = way.events.get(item + inside) else {
                        return None;
                    };
                    let shape = self.steps(way.events.get(item + 1..item + inside)?, span..*to)?;
                    run.add(shape, 1, *to)?;
                    inside
                }
            };
            from.get_or_insert(span);
            way.next = item + inside + 1;
        }
        self.constant(way.at..from?, steps)?;
        way.at = run.end;
        steps.push(Step::Items(Several {
            slot,
            gap: run.gap,
            shapes: run.shapes,
            example: run.example,
            occurs: Occurs::new(number, run.count),
            entrance,
            number: Numbered::default(),
        }));
        Some(())
    }

    /// The steps of a single item, by itself.
    pub(super) fn only(&mut self, events: &[Event]) -> Option<Vec<Step>> {
        match events {
            [Event::Alike(alike)] => self.one_of(alike),
            [Event::Item(start), inside @ .., Event::ItemEnd(end)] => self.steps(inside, start.at..*end),
            _ => None,
        }
    }

    /// The steps of one of some items that are alike.
    fn one_of(&mut self, alike: &Alike) -> Option<Vec<Step>> {
        match &alike.first {
            Some(first) => self.steps(&first.events, alike.span.start..first.end),
            None => Items::new(alike, None).shape(),
        }
    }

    fn alike(&mut self, alike: &Alike) -> Option<Items> {
        let several = match alike.is_one_by_one() {
            true => Some(Box::new(Several {
                slot: alike.slot,
                gap: (alike.count > 1).then(|| alike.gap.clone()),
                shapes: vec![self.one_of(alike)?],
                example: alike.example(),
                occurs: Occurs::new(alike.number, alike.count),
                entrance: alike.entrance.clone(),
                number: Numbered::default(),
            })),
            false => None,
        };
        Some(Items::new(alike, several))
    }
}

/// Items that follow each other, while they are gathered.
#[derive(Default)]
struct Run {
    shapes: Vec<Vec<Step>>,
    /// Those of single items, of which several may be one shape.
    met: Vec<Vec<Step>>,
    example: Option<Box<Items>>,
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
        if !self.met.contains(&shape) {
            add_way(&mut self.shapes, &shape)?;
            self.met.truncate(MET_MAX - 1);
            self.met.push(shape);
        }
        self.count = self.count.checked_add(count)?;
        self.end = end;
        Some(())
    }
}

/// Items in a row from which on they are an example.
const EXAMPLE_MIN: u32 = 8;

/// Shapes of single items that are known again at once.
const MET_MAX: usize = 64;

impl Event {
    /// Where an item of this field begins, if the event begins one that can stand beside others of
    /// another shape.
    fn begins(&self, slot: Slot) -> Option<usize> {
        match self {
            Event::Item(start) if start.slot == slot => Some(start.at),
            Event::Alike(alike) if alike.slot == slot && alike.is_one_by_one() => Some(alike.span.start),
            _ => None,
        }
    }

    fn entrance(&self) -> Option<&Arc<Entrance>> {
        match self {
            Event::Item(start) => start.entrance.as_ref(),
            Event::Alike(alike) => alike.entrance.as_ref(),
            _ => None,
        }
    }
}

impl Alike {
    pub(super) fn is_one_by_one(&self) -> bool {
        matches!(self.kind, Kind::Scalars | Kind::Records(..))
    }

    /// What items are like of which so many follow each other that they are read by example.
    fn example(&self) -> Option<Box<Items>> {
        let many = self.count >= EXAMPLE_MIN && matches!(self.number, Number::Any);
        many.then(|| Box::new(Items::new(self, None)))
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
    fn new(alike: &Alike, several: Option<Box<Several>>) -> Items {
        Items {
            slot: alike.slot,
            kind: alike.kind.clone(),
            occurs: Occurs::new(alike.number, alike.count),
            gap: alike.gap.clone(),
            were_two: alike.count > 1,
            cells: alike.cells.clone(),
            close: alike.close.clone(),
            dtypes: alike.dtypes(),
            kept: None,
            several,
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
