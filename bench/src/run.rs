//! A run: cells one after the other, engines in turns within each, rows appended as they come.

mod application;
mod besides;
mod cost;
mod head;
pub(crate) mod plan;
mod refuse;
mod room;
mod took;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::engine::build::{State, state};
use crate::engine::process::Refusal;
use crate::measure::check::{self, Finding, Passes, Place};
use crate::measure::time::Round;
use crate::measure::{Material, Session, coldstart, limit, time};
use crate::net::sink::Sink;
use crate::pace::Pace;
use crate::progress::Progress;
use crate::row::{Results, Row, Status};
use crate::suite::Suite;
use crate::workload::{Cell, Measure};
use crate::{papers, stats, summary};

use cost::Known;
use refuse::{refused, verdict};
use room::Stalls;
use took::{Took, history};

/// What a run is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) quick: bool,
    /// Names of workloads; all when empty.
    pub(crate) workloads: Vec<String>,
    /// Names or patterns of engines; all when empty.
    pub(crate) engines: Vec<String>,
    /// Go on with this file.
    pub(crate) resume: Option<PathBuf>,
    /// Write here instead of to a file named by the date.
    pub(crate) output: Option<PathBuf>,
    pub(crate) rounds: Option<usize>,
    pub(crate) seconds: Option<f64>,
    /// Stop after so many minutes, between two cells.
    pub(crate) minutes: Option<f64>,
    /// No bar.
    pub(crate) silent: bool,
}

/// Runs everything that is wanted and not there yet; gives the file of results.
pub(crate) fn run(suite: &Suite, options: &Options) -> Outcome<PathBuf> {
    let results = match &options.resume {
        Some(path) => Results::resume(path)?,
        None => Results::create(head::output(suite, options)?, head::head(suite, options)?)?,
    };
    let mut run = Run::new(suite, results)?;
    let planned = run.planned(options.minutes)?;
    if options.resume.is_none() && !planned.left_out.is_empty() {
        run.results.leave_out(planned.left_out.clone())?;
    }
    let progress = Progress::new(planned.seconds, options.silent);
    if !options.silent {
        eprintln!("{}", run.told(&planned));
    }
    run.calibrate()?;
    let began = Instant::now();
    run.papers(&progress)?;
    for (index, planned_cell) in planned.cells.iter().enumerate() {
        if options
            .minutes
            .is_some_and(|most| began.elapsed().as_secs_f64() > most * 60.0)
        {
            eprintln!(
                "time is up, {} comparisons are left: --resume goes on",
                planned.cells.len() - index
            );
            break;
        }
        progress.cell(&planned_cell.cell.key());
        run.cell(&planned_cell.cell, planned_cell.variants, &progress)?;
        progress.done(planned_cell.seconds);
    }
    progress.finish();
    if !options.silent {
        eprint!("{}", summary::text(&run.results.rows, &run.spent));
    }
    Ok(run.results.path().to_owned())
}

struct Run<'s> {
    suite: &'s Suite,
    sink: Sink,
    passes: Passes,
    results: Results,
    sessions: Vec<Contestant<'s>>,
    /// What calls took, by engine, workload and measure.
    last: Took,
    /// What is known of earlier runs.
    known: Known,
    /// Seconds that each engine took.
    spent: BTreeMap<String, f64>,
    pace: Pace,
    harness: String,
}

/// An engine that can run, and the fingerprint of its sources.
struct Contestant<'s> {
    session: Session<'s>,
    fingerprint: String,
}

