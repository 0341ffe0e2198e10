//! Every foreign WSDL that can be loaded without a network is loaded, kept and taken back. The
//! ledger has those that are not, each with its reason; one that loads all the same is an error too.

#[path = "common/corpus.rs"]
mod corpus;

use std::collections::BTreeMap;
use std::fs;
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use castile_contract::files::FileResolver;
use castile_contract::{Contract, Entry, Error, Options};
use castile_plan::{FieldKind, Particle, TypeId, Types};

/// Lines of file and reason.
const LEDGER: &str = include_str!("ledger.tsv");

/// A WSDL of the index.
struct Row {
    file: String,
    path: String,
    loadable: bool,
    operations: usize,
}

fn rows(data: &std::path::Path) -> Vec<Row> {
    let index = fs::read_to_string(data.join("wsdl/INDEX.tsv")).unwrap();
    let rows = index
        .lines()
        .skip(1)
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let tops = rows.filter(|columns| columns[2] == "top");
    let row = |columns: Vec<&str>| Row {
        file: columns[0].into(),
        path: data.join("wsdl").join(columns[0]).to_string_lossy().into_owned(),
        loadable: columns[3] == "yes",
        operations: columns[8].parse().unwrap_or(0),
    };
    tops.map(row).collect()
}

fn load(row: &Row, options: &Options) -> Result<Contract, Error> {
    Contract::load(&row.path, &FileResolver::new(), options)
}

#[test]
fn loadable_contracts_load() {
    let Some(data) = corpus::data() else { return };
    let options = corpus::options(&data);
    let ledger: BTreeMap<&str, &str> = LEDGER.lines().filter_map(|line| line.split_once('\t')).collect();
    let mut tally = Tally::default();
    let mut unexpected = Vec::new();
    for row in rows(&data).iter().filter(|row| row.loadable) {
        let started = Instant::now();
        let result = load(row, &options);
        let took = started.elapsed();
        match (result, ledger.get(&*row.file)) {
            (Ok(contract), None) => tally.add(row, &contract, took),
            (Err(_), Some(_)) => tally.refused += 1,
            (Ok(_), Some(reason)) => unexpected.push(format!("{} loads, in spite of: {reason}", row.file)),
            (Err(error), None) => unexpected.push(format!("{}: {error}", row.file)),
        }
    }
    tally.print();
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
    assert!(tally.loaded * 100 > (tally.loaded + tally.refused) * 95);
}

#[test]
fn the_others_give_errors_or_warnings() {
    let Some(data) = corpus::data() else { return };
    let options = corpus::options(&data);
    let (mut errors, mut warned, mut full) = (0, 0, 0);
    for row in rows(&data).iter().filter(|row| !row.loadable) {
        match load(row, &options) {
            Err(error) => {
                errors += 1;
                assert!(error.to_string().contains(": "), "{error}");
            }
            Ok(contract) if !contract.warnings.is_empty() => warned += 1,
            // What is missing or broken there is built in here: the attributes of XML.
            Ok(contract) => {
                full += 1;
                assert!(
                    contract.missing.is_empty(),
                    "{} lacks something without a word",
                    row.file
                );
            }
        }
    }
    println!("not loadable: {errors} refused, {warned} loaded with warnings, {full} in full");
}

/// Nothing that is cut off, changed in one byte, or hostile makes a panic.
#[test]
fn broken_contracts_do_not_panic() {
    let Some(data) = corpus::data() else { return };
    let options = corpus::options(&data);
    let mut seed = 7u64;
    let mut random = move |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    };
    for row in rows(&data).iter().step_by(7) {
        let Ok(good) = fs::read(&row.path).map(|b| b.into_iter().take(60_000).collect::<Vec<u8>>()) else {
            continue;
        };
        for _ in 0..6 {
            let mut bytes = good.clone();
            match random(3) {
                0 => bytes.truncate(random(good.len())),
                1 => {
                    let (from, to) = (random(good.len()), random(good.len()));
                    bytes.splice(
                        from..from,
                        good[to..(to + random(200)).min(good.len())].iter().copied(),
                    );
                }
                _ => {
                    if let Some(byte) = bytes.get_mut(random(good.len())) {
                        *byte = b"<>\"'/:=&x 0"[random(11)];
                    }
                }
            }
            let entry = Entry::Document {
                bytes: &bytes,
                location: &row.path,
                charset: None,
            };
            let done = catch_unwind(|| Contract::load(entry, &FileResolver::new(), &options).is_ok());
            assert!(
                done.is_ok(),
                "{} panics: {}",
                row.file,
                String::from_utf8_lossy(&bytes)
            );
        }
    }
}

