//! Following items of which not all are alike.

use castile_value::deep;

use super::follow::Walk;
use super::track::{Items, Several, Step};
use crate::decode::repeat::after;

/// Stands for the shape of items that are read by example, in the place of a shape's number.
pub(super) const BY_EXAMPLE: u32 = u32::MAX;

/// How long it is waited until items are looked for again that are like the example.
#[derive(Default)]
struct Pause {
    left: u32,
    length: u32,
}

/// Items in a row from which on looking for them has paid.
const WORTH: u32 = 4;

/// The longest pause, in items.
const PAUSE_MAX: u32 = 64;

impl Pause {
    /// Whether it is over.
    fn is_over(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left == 0
    }

    /// Notes how many items were found.
    fn note(&mut self, found: u32) {
        self.length = match found >= WORTH {
            true => 0,
            false => PAUSE_MAX.min(2 * self.length + 1),
        };
        self.left = self.length;
    }
}

impl Walk<'_, '_, '_> {
    /// Where items end that begin at `at`.
    pub(super) fn several(&mut self, several: &Several, at: usize) -> Option<usize> {
        let input = self.ground.input.as_bytes();
        let place = self.found.counts.len();
        // How often the items' shapes are told: some are told together.
        self.found.counts.push(0);
        let (mut at, mut count, mut told) = (at, 0, 0);
        let mut pause = Pause::default();
        while count < several.occurs.most {
            let from = match count {
                0 => Some(at),
                _ => after(input, at, several.gap.as_deref().unwrap_or_default()),
            };
            let Some((more, end)) = from.and_then(|from| self.some(several, &mut pause, from)) else {
                break;
            };
            (at, count, told) = (end, count + more, told + 1);
        }
        if let Some(found) = self.found.counts.get_mut(place) {
            *found = told;
        }
        (count >= several.occurs.least).then_some(at)
    }

    /// The next items: some that are like the example, or one of any shape; their number and where they end.
    fn some(&mut self, several: &Several, pause: &mut Pause, at: usize) -> Option<(u32, usize)> {
        if let Some(example) = several.example.as_deref().filter(|_| pause.is_over()) {
            let some = self.by_example(example, at);
            pause.note(some.map_or(0, |(count, _)| count));
            if some.is_some() {
                return some;
            }
        }
        let known = self.one_of(&several.shapes, at);
        known
            .or_else(|| self.of_new_shape(several, at))
            .map(|end| (1, end))
    }

    fn by_example(&mut self, example: &Items, at: usize) -> Option<(u32, usize)> {
        let marks = self.found.lengths();
        self.found.counts.push(BY_EXAMPLE);
        let end = self.alike(example, at);
        if end.is_none() {
            self.found.truncate(marks);
        }
        Some((*self.found.counts.last()?, end?))
    }

    /// An item of any of the shapes.
    fn one_of(&mut self, shapes: &[Vec<Step>], at: usize) -> Option<usize> {
        let marks = self.found.lengths();
        for (i, shape) in shapes.iter().enumerate() {
            self.found.counts.push(i as u32);
            if let Some(end) = deep(|| self.steps(shape, at)) {
                return Some(end);
            }
            self.found.truncate(marks);
        }
        None
    }
}
