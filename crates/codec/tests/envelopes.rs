//! Envelopes, headers and faults of both versions, and what is no envelope.

mod support;

use castile_codec::{
    Code, DecodeOptions, Detail, EncodeOptions, Envelope, Error, Fault, Kind, Limits, Name, Reason, Version,
    encode, encode_fault,
};
use castile_plan::{Element, QName, TypeId, Types};
use castile_testkit::{Table, difference};
use castile_value::{Record, Value, ValueSink};
use support::body;

const TYPES: &str = "
Header = token:string?, session:Session?, count:int?
Session = id:int, role:string?
T = a:int?
Problems = Oops:Session?, Why:string?
";

fn table() -> Table {
    Table::parse(TYPES)
}

fn open(text: &str) -> Result<Envelope<'_>, Error> {
    Envelope::open(text, &Limits::default())
}

fn soap(version: Version, inside: &str) -> String {
    let uri = version.namespace();
    format!("<e:Envelope xmlns:e='{uri}' xmlns:t='urn:t' xmlns='urn:t'>{inside}</e:Envelope>")
}

const BOTH: [Version; 2] = [Version::Soap11, Version::Soap12];

#[test]
fn headers_both_ways() {
    let table = table();
    let plan = table.plan("T");
    for version in BOTH {
        let mut header = Record::new(table.types.shape(plan.header).clone());
        header.set("session", Value::map([("id", 7.into())])).unwrap();
        header.set("token", "a<b").unwrap();
        let mut out = Vec::new();
        let body = body(&table, "T", Value::map([("a", 1.into())]));
        encode(
            &table.types,
            &plan,
            version,
            &header,
            &body,
            &EncodeOptions::default(),
            &mut out,
        )
        .unwrap();
        let text = String::from_utf8(out).unwrap();
        let envelope = open(&text).unwrap();
        assert_eq!(envelope.version(), version);
        let names: Vec<String> = envelope.headers().iter().map(|h| h.name.to_string()).collect();
        assert_eq!(names, ["{urn:t}token", "{urn:t}session"]);
        assert_eq!(envelope.first().unwrap().to_string(), "{urn:t}T");
        let mut headers = ValueSink::new(table.types.shape(plan.header).clone());
        let mut values = ValueSink::new(table.types.shape(plan.body).clone());
        envelope
            .decode(
                &table.types,
                &plan,
                &DecodeOptions::default(),
                &mut headers,
                &mut values,
            )
            .unwrap();
        let headers = headers.finish();
        assert_eq!(headers.get("token"), Some(&"a<b".into()));
        assert_eq!(
            headers.get("session").and_then(|s| s.get("id")),
            Some(&Value::Int(7))
        );
        assert_eq!(headers.get("count"), Some(&Value::Absent));
        assert_eq!(
            values.finish().get("T").and_then(|t| t.get("a")),
            Some(&Value::Int(1))
        );
    }
}

#[test]
fn header_blocks_say_whom_they_are_for() {
    let text = soap(
        Version::Soap11,
        "<e:Header><t:token e:mustUnderstand='1' e:actor=' urn:next '>x</t:token>\
         <o:other xmlns:o='urn:o' e:mustUnderstand='0' mustUnderstand='1'><t:in/></o:other></e:Header><e:Body/>",
    );
    let envelope = open(&text).unwrap();
    let [token, other] = envelope.headers() else {
        panic!()
    };
    assert!(token.must_understand && !other.must_understand);
    assert_eq!(
        (token.role.as_deref(), other.role.as_deref()),
        (Some("urn:next"), None)
    );
    // A block can stand alone.
    assert!(castile_xml::Fragment::parse(&other.xml).is_ok(), "{}", other.xml);
    assert_eq!(other.name.namespace, "urn:o");
    let text = soap(
        Version::Soap12,
        "<e:Header><t:token e:mustUnderstand='true' e:role='urn:r'/></e:Header><e:Body/>",
    );
    let envelope = open(&text).unwrap();
    assert!(envelope.headers()[0].must_understand);
    assert_eq!(envelope.headers()[0].role.as_deref(), Some("urn:r"));
    assert!(envelope.first().is_none() && !envelope.is_fault());
}

