//! TLS with certificates made here: trust, names, client certificates, and what goes wrong.

mod common;

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use castile_http::{
    ClientOptions, Error, Guilty, Kind, Phase, Request, Running, ServerOptions, ServerTls, StatusCode, Tls,
    Url,
};
use common::*;
use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};

/// An authority and what it signs.
struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // Two authorities of one name would be told apart by their signatures only.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("authority {}", COUNT.fetch_add(1, Ordering::Relaxed));
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        let key = KeyPair::generate().expect("random bytes");
        let pem = params.self_signed(&key).expect("a certificate").pem();
        Authority {
            pem,
            issuer: Issuer::new(params, key),
        }
    }

    /// Certificate and key, PEM.
    fn sign(&self, name: &str, usage: ExtendedKeyUsagePurpose) -> (Vec<u8>, Vec<u8>) {
        let mut params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate().expect("random bytes");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        (certificate.pem().into(), key.serialize_pem().into())
    }

    fn server(&self, name: &str, client_ca: Option<&Authority>) -> Running {
        let (cert_pem, key_pem) = self.sign(name, ExtendedKeyUsagePurpose::ServerAuth);
        let client_ca_pem = client_ca.map(|ca| ca.pem.clone().into());
        let tls = Some(ServerTls {
            cert_pem,
            key_pem,
            client_ca_pem,
        });
        echo(ServerOptions {
            tls,
            ..ServerOptions::default()
        })
    }

    fn trusting(&self) -> ClientOptions {
        let tls = Tls {
            ca_pem: self.pem.clone().into(),
            system_roots: false,
            ..Tls::default()
        };
        ClientOptions { tls, ..options() }
    }
}

fn https(running: &Running, host: &str) -> Url {
    format!("https://{host}:{}/", running.addr().port())
        .parse()
        .expect("valid")
}

fn failing(options: ClientOptions, url: Url) -> Error {
    let error = client(options)
        .send(Request::post(url, "<a/>"))
        .expect_err("an error");
    assert_eq!(
        (error.kind(), error.guilty()),
        (Kind::Tls, Guilty::Peer),
        "{error:?}"
    );
    error
}

#[test]
fn a_trusted_server() {
    let ca = Authority::new();
    for (name, host) in [("localhost", "localhost"), ("127.0.0.1", "127.0.0.1")] {
        let running = ca.server(name, None);
        let client = client(ca.trusting());
        for round in 0..3 {
            let reply = client
                .send(Request::post(https(&running, host), "<a/>"))
                .expect("a reply");
            assert_eq!(reply.body, "<a/>");
            assert_eq!(header(&reply.headers, "saw-secure"), "true");
            assert_eq!(reply.timings.reused, round > 0);
        }
        let large = "0123456789".repeat(300_000);
        let reply = client
            .send(Request::post(https(&running, host), large.clone()))
            .expect("a reply");
        assert!(reply.body == large);
        running.stop();
    }
}

#[test]
fn roots_from_a_file() {
    let ca = Authority::new();
    let running = ca.server("localhost", None);
    let file = std::env::temp_dir().join(format!("castile-http-{}.pem", std::process::id()));
    std::fs::write(&file, &ca.pem).expect("a folder for temporary files");
    let tls = Tls {
        ca_files: vec![file.clone()],
        ..Tls::default()
    };
    let client = client(ClientOptions { tls, ..options() });
    std::fs::remove_file(&file).expect("still there");
    assert!(
        client
            .send(Request::post(https(&running, "localhost"), ""))
            .is_ok()
    );
    let tls = Tls {
        ca_files: vec![file.clone()],
        ..Tls::default()
    };
    let error = castile_http::Client::new(ClientOptions { tls, ..options() }).expect_err("gone");
    assert_eq!(error.kind(), Kind::Options);
    assert!(error.to_string().contains(&file.display().to_string()), "{error}");
}

#[test]
fn the_wrong_name() {
    let ca = Authority::new();
    let running = ca.server("other.example", None);
    let error = failing(ca.trusting(), https(&running, "localhost"));
    assert_eq!(error.phase(), Phase::Tls);
    assert!(error.is_unsent());
    assert!(
        error.to_string().contains("another name than localhost"),
        "{error}"
    );
}

#[test]
fn an_unknown_issuer() {
    let running = Authority::new().server("localhost", None);
    for options in [options(), Authority::new().trusting()] {
        let error = failing(options, https(&running, "localhost"));
        assert!(error.to_string().contains("not trusted"), "{error}");
    }
}

#[test]
fn verification_can_be_switched_off() {
    let running = Authority::new().server("other.example", None);
    let tls = Tls {
        verify: false,
        ..Tls::default()
    };
    let client = client(ClientOptions { tls, ..options() });
    assert_eq!(
        client
            .send(Request::post(https(&running, "localhost"), "x"))
            .expect("a reply")
            .body,
        "x"
    );
}

#[test]
fn an_expired_certificate() {
    let ca = Authority::new();
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    params.not_after = rcgen::date_time_ymd(2001, 1, 1);
    params.not_before = rcgen::date_time_ymd(2000, 1, 1);
    let key = KeyPair::generate().expect("random bytes");
    let certificate = params.signed_by(&key, &ca.issuer).expect("a certificate");
    let (cert_pem, key_pem) = (certificate.pem().into(), key.serialize_pem().into());
    let tls = Some(ServerTls {
        cert_pem,
        key_pem,
        client_ca_pem: None,
    });
    let running = echo(ServerOptions {
        tls,
        ..ServerOptions::default()
    });
    let error = failing(ca.trusting(), https(&running, "localhost"));
    assert!(error.to_string().contains("expired"), "{error}");
}

