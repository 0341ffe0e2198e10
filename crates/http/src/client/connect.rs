//! [`Route`]: where a connection leads. [`dial`]: making one, step by step under one time limit.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use url::{Host, Url};

use super::proxy::{Exit, Proxies};
use super::stream::Stream;
use crate::error::{Error, Guilty, Kind, Phase};
use crate::tls;

/// How long an address may stay silent before the next one is tried beside it (RFC 8305 §5).
const NEXT_ADDRESS_AFTER: Duration = Duration::from_millis(250);

/// What two requests must have in common to share a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) secure: bool,
    pub(crate) host: Host<String>,
    pub(crate) port: u16,
    pub(crate) exit: Option<Exit>,
}

/// The end of the time for connecting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    at: Option<Instant>,
    which: &'static str,
    limit: Duration,
}

impl Route {
    /// The route to the origin of `url`.
    pub(crate) fn to(url: &Url, proxies: &Proxies) -> Result<Route, Error> {
        let unusable =
            |text: String| Error::new(Kind::Url, Guilty::Caller, Phase::Prepare, text).with_url(url);
        let secure = match url.scheme() {
            "http" => false,
            "https" => true,
            other => return Err(unusable(format!("cannot speak {other:?}, only http and https"))),
        };
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(unusable("the address has no host".to_owned()));
        };
        let host = host.to_owned();
        let exit = proxies.exit(secure, &host, port).cloned();
        Ok(Route {
            secure,
            host,
            port,
            exit,
        })
    }

    /// True when requests to `url` go this way: the way follows from the origin.
    pub(crate) fn leads_to(&self, url: &Url) -> bool {
        let scheme = if self.secure { "https" } else { "http" };
        let same_host = match (&self.host, url.host()) {
            (Host::Domain(ours), Some(Host::Domain(theirs))) => ours == theirs,
            (Host::Ipv4(ours), Some(Host::Ipv4(theirs))) => *ours == theirs,
            (Host::Ipv6(ours), Some(Host::Ipv6(theirs))) => *ours == theirs,
            _ => false,
        };
        same_host && url.scheme() == scheme && url.port_or_known_default() == Some(self.port)
    }

    /// True when requests name the whole address, as a plain proxy wants it (RFC 9112 §3.2.2).
    pub(crate) fn is_absolute(&self) -> bool {
        self.exit.is_some() && !self.secure
    }
}

impl Deadline {
    /// The earlier of the limit on connecting and the end of the call.
    pub(crate) fn new(connect: Option<Duration>, call: Option<(Instant, Duration)>) -> Deadline {
        let connect = connect.and_then(|limit| Some((Instant::now().checked_add(limit)?, limit)));
        let (at, which, limit) = match (connect, call) {
            (Some((at, limit)), Some((end, _))) if at <= end => (Some(at), "timeout_connect", limit),
            (_, Some((end, limit))) => (Some(end), "timeout_call", limit),
            (Some((at, limit)), None) => (Some(at), "timeout_connect", limit),
            (None, None) => (None, "", Duration::ZERO),
        };
        Deadline { at, which, limit }
    }

    async fn meet<T>(self, phase: Phase, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        match self.at {
            None => work.await,
            Some(at) => match tokio::time::timeout_at(at.into(), work).await {
                Ok(result) => result,
                Err(_) => Err(Error::timeout(phase, self.which, self.limit)),
            },
        }
    }
}

