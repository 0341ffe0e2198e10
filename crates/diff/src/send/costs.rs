//! What writing costs on this machine: [`Costs`].

use castile_codec::RowWriter;
use castile_value::{Column, DType};

use super::chunk::Chunk;
use super::layout::{Layout, Pad, Shape};
use super::options::Options;
use super::patch::Memory;
use super::report::Report;

/// What the steps of writing an array cost, by which a chunk is patched, rebuilt or written anew. In
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
    /// Copied with the tags around it when its chunk is rebuilt.
    pub keep: f32,
}

/// How a chunk is brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// What changed is written into its slots.
    Patch,
    /// What changed is written and what stayed copied, one behind the other.
    Rebuild,
    /// All is written.
    Anew,
}

/// A chunk that is about to be brought up to date.
pub(crate) struct Choice<'c> {
    pub(crate) dtypes: &'c [DType],
    pub(crate) rows: usize,
    /// Values that changed.
    pub(crate) changed: usize,
    /// Bytes that have to be copied before they may be patched.
    pub(crate) copied: usize,
    /// Slots are as wide as their values.
    pub(crate) exact: bool,
    /// It may be rebuilt, if they are.
    pub(crate) rebuilds: bool,
}

impl Default for Costs {
    fn default() -> Self {
        Costs {
            floats: Steps {
                write: 17.0,
                patch: 24.0,
                resize: 130.0,
                keep: 5.0,
            },
            integers: Steps {
                write: 9.0,
                patch: 16.0,
                resize: 126.0,
                keep: 6.0,
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

    /// The way that costs least.
    pub(crate) fn way(&self, choice: &Choice<'_>) -> Way {
        let steps = |dtype: &DType| match dtype {
            DType::F64 | DType::F32 => self.floats,
            _ => self.integers,
        };
        // What a row costs.
        let row = |cost: fn(Steps) -> f32| choice.dtypes.iter().map(steps).map(cost).sum::<f32>();
        let rows = choice.rows as f32;
        let changed = choice.changed as f32 / choice.dtypes.len().max(1) as f32;
        let (write, patch) = (row(|one| one.write), row(|one| one.patch));
        let patch = match choice.exact {
            // About every other value has another length than the last.
            true => (patch + row(|one| one.resize)) / 2.0,
            false => patch,
        };
        let patch = patch * changed + self.copy * choice.copied as f32 / 1000.0;
        let rebuild = match choice.rebuilds && choice.exact {
            true => write * changed + row(|one| one.keep) * rows,
            false => f32::INFINITY,
        };
        let anew = write * rows;
        if patch <= rebuild.min(anew) {
            Way::Patch
        } else if rebuild < anew {
            Way::Rebuild
        } else {
            Way::Anew
        }
    }
}

/// Values of the chunk that is measured.
const VALUES: usize = 512;
/// What was sent last mostly is in no cache, and what is measured is: what takes bytes up again, or moves them, costs so
/// much more. Of 100,000 doubles seven in ten are patched as fast as all are written, as seen, and one in ten, where slots
/// are exact, as fast as their chunks are rebuilt.
const FARTHER: Steps = Steps {
    write: 1.0,
    patch: 1.1,
    resize: 3.5,
    keep: 1.5,
};
/// The least of so many runs counts: the others were disturbed.
const RUNS: usize = 5;

/// What values of one type cost, `data` and then `other` in the same places.
fn steps(data: [&[u8]; 2], dtype: DType, now: &dyn Fn() -> u64) -> Option<Steps> {
    let column = [Column::new(data[0], dtype.size(), dtype, VALUES)?];
    let options = Options::default();
    let mut chunk = Chunk::default();
    let mut memory = Memory::new(1);
    let mut report = Report::default();
    let mut measure = |pads: Pad, data: [&[u8]; 2]| {
        let shape = Shape::new(RowWriter::sample(dtype), vec![pads]);
        let layout = Layout {
            shape: &shape,
            options: &options,
            typical: &[],
        };
        let write = least(now, || chunk.fill(&layout, &column, 0..VALUES, usize::MAX));
        memory.masks[0] = vec![0; VALUES / 64];
        let keep = least(now, || {
            memory.list_rows();
            chunk.rebuild(&layout, data[0], 0, &mut memory, &mut report)
        });
        // Every other value, so that those between have to be passed by.
        memory.masks[0].fill(0x5555_5555_5555_5555);
        let mut turns = data.iter().rev().cycle();
        let patch = least(now, || {
            if let Some(data) = turns.next() {
                chunk.patch(&layout, data, 0, &mut memory, &mut report);
            }
        });
        let values = VALUES as f32;
        Some([write? / values, keep? / values, patch? / (values / 2.0)])
    };
    let [write, _, patch] = measure(Pad::Inside, [data[0], data[0]])?;
    let [_, keep, resize] = measure(Pad::Never, data)?;
    Some(Steps {
        write,
        patch: FARTHER.patch * patch,
        resize: FARTHER.resize * resize,
        keep: FARTHER.keep * keep,
    })
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

    fn costs(write: f32, patch: f32, keep: f32) -> Costs {
        Costs {
            floats: Steps {
                write,
                patch,
                resize: 2.0 * patch,
                keep,
            },
            integers: Steps {
                write: write / 2.0,
                patch: patch / 2.0,
                resize: patch,
                keep: keep / 2.0,
            },
            copy: 100.0,
        }
    }

    const DOUBLES: Choice<'_> = Choice {
        dtypes: &[DType::F64],
        rows: 100,
        changed: 0,
        copied: 0,
        exact: false,
        rebuilds: false,
    };

    /// The most values of a hundred rows that are patched, and the most that are not all written anew.
    fn limits(costs: Costs, choice: impl Fn(usize) -> Choice<'static>) -> [usize; 2] {
        let values = 100 * choice(0).dtypes.len();
        let ways: Vec<Way> = (0..=values).map(|changed| costs.way(&choice(changed))).collect();
        assert!(ways.is_sorted_by_key(|way| *way as u8), "{ways:?}");
        [Way::Rebuild, Way::Anew].map(|way| ways.partition_point(|one| (*one as u8) < way as u8) - 1)
    }

    #[test]
    fn the_cheaper_way_is_chosen() {
        let choice = |changed| Choice { changed, ..DOUBLES };
        // One value anew costs 10, patched 20: half of 100 is the limit.
        let even = costs(10.0, 20.0, 0.0);
        assert_eq!(limits(even, choice), [50, 50]);
        // Somebody still holds the chunk: a copy of 1000 bytes costs as much as five changed values.
        let copied = |changed| Choice {
            copied: 1000,
            ..choice(changed)
        };
        assert_eq!(limits(even, copied), [45, 45]);
        // Patching that costs no more than writing always pays.
        assert_eq!(limits(costs(10.0, 10.0, 0.0), choice), [100, 100]);
        // Where nothing is padded, half of all that change move others, at twice the cost.
        let exact = |changed| Choice {
            exact: true,
            ..choice(changed)
        };
        assert_eq!(limits(even, exact), [33, 33]);
        // A row of records: what its values cost together.
        let mixed = |changed| Choice {
            dtypes: &[DType::F64, DType::I32],
            ..choice(changed)
        };
        assert_eq!(limits(even, mixed), [100, 100]);
    }

    #[test]
    fn between_few_changes_and_many_a_chunk_is_rebuilt() {
        let choice = |changed| Choice {
            changed,
            exact: true,
            rebuilds: true,
            ..DOUBLES
        };
        // To keep all costs 200, and each that changed 10: as much as to patch 10 at 30 each, and as to write 80 of them.
        assert_eq!(limits(costs(10.0, 20.0, 2.0), choice), [10, 79]);
        // A copy that patching has to make first is worth five changed values.
        let copied = |changed| Choice {
            copied: 1000,
            ..choice(changed)
        };
        assert_eq!(limits(costs(10.0, 20.0, 2.0), copied), [5, 79]);
        // Never where keeping costs as much as writing.
        assert_eq!(limits(costs(10.0, 20.0, 10.0), choice), [33, 33]);
        let mixed = |changed| Choice {
            dtypes: &[DType::F64, DType::I32],
            ..choice(changed)
        };
        assert_eq!(limits(costs(10.0, 20.0, 2.0), mixed), [20, 159]);
        // Nor where slots are padded.
        let padded = |changed| Choice {
            exact: false,
            ..choice(changed)
        };
        assert_eq!(limits(costs(10.0, 20.0, 2.0), padded), [50, 50]);
    }

    #[test]
    fn a_clock_that_stands_still_measures_nothing() {
        assert_eq!(Costs::measure(&|| 7), Costs::default());
        let time = Cell::new(0);
        let measured = Costs::measure(&|| {
            time.set(time.get() + 512);
            time.get()
        });
        let steps = Steps {
            write: 1.0,
            patch: 2.0 * FARTHER.patch,
            resize: 2.0 * FARTHER.resize,
            keep: FARTHER.keep,
        };
        assert_eq!((measured.floats, measured.integers), (steps, steps));
    }
}
