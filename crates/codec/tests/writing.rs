//! What single values write, and what is said of those that cannot be written.

mod support;

use castile_codec::{Guilty, Kind};
use castile_testkit::Table;
use castile_value::{QName, Value};
use support::{read, write};

const TYPES: &str = "
Pair = a:int, b:string?
Either = (a:int~ | b:string~ | (c:int, d:int))
Orders = ((a:int, b:int) | (b:int, a:int))
Around = a:int{1-2}, b:string, a:int{1-3}
All = (a:int & b:string? & c:boolean)
Nested = (a:int, (b:int | c:int)?, d:int?)?, e:int
Passes = (a:int, b:int?)*, c:int?
Options = (a:int | b:int)+
Nils = a:int~, b:Pair~, c:int?
Defaulted = a:int=5, b:string?
Attributes = @id:int!, @lang:language=en, @x^n:QName, @q:QName, #:QName
Open = @*, @own:string, a:int?
Wild = a:int?, *other*
WildOne = *any?
List = l:[double]?, s:[string]?, i:[int]*
Array = n:double*
Arrays = a:Array?, b:Array*
Any = x:any?
Enum = e:{red/green}?, u:<{red}/int>?
Base! = a:int
More(Base) = b:int
Holder = x:Base*, p:Pair?
Deep = d:Deep?
Binary = b:base64Binary?, h:hexBinary?
Token = n:NCName?, f:float?, d:decimal?, q:QName?
Header = h:int?
Said = v:anySimpleType
";

fn table() -> Table {
    Table::parse(TYPES)
}

fn map<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::map(fields)
}

fn list<const N: usize>(items: [Value; N]) -> Value {
    Value::List(items.into())
}

