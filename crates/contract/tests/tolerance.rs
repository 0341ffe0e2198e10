//! Broken contracts: what can mean one thing only is read, with a warning that names the rule.

mod common;

use castile_contract::{Contract, Options};
use common::{load, schema, shown};

fn warned(contract: &Contract, words: &str) -> bool {
    contract.warnings.iter().any(|w| w.text.contains(words))
}

#[test]
fn drafts_of_xml_schema_are_read_as_the_recommendation() {
    for draft in ["1999", "2000/10"] {
        let text = format!(
            "<s:schema xmlns:s='http://www.w3.org/{draft}/XMLSchema' targetNamespace='urn:t'><s:complexType name='T'><s:sequence>
             <s:element name='a' type='s:timeInstant'/><s:element name='b' type='s:string'/></s:sequence></s:complexType></s:schema>"
        );
        let contract = load(&[("t.xsd", &text)], &Options::default()).unwrap();
        assert_eq!(shown(&contract, "T"), "(a:dateTime!, b:string!)");
        assert!(
            warned(&contract, "is a draft of XML Schema"),
            "{:?}",
            contract.warnings
        );
    }
}

#[test]
fn white_space_before_the_declaration_is_passed_over() {
    let text = "\n\n <?xml version='1.0' encoding='utf-8'?><xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:t'>\n<xs:complexType name='T'><xs:attribute ref='nope:a'/></xs:complexType></xs:schema>";
    let contract = load(&[("t.xsd", text)], &Options::default()).unwrap();
    assert!(warned(&contract, "white space before the XML declaration"));
    // Lines are counted from where the document begins.
    assert!(
        contract.types.unsupported.iter().any(|w| w.contains("t.xsd:4:")),
        "{:?}",
        contract.types.unsupported
    );
    assert!(load(&[("t.xsd", "x <?xml version='1.0'?><a/>")], &Options::default()).is_err());
}

#[test]
fn parts_with_elements_in_rpc_style_send_the_element() {
    let wsdl = |use_: &str| {
        format!(
            "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/' targetNamespace='urn:w' xmlns:w='urn:w' xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/'>
             <types><xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:w'><xs:element name='e' type='xs:int'/></xs:schema></types>
             <message name='in'><part name='p' element='w:e'/></message>
             <portType name='P'><operation name='o'><input message='w:in'/></operation></portType>
             <binding name='B' type='w:P'><s:binding style='rpc'/><operation name='o'><input><s:body use='{use_}' namespace='urn:w'/></input></operation></binding>
             <service name='S'><port name='P' binding='w:B'><s:address location='http://h/'/></port></service></definitions>"
        )
    };
    let contract = load(&[("w.wsdl", &wsdl("literal"))], &Options::default()).unwrap();
    let operation = &contract.bindings[0].operations[0];
    let plan = operation.input.as_ref().unwrap();
    let (id, _) = plan.values(&contract.types);
    assert_eq!(
        contract.types.clark(&contract.types.complex(id).fields[0].wire),
        "{urn:w}e"
    );
    assert!(warned(&contract, "R2203"), "{:?}", contract.warnings);
    let contract = load(&[("w.wsdl", &wsdl("encoded"))], &Options::default()).unwrap();
    let why = contract.bindings[0].operations[0]
        .unsupported
        .as_deref()
        .unwrap_or_default();
    assert!(why.contains("R2203") && why.contains("w.wsdl:3:"), "{why}");
}

#[test]
fn patterns_that_cannot_be_checked_are_warned_of() {
    for (pattern, words) in [
        ("[a-z]{2}", None),
        (r"\p{IsBasicLatin}+", None),
        ("[z-a]", Some("is not checked")),
        ("(a", Some("is not checked")),
        ("((a{1000}){1000}){1000}", Some("is not checked")),
    ] {
        let contract = schema(&format!(
            "<xs:simpleType name='S'><xs:restriction base='xs:string'><xs:pattern value='{pattern}'/></xs:restriction></xs:simpleType>"
        ));
        match words {
            Some(words) => assert!(warned(&contract, words), "{pattern}: {:?}", contract.warnings),
            None => assert!(contract.warnings.is_empty(), "{pattern}: {:?}", contract.warnings),
        }
    }
}

/// Content models, and whether two particles can take an element at one point: examples of XSD part 1, H,
/// and of how a reader walks.
#[test]
fn ambiguous_content_models_are_warned_of() {
    let any = "<xs:any namespace='##any'/>";
    for (model, ambiguous) in [
        ("<xs:element name='a'/><xs:element name='a'/>".to_owned(), false),
        ("<xs:element name='a' minOccurs='0'/><xs:element name='a'/>".to_owned(), true),
        ("<xs:element name='a' maxOccurs='2'/><xs:element name='a'/>".to_owned(), true),
        ("<xs:element name='a' minOccurs='2' maxOccurs='2'/><xs:element name='a'/>".to_owned(), false),
        ("<xs:element name='a' minOccurs='0'/><xs:element name='b'/><xs:element name='a'/>".to_owned(), false),
        ("<xs:element name='a' minOccurs='0'/><xs:element name='b' minOccurs='0'/><xs:element name='a'/>".to_owned(), true),
        ("<xs:choice><xs:element name='a'/><xs:sequence><xs:element name='a'/><xs:element name='b'/></xs:sequence></xs:choice>".to_owned(), true),
        ("<xs:choice><xs:element name='a'/><xs:sequence><xs:element name='b'/><xs:element name='a'/></xs:sequence></xs:choice>".to_owned(), false),
        (format!("{any}<xs:element name='a'/>"), false),
        ("<xs:any namespace='##any' minOccurs='0'/><xs:element name='a'/>".to_owned(), true),
        ("<xs:any namespace='##other' minOccurs='0'/><xs:element name='a'/>".to_owned(), false),
        (format!("<xs:element name='a' minOccurs='0'/>{any}"), true),
    ] {
        let contract = schema(&format!("<xs:complexType name='T'><xs:sequence>{model}</xs:sequence></xs:complexType>"));
        let found = warned(&contract, "3.8.6, Unique Particle Attribution");
        assert_eq!(found, ambiguous, "{model}: {:?}", contract.warnings);
        let placed = contract.warnings.iter().all(|w| w.to_string().starts_with("t.xsd:2:"));
        assert!(placed, "{:?}", contract.warnings);
    }
}
