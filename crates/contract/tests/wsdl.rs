//! WSDL constructs, one by one.

mod common;

use castile_contract::{Addressing, BodyStyle, Contract, Guilty, Kind, Operation, Options, Protocol};
use castile_plan::{Plan, Style, TypeId};
use common::{complex, contract, load, wsdl};

const ADD: &str = "<xs:element name='add'><xs:complexType><xs:sequence><xs:element name='n' type='xs:int'/></xs:sequence></xs:complexType></xs:element>
    <xs:element name='sum'><xs:complexType><xs:sequence><xs:element name='v' type='xs:int'/></xs:sequence></xs:complexType></xs:element>
    <xs:element name='number' type='xs:int'/><xs:complexType name='Pair'><xs:sequence><xs:element name='a' type='xs:int'/></xs:sequence></xs:complexType>
    <xs:element name='attributed'><xs:complexType><xs:sequence/><xs:attribute name='x'/></xs:complexType></xs:element>";

/// A port type and binding with one operation `add`, whose messages have these parts.
fn one(input: &str, output: &str, binding: &str) -> Contract {
    contract(
        ADD,
        &format!(
            "<message name='in'>{input}</message><message name='out'>{output}</message>
             <portType name='P'><operation name='add'><documentation>Adds.</documentation>
             <input message='w:in'/><output message='w:out'/></operation></portType>
             <binding name='B' type='w:P'>{binding}</binding>"
        ),
    )
}

const LITERAL: &str = "<s:binding transport='http://schemas.xmlsoap.org/soap/http'/><operation name='add'><s:operation soapAction='urn:add'/>
    <input><s:body use='literal'/></input><output><s:body use='literal'/></output></operation>";

fn add(contract: &Contract) -> &Operation {
    contract.operation(None, None, "add").unwrap().operation
}

fn body(contract: &Contract, plan: &Option<Plan>) -> String {
    let plan = plan.as_ref().unwrap();
    format!(
        "{:?} {}",
        plan.style,
        complex(&contract.types, contract.types.complex(plan.body))
    )
}

#[test]
fn wrapped_and_bare() {
    let wrapped = (
        "<part name='p' element='t:add'/>",
        "<part name='p' element='t:sum'/>",
    );
    let c = one(wrapped.0, wrapped.1, LITERAL);
    assert_eq!(body(&c, &add(&c).input), "Wrapped (add:(n:int!)!)");
    assert_eq!(body(&c, &add(&c).output), "Wrapped (sum:(v:int!)!)");
    assert_eq!(add(&c).soap_action, "urn:add");
    assert_eq!(add(&c).doc.as_deref(), Some("Adds."));
    let plan = add(&c).input.as_ref().unwrap();
    let arguments = plan.arguments(&c.types).unwrap();
    assert_eq!(&*c.types.complex(arguments).fields[0].name, "n");
    assert_eq!(&*plan.label, "add request");

    // Another name, a simple type or attributes: bare; the part's name `parameters` beats the first.
    let c = one("<part name='p' element='t:sum'/>", wrapped.1, LITERAL);
    assert_eq!(body(&c, &add(&c).input), "Bare (sum:(v:int!)!)");
    assert_eq!(body(&c, &add(&c).output), "Bare (sum:(v:int!)!)");
    let c = one(
        "<part name='parameters' element='t:sum'/>",
        "<part name='parameters' element='t:number'/>",
        LITERAL,
    );
    assert_eq!(body(&c, &add(&c).input), "Wrapped (sum:(v:int!)!)");
    assert_eq!(body(&c, &add(&c).output), "Bare (number:int!)");
    let c = one(
        "",
        "<part name='a' element='t:number'/><part name='b' element='t:add'/>",
        LITERAL,
    );
    assert_eq!(body(&c, &add(&c).input), "Bare ");
    assert_eq!(body(&c, &add(&c).output), "Bare (number:int!, add:(n:int!)!)");
}