impl<'s> Run<'s> {
    fn new(suite: &'s Suite, results: Results) -> Outcome<Run<'s>> {
        let head = &results.head;
        let mut sessions = Vec::new();
        for engine in &suite.engines {
            let wanted = head
                .engines
                .iter()
                .any(|described| described.name == engine.name && described.absent.is_empty());
            if let (true, State::Ready(fingerprint)) = (wanted, state(suite, engine)?) {
                let session = Session::new(suite, engine);
                sessions.push(Contestant { session, fingerprint });
            }
        }
        let pace = Pace {
            rounds: head.rounds,
            seconds: head.seconds,
            ..Pace::of(&suite.folder, head.quick)?
        };
        Ok(Run {
            suite,
            sink: Sink::start()?,
            passes: Passes::open(suite)?,
            known: Known::of(suite, &pace)?,
            pace,
            results,
            sessions,
            last: Took::default(),
            spent: BTreeMap::new(),
            harness: check::harness(suite)?,
        })
    }

    fn cells(&self) -> Outcome<Vec<Cell<'s>>> {
        let head = &self.results.head;
        let programs = papers::all(&self.suite.folder)?;
        for name in &head.workloads {
            let program = programs.iter().any(|program| program.name == *name);
            if !program && !self.suite.workloads.iter().any(|w| w.name == *name) {
                return Err(format!("there is no workload {name}").into());
            }
        }
        let wanted = |name: &String| head.workloads.is_empty() || head.workloads.contains(name);
        let workloads = self.suite.workloads.iter().filter(|w| wanted(&w.name));
        Ok(workloads.flat_map(|w| w.cells(head.quick)).collect())
    }

    /// The engines of a cell that have no row yet, by their place among the sessions; `variants` of toolkits too.
    fn wanted(&self, cell: &Cell<'_>, variants: bool) -> Vec<usize> {
        let chosen = &self.results.head.chosen;
        let wanted = |&index: &usize| {
            let engine = self.sessions[index].session.engine;
            engine.takes(cell)
                && (variants || engine.name == engine.base())
                && !self.pace.variants.spare(engine, cell, chosen)
                && !self.results.has(cell, &engine.name)
        };
        (0..self.sessions.len()).filter(wanted).collect()
    }

    /// All engines in one cell, `variants` of toolkits too.
    fn cell(&mut self, cell: &Cell<'s>, variants: bool, progress: &Progress) -> Outcome<()> {
        let wanted = self.wanted(cell, variants);
        if wanted.is_empty() {
            return Ok(());
        }
        let mut rows = self.absent(cell);
        if let Some(why) = &cell.workload.unsupported {
            rows.extend(wanted.iter().map(|&index| {
                Row::without(
                    cell,
                    &self.sessions[index].session.engine.name,
                    Status::Unsupported,
                    why,
                )
            }));
            return self.results.add(rows);
        }
        self.room_before(&wanted);
        if cell.measure == Measure::Application {
            rows.extend(self.application(cell, &wanted, progress)?);
            return self.results.add(rows);
        }
        let material = Material::of(self.suite, cell)?;
        let mut turns = Vec::new();
        for &index in &wanted {
            self.room_within(&wanted);
            let name = self.sessions[index].session.engine.name.clone();
            progress.engine(&name);
            let began = Instant::now();
            let mut ready = self.ready(index, cell, &material)?;
            if matches!(&ready, Err((Status::Failed, why)) if why.contains("no answer to `serve")) {
                // It has no processes any more: a start that hung is tried once more.
                ready = self.ready(index, cell, &material)?;
            }
            let spent = began.elapsed().as_secs_f64();
            match ready {
                Ok(one) => turns.push(Turn::new(index, one, spent)),
                Err((status, why)) => {
                    *self.spent.entry(name.clone()).or_default() += spent;
                    let row = Row::without(cell, &name, status, why);
                    rows.push(Row {
                        spent: Some(spent),
                        ..row
                    });
                }
            }
        }
        let stalls = Stalls::start();
        let limits = self.rounds(cell, &material, &mut turns, progress)?;
        let stalled = stalls.share();
        let measured = rows.len();
        for turn in turns {
            let name = self.sessions[turn.index].session.engine.name.clone();
            *self.spent.entry(name).or_default() += turn.spent;
            rows.extend(self.rows(cell, turn));
        }
        rows.extend(limits);
        for row in &mut rows[measured..] {
            row.stalled = stalled;
        }
        self.results.add(rows)
    }

    /// Rows of engines that cannot run here at all: once a workload is enough, so for its first cell.
    fn absent(&self, cell: &Cell<'_>) -> Vec<Row> {
        let absent = self
            .results
            .head
            .engines
            .iter()
            .filter(|engine| !engine.absent.is_empty());
        let missing = absent.filter(|engine| !self.results.knows(&cell.workload.name, &engine.name));
        missing
            .map(|engine| Row::without(cell, &engine.name, Status::Absent, &engine.absent))
            .collect()
    }

