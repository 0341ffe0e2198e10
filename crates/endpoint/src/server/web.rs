//! The HTTP side of a service (SOAP 1.1, 6; SOAP 1.2 part 2, 7).

use std::borrow::Cow;
use std::cell::Cell;
use std::net::{SocketAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use castile_codec::{Code, Route, Version};
use castile_contract::Resolver;
use castile_diff::Coming;
use castile_http::{
    Arriving, Body, Caller, Direct, HeaderMap, HeaderName, HeaderValue, Method, ServerRequest,
    ServerResponse, StatusCode, Watch, header,
};
use tokio::sync::oneshot;

use super::dispatch::Service;
use super::documents::Documents;
use super::message::{Early, InMessage, OutMessage, Whose};
use super::open::Arrived;
use super::outbox::Outbox;
use crate::arrival::Arrival;
use crate::error::Error;
use crate::media::{self, Media, plain_type};
use crate::session::Conversation;

/// Settings of a server.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The transport.
    pub http: castile_http::ServerOptions,
    /// Run handlers on threads of their own, so that one that takes long keeps nobody waiting. Default true; false
    /// saves a change of threads a call, for handlers that only compute briefly. Connections that have
    /// [a thread to themselves](castile_http::ServerOptions::direct) run theirs there.
    pub threads: bool,
    /// The address that `?wsdl` shows, when it is not the one that callers use (behind a proxy).
    pub public_url: Option<String>,
    /// The transport for replies that are wanted elsewhere (WS-Addressing `ReplyTo`).
    pub replies: castile_http::ClientOptions,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions {
            http: castile_http::ServerOptions::default(),
            threads: true,
            public_url: None,
            replies: castile_http::ClientOptions::default(),
        }
    }
}

/// A service on a socket.
pub struct Server {
    http: castile_http::Server,
    front: Arc<Front>,
}

const SOAP_ACTION: HeaderName = HeaderName::from_static("soapaction");

struct Front {
    service: Arc<Service>,
    documents: Documents,
    threads: bool,
    public_url: Option<String>,
    outbox: Outbox,
}

impl Server {
    /// Binds the socket; calls that come from now on wait until the server runs. `resolver` loads
    /// the contract's documents once more, to show them at `?wsdl`.
    ///
    /// # Errors
    /// The address cannot be bound.
    pub fn bind(
        service: Arc<Service>,
        address: impl ToSocketAddrs,
        options: ServerOptions,
        resolver: &dyn Resolver,
    ) -> Result<Server, Error> {
        let documents = Documents::load(service.contract(), resolver).unwrap_or_else(|error| {
            tracing::warn!(%error, "the contract's documents cannot be shown at ?wsdl");
            Documents::default()
        });
        let ServerOptions {
            http,
            threads,
            public_url,
            replies,
        } = options;
        let http = castile_http::Server::bind(address, http)?;
        Ok(Server {
            http,
            front: Arc::new(Front {
                service,
                documents,
                threads,
                public_url,
                outbox: Outbox::new(replies)?,
            }),
        })
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.http.local_addr()
    }

    /// Stops the server from elsewhere.
    pub fn handle(&self) -> castile_http::Handle {
        self.http.handle()
    }

    /// Serves in the background until it is stopped.
    ///
    /// # Errors
    /// No threads can be had.
    pub fn start(self) -> Result<castile_http::Running, Error> {
        Ok(self.http.serve_in_background(Web(self.front))?)
    }
}

/// The front as a service of HTTP.
struct Web(Arc<Front>);

impl castile_http::Service for Web {
    fn call(&self, request: ServerRequest) -> impl Future<Output = ServerResponse> + Send {
        self.0.serve(request)
    }

    fn takes_open(&self, method: &Method, _headers: &HeaderMap) -> bool {
        method == Method::POST && !self.0.service.streamed.is_empty()
    }

    fn watch(&self, caller: &Caller<'_>) -> Option<Arc<dyn Watch>> {
        let whose = Whose::of(caller.principal, caller.certificate, Some(caller.peer))?;
        Arrival::of(self.0.service.automata(), self.0.service.types(), whose.bytes())
    }

    fn direct(&self) -> Option<&dyn Direct> {
        // What comes while it is answered is waited for by a thread that does nothing else.
        self.0.service.streamed.is_empty().then_some(&*self.0)
    }
}

impl Direct for Front {
    fn answer(&self, request: &ServerRequest, begin: &dyn Fn(ServerResponse)) -> ServerResponse {
        let begin = |version, body| begin(response(StatusCode::OK, version, body));
        self.call(request, Some(Early(&begin)))
    }
}