#[test]
fn a_document_body_with_a_type() {
    let c = one(
        "<part name='p' type='t:Pair'/>",
        "<part name='p' type='xs:int'/>",
        LITERAL,
    );
    assert!(
        add(&c)
            .unsupported
            .as_deref()
            .unwrap()
            .starts_with("a document style body of simple type int")
    );
    let c = one("<part name='p' type='t:Pair'/>", "", LITERAL);
    assert_eq!(body(&c, &add(&c).input), "Bare (a:int!)");
}

#[test]
fn rpc_literal() {
    let binding = "<s:binding style='rpc' transport='http'/><operation name='add'><s:operation/>
        <input><s:body use='literal' namespace='urn:rpc'/></input><output><s:body use='literal'/></output></operation>";
    let c = one(
        "<part name='x' type='xs:int'/><part name='y' type='t:Pair'/>",
        "<part name='z' type='xs:int'/>",
        binding,
    );
    let op = add(&c);
    assert_eq!(op.style, BodyStyle::Rpc);
    assert_eq!(body(&c, &op.input), "Wrapped (add:(x:int!, y:Pair!)!)");
    assert_eq!(body(&c, &op.output), "Wrapped (addResponse:(z:int!)!)");
    let wire = |plan: &Option<Plan>| {
        let fields = &c.types.complex(plan.as_ref().unwrap().body).fields;
        let TypeId::Complex(inner) = fields[0].ty else {
            panic!()
        };
        (
            c.types.clark(&fields[0].wire),
            c.types.clark(&c.types.complex(inner).fields[0].wire),
        )
    };
    assert_eq!(wire(&op.input), ("{urn:rpc}add".into(), "x".into()));
    assert_eq!(wire(&op.output), ("{urn:w}addResponse".into(), "z".into()));
    assert!(c.warnings.iter().any(|w| w.text.contains("R2717")));

    let c = one("<part name='x' element='t:add'/>", "", binding);
    assert_eq!(add(&c).unsupported, None);
    assert!(c.warnings.iter().any(|w| w.text.contains("R2203")));
}

#[test]
fn encoded_messages_are_marked() {
    let binding = "<s:binding style='rpc' transport='http'/><operation name='add'><s:operation/>
        <input><s:body use='encoded' namespace='urn:rpc'/></input><output><s:body use='literal' namespace='urn:rpc'/></output></operation>";
    let c = one(
        "<part name='x' type='xs:int'/>",
        "<part name='z' type='xs:int'/>",
        binding,
    );
    assert_eq!(add(&c).unsupported, None);
    assert!(add(&c).input.as_ref().unwrap().encoded);
    assert!(!add(&c).output.as_ref().unwrap().encoded);
    let binding = binding.replace("style='rpc'", "style='document'");
    let c = one(
        "<part name='x' type='xs:int'/>",
        "<part name='z' type='xs:int'/>",
        &binding,
    );
    let why = add(&c).unsupported.as_deref().unwrap();
    assert!(
        why.starts_with("document/encoded is not supported, at w.wsdl:"),
        "{why}"
    );
}

#[test]
fn headers() {
    let binding = "<s12:binding transport='http'/><operation name='add'><s12:operation soapAction='a'/>
        <input><s12:header message='w:other' part='h' use='literal'><s12:headerfault message='w:other' part='h'/></s12:header>
        <s12:header message='w:in' part='extra' use='literal'/><s12:body use='literal'/></input></operation>";
    let c = contract(
        ADD,
        &format!(
            "<message name='in'><part name='p' element='t:add'/><part name='extra' element='t:number'/></message>
             <message name='other'><part name='h' element='t:attributed'/></message>
             <portType name='P'><operation name='add'><input message='w:in'/></operation></portType>
             <binding name='B' type='w:P'>{binding}</binding>"
        ),
    );
    let op = add(&c);
    assert!(op.one_way && op.output.is_none());
    assert_eq!(body(&c, &op.input), "Wrapped (add:(n:int!)!)");
    let header = complex(&c.types, c.types.complex(op.input.as_ref().unwrap().header));
    assert!(
        header.starts_with("(attributed:@x:anySimpleType? & number:int?"),
        "{header}"
    );
    assert_eq!(c.bindings[0].protocol, Protocol::Soap12);
}

