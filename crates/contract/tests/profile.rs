//! What a WSDL has against the WS-I Basic Profile 1.1, requirement by requirement.

use castile_contract::{Contract, Entry, MemoryResolver, Options};

/// A right WSDL, in pieces that cases replace.
const RIGHT: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:w" xmlns:w="urn:w"
  xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"
  xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/">
 <types><x:schema targetNamespace="urn:w"><x:element name="a" type="x:int"/><x:element name="b" type="x:int"/><x:element name="f" type="x:int"/></x:schema></types>
 <message name="A"><part name="p" element="w:a"/></message>
 <message name="B"><part name="p" element="w:b"/></message>
 <message name="F"><part name="p" element="w:f"/></message>
 <portType name="P">
  <operation name="a"><input message="w:A"/><output message="w:B"/><fault name="f" message="w:F"/></operation>
  <operation name="b"><input message="w:B"/></operation>
 </portType>
 <binding name="B" type="w:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
  <operation name="a"><s:operation/><input><s:body use="literal"/></input><output><s:body use="literal"/></output><fault name="f"><s:fault name="f" use="literal"/></fault></operation>
  <operation name="b"><s:operation/><input><s:body use="literal"/></input></operation>
 </binding>
</definitions>"#;

fn rules(wsdl: &str) -> Vec<String> {
    let entry = Entry::Document {
        bytes: wsdl.as_bytes(),
        location: "w.wsdl",
        charset: None,
    };
    let found = Contract::profile(entry, &MemoryResolver::new(), &Options::default()).unwrap();
    for warning in &found {
        assert!(warning.to_string().starts_with("w.wsdl:"), "{warning}");
    }
    let rules = found.iter().filter_map(|w| w.text.split(':').next());
    rules.map(str::to_owned).collect()
}

#[test]
fn each_requirement_is_checked() {
    assert!(rules(RIGHT).is_empty(), "{:?}", rules(RIGHT));
    for (from, to, expected) in [
        (
            " <message name=\"A\">",
            " <import namespace=\"urn:o\"/><message name=\"A\">",
            "R2022 R2007",
        ),
        ("<types>", "<message name=\"M\"/><types>", "R2023"),
        ("<x:schema targetNamespace=\"urn:w\">", "<x:schema>", "R2105"),
        (
            "<x:element name=\"a\" type=\"x:int\"/>",
            "<x:element name=\"a\" type=\"x:int\"/><x:complexType name=\"L\"><x:complexContent><x:restriction base=\"enc:Array\"><x:attribute ref=\"enc:arrayType\" wsdl:arrayType=\"x:int[]\"/></x:restriction></x:complexContent></x:complexType>",
            "R2110 R2111",
        ),
        (
            "<part name=\"p\" element=\"w:f\"/>",
            "<part name=\"p\" element=\"w:f\" type=\"x:int\"/>",
            "R2306",
        ),
        (
            "<part name=\"p\" element=\"w:f\"/>",
            "<part name=\"p\" type=\"x:int\"/>",
            "R2205",
        ),
        (
            "<part name=\"p\" element=\"w:a\"/>",
            "<part name=\"p\" type=\"x:int\"/>",
            "R2204",
        ),
        (
            "<part name=\"p\" element=\"w:a\"/>",
            "<part name=\"p\" element=\"w:a\"/><part name=\"q\" element=\"w:a\"/>",
            "R2201",
        ),
        (
            "</portType>",
            "<operation name=\"b\"><input message=\"w:B\"/></operation></portType>",
            "R2304",
        ),
        (
            "<operation name=\"b\"><input message=\"w:B\"/>",
            "<operation name=\"b\"><output message=\"w:B\"/>",
            "R2303",
        ),
        (
            "</portType>",
            "<operation name=\"c\"><input message=\"w:B\"/></operation></portType>",
            "R2718",
        ),
        (
            "<s:binding transport",
            "<s:binding style=\"document\" transport",
            "",
        ),
        (
            "transport=\"http://schemas.xmlsoap.org/soap/http\"",
            "transport=\"urn:mail\"",
            "R2702",
        ),
        (
            "<operation name=\"b\"><s:operation/>",
            "<operation name=\"b\"><s:operation style=\"rpc\"/>",
            "R2705 R2717 R2203",
        ),
        (
            "<input><s:body use=\"literal\"/></input><output>",
            "<input><s:body use=\"encoded\"/></input><output>",
            "R2706",
        ),
        (
            "<output><s:body use=\"literal\"/>",
            "<output><s:body use=\"literal\" namespace=\"urn:w\"/>",
            "R2716",
        ),
        ("<s:fault name=\"f\"", "<s:fault", "R2721"),
        ("<s:fault name=\"f\"", "<s:fault name=\"g\"", "R2754"),
        (
            "<output><s:body use=\"literal\"/>",
            "<output><s:body use=\"literal\"/><s:header message=\"w:F\" use=\"literal\"/>",
            "R2720",
        ),
        (
            "<operation name=\"b\"><input message=\"w:B\"/>",
            "<operation name=\"b\"><input message=\"w:A\"/>",
            "R2710",
        ),
    ] {
        assert!(RIGHT.contains(from), "{from}");
        assert_eq!(rules(&RIGHT.replacen(from, to, 1)).join(" "), expected, "{to}");
    }
    let soap12 = RIGHT.replace(
        "schemas.xmlsoap.org/wsdl/soap/",
        "schemas.xmlsoap.org/wsdl/soap12/",
    );
    assert_eq!(rules(&soap12), ["R2701"]);
}
