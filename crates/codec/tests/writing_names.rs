//! Names in what is written: prefixes, wild attributes, derived types; and what a lax writer writes.

mod support;

use castile_codec::{EncodeOptions, Kind};
use castile_testkit::plainly;
use castile_value::{QName, Value};
use support::written::{inside, map, table};
use support::{body, write};

#[test]
fn qualified_names_share_no_prefix_in_a_tag() {
    let table = table();
    let name = |uri: &str, local: &str| {
        Value::from(QName {
            namespace: uri.into(),
            local: local.into(),
        })
    };
    let value = map([
        ("id", 1.into()),
        ("n", name("urn:a", "x")),
        ("q", name("urn:b", "y")),
        ("text", name("urn:c", "z")),
    ]);
    let text = write(&table, "Attributes", value).unwrap();
    let message = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:ns1='urn:t' xmlns:ns2='urn:x'><e:Body>{text}</e:Body></e:Envelope>"
    );
    let back = support::decoded(&table.types, &table.plan("Attributes"), &message).unwrap();
    let back = back.get("Attributes").expect("the body has the element").clone();
    assert_eq!(back.get("n"), Some(&name("urn:a", "x")), "{text}");
    assert_eq!(back.get("q"), Some(&name("urn:b", "y")), "{text}");
    assert_eq!(back.get("text"), Some(&name("urn:c", "z")), "{text}");
}

#[test]
fn wild_attributes_cannot_break_the_tag() {
    let with = |name: &str| inside("Open", map([("attributes", map([(name, "v".into())]))]));
    assert_eq!(with("k").unwrap(), "<Open k=\"v\"></Open>");
    assert_eq!(
        with("{urn:u}k").unwrap(),
        "<Open xmlns:a0=\"urn:u\" a0:k=\"v\"></Open>"
    );
    assert_eq!(
        with("{http://www.w3.org/XML/1998/namespace}lang").unwrap(),
        "<Open xml:lang=\"v\"></Open>"
    );
    for name in [
        "xmlns",
        "a b",
        "",
        "a:b",
        "own",
        "{http://www.w3.org/2000/xmlns/}p",
        "{http://www.w3.org/2001/XMLSchema-instance}type",
        "{urn:\u{1}}k",
    ] {
        let error = with(name).expect_err(name);
        assert_eq!(
            (error.kind(), error.path()),
            (Kind::Value, "/Envelope/Body/Open/@attributes".into())
        );
    }
    let twice = map([("attributes", map([("k", "1".into()), ("k", "2".into())]))]);
    assert!(inside("Open", twice).unwrap_err().message().contains("twice"));
}

#[test]
fn derived_types_say_so() {
    let table = table();
    let mut record = castile_value::Record::new(table.types.shape(table.id("More")).clone());
    record.set("a", 1).unwrap();
    record.set("b", 2).unwrap();
    let text = inside("Holder", map([("x", Value::List(vec![record.into()]))])).unwrap();
    let declared = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
    assert_eq!(
        text,
        format!("<x {declared} xsi:type=\"More\"><a>1</a><b>2</b></x>")
    );
    // A record of a type that is not derived is refused; a lax writer takes its fields by name.
    let mut other = castile_value::Record::new(table.types.shape(table.id("Nils")).clone());
    other.set("a", 1).unwrap();
    let value = map([("p", other.into())]);
    let error = inside("Holder", value.clone()).unwrap_err();
    assert!(
        error
            .message()
            .contains("a value of type {urn:t}Nils where {urn:t}Pair belongs"),
        "{error}"
    );
    let lax = EncodeOptions {
        strict: false,
        ..EncodeOptions::default()
    };
    let text = plainly::write(
        &table.types,
        &table.plan("Holder"),
        &body(&table, "Holder", value),
        &lax,
    )
    .unwrap();
    assert!(text.contains("<ns1:p><ns1:a>1</ns1:a></ns1:p>"), "{text}");
}

#[test]
fn a_lax_writer_writes_what_it_can() {
    let table = table();
    let lax = EncodeOptions {
        strict: false,
        ..EncodeOptions::default()
    };
    for (name, value, expected) in [
        ("Pair", map([]), ""),
        (
            "Pair",
            map([("a", Value::Nil)]),
            "<a xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"/>",
        ),
        (
            "Nested",
            map([("a", 1.into()), ("b", 1.into()), ("c", 1.into())]),
            "<a>1</a><b>1</b><c>1</c>",
        ),
        ("Around", map([("a", vec![1].into())]), "<a>1</a>"),
        (
            "Around",
            map([("a", vec![1; 7].into()), ("b", "".into())]),
            "<a>1</a><a>1</a><a>1</a><a>1</a><a>1</a><a>1</a><a>1</a><b></b>",
        ),
        ("Either", map([]), ""),
        ("Enum", map([("e", "blue".into())]), "<e>blue</e>"),
        (
            "Attributes",
            map([(
                "text",
                QName {
                    namespace: String::new(),
                    local: "x".into(),
                }
                .into(),
            )]),
            "x",
        ),
    ] {
        let text = plainly::write(&table.types, &table.plan(name), &body(&table, name, value), &lax);
        let text = text.unwrap_or_else(|e| panic!("{name}: {e}")).replace("ns1:", "");
        assert!(
            text.contains(&format!("<{name}>{expected}</{name}>")),
            "{name} {text}"
        );
    }
}
