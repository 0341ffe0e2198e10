//! Proxies by hand: plain requests name the whole address, https goes through a tunnel.

mod common;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use castile_http::{ClientOptions, Guilty, Kind, Phase, Proxy, Request, ServerOptions, ServerTls, Tls};
use common::*;

fn through(address: std::net::SocketAddr, user: &str) -> ClientOptions {
    let url = format!("http://{user}{address}").parse().expect("valid");
    ClientOptions {
        proxy: Proxy::Url(url),
        ..options()
    }
}

#[test]
fn plain_requests() {
    let proxy = Scripted::new(1, |_, mut stream| {
        for _ in 0..2 {
            let request = read_message(&mut stream).to_lowercase();
            assert!(
                request.starts_with("post http://service.invalid/a?b http/1.1\r\n"),
                "{request}"
            );
            assert!(request.contains("host: service.invalid\r\n"), "{request}");
            assert!(
                request.contains("proxy-authorization: basic am86chc=\r\n"),
                "{request}"
            );
            stream.write_all(OK).expect("a client that reads");
        }
    });
    let client = client(through(proxy.address, "jo:pw@"));
    for _ in 0..2 {
        let request = Request::post("http://service.invalid/a?b".parse().expect("valid"), "<a/>");
        assert_eq!(client.send(request).expect("a reply").body, "ok");
    }
    proxy.join();
}

#[test]
fn tunnels() {
    let key = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let (cert_pem, key_pem) = (key.cert.pem(), key.signing_key.serialize_pem());
    let tls = ServerTls {
        cert_pem: cert_pem.clone().into(),
        key_pem: key_pem.into(),
        client_ca_pem: None,
    };
    let running = echo(ServerOptions {
        tls: Some(tls),
        ..ServerOptions::default()
    });
    let port = running.addr().port();
    let proxy = Scripted::new(1, move |_, mut stream| {
        let request = read_message(&mut stream);
        assert!(
            request.starts_with(&format!("CONNECT localhost:{port} HTTP/1.1\r\n")),
            "{request}"
        );
        assert!(
            request.contains("Proxy-Authorization: Basic am86cHc=\r\n"),
            "{request}"
        );
        stream
            .write_all(b"HTTP/1.1 200 Connected\r\nX: y\r\n\r\n")
            .expect("a client that reads");
        relay(
            stream,
            connect(std::net::SocketAddr::from(([127, 0, 0, 1], port))),
        );
    });
    let mut options = through(proxy.address, "jo:pw@");
    options.tls = Tls {
        ca_pem: cert_pem.into(),
        system_roots: false,
        ..Tls::default()
    };
    let client = client(options);
    for round in 0..2 {
        let url = format!("https://localhost:{port}/").parse().expect("valid");
        let reply = client.send(Request::post(url, "<a/>")).expect("a reply");
        assert_eq!((&reply.body[..], reply.timings.reused), (&b"<a/>"[..], round > 0));
        assert_eq!(
            header(&reply.headers, "saw-proxy-authorization"),
            "",
            "for the proxy's eyes only"
        );
    }
    drop(client);
    proxy.join();
}

fn relay(mut client: TcpStream, mut server: TcpStream) {
    let (mut back, mut to) = (
        server.try_clone().expect("a socket"),
        client.try_clone().expect("a socket"),
    );
    let thread = std::thread::spawn(move || {
        let _ = std::io::copy(&mut back, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = client.read(&mut buffer) {
        server.write_all(&buffer[..count]).expect("open");
    }
    let _ = server.shutdown(Shutdown::Both);
    thread.join().expect("no panic");
}

#[test]
fn proxies_that_refuse() {
    for (reply, text) in [
        (&b"HTTP/1.1 407 Who?\r\nContent-Length: 0\r\n\r\n"[..], "(407)"),
        (b"HTTP/1.1 403 No\r\n\r\n", "status 403"),
        (b"SSH-2.0\r\n\r\n", "did not answer in HTTP"),
        (b"HTT", "broke off"),
    ] {
        let proxy = Scripted::new(1, move |_, mut stream| {
            read_message(&mut stream);
            stream.write_all(reply).expect("a client that reads");
        });
        let request = Request::post("https://service.invalid/".parse().expect("valid"), "<a/>");
        let error = client(through(proxy.address, "jo:hunter2@"))
            .send(request)
            .expect_err("an error");
        assert_eq!(
            (error.kind(), error.guilty(), error.phase()),
            (Kind::Proxy, Guilty::Peer, Phase::Connect)
        );
        assert!(error.to_string().contains(text), "{error}");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        proxy.join();
    }
}