#[test]
fn unknown_headers_are_left_alone_and_bad_ones_have_a_place() {
    let table = table();
    let plan = table.plan("T");
    let inside = "<e:Header><o:other xmlns:o='urn:o'>?</o:other>\n<token>x</token>\n <count>x</count></e:Header><e:Body><T/></e:Body>";
    let text = soap(Version::Soap11, inside);
    let mut headers = ValueSink::new(table.types.shape(plan.header).clone());
    let mut values = ValueSink::new(table.types.shape(plan.body).clone());
    let result = open(&text).unwrap().decode(
        &table.types,
        &plan,
        &DecodeOptions::default(),
        &mut headers,
        &mut values,
    );
    let error = result.unwrap_err();
    assert_eq!(
        (error.kind(), error.path()),
        (Kind::Lexical, "/Envelope/Header/count".into())
    );
    assert_eq!(error.line_column(), Some((3, 9)), "{error}");
    assert_eq!(headers.finish().get("token"), Some(&"x".into()));
}

#[test]
fn empty_bodies() {
    let table = Table::parse("T = a:int?");
    // A body without elements, which a message may have.
    let nothing = table.plan("T").header;
    let plan = castile_plan::Plan::new(
        &table.types,
        "nothing",
        castile_plan::Style::Bare,
        nothing,
        nothing,
    );
    for inside in [
        "<e:Body/>",
        "<e:Body></e:Body>",
        "<e:Body> <!-- --> </e:Body>",
        "<e:Header/><e:Body/>",
    ] {
        let text = soap(Version::Soap12, inside);
        let (_, body) = support::decoded_by(&table.types, &plan, &text, true).unwrap();
        assert_eq!(body.iter().count(), 0);
        let error = support::decoded_by(&table.types, &table.plan("T"), &text, true).unwrap_err();
        assert_eq!(
            (error.kind(), error.path()),
            (Kind::Missing, "/Envelope/Body".into())
        );
        support::decoded_by(&table.types, &table.plan("T"), &text, false).unwrap();
    }
    let text = soap(Version::Soap12, "<e:Body><T/></e:Body>");
    let error = support::decoded_by(&table.types, &plan, &text, true).unwrap_err();
    assert_eq!(
        (error.kind(), error.path()),
        (Kind::Unexpected, "/Envelope/Body/T".into())
    );
    // What we write without arguments is read again.
    let record = Record::new(table.types.shape(nothing).clone());
    let text = support::encoded(&table.types, &plan, &record).unwrap();
    assert!(text.ends_with("<S:Body></S:Body></S:Envelope>"), "{text}");
}

#[test]
fn what_is_no_envelope() {
    let cases: &[(&str, Kind, &str)] = &[
        ("", Kind::Malformed, ""),
        ("x", Kind::Malformed, ""),
        (
            "<html/>",
            Kind::NotSoap,
            "the root element is html, not a SOAP Envelope",
        ),
        ("<Envelope/>", Kind::NotSoap, "the root element is Envelope"),
        (
            "<e:Envelope xmlns:e='urn:other'/>",
            Kind::Version,
            "no known version of SOAP: namespace \"urn:other\"",
        ),
        (
            "<e:Body xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'/>",
            Kind::NotSoap,
            "root element is",
        ),
        (
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'/>",
            Kind::NotSoap,
            "has no Body",
        ),
        (
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'>x</e:Envelope>",
            Kind::NotSoap,
            "text",
        ),
        (
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><Body/></e:Envelope>",
            Kind::NotSoap,
            "not of SOAP 1.1",
        ),
        (
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Header/></e:Envelope>",
            Kind::NotSoap,
            "has no Body",
        ),
        (
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Foot/></e:Envelope>",
            Kind::NotSoap,
            "Foot",
        ),
        (
            "<!DOCTYPE x><e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'/>",
            Kind::Malformed,
            "document type",
        ),
        (
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body><a></e:Body>",
            Kind::Malformed,
            "",
        ),
    ];
    for (text, kind, words) in cases {
        let error = match open(text) {
            Err(error) => error,
            Ok(envelope) => {
                let table = table();
                let plan = table.plan("T");
                let mut headers = ValueSink::new(table.types.shape(plan.header).clone());
                let mut values = ValueSink::new(table.types.shape(plan.body).clone());
                let lax = DecodeOptions { strict: false };
                envelope
                    .decode(&table.types, &plan, &lax, &mut headers, &mut values)
                    .expect_err(text)
            }
        };
        assert_eq!(error.kind(), *kind, "{text}: {error}");
        assert!(error.message().contains(words), "{text}: {error}");
        assert!(error.line_column().is_some(), "{text}: {error}");
    }
}