#[test]
fn faults_and_actions() {
    let c = contract(
        ADD,
        "<message name='in'/><message name='f'><part name='p' element='t:number'/></message><message name='g'><part name='p' type='xs:int'/></message>
         <portType name='P'><operation name='add'><input message='w:in' wsam:Action='urn:go' xmlns:wsam='http://www.w3.org/2007/05/addressing/metadata'/>
         <output message='w:in'/><fault name='one' message='w:f'/><fault name='two' message='w:f'/><fault name='three' message='w:g'/></operation></portType>
         <binding name='B' type='w:P'><s:binding transport='http'/><operation name='add'><input><s:body use='literal'/></input></operation></binding>",
    );
    let op = add(&c);
    let faults: Vec<_> = op
        .faults
        .iter()
        .map(|f| (f.name.as_str(), f.element.as_str(), f.field))
        .collect();
    assert_eq!(
        faults,
        [
            ("one", "{urn:t}number", Some(0)),
            ("two", "{urn:t}number", Some(0))
        ]
    );
    assert_eq!(complex(&c.types, c.types.complex(op.detail)), "(number:int?)");
    assert_eq!(
        (&*op.input_action, &*op.output_action),
        ("urn:go", "urn:w:P:addResponse")
    );
    assert!(
        c.warnings
            .iter()
            .any(|w| w.text.contains("fault three is left out"))
    );
}

#[test]
fn what_is_not_soap_is_listed_and_refused() {
    let c = one("", "", "<http:binding verb='GET'/><operation name='add'/>");
    assert_eq!(c.bindings[0].protocol, Protocol::Http);
    assert!(
        add(&c)
            .unsupported
            .as_deref()
            .unwrap()
            .starts_with("an HTTP binding without SOAP")
    );
    let attached = "<s:binding transport='http'/><operation name='add'><input><mime:multipartRelated><mime:part><s:body use='literal'/></mime:part>
        <mime:part><mime:content part='p' type='*/*'/></mime:part></mime:multipartRelated></input></operation>";
    let c = one("<part name='p' element='t:add'/>", "", attached);
    assert!(
        add(&c)
            .unsupported
            .as_deref()
            .unwrap()
            .starts_with("MIME attachments are not supported, at w.wsdl:")
    );
}

#[test]
fn ports_are_chosen_and_missed() {
    let text = wsdl(
        ADD,
        &format!(
            "<message name='in'/><portType name='P'><operation name='add'><input message='w:in'/></operation>
             <operation name='add'><input message='w:in'/></operation></portType>
             <binding name='H' type='w:P'><http:binding/><operation name='add'/></binding>
             <binding name='B' type='w:P'>{LITERAL}</binding><binding name='B12' type='w:P'>
             <s12:binding transport='x'/><operation name='add'/><operation name='add'/></binding>
             <service name='One'><port name='h' binding='w:H'/><port name='lost' binding='w:No'/></service>
             <service name='Two'><documentation>Second.</documentation><port name='p12' binding='w:B12'><s12:address location=' http://h/12 '/></port>
             <port name='p11' binding='wrong:B' xmlns:wrong='urn:wrong'><s:address location='http://h/11'/></port></service>"
        ),
    );
    let c = load(&[("w.wsdl", &text)], &Options::default()).unwrap();
    let found = c.operation(None, None, "add").unwrap();
    assert_eq!(
        (
            found.service.unwrap().name.as_str(),
            found.port.unwrap().name.as_str()
        ),
        ("Two", "p12")
    );
    assert_eq!(found.port.unwrap().address.as_deref(), Some("http://h/12"));
    assert_eq!(c.operation(None, Some("p11"), "add").unwrap().binding.name, "B");
    assert_eq!(
        c.operation(Some("One"), None, "add").unwrap().binding.protocol,
        Protocol::Http
    );
    assert_eq!(found.binding.operations[1].name, "add_2");
    assert!(c.warnings.iter().any(|w| w.text.contains("overloaded")));
    assert!(
        c.warnings
            .iter()
            .any(|w| w.text.contains("port lost is left out"))
    );
    assert!(c.warnings.iter().any(|w| {
        w.text
            .contains("there is no binding {urn:wrong}B; {urn:w}B is taken")
    }));
    for (service, port, name, text) in [
        (
            Some("Three"),
            None,
            "add",
            "the contract has no service Three; it has One, Two",
        ),
        (
            None,
            Some("q"),
            "add",
            "the contract has no port q; it has h, p12, p11",
        ),
        (
            None,
            None,
            "sub",
            "the contract has no operation sub; it has add, add_2",
        ),
    ] {
        let error = c.operation(service, port, name).unwrap_err();
        assert_eq!(
            (error.to_string().as_str(), error.guilty()),
            (text, Guilty::Caller)
        );
    }
}

