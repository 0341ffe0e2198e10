//! The generators that workloads name. The same name, seed and size give the same values always.

use serde::Deserialize;

use super::random::Random;
use super::{Field, Kind, Trace, double};
use crate::Outcome;

/// Which values a workload has.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Data {
    /// Start of the random numbers.
    #[serde(default)]
    pub(crate) seed: u64,
    /// Of doubles and ints: `uniform` (the default; doubles in 0 to 1, ints of 31 bits), `bits` (any finite double), or `width`.
    #[serde(default)]
    pub(crate) values: Values,
    /// Characters of each number, for `width`.
    #[serde(default)]
    pub(crate) width: usize,
    /// Characters of each text, or bytes of each file.
    #[serde(default = "sixteen")]
    pub(crate) length: usize,
    /// Different texts, where they are fewer than items.
    pub(crate) distinct: Option<usize>,
}

/// How numbers are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Values {
    #[default]
    Uniform,
    Bits,
    Width,
}

/// What differs from one message to the next (papers 000 and 003).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    /// How many of the numbers, in percent.
    pub(crate) percent: u64,
    /// Characters of the new numbers; else as the old ones.
    pub(crate) width: Option<usize>,
    /// Each change starts from a message of the old values that was sent first by a new client.
    #[serde(default)]
    pub(crate) fresh: bool,
}

fn sixteen() -> usize {
    16
}

/// `size` items of a kind.
pub(crate) fn trace(kind: Kind, data: &Data, size: usize) -> Outcome<Trace> {
    let mut random = Random::new(data.seed ^ 0x00ca_571e);
    let rows = match kind {
        Kind::Void | Kind::Counter => Vec::new(),
        Kind::Bytes => vec![vec![Field::Bytes(bytes(&mut random, size))]],
        Kind::Strings => strings(&mut random, data, size),
        _ => (0..size)
            .map(|index| row(kind, data, &mut random, index))
            .collect::<Outcome<_>>()?,
    };
    Ok(Trace { kind, rows })
}

/// As many other items.
pub(crate) fn other(kind: Kind, data: &Data, size: usize) -> Outcome<Trace> {
    let data = Data {
        seed: data.seed ^ 0x000c_4a2e,
        ..data.clone()
    };
    trace(kind, &data, size)
}

/// The same with some of its doubles anew.
pub(crate) fn changed(trace: &Trace, data: &Data, change: &Change) -> Outcome<Trace> {
    let mut random = Random::new(data.seed ^ 0x00c4_a26e);
    let data = match change.width {
        Some(width) => Data {
            values: Values::Width,
            width,
            ..data.clone()
        },
        None => data.clone(),
    };
    let mut rows = trace.rows.clone();
    for (index, row) in rows.iter_mut().enumerate() {
        // Spread evenly, so that every part of the message has its share.
        let (before, after) = (
            index as u64 * change.percent / 100,
            (index as u64 + 1) * change.percent / 100,
        );
        if before == after {
            continue;
        }
        for field in row {
            match field {
                Field::Double(value) => *value = number(&data, &mut random)?,
                Field::Int(value) if trace.kind == Kind::Ints || change.width.is_some() => {
                    *value = int(&data, &mut random);
                }
                _ => {}
            }
        }
    }
    Ok(Trace {
        kind: trace.kind,
        rows,
    })
}

