//! A bar with the time that is left.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The bar of a run; on a terminal only.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// For so many seconds of work.
    pub(crate) fn new(seconds: f64, silent: bool) -> Progress {
        let bar = ProgressBar::new((seconds * 1e3) as u64);
        if silent {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let style = ProgressStyle::with_template("{bar:30} {percent} % {eta} left  {prefix}: {msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Progress(bar)
    }

    pub(crate) fn cell(&self, name: &str) {
        self.0.set_prefix(name.to_owned());
    }

    pub(crate) fn engine(&self, name: &str) {
        self.0.set_message(name.to_owned());
        self.0.tick();
    }

    /// What was to take so long is done.
    pub(crate) fn done(&self, seconds: f64) {
        self.0.inc((seconds * 1e3) as u64);
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