#[test]
fn hostile_schemas_are_refused_or_harmless() {
    let Some(data) = corpus::data() else { return };
    let hostile = data.join("hostile");
    let mut files = Vec::new();
    let mut folders = vec![hostile];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path)
            } else {
                files.push(path)
            }
        }
    }
    for file in files {
        let started = Instant::now();
        let result = Contract::load(
            &*file.to_string_lossy(),
            &FileResolver::new(),
            &Options::default(),
        );
        assert!(started.elapsed() < Duration::from_secs(5), "{}", file.display());
        drop(result);
    }
}

/// The model bomb of the collection, with a type that sets it off.
#[test]
fn groups_of_groups_are_refused() {
    let Some(data) = corpus::data() else { return };
    let file = "hostile/xmlschema-billion-laughs/features/models/billion_laughs_model.xsd";
    let text = fs::read_to_string(data.join(file)).unwrap();
    for group in ["LOL13", "LOL14", "LOL20", "LOL32"] {
        let ty = format!(
            "<xs:complexType name='T'><xs:group ref='{group}'/></xs:complexType><xs:element name='e' type='T'/>"
        );
        let text = text.replace("</xs:schema>", &format!("{ty}</xs:schema>"));
        let contract = Contract::load(text.as_bytes(), &FileResolver::new(), &Options::default()).unwrap();
        let refused = matches!(contract.types.elements[0].ty, TypeId::Unsupported(_));
        assert_eq!(refused, group != "LOL13", "{group}");
        assert!(
            contract
                .types
                .unsupported
                .iter()
                .all(|text| text.contains("limit "))
        );
    }
}

#[derive(Default)]
struct Tally {
    loaded: usize,
    refused: usize,
    operations: usize,
    usable: usize,
    warnings: usize,
    /// Why operations cannot be used, and how many.
    unsupported: BTreeMap<String, usize>,
    times: Vec<(Duration, Duration, String)>,
}

impl Tally {
    fn add(&mut self, row: &Row, contract: &Contract, took: Duration) {
        self.loaded += 1;
        self.warnings += contract.warnings.len();
        let operations: Vec<_> = contract.bindings.iter().flat_map(|b| &b.operations).collect();
        // The index counts the operations of SOAP bindings.
        assert!(
            operations.len() >= row.operations,
            "{}: {} operations",
            row.file,
            operations.len()
        );
        for operation in &operations {
            let usable = operation.input.is_some() && (operation.one_way || operation.output.is_some());
            assert_eq!(
                usable,
                operation.unsupported.is_none(),
                "{}: {}",
                row.file,
                operation.name
            );
            self.operations += 1;
            self.usable += usize::from(usable);
            if let Some(why) = &operation.unsupported {
                let why = why.split(", at ").next().unwrap_or_default();
                let construct = why.split(['{', ' ']).take(6).collect::<Vec<_>>().join(" ");
                *self.unsupported.entry(construct).or_default() += 1;
            }
        }
        check_table(&contract.types, &row.file);
        let mut stored = Vec::new();
        contract.to_stored(&mut stored).unwrap();
        let started = Instant::now();
        let again = Contract::from_stored(&stored).unwrap();
        self.times.push((took, started.elapsed(), row.file.clone()));
        assert_eq!(again.bindings, contract.bindings, "{}", row.file);
        assert_eq!(again.types.complex, contract.types.complex, "{}", row.file);
    }

    fn print(&mut self) {
        println!(
            "{} of {} loadable contracts load",
            self.loaded,
            self.loaded + self.refused
        );
        println!(
            "{} of {} operations usable; {} warnings",
            self.usable, self.operations, self.warnings
        );
        for (why, count) in &self.unsupported {
            println!("{count:5} {why}");
        }
        self.times.sort();
        for (cold, stored, file) in self.times.iter().rev().take(5) {
            println!("cold {cold:?}, stored {stored:?}: {file}");
        }
    }
}

/// What encoders and decoders rely on beyond what sealing checks.
fn check_table(types: &Types, file: &str) {
    for complex in &types.complex {
        let place = || format!("{file}: {}", complex.label);
        assert!(
            !matches!(complex.content.first(), Some(Particle::Leaf { .. })),
            "{}",
            place()
        );
        for (i, field) in complex.fields.iter().enumerate() {
            assert!(!field.name.is_empty(), "{}", place());
            let leaves = complex
                .content
                .iter()
                .filter(|p| matches!(p, Particle::Leaf { field, .. } if *field == i as u32));
            let content = matches!(
                field.kind,
                FieldKind::Element | FieldKind::Any(_) | FieldKind::Group
            );
            assert_eq!(content, leaves.count() > 0, "{} {}", place(), field.name);
            if field.kind == FieldKind::Group {
                let TypeId::Complex(id) = field.ty else {
                    panic!("{}", place())
                };
                let least = if field.is_substitution() { 1 } else { 2 };
                assert!(types.complex(id).content.len() > least, "{}", place());
            }
        }
    }
}