/// The inside of the element, without prefixes of the target namespace.
fn inside(name: &str, value: Value) -> Result<String, castile_codec::Error> {
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

#[test]
fn good_values() {
    let pair = || map([("a", 1.into()), ("b", "x".into())]);
    let cases: Vec<(&str, Value, &str)> = vec![
        ("Pair", pair(), "<a>1</a><b>x</b>"),
        ("Pair", map([("b", Value::Absent), ("a", 1.0.into())]), "<a>1</a>"),
        (
            "Pair",
            map([("a", "+07".into()), ("b", 5.into())]),
            "<a>7</a><b>5</b>",
        ),
        ("Pair", map([("a", 1.into()), ("b", Value::Nil)]), "<a>1</a>"),
        (
            "Pair",
            map([("a", 1.into()), ("b", "<&>\r\"]]>\u{1F600}".into())]),
            "<a>1</a><b>&lt;&amp;&gt;&#13;\"]]&gt;\u{1F600}</b>",
        ),
        ("Either", map([("b", "".into())]), "<b></b>"),
        (
            "Either",
            map([("d", 2.into()), ("c", 1.into())]),
            "<c>1</c><d>2</d>",
        ),
        // A nil gives way to a value, and is written when there is nothing else.
        ("Either", map([("a", Value::Nil), ("b", "x".into())]), "<b>x</b>"),
        (
            "Either",
            map([("a", Value::Nil), ("b", Value::Nil)]),
            "<a xsi:nil=\"true\"/>",
        ),
        (
            "Orders",
            map([("a", 1.into()), ("b", 2.into())]),
            "<a>1</a><b>2</b>",
        ),
        (
            "Around",
            map([("a", vec![1, 2].into()), ("b", "".into())]),
            "<a>1</a><b></b><a>2</a>",
        ),
        (
            "Around",
            map([("a", vec![1, 2, 3, 4, 5].into()), ("b", "".into())]),
            "<a>1</a><a>2</a><b></b><a>3</a><a>4</a><a>5</a>",
        ),
        (
            "All",
            map([("c", true.into()), ("a", 1.into())]),
            "<a>1</a><c>true</c>",
        ),
        ("Nested", map([("e", 1.into())]), "<e>1</e>"),
        (
            "Nested",
            map([("e", 1.into()), ("c", 3.into()), ("a", 2.into())]),
            "<a>2</a><c>3</c><e>1</e>",
        ),
        ("Passes", map([]), ""),
        (
            "Passes",
            map([(
                "group",
                list([map([("b", 2.into()), ("a", 1.into())]), map([("a", 3.into())])]),
            )]),
            "<a>1</a><b>2</b><a>3</a>",
        ),
        ("Passes", map([("group", map([("a", 1.into())]))]), "<a>1</a>"),
        (
            "Options",
            map([("group", list([map([("b", 2.into())]), map([("a", 3.into())])]))]),
            "<b>2</b><a>3</a>",
        ),
        ("Nils", map([]), "<a xsi:nil=\"true\"/><b xsi:nil=\"true\"/>"),
        (
            "Nils",
            map([("a", Value::Nil), ("b", pair()), ("c", Value::Nil)]),
            "<a xsi:nil=\"true\"/><b><a>1</a><b>x</b></b>",
        ),
        ("Defaulted", map([]), "<a>5</a>"),
        (
            "Wild",
            map([("any", list([Value::Xml("<w xmlns='urn:w'/>".into())]))]),
            "<w xmlns='urn:w'/>",
        ),
        (
            "Wild",
            map([("any", "<w xmlns='urn:w'/>".into())]),
            "<w xmlns='urn:w'/>",
        ),
        (
            "List",
            map([
                ("l", vec![0.5, -0.0].into()),
                ("s", list(["a".into(), "b".into()])),
            ]),
            "<l>0.5 -0.0</l><s>a b</s>",
        ),
        (
            "List",
            map([("i", list([vec![1, 2].into(), list([]), 3.into()]))]),
            "<i>1 2</i><i></i><i>3</i>",
        ),
        (
            "List",
            map([("l", 1.into()), ("s", " a  b ".into())]),
            "<l>1</l><s>a b</s>",
        ),
        ("Array", map([("n", vec![1.0, 2.5].into())]), "<n>1</n><n>2.5</n>"),
        (
            "Array",
            map([("n", list([1.into(), 2.5f32.into(), "3e0".into()]))]),
            "<n>1</n><n>2.5</n><n>3</n>",
        ),
        ("Array", map([("n", 7.into())]), "<n>7</n>"),
        // A bare array where a type holds nothing but one.
        (
            "Arrays",
            map([("a", vec![1.0, 2.0].into())]),
            "<a><n>1</n><n>2</n></a>",
        ),
        (
            "Arrays",
            map([("a", list([1.0.into(), 2.0.into()]))]),
            "<a><n>1</n><n>2</n></a>",
        ),
        (
            "Arrays",
            map([("b", list([vec![1.0].into(), vec![2.0].into()]))]),
            "<b><n>1</n></b><b><n>2</n></b>",
        ),
        (
            "Any",
            map([("x", 5.into())]),
            "<x xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"xsd:int\">5</x>",
        ),
        (
            "Any",
            map([("x", Value::Xml("<x xmlns='urn:t'><y/></x>".into()))]),
            "<x xmlns='urn:t'><y/></x>",
        ),
        ("Any", map([("x", Value::Xml("<y/>".into()))]), "<x><y/></x>"),
        (
            "Enum",
            map([("e", "red".into()), ("u", 5.into())]),
            "<e>red</e><u>5</u>",
        ),
        ("Enum", map([("u", "red".into())]), "<u>red</u>"),
        (
            "Binary",
            map([("b", vec![0u8, 255].into()), ("h", vec![0u8, 255].into())]),
            "<b>AP8=</b><h>00FF</h>",
        ),
        (
            "Binary",
            map([("b", " AP8= ".into()), ("h", "00ff".into())]),
            "<b>AP8=</b><h>00FF</h>",
        ),
        (
            "Token",
            map([("f", 0.1.into()), ("d", 1e21.into())]),
            "<f>0.1</f><d>1000000000000000000000</d>",
        ),
        ("Deep", map([("d", map([("d", map([]))]))]), "<d><d></d></d>"),
    ];
    for (name, value, expected) in cases {
        let context = format!("{name} {value:?}");
        let written = inside(name, value).unwrap_or_else(|e| panic!("{context}: {e}"));
        assert_eq!(written, expected, "{context}");
    }
}

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
            map([("group", list([]))]),
            Kind::Missing,
            "Options",
            "\"group\" is missing",
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
    for _ in 0..100 {
        value = map([("d", value)]);
    }
    let error = inside("Deep", value).unwrap_err();
    assert!(error.message().contains("nest deeper"), "{error}");
}

#[test]
fn a_value_of_any_simple_type_says_its_own() {
    let values = [
        (Value::from(17i64), " xsi:type=\"xsd:int\""),
        (Value::from(true), " xsi:type=\"xsd:boolean\""),
        (Value::from(0.5), " xsi:type=\"xsd:double\""),
        (Value::from("17"), ""),
    ];
    for (value, said) in values {
        let text = write(&table(), "Said", map([("v", value.clone())])).unwrap();
        assert!(
            text.contains(said) && text.contains("xsi:type") != said.is_empty(),
            "{text}"
        );
        let inside = text.split_once("<ns1:Said>").map_or(&*text, |(_, inside)| inside);
        let inside = inside
            .split_once("</ns1:Said>")
            .map_or(inside, |(inside, _)| inside);
        let read = read(&table(), "Said", &inside.replace("ns1:", "")).unwrap();
        assert_eq!(read.get("v"), Some(&value), "{text}");
    }
}
