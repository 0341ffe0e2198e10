//! What writing costs on this machine: [`Costs`].

use castile_codec::RowWriter;
use castile_value::{Column, DType};

use super::chunk::Chunk;
use super::layout::{Layout, Pad, Shape};
use super::options::Options;
use super::patch::Memory;
use super::report::Report;

/// What the steps of writing an array cost, by which a chunk is patched or written anew. In
/// nanoseconds, of which only the ratios count. [`Default`] is a typical machine's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Of doubles and floats.
    pub floats: Steps,
    /// Of integers and booleans.
    pub integers: Steps,
    /// Copying a thousand bytes.
    pub copy: f32,
}

/// What a value costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// Written anew with the tags around it, one of many in a row.
    pub write: f32,
    /// Written into its slot, one among others that stay.
    pub patch: f32,
    /// The same, where the slot has to get another width.
    pub resize: f32,
}

/// A chunk that is about to be patched, or written anew.
pub(crate) struct Choice<'c> {
    pub(crate) dtypes: &'c [DType],
    pub(crate) rows: usize,
    /// Values that changed.
    pub(crate) changed: usize,
    /// Bytes that have to be copied before they may be patched.
    pub(crate) copied: usize,
    /// Slots are as wide as their values.
    pub(crate) exact: bool,
}

impl Default for Costs {
    fn default() -> Self {
        Costs {
            floats: Steps {
                write: 22.0,
                patch: 30.0,
                resize: 70.0,
            },
            integers: Steps {
                write: 9.0,
                patch: 17.0,
                resize: 55.0,
            },
            copy: 30.0,
        }
    }
}

impl Costs {
    /// Measures for less than a millisecond; `now` tells the time in nanoseconds. What is no
    /// measurement, because the clock stands still, is left at its default.
    pub fn measure(now: &dyn Fn() -> u64) -> Costs {
        let typical = Costs::default();
        let floats = |short: u64| {
            let number = move |i: u64| match short {
                0 => 1.0 / (i as f64 + 3.0),
                _ => i as f64 / 4.0,
            };
            (0..VALUES as u64)
                .flat_map(move |i| number(i).to_ne_bytes())
                .collect::<Vec<u8>>()
        };
        let integers = |factor: i32| {
            let number = move |i: i32| (i * factor + 100_000).to_ne_bytes();
            (0..VALUES as i32).flat_map(number).collect::<Vec<u8>>()
        };
        let (floats, integers) = ([floats(0), floats(1)], [integers(7919), integers(-195)]);
        let [floats, integers] = [&floats, &integers].map(|[one, other]| [&one[..], &other[..]]);
        Costs {
            floats: steps(floats, DType::F64, now).unwrap_or(typical.floats),
            integers: steps(integers, DType::I32, now).unwrap_or(typical.integers),
            copy: copy(now).unwrap_or(typical.copy),
        }
    }

    /// Whether writing a chunk anew costs less than patching it.
    pub(crate) fn prefer_anew(&self, choice: &Choice<'_>) -> bool {
        let steps = |dtype: &DType| match dtype {
            DType::F64 | DType::F32 => self.floats,
            _ => self.integers,
        };
        let patch = |steps: Steps| match choice.exact {
            // About every other value has another length than the last.
            true => (steps.patch + steps.resize) / 2.0,
            false => steps.patch,
        };
        let row = choice.dtypes.iter().map(steps);
        let row = row.fold((0.0, 0.0), |sum: (f32, f32), one| {
            (sum.0 + one.write, sum.1 + patch(one))
        });
        let anew = row.0 * choice.rows as f32;
        let patch = row.1 / choice.dtypes.len().max(1) as f32 * choice.changed as f32;
        patch + self.copy * choice.copied as f32 / 1000.0 > anew
    }
}

/// Values of the chunk that is measured.
const VALUES: usize = 512;
/// The least of so many runs counts: the others were disturbed.
const RUNS: usize = 5;

