//! Medians, spread, and pinning.

use std::time::Instant;

/// Nanoseconds of many calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) p99: f64,
}

/// Times `calls` calls one by one, after a tenth as many to warm up.
pub(crate) fn each(calls: usize, mut call: impl FnMut()) -> Spread {
    for _ in 0..calls / 10 {
        call();
    }
    let mut times: Vec<f64> = (0..calls)
        .map(|_| {
            let started = Instant::now();
            call();
            started.elapsed().as_nanos() as f64
        })
        .collect();
    spread(&mut times)
}

pub(crate) fn spread(times: &mut [f64]) -> Spread {
    times.sort_by(f64::total_cmp);
    let at = |q: f64| {
        times
            .get(((times.len() as f64) * q) as usize)
            .copied()
            .unwrap_or(f64::NAN)
    };
    Spread {
        median: at(0.5),
        p99: at(0.99),
    }
}

pub(crate) fn median(values: &[f64]) -> f64 {
    spread(&mut values.to_vec()).median
}

/// Pins the calling thread to a core. Threads made from it inherit that.
pub(crate) fn pin(core: usize) {
    core_affinity::set_for_current(core_affinity::CoreId { id: core });
}