#[test]
fn limits_are_named() {
    let deep = |n: usize| {
        soap(
            Version::Soap11,
            &format!("<e:Body>{}{}</e:Body>", "<a>".repeat(n), "</a>".repeat(n)),
        )
    };
    let table = Table::parse("T = *any*\nD = D:D?");
    let read = |text: &str, limits: Limits, name: &str| -> Result<(), Error> {
        let plan = table.plan(name);
        let mut headers = ValueSink::new(table.types.shape(plan.header).clone());
        let mut values = ValueSink::new(table.types.shape(plan.body).clone());
        let envelope = Envelope::open(text, &limits)?;
        envelope.decode(
            &table.types,
            &plan,
            &DecodeOptions { strict: false },
            &mut headers,
            &mut values,
        )
    };
    let error = read(&deep(300), Limits::default(), "T").unwrap_err();
    assert_eq!(error.kind(), Kind::Limit);
    assert!(error.message().contains("depth_max"), "{error}");
    // Recursion as deep as the limit allows does not exhaust a small stack.
    let nested = soap(
        Version::Soap11,
        &format!("<e:Body>{}{}</e:Body>", "<D>".repeat(250), "</D>".repeat(250)),
    );
    read(&nested, Limits::default(), "D").unwrap();
    let nested = soap(
        Version::Soap11,
        &format!("<e:Body>{}{}</e:Body>", "<D>".repeat(5000), "</D>".repeat(5000)),
    );
    let generous = Limits {
        depth_max: 1_000_000,
        ..Limits::default()
    };
    let error = read(&nested, generous, "D").unwrap_err();
    assert!(
        error.kind() == Kind::Limit && error.message().contains("400"),
        "{error}"
    );
    let small = Limits {
        bytes_max: 100,
        ..Limits::default()
    };
    let error = read(&deep(10), small, "T").unwrap_err();
    assert!(
        error.kind() == Kind::Limit && error.message().contains("bytes_max"),
        "{error}"
    );
    let few = Limits {
        attributes_max: 3,
        ..Limits::default()
    };
    let text = soap(Version::Soap11, "<e:Body><T a='1' b='2' c='3' d='4'/></e:Body>");
    let error = read(&text, few, "T").unwrap_err();
    assert!(
        error.kind() == Kind::Limit && error.message().contains("attributes_max"),
        "{error}"
    );
}

#[test]
fn a_message_cut_off_anywhere_is_an_error() {
    let table = table();
    let plan = table.plan("T");
    let text = soap(
        Version::Soap11,
        "<e:Header><count>5</count></e:Header><e:Body><T><a>5</a></T></e:Body>",
    );
    support::decoded_by(&table.types, &plan, &text, true).unwrap();
    for end in 0..text.len() {
        for strict in [true, false] {
            let error =
                support::decoded_by(&table.types, &plan, &text[..end], strict).expect_err(&text[..end]);
            assert_eq!(error.kind(), Kind::Malformed, "{error}");
            assert!(error.offset().is_some_and(|at| at <= end));
        }
    }
}

fn fault_text(
    types: &Types,
    detail: Option<castile_plan::ComplexId>,
    version: Version,
    fault: &Fault,
) -> Result<String, Error> {
    let mut out = b"x".to_vec();
    let result = encode_fault(types, detail, version, fault, &EncodeOptions::default(), &mut out);
    assert!(result.is_ok() || out == b"x");
    result.map(|()| String::from_utf8(out.split_off(1)).expect("text"))
}

