//! Schema constructs from the declaration to the bytes of a message and back: values and facets.

mod common;

use castile_codec::EncodeOptions;
use castile_value::Value;
use common::{Message, shown};

/// Each case: a restriction's base and facets, texts that are values, texts that are none.
const FACETS: &[(&str, &[&str], &[&str])] = &[
    (
        "xs:string'><xs:length value='2'/>",
        &["ab", "\u{E9}\u{1F600}"],
        &["a", "abc"],
    ),
    (
        "xs:string'><xs:minLength value='1'/><xs:maxLength value='2'/>",
        &["a", "ab"],
        &["", "abc"],
    ),
    (
        "xs:string'><xs:pattern value='[a-c]+'/><xs:pattern value='x'/>",
        &["abc", "x"],
        &["", "d", "xx"],
    ),
    (
        "xs:token'><xs:enumeration value='a b'/>",
        &["a b", "  a  b "],
        &["ab"],
    ),
    ("xs:string'><xs:enumeration value='a'/>", &["a"], &[" a"]),
    (
        "xs:int'><xs:enumeration value='01'/><xs:enumeration value='2'/>",
        &["1", "+02"],
        &["3"],
    ),
    (
        "xs:int'><xs:minInclusive value='1'/><xs:maxExclusive value='5'/>",
        &["1", "4"],
        &["0", "5"],
    ),
    ("xs:long'><xs:minExclusive value='-3'/>", &["-2", "9"], &["-3"]),
    (
        "xs:unsignedLong'><xs:minInclusive value='9223372036854775808'/>",
        &["9223372036854775809"],
        &["9223372036854775807", "0"],
    ),
    (
        "xs:integer'><xs:maxInclusive value='100000000000000000000'/>",
        &["99999999999999999999", "-1"],
        &["100000000000000000001"],
    ),
    (
        "xs:double'><xs:minInclusive value='0'/><xs:maxExclusive value='1'/>",
        &["0", "0.5"],
        &["-0.1", "1", "NaN", "INF"],
    ),
    (
        "xs:float'><xs:minExclusive value='0.1'/>",
        &["0.2"],
        &["0.1", "-1"],
    ),
    (
        "xs:double'><xs:pattern value='\\d\\.\\d'/>",
        &["0.5"],
        &["0.55", "55"],
    ),
    (
        "xs:decimal'><xs:totalDigits value='4'/><xs:fractionDigits value='2'/>",
        &["12.34", "0012.3400", "1234"],
        &["12345", "1.234"],
    ),
    (
        "xs:decimal'><xs:minInclusive value='0.10'/>",
        &["0.1", "2"],
        &["0.099"],
    ),
    ("xs:int'><xs:totalDigits value='2'/>", &["-12", "007"], &["100"]),
    (
        "xs:date'><xs:minInclusive value='2000-02-29'/>",
        &["2000-02-29", "2001-01-01"],
        &["2000-02-28"],
    ),
    (
        "xs:duration'><xs:maxInclusive value='P1Y'/>",
        &["P1Y", "P11M", "PT5S"],
        &["P13M"],
    ),
    (
        "xs:time'><xs:maxExclusive value='12:00:00'/>",
        &["11:59:59"],
        &["12:00:00"],
    ),
    (
        "xs:base64Binary'><xs:maxLength value='2'/>",
        &["AAA=", "AA=="],
        &["AAAA"],
    ),
    (
        "xs:hexBinary'><xs:enumeration value='0a'/>",
        &["0A", "0a"],
        &["0B"],
    ),
    ("xs:anyURI'><xs:maxLength value='5'/>", &["urn:x"], &["urn:xy"]),
    ("t:List'><xs:maxLength value='2'/>", &["1 2", "1"], &["1 2 3"]),
    ("t:List'><xs:pattern value='1 .*'/>", &["1 2"], &["2 1"]),
    (
        "t:List'><xs:enumeration value='1 2'/>",
        &["1 2", " 1  2 "],
        &["1 3"],
    ),
    (
        "t:Size'><xs:enumeration value='small'/><xs:enumeration value='7'/>",
        &["small", "7"],
        &["8", "large"],
    ),
    (
        "t:Names'><xs:enumeration value='t:b'/>",
        &["t:b"],
        &["t:a", "t:c", "b:b"],
    ),
    (
        "xs:NCName'><xs:maxLength value='2'/>",
        &["ab"],
        &["1", "a:", "abc"],
    ),
    ("xs:language'>", &["en-GB"], &["en_GB"]),
];

