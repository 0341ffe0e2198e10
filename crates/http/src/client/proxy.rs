//! [`Proxies`]: which way a request goes out, and the CONNECT of those that go through a tunnel.

use http::HeaderValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::{Host, Url};

use super::auth;
use super::options::Proxy;
use crate::error::{Error, Guilty, Kind, Phase};

/// Longest reply to a CONNECT.
const CONNECT_REPLY_BYTES_MAX: usize = 16 << 10;

/// The proxies of a client.
#[derive(Debug, Default)]
pub(crate) struct Proxies {
    http: Option<Exit>,
    https: Option<Exit>,
    /// Names and addresses reached directly.
    direct: Vec<String>,
    /// Taken from the environment: the loopback is reached directly.
    environment: bool,
}

/// One proxy.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Exit {
    pub(crate) host: Host<String>,
    pub(crate) port: u16,
    pub(crate) authorization: Option<HeaderValue>,
}

impl std::fmt::Debug for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl Proxies {
    /// The proxies that an option means; `variable` reads the environment.
    pub(crate) fn new(proxy: &Proxy, variable: impl Fn(&str) -> Option<String>) -> Result<Proxies, Error> {
        match proxy {
            Proxy::None => Ok(Proxies::default()),
            Proxy::Url(url) => {
                let exit = Exit::new(url)?;
                let (http, https) = (Some(exit.clone()), Some(exit));
                Ok(Proxies {
                    http,
                    https,
                    ..Proxies::default()
                })
            }
            Proxy::Environment => {
                let first = |names: &[&str]| names.iter().find_map(|name| variable(name));
                let exit = |names: &[&str]| first(names).map(|text| Exit::parse(&text)).transpose();
                // HTTP_PROXY in capitals could come from a request's "Proxy" field under CGI.
                let http = exit(&["http_proxy", "all_proxy", "ALL_PROXY"])?;
                let https = exit(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])?;
                let direct = first(&["no_proxy", "NO_PROXY"]).unwrap_or_default();
                let direct = direct.split(',').map(|entry| entry.trim().to_ascii_lowercase());
                let direct = direct.filter(|entry| !entry.is_empty()).collect();
                Ok(Proxies {
                    http,
                    https,
                    direct,
                    environment: true,
                })
            }
        }
    }

    /// The proxy for an origin; `None` goes directly.
    pub(crate) fn exit(&self, secure: bool, host: &Host<String>, port: u16) -> Option<&Exit> {
        let exit = if secure {
            self.https.as_ref()
        } else {
            self.http.as_ref()
        }?;
        if self.environment && (is_loopback(host) || self.is_direct(&host.to_string(), port)) {
            return None;
        }
        Some(exit)
    }

    fn is_direct(&self, host: &str, port: u16) -> bool {
        self.direct.iter().any(|entry| {
            let entry = entry.strip_suffix(&format!(":{port}")).unwrap_or(entry);
            let suffix = entry.trim_start_matches("*.").trim_start_matches('.');
            let below = host.strip_suffix(suffix).is_some_and(|rest| rest.ends_with('.'));
            entry == "*" || host == suffix || host.trim_matches(['[', ']']) == suffix || below
        })
    }
}

impl Exit {
    fn new(url: &Url) -> Result<Exit, Error> {
        if url.scheme() != "http" {
            let text = format!("a proxy is reached by http, not {}", url.scheme());
            return Err(Error::options(text).with_url(url));
        }
        let host = url
            .host()
            .ok_or_else(|| Error::options("the proxy's address has no host"))?;
        let port = url.port_or_known_default().unwrap_or(80);
        Ok(Exit {
            host: host.to_owned(),
            port,
            authorization: auth::of_url(url)?,
        })
    }

    fn parse(text: &str) -> Result<Exit, Error> {
        let text = if text.contains("://") {
            text.to_owned()
        } else {
            format!("http://{text}")
        };
        let url = Url::parse(&text)
            .map_err(|e| Error::options("a proxy variable of the environment is no URL").with_source(e))?;
        Exit::new(&url)
    }

