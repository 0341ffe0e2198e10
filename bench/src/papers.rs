//! Programs of `papers.toml`: benchmarks of crates that redraw figures about the inside of one toolkit, as rows of a run.
//!
//! A row's workload is the program, its measure the figure, its point what the curve is of, its size the items.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::Outcome;
use crate::row::{Row, Status};
use crate::stats::Summary;
use crate::suite::Suite;

/// Whose rows these are.
pub(crate) const ENGINE: &str = "castile-crates";

/// One program.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Program {
    /// What its rows have as their workload.
    pub(crate) name: String,
    pub(crate) title: String,
    /// Shell, in the folder around the suite.
    build: String,
    run: String,
    /// How long it takes.
    pub(crate) seconds: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    program: Vec<Program>,
}

/// All programs of the suite in `folder`; none where it has no such file.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn all(folder: &Path) -> Outcome<Vec<Program>> {
    let path = folder.join("papers.toml");
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let file: File = toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(file.program)
}

impl Program {
    /// Builds it, so that running it measures nothing else.
    ///
    /// # Errors
    /// What the build printed last.
    pub(crate) fn build(&self, suite: &Suite) -> Outcome<()> {
        self.shell(suite, &self.build).map(drop)
    }

    /// Runs it; its rows, or one that says why there are none.
    pub(crate) fn rows(&self, suite: &Suite) -> Vec<Row> {
        let rows = self
            .shell(suite, &self.run)
            .and_then(|text| parse(&self.name, &text));
        match rows {
            Ok(rows) => rows,
            Err(error) => vec![Row {
                why: error.to_string(),
                workload: self.name.clone(),
                ..Row::empty(ENGINE, Status::Failed)
            }],
        }
    }

    fn shell(&self, suite: &Suite, command: &str) -> Outcome<String> {
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(suite.folder.parent().unwrap_or(&suite.folder))
            .output()?;
        if output.status.success() {
            return Ok(String::from_utf8(output.stdout)?);
        }
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = text.lines().last().unwrap_or_default();
        Err(format!("`{command}` failed ({}): {last}", output.status).into())
    }
}

/// The rows of tab-separated text, whose first line has the names of the columns.
fn parse(program: &str, text: &str) -> Outcome<Vec<Row>> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let names: Vec<&str> = lines.next().ok_or("it printed nothing")?.split('\t').collect();
    lines.map(|line| Line::of(&names, line)?.row(program)).collect()
}

/// One line and the names of its fields.
struct Line<'l> {
    names: &'l [&'l str],
    fields: Vec<&'l str>,
}

impl<'l> Line<'l> {
    fn of(names: &'l [&'l str], line: &'l str) -> Outcome<Line<'l>> {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        match fields.len() == names.len() {
            true => Ok(Line { names, fields }),
            false => Err(format!("{} fields, not {}, in {line:?}", fields.len(), names.len()).into()),
        }
    }

    fn word(&self, name: &str) -> Option<&'l str> {
        let index = self.names.iter().position(|n| n.trim() == name)?;
        self.fields.get(index).copied()
    }

    fn number(&self, name: &str) -> Outcome<f64> {
        let text = self
            .word(name)
            .ok_or_else(|| format!("there is no column {name}"))?;
        Ok(text.parse().map_err(|_| format!("{text:?} is no number"))?)
    }

    fn row(&self, program: &str) -> Outcome<Row> {
        let figure = self.word("figure").ok_or("there is no column figure")?;
        let mut point: Vec<&str> = Vec::new();
        for name in ["type", "service", "series", "settings"] {
            // A limit has no settings but itself.
            point.extend(
                self.word(name)
                    .filter(|word| !word.is_empty() && !point.contains(word)),
            );
        }
        let (unit, summary) = self.figures()?;
        let row = Row {
            workload: program.to_owned(),
            measure: format!("figure {figure}"),
            point: point.join(", "),
            size: self.word("items").map_or(Ok(1), str::parse)?,
            bytes_request: self.word("bytes").map_or(Ok(0), str::parse)?,
            ..Row::empty(ENGINE, Status::Ok)
        };
        Ok(row.with(unit, summary))
    }

    fn figures(&self) -> Outcome<(&'static str, Summary)> {
        let of = |median: f64, low: f64, high: f64| Summary {
            median,
            low,
            high,
            p99: high,
            samples: 1,
            rounds: vec![median],
        };
        if self.word("median_us").is_some() {
            let ns = |name| self.number(name).map(|us| us * 1e3);
            return Ok(("ns", of(ns("median_us")?, ns("p10_us")?, ns("p90_us")?)));
        }
        let value = self.number("value")?;
        let unit = match self.word("unit") {
            Some(unit) if unit.ends_with("/s") => "1/s",
            Some("of the time") => "part",
            other => return Err(format!("the unit {other:?} is not known").into()),
        };
        Ok((unit, of(value, value, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_rates_become_rows() {
        let spans = "figure\ttype\titems\tseries\tsettings\tmedian_us\tp10_us\tp90_us\tbytes\n\
                     1\tmio\t100\tlimit\tlimit\t2.5\t2\t3\t285\n";
        let rows = parse("paper000", spans).expect("rows");
        let row = &rows[0];
        assert_eq!(
            (&*row.measure, &*row.point, row.size),
            ("figure 1", "mio, limit", 100)
        );
        assert_eq!(
            (row.median, row.low, row.bytes_request),
            (Some(2500.0), Some(2000.0), 285)
        );
        let rates = "figure\tservice\tseries\tvalue\tunit\n5\tSearch\tplain\t10\trequests/s\n7\tx\ty\t0.5\tof the time\n";
        let rows = parse("paper001", rates).expect("rows");
        assert_eq!(
            (&*rows[0].unit, rows[0].median, rows[0].size),
            ("1/s", Some(10.0), 1)
        );
        assert_eq!(&*rows[1].unit, "part");
    }

    #[test]
    fn what_is_no_figure_is_an_error() {
        for text in [
            "",
            "figure\tvalue\tunit\n1\tmany\t1/s\n",
            "figure\tvalue\tunit\n1\t2\n",
            "figure\tvalue\tunit\n1\t2\tmiles\n",
            "value\tunit\n1\t1/s\n",
        ] {
            assert!(parse("p", text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_suites_own_programs_are_read() {
        let programs = all(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("programs");
        assert_eq!(programs.len(), 3);
        assert!(programs.iter().all(|program| program.seconds > 0.0));
    }
}
