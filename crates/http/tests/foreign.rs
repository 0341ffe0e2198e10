//! Both roles against peers that nobody here wrote: curl and Python's http modules. A peer that is
//! not installed is a visible skip.

mod common;

use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use castile_http::{Bytes, ClientOptions, Method, Request, Retry, ServerAuth, ServerOptions};
use common::*;

fn curl(arguments: &[&str]) -> Option<Output> {
    match Command::new("curl")
        .args(["-sS", "--noproxy", "*", "--max-time", "20"])
        .args(arguments)
        .output()
    {
        Ok(output) => Some(output),
        Err(_) => {
            eprintln!("SKIPPED: curl is not installed");
            None
        }
    }
}

fn text(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn curl_calls_our_server() {
    let running = echo(ServerOptions {
        compress_reply_above: Some(100),
        ..ServerOptions::default()
    });
    let url = url(running.addr(), "/svc").to_string();
    let body = "x".repeat(5000);
    let Some(plain) = curl(&["-d", &body, &url, &url]) else {
        return;
    };
    assert_eq!(text(&plain), body.repeat(2), "two calls over one connection");
    for arguments in [
        &["-H", "Transfer-Encoding: chunked"][..],
        &["-H", "Expect: 100-continue"],
        &["--compressed"],
        &["--http1.0"],
    ] {
        let mut all = arguments.to_vec();
        all.extend(["-d", &body, &url]);
        assert_eq!(text(&curl(&all).expect("there")), body, "{arguments:?}");
    }
    let head = text(&curl(&["-I", &url]).expect("there"));
    assert!(
        head.starts_with("HTTP/1.1 200 OK") && head.to_lowercase().contains("date:"),
        "{head}"
    );
}

#[test]
fn curl_authenticates_to_our_server() {
    let find = Arc::new(|user: &str| (user == "jo").then(|| "pw".to_owned()));
    let auth = Some(ServerAuth::Digest {
        realm: "a realm".into(),
        find,
    });
    let running = echo(ServerOptions {
        auth,
        ..ServerOptions::default()
    });
    let url = url(running.addr(), "/svc?a=b").to_string();
    let Some(right) = curl(&["--digest", "-u", "jo:pw", "-d", "body", &url, &url]) else {
        return;
    };
    assert_eq!(text(&right), "bodybody");
    let wrong = curl(&[
        "--digest",
        "-u",
        "jo:no",
        "-d",
        "body",
        "-o",
        "/dev/null",
        "-w",
        "%{http_code}",
        &url,
    ]);
    assert_eq!(text(&wrong.expect("there")), "401");
}

/// Python's own server, with replies that depend on the path.
const PYTHON: &str = r#"
import http.server, sys, gzip, hashlib, re
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *a): pass
    def body(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            data = b""
            while True:
                n = int(self.rfile.readline(), 16)
                data += self.rfile.read(n)
                self.rfile.readline()
                if n == 0: return data
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        return gzip.decompress(data) if self.headers.get("Content-Encoding") == "gzip" else data
    def digest(self):
        field = self.headers.get("Authorization", "")
        p = {k: a or b for k, a, b in re.findall(r'(\w+)=(?:"([^"]*)"|([^\s,]+))', field)}
        h = lambda s: hashlib.sha256(s.encode()).hexdigest()
        if p.get("nonce") != "N": return False
        want = h(":".join([h("jo:r:pw"), "N", p["nc"], p["cnonce"], "auth", h(self.command + ":" + self.path)]))
        return p["response"] == want
    def do_POST(self):
        data = self.body()
        if self.path == "/digest" and not self.digest():
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Digest realm="r", nonce="N", algorithm=SHA-256, qop="auth"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        if self.path == "/gzip":
            data = gzip.compress(data)
            self.send_header("Content-Encoding", "gzip")
        if self.path == "/chunked":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for i in range(0, len(data), 1000):
                part = data[i:i+1000]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")
            return
        if self.path == "/close":
            self.send_header("Connection", "close")
            self.close_connection = True
            self.end_headers()
            self.wfile.write(data)
            return
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
    do_GET = do_PUT = do_POST
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"#;

struct Python(Child, u16);

impl Python {
    fn start() -> Option<Python> {
        use std::io::BufRead as _;
        let child = Command::new("python3")
            .args(["-c", PYTHON])
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            eprintln!("SKIPPED: python3 is not installed");
            return None;
        };
        let mut line = String::new();
        let output = child.stdout.take().expect("piped");
        std::io::BufReader::new(output)
            .read_line(&mut line)
            .expect("a port");
        Some(Python(child, line.trim().parse().expect("a port")))
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn our_client_calls_python() {
    let Some(python) = Python::start() else { return };
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], python.1));
    let body = Bytes::from("<item>0.5</item>".repeat(1000));
    let auth = castile_http::Auth::Digest {
        user: "jo".into(),
        password: "pw".into(),
    };
    let compress_request = castile_http::Compression::Gzip;
    let variants = [
        options(),
        ClientOptions {
            chunked: true,
            ..options()
        },
        ClientOptions {
            compress_request,
            ..options()
        },
        ClientOptions {
            expect_continue_above: Some(10),
            ..options()
        },
        ClientOptions {
            auth,
            retry: Retry::Never,
            ..options()
        },
    ];
    for (number, options) in variants.into_iter().enumerate() {
        let client = client(options);
        for path in ["/plain", "/gzip", "/chunked", "/close", "/plain"] {
            let started = Instant::now();
            let mut request = Request::post(url(address, path), body.clone());
            if number == 4 {
                request.url.set_path("/digest");
            }
            let reply = client.send(request).expect("a reply");
            assert_eq!(reply.status.as_u16(), 200, "{number} {path}");
            assert!(reply.body == body, "{number} {path}");
            assert!(started.elapsed() < Duration::from_millis(900), "{number} {path}");
        }
        let mut get = Request::get(url(address, "/plain"));
        get.method = Method::PUT;
        assert_eq!(client.send(get).expect("a reply").body, "");
    }
}

#[test]
fn python_calls_our_server() {
    let running = echo(ServerOptions::default());
    let script = format!(
        "import http.client\nc = http.client.HTTPConnection('127.0.0.1', {})\n\
         for n in range(3):\n    c.request('POST', '/x', body=b'a' * 70000 * n, headers={{'Content-Type': 'text/xml'}})\n    \
         r = c.getresponse()\n    assert (r.status, r.read()) == (200, b'a' * 70000 * n)\n\
         c.request('POST', '/x', body=(b'part' for _ in range(5)), encode_chunked=True, \
         headers={{'Transfer-Encoding': 'chunked'}})\nassert c.getresponse().read() == b'part' * 5\nprint('good')",
        running.addr().port()
    );
    match Command::new("python3").args(["-c", &script]).output() {
        Ok(output) => assert_eq!(text(&output).trim(), "good"),
        Err(_) => eprintln!("SKIPPED: python3 is not installed"),
    }
}
