//! What one plain decoding teaches: where the values lay, and what else the sink was told.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use castile_value::{ColumnBuf, DType, GraphSink, RowLayout, Rows, Scalar, Shape, Sink, Slot};

use super::super::Decoder;
use super::super::element::has_names;
use super::super::repeat::{Kernel, Pattern, plain_value};
use super::entrance::Entrance;
use super::joints::Joint;
use super::track::BUFFERED_MAX;
use castile_plan::{Field, SimpleId};

/// One thing that a message told its sink.
#[derive(Debug)]
pub(super) enum Event {
    /// What every message with these bytes says.
    Fixed(Fixed),
    /// A value of a simple type, and where its text lay.
    Value(Slot, Kernel, Range<usize>),
    /// How far the record around is, and where that was.
    Joint(Joint, usize),
    /// An element that is kept as XML, and where it lay.
    Xml(Slot, String, Range<usize>),
    /// Items that are alike, read by example.
    Alike(Alike),
    /// An item of a repeated element begins, and what follows up to its end belongs to it.
    Item(ItemStart),
    /// It ends here.
    ItemEnd(usize),
}

/// Where an item of a repeated element begins.
#[derive(Debug)]
pub(super) struct ItemStart {
    pub(super) slot: Slot,
    pub(super) number: Number,
    pub(super) at: usize,
    pub(super) entrance: Option<Arc<Entrance>>,
}

/// How many items a repetition may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Number {
    /// One or more.
    Any,
    /// As many as there were: there is a least or greatest number.
    Same,
}

/// A call to the sink with everything that it is given.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fixed {
    Open(Slot, Arc<Shape>),
    Close,
    Nil(Slot),
    Scalar(Slot, Scalar<'static>),
    Xml(Slot, String),
    Attribute(Slot, String, String),
    /// A column is asked for, which may stay empty.
    Column(Slot, DType),
    /// A number is appended to a column.
    Number(Slot, DType, Scalar<'static>),
    /// A packed row is appended to an array of records.
    Row(Slot, Layout, Box<[u8]>),
    Array(Slot, Option<Arc<Shape>>, Vec<usize>),
    Object(u32),
    Reference(Slot, u32),
}

/// The layout of a table of types, equal to itself only.
#[derive(Clone, Debug)]
pub(in super::super) struct Layout(pub(in super::super) Arc<RowLayout>);

impl PartialEq for Layout {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// How items that are alike reach a sink.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum Kind {
    /// One by one.
    Scalars,
    /// Records, some at a time where they have a layout.
    Records(Arc<Shape>, Option<Layout>),
    Column(DType),
    Rows(Layout),
}

/// Items that were read by the example of the first.
#[derive(Debug)]
pub(super) struct Alike {
    pub(super) slot: Slot,
    pub(super) kind: Kind,
    /// From the first to the end of the last.
    pub(super) span: Range<usize>,
    pub(super) count: u32,
    pub(super) number: Number,
    /// White space between two.
    pub(super) gap: Box<[u8]>,
    /// Each value with the bytes before it.
    pub(super) cells: Vec<(Box<[u8]>, u32, Kernel)>,
    pub(super) close: Box<[u8]>,
    /// What was told of the first, where it is a record that was told value by value.
    pub(super) first: Option<FirstOfAll>,
    pub(super) entrance: Option<Arc<Entrance>>,
}

/// The first of some items that are alike.
#[derive(Debug)]
pub(super) struct FirstOfAll {
    pub(super) events: Vec<Event>,
    /// Where it ends.
    pub(super) end: usize,
}

/// Where notes stand before an item.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Mark {
    events: usize,
    number: Number,
}

