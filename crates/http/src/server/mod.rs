//! The [`Server`].

mod accept;
mod arriving;
mod auth;
mod connection;
mod direct;
mod exchange;
mod options;
mod pool;
mod progress;
mod receive;
mod service;
mod worker;

use std::fmt;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use std::thread::JoinHandle;

use http::HeaderValue;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::sync::watch;

pub use self::arriving::Arriving;
pub use self::auth::{CheckPassword, CheckToken, FindPassword, ServerAuth};
pub use self::options::{ServerOptions, ServerTls};
pub use self::service::{Caller, Direct, ServerRequest, ServerResponse, Service};

use self::auth::Guard;
use self::connection::State;
use self::exchange::Shared;
use crate::error::{Error, Guilty, Kind, Phase};
use crate::tls;

/// A server that has its address and does not serve yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    options: ServerOptions,
    server_name: Option<HeaderValue>,
    guard: Option<Guard>,
    tls: Option<Arc<rustls::ServerConfig>>,
    state: Arc<watch::Sender<State>>,
}

/// Stops a server, from anywhere.
#[derive(Clone)]
pub struct Handle {
    state: Arc<watch::Sender<State>>,
}

/// A server that serves in threads of its own. Dropping it stops the server and does not wait.
pub struct Running {
    address: SocketAddr,
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Takes an address; port 0 lets the system choose one. Connections wait from now on.
    ///
    /// # Errors
    /// [`Kind::Bind`] when the address is taken or not ours, [`Kind::Options`].
    pub fn bind(address: impl ToSocketAddrs, options: ServerOptions) -> Result<Server, Error> {
        let server_name = match options.server_name.as_str() {
            "" => None,
            text => Some(
                HeaderValue::from_str(text)
                    .map_err(|_| Error::options("server_name has a control character"))?,
            ),
        };
        if options.header_bytes_max < 8192 {
            return Err(Error::options("header_bytes_max is at least 8192"));
        }
        let tls = options.tls.as_ref().map(tls::server).transpose()?;
        let guard = options.auth.clone().map(Guard::new).transpose()?;
        let listener = listen(address)?;
        let address = listener.local_addr().map_err(|e| unbound(e, "no address"))?;
        let state = Arc::new(watch::Sender::new(State::Running));
        Ok(Server {
            listener,
            address,
            options,
            server_name,
            guard,
            tls,
            state,
        })
    }

    /// The address that was taken.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The way to stop this server.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle {
            state: Arc::clone(&self.state),
        }
    }

    /// Serves until [`Handle::stop`]; dropping the future stops at once. The work is done in
    /// threads of the server, whatever runtime awaits it.
    ///
    /// # Errors
    /// [`Kind::Internal`] when the system gives no threads or event queues.
    pub async fn run<S: Service>(self, service: S) -> Result<(), Error> {
        let guard = AbortOnDrop(Arc::clone(&self.state));
        let (done, finished) = tokio::sync::oneshot::channel();
        let running = self.start(service, move || {
            let _ = done.send(());
        })?;
        let _ = finished.await;
        drop(guard);
        running.join();
        Ok(())
    }

    /// Serves in threads of its own and returns at once.
    ///
    /// # Errors
    /// As for [`run`](Server::run).
    pub fn serve_in_background<S: Service>(self, service: S) -> Result<Running, Error> {
        self.start(service, || {})
    }

    fn start<S: Service>(self, service: S, done: impl FnOnce() + Send + 'static) -> Result<Running, Error> {
        let Server {
            listener,
            address,
            options,
            server_name,
            guard,
            tls,
            state,
        } = self;
        let shared = Arc::new(Shared {
            service,
            options,
            server_name,
            guard,
            tls,
        });
        let handle = Handle {
            state: Arc::clone(&state),
        };
        let thread = accept::start(listener, shared, state, done)?;
        tracing::info!(%address, "serving");
        Ok(Running {
            address,
            handle,
            thread: Some(thread),
        })
    }
}

impl Handle {
    /// Takes no further connections, lets running calls finish (at most
    /// [`timeout_graceful`](ServerOptions::timeout_graceful)), closes the rest. Does not wait.
    pub fn stop(&self) {
        self.state.send_if_modified(|state| raise(state, State::Stopping));
    }

    /// Drops every connection at once. Does not wait.
    pub fn abort(&self) {
        self.state.send_if_modified(|state| raise(state, State::Aborting));
    }
}

impl Running {
    /// The address served.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.address
    }

    /// The way to stop this server from elsewhere.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Stops gracefully and waits for the end.
    pub fn stop(self) {
        self.handle.stop();
        self.join();
    }

    /// Waits until someone stops the server.
    pub fn join(mut self) {
        if let Some(thread) = self.thread.take() {
            // Its panic, if any, has been reported by its thread.
            let _ = thread.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.handle.stop();
        }
    }
}

struct AbortOnDrop(Arc<watch::Sender<State>>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.send_if_modified(|state| raise(state, State::Aborting));
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("address", &self.address)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("state", &*self.state.borrow())
            .finish()
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

fn raise(state: &mut State, to: State) -> bool {
    let raised = *state < to;
    if raised {
        *state = to;
    }
    raised
}

fn listen(address: impl ToSocketAddrs) -> Result<TcpListener, Error> {
    let addresses = address
        .to_socket_addrs()
        .map_err(|e| unbound(e, "the address to serve on cannot be resolved"))?;
    let mut last = None;
    for address in addresses {
        match listen_on(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = Some(unbound(error, &format!("cannot serve on {address}"))),
        }
    }
    Err(last.unwrap_or_else(|| {
        Error::new(
            Kind::Bind,
            Guilty::Caller,
            Phase::Prepare,
            "no address to serve on",
        )
    }))
}

fn listen_on(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // On Unix: serve again at once after a restart. On Windows it would let others in.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(1024)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

fn unbound(error: std::io::Error, text: &str) -> Error {
    Error::new(Kind::Bind, Guilty::Caller, Phase::Prepare, text).with_source(error)
}
