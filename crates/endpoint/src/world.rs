//! The clock and the randomness of this machine.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use castile_codec::{NoRandomness, World};

/// The system's clock and randomness: what layers use unless something else is handed in.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl World for System {
    fn now(&self) -> Duration {
        // A clock that shows a time before 1970 is wrong whatever we say.
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }

    fn random(&self, out: &mut [u8]) -> Result<(), NoRandomness> {
        getrandom::fill(out).map_err(|_| NoRandomness)
    }
}
