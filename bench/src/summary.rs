//! What is told at the end of a run: each engine's rows by how they ended, and what went wrong.

use std::collections::BTreeMap;

use crate::row::{Row, Status};

/// Rows by engine and status, the time each engine took, and what is wrong or failed with its reason.
pub(crate) fn text(rows: &[Row], seconds: &BTreeMap<String, f64>) -> String {
    const COLUMNS: [(&str, Status); 5] = [
        ("ok", Status::Ok),
        ("unsupported", Status::Unsupported),
        ("slow", Status::Slow),
        ("wrong", Status::Wrong),
        ("failed", Status::Failed),
    ];
    let mut engines: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.engine.starts_with("limit/")) {
        engines.entry(&row.engine).or_default().push(row);
    }
    let mut out = format!("{:<32}", "engine");
    for (name, _) in COLUMNS {
        out.push_str(&format!("{name:>12}"));
    }
    out.push_str(&format!("{:>10}\n", "seconds"));
    let absent = |rows: &[&Row]| rows.iter().all(|row| row.status == Status::Absent);
    for (engine, rows) in &engines {
        out.push_str(&format!("{engine:<32}"));
        if absent(rows) {
            out.push_str(&format!("  {}\n", rows[0].why));
            continue;
        }
        for (_, status) in COLUMNS {
            let count = rows.iter().filter(|row| row.status == status).count();
            out.push_str(&format!("{count:>12}"));
        }
        out.push_str(&format!(
            "{:>10.1}\n",
            seconds.get(*engine).copied().unwrap_or(0.0)
        ));
    }
    let bad = rows
        .iter()
        .filter(|row| matches!(row.status, Status::Wrong | Status::Failed));
    for row in bad {
        let status = if row.status == Status::Wrong {
            "wrong"
        } else {
            "failed"
        };
        out.push_str(&format!("{status}: {}, {}: {}\n", row.engine, row.key(), row.why));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_and_what_is_wrong_is_named() {
        let row = |engine: &str, status: &str| -> Row {
            let text = format!(
                r#"{{"workload":"w","size":1,"measure":"m","engine":"{engine}","status":"{status}","why":"because"}}"#
            );
            serde_json::from_str(&text).expect("a row")
        };
        let rows = [
            row("a", "ok"),
            row("a", "wrong"),
            row("b", "absent"),
            row("limit/wire", "ok"),
        ];
        let seconds = BTreeMap::from([("a".to_owned(), 2.5)]);
        let text = text(&rows, &seconds);
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(lines[1], ["a", "1", "0", "0", "1", "0", "2.5"]);
        assert_eq!(lines[2], ["b", "because"]);
        assert_eq!(text.lines().last(), Some("wrong: a, w 1 m: because"));
    }
}
