//! The first line of a file of results: what a run is, and who takes part.

use std::path::PathBuf;

use super::Options;
use crate::Outcome;
use crate::engine::Engine;
use crate::engine::build::{State, state};
use crate::machine;
use crate::pace::Pace;
use crate::row::{Described, Head};
use crate::suite::Suite;

/// Where the rows of a run go.
pub(super) fn output(suite: &Suite, options: &Options) -> Outcome<PathBuf> {
    match &options.output {
        Some(path) => Ok(path.clone()),
        None => suite.file(&format!(
            "results/{}.jsonl",
            machine::date_time().replace(':', "")
        )),
    }
}

/// What a new run is.
pub(super) fn head(suite: &Suite, options: &Options) -> Outcome<Head> {
    let pace = Pace::of(&suite.folder, options.quick)?;
    let wanted = |engine: &Engine| match options.engines.as_slice() {
        // Minutes are not enough for all variants: a quick run has each toolkit's first.
        [] => !options.quick || engine.name == engine.base(),
        patterns => patterns.iter().any(|pattern| engine.matches(pattern)),
    };
    if let Some(nobody) = options
        .engines
        .iter()
        .find(|p| !suite.engines.iter().any(|e| e.matches(p)))
    {
        return Err(format!("there is no engine {nobody}").into());
    }
    let mut engines = Vec::new();
    for engine in suite.engines.iter().filter(|e| wanted(e)) {
        let absent = match state(suite, engine)? {
            State::Ready(_) => String::new(),
            State::Unbuilt => "not built: make bench-engines".into(),
            State::NotInstalled(why) => why,
            State::Defined(why) => format!("defined only: {why}"),
        };
        engines.push(Described {
            name: engine.name.clone(),
            title: engine.title.clone(),
            language: engine.language.clone(),
            toolkit: engine.toolkit.clone(),
            version: engine.version.clone(),
            licence: engine.licence.clone(),
            homepage: engine.homepage.clone(),
            note: engine.note.clone(),
            absent,
            style: format!("{:?}", engine.style).to_lowercase(),
        });
    }
    Ok(Head {
        date: machine::date_time(),
        quick: options.quick,
        machine: machine::describe(),
        engines,
        workloads: options.workloads.clone(),
        chosen: options.engines.clone(),
        rounds: options.rounds.unwrap_or(pace.rounds).max(1),
        seconds: options.seconds.unwrap_or(pace.seconds),
        spared: pace.variants.words(),
        minutes: options.minutes,
        left_out: Vec::new(),
    })
}
