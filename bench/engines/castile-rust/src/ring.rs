//! A circular list: nodes that refer to one another by their numbers.

use castile::{Fault, Graph, Objects, Value, ValueRecord};

/// The argument `values` of the operations on rings: node `i` points at the next, the last at the first.
pub(crate) fn of(names: &[&str]) -> Graph {
    let number = |index: usize| Value::Ref(u32::try_from(index % names.len()).unwrap_or(0));
    let node = |(index, name): (usize, &&str)| {
        Value::map([("name", Value::from(*name)), ("next", number(index + 1))])
    };
    Graph {
        root: Value::map([(
            "values",
            if names.is_empty() {
                Value::Absent
            } else {
                number(0)
            },
        )]),
        objects: names.iter().enumerate().map(node).collect(),
    }
}

/// The names from a node on, until one comes again or there is none.
pub(crate) fn names(first: &Value, objects: &impl Objects) -> Vec<String> {
    let mut names = Vec::new();
    let first = objects.follow(first);
    let mut node = first;
    loop {
        match node.get("name") {
            Some(Value::Text(name)) => names.push(name.clone()),
            _ => return names,
        }
        node = objects.follow(node.get("next").unwrap_or(&Value::Absent));
        if std::ptr::eq(node, first) {
            return names;
        }
    }
}

/// Returns the ring that came.
pub(crate) fn echo(args: Graph<ValueRecord>) -> Result<Graph, Fault> {
    let values = args.root.into_values().into_iter().next().unwrap_or_default();
    Ok(Graph {
        root: Value::map([("return", values)]),
        objects: args.objects,
    })
}

/// How many nodes came.
pub(crate) fn count(args: &Graph<ValueRecord>) -> Value {
    let first = args.root.get("values").unwrap_or(&Value::Absent);
    Value::Int(i64::try_from(names(first, args).len()).unwrap_or(i64::MAX))
}
