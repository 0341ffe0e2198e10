//! `castile validate`.

mod common;

use common::{castile, castile_with, foreign, interop};
use serde_json::{Value as Json, json};

const HEAD: &str = r#"<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/" xmlns:i="urn:castile:interop"
  xmlns:t="urn:castile:interop:types">"#;

fn validate(message: &str, options: &[&str]) -> common::Run {
    castile_with(&[&["validate", &*interop(), "-"], options].concat(), message, &[])
}

fn findings(message: &str, options: &[&str]) -> Vec<(u64, String, String)> {
    let run = validate(message, &[options, &["--json"]].concat());
    let json: Json = serde_json::from_str(&run.out).unwrap();
    assert_eq!(run.code, i32::from(json["valid"] == json!(false)), "{}", run.out);
    let text = |v: &Json| v.as_str().unwrap_or_default().to_owned();
    let findings = json["findings"].as_array().unwrap().iter();
    findings
        .map(|f| {
            (
                f["line"].as_u64().unwrap_or(0),
                text(&f["path"]),
                text(&f["text"]),
            )
        })
        .collect()
}

#[test]
fn what_we_write_is_valid() {
    let request = castile(&[
        "call",
        &interop(),
        "echoMios",
        "mio[0].x=1",
        "mio[0].y=2",
        "mio[0].value=3",
        "--dry-run",
    ]);
    let run = validate(&request.out, &[]);
    assert_eq!(
        (run.code, &*run.out),
        (0, "-: valid: a request of echoMios, SOAP 1.1\n")
    );
    let reply = request.out.replace("echoMios>", "echoMiosResponse>");
    assert!(validate(&reply, &[]).out.contains("a reply of echoMios"));
    assert!(
        validate(&reply, &["--reply", "-o", "echoMios"])
            .out
            .contains("valid: a reply of echoMios")
    );
}

/// What the Basic Profile does not allow in a message that is right otherwise.
#[test]
fn notes_tell_what_the_basic_profile_does_not_allow() {
    let notes = |message: &str| {
        let json: Json = serde_json::from_str(&validate(message, &["--json"]).out).unwrap();
        let notes = json["notes"].as_array().unwrap().iter();
        let rules = notes.filter_map(|n| n.as_str()?.strip_prefix("WS-I BP 1.1: ")?.split(':').next());
        rules.map(str::to_owned).collect::<Vec<_>>()
    };
    let fault = |inside: &str| format!("{HEAD}<S:Body><S:Fault>{inside}</S:Fault></S:Body></S:Envelope>");
    let codes = "<faultcode>S:Client</faultcode><faultstring>no</faultstring>";
    let body = "<S:Body><i:echoVoid/></S:Body>";
    for (message, rules) in [
        (format!("{HEAD}{body}</S:Envelope>"), &[][..]),
        (
            format!("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>{HEAD}{body}</S:Envelope>"),
            &["R1012"],
        ),
        (format!("{HEAD}<?go now?>{body}</S:Envelope>"), &["R1009"]),
        (format!("{HEAD}{body}<i:more/></S:Envelope>"), &["R1011"]),
        (
            format!("{HEAD}<S:Body S:encodingStyle=\"urn:e\"><i:echoVoid/></S:Body></S:Envelope>"),
            &["R1005"],
        ),
        (
            format!("{HEAD}<S:Body><i:echoVoid S:encodingStyle=\"urn:e\"/></S:Body></S:Envelope>"),
            &["R1006"],
        ),
        (
            format!(
                "{HEAD}<S:Header><i:h S:mustUnderstand=\"true\" S:actor=\"urn:a\"/></S:Header>{body}</S:Envelope>"
            ),
            &["R1013"],
        ),
        (
            format!("{HEAD}<S:Body S:actor=\"urn:a\"><i:echoVoid/></S:Body></S:Envelope>"),
            &["R1032"],
        ),
        (
            format!("{HEAD}<S:Body><echoVoid/></S:Body></S:Envelope>"),
            &["R1014"],
        ),
        (fault(codes), &[]),
        (fault(&format!("{codes}<i:more/>")), &["R1000"]),
        (
            fault("<S:faultcode>S:Client</S:faultcode><faultstring>no</faultstring>"),
            &["R1001"],
        ),
        (
            fault("<faultcode>S:Client.Deep</faultcode><faultstring>no</faultstring>"),
            &["R1031"],
        ),
    ] {
        assert_eq!(notes(&message), rules, "{message}");
    }
}