/// Notes taken while a message is decoded.
#[derive(Debug, Default)]
pub(in super::super) struct Heard {
    pub(super) events: Vec<Event>,
    /// What is known of the value that the sink is given next.
    next: Option<(Kernel, Range<usize>)>,
    /// Where the XML lay that the sink is given next.
    next_xml: Option<Range<usize>>,
    /// How many records are open, and whether nothing of the innermost was met yet.
    pub(super) level: u32,
    pub(super) is_first: bool,
    /// Where others of the open records' parts can be read.
    pub(super) open: Vec<Option<Arc<Entrance>>>,
    /// The last few such places.
    pub(super) entrances: Vec<Arc<Entrance>>,
    /// Whether they would take too much memory.
    pub(super) is_wide: bool,
    /// Whether there was something that cannot be learned.
    pub(super) is_hopeless: bool,
}

pub(in super::super) type Notes = Rc<RefCell<Heard>>;

/// How many events a lesson may have: a message of more is not worth learning.
const EVENTS_MAX: usize = 1 << 17;

/// Envelope, body, and what is in it.
const BODY_ELEMENT_DEPTH: u32 = 3;

impl Heard {
    pub(super) fn push(&mut self, event: Event) {
        // One event too many tells that there were too many.
        if self.events.len() <= EVENTS_MAX {
            self.events.push(event);
        }
    }

    /// All events, if they are worth learning: not too many, and no long run of items that have to wait.
    pub(super) fn whole(&self) -> Option<&[Event]> {
        let many = |event: &Event| matches!(event, Event::Alike(alike) if alike.is_one_by_one() && alike.count > BUFFERED_MAX);
        let good = !self.is_hopeless && self.events.len() <= EVENTS_MAX && !self.events.iter().any(many);
        good.then_some(&self.events)
    }
}

