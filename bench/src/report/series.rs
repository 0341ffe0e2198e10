//! Series of other programs, the micro-benchmarks of crates: tab-separated text, its first line the names of columns,
//! of which `figure`, `series`, `x` and `y` (nanoseconds) count.

use std::path::Path;

use serde::Serialize;

use crate::Outcome;

/// One point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Point {
    figure: String,
    series: String,
    x: f64,
    y: f64,
}

/// Reads a file; lines that start with `#` are remarks.
pub(super) fn read(path: &Path) -> Outcome<Vec<Point>> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    parse(&text).map_err(|e| format!("{}: {e}", path.display()).into())
}

fn parse(text: &str) -> Outcome<Vec<Point>> {
    let mut lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let names: Vec<&str> = lines.next().ok_or("it is empty")?.split('\t').collect();
    let column = |name: &str| {
        let found = names.iter().position(|n| n.trim() == name);
        found.ok_or_else(|| format!("there is no column {name}"))
    };
    let (figure, series, x, y) = (column("figure")?, column("series")?, column("x")?, column("y")?);
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
            let field = |index: usize| {
                fields
                    .get(index)
                    .copied()
                    .ok_or_else(|| format!("too few fields in {line:?}"))
            };
            let number = |index| -> Outcome<f64> {
                let text: &str = field(index)?;
                Ok(text.parse().map_err(|_| format!("{text:?} is no number"))?)
            };
            Ok(Point {
                figure: field(figure)?.to_owned(),
                series: field(series)?.to_owned(),
                x: number(x)?,
                y: number(y)?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let points = parse("# a remark\ny\tfigure\tx\tseries\n2.5\tF\t10\tS\n").expect("points");
        let wanted = Point {
            figure: "F".into(),
            series: "S".into(),
            x: 10.0,
            y: 2.5,
        };
        assert_eq!(points, [wanted]);
        assert!(parse("figure\tseries\tx\n").is_err());
        assert!(parse("figure\tseries\tx\ty\nF\tS\t1\tmany\n").is_err());
    }
}