#[test]
fn definitions_are_imported() {
    let main = wsdl(
        "",
        &format!(
            "<import namespace='urn:w' location='sub/abstract.wsdl'/><binding name='B' type='w:P'>{LITERAL}</binding>"
        ),
    );
    let import = wsdl(
        ADD,
        "<import namespace='urn:w' location='../w.wsdl'/><message name='in'><part name='parameters' element='t:add'/></message>
         <portType name='P'><operation name='add'><input message='w:in'/><output message='w:in'/></operation></portType>",
    );
    let c = load(
        &[("w.wsdl", &main), ("sub/abstract.wsdl", &import)],
        &Options::default(),
    )
    .unwrap();
    assert_eq!(body(&c, &add(&c).input), "Wrapped (add:(n:int!)!)");
    assert_eq!(c.documents.len(), 2);
    // The same where one schema of a WSDL imports another one without saying where it is.
    let text = wsdl(
        "<xs:import namespace='urn:u'/><xs:element name='e' type='u:U' xmlns:u='urn:u'/>",
        "",
    );
    let second = "<xs:schema targetNamespace='urn:u'><xs:simpleType name='U'><xs:restriction base='xs:int'/></xs:simpleType></xs:schema></types>";
    let c = load(
        &[("w.wsdl", &text.replace("</types>", second))],
        &Options::default(),
    )
    .unwrap();
    assert_eq!(c.types.type_label(c.types.elements[0].ty), "{urn:u}U");
}

#[test]
fn what_is_no_contract_says_what_it_is() {
    let error = |text: &str| load(&[("x", text)], &Options::default()).unwrap_err();
    assert!(
        error("<html/>")
            .to_string()
            .starts_with("x: neither WSDL 1.1 nor an XML Schema: its root element is html")
    );
    assert!(
        error("<description xmlns='http://www.w3.org/ns/wsdl'/>")
            .to_string()
            .contains("WSDL 2.0")
    );
    let broken = error("<a>\n<b></a>");
    assert!(matches!(broken.kind(), Kind::Xml(_)));
    assert_eq!(
        (broken.place().line, broken.place().column, broken.guilty()),
        (2, 4, Guilty::Contract)
    );
    let missing = load(&[("x", "")], &Options::default());
    assert!(matches!(missing.unwrap_err().kind(), Kind::Xml(_)));
    let files = castile_contract::MemoryResolver::new();
    let missing = Contract::load("gone.wsdl", &files, &Options::default()).unwrap_err();
    assert_eq!(
        missing.to_string(),
        "gone.wsdl: cannot be loaded: there is no such document"
    );
    assert_eq!(missing.guilty(), Guilty::Resolver);
}

