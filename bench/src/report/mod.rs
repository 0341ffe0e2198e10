//! The report: one HTML file with its data, its scripts and the plotting library in it.
//!
//! What is drawn stands in `report/figures.toml`, how in `report/report.js`; this puts the parts together. The library
//! comes from npm by `report/package-lock.json`, whose digests npm checks, into `bench/build/report`, once.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::papers;
use crate::profile;
use crate::row::Results;
use crate::suite::Suite;

/// The library's scripts, in the order in which they must be loaded.
const SCRIPTS: [&str; 2] = [
    "node_modules/d3/dist/d3.min.js",
    "node_modules/@observablehq/plot/dist/plot.umd.min.js",
];

/// Writes the report of some results; rows of later files replace those of earlier ones. Gives its path.
///
/// # Errors
/// Results or definitions that cannot be read; npm that is missing or cannot reach its registry.
pub(crate) fn write(suite: &Suite, results: &[PathBuf], stacks: &[PathBuf], output: &Path) -> Outcome<()> {
    let data = data(suite, results, stacks)?;
    let mut body = String::from(
        "<header><div><h1>SOAP toolkits, measured</h1>\n<p>Medians; faint bars are the spread of rounds. Every answer \
         was checked before anything was timed. Hover for values, click an engine to leave it out.</p>\n\
         <p class=\"soft\" id=\"machine\"></p>\n<p class=\"soft\" id=\"spared\"></p></div></header>\n<main></main>\n",
    );
    writeln!(
        body,
        "<script>const REPORT = {};</script>",
        closed(&data.to_string())
    )?;
    page(
        suite,
        "SOAP toolkits, measured",
        &body,
        &["stacks.js", "report.js"],
        output,
    )
}

/// Writes a page with the suite's style, the library, and scripts of `report/` that draw it.
pub(crate) fn page(suite: &Suite, title: &str, body: &str, scripts: &[&str], output: &Path) -> Outcome<()> {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n"
    );
    let style = std::fs::read_to_string(suite.folder.join("report/report.css"))?;
    write!(html, "<style>\n{style}</style>\n</head>\n<body>\n")?;
    for script in library(suite)? {
        writeln!(html, "<script>{}</script>", closed(&script))?;
    }
    html.push_str(body);
    for script in scripts {
        let script = std::fs::read_to_string(suite.folder.join("report").join(script))?;
        write!(html, "<script>\n{script}</script>\n")?;
    }
    html.push_str("</body>\n</html>\n");
    Ok(std::fs::write(output, html)?)
}

/// Nothing in a script may look like its end.
pub(crate) fn closed(script: &str) -> String {
    script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
}

/// What the page's script draws.
fn data(suite: &Suite, results: &[PathBuf], stacks: &[PathBuf]) -> Outcome<Value> {
    let mut head = None;
    let mut rows: Vec<crate::row::Row> = Vec::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    for path in results {
        let read = Results::read(path)?;
        for row in read.rows {
            let key = (row.key(), row.engine.clone());
            match places.get(&key) {
                Some(&index) => rows[index] = row,
                None => {
                    places.insert(key, rows.len());
                    rows.push(row);
                }
            }
        }
        head = Some(merged(head, read.head));
    }
    let head = head.ok_or("there are no results")?;
    let figures: toml::Value = toml::from_str(&std::fs::read_to_string(
        suite.folder.join("report/figures.toml"),
    )?)?;
    let workloads: Map<String, Value> = suite
        .workloads
        .iter()
        .map(|w| {
            (
                w.name.clone(),
                json!({"title": w.title, "about": w.about, "source": w.source, "unsupported": w.unsupported}),
            )
        })
        .collect();
    let programs: Map<String, Value> = papers::all(&suite.folder)?
        .into_iter()
        .map(|program| (program.name, json!({"title": program.title})))
        .collect();
    Ok(json!({
        "head": head,
        "rows": rows,
        "figures": serde_json::to_value(figures.get("figure"))?,
        "workloads": workloads.into_iter().chain(programs).collect::<Map<String, Value>>(),
        "bias": std::fs::read_to_string(suite.folder.join("BIAS.md"))?,
        "profiles": profile::weights(stacks)?,
    }))
}

/// The later head, with the engines that only the earlier one has.
fn merged(earlier: Option<crate::row::Head>, mut later: crate::row::Head) -> crate::row::Head {
    for engine in earlier.into_iter().flat_map(|head| head.engines) {
        match later.engines.iter_mut().find(|other| other.name == engine.name) {
            Some(other) if !other.absent.is_empty() => *other = engine,
            Some(_) => {}
            None => later.engines.push(engine),
        }
    }
    later
}

/// The library's scripts, fetched when they are not there.
fn library(suite: &Suite) -> Outcome<Vec<String>> {
    let folder = suite.build.join("report");
    let source = suite.folder.join("report");
    if !SCRIPTS.iter().all(|script| folder.join(script).is_file()) {
        std::fs::create_dir_all(&folder)?;
        for file in ["package.json", "package-lock.json", ".npmrc"] {
            std::fs::copy(source.join(file), folder.join(file))?;
        }
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--silent"])
            .current_dir(&folder);
        let output = npm
            .output()
            .map_err(|e| format!("npm, which brings the plotting library: {e}"))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("npm ci, which brings the plotting library: {text}").into());
        }
    }
    let read = |script: &&str| Ok(std::fs::read_to_string(folder.join(script))?);
    SCRIPTS.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_cannot_end_early() {
        assert_eq!(closed("\"</script><!--\""), "\"<\\/script><\\!--\"");
    }

    #[test]
    fn every_figure_is_of_a_workload_and_a_measure_that_it_has() {
        let suite = Suite::open(Some(Path::new(env!("CARGO_MANIFEST_DIR")))).expect("the suite");
        let text = std::fs::read_to_string(suite.folder.join("report/figures.toml")).expect("figures");
        let figures: toml::Value = toml::from_str(&text).expect("figures");
        let figures = figures["figure"].as_array().expect("a list");
        for figure in figures {
            let word = |name: &str| figure.get(name).and_then(toml::Value::as_str);
            let (name, measure) = (
                word("workload").expect("a workload"),
                word("measure").expect("a measure"),
            );
            let program = papers::all(&suite.folder)
                .expect("programs")
                .iter()
                .any(|p| p.name == name);
            if name == "calibration" || program {
                continue;
            }
            let workload = suite.workloads.iter().find(|w| w.name == name).expect(name);
            assert!(
                workload.measures.iter().any(|m| m.name() == measure),
                "{name} {measure}"
            );
            let cells = workload.cells(false);
            if let Some(point) = word("point") {
                assert!(
                    cells.iter().any(|cell| cell.point.name == point),
                    "{name} {point}"
                );
            }
        }
    }
}