impl<'a> Decoder<'a, '_> {
    /// Notes that the value which the sink is given next is the text at `span`, read as type `id`.
    pub(in super::super) fn taught(&mut self, field: &Field, id: SimpleId, span: &Range<usize>) {
        let Some(notes) = &self.lesson else { return };
        // An empty element has the value that the schema says, and a fixed value is checked apart.
        if field.default.is_some() || field.fixed.is_some() {
            return;
        }
        let input = self.reader.input().as_bytes();
        let whole = input.get(span.clone()).is_some_and(|raw| !raw.contains(&b'<'));
        let closed = input.get(span.end) == Some(&b'<') && self.reader.position() > span.end;
        if let Some(kernel) = Kernel::new(self, id).filter(|_| whole && closed) {
            notes.borrow_mut().next = Some((kernel, span.clone()));
        }
    }

    /// Notes that the value which the sink is given next is that of the attribute whose name begins at `at`.
    pub(in super::super) fn taught_attribute(&mut self, field: &Field, id: SimpleId, at: usize) {
        let Some(notes) = &self.lesson else { return };
        // The tag of the first body element belongs to the prologue.
        let in_prologue = self.reader.depth() <= BODY_ELEMENT_DEPTH;
        if in_prologue || field.fixed.is_some() || has_names(self.types, id) {
            return;
        }
        let tag = self.reader.input().as_bytes().get(at..self.reader.position());
        let value = tag.and_then(|tag| {
            let from = memchr::memchr2(b'"', b'\'', tag)?;
            let quote = *tag.get(from)?;
            // Any other is a constant.
            let length = plain_value(tag.get(from + 1..)?, quote)?;
            let start = at + from + 1;
            Some((Kernel::Attribute(id, quote), start..start + length))
        });
        notes.borrow_mut().next = value;
    }

    /// Notes that the XML which the sink is given next is the element that began at `from`.
    pub(in super::super) fn taught_xml(&mut self, from: usize) {
        // What an attribute says of a value of SOAP encoding has to be read.
        let notes = self.lesson.as_ref().filter(|_| self.encoding.is_none());
        if let Some(notes) = notes {
            notes.borrow_mut().next_xml = Some(from..self.reader.position());
        }
    }

    /// Where the notes stand before an item of a repeated element.
    pub(in super::super) fn before_item(&self, slot: Slot, number: Number, at: usize) -> Mark {
        let Some(notes) = &self.lesson else {
            return Mark { events: 0, number };
        };
        let mut lesson = notes.borrow_mut();
        // What is in an array is not the record's own.
        let entrance = lesson.open.last().filter(|_| self.arrays == 0);
        let entrance = entrance.cloned().flatten();
        lesson.push(Event::Item(ItemStart {
            slot,
            number,
            at,
            entrance,
        }));
        Mark {
            events: lesson.events.len() - 1,
            number,
        }
    }

    /// Notes the end of the item, unless it began a run of items that are alike.
    pub(in super::super) fn after_item(&self, mark: Mark) {
        let Some(notes) = &self.lesson else { return };
        let mut lesson = notes.borrow_mut();
        if matches!(lesson.events.get(mark.events), Some(Event::Item(..))) {
            lesson.push(Event::ItemEnd(self.reader.position()));
        }
    }

    /// Notes that the item noted since `mark` and those after it are like a pattern.
    pub(in super::super) fn alike(&self, run: Run<'_, 'a>) {
        let Some(notes) = &self.lesson else { return };
        let Run {
            mark,
            slot,
            kind,
            from,
            more,
            pattern,
        } = run;
        let mut lesson = notes.borrow_mut();
        let first = lesson.events.split_off(mark.events);
        let entrance = match first.first() {
            Some(Event::Item(start)) => start.entrance.clone(),
            _ => None,
        };
        let cells = pattern
            .values
            .iter()
            .map(|cell| (cell.before.into(), cell.field, cell.kernel));
        let event = Alike {
            slot,
            kind,
            span: from..self.reader.position(),
            count: 1 + more,
            number: mark.number,
            gap: pattern.gap.into(),
            cells: cells.collect(),
            close: pattern.close.into(),
            first: FirstOfAll::new(first, pattern),
            entrance,
        };
        lesson.push(Event::Alike(event));
    }

    /// Notes a number that is appended to a column by itself; says so before the sink is told.
    pub(in super::super) fn appends(&self, slot: Slot, dtype: DType, number: &Scalar<'_>) {
        if let Some(notes) = &self.lesson {
            let number = number.clone().into_owned();
            notes
                .borrow_mut()
                .push(Event::Fixed(Fixed::Number(slot, dtype, number)));
        }
    }

    /// Notes a column that may stay empty.
    pub(in super::super) fn asks(&self, slot: Slot, dtype: DType) {
        if let Some(notes) = &self.lesson {
            notes.borrow_mut().push(Event::Fixed(Fixed::Column(slot, dtype)));
        }
    }

    /// Notes a row that was appended by itself, as the item noted since `mark`.
    pub(in super::super) fn odd_row(&self, mark: Mark, slot: Slot, layout: &Arc<RowLayout>, row: Vec<u8>) {
        if let Some(notes) = &self.lesson {
            let mut notes = notes.borrow_mut();
            notes.events.truncate(mark.events + 1);
            let layout = Layout(layout.clone());
            notes.push(Event::Fixed(Fixed::Row(slot, layout, row.into())));
        }
    }

    /// Gives a number to a sink that has no column, when it is noted already.
    pub(in super::super) fn unnoted(&self, slot: Slot, number: Scalar<'a>, sink: &mut dyn Sink) {
        let Some(notes) = &self.lesson else {
            return sink.scalar(slot, number);
        };
        let events = notes.borrow().events.len();
        sink.scalar(slot, number);
        notes.borrow_mut().events.truncate(events);
    }
}

impl FirstOfAll {
    /// `events` are those of the first of some items that are like the pattern, its beginning among them.
    fn new(mut events: Vec<Event>, pattern: &Pattern<'_>) -> Option<FirstOfAll> {
        let is_told = matches!(events.get(..2)?, [Event::Item(..), Event::Fixed(Fixed::Open(..))]);
        let last = events.iter().rev().find_map(|event| match event {
            Event::Value(_, _, place) => Some(place.end),
            _ => None,
        });
        events.remove(0);
        is_told.then_some(FirstOfAll {
            events,
            end: last? + pattern.close.len(),
        })
    }
}