    /// Asks the proxy at the other end of `stream` for a tunnel (RFC 9110 §9.3.6).
    pub(crate) async fn tunnel(
        &self,
        stream: &mut TcpStream,
        host: &Host<String>,
        port: u16,
    ) -> Result<(), Error> {
        let mut request = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n").into_bytes();
        if let Some(authorization) = &self.authorization {
            request.extend_from_slice(b"Proxy-Authorization: ");
            request.extend_from_slice(authorization.as_bytes());
            request.extend_from_slice(b"\r\n");
        }
        request.extend_from_slice(b"\r\n");
        stream
            .write_all(&request)
            .await
            .map_err(|e| self.failed("broke off").with_source(e))?;
        let head = self.read_head(stream).await?;
        match status_of(&head) {
            Some(200..=299) => Ok(()),
            Some(407) => Err(self.failed("wants another user or password (407)")),
            Some(status) => Err(self.failed(&format!("refused a tunnel with status {status}"))),
            None => Err(self.failed("did not answer in HTTP")),
        }
    }

    /// Reads up to the empty line. Nothing follows it: with TLS the client speaks first.
    async fn read_head(&self, stream: &mut TcpStream) -> Result<Vec<u8>, Error> {
        let mut head = Vec::with_capacity(512);
        while !head.ends_with(b"\r\n\r\n") {
            if head.len() >= CONNECT_REPLY_BYTES_MAX {
                return Err(self.failed("answered a tunnel with an endless head"));
            }
            let byte = stream
                .read_u8()
                .await
                .map_err(|e| self.failed("broke off").with_source(e))?;
            head.push(byte);
        }
        Ok(head)
    }

    fn failed(&self, what: &str) -> Error {
        let text = format!("the proxy {}:{} {what}", self.host, self.port);
        Error::new(Kind::Proxy, Guilty::Peer, Phase::Connect, text)
    }
}

fn status_of(head: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(head.get(..12)?).ok()?;
    let status = line
        .strip_prefix("HTTP/1.1 ")
        .or_else(|| line.strip_prefix("HTTP/1.0 "))?;
    status.parse().ok()
}

fn is_loopback(host: &Host<String>) -> bool {
    match host {
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(variables: &'static [(&str, &str)]) -> Proxies {
        let find = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Proxies::new(&Proxy::Environment, find).expect("valid")
    }

    fn way(proxies: &Proxies, url: &str) -> String {
        let url = Url::parse(url).expect("valid");
        let (host, port) = (url.host().expect("host").to_owned(), url.port_or_known_default());
        let exit = proxies.exit(url.scheme() == "https", &host, port.expect("known"));
        exit.map_or_else(|| "direct".to_owned(), |exit| format!("{exit:?}"))
    }

    #[test]
    fn the_environment() {
        let proxies = from(&[
            ("http_proxy", "plain:3128"),
            ("HTTPS_PROXY", "http://u:p@tls"),
            ("NO_PROXY", "inside.example, .corp, 10.0.0.1,x:8080"),
        ]);
        for (url, expected) in [
            ("http://out.example/", "plain:3128"),
            ("https://out.example/", "tls:80"),
            ("http://inside.example/", "direct"),
            ("http://a.inside.example/", "direct"),
            ("http://notinside.example/", "plain:3128"),
            ("http://a.corp/", "direct"),
            ("http://10.0.0.1/", "direct"),
            ("http://x:8080/", "direct"),
            ("http://x:8081/", "plain:3128"),
            ("http://localhost:1/", "direct"),
            ("http://127.0.0.1:1/", "direct"),
            ("http://[::1]/", "direct"),
        ] {
            assert_eq!(way(&proxies, url), expected, "{url}");
        }
        assert_eq!(way(&from(&[("HTTP_PROXY", "evil")]), "http://a/"), "direct");
        assert_eq!(
            way(&from(&[("ALL_PROXY", "all:1"), ("no_proxy", "*")]), "http://a/"),
            "direct"
        );
    }

    #[test]
    fn other_proxies_are_refused() {
        let url = Url::parse("socks5://p:1").expect("valid");
        let error = Proxies::new(&Proxy::Url(url), |_| None).expect_err("refused");
        assert_eq!(error.kind(), Kind::Options);
    }
}
