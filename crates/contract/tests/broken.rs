//! Each way in which contracts are broken, one after another in a sound one: what is tolerated is a warning that names
//! the rule and has a place, and the rest works; the guide lists them all.

mod common;

use castile_contract::{Contract, Options, WarningKind};
use common::load;

const SOUND: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:w" xmlns:w="urn:w"
    xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<types><xs:schema targetNamespace="urn:w" elementFormDefault="qualified">
  <xs:element name="ask" type="w:Ask"/>
  <xs:element name="answer" type="xs:string"/>
  <xs:element name="trouble" type="xs:string"/>
  <xs:complexType name="Ask"><xs:sequence>
    <xs:element name="word" type="w:Word"/><xs:element name="count" type="xs:int"/>
  </xs:sequence><xs:attributeGroup ref="w:common"/></xs:complexType>
  <xs:simpleType name="Word"><xs:restriction base="xs:string"><xs:pattern value="[a-z]+"/></xs:restriction></xs:simpleType>
  <xs:attributeGroup name="common"><xs:attribute name="lang" type="xs:string"/></xs:attributeGroup>
</xs:schema></types>
<message name="in"><part name="p" element="w:ask"/></message>
<message name="out"><part name="p" element="w:answer"/></message>
<message name="bad"><part name="p" element="w:trouble"/></message>
<portType name="P"><operation name="o"><input message="w:in"/><output message="w:out"/>
  <fault name="f" message="w:bad"/></operation></portType>
<binding name="B" type="w:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
  <operation name="o"><input><s:body use="literal"/></input><output><s:body use="literal"/></output>
    <fault name="f"><s:fault name="f" use="literal"/></fault></operation></binding>
<service name="S"><port name="Q" binding="w:B"><s:address location="http://h/"/></port></service>
</definitions>"#;

/// What becomes of the one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Left {
    /// It can be called.
    Works,
    /// It is there, and says why it cannot be called.
    Unusable,
    /// There is none.
    Nothing,
}
use Left::{Nothing, Unusable, Works};