#[test]
fn bytes_without_a_location_load_nothing_beside_them() {
    let text = wsdl("<xs:include schemaLocation='w.xsd'/>", "");
    let files = castile_contract::MemoryResolver::new().with(
        "w.xsd",
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>",
    );
    let c = Contract::load(text.as_bytes(), &files, &Options::default()).unwrap();
    assert_eq!(c.documents.len(), 1);
    assert!(c.warnings[0].text.contains("w.xsd cannot be loaded"));
    // A document from the network does not get at files.
    let entry = castile_contract::Entry::Document {
        bytes: text.as_bytes(),
        location: "http://h/w.wsdl",
        charset: None,
    };
    let text = text.replace("w.xsd", "file:///w.xsd");
    let remote = castile_contract::Entry::Document {
        bytes: text.as_bytes(),
        location: "http://h/w.wsdl",
        charset: None,
    };
    let files = files.with(
        "file:///w.xsd",
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>",
    );
    for entry in [entry, remote] {
        assert_eq!(
            Contract::load(entry, &files, &Options::default())
                .unwrap()
                .documents
                .len(),
            1
        );
    }
}

#[test]
fn namespaces_of_plans_and_styles() {
    let c = one(
        "<part name='parameters' element='t:add'/>",
        "<part name='p' element='t:sum'/>",
        LITERAL,
    );
    let plan = add(&c).input.as_ref().unwrap();
    assert_eq!(plan.style, Style::Wrapped);
    let uris: Vec<&str> = plan.namespaces.iter().map(|&ns| c.types.uri(ns)).collect();
    assert_eq!(uris, ["urn:t"]);
}

#[test]
fn actions_of_addressing_are_declared_or_made_of_names() {
    const OPERATION: &str = "<operation name='add'><input message='w:in'/><output name='sum' message='w:in'/><fault name='f' message='w:f'/></operation>
         <operation name='tell'><input message='w:in'/></operation>";
    let with = |soap: &str, binding: &str| {
        contract(
            ADD,
            &format!(
                "<message name='in'/><message name='f'><part name='p' element='t:number'/></message><portType name='P'>{OPERATION}</portType>
                 <binding name='B' type='w:P'><s:binding transport='http'/>{binding}<operation name='add'>{soap}<input><s:body use='literal'/></input></operation>
                 <operation name='tell'><input><s:body use='literal'/></input></operation></binding>"
            ),
        )
    };
    let c = with("<s:operation soapAction='urn:add'/>", "");
    assert_eq!(add(&c).input_action, "urn:add");
    assert_eq!(add(&c).output_action, "urn:w:P:sum");
    assert_eq!(add(&c).faults[0].action, "urn:w:P:add:Fault:f");
    assert_eq!(c.bindings[0].addressing, Addressing::Unsaid);
    let tell = c.operation(None, None, "tell").unwrap().operation;
    assert_eq!((&*tell.input_action, &*tell.output_action), ("urn:w:P:tell", ""));

    const USING: &str = "xmlns:wsaw='http://www.w3.org/2006/05/addressing/wsdl'";
    const POLICY: &str =
        "xmlns:p='http://www.w3.org/ns/ws-policy' xmlns:m='http://www.w3.org/2007/05/addressing/metadata'";
    for (binding, asked) in [
        (format!("<wsaw:UsingAddressing {USING}/>"), Addressing::Optional),
        (
            format!(
                "<wsaw:UsingAddressing {USING} wsdl:required='true' xmlns:wsdl='http://schemas.xmlsoap.org/wsdl/'/>"
            ),
            Addressing::Required,
        ),
        (
            format!("<p:Policy {POLICY}><m:Addressing p:Optional='true'/></p:Policy>"),
            Addressing::Optional,
        ),
        (
            format!(
                "<p:Policy {POLICY}><p:ExactlyOne><p:All><m:Addressing/></p:All></p:ExactlyOne></p:Policy>"
            ),
            Addressing::Required,
        ),
    ] {
        assert_eq!(with("", &binding).bindings[0].addressing, asked, "{binding}");
    }
    assert_eq!(add(&with("", "")).input_action, "urn:w:P:addRequest");
}
