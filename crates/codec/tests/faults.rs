//! Faults of both versions, both ways.

mod support;

use castile_codec::{
    Code, DecodeOptions, Detail, EncodeOptions, Envelope, Error, Fault, Kind, Limits, Name, Reason, Version,
    encode_fault,
};
use castile_plan::{Element, QName, TypeId, Types};
use castile_testkit::{Table, difference};
use castile_value::Value;

fn table() -> Table {
    Table::parse(
        "Session = id:int, role:string?
         T = a:int?
         Problems = Oops:Session?, Why:string?",
    )
}

fn open(text: &str) -> Result<Envelope<'_>, Error> {
    Envelope::open(text, &Limits::default())
}

fn soap(version: Version, inside: &str) -> String {
    let uri = version.namespace();
    format!("<e:Envelope xmlns:e='{uri}' xmlns:t='urn:t' xmlns='urn:t'>{inside}</e:Envelope>")
}

const BOTH: [Version; 2] = [Version::Soap11, Version::Soap12];

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
        .decode_fault(
            &table.types,
            None,
            &DecodeOptions {
                strict: false,
                ..DecodeOptions::default()
            },
        )
        .unwrap();
    let text = soap(Version::Soap12, "<e:Body><T/></e:Body>");
    let error = open(&text)
        .unwrap()
        .decode_fault(&table.types, None, &DecodeOptions::default())
        .unwrap_err();
    assert_eq!(error.kind(), Kind::Unexpected);
}

/// A table with the global element `Lost` of type `Session`.
fn table_with_lost() -> Table {
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
    table
}

/// What was wrong with a header stands in a header (`headerfault`; WSDL 1.1, 3.7).
#[test]
fn headers_of_global_elements_have_values() {
    let table = table_with_lost();
    let lost = |version: Version, inside: &str| {
        let inside = format!(
            "<e:Header><t:Lost e:mustUnderstand='1'>{inside}</t:Lost><Why xmlns='urn:other'>x</Why></e:Header>
             <e:Body><e:Fault><faultcode>e:Client</faultcode><faultstring>no</faultstring></e:Fault></e:Body>"
        );
        fault_back(&table.types, None, &soap(version, &inside))
    };
    let fault = lost(Version::Soap11, "<t:id>7</t:id><t:role>guest</t:role>");
    assert_eq!(fault.headers.len(), 2, "all, as XML");
    let [entry] = &fault.header_values[..] else {
        panic!("{fault:?}")
    };
    assert_eq!(entry.name, name("urn:t", "Lost"));
    assert_eq!(entry.value.get("id"), Some(&Value::Int(7)));
    assert_eq!(entry.value.get("role"), Some(&Value::from("guest")));
    // Passed on, nothing stands there twice.
    let text = fault_text(&table.types, None, Version::Soap11, &fault).unwrap();
    assert_eq!(
        text.matches("Lost ").count() + text.matches("Lost>").count(),
        2,
        "{text}"
    );

    // One that does not fit its type is still there as XML.
    let odd = lost(Version::Soap11, "<t:id>seven</t:id>");
    assert_eq!((odd.headers.len(), odd.header_values.len()), (2, 0));

    let mut own = Fault::new(Code::Sender, "r");
    own.header_values = vec![Detail {
        name: name("urn:t", "Lost"),
        value: Value::map([("id", 8.into())]),
    }];
    for version in BOTH {
        let text = fault_text(&table.types, None, version, &own).unwrap();
        let back = fault_back(&table.types, None, &text);
        assert_eq!(
            back.header_values[0].value.get("id"),
            Some(&Value::Int(8)),
            "{text}"
        );
    }
    own.header_values[0].value = Value::map([("id", "eight".into())]);
    let error = fault_text(&table.types, None, Version::Soap11, &own).unwrap_err();
    assert!(error.path().contains("/Header/Lost/"), "{error}");
}

#[test]
fn details_of_global_elements_and_details_that_do_not_fit() {
    let table = table_with_lost();
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

#[test]
fn codes_with_dots_come_back_as_they_went() {
    let table = table();
    let cases = [
        ("Client.Authentication", Code::Sender),
        ("Server.Busy.Now", Code::Receiver),
    ];
    for (text, code) in cases {
        let fault = Fault::new(Code::Receiver, "r").with_code(text);
        let soap11 = Version::Soap11.namespace();
        assert_eq!(
            (&fault.code, &fault.subcodes[..]),
            (&code, &[name(soap11, text)][..])
        );
        for version in BOTH {
            let sent = fault_text(&table.types, None, version, &fault).unwrap();
            let back = fault_back(&table.types, None, &sent);
            assert_eq!(
                (back.code, back.subcodes),
                (code.clone(), fault.subcodes.clone()),
                "{sent}"
            );
        }
    }
    let plain = Fault::new(Code::Receiver, "r");
    assert_eq!(
        plain.clone().with_code("{urn:x}Own").code,
        Code::Other(name("urn:x", "Own"))
    );
    assert_eq!(plain.clone().with_code("Client.a b").subcodes, []);
    assert_eq!(plain.with_code("Client").code, Code::Sender);
}