/// Opens the way of a route: name, TCP, tunnel, TLS. The second value is another handle to the
/// socket, for looking at it.
pub(crate) async fn dial(
    route: &Route,
    config: impl FnOnce() -> Result<Arc<rustls::ClientConfig>, Error>,
    deadline: Deadline,
) -> Result<(Stream, socket2::Socket), Error> {
    let (host, port) = match &route.exit {
        Some(exit) => (&exit.host, exit.port),
        None => (&route.host, route.port),
    };
    let connecting = async {
        let mut tcp = connect(resolve(host, port).await?, host, port).await?;
        if let (Some(exit), true) = (&route.exit, route.secure) {
            exit.tunnel(&mut tcp, &route.host, route.port).await?;
        }
        Ok(tcp)
    };
    let tcp = deadline.meet(Phase::Connect, connecting).await?;
    // A SOAP message is written at once; waiting for an acknowledgement would cost 40 ms.
    let _ = tcp.set_nodelay(true);
    let probe = socket2::SockRef::from(&tcp).try_clone().map_err(|e| {
        Error::new(
            Kind::Internal,
            Guilty::Us,
            Phase::Connect,
            "no second handle to a socket",
        )
        .with_source(e)
    })?;
    if !route.secure {
        return Ok((Stream::Plain(tcp), probe));
    }
    let name = server_name(&route.host)?;
    let handshake = tokio_rustls::TlsConnector::from(config()?).connect(name, tcp);
    let secured = async {
        handshake
            .await
            .map_err(|error| tls::explain(error, &route.host.to_string()))
    };
    let stream = deadline.meet(Phase::Tls, secured).await?;
    Ok((Stream::Tls(Box::new(stream)), probe))
}

async fn resolve(host: &Host<String>, port: u16) -> Result<Vec<SocketAddr>, Error> {
    let name = match host {
        Host::Ipv4(address) => return Ok(vec![(*address, port).into()]),
        Host::Ipv6(address) => return Ok(vec![(*address, port).into()]),
        Host::Domain(name) => name,
    };
    let unknown = || {
        let text = format!("the name {name:?} has no address; is it spelled right, and is the network up?");
        Error::new(Kind::Resolve, Guilty::Network, Phase::Connect, text)
    };
    let found = tokio::net::lookup_host((name.as_str(), port)).await;
    let addresses: Vec<SocketAddr> = found.map_err(|e| unknown().with_source(e))?.collect();
    if addresses.is_empty() {
        Err(unknown())
    } else {
        Ok(addresses)
    }
}

/// Connects to whichever address answers first; later ones get a head start of silence.
async fn connect(addresses: Vec<SocketAddr>, host: &Host<String>, port: u16) -> Result<TcpStream, Error> {
    let failed = |error: std::io::Error| {
        let what = match error.kind() {
            std::io::ErrorKind::ConnectionRefused => "nothing listens there (connection refused)",
            _ => "no connection",
        };
        let text = format!("{host}:{port}: {what}");
        Error::new(Kind::Connect, Guilty::Network, Phase::Connect, text).with_source(error)
    };
    if let [address] = addresses[..] {
        return TcpStream::connect(address).await.map_err(failed);
    }
    let mut attempts = JoinSet::new();
    let mut waiting = addresses.into_iter();
    let mut last = std::io::Error::from(std::io::ErrorKind::AddrNotAvailable);
    loop {
        match waiting.next() {
            Some(address) => {
                attempts.spawn(TcpStream::connect(address));
            }
            None if attempts.is_empty() => return Err(failed(last)),
            None => {}
        }
        let pause = async {
            match waiting.len() {
                0 => std::future::pending().await,
                _ => tokio::time::sleep(NEXT_ADDRESS_AFTER).await,
            }
        };
        tokio::select! {
            Some(done) = attempts.join_next() => match done {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => last = error,
                Err(panic) => last = std::io::Error::other(panic),
            },
            () = pause => {}
        }
    }
}

fn server_name(host: &Host<String>) -> Result<ServerName<'static>, Error> {
    match host {
        Host::Ipv4(address) => Ok(ServerName::IpAddress((*address).into())),
        Host::Ipv6(address) => Ok(ServerName::IpAddress((*address).into())),
        Host::Domain(name) => ServerName::try_from(name.clone()).map_err(|e| {
            let text = format!("{name:?} is no name that a certificate can have");
            Error::new(Kind::Url, Guilty::Caller, Phase::Prepare, text).with_source(e)
        }),
    }
}
