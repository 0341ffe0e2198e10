//! The host's side: sessions behind HTTP.

use std::collections::HashMap;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use castile_codec::World;
use castile_http::{HeaderValue, Method, ServerRequest, ServerResponse, StatusCode, header};

use super::conversation::Conversation;
use super::live::{self, Live, Move, beside};
use super::program::Program;
use crate::client::ClientOptions;
use crate::error::{Error, Guilty, Kind};
use crate::server::{Posted, Service, http};
use crate::world::System;

/// Settings of a host.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// The operation that a session begins with; `None`: any.
    pub opening: Option<String>,
    /// Sessions at once; a guest beyond it is told to come later. Default 10,000.
    pub sessions_max: usize,
    /// How long a guest may be silent within a session. Default 30 s.
    pub timeout_guest: Duration,
    /// How long the program may keep its guest waiting for the next call. Default 60 s.
    pub timeout_program: Duration,
    /// Let guests ask further after the program has ended, until they are silent: for hosts that make
    /// them hold their requests back. Default false.
    pub linger: bool,
    /// The cookie's name.
    pub cookie: String,
    /// The transport.
    pub http: castile_http::ServerOptions,
}

impl Default for HostOptions {
    fn default() -> Self {
        HostOptions {
            opening: None,
            sessions_max: 10_000,
            timeout_guest: Duration::from_secs(30),
            timeout_program: Duration::from_secs(60),
            linger: false,
            cookie: "castile_session".into(),
            http: castile_http::ServerOptions::default(),
        }
    }
}

/// What a host answers and how it calls, by one contract.
#[derive(Clone)]
pub(crate) struct Part {
    /// Answers what guests ask.
    pub(crate) service: Arc<Service>,
    /// How the program calls; the endpoint is set to the guest's address.
    pub(crate) calls: ClientOptions,
}

/// Keeps sessions: takes what HTTP brings, gives what goes back.
pub struct Host {
    /// In the order of preference: one contract for each version of a protocol.
    parts: Vec<Part>,
    program: Program,
    options: HostOptions,
    table: Mutex<HashMap<String, Arc<Live>>>,
    swept: OnceLock<()>,
}

impl Host {
    /// A host that answers by `service`, and runs `program` when the turn of a session is its own; `calls`
    /// are the settings of the program's client.
    pub fn new(service: Arc<Service>, calls: ClientOptions, program: Program, options: HostOptions) -> Host {
        Host::of(vec![Part { service, calls }], program, options)
    }

    /// A host of several contracts: a session is by the first that knows its opening message.
    pub(crate) fn of(parts: Vec<Part>, program: Program, options: HostOptions) -> Host {
        Host {
            parts,
            program,
            options,
            table: Mutex::default(),
            swept: OnceLock::new(),
        }
    }

    /// Sessions at the moment.
    pub fn sessions(&self) -> usize {
        self.table().len()
    }

    /// Puts the host on a socket; guests that come wait until the server is started.
    ///
    /// # Errors
    /// The address cannot be bound.
    pub fn bind(self, address: impl ToSocketAddrs) -> Result<HostServer, Error> {
        let http = castile_http::Server::bind(address, self.options.http.clone())?;
        Ok(HostServer {
            http,
            host: Arc::new(self),
        })
    }

    /// Takes one HTTP request of a guest; runs in a tokio runtime.
    pub async fn serve(self: &Arc<Self>, request: ServerRequest) -> ServerResponse {
        if request.method != Method::POST {
            return ServerResponse::method_not_allowed("POST");
        }
        self.swept.get_or_init(|| self.sweep());
        let Some(live) = self.find(&request) else {
            return self.open(request).await;
        };
        if live.conversation.principal != request.principal {
            let text = "the session is another user's\n";
            return ServerResponse::text(StatusCode::FORBIDDEN, text);
        }
        if self.opens(&live, &request) {
            // The guest gave its last session up.
            self.table().remove(&live.conversation.id);
            return self.open(request).await;
        }
        let HostOptions { timeout_program, .. } = self.options;
        match live.post(request, &self.program, timeout_program).await {
            Move::On(response) => response,
            Move::Over(response) if self.options.linger && !live.is_done() => response,
            Move::Over(response) => {
                self.table().remove(&live.conversation.id);
                response
            }
        }
    }

    /// Whether a request in a session opens another one.
    fn opens(&self, live: &Live, request: &ServerRequest) -> bool {
        let Some(opening) = &self.options.opening else {
            return false;
        };
        let posted = Posted::read(request);
        posted.is_ok_and(|p| {
            let call = live.conversation.service().open(&p.text);
            call.is_ok_and(|call| call.operation().name == *opening)
        })
    }

    /// Begins a session with the request that opens it.
    async fn open(self: &Arc<Self>, request: ServerRequest) -> ServerResponse {
        if request.body.is_empty() {
            // A session that is over, or was never begun.
            return ServerResponse::empty(StatusCode::NO_CONTENT);
        }
        let host = self.clone();
        beside(move || host.begin(&request)).await
    }