fn row(kind: Kind, data: &Data, random: &mut Random, index: usize) -> Outcome<Vec<Field>> {
    let text = |text: String| Field::Text(text);
    Ok(match kind {
        Kind::Doubles | Kind::Packed => vec![Field::Double(number(data, random)?)],
        Kind::Ints => vec![Field::Int(int(data, random))],
        Kind::Mios => {
            let place = |v: usize| Field::Int(i64::try_from(v).unwrap_or(0));
            match data.values {
                Values::Width => {
                    let int = [int(data, random), int(data, random)];
                    vec![
                        Field::Int(int[0]),
                        Field::Int(int[1]),
                        Field::Double(number(data, random)?),
                    ]
                }
                _ => vec![
                    place(index / 1000),
                    place(index % 1000),
                    Field::Double(number(data, random)?),
                ],
            }
        }
        Kind::Events => vec![
            Field::Int(i64::try_from(index).unwrap_or(0)),
            Field::Double(1.0e9 + index as f64 + random.unit()),
            text(random.word(data.length)),
        ],
        Kind::Attributes => vec![
            text(format!("attribute.{index}")),
            text(
                random
                    .pick(&["string", "int", "float", "date", "time", "datetime"])
                    .to_owned(),
            ),
            text(random.word(data.length)),
        ],
        Kind::ClassAds => machine(random, index),
        Kind::Google => result(random, index),
        Kind::Nested => vec![
            text(format!("id-{}", random.word(12))),
            text(format!("uuid-{}", random.word(24))),
            text(random.pick(&["token", "key", "digest"]).to_owned()),
            text(random.pick(&["reference", "binary"]).to_owned()),
            text(random.word(data.length)),
            text(random.word(data.length)),
        ],
        Kind::Ring => vec![text(format!("node {index} {}", random.word(data.length)))],
        Kind::Files => vec![
            text(format!("file-{index}.bin")),
            Field::Bytes(bytes(random, data.length)),
        ],
        Kind::Void | Kind::Counter | Kind::Bytes | Kind::Strings => Vec::new(),
    })
}

fn strings(random: &mut Random, data: &Data, size: usize) -> Vec<Vec<Field>> {
    let pool: Option<Vec<String>> = data
        .distinct
        .map(|count| (0..count.max(1)).map(|_| random.word(data.length)).collect());
    let one = |random: &mut Random| match &pool {
        Some(pool) => pool[random.below(pool.len() as u64) as usize].clone(),
        None => random.word(data.length),
    };
    (0..size).map(|_| vec![Field::Text(one(random))]).collect()
}

fn number(data: &Data, random: &mut Random) -> Outcome<f64> {
    match data.values {
        Values::Uniform => Ok(random.unit()),
        Values::Bits => loop {
            let value = f64::from_bits(random.next());
            if value.is_finite() {
                return Ok(value);
            }
        },
        Values::Width => of_width(data.width, random),
    }
}

/// A double whose shortest form has so many characters: the widths of paper 000.
fn of_width(width: usize, random: &mut Random) -> Outcome<f64> {
    for _ in 0..1000 {
        let value: f64 = match width {
            1 => (1 + random.below(9)) as f64,
            3..=18 => format!("0.{}{}", 1 + random.below(9), digits(width - 3, random)).parse()?,
            24 => {
                let exponent = 100 + random.below(200);
                format!("-{}.{}E-{exponent}", 1 + random.below(9), digits(16, random)).parse()?
            }
            _ => return Err(format!("no double is {width} characters wide by design").into()),
        };
        if double(value).len() == width {
            return Ok(value);
        }
    }
    Err(format!("no double of {width} characters was found").into())
}

fn digits(count: usize, random: &mut Random) -> String {
    (0..count)
        .map(|_| char::from(b'0' + random.below(10) as u8))
        .collect()
}

/// An int of paper 000's widths: 1 character where doubles have 1, 11 where they have 24, else 9.
fn int(data: &Data, random: &mut Random) -> i64 {
    match (data.values, data.width) {
        (Values::Width, 1) => 1 + random.below(9) as i64,
        (Values::Width, 24) => -1_000_000_000 - random.below(1_000_000_000) as i64,
        (Values::Width, _) => 100_000_000 + random.below(900_000_000) as i64,
        _ => random.below(1 << 31) as i64,
    }
}

fn bytes(random: &mut Random, size: usize) -> Vec<u8> {
    (0..size).map(|_| random.next() as u8).collect()
}

