//! What SOAP 1.2 asks of a node beyond SOAP 1.1: roles, blocks that handlers know, codes and subcodes.

use std::sync::Arc;

use castile_codec::{Code, DecodeOptions, Envelope};
use castile_contract::files::FileResolver;
use castile_contract::{Contract, Entry, Options};
use castile_endpoint::{Fault, Handlers, InMessage, Limits, Service, ServiceOptions, Version};
use castile_value::Value;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:t" xmlns:t="urn:t"
  xmlns:s="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:x="http://www.w3.org/2001/XMLSchema">
 <types><x:schema targetNamespace="urn:t"><x:element name="count" type="x:int"/></x:schema></types>
 <message name="h"><part name="count" element="t:count"/></message>
 <message name="in"><part name="a" type="x:string"/><part name="b" type="x:string"/></message>
 <message name="out"/>
 <portType name="p"><operation name="take"><input message="t:in"/><output message="t:out"/></operation></portType>
 <binding name="b" type="t:p"><s:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
  <operation name="take"><s:operation/>
   <input><s:body use="encoded" namespace="urn:t" encodingStyle="http://www.w3.org/2003/05/soap-encoding"/>
    <s:header message="t:h" part="count" use="literal"/></input>
   <output><s:body use="encoded" namespace="urn:t" encodingStyle="http://www.w3.org/2003/05/soap-encoding"/></output>
  </operation></binding>
 <service name="s"><port name="p" binding="t:b"><s:address location="http://h/"/></port></service>
</definitions>"#;

/// The fault of an answer; `None` for an answer that is none.
fn answer(header: &str, body: &str, envelope_attributes: &str) -> Option<Fault> {
    let entry = Entry::Document {
        bytes: WSDL.as_bytes(),
        location: "",
        charset: None,
    };
    let contract = Contract::load(entry, &FileResolver::new(), &Options::default()).unwrap();
    let options = ServiceOptions {
        roles: vec!["urn:ours".into()],
        understood: vec!["{urn:o}mine".into()],
        ..ServiceOptions::default()
    };
    let handlers = Handlers::new().on("take", |_| Ok(Value::Absent));
    let service = Service::new(Arc::new(contract), options, handlers).unwrap();
    let text = format!(
        "<e:Envelope xmlns:e='{}' xmlns:t='urn:t' xmlns:o='urn:o' xmlns:c='http://www.w3.org/2003/05/soap-encoding' \
         {envelope_attributes}><e:Header>{header}</e:Header><e:Body>{body}</e:Body></e:Envelope>",
        Version::Soap12.namespace()
    );
    let answer = service.answer(InMessage {
        version: Version::Soap12,
        ..InMessage::new(&text)
    });
    let body = String::from_utf8(answer.body.to_bytes().to_vec()).unwrap();
    let envelope = Envelope::open(&body, &Limits::default()).unwrap();
    let fault = envelope.is_fault().then(|| {
        let options = DecodeOptions::default();
        envelope.decode_fault(service.types(), None, &options).unwrap()
    });
    assert_eq!(fault.as_ref().map(|f| &f.code), answer.fault.as_ref(), "{body}");
    fault
}

const TAKE: &str = "<t:take><a>x</a><b>y</b></t:take>";

#[test]
fn blocks_are_taken_by_role_and_by_who_knows_them() {
    let role = "http://www.w3.org/2003/05/soap-envelope/role";
    for (header, code) in [
        ("<o:mine e:mustUnderstand='1'/>", None),
        ("<o:other e:mustUnderstand='1'/>", Some(Code::MustUnderstand)),
        (
            "<o:other e:mustUnderstand='true' e:role='urn:ours'/>",
            Some(Code::MustUnderstand),
        ),
        ("<o:other e:mustUnderstand='1' e:role='urn:theirs'/>", None),
        (
            &format!("<o:other e:mustUnderstand='1' e:role='{role}/none'/>"),
            None,
        ),
        ("<o:other e:mustUnderstand='perhaps'/>", Some(Code::Sender)),
        ("<o:other e:relay='perhaps'/>", Some(Code::Sender)),
        ("<t:count>x</t:count>", Some(Code::Sender)),
        // A block for somebody else is not looked into.
        ("<t:count e:role='urn:theirs'>x</t:count>", None),
    ] {
        let fault = answer(header, TAKE, "");
        assert_eq!(
            fault.as_ref().map(|f| &f.code),
            code.as_ref(),
            "{header}: {fault:?}"
        );
        let named = fault.is_some_and(|f| f.headers.iter().any(|h| h.contains("NotUnderstood")));
        assert_eq!(named, code == Some(Code::MustUnderstand), "{header}");
    }
}

#[test]
fn faults_have_the_codes_of_the_adjuncts() {
    let rpc = "{http://www.w3.org/2003/05/soap-rpc}";
    let encoding = "{http://www.w3.org/2003/05/soap-encoding}";
    for (body, attributes, code, subcode) in [
        (
            "<t:nothing/>",
            "",
            Code::Sender,
            format!("{rpc}ProcedureNotPresent"),
        ),
        (
            "<t:take><a><i/></a><b/></t:take>",
            "",
            Code::Sender,
            format!("{rpc}BadArguments"),
        ),
        (
            "<t:take><a c:ref='n'/><b/></t:take>",
            "",
            Code::Sender,
            format!("{encoding}MissingID"),
        ),
        (
            "<t:take><a c:id='n'>x</a><b c:id='n'>y</b><z c:ref='n'/></t:take>",
            "",
            Code::Sender,
            format!("{encoding}DuplicateID"),
        ),
        (
            "<t:take e:encodingStyle='urn:e'/>",
            "",
            Code::DataEncodingUnknown,
            String::new(),
        ),
        (
            TAKE,
            "e:encodingStyle='http://www.w3.org/2003/05/soap-encoding'",
            Code::Sender,
            String::new(),
        ),
        (TAKE, "a='1'", Code::Sender, String::new()),
        (
            "<t:take><a>x</a><b>y</b></t:take></e:Body><e:Body>",
            "",
            Code::Sender,
            String::new(),
        ),
    ] {
        let fault = answer("", body, attributes).unwrap_or_else(|| panic!("{body} {attributes}"));
        assert_eq!(fault.code, code, "{body} {attributes}: {fault}");
        let subcodes: Vec<String> = fault.subcodes.iter().map(ToString::to_string).collect();
        assert_eq!(subcodes.concat(), subcode, "{body}: {fault}");
    }
    assert_eq!(answer("", TAKE, "o:a='1'"), None);
}
