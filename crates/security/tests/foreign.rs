//! Tokens that other toolkits wrote: Spring-WS (WSS4J) messages of 2006.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use castile_codec::{Envelope, Found, Layer, Limits, NoRandomness, Received, Refusal, World};
use castile_lexical::{DateTime, DateTimeKind};
use castile_security::{ServerOptions, ServerSecurity};

/// A clock that stands still.
#[derive(Debug)]
struct At(Duration);

impl At {
    fn time(text: &str) -> At {
        let time = DateTime::parse(DateTimeKind::DateTime, text.as_bytes()).unwrap();
        At(time.to_unix().unwrap())
    }
}

impl World for At {
    fn now(&self) -> Duration {
        self.0
    }

    fn random(&self, out: &mut [u8]) -> Result<(), NoRandomness> {
        out.fill(7);
        Ok(())
    }
}

fn folder() -> Option<PathBuf> {
    let root = std::env::var_os("CASTILE_TESTDATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/testdata")),
        PathBuf::from,
    );
    let folder = root.join("security/spring-ws-security/org/springframework/ws/soap/security/wss4j2");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("CASTILE_REQUIRE_TESTDATA").is_none(),
        "the test data is missing"
    );
    println!("SKIPPED: no test data at {}", folder.display());
    None
}

fn server(password: &'static str) -> ServerSecurity {
    ServerSecurity::new(ServerOptions {
        passwords: Some(Arc::new(move |user| {
            (user == "Bert").then(|| password.to_owned())
        })),
        ..ServerOptions::default()
    })
}

fn check(layer: &ServerSecurity, text: &str, world: &At) -> Result<Option<String>, Refusal> {
    let envelope = Envelope::open(text, &Limits::default()).unwrap();
    let received = Received {
        version: envelope.version(),
        operation: "",
        action: None,
        expected: &[],
        blocks: envelope.headers(),
        one_way: false,
        is_fault: false,
        world,
    };
    let mut found = Found::default();
    layer.check_request(&received, &mut found, &mut None)?;
    Ok(found.principal)
}

fn subcode(refusal: &Refusal) -> &str {
    &refusal.fault.subcodes[0].local
}

#[test]
fn a_digest_of_spring_is_checked() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("usernameTokenDigest-soap.xml")).unwrap();
    let then = At::time("2006-06-01T23:49:00Z");
    let layer = server("Ernie");
    assert_eq!(check(&layer, &text, &then).unwrap().as_deref(), Some("Bert"));
    let again = check(&layer, &text, &then).unwrap_err();
    assert_eq!(subcode(&again), "FailedAuthentication");
    assert!(again.fault.reason().contains("before"), "{again}");

    let wrong = check(&server("Oscar"), &text, &then).unwrap_err();
    assert_eq!(subcode(&wrong), "FailedAuthentication");
    let tampered = text.replace("23:48:42Z", "23:48:43Z");
    assert_eq!(
        subcode(&check(&server("Ernie"), &tampered, &then).unwrap_err()),
        "FailedAuthentication"
    );
    for late in ["2006-06-01T23:53:43Z", "2006-06-01T23:47:41Z"] {
        let late = check(&server("Ernie"), &text, &At::time(late)).unwrap_err();
        assert_eq!(subcode(&late), "MessageExpired");
    }
}

#[test]
fn passwords_as_text_are_checked() {
    let Some(folder) = folder() else { return };
    let now = At::time("2006-06-01T23:49:00Z");
    for name in [
        "usernameTokenPlainText-soap.xml",
        "usernameTokenPlainText-soap12.xml",
        "usernameTokenPlainTextQualifiedType-soap.xml",
    ] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let good = check(&server("Ernie"), &text, &now);
        assert_eq!(good.unwrap().as_deref(), Some("Bert"), "{name}");
        assert_eq!(
            subcode(&check(&server("Oscar"), &text, &now).unwrap_err()),
            "FailedAuthentication"
        );
        let digest_only = ServerSecurity::new(ServerOptions {
            passwords: Some(Arc::new(|_| Some("Ernie".to_owned()))),
            text: false,
            ..ServerOptions::default()
        });
        let refused = check(&digest_only, &text, &now).unwrap_err();
        assert_eq!(subcode(&refused), "UnsupportedSecurityToken");
    }
}

#[test]
fn what_is_missing_expired_or_unknown_is_refused() {
    let Some(folder) = folder() else { return };
    let now = At::time("2006-06-01T23:49:00Z");
    for (name, expected) in [
        ("expiredTimestamp-soap.xml", "MessageExpired"),
        ("emptySecurityHeader-soap.xml", "InvalidSecurity"),
        ("empty-soap12.xml", "InvalidSecurity"),
        ("encrypted-soap.xml", "UnsupportedSecurityToken"),
    ] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let now = if name.starts_with("expired") {
            At(Duration::from_secs(4_000_000_000))
        } else {
            At(now.0)
        };
        let refused = check(&server("Ernie"), &text, &now).unwrap_err();
        assert_eq!(subcode(&refused), expected, "{name}: {refused}");
    }
}

/// What a peer may get wrong in a header: none of it is a panic, all of it is refused.
#[test]
fn broken_headers_are_refused() {
    const WSSE: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
    const WSU: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
    let now = At(Duration::from_secs(1_000_000_000));
    for inside in [
        "<w:UsernameToken/>",
        "<w:UsernameToken><w:Username>a</w:Username></w:UsernameToken><w:UsernameToken/>",
        "<w:UsernameToken><w:Username>Bert</w:Username><w:Username>Bert</w:Username></w:UsernameToken>",
        "<w:UsernameToken><w:Username>Bert</w:Username><w:Password>Ernie</w:Password><w:Nonce>!</w:Nonce></w:UsernameToken>",
        "<w:UsernameToken><w:Username>Bert</w:Username><w:Password>Ernie</w:Password><w:Nonce EncodingType='hex'>AA==</w:Nonce></w:UsernameToken>",
        "<w:UsernameToken><w:Username>Bert</w:Username><w:Password Type='what'>Ernie</w:Password></w:UsernameToken>",
        "<w:UsernameToken><w:Username><x/></w:Username></w:UsernameToken>",
        "<u:Timestamp><u:Created>yesterday</u:Created></u:Timestamp>",
        "<u:Timestamp><u:Created>2001-09-09T01:46:40Z</u:Created><u:Created>2001-09-09T01:46:40Z</u:Created></u:Timestamp>",
        "<u:Timestamp><u:Created>2001-09-09T01:46:40Z</u:Created><u:Expires>2001-09-09T01:46:00Z</u:Expires></u:Timestamp>",
        "<u:Timestamp><u:Created>1901-09-09T01:46:40Z</u:Created></u:Timestamp>",
        "",
    ] {
        let header = format!("<w:Security xmlns:w='{WSSE}' xmlns:u='{WSU}'>{inside}</w:Security>");
        let envelope = |headers: &str| {
            format!(
                "<S:Envelope xmlns:S='http://schemas.xmlsoap.org/soap/envelope/'><S:Header>{headers}</S:Header><S:Body/></S:Envelope>"
            )
        };
        assert!(
            check(&server("Ernie"), &envelope(&header), &now).is_err(),
            "{inside}"
        );
        let twice = check(&server("Ernie"), &envelope(&format!("{header}{header}")), &now).unwrap_err();
        assert_eq!(subcode(&twice), "InvalidSecurity");
    }
}