    /// Checks and warms up; gives the time of one call, or why there is none.
    fn ready(
        &mut self,
        index: usize,
        cell: &Cell<'_>,
        material: &Material,
    ) -> Outcome<Result<f64, (Status, String)>> {
        let engine = self.sessions[index].session.engine;
        if let Some(refused) = refused(&self.sessions[index].session, cell) {
            return Ok(Err((Status::Unsupported, refused)));
        }
        if let Some(slow) = self.slow(engine, cell) {
            return Ok(Err((Status::Slow, slow)));
        }
        if let Some((size, why)) = self.wrong_before(engine, cell) {
            return Ok(Err((Status::Wrong, format!("as at {size}: {why}"))));
        }
        let history = history(engine, cell);
        let Contestant { session, fingerprint } = &mut self.sessions[index];
        let key = check::key(&self.harness, session, fingerprint, cell);
        if !self.passes.has(&key) {
            let scratch = self.suite.file("data/dump.txt")?;
            if let Err(finding) = check::check(session, cell, material, &self.sink, &scratch) {
                if matches!(&finding, Finding::Refused(refusal) if refusal.is_silence()) {
                    // It took this long at least; other points of this size need not wait for it again.
                    self.last
                        .note(history, cell.size, session.engine.timeout_seconds * 1e9);
                }
                return Ok(Err(verdict(session, finding)));
            }
            self.passes.add(key)?;
        }
        if cell.measure == Measure::Coldstart {
            return Ok(Ok(1.0));
        }
        let warmup = self.pace.warmup(session.engine);
        if cell.measure == Measure::Throughput {
            let time = warmup.wanted + Duration::from_millis(20);
            return Ok(time::round(session, cell, material, &self.sink, None, time)
                .map(|_| 1.0)
                .map_err(|refusal| verdict(session, refusal.into())));
        }
        match time::warm(session, cell, material, &self.sink, warmup) {
            Ok(one) => {
                self.last.note(history, cell.size, one);
                Ok(Ok(one))
            }
            Err(refusal) => Ok(Err(verdict(session, refusal.into()))),
        }
    }

    /// Notes what one call took, ns.
    fn took(&mut self, index: usize, cell: &Cell<'_>, ns: f64) {
        let engine = self.sessions[index].session.engine;
        self.last.note(history(engine, cell), cell.size, ns);
    }

    /// The rounds: engines and limits take turns, another first each time.
    fn rounds(
        &mut self,
        cell: &Cell<'_>,
        material: &Material,
        turns: &mut [Turn],
        progress: &Progress,
    ) -> Outcome<Vec<Row>> {
        let slice = Duration::from_secs_f64(match cell.measure {
            Measure::Throughput => self.pace.load_seconds,
            _ => self.pace.seconds / self.pace.rounds as f64,
        });
        let count = turns.len();
        let (mut wire, mut conversion) = (Vec::new(), Vec::new());
        for round in 0..self.pace.rounds {
            let mut ran = false;
            for offset in 0..count {
                let turn = &mut turns[(round + offset) % count];
                let beyond = round > 0 && turn.spent - turn.before > self.pace.engine_seconds_max;
                if turn.failed.is_some() || beyond || self.pace.enough(cell.measure, &turn.medians()) {
                    continue;
                }
                ran = true;
                let began = Instant::now();
                let session = &mut self.sessions[turn.index].session;
                progress.engine(&session.engine.name);
                if cell.measure == Measure::Coldstart {
                    match coldstart::round(self.suite, session, cell, material, &self.sink) {
                        Ok(figures) => turn.cold(figures),
                        Err(refusal) => turn.failed = Some(refusal),
                    }
                } else {
                    let calls = (slice.as_nanos() as f64 / turn.one).max(1.0) as usize;
                    match time::round(session, cell, material, &self.sink, Some(calls), slice) {
                        Ok(done) => turn.rounds.push(done),
                        Err(refusal) => turn.failed = Some(refusal),
                    }
                }
                turn.spent += began.elapsed().as_secs_f64();
            }
            if cell.measure != Measure::Coldstart && ran {
                let most = if self.results.head.quick { 10 } else { 50 };
                let calls = limit::calls(material, most);
                wire.push(limit::wire(cell, material, &self.sink, calls, slice)?);
                conversion.extend(limit::conversion(cell, material));
            }
        }
        let unit = unit(cell);
        let row = |name: &str, rounds: &[Vec<f64>]| {
            stats::summary(rounds).map(|summary| Row::measured(cell, name, unit, summary))
        };
        Ok([row("limit/wire", &wire), row("limit/conversion", &conversion)]
            .into_iter()
            .flatten()
            .collect())
    }

