//! Results: a file of JSON lines, a head and then a row each as they come.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Outcome;
use crate::stats::Summary;
use crate::workload::Cell;

/// How a row came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Status {
    /// Measured, and its answers were checked.
    Ok,
    /// The toolkit or engine cannot do it.
    Unsupported,
    /// The engine is not installed or built, or only defined.
    Absent,
    /// Its answer was wrong, so it was not timed.
    Wrong,
    /// It went wrong.
    Failed,
    /// It would take too long.
    Slow,
}

/// One engine in one cell.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Row {
    pub(crate) workload: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) point: String,
    pub(crate) size: usize,
    pub(crate) measure: String,
    pub(crate) engine: String,
    pub(crate) status: Status,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) why: String,
    /// `ns`, or what else it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) unit: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) median: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) low: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) high: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) p99: Option<f64>,
    #[serde(default)]
    pub(crate) samples: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) rounds: Vec<f64>,
    /// Which side was the engine, where the harness was the other.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) side: String,
    /// Bytes on the wire of one request and one reply, heads included.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) bytes_request: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) bytes_reply: usize,
    /// CPU time of the engine for one call, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cpu: Option<f64>,
    /// Calls of one run, where an application was run whole.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) calls: usize,
    /// Encoding and decoding on both sides in one such run, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) codec: Option<f64>,
    /// The engine's most memory so far, KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) peak_kib: Option<u64>,
    /// Seconds that the engine took for this row: starting, checks, warm-up, rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) spent: Option<f64>,
    /// Of that, before the first round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) spent_before: Option<f64>,
    /// Part of its comparison's rounds in which programs waited for memory, where that is worth a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stalled: Option<f64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Row {
    /// A row without figures.
    pub(crate) fn without(cell: &Cell<'_>, engine: &str, status: Status, why: impl Into<String>) -> Row {
        Row {
            workload: cell.workload.name.clone(),
            point: cell.point.name.clone(),
            size: cell.size,
            measure: cell.measure.name().into(),
            why: why.into(),
            ..Row::empty(engine, status)
        }
    }

    pub(crate) fn empty(engine: &str, status: Status) -> Row {
        Row {
            workload: String::new(),
            point: String::new(),
            size: 0,
            measure: String::new(),
            engine: engine.to_owned(),
            status,
            why: String::new(),
            unit: String::new(),
            median: None,
            low: None,
            high: None,
            p99: None,
            samples: 0,
            rounds: Vec::new(),
            side: String::new(),
            bytes_request: 0,
            bytes_reply: 0,
            cpu: None,
            calls: 0,
            codec: None,
            peak_kib: None,
            spent: None,
            spent_before: None,
            stalled: None,
        }
    }

    /// A row of figures.
    pub(crate) fn measured(cell: &Cell<'_>, engine: &str, unit: &str, summary: Summary) -> Row {
        Row::without(cell, engine, Status::Ok, "").with(unit, summary)
    }

    /// A row of what the machine can do by itself.
    pub(crate) fn calibration(measure: &str, name: &str, size: usize, summary: Summary) -> Row {
        let row = Row {
            workload: "calibration".into(),
            point: name.into(),
            size,
            measure: measure.into(),
            ..Row::empty("limit/machine", Status::Ok)
        };
        row.with("ns", summary)
    }

    pub(crate) fn with(self, unit: &str, summary: Summary) -> Row {
        Row {
            unit: unit.into(),
            median: Some(summary.median),
            low: Some(summary.low),
            high: Some(summary.high),
            p99: Some(summary.p99),
            samples: summary.samples,
            rounds: summary.rounds,
            ..self
        }
    }

    /// What it shares with the rows of other engines.
    pub(crate) fn key(&self) -> String {
        let point = match self.point.is_empty() {
            true => String::new(),
            false => format!(" [{}]", self.point),
        };
        format!("{}{point} {} {}", self.workload, self.size, self.measure)
    }
}

/// The first line of a file of results.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Head {
    pub(crate) date: String,
    pub(crate) quick: bool,
    pub(crate) machine: Vec<(String, String)>,
    pub(crate) engines: Vec<Described>,
    /// Command line settings, so that a resumed run is the same run.
    pub(crate) workloads: Vec<String>,
    pub(crate) chosen: Vec<String>,
    pub(crate) rounds: usize,
    pub(crate) seconds: f64,
    /// What it leaves out, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) spared: Vec<String>,
    /// The time that it was given, minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) minutes: Option<f64>,
    /// What did not fit into that; a resumed run may have added it since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<LeftOut>,
}

/// Sizes that a run of so many minutes has no time for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct LeftOut {
    pub(crate) workload: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) point: String,
    pub(crate) measure: String,
    pub(crate) sizes: Vec<usize>,
    /// Only variants of toolkits are left out, not the toolkits.
    #[serde(default)]
    pub(crate) variants: bool,
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let point = match self.point.is_empty() {
            true => String::new(),
            false => format!(" [{}]", self.point),
        };
        let who = if self.variants { "variants at " } else { "" };
        let sizes: Vec<String> = self.sizes.iter().map(ToString::to_string).collect();
        write!(
            f,
            "{}{point} {}: {who}{}",
            self.workload,
            self.measure,
            sizes.join(", ")
        )
    }
}

