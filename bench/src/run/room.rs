//! Memory for what is measured: engines that hold much are ended before the machine is short of it.
//!
//! Engines stay between comparisons, since a runtime that was warmed up once need not be again; but twenty Java heaps that
//! each grew in the largest comparison fill a machine, and from then on every engine waits for pages.

use super::Run;
use crate::machine::{self, Memory};

/// Part of the machine's memory that is free when a comparison begins.
const FREE_BEFORE: f64 = 0.5;
/// Below this part, engines that are not in the comparison are ended while it gets ready.
const FREE_WITHIN: f64 = 0.15;
/// A share of time that is worth a word.
const STALLED_MIN: f64 = 0.005;

impl Run<'_> {
    /// Makes room for a comparison of the engines in `wanted`: who is not among them goes first, then the largest.
    pub(super) fn room_before(&mut self, wanted: &[usize]) {
        while machine::memory().is_some_and(|memory| memory.free_part() < FREE_BEFORE) {
            if !self.end_largest(|index| !wanted.contains(&index)) && !self.end_largest(|_| true) {
                break;
            }
        }
    }

    /// Makes room while engines get ready, without touching those of the comparison.
    pub(super) fn room_within(&mut self, wanted: &[usize]) {
        while machine::memory().is_some_and(|memory| memory.free_part() < FREE_WITHIN) {
            if !self.end_largest(|index| !wanted.contains(&index)) {
                break;
            }
        }
    }

    /// Ends the engine that holds most of those that may be ended; whether there was one.
    fn end_largest(&mut self, may: impl Fn(usize) -> bool) -> bool {
        let resident = |index: usize| self.sessions[index].session.resident_kib();
        let running = (0..self.sessions.len()).filter(|&index| may(index));
        let largest = running.map(|index| (resident(index), index)).max();
        match largest {
            Some((held, index)) if held > 0 => {
                self.sessions[index].session.end();
                true
            }
            _ => false,
        }
    }
}

/// How long programs waited for memory since it was made, as a part of that time.
pub(super) struct Stalls {
    began: std::time::Instant,
    before: Option<std::time::Duration>,
}

impl Stalls {
    pub(super) fn start() -> Stalls {
        Stalls {
            began: std::time::Instant::now(),
            before: machine::memory_stalls(),
        }
    }

    /// `None` where it is not worth a word, or the system does not tell.
    pub(super) fn share(&self) -> Option<f64> {
        let waited = machine::memory_stalls()?.checked_sub(self.before?)?;
        let share = waited.as_secs_f64() / self.began.elapsed().as_secs_f64().max(1e-9);
        (share > STALLED_MIN).then_some(share)
    }
}

impl Memory {
    fn free_part(self) -> f64 {
        self.available_kib as f64 / self.total_kib.max(1) as f64
    }
}
