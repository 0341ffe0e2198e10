//! What single values write, by one table of types.

use castile_testkit::Table;
use castile_value::Value;

use super::{schemas, write};

pub(crate) fn table() -> Table {
    Table::parse(schemas::WRITTEN)
}

pub(crate) fn map<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::map(fields)
}

pub(crate) fn list<const N: usize>(items: [Value; N]) -> Value {
    Value::List(items.into())
}

/// The inside of the element that is written for a value, without prefixes of the target namespace.
pub(crate) fn inside(name: &str, value: Value) -> Result<String, castile_codec::Error> {
    let text = write(&table(), name, value)?.replace("ns1:", "");
    let start = format!("<{name}>");
    let end = format!("</{name}>");
    Ok(
        match text.strip_prefix(&start).and_then(|t| t.strip_suffix(&end)) {
            Some(inside) => inside.to_owned(),
            None => text,
        },
    )
}
