//! [`Route`]: where a connection leads. [`connect`]: making one.

use std::time::Duration;

use tokio::net::TcpStream;
use url::{Host, Url};

use crate::error::{Error, Guilty, Kind, Phase};

/// What two requests must have in common to share a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) secure: bool,
    pub(crate) host: Host<String>,
    pub(crate) port: u16,
}

impl Route {
    /// The route to the origin of `url`.
    pub(crate) fn to(url: &Url) -> Result<Route, Error> {
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
        Ok(Route {
            secure,
            host: host.to_owned(),
            port,
        })
    }
}

/// Opens a TCP connection to `host`, trying its addresses in turn.
pub(crate) async fn connect(host: &Host<String>, port: u16) -> Result<TcpStream, Error> {
    let result = match host {
        Host::Ipv4(address) => TcpStream::connect((*address, port)).await,
        Host::Ipv6(address) => TcpStream::connect((*address, port)).await,
        Host::Domain(name) => TcpStream::connect((name.as_str(), port)).await,
    };
    let stream = result.map_err(|e| {
        Error::new(Kind::Connect, Guilty::Network, Phase::Connect, "no connection").with_source(e)
    })?;
    // A SOAP message is written at once; waiting for an acknowledgement would cost 40 ms.
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

/// Runs `work` under a limit.
pub(crate) async fn within<T>(
    limit: Option<Duration>,
    which: &str,
    phase: Phase,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    match limit {
        None => work.await,
        Some(limit) => match tokio::time::timeout(limit, work).await {
            Ok(result) => result,
            Err(_) => Err(Error::timeout(phase, which, limit)),
        },
    }
}