/// An engine as it was at the time of a run.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Described {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) language: String,
    pub(crate) toolkit: String,
    pub(crate) version: String,
    pub(crate) licence: String,
    #[serde(default)]
    pub(crate) homepage: String,
    pub(crate) note: String,
    /// Empty when it ran, else why not.
    pub(crate) absent: String,
    /// `literal` or `encoded`.
    pub(crate) style: String,
}

/// A file of results that grows.
pub(crate) struct Results {
    path: PathBuf,
    pub(crate) head: Head,
    pub(crate) rows: Vec<Row>,
}

#[derive(Deserialize, Serialize)]
struct First {
    run: Head,
}

impl Results {
    pub(crate) fn create(path: PathBuf, head: Head) -> Outcome<Results> {
        let line = serde_json::to_string(&First { run: head.clone() })?;
        std::fs::write(&path, format!("{line}\n"))?;
        Ok(Results {
            path,
            head,
            rows: Vec::new(),
        })
    }

    /// Results of a run that is only thought of.
    pub(crate) fn unwritten(head: Head) -> Results {
        Results {
            path: PathBuf::new(),
            head,
            rows: Vec::new(),
        }
    }

    /// Writes down what a run that begins has no time for.
    pub(crate) fn leave_out(&mut self, left_out: Vec<LeftOut>) -> Outcome<()> {
        self.head.left_out = left_out;
        *self = Results::create(std::mem::take(&mut self.path), self.head.clone())?;
        Ok(())
    }

    /// Reads a file of results. A last line that was cut off (the machine stopped) is left out.
    pub(crate) fn read(path: &Path) -> Outcome<Results> {
        let named = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let text = std::fs::read_to_string(path).map_err(|e| named(&e))?;
        let mut lines = text.lines();
        let first: First = serde_json::from_str(lines.next().unwrap_or("")).map_err(|e| named(&e))?;
        let lines: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
        let mut rows = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            match serde_json::from_str(line) {
                Ok(row) => rows.push(row),
                Err(_) if number + 1 == lines.len() && !text.ends_with('\n') => {}
                Err(error) => return Err(format!("{}:{}: {error}", path.display(), number + 2).into()),
            }
        }
        Ok(Results {
            path: path.to_owned(),
            head: first.run,
            rows,
        })
    }

    /// Reads a file of results to go on with it: what was cut off is cut away.
    pub(crate) fn resume(path: &Path) -> Outcome<Results> {
        let results = Results::read(path)?;
        let text = std::fs::read(path)?;
        let whole = text.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
        OpenOptions::new().write(true).open(path)?.set_len(whole as u64)?;
        Ok(results)
    }

    /// Appends rows, on disk when this returns.
    pub(crate) fn add(&mut self, rows: Vec<Row>) -> Outcome<()> {
        let mut text = String::new();
        for row in &rows {
            text.push_str(&serde_json::to_string(row)?);
            text.push('\n');
        }
        let mut file = OpenOptions::new().append(true).open(&self.path)?;
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
        self.rows.extend(rows);
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is any row of an engine in a workload.
    pub(crate) fn knows(&self, workload: &str, engine: &str) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|row| row.workload == workload && row.engine == engine)
    }

    /// Whether a cell was finished for this engine.
    pub(crate) fn has(&self, cell: &Cell<'_>, engine: &str) -> bool {
        let (workload, point) = (&cell.workload.name, &cell.point.name);
        self.rows.iter().any(|row| {
            row.size == cell.size
                && row.engine == engine
                && row.workload == *workload
                && row.point == *point
                && row.measure == cell.measure.name()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_a_run_that_was_cut_off() {
        let path = std::env::temp_dir().join(format!("castile-bench-rows-{}.jsonl", std::process::id()));
        let head = Head {
            rounds: 3,
            ..Head::default()
        };
        let mut results = Results::create(path.clone(), head).expect("a file");
        let text = r#"{"workload":"w","size":1,"measure":"serialize","engine":"e","status":"ok","median":2.5,"samples":1}"#;
        let row: Row = serde_json::from_str(text).expect("a row");
        results.add(vec![row.clone(), row]).expect("written");
        let mut file = OpenOptions::new().append(true).open(&path).expect("the file");
        file.write_all(b"{\"workload\":\"w\",\"si").expect("written");
        let mut back = Results::resume(&path).expect("results");
        back.add(vec![back.rows[0].clone()]).expect("written");
        assert_eq!(Results::read(&path).expect("results").rows.len(), 3);
        back.rows.pop();
        std::fs::remove_file(&path).expect("removed");
        assert_eq!((back.rows.len(), back.head.rounds), (2, 3));
        assert_eq!(back.rows[1].median, Some(2.5));
        assert_eq!(back.rows[0].key(), "w 1 serialize");
    }
}
