//! Inputs to begin with: messages of every table, and foreign files where there are any.

use std::fs;
use std::path::{Path, PathBuf};

use crate::tables::{choose, sample, written};

/// Inputs for the target of this name, made anew each time. `testdata` is the folder of foreign files.
pub fn seeds(target: &str, testdata: Option<&Path>) -> Vec<Vec<u8>> {
    let files = |folders: &[&str], endings: &[&str]| {
        let folders = testdata
            .into_iter()
            .flat_map(|data| folders.iter().map(|f| data.join(f)));
        folders
            .flat_map(|folder| read_all(&folder, endings))
            .collect::<Vec<_>>()
    };
    match target {
        "contract" => [
            vec![include_bytes!("../../interop/interop.wsdl").to_vec()],
            files(&["wsdl", "soap-interop"], &["wsdl"]),
        ]
        .concat(),
        "documents" => {
            let found = files(&["xmlconf", "hostile"], &["xml"]);
            let cut = |(i, bytes): (usize, Vec<u8>)| [vec![1 + (i % 7) as u8], bytes].concat();
            let samples = samples().into_iter().map(|(_, text)| text.into_bytes());
            samples.chain(found).enumerate().map(cut).collect()
        }
        "delta" => {
            let found = files(&["xmlconf", "hostile"], &["xml"]);
            let samples: Vec<_> = samples().into_iter().map(|(_, text)| text.into_bytes()).collect();
            let all = [samples, found].concat();
            all.chunks(3)
                .map(|some| [&[1], &some.join(&0)[..]].concat())
                .collect()
        }
        "decoding" => samples()
            .into_iter()
            .map(|(head, text)| [&head[..], text.as_bytes()].concat())
            .collect(),
        "receiving" => steps(
            3,
            &[0, 1, 0, 4, 0, 0, 0, 2, 0, 3, 1, 0, 2, 3, 0, 5, 90, 1, 1, 1, b'7'],
        ),
        "sending" => steps(
            4,
            &[
                0, 0, 3, 0, 2, 0, 1, 0, 6, 1, 2, 0, 0x85, 2, 9, 0, 4, 3, 7, 1, 2, 9, 9, 9,
            ],
        ),
        "numbers" => NUMBERS.iter().map(|text| text.as_bytes().to_vec()).collect(),
        "requests" => exchanges()
            .into_iter()
            .map(|text| [b"\0\n", text.as_bytes()].concat())
            .collect(),
        "replies" => replies(),
        _ => Vec::new(),
    }
}

const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "+7",
    "1.5e-3",
    ".5",
    "5.",
    "INF",
    "-INF",
    "NaN",
    "true",
    "2026-02-28T23:59:60.125Z",
    "24:00:00",
    "--02-29",
    "-0044-01-01",
    "P1Y2M3DT4H5M6.7S",
    "-PT0.5S",
    "AQID",
    "0aFF",
    "18446744073709551615",
    "-9223372036854775808",
    "1.7976931348623157e308",
    "4.9e-324",
    "123456789012345678901234567890.5",
    " 1\n",
];

/// Messages of some plans, each after the two bytes that choose its plan.
fn samples() -> Vec<([u8; 2], String)> {
    let heads = (0..8)
        .map(|plan| [0, plan])
        .chain((8..60).map(|table| [table, 0]));
    let made = heads.flat_map(|[table, plan]| {
        let (types, chosen) = choose(table, plan);
        (0..3).map(move |seed| {
            (
                [table, plan],
                written(types, chosen, &sample(types, chosen, seed)),
            )
        })
    });
    made.collect()
}

/// A sequence of steps for each of some tables and settings.
fn steps(settings: usize, steps: &[u8]) -> Vec<Vec<u8>> {
    let heads = (0..8)
        .map(|plan| [0, plan])
        .chain((8..40).map(|table| [table, 0]));
    let with = |[table, plan]: [u8; 2]| {
        let mut bytes = vec![table, plan];
        bytes.resize(settings, table.wrapping_mul(37));
        [&bytes, steps, steps].concat()
    };
    heads.map(with).collect()
}

/// Requests of the contract that the service has.
fn exchanges() -> Vec<String> {
    let contract = crate::requests::contract();
    let binding = contract.bindings.first().expect("a binding");
    let plans = binding
        .operations
        .iter()
        .flat_map(|op| op.input.iter().chain(&op.output));
    let table = |types: &castile_plan::Types| castile_testkit::Table::new(types.clone());
    let types = table(&contract.types);
    plans
        .flat_map(|plan| {
            (0..2)
                .map(|seed| written(&types, plan, &sample(&types, plan, seed)))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn replies() -> Vec<Vec<u8>> {
    let plain = "text/xml; charset=utf-8\n";
    let parts = "multipart/related; type=\"text/xml\"; start=\"<e>\"; boundary=b\n--b\r\nContent-ID: <e>\r\n\
                 Content-Type: text/xml\r\n\r\n";
    let tail = "\r\n--b\r\nContent-ID: <x>\r\nContent-Transfer-Encoding: base64\r\n\r\nAQID\r\n--b--\r\n";
    let one = |(i, text): (usize, String)| {
        let (head, tail) = if i % 2 == 0 { (plain, "") } else { (parts, tail) };
        [&[i as u8, 0], head.as_bytes(), text.as_bytes(), tail.as_bytes()].concat()
    };
    exchanges().into_iter().enumerate().map(one).collect()
}

/// The files below a folder with one of these endings, those that are not large.
fn read_all(folder: &Path, endings: &[&str]) -> Vec<Vec<u8>> {
    const BYTES_MAX: u64 = 64 << 10;
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            let wanted = || path.extension().is_some_and(|e| endings.iter().any(|w| e == *w));
            let small = || fs::metadata(&path).is_ok_and(|m| m.len() <= BYTES_MAX);
            if path.is_dir() {
                folders.push(path);
            } else if wanted() && small() {
                found.extend(fs::read(&path));
            }
        }
    }
    found
}