/// Items that are alike, while they are noted.
pub(in super::super) struct Run<'r, 'a> {
    /// Where the notes stood before the first.
    pub(in super::super) mark: Mark,
    pub(in super::super) slot: Slot,
    pub(in super::super) kind: Kind,
    /// Where the first begins.
    pub(in super::super) from: usize,
    /// How many follow it.
    pub(in super::super) more: u32,
    pub(in super::super) pattern: &'r Pattern<'a>,
}

/// Passes everything on, and notes it.
pub(super) struct Recorder<'s> {
    pub(super) sink: &'s mut dyn Sink,
    pub(super) notes: Notes,
}

impl Recorder<'_> {
    fn note(&self, fixed: Fixed) {
        self.notes.borrow_mut().push(Event::Fixed(fixed));
    }
}

impl Sink for Recorder<'_> {
    fn scalar(&mut self, at: Slot, value: Scalar<'_>) {
        let mut notes = self.notes.borrow_mut();
        let event = match notes.next.take() {
            Some((kernel, span)) => Event::Value(at, kernel, span),
            None => Event::Fixed(Fixed::Scalar(at, value.clone().into_owned())),
        };
        notes.push(event);
        drop(notes);
        self.sink.scalar(at, value);
    }

    fn nil(&mut self, at: Slot) {
        self.note(Fixed::Nil(at));
        self.sink.nil(at);
    }

    fn xml(&mut self, at: Slot, text: String) {
        let mut notes = self.notes.borrow_mut();
        let event = match notes.next_xml.take() {
            Some(span) => Event::Xml(at, text.clone(), span),
            None => Event::Fixed(Fixed::Xml(at, text.clone())),
        };
        notes.push(event);
        drop(notes);
        self.sink.xml(at, text);
    }

    fn attribute(&mut self, at: Slot, name: String, value: &str) {
        self.note(Fixed::Attribute(at, name.clone(), value.to_owned()));
        self.sink.attribute(at, name, value);
    }

    fn open(&mut self, at: Slot, shape: &Arc<Shape>) {
        self.note(Fixed::Open(at, shape.clone()));
        self.sink.open(at, shape);
    }

    fn close(&mut self) {
        self.note(Fixed::Close);
        self.sink.close();
    }

    fn record(&mut self, at: Slot, shape: &Arc<Shape>, values: &mut Vec<(u32, Scalar<'_>)>) {
        // Items that are alike, which the decoder notes itself.
        self.sink.record(at, shape, values);
    }

    fn column(&mut self, at: Slot, dtype: DType) -> Option<&mut ColumnBuf> {
        // Asked for by who notes it himself.
        self.sink.column(at, dtype)
    }

    fn rows(&mut self, at: Slot, layout: &Arc<RowLayout>) -> Option<&mut Rows> {
        self.sink.rows(at, layout)
    }

    fn graph(&mut self) -> Option<&mut dyn GraphSink> {
        self.sink.graph().is_some().then_some(self)
    }
}

impl GraphSink for Recorder<'_> {
    fn array(&mut self, at: Slot, shape: Option<&Arc<Shape>>, sizes: &[usize]) {
        self.note(Fixed::Array(at, shape.cloned(), sizes.to_vec()));
        if let Some(graph) = self.sink.graph() {
            graph.array(at, shape, sizes);
        }
    }

    fn object(&mut self, number: u32) {
        self.note(Fixed::Object(number));
        if let Some(graph) = self.sink.graph() {
            graph.object(number);
        }
    }

    fn reference(&mut self, at: Slot, number: u32) {
        self.note(Fixed::Reference(at, number));
        if let Some(graph) = self.sink.graph() {
            graph.reference(at, number);
        }
    }
}