#[test]
fn a_contract_is_validated_alone() {
    let run = castile(&["validate", &interop(), "--no-cache"]);
    assert_eq!(run.code, 0, "{}", run.out);
    assert!(run.out.contains("valid: the contract "), "{}", run.out);
    assert!(!run.out.contains("R2706"), "{}", run.out);
    // CXF's validator has these files for these requirements.
    for (file, rule) in [
        ("bp2717.wsdl", "R2717"),
        ("hello_world_mixed_style.wsdl", "R2701"),
        ("jms_test_R2726.wsdl", "R2726"),
    ] {
        let Some(broken) = foreign(&format!("wsdl/cxf-validator/validator_wsdl/{file}")) else {
            return;
        };
        let run = castile(&["validate", &broken, "--no-cache", "--json"]);
        let json: Json = serde_json::from_str(&run.out).unwrap();
        let notes = json["notes"].to_string();
        assert!(notes.contains(rule), "{file}: {notes}");
    }
}

#[test]
fn of_many_notes_alike_a_few_are_shown() {
    let Some(wsdl) = foreign("wsdl/srm-v2.2/srm.v1.1.wsdl") else {
        return;
    };
    let shown = |more: &[&str]| {
        let run = castile(&[&["validate", &wsdl, "--no-cache"], more].concat());
        let notes = run.out.lines().filter(|line| line.contains("R2706"));
        (notes.count(), run.out.contains("more of this kind"))
    };
    let (few, all) = (shown(&[]), shown(&["-v"]));
    assert_eq!((few, all.1), ((3, true), false));
    assert!(all.0 > 10, "{all:?}");
}

#[test]
fn all_findings_have_line_column_and_path() {
    let message = format!(
        "{HEAD}\n<S:Body><i:echoMios>\n<i:mio><t:x>one</t:x>\n<t:y>2</t:y><t:value>3</t:value></i:mio>\n\
         <i:mio><t:x>1</t:x><t:z/>\n<t:y>two</t:y><t:value>3,5</t:value></i:mio></i:echoMios></S:Body></S:Envelope>"
    );
    let found = findings(&message, &[]);
    let places: Vec<(u64, &str)> = found.iter().map(|(line, path, _)| (*line, &**path)).collect();
    assert_eq!(
        places,
        [
            (4, "/Envelope/Body/echoMios/mio[1]/x"),
            (6, "/Envelope/Body/echoMios/mio[2]/z"),
            (7, "/Envelope/Body/echoMios/mio[2]/y"),
            (7, "/Envelope/Body/echoMios/mio[2]/value"),
        ],
        "{found:?}"
    );
    let run = validate(&message, &[]);
    assert!(run.out.contains("-:4:"), "{}", run.out);
}

#[test]
fn header_blocks_are_checked_apart() {
    let message = format!(
        "{HEAD}<S:Header>\n<i:SessionToken><i:token>t</i:token>\n<i:sequence>x</i:sequence></i:SessionToken>\n<o/></S:Header>\n\
         <S:Body><i:useSession><i:txt>a</i:txt></i:useSession></S:Body></S:Envelope>"
    );
    let found = findings(&message, &[]);
    assert_eq!(found[0].1, "/Envelope/Header/SessionToken/sequence", "{found:?}");
    assert_eq!(found[0].0, 4, "{found:?}");
    assert_eq!(found[1].1, "/Envelope/Body/useSession/txt", "{found:?}");
    assert!(
        validate(&message, &[])
            .out
            .contains("note: header o is not in the contract")
    );
}

#[test]
fn faults_are_known_and_their_details_checked() {
    let fault = |detail: &str| {
        format!(
            "{HEAD}<S:Body><S:Fault><faultcode>S:Client</faultcode><faultstring>no</faultstring>\
             <detail>{detail}</detail></S:Fault></S:Body></S:Envelope>"
        )
    };
    let good = fault("<i:ServiceFault><i:code>1</i:code><i:reason>r</i:reason></i:ServiceFault>");
    let run = validate(&good, &["-o", "failDeclared"]);
    assert!(
        run.out
            .contains("valid: a fault of failDeclared, SOAP 1.1: Sender: no"),
        "{}",
        run.out
    );
    assert!(validate(&good, &[]).out.contains("valid: a fault"));
    let bad = fault("<i:ServiceFault><i:code>one</i:code></i:ServiceFault>");
    let found = findings(&bad, &["-o", "failDeclared"]);
    assert_eq!(
        found[0].1, "/Envelope/Body/Fault/detail/ServiceFault/code",
        "{found:?}"
    );
}

