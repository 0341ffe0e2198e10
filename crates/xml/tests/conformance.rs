//! The W3C XML conformance suite: what has to be refused is, what has to be read is read alike by
//! expat and, where the suite has it, as its canonical output says. `tests/ledger.tsv` lists what
//! does not hold, and why.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use castile_xml::{Doctype, Error, Kind, Reader, Token, escape_attribute, to_utf8};

struct Case {
    id: String,
    kind: String,
    /// Expat knows neither XML 1.1 nor the names of the fifth edition.
    beyond_expat: bool,
    doctype: bool,
    bytes: Vec<u8>,
    canonical: Option<Vec<u8>>,
}

fn cases(folder: &Path) -> Vec<Case> {
    let read = |path: &str| std::fs::read(folder.join(path)).ok();
    support::table(&folder.join("tests.tsv"))
        .iter()
        .map(|row| Case {
            id: row["id"].clone(),
            kind: row["type"].clone(),
            beyond_expat: row["edition"] == "5" || row["version"] == "1.1",
            doctype: row["has_doctype"] == "doctype",
            bytes: read(&row["uri"]).unwrap_or_else(|| panic!("{} is missing", row["uri"])),
            canonical: Some(&row["canonical_output"])
                .filter(|path| !path.is_empty())
                .and_then(|p| read(p)),
        })
        .collect()
}

#[test]
fn w3c_suite() {
    let Some(folder) = support::testdata("xmlconf/w3c-xmlconf") else {
        return;
    };
    let cases = cases(&folder);
    let documents: Vec<_> = cases.iter().map(|case| case.bytes.clone()).collect();
    let oracle = support::oracle(&documents);
    let mut checks = Checks::default();
    for (i, case) in cases.iter().enumerate() {
        let read = support::events_of_bytes(&case.bytes, Doctype::Skip);
        checks.doctype_is_refused(case);
        match (case.kind.as_str(), &read) {
            ("not-wf", read) => checks.add(case, "refused", read.is_err(), || "was read".to_owned()),
            ("valid" | "invalid", Err(error)) => checks.add(case, "read", false, || error.to_string()),
            ("valid" | "invalid", Ok(events)) => {
                checks.add(case, "read", true, String::new);
                checks.canonical(case);
                if let Some(oracle) = &oracle {
                    checks.expat(case, events, &oracle[i]);
                }
            }
            // The suite leaves these open; reading them only must not panic.
            _ => {}
        }
    }
    if oracle.is_some() {
        support::settle("ledger.tsv", &checks.failed, checks.done);
    }
}

#[derive(Default)]
struct Checks {
    done: usize,
    failed: BTreeMap<(String, String), String>,
}

impl Checks {
    fn add(&mut self, case: &Case, check: &str, holds: bool, what: impl FnOnce() -> String) {
        self.done += 1;
        if !holds {
            self.failed.insert((case.id.clone(), check.to_owned()), what());
        }
    }

    /// A document with a DTD is refused for it unless something before it is wrong already.
    fn doctype_is_refused(&mut self, case: &Case) {
        if !case.doctype {
            return;
        }
        let refused = support::events_of_bytes(&case.bytes, Doctype::Refuse).err();
        let holds = match &refused {
            None => false,
            Some(error) => *error.kind() == Kind::Doctype || case.kind != "valid" || at_bytes(error),
        };
        self.add(case, "dtd-refused", holds, || format!("{refused:?}"));
    }

    fn canonical(&mut self, case: &Case) {
        if let Some(expected) = &case.canonical {
            let found = canonical(&case.bytes).unwrap_or_default();
            let holds = found == *expected;
            self.add(case, "canonical", holds, || {
                format!(
                    "{:?} != {:?}",
                    String::from_utf8_lossy(&found),
                    String::from_utf8_lossy(expected)
                )
            });
        }
    }

    fn expat(&mut self, case: &Case, events: &[String], oracle: &Result<Vec<String>, String>) {
        match oracle {
            Err(_) if case.beyond_expat => {}
            Err(error) => self.add(case, "expat", false, || format!("expat: {error}")),
            Ok(expected) => self.add(case, "expat", events == expected, || {
                let differs = (0..)
                    .find(|&i| events.get(i) != expected.get(i))
                    .unwrap_or_default();
                format!(
                    "event {differs}: {:?} != {:?}",
                    events.get(differs),
                    expected.get(differs)
                )
            }),
        }
    }
}

fn at_bytes(error: &Error) -> bool {
    matches!(error.kind(), Kind::Encoding(_))
}

/// The canonical form that the suite's output files are in ("first canonical form", its readme):
/// no declaration, no comments, sorted attributes, references for what would change.
fn canonical(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let text = to_utf8(bytes, None)?;
    let mut reader = Reader::new(&text).doctype(Doctype::Skip);
    let mut out = Vec::new();
    loop {
        match reader.next()? {
            Token::Start { .. } => start_tag(&reader, &mut out),
            Token::End { name } => {
                out.extend_from_slice(format!("</{}>", qualified(name.prefix, name.local)).as_bytes());
            }
            Token::Text(text) => escaped(&text, &mut out),
            Token::Instruction { target, data } => {
                let data = data.replace("\r\n", "\n").replace('\r', "\n");
                out.extend_from_slice(format!("<?{target} {data}?>").as_bytes());
            }
            Token::Comment(_) => {}
            Token::Eof => return Ok(out),
        }
    }
}

fn start_tag(reader: &Reader<'_>, out: &mut Vec<u8>) {
    let tag = &reader.input()[reader.token_start()..reader.position()];
    let name_end = tag.find([' ', '\t', '\n', '\r', '>', '/']).unwrap_or(tag.len());
    let mut attributes: Vec<(String, String)> = reader
        .attributes()
        .iter()
        .map(|a| {
            (
                qualified(a.name.prefix, a.name.local),
                a.value.clone().into_owned(),
            )
        })
        .chain(reader.declarations().iter().map(|&(prefix, ns)| {
            let name = if prefix.is_empty() {
                "xmlns".to_owned()
            } else {
                format!("xmlns:{prefix}")
            };
            (name, reader.uri(ns).to_owned())
        }))
        .collect();
    attributes.sort();
    out.extend_from_slice(&tag.as_bytes()[..name_end]);
    for (name, value) in attributes {
        out.extend_from_slice(format!(" {name}=\"").as_bytes());
        escaped(&value, out);
        out.push(b'"');
    }
    out.push(b'>');
}

fn qualified(prefix: &str, local: &str) -> String {
    if prefix.is_empty() {
        local.to_owned()
    } else {
        format!("{prefix}:{local}")
    }
}

fn escaped(text: &str, out: &mut Vec<u8>) {
    let mut attribute = Vec::new();
    escape_attribute(text, &mut attribute);
    let text = String::from_utf8(attribute).unwrap();
    out.extend_from_slice(text.replace('>', "&gt;").as_bytes());
}
