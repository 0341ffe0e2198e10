//! Random tables, random values: what is encoded is decoded to the same, by the codec and by the
//! reference.

mod support;

use castile_testkit::{Effort, Rng, Sampler, Table, difference, random_table, reference};
use castile_value::{Record, Value};
use support::{decoded, encoded};

const TABLES: u64 = 2000;

fn named(table: &Table) -> Vec<String> {
    let names = table
        .types
        .complex
        .iter()
        .filter(|c| !c.is_abstract)
        .filter_map(|c| c.name.as_ref());
    names.map(|n| n.local.to_string()).collect()
}

fn check(table: &Table, name: &str, body: &Record, context: &str) {
    let plan = table.plan(name);
    let text = encoded(&table.types, &plan, body).unwrap_or_else(|e| panic!("{context}: {e}\n{body:#?}"));
    let back =
        decoded(&table.types, &plan, &text).unwrap_or_else(|e| panic!("{context}: {e}\n{text}\n{body:#?}"));
    if let Some(difference) = difference(&Value::Record(body.clone()), &Value::Record(back)) {
        panic!("{context}: {difference}\n{text}");
    }
    let slow =
        reference::decode(&table.types, &plan, &text).unwrap_or_else(|e| panic!("{context}: {e}\n{text}"));
    if let Some(difference) = difference(&Value::Record(body.clone()), &Value::Record(slow.body)) {
        panic!("reference, {context}: {difference}\n{text}");
    }
}

#[test]
fn random_values_of_random_tables_survive() {
    for seed in 0..TABLES {
        let table = random_table(seed);
        for name in named(&table) {
            for n in 0..4 {
                let effort = [Effort::Random, Effort::Least, Effort::Most, Effort::Random][n as usize];
                let rng = Rng::new(seed.wrapping_mul(31).wrapping_add(n));
                let body = Sampler::new(&table.types, rng)
                    .effort(effort)
                    .record(table.plan(&name).body);
                check(&table, &name, &body, &format!("seed {seed}, {name}, {effort:?}"));
            }
        }
    }
}
