//! Following a track: a message is compared with it, and its values are read.

use castile_lexical::is_xml_space;
use castile_value::{ColumnBuf, Packed, Scalar};
use castile_xml::common_prefix;

use super::ahead::Ahead;
use super::array::{Progress, Source};
use super::form::Form;
use super::grow::{Growing, New};
use super::notes::{Fixed, Kind, Layout};
use super::read_on::{Numbers, ReadOn};
use super::shadow::{Shadow, State};
use super::track::{BUFFERED_MAX, Items, Occurs, Step, Track};
use crate::decode::repeat::{Cell, Ground, Kernel, Pattern, after, after_space};

/// The values of a message that is like a track, in the order of its steps.
#[derive(Default)]
pub(in super::super) struct Found<'a> {
    pub(super) scalars: Vec<Scalar<'a>>,
    /// Numbers of items, and which shape each has.
    pub(super) counts: Vec<u32>,
    pub(super) columns: Vec<ColumnBuf>,
    pub(super) rows: Vec<Vec<u8>>,
    /// Of each array of records with a layout, the records; `None` where they are among the scalars.
    pub(super) packed: Vec<Option<Packed<'a>>>,
    /// The elements that are kept as XML, as they stand in the message.
    pub(super) wilds: Vec<&'a str>,
    /// What it has and the track has not.
    pub(super) new: Vec<New>,
    /// Whether it was found along the path, and not along the steps.
    pub(super) along_path: bool,
    pub(super) tally: Tally,
}

/// What of the arrays that are kept was read, and what not; and what was read by the example of the first item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) values: usize,
    pub(super) parsed: usize,
    pub(super) of_parsed: usize,
    pub(super) bytes_by_example: usize,
    pub(super) bytes_new: usize,
}

/// A message that is to be followed from `at` to its end.
#[derive(Clone, Copy)]
pub(super) struct Course<'p, 'a> {
    pub(super) ground: Ground<'p, 'a>,
    pub(super) at: usize,
    /// Bytes by which elements that are kept as XML may grow together.
    pub(super) xml_max: usize,
}

impl Track {
    /// The values of a message that is like this. `fuel` says how many bytes may be looked at to find out, and is what is
    /// left of it then. Arrays are compared with those of the shadow, which has them afterwards, or go on from what was
    /// done `ahead`.
    pub(super) fn follow<'w, 'a>(
        &self,
        course: Course<'_, 'a>,
        fuel: &'w mut usize,
        shadow: Option<&'w mut Shadow>,
        ahead: Option<&'w mut Ahead>,
    ) -> Option<Found<'a>> {
        let walk = Walk {
            shadow,
            ahead,
            ..Walk::new(self, course, fuel)
        };
        walk.whole(&self.steps)
    }

    /// The same for a message that has something new, which is learned.
    pub(super) fn grow<'a>(
        &self,
        course: Course<'_, 'a>,
        fuel: &mut usize,
        growing: Growing,
    ) -> Option<Found<'a>> {
        let walk = Walk {
            growing: Some(growing),
            ..Walk::new(self, course, fuel)
        };
        // Of a record that is the same in all messages the parts are only in the path.
        let found = walk.whole(&self.path)?;
        Some(Found {
            along_path: true,
            ..found
        })
    }
}

pub(super) struct Walk<'w, 'p, 'a> {
    pub(super) ground: Ground<'p, 'a>,
    pub(super) found: Found<'a>,
    /// Whether and how it learns what the track has not.
    pub(super) growing: Option<Growing>,
    /// Shapes that begin alike are tried one after the other, and that nests: without a limit a peer could
    /// make a message that takes the product of their lengths.
    fuel: &'w mut usize,
    xml_left: usize,
    shadow: Option<&'w mut Shadow>,
    /// What of it was done while the message came.
    ahead: Option<&'w mut Ahead>,
    /// Arrays of the shadow that hold this message's values.
    pub(super) taken_over: usize,
    /// Where the shadow's text begins in this message.
    from: usize,
}

impl<'w, 'p, 'a> Walk<'w, 'p, 'a> {
    fn new(track: &Track, course: Course<'p, 'a>, fuel: &'w mut usize) -> Self {
        Walk {
            ground: course.ground,
            found: Found {
                scalars: Vec::with_capacity(track.values),
                ..Found::default()
            },
            growing: None,
            fuel,
            xml_left: course.xml_max,
            ahead: None,
            shadow: None,
            taken_over: 0,
            from: course.at,
        }
    }