fn fault_back(types: &Types, detail: Option<castile_plan::ComplexId>, text: &str) -> Fault {
    let envelope = open(text).unwrap();
    assert!(envelope.is_fault());
    envelope
        .decode_fault(types, detail, &DecodeOptions::default())
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn name(namespace: &str, local: &str) -> Name {
    Name {
        namespace: namespace.into(),
        local: local.into(),
    }
}

#[test]
fn faults_both_ways() {
    let table = table();
    let problems = Some(table.id("Problems"));
    let mut fault = Fault::new(Code::Sender, "a < b & \u{1F600}\r\n");
    fault.node = Some("urn:node".into());
    fault.detail = vec![
        Detail {
            name: name("urn:t", "Oops"),
            value: Value::map([("id", 7.into())]),
        },
        Detail {
            name: name("urn:t", "Why"),
            value: "so".into(),
        },
        Detail {
            name: name("urn:else", "more"),
            value: Value::Xml("<m:more xmlns:m='urn:else'>1</m:more>".into()),
        },
    ];
    for version in BOTH {
        let text = fault_text(&table.types, problems, version, &fault).unwrap();
        let back = fault_back(&table.types, problems, &text);
        assert_eq!(
            (&back.code, back.reason(), &back.node),
            (&Code::Sender, "a < b & \u{1F600}\r\n", &fault.node)
        );
        assert_eq!(
            back.reasons[0].lang,
            if version == Version::Soap12 { "en" } else { "" }
        );
        assert_eq!(back.detail[0].value.get("id"), Some(&Value::Int(7)));
        assert_eq!(back.detail[1].value, "so".into());
        assert!(difference(&back.detail[2].value, &fault.detail[2].value).is_none());
        // Without the declaration the details are XML.
        let bare = fault_back(&table.types, None, &text);
        assert!(
            matches!(&bare.detail[0].value, Value::Xml(xml) if xml.contains("id>7</")),
            "{bare:?}"
        );
    }
}

#[test]
fn codes_of_both_versions() {
    let table = table();
    let own = || name("urn:own", "Busy.Now");
    let codes = [
        (Code::VersionMismatch, "S:VersionMismatch", "S:VersionMismatch"),
        (Code::MustUnderstand, "S:MustUnderstand", "S:MustUnderstand"),
        (Code::DataEncodingUnknown, "S:Client", "S:DataEncodingUnknown"),
        (Code::Sender, "S:Client", "S:Sender"),
        (Code::Receiver, "S:Server", "S:Receiver"),
        (
            Code::Other(own()),
            "f:Busy.Now",
            "S:Receiver</S:Value><S:Subcode><S:Value xmlns:f=\"urn:own\">f:Busy.Now",
        ),
    ];
    for (code, first, second) in codes {
        for (version, shown) in BOTH.into_iter().zip([first, second]) {
            let text = fault_text(&table.types, None, version, &Fault::new(code.clone(), "r")).unwrap();
            assert!(text.contains(&format!(">{shown}</")), "{code:?} {text}");
            let back = fault_back(&table.types, None, &text);
            match (&code, version) {
                (Code::DataEncodingUnknown, Version::Soap11) => assert_eq!(back.code, Code::Sender),
                (Code::Other(name), Version::Soap12) => {
                    assert_eq!(
                        (back.code, &back.subcodes[..]),
                        (Code::Receiver, std::slice::from_ref(name))
                    );
                }
                _ => assert_eq!(back.code, code),
            }
        }
    }
    let mut fault = Fault::new(Code::Sender, "r");
    fault.subcodes = vec![name("urn:a", "Outer"), name("urn:b", "Inner")];
    fault.reasons.push(Reason {
        lang: "de".into(),
        text: "g".into(),
    });
    fault.role = Some("urn:role".into());
    let text = fault_text(&table.types, None, Version::Soap12, &fault).unwrap();
    assert_eq!(fault_back(&table.types, None, &text), fault);
    let text = fault_text(&table.types, None, Version::Soap11, &fault).unwrap();
    assert!(text.contains("xmlns:f=\"urn:a\">f:Outer</faultcode>"), "{text}");
    for bad in ["a b", "", "a:b", "<"] {
        let fault = Fault::new(Code::Other(name("urn:a", bad)), "r");
        assert_eq!(
            fault_text(&table.types, None, Version::Soap11, &fault)
                .unwrap_err()
                .kind(),
            Kind::Value
        );
    }
}

#[test]
fn faults_as_peers_write_them() {
    let table = table();
    let read = |version, inside: &str| {
        fault_back(
            &table.types,
            None,
            &soap(version, &format!("<e:Body><e:Fault>{inside}</e:Fault></e:Body>")),
        )
    };
    let fault = read(
        Version::Soap11,
        "<faultcode xmlns=''>e:Client.Auth.Bad</faultcode><faultstring xmlns='' xml:lang='en'>no</faultstring>",
    );
    assert_eq!(
        (
            fault.code,
            fault.subcodes[0].local.as_str(),
            fault.reasons[0].text.as_str()
        ),
        (Code::Sender, "Client.Auth.Bad", "no")
    );
    // Qualified children, an undeclared prefix, text in the detail, no reason at all.
    let fault = read(
        Version::Soap11,
        "<e:faultcode>q:Server</e:faultcode><e:detail>oops <t:x/> more</e:detail>",
    );
    assert_eq!(
        (fault.code, fault.reasons.len(), fault.detail.len()),
        (Code::Receiver, 1, 1)
    );
    let fault = read(
        Version::Soap12,
        "<e:Code><e:Value>e:Sender</e:Value><e:Subcode><e:Value>t:A</e:Value><e:Subcode><e:Value>t:B</e:Value></e:Subcode></e:Subcode></e:Code>\
         <e:Reason><e:Text xml:lang='en'>a</e:Text><e:Text xml:lang='de'>b</e:Text></e:Reason><e:Node>urn:n</e:Node><e:Role>urn:r</e:Role>",
    );
    assert_eq!(fault.subcodes, [name("urn:t", "A"), name("urn:t", "B")]);
    assert_eq!(
        (fault.reasons.len(), fault.node.as_deref(), fault.role.as_deref()),
        (2, Some("urn:n"), Some("urn:r"))
    );
    let text = soap(Version::Soap12, "<e:Body><e:Fault/></e:Body>");
    let error = open(&text)
        .unwrap()
        .decode_fault(&table.types, None, &DecodeOptions::default())
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.path()),
        (Kind::Missing, "/Envelope/Body/Fault".into())
    );
    open(&text)
        .unwrap()
        .decode_fault(&table.types, None, &DecodeOptions { strict: false })
        .unwrap();
    let text = soap(Version::Soap12, "<e:Body><T/></e:Body>");
    let error = open(&text)
        .unwrap()
        .decode_fault(&table.types, None, &DecodeOptions::default())
        .unwrap_err();
    assert_eq!(error.kind(), Kind::Unexpected);
}