impl Front {
    fn serve(self: &Arc<Self>, request: ServerRequest) -> Serving {
        if request.method == Method::GET || request.method == Method::HEAD {
            return Serving::Now(Some(self.document(&request)));
        }
        if request.method != Method::POST {
            return Serving::Now(Some(ServerResponse::method_not_allowed("GET, HEAD, POST")));
        }
        // What comes while it is answered is waited for, which only a thread of its own may do.
        if !self.threads && request.arriving.is_none() {
            return Serving::Now(Some(self.call(&request, None)));
        }
        let front = Arc::clone(self);
        let (respond, response) = oneshot::channel();
        tokio::task::spawn_blocking(move || front.call_early(request, respond));
        Serving::Later(response)
    }

    /// Answers a call on a thread of its own, which may go on after the response has begun.
    fn call_early(&self, mut request: ServerRequest, respond: oneshot::Sender<ServerResponse>) {
        let respond = Cell::new(Some(respond));
        let send = |response| {
            if let Some(respond) = respond.take() {
                // Nobody waits for a response when the connection is gone.
                let _ = respond.send(response);
            }
        };
        let begin = |version, body| send(response(StatusCode::OK, version, body));
        let early = Some(Early(&begin));
        send(match request.arriving.take() {
            None => self.call(&request, early),
            Some(arriving) => self.call_arriving(request, arriving, early),
        });
    }

    /// Answers a request that is still coming.
    fn call_arriving(
        &self,
        mut request: ServerRequest,
        arriving: Arriving,
        early: Option<Early<'_>>,
    ) -> ServerResponse {
        let head = Head::read(&request);
        let arrived = if head.media.is_xml() {
            let message = InMessage {
                early,
                ..head.message("", &request, None)
            };
            let charset = head.media.charset.as_deref();
            self.service.answer_arriving(arriving, charset, &message)
        } else {
            Arrived::Whole(Box::new(arriving), Vec::new())
        };
        match arrived {
            Arrived::Answered(answer) => self.send(*answer),
            Arrived::Whole(arriving, came) => match arriving.collect(came) {
                Ok(body) => {
                    request.body = body;
                    self.call(&request, early)
                }
                Err(refusal) => refusal,
            },
        }
    }

    fn call(&self, request: &ServerRequest, early: Option<Early<'_>>) -> ServerResponse {
        match Posted::read(request) {
            Ok(posted) => {
                let message = InMessage {
                    early,
                    ..posted.message(request, None)
                };
                self.send(self.service.answer_after(message, posted.came_as(request)))
            }
            Err(Unread::Media(response)) => response,
            Err(Unread::Text(version, error)) => self.send(self.service.refuse(version, &error)),
        }
    }

    /// The answer as the response, or by a request of its own to where it is wanted.
    fn send(&self, answer: OutMessage) -> ServerResponse {
        match &answer.route {
            Route::Back => http(answer),
            Route::Nowhere => ServerResponse::empty(StatusCode::ACCEPTED),
            Route::To(_) if answer.body.is_empty() => ServerResponse::empty(StatusCode::ACCEPTED),
            Route::To(url) => {
                let url = url.clone();
                self.outbox.send(url, answer);
                ServerResponse::empty(StatusCode::ACCEPTED)
            }
        }
    }

    /// GET: the WSDL and its schemas.
    fn document(&self, request: &ServerRequest) -> ServerResponse {
        let query = request.query().unwrap_or_default();
        let number = match query.split_once('=') {
            None if query.eq_ignore_ascii_case("wsdl") || query.eq_ignore_ascii_case("singlewsdl") => Some(0),
            Some((name, n)) if name.eq_ignore_ascii_case("xsd") || name.eq_ignore_ascii_case("wsdl") => {
                n.parse().ok()
            }
            _ => None,
        };
        let Some(number) = number else {
            let text = "a SOAP service: POST a call here, or GET ?wsdl for its contract\n";
            return ServerResponse::text(StatusCode::NOT_FOUND, text);
        };
        match self.documents.show(number, &self.base(request)) {
            Some(text) => ServerResponse::new(StatusCode::OK, "text/xml; charset=utf-8", text),
            None => ServerResponse::text(StatusCode::NOT_FOUND, "the contract has no such document\n"),
        }
    }

    /// The address under which the caller reached us.
    fn base(&self, request: &ServerRequest) -> String {
        if let Some(url) = &self.public_url {
            return url.clone();
        }
        let host = request
            .headers
            .get("host")
            .and_then(|v| v.to_str().ok())
            .unwrap_or("localhost");
        let scheme = if request.secure { "https" } else { "http" };
        format!("{scheme}://{host}{}", request.path())
    }
}

