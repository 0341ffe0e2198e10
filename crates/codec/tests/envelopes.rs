//! Envelopes and headers of both versions, and what is no envelope.

mod support;

use castile_codec::{DecodeOptions, EncodeOptions, Envelope, Error, Kind, Limits, Version, encode};
use castile_testkit::{Table, plainly};
use castile_value::{Record, Value, ValueSink};
use support::body;

const TYPES: &str = "
Header = token:string?, session:Session?, count:int?
Session = id:int, role:string?
T = a:int?
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
        "<e:Header><t:token e:mustUnderstand='1' e:relay='1' e:actor=' urn:next '>x</t:token>\
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
    assert!(!token.relay, "SOAP 1.1 knows no relay");
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

/// The header of a message, read for these roles.
fn header(text: &str, roles: &[String], strict: bool) -> Result<Record, Error> {
    let table = table();
    let plan = table.plan("T");
    let mut headers = ValueSink::new(table.types.shape(plan.header).clone());
    let mut values = ValueSink::new(table.types.shape(plan.body).clone());
    let options = DecodeOptions {
        strict,
        ..DecodeOptions::default()
    };
    let mut envelope = open(text)?;
    envelope.in_roles(roles);
    envelope.decode(&table.types, &plan, &options, &mut headers, &mut values)?;
    Ok(headers.finish())
}

#[test]
fn blocks_for_others_and_of_other_namespaces_are_passed_over() {
    let text = soap(
        Version::Soap11,
        "<e:Header><token e:actor='urn:r'>x</token><count xmlns='urn:z'>1</count></e:Header><e:Body><T/></e:Body>",
    );
    for (role, token) in [("urn:r", "x".into()), ("urn:other", Value::Absent)] {
        let header = header(&text, &[role.to_owned()], true).unwrap();
        assert_eq!(header.get("token"), Some(&token), "{role}");
        assert_eq!(header.get("count"), Some(&Value::Absent));
    }
}

/// What a lax reader reads of an envelope, a strict one may refuse.
#[test]
fn what_only_a_strict_reader_minds() {
    let behind = "<e:Body><T/></e:Body><t:more/>";
    assert!(header(&soap(Version::Soap11, behind), &[], true).is_ok());
    let bare = soap(Version::Soap11, "<e:Body><T/></e:Body>").replace(" xmlns:t=", " k='1' xmlns:t=");
    let styled = "<e:Body e:encodingStyle=''><T/></e:Body>";
    for (text, words) in [
        (soap(Version::Soap12, behind), "after the Body"),
        (bare, "attribute k of the Envelope"),
        (soap(Version::Soap12, styled), "encodingStyle stands where"),
    ] {
        let error = header(&text, &[], true).unwrap_err();
        assert_eq!(error.kind(), Kind::NotSoap, "{error}");
        assert!(error.message().contains(words), "{error}");
        assert!(header(&text, &[], false).is_ok(), "{text}");
    }
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
        let (_, body) = plainly::read(&table.types, &plan, &text, true).unwrap();
        assert_eq!(body.iter().count(), 0);
        let error = plainly::read(&table.types, &table.plan("T"), &text, true).unwrap_err();
        assert_eq!(
            (error.kind(), error.path()),
            (Kind::Missing, "/Envelope/Body".into())
        );
        plainly::read(&table.types, &table.plan("T"), &text, false).unwrap();
    }
    let text = soap(Version::Soap12, "<e:Body><T/></e:Body>");
    let error = plainly::read(&table.types, &plan, &text, true).unwrap_err();
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
                let lax = DecodeOptions {
                    strict: false,
                    ..DecodeOptions::default()
                };
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
            &DecodeOptions {
                strict: false,
                ..DecodeOptions::default()
            },
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
    read(&nested, generous, "D").unwrap();
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
    plainly::read(&table.types, &plan, &text, true).unwrap();
    for end in 0..text.len() {
        for strict in [true, false] {
            let error = plainly::read(&table.types, &plan, &text[..end], strict).expect_err(&text[..end]);
            assert_eq!(error.kind(), Kind::Malformed, "{error}");
            assert!(error.offset().is_some_and(|at| at <= end));
        }
    }
}