#[test]
fn details_of_global_elements_and_details_that_do_not_fit() {
    let mut table = table();
    let session = TypeId::Complex(table.id("Session"));
    let target = table.types.namespace("urn:t").expect("the target");
    table.types.elements.push(Element {
        name: QName::new(target, "Lost"),
        ty: session,
        nillable: false,
        is_abstract: false,
        substitutes: None,
        default: None,
        fixed: None,
        doc: None,
    });
    table.types.seal().unwrap();
    let mut fault = Fault::new(Code::Receiver, "r");
    fault.detail = vec![Detail {
        name: name("urn:t", "Lost"),
        value: Value::map([("id", 7.into())]),
    }];
    for version in BOTH {
        let text = fault_text(&table.types, None, version, &fault).unwrap();
        let back = fault_back(&table.types, None, &text);
        assert_eq!(back.detail[0].value.get("id"), Some(&Value::Int(7)), "{text}");
        // What was read can be written again.
        let again = fault_text(&table.types, None, version, &back).unwrap();
        assert_eq!(
            again.replace(" xml:lang=\"en\"", ""),
            text.replace(" xml:lang=\"en\"", "")
        );
        let bad = text.replace(">7<", ">x<");
        assert!(
            matches!(&fault_back(&table.types, None, &bad).detail[0].value, Value::Xml(xml) if xml.contains(">x<"))
        );
    }
    fault.detail[0].name.local = "None".into();
    let error = fault_text(&table.types, None, Version::Soap11, &fault).unwrap_err();
    assert_eq!(
        (error.kind(), error.path()),
        (Kind::UnknownName, "/Envelope/Body/Fault/Detail/None".into())
    );
    fault.detail[0].value = Value::Xml("<a".into());
    assert!(fault_text(&table.types, None, Version::Soap11, &fault).is_err());
}