/// A machine's ad as Condor's collector has it: attributes most of which stay the same.
fn machine(random: &mut Random, index: usize) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut add = |name: &str, kind: &str, value: String| {
        for text in [name.to_owned(), kind.to_owned(), value] {
            fields.push(Field::Text(text));
        }
    };
    for (name, value) in [
        ("MyType", "Machine"),
        ("TargetType", "Job"),
        ("Arch", "X86_64"),
        ("OpSys", "LINUX"),
        ("FileSystemDomain", "cs.example.edu"),
        ("UidDomain", "cs.example.edu"),
        ("State", "Unclaimed"),
        ("Activity", "Idle"),
        ("CondorPlatform", "$CondorPlatform: X86_64-Debian $"),
        (
            "Requirements",
            "(START) && (TARGET.ImageSize <= MY.Memory * 1024)",
        ),
    ] {
        add(name, "STRING-ATTR", value.to_owned());
    }
    add(
        "Name",
        "STRING-ATTR",
        format!("slot1@node{index:04}.cs.example.edu"),
    );
    add(
        "StartdIpAddr",
        "STRING-ATTR",
        format!("<10.0.{}.{}:9618>", index / 250, index % 250),
    );
    for (name, bound) in [
        ("Memory", 65_536),
        ("Disk", 1 << 30),
        ("Cpus", 64),
        ("Mips", 40_000),
        ("KFlops", 9_000_000),
        ("KeyboardIdle", 100_000),
        ("ConsoleIdle", 100_000),
        ("VirtualMemory", 1 << 26),
        ("LastHeardFrom", 1 << 31),
    ] {
        add(name, "INTEGER-ATTR", random.below(bound).to_string());
    }
    for name in ["LoadAvg", "CondorLoadAvg", "TotalLoadAvg", "Rank"] {
        add(name, "FLOAT-ATTR", format!("{:.6}", random.unit()));
    }
    fields
}

fn result(random: &mut Random, index: usize) -> Vec<Field> {
    let host = format!("www{}.example.org", random.below(100));
    let url = format!(
        "http://{host}/{}/{}.html?a=1&b={index}",
        random.word(6),
        random.word(8)
    );
    vec![
        Field::Text(random.sentence(8)),
        Field::Text(url),
        Field::Text(random.sentence(24)),
        Field::Text(random.sentence(6)),
        Field::Text(format!("{}k", random.below(99))),
        Field::Bool(random.below(2) == 1),
        Field::Text(host),
        Field::Text(format!("Top/Computers/{}", random.word(10))),
        Field::Text(String::new()),
        Field::Text(random.sentence(4)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Kind, data: &Data, size: usize) -> Trace {
        trace(kind, data, size).expect("a trace")
    }

    #[test]
    fn every_kind_makes_its_rows_and_reads_them_back() {
        let data = Data {
            length: 16,
            ..Data::default()
        };
        for kind in [
            Kind::Doubles,
            Kind::Ints,
            Kind::Strings,
            Kind::Bytes,
            Kind::Packed,
            Kind::Mios,
            Kind::Events,
            Kind::Attributes,
            Kind::ClassAds,
            Kind::Google,
            Kind::Nested,
            Kind::Ring,
            Kind::Files,
        ] {
            let trace = of(kind, &data, 20);
            let back = Trace::parse(kind, &trace.text()).expect("its own text");
            assert_eq!(trace.difference(&back), None, "{kind:?}");
            assert_eq!(
                trace.text(),
                of(kind, &data, 20).text(),
                "{kind:?} is the same again"
            );
        }
    }

    #[test]
    fn widths_are_what_they_say() {
        for width in [1, 18, 24] {
            let data = Data {
                values: Values::Width,
                width,
                ..Data::default()
            };
            for row in of(Kind::Doubles, &data, 500).rows {
                let mut text = String::new();
                row[0].write(&mut text);
                assert_eq!(text.len(), width, "{text}");
            }
        }
    }

    #[test]
    fn as_many_values_change_as_were_asked_for() {
        let data = Data::default();
        let first = of(Kind::Doubles, &data, 1000);
        for percent in [0, 1, 5, 25, 50, 75, 100] {
            let change = Change {
                percent,
                width: None,
                fresh: false,
            };
            let second = changed(&first, &data, &change).expect("a trace");
            let differ = first
                .rows
                .iter()
                .zip(&second.rows)
                .filter(|(a, b)| !a[0].same(&b[0]));
            assert_eq!(differ.count() as u64, percent * 10);
        }
    }
}