#[test]
fn what_is_no_message_says_why() {
    for (message, expected) in [
        ("<a/>", "not a SOAP Envelope"),
        ("", "before any element"),
        ("<S:Envelope xmlns:S='urn:other'/>", "no known version of SOAP"),
        (
            "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
            "document type declarations are refused",
        ),
        ("<a", "the text ends"),
    ] {
        let found = findings(message, &[]);
        assert!(
            found[0].2.to_lowercase().contains(&expected.to_lowercase()),
            "{message}: {found:?}"
        );
    }
    let other = format!("{HEAD}<S:Body><echoVoid xmlns='urn:other'/></S:Body></S:Envelope>");
    assert!(
        findings(&other, &[])[0]
            .2
            .contains("there is {urn:castile:interop}echoVoid, in another namespace")
    );
    let cut = format!("{HEAD}<S:Body><i:echoInts><i:value>1</i:value>\n<i:value>x</i:value>");
    let found = findings(&cut, &[]);
    assert_eq!(found.len(), 2, "a bad value, and the end: {found:?}");
}

#[test]
fn mistakes_of_the_command_are_errors() {
    let unknown = validate("<a/>", &["-o", "nothing"]);
    assert_eq!(unknown.code, 1);
    let file = castile(&["validate", &interop(), "/no/such/message.xml"]);
    assert!(file.failed(1).contains("/no/such/message.xml"), "{}", file.err);
}

#[test]
fn types_that_encoded_elements_say_are_compared() {
    let Some(wsdl) = foreign("wsdl/googlesearch/GoogleSearch.wsdl") else {
        return;
    };
    let request = castile(&["call", &wsdl, "doGoogleSearch", "--dry-run", "key=k", "start=3"]).out;
    let check = |said: &str, instead: &str| {
        assert!(request.contains(said), "{request}");
        let message = request.replace(said, instead);
        castile_with(&["validate", &wsdl, "-", "--json"], &message, &[])
    };
    for (said, instead, found) in [
        (
            "<key xsi:type=\"xsd:string\">",
            "<key xsi:type=\"xsd:string\">",
            (0, 0),
        ),
        // Another kind of number, as toolkits send it; derived from the declared; not said at all.
        (
            "<start xsi:type=\"xsd:int\">",
            "<start xsi:type=\"xsd:double\">",
            (0, 1),
        ),
        (
            "<key xsi:type=\"xsd:string\">",
            "<key xsi:type=\"xsd:token\">",
            (0, 0),
        ),
        ("<start xsi:type=\"xsd:int\">", "<start>", (0, 0)),
        (
            "<key xsi:type=\"xsd:string\">",
            "<key xsi:type=\"xsd:int\">",
            (1, 0),
        ),
        (
            "<start xsi:type=\"xsd:int\">",
            "<start xsi:type=\"xsd:string\">",
            (1, 0),
        ),
        (
            "<key xsi:type=\"xsd:string\">",
            "<key xmlns:e=\"http://schemas.xmlsoap.org/soap/encoding/\" xsi:type=\"e:string\">",
            (0, 0),
        ),
    ] {
        let run = check(said, instead);
        let json: Json = serde_json::from_str(&run.out).unwrap();
        let findings = json["findings"].as_array().unwrap();
        let notes = json["notes"].as_array().unwrap().iter();
        let notes = notes
            .filter(|note| note.to_string().contains("says that it is"))
            .count();
        assert_eq!((findings.len(), notes), found, "{instead}: {json}");
        assert_eq!(run.code, i32::from(found.0 > 0), "{instead}");
        if let [finding] = &findings[..] {
            assert!(finding["line"].as_u64() > Some(0), "{json}");
        }
    }
}

#[test]
fn foreign_messages_are_read() {
    let pair = "messages/node-soap-pairs/Dummy__should_escape_xml";
    let (Some(wsdl), Some(message)) = (
        foreign(&format!("{pair}/soap.wsdl")),
        foreign(&format!("{pair}/request.xml")),
    ) else {
        return;
    };
    let run = castile(&["validate", &wsdl, &message, "--offline"]);
    assert!(run.out.contains("a request of Dummy"), "{}{}", run.out, run.err);
}

