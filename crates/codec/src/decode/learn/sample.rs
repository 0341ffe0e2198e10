//! [`Sample`]: a little of a message, to tell at next to no cost whether the next one repeats much of it.

use memchr::memmem;

/// Some places of a message's body, spread evenly.
///
/// It holds values: it belongs to who sent the message, as a [`Shadow`](super::Shadow) does.
#[derive(Clone, Debug)]
pub struct Sample {
    length: usize,
    /// Bytes of the body, and where they stood.
    windows: Vec<(usize, [u8; WINDOW])>,
}

/// Some values with the tags around, or a small record: of a row of which one number changes a shorter one would be the
/// part that stays.
const WINDOW: usize = 128;
/// A window for so many bytes, and how few and how many there are.
const BYTES_A_WINDOW: usize = 16 << 10;
const WINDOWS_LEAST: usize = 4;
const WINDOWS_MOST: usize = 16;
/// How far from its place a window is looked for.
const REACH_MOST: usize = 768;
/// A window of so many that is found again is enough. One holds four values or five, so of those about two
/// thirds are the same then.
const ENOUGH: usize = 8;

impl Sample {
    /// A sample of a body. Shorter ones than a window have none.
    pub fn new(body: &str) -> Sample {
        let body = body.as_bytes();
        let count = (body.len() / BYTES_A_WINDOW).clamp(WINDOWS_LEAST, WINDOWS_MOST);
        let room = body.len().saturating_sub(WINDOW);
        let place = |i: usize| {
            let at = room / count * i;
            Some((at, *body.get(at..)?.first_chunk()?))
        };
        Sample {
            length: body.len(),
            windows: (0..count).filter_map(place).collect(),
        }
    }

    /// Whether a body repeats much of the sampled one, at about the same places.
    pub fn is_like(&self, body: &str) -> bool {
        let body = body.as_bytes();
        let reach = (self.length / 16).min(REACH_MOST);
        let found = |(at, window): &&(usize, [u8; WINDOW])| {
            if body.get(*at..).is_some_and(|rest| rest.starts_with(window)) {
                return true;
            }
            // What grew or shrank before it did so evenly.
            let scaled = *at as u128 * body.len() as u128 / self.length.max(1) as u128;
            let scaled = usize::try_from(scaled).unwrap_or(usize::MAX);
            let end = scaled.saturating_add(reach + WINDOW).min(body.len());
            let near = body.get(scaled.saturating_sub(reach)..end);
            near.is_some_and(|near| memmem::find(near, window).is_some())
        };
        let enough = self.windows.len().div_ceil(ENOUGH);
        enough > 0 && self.windows.iter().filter(found).take(enough).count() == enough
    }

    /// Bytes of memory, roughly.
    pub fn memory(&self) -> usize {
        size_of_val(&*self.windows) + size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::Sample;

    /// Numbers of which some in a hundred are others in each version, a few of them longer.
    fn body(items: usize, version: usize, percent: usize) -> String {
        let item = |i: usize| {
            let mixed = |n: usize| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 8;
            let changed = mixed(i + 7 * items) % 100 < percent;
            let number = mixed(if changed { i + version * items } else { i });
            match changed && version % 2 == 1 && i.is_multiple_of(8) {
                true => format!("<n>{number}{number}</n>"),
                false => format!("<n>{number}</n>"),
            }
        };
        (0..items).map(item).collect()
    }

    #[test]
    fn a_body_is_like_another_as_long_as_most_values_are_the_same() {
        for items in [100, 1000, 100_000] {
            let sample = Sample::new(&body(items, 0, 0));
            for (percent, like) in [(0, true), (1, true), (10, true), (90, false), (100, false)] {
                let other = body(items, 1, percent);
                assert_eq!(sample.is_like(&other), like, "{items} items, {percent} %");
            }
        }
    }

    #[test]
    fn what_is_too_short_is_like_nothing() {
        for text in ["", "<n>1</n>"] {
            assert!(!Sample::new(text).is_like(text));
        }
    }
}
