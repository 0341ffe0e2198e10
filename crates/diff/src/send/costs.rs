//! What writing costs on this machine: [`Costs`].

use castile_codec::RowWriter;
use castile_value::{Column, DType};

use super::chunk::Chunk;
use super::layout::{Layout, Shape};
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
}

impl Default for Costs {
    fn default() -> Self {
        Costs {
            floats: Steps {
                write: 22.0,
                patch: 30.0,
            },
            integers: Steps {
                write: 9.0,
                patch: 17.0,
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
        let floats: Vec<f64> = (0..VALUES).map(|i| 1.0 / (i as f64 + 3.0)).collect();
        let integers: Vec<i32> = (0..VALUES as i32).map(|i| i * 7919 + 100_000).collect();
        let bytes = [
            floats
                .iter()
                .map(|v| v.to_ne_bytes().to_vec())
                .collect::<Vec<_>>()
                .concat(),
            integers
                .iter()
                .map(|v| v.to_ne_bytes().to_vec())
                .collect::<Vec<_>>()
                .concat(),
        ];
        Costs {
            floats: steps(&bytes[0], DType::F64, now).unwrap_or(typical.floats),
            integers: steps(&bytes[1], DType::I32, now).unwrap_or(typical.integers),
            copy: copy(now).unwrap_or(typical.copy),
        }
    }

    /// Whether writing a chunk anew costs less than patching it: `rows` rows of values of these types,
    /// of which `changed` values changed, in so many `bytes` that have to be copied first.
    pub(crate) fn prefer_anew(&self, dtypes: &[DType], rows: usize, changed: usize, bytes: usize) -> bool {
        let steps = |dtype: &DType| match dtype {
            DType::F64 | DType::F32 => self.floats,
            _ => self.integers,
        };
        let row = dtypes.iter().map(steps).fold((0.0, 0.0), |sum: (f32, f32), one| {
            (sum.0 + one.write, sum.1 + one.patch)
        });
        let anew = row.0 * rows as f32;
        let patch = row.1 / dtypes.len().max(1) as f32 * changed as f32;
        patch + self.copy * bytes as f32 / 1000.0 > anew
    }
}

/// Values of the chunk that is measured.
const VALUES: usize = 512;
/// The least of so many runs counts: the others were disturbed.
const RUNS: usize = 5;

fn steps(data: &[u8], dtype: DType, now: &dyn Fn() -> u64) -> Option<Steps> {
    let size = dtype.size();
    let column = [Column::new(data, size, dtype, VALUES)?];
    let writer = RowWriter::sample(dtype);
    let (shape, options) = (Shape::new(writer, vec![true]), Options::default());
    let layout = Layout {
        shape: &shape,
        options: &options,
    };
    let mut chunk = Chunk::default();
    let write = least(now, || chunk.fill(&layout, &column, 0..VALUES, usize::MAX))?;
    // Every other value, so that those between have to be passed by.
    let mut memory = Memory::new(1);
    memory.masks[0] = vec![0x5555_5555_5555_5555; VALUES / 64];
    let mut report = Report::default();
    let patch = least(now, || chunk.patch(&layout, &column, 0, &mut memory, &mut report))?;
    Some(Steps {
        write: write / VALUES as f32,
        patch: patch / (VALUES / 2) as f32,
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

    fn costs(write: f32, patch: f32) -> Costs {
        Costs {
            floats: Steps { write, patch },
            integers: Steps {
                write: write / 2.0,
                patch: patch / 2.0,
            },
            copy: 100.0,
        }
    }

    #[test]
    fn the_cheaper_way_is_chosen() {
        let doubles = [DType::F64];
        // One value anew costs 10, patched 20: half of 100 is the limit.
        let even = costs(10.0, 20.0);
        assert!(!even.prefer_anew(&doubles, 100, 50, 0));
        assert!(even.prefer_anew(&doubles, 100, 51, 0));
        // Somebody still holds the chunk: a copy of 1000 bytes costs as much as five changed values.
        assert!(!even.prefer_anew(&doubles, 100, 45, 1000));
        assert!(even.prefer_anew(&doubles, 100, 46, 1000));
        // Patching that costs no more than writing always pays.
        assert!(!costs(10.0, 10.0).prefer_anew(&doubles, 100, 100, 0));
        // A row of records: what its values cost together.
        let mixed = [DType::F64, DType::I32];
        assert!(!even.prefer_anew(&mixed, 100, 100, 0));
        assert!(even.prefer_anew(&mixed, 100, 101, 0));
    }

    #[test]
    fn a_clock_that_stands_still_measures_nothing() {
        assert_eq!(Costs::measure(&|| 7), Costs::default());
        let time = Cell::new(0);
        let measured = Costs::measure(&|| {
            time.set(time.get() + 512);
            time.get()
        });
        assert_eq!((measured.floats.write, measured.floats.patch), (1.0, 2.0));
    }
}
