//! Trace data: what the engines send, and what must come back.
//!
//! A [`Trace`] is rows of [`Field`]s of one [`Kind`]; its text is the trace file of `PROTOCOL.md`.
//! [`generate`] makes them from a name and a seed.

pub(crate) mod generate;
mod random;

use serde::Deserialize;

use crate::Outcome;
use crate::wire::Style;

/// What a row of a trace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Void,
    Doubles,
    Ints,
    Strings,
    Bytes,
    Packed,
    Mios,
    Events,
    Attributes,
    ClassAds,
    Google,
    Nested,
    Ring,
    Files,
    Counter,
}

/// The type of one field of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Double,
    Int,
    Bool,
    Text,
    Bytes,
}

/// One value.
#[derive(Clone, Debug)]
pub(crate) enum Field {
    Double(f64),
    Int(i64),
    Bool(bool),
    Text(String),
    Bytes(Vec<u8>),
}

/// Values of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    pub(crate) kind: Kind,
    pub(crate) rows: Vec<Vec<Field>>,
}

/// Members of a record in the order of the contract; what is in an inner record has its path.
pub(crate) type Columns = &'static [(&'static str, Type)];

impl Kind {
    /// The name in trace files and definitions.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Void => "void",
            Kind::Doubles => "doubles",
            Kind::Ints => "ints",
            Kind::Strings => "strings",
            Kind::Bytes => "bytes",
            Kind::Packed => "packed",
            Kind::Mios => "mios",
            Kind::Events => "events",
            Kind::Attributes => "attributes",
            Kind::ClassAds => "classads",
            Kind::Google => "google",
            Kind::Nested => "nested",
            Kind::Ring => "ring",
            Kind::Files => "files",
            Kind::Counter => "counter",
        }
    }

    /// The end of the names of its operations.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Kind::Void => "Void",
            Kind::Doubles => "Doubles",
            Kind::Ints => "Ints",
            Kind::Strings => "Strings",
            Kind::Bytes => "Bytes",
            Kind::Packed => "Packed",
            Kind::Mios => "Mios",
            Kind::Events => "Events",
            Kind::Attributes => "Attributes",
            Kind::ClassAds => "ClassAds",
            Kind::Google => "",
            Kind::Nested => "Nested",
            Kind::Ring => "Ring",
            Kind::Files => "Files",
            Kind::Counter => "Counter",
        }
    }

    /// The fields of a row; those of [`Kind::ClassAds`] are repeated.
    pub(crate) fn columns(self) -> Columns {
        match self {
            Kind::Void | Kind::Counter => &[],
            Kind::Doubles | Kind::Packed => &[("", Type::Double)],
            Kind::Ints => &[("", Type::Int)],
            Kind::Strings => &[("", Type::Text)],
            Kind::Bytes => &[("", Type::Bytes)],
            Kind::Mios => &[("x", Type::Int), ("y", Type::Int), ("value", Type::Double)],
            Kind::Events => &[
                ("sequence", Type::Int),
                ("time", Type::Double),
                ("message", Type::Text),
            ],
            Kind::Attributes | Kind::ClassAds => {
                &[("name", Type::Text), ("type", Type::Text), ("value", Type::Text)]
            }
            Kind::Google => &[
                ("summary", Type::Text),
                ("URL", Type::Text),
                ("snippet", Type::Text),
                ("title", Type::Text),
                ("cachedSize", Type::Text),
                ("relatedInformationPresent", Type::Bool),
                ("hostName", Type::Text),
                ("directoryCategory/fullViewableName", Type::Text),
                ("directoryCategory/specialEncoding", Type::Text),
                ("directoryTitle", Type::Text),
            ],
            Kind::Nested => &[
                ("a:id", Type::Text),
                ("b:id", Type::Text),
                ("a:kind", Type::Text),
                ("b:kind", Type::Text),
                ("a:name", Type::Text),
                ("b:name", Type::Text),
            ],
            Kind::Ring => &[("name", Type::Text)],
            Kind::Files => &[("name", Type::Text), ("data", Type::Bytes)],
        }
    }

    /// The contract's file, without its ending.
    pub(crate) fn contract(self, style: Style) -> &'static str {
        match (self, style) {
            (Kind::Nested, _) => "nested",
            (Kind::Files, _) => "files",
            (Kind::Counter, _) => "counter",
            (_, Style::Encoded) => "encoded",
            (_, Style::Literal) => "bench",
        }
    }

    /// What a `send` operation of these rows must answer.
    pub(crate) fn count(self, trace: &Trace) -> i64 {
        let count = match (self, trace.rows.first().map(Vec::as_slice)) {
            (Kind::Bytes, Some([Field::Bytes(bytes)])) => bytes.len(),
            _ => trace.rows.len(),
        };
        i64::try_from(count).unwrap_or(i64::MAX)
    }
}