const BASES: &str = "<xs:simpleType name='List'><xs:list itemType='xs:int'/></xs:simpleType>
    <xs:simpleType name='Size'><xs:union memberTypes='xs:int'><xs:simpleType><xs:restriction base='xs:string'>
      <xs:enumeration value='small'/><xs:enumeration value='large'/></xs:restriction></xs:simpleType></xs:union></xs:simpleType>
    <xs:simpleType name='Names'><xs:restriction base='xs:QName'><xs:enumeration value='t:a'/><xs:enumeration value='t:b'/></xs:restriction></xs:simpleType>";

fn of(restriction: &str) -> Message {
    let components = format!(
        "{BASES}<xs:simpleType name='V'><xs:restriction base='{restriction}</xs:restriction></xs:simpleType>
         <xs:element name='e'><xs:complexType><xs:sequence><xs:element name='v' type='t:V' maxOccurs='unbounded'/></xs:sequence>
         <xs:attribute name='a' type='t:V'/></xs:complexType></xs:element>"
    );
    Message::new(&components, "e")
}

fn element(texts: &[&str]) -> String {
    let each: String = texts.iter().map(|text| format!("<v>{text}</v>")).collect();
    format!("<e xmlns:b='urn:b'>{each}</e>")
}

#[test]
fn facets_are_checked_by_strict_readers() {
    for (restriction, good, bad) in FACETS {
        let message = of(restriction);
        message.through(&element(good));
        for text in *bad {
            // As the only value, as one of many, and in an attribute.
            let among = [good, &[*text][..], good].concat();
            for xml in [
                element(&[text]),
                element(&among),
                format!("<e xmlns:b='urn:b' a='{text}'><v>{}</v></e>", good[0]),
            ] {
                let refusal = message
                    .read(&xml, true)
                    .expect_err(&format!("{restriction}: {xml}"));
                assert_eq!(
                    refusal.kind(),
                    castile_codec::Kind::Lexical,
                    "{restriction}: {refusal}"
                );
            }
        }
    }
}

#[test]
fn facets_are_checked_by_strict_writers_only() {
    for (restriction, good, bad) in FACETS {
        let message = of(restriction);
        for text in *bad {
            let among = [good, &[*text][..], good].concat();
            let Ok(value) = message.read(&element(&among), false) else {
                // No value of the base type: nobody can write it.
                continue;
            };
            let refusal = message
                .write(value.clone())
                .expect_err(&format!("{restriction}: {among:?}"));
            assert_eq!(
                refusal.kind(),
                castile_codec::Kind::Value,
                "{restriction}: {refusal}"
            );
            assert!(
                refusal.path().contains(&format!("/v[{}]", good.len() + 1)),
                "{restriction}: {refusal}"
            );
            let lax = EncodeOptions {
                strict: false,
                ..EncodeOptions::default()
            };
            message
                .write_by(value, &lax)
                .unwrap_or_else(|e| panic!("{restriction}: {e}"));
        }
    }
}

#[test]
fn messages_say_which_facet() {
    for (restriction, text, words) in [
        (
            "xs:string'><xs:maxLength value='2'/>",
            "abc",
            "3 characters where at most 2 may be",
        ),
        ("xs:int'><xs:minInclusive value='1'/>", "0", "0 is not at least 1"),
        (
            "xs:string'><xs:pattern value='[a-c]+'/>",
            "d",
            "\"d\" does not match the pattern [a-c]+",
        ),
        (
            "xs:string'><xs:enumeration value='a'/><xs:enumeration value='b'/>",
            "c",
            "\"c\" is not one of a, b",
        ),
        (
            "xs:decimal'><xs:fractionDigits value='1'/>",
            "1.25",
            "2 digits behind the point where at most 1 may be",
        ),
    ] {
        let said = of(restriction).refused(&element(&[text]));
        assert!(said.contains(words) && said.contains("{urn:t}V"), "{said}");
    }
}

