//! What is said of bad messages: kind, path, place and words.

mod support;

use castile_codec::{Guilty, Kind};
use castile_testkit::Table;
use support::{read, schemas};

/// Type, what stands in its element, kind, path below the body, words of the message.
const BAD: &[(&str, &str, Kind, &str, &str)] = &[
    (
        "Pair",
        "<a>1</a>",
        Kind::Missing,
        "Pair",
        "element b is missing in {urn:t}Pair",
    ),
    ("Pair", "", Kind::Missing, "Pair", "element a is missing"),
    (
        "Pair",
        "<b>2</b><a>1</a>",
        Kind::Missing,
        "Pair",
        "element a is missing in {urn:t}Pair, before {urn:t}b",
    ),
    (
        "Pair",
        "<a>1</a><a>1</a><b>2</b>",
        Kind::Unexpected,
        "Pair/a",
        "too often or in the wrong order",
    ),
    (
        "Pair",
        "<a>1</a><b>2</b><c>3</c>",
        Kind::Unexpected,
        "Pair/c",
        "{urn:t}c is not known in {urn:t}Pair, which has a, b",
    ),
    (
        "Pair",
        "<a xmlns='urn:z'>1</a>",
        Kind::Unexpected,
        "Pair/a",
        "wrong namespace: {urn:t}a was expected",
    ),
    (
        "Pair",
        "<a xmlns=''>1</a>",
        Kind::Unexpected,
        "Pair/a",
        "element a is in the wrong namespace",
    ),
    ("Pair", "<a>x</a><b>2</b>", Kind::Lexical, "Pair/a", "\"x\""),
    (
        "Pair",
        "<a>2147483648</a><b>2</b>",
        Kind::Lexical,
        "Pair/a",
        "out of range",
    ),
    ("Pair", "<a/><b>2</b>", Kind::Lexical, "Pair/a", "xsd:int"),
    (
        "Pair",
        "<a>1<c/></a><b>2</b>",
        Kind::Unexpected,
        "Pair/a",
        "where only text may stand",
    ),
    (
        "Pair",
        "x<a>1</a><b>2</b>",
        Kind::Unexpected,
        "Pair",
        "text \"x\" where only elements",
    ),
    (
        "Pair",
        "<a k='1'>1</a><b>2</b>",
        Kind::Unexpected,
        "Pair/a/@k",
        "attribute k on an element of simple type xsd:int",
    ),
    ("Either", "", Kind::Missing, "Either", "one of a, b is missing"),
    (
        "Either",
        "<a>1</a><b>2</b>",
        Kind::Unexpected,
        "Either/b",
        "{urn:t}b and a exclude each other",
    ),
    (
        "Orders",
        "<b>2</b><b>1</b>",
        Kind::Unexpected,
        "Orders/b",
        "too often",
    ),
    (
        "Orders",
        "<b>2</b>",
        Kind::Missing,
        "Orders",
        "element a is missing",
    ),
    (
        "Around",
        "<a>1</a><b>2</b>",
        Kind::Missing,
        "Around",
        "element a is missing",
    ),
    (
        "Many",
        "<a>1</a>",
        Kind::Missing,
        "Many",
        "element a (1 of at least 2) is missing",
    ),
    (
        "Many",
        "<a>1</a><a>1</a><a>1</a><a>1</a>",
        Kind::Unexpected,
        "Many/a",
        "too often",
    ),
    ("Many", "<a>1</a><b/>", Kind::Missing, "Many", "(1 of at least 2)"),
    (
        "Many",
        "<a>1</a><a>1</a><a>x</a>",
        Kind::Lexical,
        "Many/a[3]",
        "\"x\"",
    ),
    ("All", "<c>1</c>", Kind::Missing, "All", "element a is missing"),
    (
        "All",
        "<c>1</c><a>1</a><c>1</c>",
        Kind::Unexpected,
        "All/c",
        "too often",
    ),
    (
        "Nested",
        "<d>1</d><e>1</e>",
        Kind::Missing,
        "Nested",
        "element a is missing",
    ),
    (
        "Nested",
        "<a>1</a><b>1</b><c>1</c><e>1</e>",
        Kind::Unexpected,
        "Nested/c",
        "exclude",
    ),
    (
        "Passes",
        "<b>2</b>",
        Kind::Missing,
        "Passes",
        "element a is missing in {urn:t}Passes/group, before {urn:t}b",
    ),
    (
        "Passes",
        "<z>2</z>",
        Kind::Unexpected,
        "Passes/z",
        "not known in {urn:t}Passes, which has a, b, c",
    ),
    (
        "Passes",
        "<c>2</c><a>1</a>",
        Kind::Unexpected,
        "Passes/a",
        "wrong order",
    ),
    (
        "Passes",
        "<a>1</a><a>x</a>",
        Kind::Lexical,
        "Passes/group[2]/a",
        "\"x\"",
    ),
    ("Options", "", Kind::Missing, "Options", "one of a, b is missing"),
    (
        "Two",
        "<p><a>1</a></p>",
        Kind::Missing,
        "Two/p",
        "element b is missing",
    ),
    (
        "Attributes",
        "",
        Kind::Missing,
        "Attributes",
        "attribute id is missing",
    ),
    (
        "Nils",
        "<a xsi:nil='true'>1</a><b/>",
        Kind::Unexpected,
        "Nils/a",
        "nil has content",
    ),
    ("Nils", "<a xsi:nil='yes'/><b/>", Kind::Lexical, "Nils/a", "yes"),
    (
        "Wild",
        "<a>1</a><z>1</z>",
        Kind::Unexpected,
        "Wild/z",
        "not known",
    ),
    (
        "Simple",
        "<a/><u>x</u>",
        Kind::Lexical,
        "Simple/u",
        "fits no member",
    ),
    ("Simple", "<a/><l>1 x</l>", Kind::Lexical, "Simple/l", "\"x\""),
    (
        "Names",
        "<q>no:x</q>",
        Kind::Lexical,
        "Names/q",
        "prefix that is not declared",
    ),
    (
        "Names",
        "<q>a b</q>",
        Kind::Lexical,
        "Names/q",
        "no qualified name",
    ),
    (
        "Holder",
        "<x><a>1</a></x>",
        Kind::Missing,
        "Holder/x[1]",
        "abstract",
    ),
    (
        "Holder",
        "<x xsi:type='t:Pair'><a>1</a></x>",
        Kind::Unexpected,
        "Holder/x[1]",
        "no type derived from {urn:t}Base",
    ),
    (
        "Holder",
        "<x xsi:type='t:None'><a>1</a></x>",
        Kind::Unexpected,
        "Holder/x[1]",
        "no type derived",
    ),
    (
        "Holder",
        "<any xsi:type='t:Base'><a>1</a></any>",
        Kind::Missing,
        "Holder/any",
        "abstract",
    ),
    (
        "Holder",
        "<any xsi:type='xsd:int'>x</any>",
        Kind::Lexical,
        "Holder/any",
        "\"x\"",
    ),
];