/// What stands there, what stands there instead, words of the warning, and what is left.
const BROKEN: &[(&str, &str, &str, Left)] = &[
    (
        "<definitions",
        "\n<?xml version='1.0'?><definitions",
        "white space before the XML declaration is passed over (XML 1.0, 2.8)",
        Works,
    ),
    (
        "type=\"w:P\">",
        ">",
        "the binding names no port type (WSDL 1.1, 2.5)",
        Unusable,
    ),
    (
        "type=\"w:P\"",
        "type=\"w:Other\"",
        "there is no port type {urn:w}Other (WSDL 1.1, 2.5)",
        Unusable,
    ),
    (
        "type=\"w:P\"",
        "type=\"P\"",
        "{urn:w}P is taken (WSDL 1.1, 2.1.1)",
        Works,
    ),
    (
        "binding=\"w:B\"",
        "binding=\"B\"",
        "{urn:w}B is taken (WSDL 1.1, 2.1.1)",
        Works,
    ),
    (
        "binding=\"w:B\"",
        "binding=\"w:Other\"",
        "is left out: there is no binding",
        Works,
    ),
    (
        "<input message=\"w:in\"/>",
        "<input message=\"in\"/>",
        "{urn:w}in is taken (WSDL 1.1, 2.1.1)",
        Works,
    ),
    (
        "<operation name=\"o\"><input><s:body",
        "<operation name=\"x\"><input><s:body",
        "has no operation x (WSDL 1.1, 2.5)",
        Unusable,
    ),
    (
        "message=\"w:bad\"/>",
        "message=\"w:none\"/>",
        "fault f is left out",
        Works,
    ),
    (
        "<message name=\"bad\"><part name=\"p\" element=\"w:trouble\"/>",
        "<message name=\"bad\">",
        "has no part with an element (WSDL 1.1, 3.6)",
        Works,
    ),
    (
        "<s:body use=\"literal\"/></input>",
        "<s:body use=\"literal\"/><s:header message=\"w:none\" part=\"h\" use=\"literal\"/></input>",
        "the header is left out",
        Works,
    ),
    (
        "<binding name=\"B\"",
        "<binding name=\"C\"",
        "is left out: there is no binding",
        Works,
    ),
    (
        "type=\"xs:int\"",
        "type=\"int\"",
        "xsd:int is taken (XSD part 1, 3.15.3)",
        Works,
    ),
    (
        "type=\"w:Word\"",
        "type=\"Word\"",
        "{urn:w}Word is taken (XSD part 1, 3.15.3)",
        Works,
    ),
    (
        "<xs:attributeGroup ref=\"w:common\"/>",
        "<xs:attributeGroup ref=\"w:none\"/>",
        "its attributes are left out",
        Works,
    ),
    (
        "<xs:attribute name=\"lang\" type=\"xs:string\"/>",
        "<xs:attribute type=\"xs:string\"/>",
        "an attribute has neither name nor ref and is left out",
        Works,
    ),
    ("[a-z]+", "[z-a]+", "is not checked", Works),
    (
        "<xs:restriction base=\"xs:string\"><xs:pattern value=\"[a-z]+\"/></xs:restriction>",
        "",
        "a simple type says nothing of itself; it is taken as xsd:string",
        Works,
    ),
    (
        "<xs:element name=\"count\"",
        "<xs:element minOccurs=\"2\" maxOccurs=\"1\" name=\"count\"",
        "minOccurs or maxOccurs make no sense; 0 to unbounded is taken (XSD part 1, 3.9)",
        Works,
    ),
    (
        "<xs:element name=\"count\" type=\"xs:int\"/>",
        "<xs:element name=\"a\" minOccurs=\"0\" type=\"xs:int\"/><xs:element name=\"a\" type=\"xs:int\"/>",
        "3.8.6, Unique Particle Attribution",
        Works,
    ),
    (
        "<xs:attributeGroup name=",
        "<xs:element name=\"answer\" type=\"xs:int\"/><xs:attributeGroup name=",
        "is declared a second time",
        Works,
    ),
    (
        "<xs:sequence>",
        "<xs:complexContent/><xs:sequence>",
        "neither extension nor restriction: the content is taken as empty",
        Works,
    ),
    (
        "<xs:element name=\"ask\"",
        "<xs:import namespace=\"urn:far\" schemaLocation=\"far.xsd\"/><xs:element name=\"ask\"",
        "what needs it cannot be used",
        Works,
    ),
    (
        "xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"",
        "xmlns:xs=\"http://www.w3.org/1999/XMLSchema\"",
        "is a draft of XML Schema; the recommendation of 2001 is read for it",
        Works,
    ),
    (
        "<binding name=\"B\" type=\"w:P\"><s:binding transport=\"http://schemas.xmlsoap.org/soap/http\"/>",
        "<binding name=\"B\" type=\"w:P\"><s:binding style=\"rpc\" transport=\"http://schemas.xmlsoap.org/soap/http\"/>",
        "WS-I BP R2203",
        Works,
    ),
];

/// What would be a guess is no contract, or no usable operation; with the words of the reason.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "<part name=\"p\" element=\"w:ask\"/>",
        "<part name=\"p\" element=\"w:none\"/>",
        "none",
    ),
    ("<input message=\"w:in\"/>", "<input message=\"w:none\"/>", "none"),
    ("element=\"w:ask\"", "type=\"xs:int\"", "R2204"),
];

fn replaced(from: &str, to: &str) -> String {
    assert!(SOUND.contains(from), "{from}");
    SOUND.replacen(from, to, 1)
}

#[test]
fn a_sound_contract_has_no_warning() {
    let contract = load(&[("w.wsdl", SOUND)], &Options::default()).unwrap();
    assert!(contract.warnings.is_empty(), "{:?}", contract.warnings);
}

