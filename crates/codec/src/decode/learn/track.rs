//! [`Track`]: one path through what was learned.

use std::sync::Arc;

use castile_value::{DType, Scalar, Slot};

use super::build::Builder;
use super::entrance::Entrance;
use super::markup::{is_markup, is_markup_from};
use super::notes::{Fixed, Heard, Kind};
use super::parts::{Numbered, Parts, merged};
use super::plain::plain;
use super::wild::Wild;
use crate::decode::repeat::Kernel;

/// How a message of one shape goes: constant bytes and, between them, values.
///
/// A track belongs to one plan, one [`Prologue`](super::Prologue) and one set of options.
#[derive(Debug)]
pub struct Track {
    pub(super) steps: Vec<Step>,
    /// The same with all parts of all records, of which others can be learned.
    pub(super) path: Vec<Step>,
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
    Parts(Parts),
}

/// Items that are like one pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Items {
    pub(super) slot: Slot,
    pub(super) kind: Kind,
    pub(super) occurs: Occurs,
    /// White space between two, and whether there were two.
    pub(super) gap: Box<[u8]>,
    pub(super) were_two: bool,
    pub(super) cells: Vec<(Box<[u8]>, u32, Kernel)>,
    pub(super) close: Box<[u8]>,
    /// The machine types of an item's numbers, and which of the arrays that a shadow keeps it is.
    pub(super) dtypes: Box<[DType]>,
    pub(super) kept: Option<usize>,
    /// The same items one by one, if others may stand among them.
    pub(super) several: Option<Box<Several>>,
}

/// Items of several shapes, in any order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Several {
    pub(super) slot: Slot,
    /// White space between two, once there were two.
    pub(super) gap: Option<Box<[u8]>>,
    pub(super) shapes: Vec<Vec<Step>>,
    /// What most of them were like, where many in a row were: such are read by example.
    pub(super) example: Option<Box<Items>>,
    pub(super) occurs: Occurs,
    /// Where an item of another shape is read.
    pub(super) entrance: Option<Arc<Entrance>>,
    /// Which of a track's they are.
    pub(super) number: Numbered,
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

/// Shapes of items that one repetition learns, and ways of one part.
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
        let input = message.as_bytes();
        let path = Builder::new(input).steps(heard.whole()?, from..input.len())?;
        Some(Track::along(path, heard.events.len()))
    }

    pub(super) fn along(mut path: Vec<Step>, values: usize) -> Track {
        number_all(&mut path, &mut 0);
        let mut steps = plain(&path);
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

    /// One track for messages that are made up of parts of this or of the other.
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

/// Numbers what can be learned more of.
fn number_all(path: &mut [Step], number: &mut u32) {
    let ways = |ways: &mut Vec<Vec<Step>>, number: &mut u32| {
        ways.iter_mut().for_each(|way| number_all(way, number));
    };
    for step in path {
        let place = match step {
            Step::Items(several) => &mut several.number,
            Step::Parts(parts) => &mut parts.number,
            _ => continue,
        };
        *place = Numbered(*number);
        *number += 1;
        match step {
            Step::Items(several) => ways(&mut several.shapes, number),
            Step::Parts(parts) => parts.all.iter_mut().for_each(|part| ways(&mut part.ways, number)),
            _ => {}
        }
    }
}

/// Whether steps hold values of a message.
pub(super) fn is_private(steps: &[Step]) -> bool {
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
        Step::Parts(parts) => parts
            .all
            .iter()
            .flat_map(|part| &part.ways)
            .any(|way| is_private(way)),
        Step::Value(..) => false,
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
                let several = items
                    .several
                    .iter()
                    .flat_map(|several| several.shapes.iter().flatten());
                items.gap.len()
                    + items.close.len()
                    + cells.sum::<usize>()
                    + several.map(Step::bytes).sum::<usize>()
            }
            Step::Items(several) => {
                let entrance = several.entrance.as_ref().map_or(0, |entrance| entrance.memory());
                several.shapes.iter().flatten().map(Step::bytes).sum::<usize>() + entrance
            }
            Step::Parts(parts) => parts.bytes(),
        };
        inside + size_of::<Step>()
    }
}

impl Fixed {
    /// Whether it holds a value of the message.
    fn is_private(&self) -> bool {
        match self {
            // An element that is empty says no more than one that is missing.
            Fixed::Scalar(_, Scalar::Text(text)) => !text.is_empty(),
            Fixed::Scalar(..)
            | Fixed::Xml(..)
            | Fixed::Attribute(..)
            | Fixed::Number(..)
            | Fixed::Row(..) => true,
            _ => false,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Fixed::Xml(_, text) => text.len(),
            Fixed::Attribute(_, name, value) => name.len() + value.len(),
            Fixed::Row(_, _, row) => row.len(),
            Fixed::Scalar(_, Scalar::Text(text)) => text.len(),
            Fixed::Scalar(_, Scalar::Bytes(bytes)) => bytes.len(),
            _ => 0,
        }
    }
}