impl Trace {
    /// The trace file's text.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for row in &self.rows {
            for (index, field) in row.iter().enumerate() {
                if index > 0 {
                    out.push('\t');
                }
                field.write(&mut out);
            }
            out.push('\n');
        }
        out
    }

    /// Reads a trace file.
    ///
    /// # Errors
    /// A line that is none of the kind, with its number.
    pub(crate) fn parse(kind: Kind, text: &str) -> Outcome<Trace> {
        let columns = kind.columns();
        let mut rows = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let row: Result<Vec<Field>, _> = line
                .split('\t')
                .enumerate()
                .map(|(index, text)| Field::parse(columns[index % columns.len()].1, text))
                .collect();
            let row = row.map_err(|e| format!("line {}: {e}", number + 1))?;
            if row.len() % columns.len() != 0 || (row.len() != columns.len() && kind != Kind::ClassAds) {
                return Err(format!("line {} has {} fields", number + 1, row.len()).into());
            }
            rows.push(row);
        }
        Ok(Trace { kind, rows })
    }

    /// The first value that differs from `other`, numbers bit for bit, in words.
    pub(crate) fn difference(&self, other: &Trace) -> Option<String> {
        for (number, (want, have)) in self.rows.iter().zip(&other.rows).enumerate() {
            if want.len() != have.len() {
                return Some(format!(
                    "item {number} has {} values, not {}",
                    have.len(),
                    want.len()
                ));
            }
            for (index, (want, have)) in want.iter().zip(have).enumerate() {
                if !want.same(have) {
                    return Some(format!(
                        "value {index} of item {number} is {}, not {}",
                        have.shown(),
                        want.shown()
                    ));
                }
            }
        }
        let (want, have) = (self.rows.len(), other.rows.len());
        (want != have).then(|| format!("{have} items, not {want}"))
    }
}

impl Field {
    /// The value of a text of this type; white space around numbers is allowed, as XML Schema has it.
    pub(crate) fn parse(kind: Type, text: &str) -> Result<Field, String> {
        let number = text.trim_matches([' ', '\t', '\n', '\r']);
        let bad = || format!("{number:?} is no {kind:?}");
        Ok(match kind {
            Type::Double => Field::Double(match number {
                "INF" => f64::INFINITY,
                "-INF" => f64::NEG_INFINITY,
                "NaN" => f64::NAN,
                _ => number.parse().map_err(|_| bad())?,
            }),
            Type::Int => Field::Int(number.parse().map_err(|_| bad())?),
            Type::Bool => Field::Bool(match number {
                "true" | "1" => true,
                "false" | "0" => false,
                _ => return Err(bad()),
            }),
            Type::Text => Field::Text(text.to_owned()),
            Type::Bytes => Field::Bytes(from_hex(text).ok_or_else(bad)?),
        })
    }

    /// Appends the text that a trace file has.
    pub(crate) fn write(&self, out: &mut String) {
        match self {
            Field::Double(v) => out.push_str(&double(*v)),
            Field::Int(v) => out.push_str(&v.to_string()),
            Field::Bool(v) => out.push_str(&v.to_string()),
            Field::Text(v) => out.push_str(v),
            Field::Bytes(v) => {
                for byte in v {
                    for digit in [byte >> 4, byte & 15] {
                        out.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
                    }
                }
            }
        }
    }

    fn same(&self, other: &Field) -> bool {
        match (self, other) {
            (Field::Double(a), Field::Double(b)) => a.to_bits() == b.to_bits(),
            (Field::Int(a), Field::Int(b)) => a == b,
            (Field::Bool(a), Field::Bool(b)) => a == b,
            (Field::Text(a), Field::Text(b)) => a == b,
            (Field::Bytes(a), Field::Bytes(b)) => a == b,
            _ => false,
        }
    }

    fn shown(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        if text.len() > 60 {
            let end = (0..=60).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
            text.truncate(end);
            text.push_str("...");
        }
        format!("{text:?}")
    }
}

/// The shortest decimal form that reads back as the same bits, as XML Schema allows it.
pub(crate) fn double(v: f64) -> String {
    let size = v.abs();
    if v == 0.0 || (1e-5..1e17).contains(&size) {
        format!("{v}")
    } else {
        format!("{v:E}")
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .bytes()
        .map(|c| char::from(c).to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect();
    let digits = digits.filter(|d| d.len() % 2 == 0)?;
    Some(
        digits
            .chunks_exact(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_reads_back_as_it_was() {
        let text = "1\t-2\t0.1\n3\t4\t1E-300\n";
        let trace = Trace::parse(Kind::Mios, text).expect("a trace");
        assert_eq!(trace.text(), text);
        assert_eq!(trace.difference(&trace), None);
    }

    #[test]
    fn one_bit_is_a_difference_and_is_named() {
        let trace = |v: f64| Trace {
            kind: Kind::Doubles,
            rows: vec![vec![Field::Double(0.5)], vec![Field::Double(v)]],
        };
        let nearly = f64::from_bits(0.1_f64.to_bits() + 1);
        let found = trace(0.1).difference(&trace(nearly)).expect("a difference");
        assert!(found.starts_with("value 0 of item 1 is"), "{found}");
        assert!(trace(0.0).difference(&trace(-0.0)).is_some());
    }

    #[test]
    fn a_missing_item_and_a_missing_field_are_differences() {
        let whole = Trace::parse(Kind::Ints, "1\n2\n").expect("a trace");
        let less = Trace::parse(Kind::Ints, "1\n").expect("a trace");
        assert_eq!(whole.difference(&less).as_deref(), Some("1 items, not 2"));
        assert!(Trace::parse(Kind::Mios, "1\t2\n").is_err());
        assert!(Trace::parse(Kind::Ints, "one\n").is_err());
    }
}