#[test]
fn what_is_broken_is_tolerated_with_a_warning() {
    for &(from, to, words, left) in BROKEN {
        let contract = load(&[("w.wsdl", &replaced(from, to))], &Options::default());
        let contract = contract.unwrap_or_else(|e| panic!("{to}: {e}"));
        let found = contract.warnings.iter().find(|w| w.text.contains(words));
        let found = found.unwrap_or_else(|| panic!("{to}: {:?}", contract.warnings));
        assert_eq!(&*found.place.location, "w.wsdl", "{to}");
        let operation = contract.bindings.first().and_then(|b| b.operations.first());
        let is = match operation {
            None => Nothing,
            Some(operation) if operation.unsupported.is_some() => Unusable,
            Some(_) => Works,
        };
        assert_eq!(
            is,
            left,
            "{to}: {:?} {:?}",
            contract.warnings,
            operation.map(|o| &o.unsupported)
        );
    }
}

/// What is missing matters more than what is read as it was meant, wherever it stands.
#[test]
fn the_gravest_warnings_come_first() {
    let mut text = SOUND.to_owned();
    for (from, to) in [
        ("value=\"[a-z]+\"", "value=\"(\""),
        ("type=\"xs:int\"", "type=\"int\""),
        ("type=\"w:Word\"", "type=\"Word\""),
        ("message=\"w:bad\"/>", "message=\"w:none\"/>"),
        (
            "<message name=\"in\">",
            "<import namespace='urn:n' location='n.wsdl'/><message name=\"in\">",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let contract = load(&[("w.wsdl", &text)], &Options::default()).unwrap();
    let kinds = contract
        .warnings_by_kind()
        .map(|alike| (alike[0].kind, alike.len()));
    let kinds: Vec<(WarningKind, usize)> = kinds.collect();
    let expected = [
        (WarningKind::Missing, 1),
        (WarningKind::LeftOut, 1),
        (WarningKind::Meant, 2),
        (WarningKind::Unchecked, 1),
    ];
    assert_eq!(kinds, expected, "{:?}", contract.warnings);
    let mut stored = Vec::new();
    contract.to_stored(&mut stored).unwrap();
    assert_eq!(
        Contract::from_stored(&stored).unwrap().warnings,
        contract.warnings
    );
}

#[test]
fn what_would_be_a_guess_is_refused_by_name_and_place() {
    for &(from, to, words) in REFUSED {
        let contract = load(&[("w.wsdl", &replaced(from, to))], &Options::default()).unwrap();
        let why = contract.bindings[0].operations[0]
            .unsupported
            .as_deref()
            .unwrap_or_default();
        assert!(why.contains(words) && why.contains("w.wsdl:"), "{to}: {why:?}");
    }
}

#[test]
fn the_guide_lists_them_all() {
    let guide = include_str!("../../../docs/guides/broken-contracts.md");
    for (_, to, words, _) in BROKEN {
        // In the guide, names of this contract are a dot.
        let words = words
            .replace("{urn:w}Other", "…")
            .replace("{urn:w}Word", "…")
            .replace("{urn:w}in", "…");
        let words = words
            .replace("{urn:w}P", "…")
            .replace("{urn:w}B", "…")
            .replace("xsd:int", "…");
        let words = words
            .replace("operation x", "operation …")
            .replace("fault f", "fault …");
        assert!(guide.contains(&words), "{to}: {words}");
    }
}

#[test]
fn the_guide_lists_each_requirement_of_the_basic_profile_that_is_checked() {
    let guide = include_str!("../../../docs/guides/broken-contracts.md");
    let sources = [
        include_str!("../src/wsdl/profile.rs"),
        include_str!("../../cli/src/validate/profile.rs"),
    ];
    let mut count = 0;
    for source in sources {
        for (at, _) in source.match_indices("\"R") {
            let number = source[at + 1..].chars().take(5).collect::<String>();
            if number.chars().skip(1).all(|c| c.is_ascii_digit()) {
                assert!(guide.contains(&format!("| {number} |")), "{number}");
                count += 1;
            }
        }
    }
    assert!(count > 25, "{count}");
}
