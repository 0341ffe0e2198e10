//! Messages whose arrays move in batches, beside the same whose values move one by one.

use castile_codec::{EncodeOptions, Error};
use castile_testkit::{Table, plainly};
use castile_value::typed::{Builder, Fields};
use castile_value::{Record, Sink, Source, ValueSink};

/// The message, and what comes of writing each value by itself.
pub(crate) fn written(
    table: &Table,
    name: &str,
    body: &dyn Source,
    strict: bool,
) -> [Result<String, Error>; 2] {
    let options = EncodeOptions {
        strict,
        ..EncodeOptions::default()
    };
    let (types, plan) = (&table.types, table.plan(name));
    let singly = plainly::write_singly(types, &plan, body, &options);
    [
        plainly::write(types, &plan, body, &options),
        singly.map(|(text, _)| text),
    ]
}

/// The message, which both ways write the same, or refuse in the same words.
pub(crate) fn written_alike(table: &Table, name: &str, body: &dyn Source) -> Result<String, Error> {
    let [written, singly] = written(table, name, body, true);
    assert_eq!(written, singly);
    written
}

pub(crate) fn read<T: Fields + Default>(
    table: &Table,
    name: &str,
    text: &str,
    strict: bool,
) -> Result<T, Error> {
    let mut builder = if strict { Builder::new() } else { Builder::lax() };
    read_into(table, name, text, strict, &mut builder)?;
    Ok(builder.finish().expect("the same types"))
}

pub(crate) fn read_dynamic(table: &Table, name: &str, text: &str, strict: bool) -> Result<Record, Error> {
    let mut sink = ValueSink::new(table.types.shape(table.plan(name).body).clone());
    read_into(table, name, text, strict, &mut sink)?;
    Ok(sink.finish())
}

pub(crate) fn read_into(
    table: &Table,
    name: &str,
    text: &str,
    strict: bool,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    plainly::read_into(&table.types, &table.plan(name), text, strict, sink).map(drop)
}