    fn rows(&mut self, cell: &Cell<'_>, turn: Turn) -> Vec<Row> {
        let session = &mut self.sessions[turn.index].session;
        let name = session.engine.name.clone();
        if let Some(refusal) = turn.failed {
            let (status, why) = verdict(session, refusal.into());
            let row = Row::without(cell, &name, status, why);
            return vec![Row {
                spent: Some(turn.spent),
                ..row
            }];
        }
        let mut rows = Vec::new();
        for (point, (unit, values)) in turn.figures {
            let rounds: Vec<Vec<f64>> = values.into_iter().map(|value| vec![value]).collect();
            if let Some(summary) = stats::summary(&rounds) {
                let mut row = Row::measured(cell, &name, unit, summary);
                row.point = point.into();
                row.spent = (point == coldstart::FIRST_REPLY).then_some(turn.spent);
                rows.push(row);
            }
        }
        if cell.measure == Measure::Coldstart {
            let (point, why) = coldstart::NEW_RESOURCE;
            let mut row = Row::without(cell, &name, Status::Unsupported, why);
            row.point = point.into();
            rows.push(row);
        }
        let samples: Vec<Vec<f64>> = turn.rounds.iter().map(|round| round.samples.clone()).collect();
        let Some(summary) = stats::summary(&samples) else {
            return rows;
        };
        let mut row = Row::measured(cell, &name, unit(cell), summary);
        (row.spent, row.spent_before) = (Some(turn.spent), Some(turn.before));
        if let Some(last) = turn.rounds.last() {
            (row.bytes_request, row.bytes_reply) = (last.bytes_request, last.bytes_reply);
            if last.at_sink {
                row.why = "to the last byte at the sink: the toolkit hides its last send call".into();
            }
            if last.cut {
                row.why = format!("as many requests as came in {} s", self.pace.load_seconds);
            }
        }
        let calls: usize = turn.rounds.iter().map(|round| round.calls).sum();
        let cpu: f64 = turn.rounds.iter().map(|round| round.cpu_seconds).sum();
        row.cpu = (calls > 0 && cpu > 0.05).then(|| cpu * 1e9 / calls as f64);
        let (client, server) = session.usage();
        row.peak_kib = Some(client.peak_kib.max(server.peak_kib)).filter(|&kib| kib > 0);
        row.side = match Place::of(session, cell) {
            Some(Place::Client) => "client".into(),
            Some(Place::Server) => "server".into(),
            _ => String::new(),
        };
        rows.push(row);
        rows
    }
}

/// One engine in the rounds of a cell.
struct Turn {
    index: usize,
    /// Time of one call, ns.
    one: f64,
    /// Seconds of checks, warm-up and rounds so far.
    spent: f64,
    /// Of that, before the first round.
    before: f64,
    rounds: Vec<Round>,
    figures: BTreeMap<&'static str, (&'static str, Vec<f64>)>,
    failed: Option<Refusal>,
}

impl Turn {
    fn new(index: usize, one: f64, spent: f64) -> Turn {
        Turn {
            index,
            one,
            spent,
            before: spent,
            rounds: Vec::new(),
            figures: BTreeMap::new(),
            failed: None,
        }
    }

    /// Of the rounds so far.
    fn medians(&self) -> Vec<f64> {
        match self.figures.values().next() {
            Some((_, values)) => values.clone(),
            None => self
                .rounds
                .iter()
                .map(|round| stats::median(&round.samples))
                .collect(),
        }
    }

    fn cold(&mut self, figures: coldstart::Figures) {
        for (point, unit, value) in figures {
            self.figures
                .entry(point)
                .or_insert((unit, Vec::new()))
                .1
                .push(value);
        }
    }
}

fn unit(cell: &Cell<'_>) -> &'static str {
    match cell.measure {
        Measure::Throughput => "1/s",
        _ => "ns",
    }
}
