//! What is said of values that cannot be written.

mod support;

use castile_codec::{Guilty, Kind};
use castile_value::{QName, Value};
use support::written::{inside, list, map};

#[test]
fn refused_values() {
    let more = |x: Value| map([("x", x)]);
    let xml = |text: &str| map([("any", list([Value::Xml(text.into())]))]);
    let cases: Vec<(&str, Value, Kind, &str, &str)> = vec![
        (
            "Pair",
            map([]),
            Kind::Missing,
            "Pair",
            "\"a\" is missing: {urn:t}Pair needs it",
        ),
        (
            "Pair",
            map([("a", Value::Nil)]),
            Kind::Value,
            "Pair/a",
            "\"a\" cannot be nil",
        ),
        (
            "Pair",
            map([("a", 1.into()), ("c", 1.into())]),
            Kind::UnknownName,
            "Pair",
            "has no \"c\"; it has a, b",
        ),
        (
            "Pair",
            map([("a", 1.5.into())]),
            Kind::Value,
            "Pair/a",
            "a double given, 1.5 (the type is xsd:int)",
        ),
        ("Pair", map([("a", "x".into())]), Kind::Value, "Pair/a", "\"x\""),
        (
            "Pair",
            map([("a", (1i64 << 31).into())]),
            Kind::Value,
            "Pair/a",
            "out of range",
        ),
        (
            "Pair",
            map([("a", vec![1].into())]),
            Kind::Value,
            "Pair/a",
            "given",
        ),
        (
            "Pair",
            map([("a", list([1.into(), 2.into()]))]),
            Kind::Value,
            "Pair/a",
            "a list given",
        ),
        (
            "Pair",
            map([("a", map([]))]),
            Kind::Value,
            "Pair/a",
            "a record given where the type is xsd:int",
        ),
        (
            "Pair",
            map([("a", 1.into()), ("b", "\u{1}".into())]),
            Kind::Value,
            "Pair/b",
            "U+0001",
        ),
        (
            "Pair",
            5.into(),
            Kind::Value,
            "Pair",
            "an integer given where the type is {urn:t}Pair",
        ),
        (
            "Either",
            map([]),
            Kind::Missing,
            "Either",
            "one of a, b, c, d is missing",
        ),
        (
            "Either",
            map([("a", 1.into()), ("d", 1.into())]),
            Kind::Value,
            "Either",
            "\"a\" and \"d\" exclude each other",
        ),
        (
            "Orders",
            map([("a", 1.into())]),
            Kind::Missing,
            "Orders",
            "\"b\" is missing",
        ),
        (
            "Around",
            map([("a", vec![1].into()), ("b", "".into())]),
            Kind::Value,
            "Around",
            "{urn:t}Around has no order for 1 a, 1 b",
        ),
        (
            "Around",
            map([("a", list([1.into(), "x".into()])), ("b", "".into())]),
            Kind::Value,
            "Around/a[2]",
            "\"x\"",
        ),
        (
            "All",
            map([("a", 1.into())]),
            Kind::Missing,
            "All",
            "\"c\" is missing",
        ),
        (
            "Nested",
            map([("b", 1.into()), ("e", 1.into())]),
            Kind::Missing,
            "Nested",
            "\"a\" is missing",
        ),
        (
            "Nested",
            map([("a", 1.into()), ("b", 1.into()), ("c", 1.into()), ("e", 1.into())]),
            Kind::Value,
            "Nested",
            "\"b\" and \"c\" exclude each other",
        ),
        (
            "Passes",
            map([("group", list([map([("b", 1.into())])]))]),
            Kind::Missing,
            "Passes/group[1]",
            "\"a\" is missing",
        ),
        (
            "Passes",
            map([("group", list([map([("a", 1.into()), ("z", 1.into())])]))]),
            Kind::UnknownName,
            "Passes/group[1]",
            "\"z\"",
        ),
        (
            "Options",
            map([("group", list([map([("a", 1.into()), ("b", 2.into())])]))]),
            Kind::Value,
            "Options/group[1]",
            "give a list with a record for each: [{\"a\": ...}, {\"b\": ...}]",
        ),
        (
            "Options",
            map([("a", 1.into()), ("b", 2.into())]),
            Kind::UnknownName,
            "Options",
            "has \"a\" only in group (a list of records of a, b), such as \"group\": [{\"a\": ...}, {\"b\": ...}]",
        ),
        (
            "Passes",
            map([("b", 2.into())]),
            Kind::UnknownName,
            "Passes",
            "such as \"group\": [{\"b\": ...}, ...]",
        ),
        (
            "Options",
            map([("group", list([]))]),
            Kind::Missing,
            "Options",
            "\"group\" is missing",
        ),
        // Nothing says how many defaults or nils were meant.
        (
            "Several",
            map([("b", vec![1, 2].into())]),
            Kind::Missing,
            "Several",
            "\"a\" is missing",
        ),
        (
            "Several",
            map([("a", vec![1, 2].into())]),
            Kind::Missing,
            "Several",
            "\"b\" is missing",
        ),
        (
            "Wild",
            xml("<w"),
            Kind::Value,
            "Wild/any[1]",
            "not one well-formed XML element",
        ),
        (
            "Wild",
            xml("<w xmlns='urn:t'/>"),
            Kind::Value,
            "Wild/any[1]",
            "does not admit w",
        ),
        (
            "Wild",
            xml("<p:w/>"),
            Kind::Value,
            "Wild/any[1]",
            "not one well-formed",
        ),
        (
            "List",
            map([("l", list([1.into(), "x".into()]))]),
            Kind::Value,
            "List/l",
            "\"x\"",
        ),
        (
            "List",
            map([("l", list([1.into(), map([])]))]),
            Kind::Value,
            "List/l[2]",
            "a list type holds simple values only",
        ),
        (
            "Array",
            map([("n", list([1.into(), Value::Nil]))]),
            Kind::Value,
            "Array/n[2]",
            "cannot be nil",
        ),
        ("Any", map([("x", map([]))]), Kind::Value, "Any/x", "typed object"),
        (
            "Enum",
            map([("e", "blue".into())]),
            Kind::Value,
            "Enum/e",
            "\"blue\" is not one of red, green",
        ),
        (
            "Enum",
            map([("u", "blue".into())]),
            Kind::Value,
            "Enum/u",
            "fits no member",
        ),
        (
            "Holder",
            more(list([map([("a", 1.into())])])),
            Kind::Value,
            "Holder/x[1]",
            "abstract",
        ),
        (
            "Token",
            map([("n", "a b".into())]),
            Kind::Value,
            "Token/n",
            "no such name",
        ),
        (
            "Token",
            map([("f", 1e300.into())]),
            Kind::Value,
            "Token/f",
            "out of range",
        ),
        (
            "Token",
            map([("d", f64::NAN.into())]),
            Kind::Value,
            "Token/d",
            "given",
        ),
        (
            "Token",
            map([(
                "q",
                QName {
                    namespace: "urn:q".into(),
                    local: "a b".into(),
                }
                .into(),
            )]),
            Kind::Value,
            "Token/q",
            "given",
        ),
        (
            "Attributes",
            map([]),
            Kind::Missing,
            "Attributes/@id",
            "attribute \"id\" is missing",
        ),
        (
            "Attributes",
            map([("id", "x".into())]),
            Kind::Value,
            "Attributes/@id",
            "\"x\"",
        ),
    ];
    for (name, value, kind, path, words) in cases {
        let context = format!("{name} {value:?}");
        let error = inside(name, value).expect_err(&context);
        assert_eq!(
            (error.kind(), error.path()),
            (kind, format!("/Envelope/Body/{path}")),
            "{context}: {error}"
        );
        assert!(error.message().contains(words), "{context}: {error}");
        assert_eq!(error.guilty(), Guilty::Caller, "{context}");
        assert_eq!(error.line_column(), None, "{context}");
    }
}

#[test]
fn values_that_nest_without_end_are_refused() {
    let mut value = map([]);
    for _ in 0..150 {
        value = map([("d", value)]);
    }
    inside("Deep", value.clone()).unwrap();
    for _ in 0..150 {
        value = map([("d", value)]);
    }
    let error = inside("Deep", value).unwrap_err();
    assert!(error.message().contains("nest deeper"), "{error}");
}
