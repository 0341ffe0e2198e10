//! How much time a run takes for what: `runs.toml`.

use std::path::Path;

use serde::Deserialize;

use crate::Outcome;

/// Times of a run; an engine that is slower than they allow gets fewer rounds, or a row that says so.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pace {
    pub(crate) rounds: usize,
    /// For one engine in one cell, all rounds together.
    pub(crate) seconds: f64,
    /// Part of the warm-up that an engine's definition asks for.
    pub(crate) warmup_part: f64,
    /// Warm-up of one engine in one cell.
    pub(crate) warmup_seconds_max: f64,
    /// A cell in which one call would take longer is left out for an engine.
    pub(crate) call_seconds_max: f64,
    /// One engine in one cell, checks and warm-up included; who is beyond it after a round has no other.
    pub(crate) engine_seconds_max: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    full: Pace,
    quick: Pace,
}

impl Pace {
    /// That of a quick or of a full run of the suite in `folder`.
    ///
    /// # Errors
    /// No such file, or one that cannot be read.
    pub(crate) fn of(folder: &Path, quick: bool) -> Outcome<Pace> {
        let path = folder.join("runs.toml");
        let named = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|e| named(&e))?;
        let file: File = toml::from_str(&text).map_err(|e| named(&e))?;
        Ok(if quick { file.quick } else { file.full })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_takes_less_of_everything() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (full, quick) = (
            Pace::of(folder, false).expect("full"),
            Pace::of(folder, true).expect("quick"),
        );
        assert!(quick.rounds <= full.rounds && quick.seconds < full.seconds);
        assert!(quick.warmup_part < full.warmup_part && quick.warmup_seconds_max < full.warmup_seconds_max);
        assert!(quick.call_seconds_max < full.call_seconds_max);
        assert!(quick.engine_seconds_max < full.engine_seconds_max);
    }
}
