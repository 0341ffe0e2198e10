//! [`Entrance`]: reading a part of a record by itself, in the middle of a message.

use std::sync::Arc;

use castile_plan::ComplexId;
use castile_value::{ColumnBuf, DType, GraphSink, RowLayout, Rows, Scalar, Shape, Sink, Slot};
use castile_xml::Suspended;

use super::build::{Builder, DEPTH_MAX};
use super::joints::Comes;
use super::notes::{Heard, Notes, Number, Recorder};
use super::parts::Part;
use super::track::Step;
use crate::decode::leaf::{Cursor, Known, Outer};
use crate::decode::repeat::{Ground, Room};
use crate::decode::{DecodeOptions, Decoder, Next};

/// Where a record begins, and what the decoder has to know to go on in it: a message that came there by equal bytes has
/// the same elements open and the same prefixes bound.
#[derive(Debug)]
pub(super) struct Entrance {
    id: ComplexId,
    /// How many records are open, the record among them.
    level: u32,
    scope: u64,
    depth: u32,
    reader: Suspended,
}

/// Steps are equal when their bytes are, and then their entrances are, too.
impl PartialEq for Entrance {
    fn eq(&self, _: &Entrance) -> bool {
        true
    }
}

/// How many entrances are remembered: records of a list come back to the same ones.
const ENTRANCES_MAX: usize = 16;

/// Bytes of the names around an entrance, beyond which a message has no more of them: each would have a copy.
const BYTES_MAX: usize = 1 << 14;

impl Decoder<'_, '_> {
    /// The entrance of a record of which nothing was read yet but its start tag.
    pub(super) fn entrance(&self, id: ComplexId, heard: &mut Heard) -> Option<Arc<Entrance>> {
        // References, and what attributes say of arrays, have to be read in their places.
        if self.encoding.is_some() || self.arrays > 0 || heard.level > DEPTH_MAX as u32 || heard.is_wide {
            return None;
        }
        let (level, scope, depth) = (heard.level, self.reader.scope(), self.reader.depth());
        let same = |known: &&Arc<Entrance>| {
            (known.id, known.level, known.scope, known.depth) == (id, level, scope, depth)
        };
        if let Some(known) = heard.entrances.iter().find(same) {
            return Some(known.clone());
        }
        let entrance = Arc::new(Entrance {
            id,
            level,
            scope,
            depth,
            reader: self.reader.suspend(),
        });
        heard.is_wide = entrance.memory() > BYTES_MAX;
        heard.entrances.truncate(ENTRANCES_MAX - 1);
        heard.entrances.insert(0, entrance.clone());
        Some(entrance)
    }
}

/// What is to be read, and by which rules.
#[derive(Clone, Copy)]
pub(super) struct Unknown<'p, 'a> {
    pub(super) ground: Ground<'p, 'a>,
    pub(super) options: DecodeOptions,
    pub(super) at: usize,
}

/// How much of a message was looked at, and what that taught.
pub(super) struct Learned<T> {
    pub(super) bytes: usize,
    pub(super) what: Option<T>,
}

impl Entrance {
    /// The steps of an item of a field of the record; nothing when it is no good one, or cannot be learned.
    pub(super) fn learn_item(self: &Arc<Self>, slot: Slot, unknown: Unknown<'_, '_>) -> Learned<Vec<Step>> {
        self.learn(unknown, |decoder, notes, sink| {
            let start = match decoder.child().ok()? {
                Next::Start(start) if start.at == 0 => start,
                _ => return None,
            };
            let field = decoder.types.complex(self.id).fields.get(slot.field as usize)?;
            let name = Known {
                ns: decoder.ns(start.name.ns),
                local: start.name.local,
            };
            name.is(field).then_some(())?;
            let room = Room {
                left: 0,
                number: Number::Any,
            };
            decoder.repeated(field, slot, start, room, sink).ok()?;
            let heard = notes.borrow();
            let input = decoder.reader.input().as_bytes();
            Builder::new(input).only(heard.whole()?)
        })
    }

    /// The part of the record that comes next, behind others: leaves, and how many children of each there were.
    pub(super) fn learn_part(
        self: &Arc<Self>,
        passed: &[(u32, u32)],
        unknown: Unknown<'_, '_>,
    ) -> Learned<Part> {
        self.learn(unknown, |decoder, notes, sink| {
            decoder.counts.resize(decoder.types.leaves(self.id).len(), 0);
            for &(leaf, count) in passed {
                *decoder.counts.get_mut(leaf as usize)? = count;
            }
            let cursor = Cursor {
                leaf: passed.last().map(|&(leaf, _)| leaf as usize),
                base: 0,
            };
            decoder.part(self.id, cursor, notes, sink)
        })
    }

