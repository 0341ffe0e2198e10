//! gSOAP's encoder and decoder, measured by a program of their own.

use std::path::PathBuf;
use std::process::Command;

/// The folder of the program `memory` of the interop suite's gSOAP.
pub(crate) struct Gsoap(PathBuf);

impl Gsoap {
    pub(crate) fn wanted() -> Option<Gsoap> {
        std::env::var_os("CASTILE_GSOAP").map(|folder| Gsoap(folder.into()))
    }

    /// Nanoseconds that an item takes to be written and to be read; `None` where it has no such items.
    pub(crate) fn run(&self, name: &str) -> Option<[f64; 2]> {
        let program = self.0.join("memory");
        let output = Command::new(&program).output();
        let output = output.unwrap_or_else(|e| panic!("{}: {e}", program.display()));
        assert!(output.status.success(), "{}: {output:?}", program.display());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let mut numbers = line
            .split_whitespace()
            .map(|word| word.parse().expect("a number"));
        Some([numbers.next()?, numbers.next()?])
    }
}