#[test]
fn warnings_of_a_contract_are_one_line_and_no_findings() {
    let text = std::fs::read_to_string(interop()).unwrap();
    // An attribute that no rule of WSDL knows is read and warned of.
    let (head, rest) = text.split_once("<wsdl:service").unwrap();
    let text = format!("{head}<wsdl:import namespace='urn:none' location='none.wsdl'/><wsdl:service{rest}");
    let wsdl = common::scratch("warned").join("warned.wsdl");
    std::fs::write(&wsdl, text).unwrap();
    let wsdl = wsdl.to_string_lossy();
    let all = castile(&["validate", &wsdl, "--no-cache"]);
    assert_eq!(all.code, 0, "{}{}", all.out, all.err);
    assert!(all.out.contains(": warning: "), "{}", all.out);
    assert!(all.out.contains("valid: the contract "), "{}", all.out);
    let json = castile(&["validate", &wsdl, "--json"]).json();
    let count = json["warnings"].as_array().unwrap().len();
    assert!(
        count > 0 && json["findings"].as_array().unwrap().is_empty(),
        "{json}"
    );

    let line = format!(
        "1 warning, a missing document among them, about the contract; `castile validate {wsdl}` lists"
    );
    let call = ["call", &wsdl, "echoString", "text=x", "--dry-run"];
    let run = castile(&call);
    assert_eq!((run.code, run.err.lines().count()), (0, 1), "{}", run.err);
    assert!(run.err.contains(&line), "{}", run.err);
    let logged = common::castile_with(&call, "", &[("CASTILE_LOG", "info")]);
    assert!(
        logged.err.contains("none.wsdl") && !logged.err.contains(&line),
        "{}",
        logged.err
    );
    let inspect = castile(&["inspect", &wsdl]);
    assert!(inspect.err.is_empty(), "{}", inspect.err);
    assert_eq!(inspect.out.matches(&line).count(), 1, "{}", inspect.out);
    assert!(!inspect.out.contains("none.wsdl cannot"), "{}", inspect.out);
}

/// Types that can be read in two ways are many, and what is missing is what matters.
#[test]
fn warnings_of_one_kind_are_told_together_and_the_gravest_first() {
    let text = std::fs::read_to_string(interop()).unwrap();
    let (head, rest) = text.split_once("<xsd:element name=\"echoVoid\">").unwrap();
    let content = "<xsd:element name='a' type='xsd:int' minOccurs='0'/><xsd:any minOccurs='0'/>";
    let ambiguous = |i: i32| {
        format!("<xsd:complexType name='A{i}'><xsd:sequence>{content}</xsd:sequence></xsd:complexType>")
    };
    let types: String = (0..9).map(ambiguous).collect();
    let text = format!("{head}{types}<xsd:element name=\"echoVoid\">{rest}");
    let (head, rest) = text.split_once("<wsdl:service").unwrap();
    let text = format!("{head}<wsdl:import namespace='urn:none' location='none.wsdl'/><wsdl:service{rest}");
    let folder = common::scratch("alike");
    let (wsdl, catalog) = (folder.join("alike.wsdl"), folder.join("a catalog.tsv"));
    std::fs::write(&wsdl, text).unwrap();
    std::fs::write(&catalog, "urn:other\tother.xsd\n").unwrap();
    let (wsdl, catalog) = (wsdl.to_string_lossy(), catalog.to_string_lossy());

    let warnings = |options: &[&str]| -> Vec<String> {
        let run = castile(&[&["validate", &*wsdl, "--no-cache"], options].concat());
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        assert!(run.out.contains(", 10 warnings\n"), "{}", run.out);
        let lines = run.out.lines().filter(|line| line.contains(": warning: "));
        lines.map(str::to_owned).collect()
    };
    let few = warnings(&[]);
    assert_eq!(few.len(), 5, "{few:?}");
    assert!(few[0].contains("none.wsdl cannot be loaded"), "{few:?}");
    assert!(few[1..4].iter().all(|line| line.contains("3.8.6")), "{few:?}");
    assert!(few[4].ends_with("6 more of this kind, which -v lists"), "{few:?}");
    let all = warnings(&["-v"]);
    assert_eq!((all.len(), &all[..4]), (10, &few[..4]));

    // What is to be typed next has the options that were given.
    let next = format!("`castile validate {wsdl} --catalog '{catalog}' --offline` lists them");
    let call = [
        "call",
        &*wsdl,
        "echoString",
        "text=x",
        "--dry-run",
        "--offline",
        "--catalog",
        &*catalog,
    ];
    let run = castile(&call);
    assert!(
        run.err
            .contains("10 warnings, a missing document among them, about the contract")
            && run.err.contains(&next),
        "{}",
        run.err
    );
    let run = castile(&["inspect", &wsdl, "--offline", "--catalog", &catalog]);
    assert!(run.out.contains(&next), "{}", run.out);
}