    fn learn<T>(
        self: &Arc<Self>,
        unknown: Unknown<'_, '_>,
        read: impl FnOnce(&mut Decoder<'_, '_>, &Notes, &mut dyn Sink) -> Option<T>,
    ) -> Learned<T> {
        let Unknown { ground, options, at } = unknown;
        let input = ground.input.get(at..).unwrap_or_default();
        let notes = Notes::default();
        notes.borrow_mut().level = self.level;
        notes.borrow_mut().open.push(Some(self.clone()));
        let mut decoder = Decoder::new(self.reader.resume(input), ground.types, options);
        decoder.lesson = Some(notes.clone());
        let mut deaf = Deaf::default();
        let mut recorder = Recorder {
            sink: &mut deaf,
            notes: notes.clone(),
        };
        let what = read(&mut decoder, &notes, &mut recorder);
        Learned {
            bytes: decoder.reader.position(),
            what: what.filter(|_| !deaf.graph),
        }
    }

    /// Bytes of memory, roughly.
    pub(super) fn memory(&self) -> usize {
        self.reader.memory()
    }
}

impl Decoder<'_, '_> {
    /// Reads the part of a record that comes next, or its end.
    fn part(
        &mut self,
        id: ComplexId,
        mut cursor: Cursor,
        notes: &Notes,
        sink: &mut dyn Sink,
    ) -> Option<Part> {
        let part = |coming, count, steps| Part {
            coming,
            count,
            ways: vec![steps],
            next: Vec::new(),
        };
        let mut next = self.child().ok()?;
        let Next::Start(first) = next else {
            self.check_end(id, &cursor).ok()?;
            let end = self.reader.token_start();
            let space = self.reader.input().get(..end)?;
            let steps = Builder::new(space.as_bytes()).steps(&[], 0..end)?;
            self.reader
                .input()
                .as_bytes()
                .get(end..)?
                .starts_with(b"</")
                .then_some(())?;
            // The end tag is behind the part.
            return Some(part(self.coming(id, &cursor, Comes::EndTag), 0, steps));
        };
        let leaf = self.leaf_of(id, &cursor, first, None)?;
        let coming = self.coming(id, &cursor, Comes::Leaf(leaf));
        let end = loop {
            let Next::Start(start) = next else { return None };
            cursor.leaf = Some(leaf);
            let here = Outer {
                id,
                cursor: &cursor,
                outer: None,
            };
            // What was read too far cannot be given back.
            self.leaf(here, leaf, start, sink).ok()?.is_none().then_some(())?;
            // Those of the same leaf that follow are the same part.
            let end = self.reader.clone();
            next = match self.child() {
                Ok(next) => next,
                Err(_) => break end.position(),
            };
            let same = match next {
                Next::Start(start) => self.leaf_of(id, &cursor, start, None) == Some(leaf),
                Next::End => false,
            };
            if !same {
                self.reader = end;
                break self.reader.position();
            }
        };
        let heard = notes.borrow();
        let steps = Builder::new(self.reader.input().as_bytes()).steps(heard.whole()?, 0..end)?;
        Some(part(coming, self.count_of(id, &cursor), steps))
    }
}

/// A sink for what will be told later.
#[derive(Default)]
struct Deaf {
    column: Option<ColumnBuf>,
    /// Whether there was an array that is a value of its own, or a reference, which not every sink is told of.
    graph: bool,
}

impl Sink for Deaf {
    fn scalar(&mut self, _at: Slot, _value: Scalar<'_>) {}
    fn nil(&mut self, _at: Slot) {}
    fn xml(&mut self, _at: Slot, _text: String) {}
    fn attribute(&mut self, _at: Slot, _name: String, _value: &str) {}
    fn open(&mut self, _at: Slot, _shape: &Arc<Shape>) {}
    fn close(&mut self) {}
    fn column(&mut self, _at: Slot, dtype: DType) -> Option<&mut ColumnBuf> {
        Some(self.column.insert(ColumnBuf::new(dtype)))
    }
    fn rows(&mut self, _at: Slot, _layout: &Arc<RowLayout>) -> Option<&mut Rows> {
        None
    }
    fn graph(&mut self) -> Option<&mut dyn GraphSink> {
        Some(self)
    }
}

impl GraphSink for Deaf {
    fn array(&mut self, _at: Slot, _shape: Option<&Arc<Shape>>, _sizes: &[usize]) {
        self.graph = true;
    }
    fn object(&mut self, _number: u32) {
        self.graph = true;
    }
    fn reference(&mut self, _at: Slot, _number: u32) {
        self.graph = true;
    }
}
