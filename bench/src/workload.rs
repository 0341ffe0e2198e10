//! Workloads: definitions as data, and the cells that a run is made of.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Outcome;
use crate::trace::Kind;
use crate::trace::generate::{Change, Data};
use crate::wire::Style;
use crate::wire::attached::Form;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Measure {
    /// From before the values are handed over until the last byte has come to a sink.
    Serialize,
    /// Paper 000: from before preparing until after the last send call.
    SendTime,
    /// From the first byte of a ready message until its values are there and counted.
    Deserialize,
    /// A call that sends values and gets them back.
    Endtoend,
    /// Requests a second from the raw load generator.
    Throughput,
    /// From the start of a process to its first reply, and the first calls of new clients and servers (paper 002).
    Coldstart,
    /// An application of `examples/` run whole, from its first call to its last answer; the workload's name says which.
    Application,
}

/// One workload: a file of `workloads/`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Workload {
    /// The file's name.
    #[serde(skip)]
    pub(crate) name: String,
    pub(crate) title: String,
    /// A sentence or two: what it is for.
    #[serde(default)]
    pub(crate) about: String,
    /// Papers and their figures.
    #[serde(default)]
    pub(crate) source: Vec<String>,
    pub(crate) kind: Kind,
    pub(crate) measures: Vec<Measure>,
    pub(crate) sizes: Vec<usize>,
    /// Sizes of a quick run.
    #[serde(default)]
    pub(crate) quick: Vec<usize>,
    /// Points of a quick run, when not all.
    #[serde(default)]
    quick_points: Vec<String>,
    /// Measures of a quick run, when not all.
    #[serde(default)]
    quick_measures: Vec<Measure>,
    #[serde(default)]
    pub(crate) data: Data,
    /// Styles that can say it; both when empty.
    #[serde(default)]
    styles: Vec<Style>,
    /// Why no engine runs it yet.
    pub(crate) unsupported: Option<String>,
    /// Engines that it is for, where not for all.
    #[serde(default)]
    pub(crate) engines: Vec<String>,
    #[serde(default)]
    point: Vec<Point>,
}

/// One setting of a workload.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Point {
    #[serde(default)]
    pub(crate) name: String,
    /// Settings of the engine.
    #[serde(default)]
    pub(crate) set: BTreeMap<String, String>,
    /// What differs from message to message.
    pub(crate) change: Option<Change>,
    /// For engines that remember earlier messages; to others it is the same as any other point.
    #[serde(default)]
    pub(crate) remembering: bool,
    /// Connections at once (throughput).
    #[serde(default)]
    pub(crate) connections: usize,
    /// Requests in all, instead of as many as there is time for (throughput).
    pub(crate) requests: Option<u64>,
}

/// One comparison of a run: all engines on one size of one workload.
#[derive(Clone, Debug)]
pub(crate) struct Cell<'s> {
    pub(crate) workload: &'s Workload,
    pub(crate) point: Point,
    pub(crate) size: usize,
    pub(crate) measure: Measure,
}

/// All workloads of a folder, by name.
///
/// # Errors
/// A definition that cannot be read, with its path.
pub(crate) fn all(folder: &Path) -> Outcome<Vec<Workload>> {
    let mut workloads = Vec::new();
    let mut paths: Vec<_> = std::fs::read_dir(folder)?.flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
    {
        let text = std::fs::read_to_string(path)?;
        let mut workload: Workload = toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        workload.name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        workloads.push(workload);
    }
    Ok(workloads)
}

impl Measure {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Measure::Serialize => "serialize",
            Measure::SendTime => "send-time",
            Measure::Deserialize => "deserialize",
            Measure::Endtoend => "endtoend",
            Measure::Throughput => "throughput",
            Measure::Coldstart => "coldstart",
            Measure::Application => "application",
        }
    }
}

impl Workload {
    /// The cells of a run, small sizes first.
    pub(crate) fn cells(&self, quick: bool) -> Vec<Cell<'_>> {
        let none = [Point::default()];
        let points = if self.point.is_empty() {
            &none[..]
        } else {
            &self.point
        };
        let sizes = if quick { &self.quick } else { &self.sizes };
        let mut cells = Vec::new();
        let wanted =
            |m: &&Measure| !quick || self.quick_measures.is_empty() || self.quick_measures.contains(m);
        for measure in self.measures.iter().filter(wanted) {
            for point in points {
                let left_out = !self.quick_points.is_empty() && !self.quick_points.contains(&point.name);
                if quick && left_out {
                    continue;
                }
                cells.extend(sizes.iter().map(|&size| Cell {
                    workload: self,
                    point: point.clone(),
                    size,
                    measure: *measure,
                }));
            }
        }
        cells
    }

    /// Whether it is an application that is run whole.
    pub(crate) fn is_application(&self) -> bool {
        self.measures.contains(&Measure::Application)
    }

    /// Whether an engine of this style can say it.
    pub(crate) fn speaks(&self, style: Style) -> bool {
        self.styles.is_empty() || self.styles.contains(&style)
    }
}

impl Cell<'_> {
    /// What a row of this cell is found by.
    pub(crate) fn key(&self) -> String {
        let point = match self.point.name.is_empty() {
            true => String::new(),
            false => format!(" [{}]", self.point.name),
        };
        format!(
            "{}{point} {} {}",
            self.workload.name,
            self.size,
            self.measure.name()
        )
    }

    /// Whether its point sets this.
    pub(crate) fn asks(&self, setting: &str, value: &str) -> bool {
        self.point.set.get(setting).is_some_and(|set| set == value)
    }

    /// How its point has files go.
    pub(crate) fn form(&self) -> Form {
        Form::named(self.point.set.get("attachments").map(String::as_str))
    }

    /// The operation that is called.
    pub(crate) fn operation(&self) -> String {
        let kind = self.workload.kind;
        match (kind, self.measure) {
            (Kind::Void, _) => "echoVoid".into(),
            (Kind::Google, _) => "doGoogleSearch".into(),
            (_, Measure::Serialize | Measure::SendTime | Measure::Deserialize) => {
                format!("send{}", kind.suffix())
            }
            _ => format!("echo{}", kind.suffix()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_definition_of_the_suite_is_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("workloads");
        let workloads = all(&folder).expect("workloads");
        assert!(workloads.len() >= 15, "{}", workloads.len());
        for workload in &workloads {
            assert!(
                !workload.cells(false).is_empty(),
                "{} measures nothing",
                workload.name
            );
            assert!(!workload.source.is_empty(), "{} has no source", workload.name);
            for point in &workload.quick_points {
                assert!(workload.point.iter().any(|p| p.name == *point), "{point}");
            }
            for measure in &workload.quick_measures {
                assert!(workload.measures.contains(measure), "{measure:?}");
            }
        }
    }

    #[test]
    fn cells_are_sizes_times_points_times_measures() {
        let text = r#"
title = "T"
kind = "doubles"
measures = ["serialize", "endtoend"]
sizes = [1, 10]
quick = [10]
quick_points = ["b"]
quick_measures = ["endtoend"]
[[point]]
name = "a"
[[point]]
name = "b"
set = { chunk = "0" }
"#;
        let workload: Workload = toml::from_str(text).expect("a workload");
        assert_eq!(workload.cells(false).len(), 8);
        let quick = workload.cells(true);
        assert_eq!(quick.len(), 1);
        assert_eq!(quick[0].operation(), "echoDoubles");
        assert_eq!(quick[0].key(), " [b] 10 endtoend");
        assert_eq!(workload.cells(false)[0].operation(), "sendDoubles");
    }
}