#[test]
fn client_certificates() {
    let (ca, clients) = (Authority::new(), Authority::new());
    let running = ca.server("localhost", Some(&clients));
    let with = |authority: &Authority| {
        let (cert, key) = authority.sign("jo", ExtendedKeyUsagePurpose::ClientAuth);
        let mut options = ca.trusting();
        options.tls.client_cert_pem = Some(cert);
        options.tls.client_key_pem = Some(key);
        options
    };
    let reply = client(with(&clients))
        .send(Request::post(https(&running, "localhost"), "x"))
        .expect("a reply");
    assert_eq!(reply.status, StatusCode::OK);
    for options in [ca.trusting(), with(&Authority::new())] {
        failing(options, https(&running, "localhost"));
    }
}

#[test]
fn unusable_options() {
    let ca = Authority::new();
    let (cert, key) = ca.sign("jo", ExtendedKeyUsagePurpose::ClientAuth);
    let cases = [
        Tls {
            client_cert_pem: Some(cert.clone()),
            ..Tls::default()
        },
        Tls {
            client_cert_pem: Some(cert),
            client_key_pem: Some(b"no key".to_vec()),
            ..Tls::default()
        },
        Tls {
            ca_pem: b"no certificate".to_vec(),
            ..Tls::default()
        },
    ];
    for tls in cases {
        let error = castile_http::Client::new(ClientOptions { tls, ..options() }).expect_err("an error");
        assert_eq!((error.kind(), error.guilty()), (Kind::Options, Guilty::Caller));
    }
    let tls = Some(ServerTls {
        key_pem: key,
        ..ServerTls::default()
    });
    let error = castile_http::Server::bind(
        "127.0.0.1:0",
        ServerOptions {
            tls,
            ..ServerOptions::default()
        },
    );
    assert_eq!(error.expect_err("an error").kind(), Kind::Options);
}

#[test]
fn https_to_a_plain_server() {
    let running = echo(ServerOptions::default());
    let error = failing(options(), https(&running, "localhost"));
    assert!(error.to_string().contains("is it http?"), "{error}");
}

#[test]
fn plain_to_an_https_server() {
    let running = Authority::new().server("localhost", None);
    let error = client(options())
        .send(post(running.addr(), "<a/>"))
        .expect_err("an error");
    assert!(
        [Kind::Malformed, Kind::Closed].contains(&error.kind()),
        "{error:?}"
    );
}

#[test]
fn handshakes_that_never_end() {
    let server = Scripted::new(1, |_, mut stream| {
        read_all(&mut stream);
    });
    let url: Url = format!("https://{}/", server.address).parse().expect("valid");
    let hasty = ClientOptions {
        timeout_connect: Some(Duration::from_millis(200)),
        ..options()
    };
    let error = client(hasty).send(Request::post(url, "")).expect_err("an error");
    assert_eq!(
        (error.kind(), error.phase()),
        (Kind::Timeout, Phase::Tls),
        "{error:?}"
    );
    server.join();

    let ca = Authority::new();
    let (cert_pem, key_pem) = ca.sign("localhost", ExtendedKeyUsagePurpose::ServerAuth);
    let tls = Some(ServerTls {
        cert_pem,
        key_pem,
        client_ca_pem: None,
    });
    let timeout_header = Some(Duration::from_millis(200));
    let running = echo(ServerOptions {
        tls,
        timeout_header,
        ..ServerOptions::default()
    });
    let mut stream = connect(running.addr());
    stream.write_all(b"\x16\x03\x01").expect("open");
    assert_eq!(read_all(&mut stream), "", "closed");
}

/// A server that cuts the connection without TLS's own farewell: what came is not trusted to be
/// the whole.
#[test]
fn a_reply_cut_off_inside_tls_is_an_error() {
    let ca = Authority::new();
    let (cert_pem, key_pem) = ca.sign("localhost", ExtendedKeyUsagePurpose::ServerAuth);
    let chain = rustls::pki_types::pem::PemObject::pem_slice_iter(&cert_pem).collect::<Result<Vec<_>, _>>();
    let key = rustls::pki_types::pem::PemObject::from_pem_slice(&key_pem).expect("a key");
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(chain.expect("a chain"), key)
        .expect("a pair");
    let config = std::sync::Arc::new(config);
    let server = Scripted::new(1, move |_, stream| {
        let session = rustls::ServerConnection::new(std::sync::Arc::clone(&config)).expect("a session");
        let mut stream = rustls::StreamOwned::new(session, stream);
        let mut some = [0; 4096];
        let _ = std::io::Read::read(&mut stream, &mut some).expect("a request");
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<Envelope>")
            .expect("open");
        stream.flush().expect("open");
    });
    let url: Url = format!("https://localhost:{}/", server.address.port())
        .parse()
        .expect("valid");
    let error = client(ca.trusting())
        .send(Request::post(url, "x"))
        .expect_err("an error");
    assert_eq!(
        (error.kind(), error.phase()),
        (Kind::Truncated, Phase::Read),
        "{error:?}"
    );
    server.join();
}
