//! Connection requests: how an ACS asks a device to open a session (TR-069 Amendment 6, 3.2.2).

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use castile_http::{Method, ServerAuth, ServerOptions, ServerRequest, ServerResponse, StatusCode};

use crate::error::Error;

/// The device's side: an HTTP server that tells of each request for a session that proved who it is.
pub struct ConnectionRequests {
    http: castile_http::Server,
    path: String,
}

/// Requests that come sooner after one another are refused, as the standard asks.
const PAUSE: Duration = Duration::from_secs(1);

impl ConnectionRequests {
    /// Binds the socket; `path` is that of the device's `ConnectionRequestURL`, best one that cannot be
    /// guessed. The ACS proves to be `user` with this password, by digest authentication.
    ///
    /// # Errors
    /// The address cannot be bound.
    pub fn bind(
        address: impl ToSocketAddrs,
        path: impl Into<String>,
        user: impl Into<String>,
        password: impl Into<String>,
    ) -> Result<ConnectionRequests, Error> {
        let (user, password) = (user.into(), password.into());
        let options = ServerOptions {
            auth: Some(ServerAuth::Digest {
                realm: "device".into(),
                find: Arc::new(move |name| (name == user).then(|| password.clone())),
            }),
            ..ServerOptions::default()
        };
        Ok(ConnectionRequests {
            http: castile_http::Server::bind(address, options)?,
            path: path.into(),
        })
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.http.local_addr()
    }

    /// Calls `wanted` for each request, which should only note it: the session is opened elsewhere.
    ///
    /// # Errors
    /// No threads can be had.
    pub fn start(self, wanted: impl Fn() + Send + Sync + 'static) -> Result<castile_http::Running, Error> {
        let path: Arc<str> = self.path.into();
        let wanted = Arc::new(wanted);
        let last: Arc<Mutex<Option<Instant>>> = Arc::default();
        let serve = move |request: ServerRequest| {
            let response = answer(&request, &path, &last);
            if response.status == StatusCode::OK {
                wanted();
            }
            std::future::ready(response)
        };
        Ok(self.http.serve_in_background(serve)?)
    }
}

fn answer(request: &ServerRequest, path: &str, last: &Mutex<Option<Instant>>) -> ServerResponse {
    if request.method != Method::GET {
        return ServerResponse::method_not_allowed("GET");
    }
    if request.path() != path {
        return ServerResponse::empty(StatusCode::NOT_FOUND);
    }
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    if last.is_some_and(|last| last.elapsed() < PAUSE) {
        return ServerResponse::empty(StatusCode::SERVICE_UNAVAILABLE);
    }
    *last = Some(Instant::now());
    ServerResponse::empty(StatusCode::OK)
}