#[test]
fn a_lax_reader_takes_a_union_by_facets_first() {
    let message = of("t:Size'>");
    assert_eq!(
        shown(&message.read("<e><v>small</v><v>3</v></e>", false).unwrap()),
        "{v: [\"small\", 3]}"
    );
    assert_eq!(
        shown(&message.read("<e><v>huge</v></e>", false).unwrap()),
        "{v: [\"huge\"]}"
    );
    message.refused("<e><v>huge</v></e>");
}

#[test]
fn steps_of_restriction_bind_all() {
    let components = "<xs:simpleType name='A'><xs:restriction base='xs:string'><xs:pattern value='[a-f]+'/><xs:maxLength value='3'/></xs:restriction></xs:simpleType>
        <xs:simpleType name='B'><xs:restriction base='t:A'><xs:pattern value='.*e'/></xs:restriction></xs:simpleType>
        <xs:element name='e' type='t:B'/>";
    let message = Message::new(components, "e");
    message.through("<e>abe</e>");
    for text in ["abf", "xe", "abce"] {
        message.refused(&format!("<e>{text}</e>"));
    }
}

#[test]
fn qualified_names_of_the_schema_mean_their_namespaces() {
    let components =
        "<xs:element name='e'><xs:complexType><xs:attribute name='d' type='xs:QName' default='t:x'/>
        <xs:attribute name='f' type='xs:QName' fixed='t:y'/></xs:complexType></xs:element>";
    let message = Message::new(components, "e");
    let value = message.read("<e xmlns:o='urn:t' f='o:y'/>", true).unwrap();
    let name = |local: &str| {
        Value::from(castile_value::QName {
            namespace: "urn:t".into(),
            local: local.into(),
        })
    };
    assert_eq!(
        (value.get("d"), value.get("f")),
        (Some(&name("x")), Some(&name("y")))
    );
    assert!(message.refused("<e xmlns:o='urn:o' f='o:y'/>").contains("fixed"));
}

#[test]
fn numbers_are_written_as_their_pattern_asks() {
    for (restriction, text) in [
        (r"xs:int'><xs:pattern value='\d{3}'/>", "009"),
        (r"xs:decimal'><xs:pattern value='\d+\.\d{2}'/>", "1.50"),
        (r"xs:double'><xs:pattern value='-?\d{2}'/>", "-07"),
    ] {
        let xml = format!("<e><v>{text}</v></e>");
        assert_eq!(of(restriction).through(&xml).1, xml);
    }
}

#[test]
fn a_simple_element_may_say_that_its_type_has_attributes() {
    let components = "<xs:complexType name='Priced'><xs:simpleContent><xs:extension base='xs:int'><xs:attribute name='unit' type='xs:string'/></xs:extension></xs:simpleContent></xs:complexType>
        <xs:simpleType name='Small'><xs:restriction base='xs:int'><xs:maxInclusive value='9'/></xs:restriction></xs:simpleType>
        <xs:element name='e'><xs:complexType><xs:sequence><xs:element name='n' type='xs:int' maxOccurs='unbounded'/></xs:sequence></xs:complexType></xs:element>";
    let message = Message::new(components, "e");
    let (value, written) = message.through("<e><n>1</n><n xsi:type='t:Priced' unit='kg'>2</n><n>3</n></e>");
    assert_eq!(value, "{n: [1, {unit: \"kg\", value: 2}, 3]}");
    assert!(
        written.ends_with(" xsi:type=\"Priced\" unit=\"kg\">2</n><n>3</n></e>"),
        "{written}"
    );
    assert!(
        message
            .refused("<e><n xsi:type='t:Small'>10</n></e>")
            .contains("at most 9")
    );
}

#[test]
fn attribute_wildcards_of_a_base_and_its_extension_admit_both() {
    let components = "<xs:complexType name='A'><xs:anyAttribute namespace='##local'/></xs:complexType>
        <xs:element name='e'><xs:complexType><xs:complexContent><xs:extension base='t:A'><xs:anyAttribute namespace='urn:z'/></xs:extension></xs:complexContent></xs:complexType></xs:element>";
    let message = Message::new(components, "e");
    message.through("<e k='1' z:k='2' xmlns:z='urn:z'/>");
    message.refused("<e y:k='2' xmlns:y='urn:y'/>");
}
