//! What single values write.

mod support;

use castile_value::Value;
use support::written::{inside, list, map, table};
use support::{read, write};

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
        ("Few", map([]), "<a>5</a><b xsi:nil=\"true\"/>"),
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