/// What values of one type cost, `data` and then `other` in the same places.
fn steps(data: [&[u8]; 2], dtype: DType, now: &dyn Fn() -> u64) -> Option<Steps> {
    let column = [Column::new(data[0], dtype.size(), dtype, VALUES)?];
    let options = Options::default();
    let mut chunk = Chunk::default();
    let mut memory = Memory::new(1);
    // Every other value, so that those between have to be passed by.
    memory.masks[0] = vec![0x5555_5555_5555_5555; VALUES / 64];
    let mut report = Report::default();
    let mut measure = |pads: Pad, data: [&[u8]; 2]| {
        let shape = Shape::new(RowWriter::sample(dtype), vec![pads]);
        let layout = Layout {
            shape: &shape,
            options: &options,
            typical: &[],
        };
        let write = least(now, || chunk.fill(&layout, &column, 0..VALUES, usize::MAX));
        let mut turns = data.iter().rev().cycle();
        let patch = least(now, || {
            if let Some(data) = turns.next() {
                chunk.patch(&layout, data, 0, &mut memory, &mut report);
            }
        });
        Some((write? / VALUES as f32, patch? / (VALUES / 2) as f32))
    };
    let (write, patch) = measure(Pad::Inside, [data[0], data[0]])?;
    let (_, resize) = measure(Pad::Never, data)?;
    Some(Steps { write, patch, resize })
}

fn copy(now: &dyn Fn() -> u64) -> Option<f32> {
    let (from, mut to) = (vec![1u8; 32_000], vec![0u8; 32_000]);
    let time = least(now, || {
        std::hint::black_box(&mut to).copy_from_slice(std::hint::black_box(&from))
    })?;
    Some(time / 32.0)
}

fn least(now: &dyn Fn() -> u64, mut work: impl FnMut()) -> Option<f32> {
    let runs = (0..RUNS).map(|_| {
        let start = now();
        work();
        now().saturating_sub(start)
    });
    runs.min().filter(|&time| time > 0).map(|time| time as f32)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn costs(write: f32, patch: f32) -> Costs {
        Costs {
            floats: Steps {
                write,
                patch,
                resize: 2.0 * patch,
            },
            integers: Steps {
                write: write / 2.0,
                patch: patch / 2.0,
                resize: patch,
            },
            copy: 100.0,
        }
    }

    #[test]
    fn the_cheaper_way_is_chosen() {
        let doubles = [DType::F64];
        let choice = |changed| Choice {
            dtypes: &doubles,
            rows: 100,
            changed,
            copied: 0,
            exact: false,
        };
        // One value anew costs 10, patched 20: half of 100 is the limit.
        let even = costs(10.0, 20.0);
        assert!(!even.prefer_anew(&choice(50)));
        assert!(even.prefer_anew(&choice(51)));
        // Somebody still holds the chunk: a copy of 1000 bytes costs as much as five changed values.
        let copied = |changed| Choice {
            copied: 1000,
            ..choice(changed)
        };
        assert!(!even.prefer_anew(&copied(45)));
        assert!(even.prefer_anew(&copied(46)));
        // Patching that costs no more than writing always pays.
        assert!(!costs(10.0, 10.0).prefer_anew(&choice(100)));
        // Where nothing is padded, half of all that change move others, at twice the cost.
        let exact = |changed| Choice {
            exact: true,
            ..choice(changed)
        };
        assert!(!even.prefer_anew(&exact(33)));
        assert!(even.prefer_anew(&exact(34)));
        // A row of records: what its values cost together.
        let mixed = |changed| Choice {
            dtypes: &[DType::F64, DType::I32],
            ..choice(changed)
        };
        assert!(!even.prefer_anew(&mixed(100)));
        assert!(even.prefer_anew(&mixed(101)));
    }

    #[test]
    fn a_clock_that_stands_still_measures_nothing() {
        assert_eq!(Costs::measure(&|| 7), Costs::default());
        let time = Cell::new(0);
        let measured = Costs::measure(&|| {
            time.set(time.get() + 512);
            time.get()
        });
        let Steps { write, patch, resize } = measured.floats;
        assert_eq!((write, patch, resize), (1.0, 2.0, 2.0));
    }
}