/// A response that is there, or comes from another thread. A call that is answered at once is moved through
/// no larger future.
enum Serving {
    Now(Option<ServerResponse>),
    Later(oneshot::Receiver<ServerResponse>),
}

impl Future for Serving {
    type Output = ServerResponse;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ServerResponse> {
        let response = match self.get_mut() {
            Serving::Now(response) => response.take(),
            Serving::Later(response) => ready!(Pin::new(response).poll(context)).ok(),
        };
        Poll::Ready(response.unwrap_or_else(|| {
            tracing::error!("a call ended abnormally");
            ServerResponse::empty(StatusCode::INTERNAL_SERVER_ERROR)
        }))
    }
}

/// What a POST brought: the envelope as text, and what HTTP says of it.
pub(crate) struct Posted<'r> {
    pub(crate) text: Cow<'r, str>,
    head: Head<'r>,
}

/// Why a POST cannot be read.
pub(crate) enum Unread {
    /// It is nothing that SOAP comes as.
    Media(ServerResponse),
    /// It is not in its encoding; the version is that to answer in.
    Text(Version, Error),
}

/// What HTTP says of a POST.
struct Head<'r> {
    media: Media<'r>,
    action: Option<Cow<'r, str>>,
    /// That of the content type.
    version: Version,
}

impl<'r> Head<'r> {
    fn read(request: &'r ServerRequest) -> Head<'r> {
        let header = |name| {
            let value = request.headers.get(name);
            value.and_then(|v: &'r HeaderValue| v.to_str().ok())
        };
        let mut media = Media::parse(header(&header::CONTENT_TYPE).unwrap_or_default());
        let version = if media.essence == Version::Soap12.media_type() {
            Version::Soap12
        } else {
            Version::Soap11
        };
        let action = header(&SOAP_ACTION).map(|a| Cow::Borrowed(a.trim().trim_matches('"')));
        Head {
            action: action.or(media.action.take()).filter(|a| !a.is_empty()),
            media,
            version,
        }
    }

    /// The message for a service.
    fn message<'m>(
        &'m self,
        text: &'m str,
        request: &'m ServerRequest,
        conversation: Option<&'m Arc<Conversation>>,
    ) -> InMessage<'m> {
        InMessage {
            text,
            lies_in: request.body_is_alone.then_some(&request.body),
            action: self.action.as_deref(),
            version: self.version,
            peer: Some(request.peer),
            principal: request.principal.as_deref(),
            certificate: request.peer_certificate.as_deref(),
            conversation,
            early: None,
        }
    }
}

impl<'r> Posted<'r> {
    pub(crate) fn read(request: &'r ServerRequest) -> Result<Posted<'r>, Unread> {
        let head = Head::read(request);
        if !head.media.is_xml() {
            let text = format!(
                "SOAP comes as text/xml or application/soap+xml, not as {}\n",
                head.media.essence
            );
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Err(Unread::Media(ServerResponse::text(status, text)));
        }
        match media::text(&request.body, &head.media) {
            Ok(text) => Ok(Posted { text, head }),
            Err(error) => Err(Unread::Text(head.version, error)),
        }
    }

    /// What was compared of it while it came: the bytes that are its text.
    fn came_as(&self, request: &ServerRequest) -> Option<Box<Coming>> {
        let watch = request
            .watch
            .as_deref()
            .filter(|_| matches!(self.text, Cow::Borrowed(_)))?;
        Arrival::take(watch)
    }

    /// The message for a service.
    pub(crate) fn message<'m>(
        &'m self,
        request: &'m ServerRequest,
        conversation: Option<&'m Arc<Conversation>>,
    ) -> InMessage<'m> {
        self.head.message(&self.text, request, conversation)
    }
}

/// The answer as the response to the request.
pub(crate) fn http(answer: OutMessage) -> ServerResponse {
    let OutMessage {
        version, body, fault, ..
    } = answer;
    let status = match (&fault, version) {
        (None, _) if body.is_empty() => return ServerResponse::empty(StatusCode::ACCEPTED),
        (None, _) => StatusCode::OK,
        // SOAP 1.2 part 2, table 20: the sender's faults are 400.
        (Some(Code::Sender | Code::DataEncodingUnknown), Version::Soap12) => StatusCode::BAD_REQUEST,
        (Some(_), _) => StatusCode::INTERNAL_SERVER_ERROR,
    };
    response(status, version, body.into())
}

fn response(status: StatusCode, version: Version, body: Body) -> ServerResponse {
    let content_type = HeaderValue::from_static(plain_type(version));
    let mut headers = HeaderMap::with_capacity(4);
    headers.insert(header::CONTENT_TYPE, content_type);
    ServerResponse {
        status,
        headers,
        body,
    }
}