#[test]
fn bad_messages() {
    let table = Table::parse(schemas::READ);
    for (name, inside, kind, path, words) in BAD {
        let error = read(&table, name, inside).expect_err(inside);
        let context = format!("{name} {inside}: {error}");
        assert_eq!(error.kind(), *kind, "{context}");
        assert_eq!(error.path(), format!("/Envelope/Body/{path}"), "{context}");
        assert!(error.message().contains(words), "{context}");
        assert_eq!(error.guilty(), Guilty::Peer, "{context}");
        assert!(error.line_column().is_some(), "{context}");
    }
}

#[test]
fn a_default_that_is_none_of_its_type_is_the_contracts_fault() {
    let table = Table::parse("T = @k:int=x, a:int=y?\nU = a:int=y?");
    let error = read(&table, "T", "").unwrap_err();
    assert_eq!(
        (error.guilty(), error.path()),
        (Guilty::Contract, "/Envelope/Body/T/@k".into()),
        "{error}"
    );
    let error = read(&table, "U", "<a/>").unwrap_err();
    assert_eq!(
        (error.guilty(), error.path()),
        (Guilty::Contract, "/Envelope/Body/U/a".into()),
        "{error}"
    );
    let error = read(&table, "U", "<a>z</a>").unwrap_err();
    assert_eq!(error.guilty(), Guilty::Peer);
}
