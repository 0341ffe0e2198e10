//! Two files of results beside each other: what became faster, what slower, and by how much more than their spread.

use std::collections::HashMap;
use std::path::Path;

use crate::Outcome;
use crate::row::{Results, Row, Status};

/// A row in both files.
#[derive(Debug, PartialEq)]
struct Pair {
    name: String,
    /// New time over old time; of rates the other way round, so that below 1 is always faster.
    ratio: f64,
    /// Whether the rounds of the two do not overlap.
    apart: bool,
}

/// Prints ratios, the largest changes first; each ratio is also given over that of the cell's limit, which moves when the
/// machine does.
pub(crate) fn print(old: &Path, new: &Path, all: bool) -> Outcome<()> {
    let (old, new) = (Results::read(old)?, Results::read(new)?);
    println!("old: {}  new: {}", old.head.date, new.head.date);
    let pairs = pairs(&old.rows, &new.rows);
    if pairs.is_empty() {
        return Err("the two have no row in common".into());
    }
    let apart = pairs.iter().filter(|pair| pair.apart).count();
    println!(
        "{} rows in common, {apart} differ by more than their rounds do",
        pairs.len()
    );
    println!("{:>8} {:>10}  row", "new/old", "of limit's");
    let (old_limits, new_limits) = (limits(&old.rows), limits(&new.rows));
    for pair in pairs.iter().filter(|pair| all || pair.apart) {
        let key = pair.name.rsplit_once("  ").map_or("", |(key, _)| key);
        let both = old_limits.get(key).zip(new_limits.get(key));
        let limit = both.and_then(|(old, new)| ratio(old, new));
        let beside = limit.map_or("-".into(), |limit| format!("{:.3}", pair.ratio / limit));
        println!("{:>8.3} {beside:>10}  {}", pair.ratio, pair.name);
    }
    let log: f64 = pairs.iter().map(|pair| pair.ratio.ln()).sum::<f64>() / pairs.len() as f64;
    println!("{:>8.3} {:>10}  geometric mean", log.exp(), "");
    Ok(())
}

fn name(row: &Row) -> String {
    format!("{}  {}", row.key(), row.engine)
}

fn pairs(old: &[Row], new: &[Row]) -> Vec<Pair> {
    let measured = |row: &&Row| row.status == Status::Ok && !row.engine.starts_with("limit/");
    let by_name: HashMap<String, &Row> = new.iter().filter(measured).map(|row| (name(row), row)).collect();
    let mut pairs: Vec<Pair> = old
        .iter()
        .filter(measured)
        .filter_map(|old| {
            let new = by_name.get(&name(old))?;
            let ratio = ratio(old, new)?;
            let apart = new.high? < old.low? || new.low? > old.high?;
            Some(Pair {
                name: name(old),
                ratio,
                apart,
            })
        })
        .collect();
    pairs.sort_by(|a, b| b.ratio.ln().abs().total_cmp(&a.ratio.ln().abs()));
    pairs
}

fn ratio(old: &Row, new: &Row) -> Option<f64> {
    let (old_median, new_median) = (old.median?, new.median?);
    let ratio = match old.unit == "1/s" {
        true => old_median / new_median,
        false => new_median / old_median,
    };
    (ratio.is_finite() && ratio > 0.0).then_some(ratio)
}

/// The limits of cells, by their keys.
fn limits(rows: &[Row]) -> HashMap<String, &Row> {
    let limits = rows.iter().filter(|row| row.engine == "limit/wire");
    limits.map(|row| (row.key(), row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(engine: &str, median: f64, unit: &str) -> Row {
        let text = format!(
            r#"{{"workload":"w","size":1,"measure":"m","engine":"{engine}","status":"ok","unit":"{unit}",
                "median":{median},"low":{},"high":{}}}"#,
            median * 0.9,
            median * 1.1
        );
        serde_json::from_str(&text).expect("a row")
    }

    #[test]
    fn below_one_is_faster_for_times_and_for_rates() {
        let pairs = pairs(
            &[row("a", 100.0, "ns"), row("b", 100.0, "1/s"), row("c", 1.0, "ns")],
            &[
                row("a", 50.0, "ns"),
                row("b", 105.0, "1/s"),
                row("limit/wire", 1.0, "ns"),
            ],
        );
        let found: Vec<(&str, f64, bool)> = pairs.iter().map(|p| (&*p.name, p.ratio, p.apart)).collect();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], ("w 1 m  a", 0.5, true));
        assert!(found[1].1 < 1.0 && !found[1].2);
    }

    #[test]
    fn the_limit_of_a_cell_is_found() {
        let old = [row("limit/wire", 10.0, "ns")];
        let new = [row("limit/wire", 20.0, "ns")];
        let (old, new) = (limits(&old), limits(&new));
        assert_eq!(ratio(old["w 1 m"], new["w 1 m"]), Some(2.0));
    }
}