    fn begin(&self, request: &ServerRequest) -> ServerResponse {
        let Some(first) = self.parts.first() else {
            return ServerResponse::empty(StatusCode::SERVICE_UNAVAILABLE);
        };
        let id = match session_id() {
            Ok(id) => id,
            Err(error) => return failed(&error),
        };
        let posted = Posted::read(request);
        let takes = |part: &&Part| posted.as_ref().is_ok_and(|p| part.service.open(&p.text).is_ok());
        let part = self.parts.iter().find(takes).unwrap_or(first);
        let (peer, principal) = (request.peer, request.principal.clone());
        let conversation = Arc::new(Conversation::new(id, peer, principal, part.service.clone()));
        let posted = match posted {
            Ok(posted) => posted,
            Err(unread) => return live::refuse(&conversation, unread),
        };
        conversation.note(&posted.text);
        if let Some(wrong) = self.wrong_opening(&part.service, &posted.text) {
            return http(part.service.refuse(castile_codec::Version::Soap11, &wrong));
        }
        let answer = part.service.answer(posted.message(request, Some(&conversation)));
        let refused = answer.fault.is_some();
        let mut response = http(answer);
        if !refused {
            match Live::new(conversation.clone(), part.calls.clone()) {
                Ok(live) => {
                    if !self.keep(live) {
                        return busy();
                    }
                }
                Err(error) => return failed(&error),
            }
            self.set_cookie(&mut response, &conversation.id, request.secure);
        }
        response
    }

    /// What is wrong with a message that is to open a session; `None` when nothing is, or when the service
    /// will say it.
    fn wrong_opening(&self, service: &Service, text: &str) -> Option<Error> {
        let opening = self.options.opening.as_deref()?;
        let call = service.open(text).ok()?;
        let name = &*call.operation().name;
        (name != opening).then(|| {
            let text = format!("a session begins with {opening}, not with {name}");
            Error::new(Kind::Peer, Guilty::Peer, text)
        })
    }

    fn keep(&self, live: Live) -> bool {
        let mut table = self.table();
        if table.len() >= self.options.sessions_max {
            tracing::warn!(sessions_max = self.options.sessions_max, "a guest is turned away");
            return false;
        }
        table.insert(live.conversation.id.clone(), Arc::new(live));
        true
    }

    fn set_cookie(&self, response: &mut ServerResponse, id: &str, secure: bool) {
        let secure = if secure { "; Secure" } else { "" };
        let cookie = format!("{}={id}; Path=/; HttpOnly{secure}", self.options.cookie);
        match HeaderValue::from_str(&cookie) {
            Ok(value) => {
                response.headers.insert(header::SET_COOKIE, value);
            }
            Err(_) => tracing::error!(name = %self.options.cookie, "no name of a cookie"),
        }
    }

    /// The session that the request's cookie names.
    fn find(&self, request: &ServerRequest) -> Option<Arc<Live>> {
        let table = self.table();
        let values = request.headers.get_all(header::COOKIE).into_iter();
        let pairs = values
            .filter_map(|v| v.to_str().ok())
            .flat_map(|v| v.split([';', ',']));
        let ids = pairs.filter_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            (name.trim() == self.options.cookie).then(|| value.trim().trim_matches('"'))
        });
        ids.filter_map(|id| table.get(id)).next().cloned()
    }

    /// Ends sessions whose guests are silent, as long as the host stands.
    fn sweep(self: &Arc<Self>) {
        let host: Weak<Host> = Arc::downgrade(self);
        let timeout = self.options.timeout_guest;
        let every = (timeout / 4).clamp(Duration::from_millis(10), Duration::from_secs(1));
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(every).await;
                let Some(host) = host.upgrade() else { return };
                host.table().retain(|_, live| {
                    let stale = live.is_stale(timeout);
                    if stale {
                        tracing::info!(conversation = ?live.conversation, "a session ends: its guest is silent");
                    }
                    !stale
                });
            }
        });
    }

    fn table(&self) -> MutexGuard<'_, HashMap<String, Arc<Live>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A host on a socket.
pub struct HostServer {
    http: castile_http::Server,
    host: Arc<Host>,
}

impl HostServer {
    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.http.local_addr()
    }

    /// The host.
    pub fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Serves in the background until it is stopped.
    ///
    /// # Errors
    /// No threads can be had.
    pub fn start(self) -> Result<castile_http::Running, Error> {
        let host = self.host;
        let serve = move |request: ServerRequest| {
            let host = host.clone();
            async move { host.serve(request).await }
        };
        Ok(self.http.serve_in_background(serve)?)
    }
}

/// An id that nobody can guess.
fn session_id() -> Result<String, Error> {
    let mut bytes = [0; 16];
    System.random(&mut bytes)?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

fn failed(error: &Error) -> ServerResponse {
    tracing::error!(%error, "a session cannot begin");
    ServerResponse::empty(StatusCode::INTERNAL_SERVER_ERROR)
}

fn busy() -> ServerResponse {
    let mut response = ServerResponse::text(StatusCode::SERVICE_UNAVAILABLE, "too many sessions\n");
    response
        .headers
        .insert(header::RETRY_AFTER, HeaderValue::from_static("30"));
    response
}