    /// What is found if the whole message is like the steps.
    fn whole(mut self, steps: &[Step]) -> Option<Found<'a>> {
        let end = self.steps(steps, self.from)?;
        (end == self.ground.input.len()).then_some(self.found)
    }

    /// Where the bytes at `at` that are like the steps end.
    pub(super) fn steps(&mut self, steps: &[Step], at: usize) -> Option<usize> {
        let input = self.ground.input.as_bytes();
        let mut at = at;
        let mut number = false;
        for step in steps {
            match step {
                Step::Constant(bytes) => {
                    let end = match number {
                        true => after_space(input, at, bytes),
                        false => after(input, at, bytes),
                    };
                    at = self.compared(bytes, at, end)?;
                    number = false;
                }
                Step::Tell(Fixed::Xml(_, text)) => self.add_to_xml(text.len())?,
                Step::Tell(_) => {}
                Step::Value(_, kernel) => {
                    let (scalar, end) = self.ground.value(*kernel, at)?;
                    self.found.scalars.push(scalar);
                    self.spend(end - at)?;
                    at = end;
                    number = !matches!(kernel, Kernel::Text | Kernel::Other(_) | Kernel::Attribute(..));
                }
                Step::Wild(_, wild) => {
                    let end = wild.end(self.ground, at)?;
                    self.spend(end - at)?;
                    self.add_to_xml(wild.added())?;
                    self.found.wilds.push(self.ground.input.get(at..end)?);
                    at = end;
                }
                Step::Alike(items) => {
                    at = self.alike(items, at)?;
                    if self.found.counts.last() == Some(&BUFFERED_MAX) && items.several.is_some() {
                        // The run is read plainly.
                        self.growing = None;
                    }
                }
                Step::Items(several) => at = self.several(several, at)?,
                Step::Parts(parts) => at = self.parts(parts, at)?,
            }
        }
        Some(at)
    }

    /// Pays for comparing a constant with what stands at `at`, which goes on at `end` if it is that.
    fn compared(&mut self, constant: &[u8], at: usize, end: Option<usize>) -> Option<usize> {
        let looked_at = end.unwrap_or_else(|| {
            let rest = self.ground.input.as_bytes().get(at..).unwrap_or_default();
            let spaces = rest.iter().take_while(|&&b| is_xml_space(b)).count();
            at + spaces + common_prefix(constant, rest.get(spaces..).unwrap_or_default())
        });
        self.spend(looked_at - at)?;
        end
    }

    pub(super) fn spend(&mut self, bytes: usize) -> Option<()> {
        *self.fuel = self.fuel.saturating_sub(bytes + 1);
        (*self.fuel > 0).then_some(())
    }

    /// Elements that are kept as XML may have grown by so much together, and no more.
    fn add_to_xml(&mut self, bytes: usize) -> Option<()> {
        self.xml_left = self.xml_left.checked_sub(bytes)?;
        Some(())
    }

    /// Items from one pattern. The first has no gap before it.
    pub(super) fn alike(&mut self, items: &Items, at: usize) -> Option<usize> {
        let Occurs { least, most } = items.occurs;
        let most = match items.kind {
            Kind::Scalars | Kind::Records(..) => most.min(BUFFERED_MAX),
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
            Kind::Records(_, layout) => self.records(layout.as_ref(), (&first, &whole), at, most),
            Kind::Column(_) | Kind::Rows(_) => self.numbers(items, at)?,
        };
        self.found.counts.push(count);
        self.found.tally.bytes_by_example += end - at;
        self.spend(end - at)?;
        (count >= least).then_some(end)
    }

    /// Numbers, or records of numbers, those among them that were read before the message had come.
    fn numbers(&mut self, items: &Items, at: usize) -> Option<(u32, usize)> {
        let begun = self
            .ahead
            .as_deref_mut()
            .and_then(|ahead| ahead.take_read(items.kept?, at));
        let mut read = begun.or_else(|| ReadOn::before(items, at))?;
        read.go_on(items, self.ground, 0);
        match read.numbers {
            Numbers::Column(column) => self.found.columns.push(column),
            Numbers::Rows(rows) => self.found.rows.push(rows),
        }
        Some((read.items, read.end))
    }

    /// Records: packed where they have a layout, unless one cannot be, such as one with a reference in a text.
    fn records(
        &mut self,
        layout: Option<&Layout>,
        (first, whole): (&Pattern<'_>, &Pattern<'_>),
        at: usize,
        most: u32,
    ) -> (u32, usize) {
        let ground = self.ground;
        if let Some(Layout(layout)) = layout {
            let mut packed = Packed::new(layout.clone());
            let (count, end) = twice(at, most, |at, left, is_first| {
                ground.pack(if is_first { first } else { whole }, at, left, &mut packed)
            });
            let next = if count == 0 { first } else { whole };
            let is_all = ground.each_record(next, end, 1.min(most - count), |_| {}).0 == 0;
            self.found.packed.push(is_all.then_some(packed));
            if is_all {
                return (count, end);
            }
        }
        let scalars = &mut self.found.scalars;
        twice(at, most, |at, left, is_first| {
            let pattern = if is_first { first } else { whole };
            ground.each_record(pattern, at, left, |record| {
                scalars.extend(record.drain(..).map(|(_, scalar)| scalar));
            })
        })
    }

    /// An array that is kept: the number of its items, and where they end.
    fn refresh(&mut self, items: &Items, most: u32, at: usize) -> Option<(u32, usize)> {
        let place = items.kept?;
        let shadow = self.shadow.as_deref_mut().filter(|s| s.state != State::Spoilt)?;
        let pattern = items.pattern(&items.gap);
        let form = Form::new(&pattern, &items.dtypes, most)?;
        self.taken_over += 1;
        let (array, old) = shadow.array(place)?;
        let span = array.span.clone();
        let mut progress = match self.ahead.as_deref_mut() {
            Some(ahead) => ahead.progress(place, &span, at),
            None => Progress::new(at, span.len(), 0),
        };
        if progress.from != at {
            // It was taken for one that begins elsewhere.
            shadow.spoil(place);
            return None;
        }
        let end = array.advance(&form, old, Source::whole(self.ground), &mut progress)?;
        let read = array.settle(&form, span.len(), progress, end);
        let in_place = read.in_place && span.start + self.from == at;
        if !read.kept {
            shadow.spoil(place);
            return None;
        }
        array.span = at - self.from..read.end - self.from;
        shadow.state = shadow
            .state
            .max(if in_place { State::InPlace } else { State::Moved });
        let values = read.items as usize * items.dtypes.len();
        let tally = &mut self.found.tally;
        tally.values += values;
        tally.parsed += read.parsed;
        tally.of_parsed += read.of_parsed;
        tally.bytes_by_example += (read.end - at) / values.max(1) * read.of_parsed;
        Some((read.items, read.end))
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
    pub(super) fn pattern<'p>(&'p self, gap: &'p [u8]) -> Pattern<'p> {
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
    pub(super) fn lengths(&self) -> [usize; 6] {
        [
            self.scalars.len(),
            self.counts.len(),
            self.columns.len(),
            self.rows.len(),
            self.packed.len(),
            self.wilds.len(),
        ]
    }

    pub(super) fn truncate(&mut self, [scalars, counts, columns, rows, packed, wilds]: [usize; 6]) {
        self.scalars.truncate(scalars);
        self.counts.truncate(counts);
        self.columns.truncate(columns);
        self.rows.truncate(rows);
        self.packed.truncate(packed);
        self.wilds.truncate(wilds);
    }
}

#[cfg(test)]
mod tests {
    use castile_plan::Types;
    use castile_value::Slot;

    use super::super::parts::Numbered;
    use super::super::track::Several;

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
        let course = Course {
            ground,
            at: 0,
            xml_max: usize::MAX,
        };
        let found = track.follow(course, &mut left, None, None);
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
                gap: None,
                shapes: vec![shape(inner.clone(), "x</a>"), shape(inner, "</a>")],
                occurs: Occurs { least: 1, most: 1 },
                slot: Slot { field: 0, many: true },
                example: None,
                entrance: None,
                number: Numbered::default(),
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
