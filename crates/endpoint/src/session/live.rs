//! One session while it lasts: [`Live`].

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use castile_http::{HeaderMap, Request, Response, ServerRequest, ServerResponse, StatusCode, Url, header};
use tokio::sync::{mpsc, oneshot};

use super::conversation::Conversation;
use super::link::{Step, link};
use super::program::{Program, Session};
use crate::client::{Client, ClientOptions};
use crate::error::{Error, Guilty, Kind};
use crate::server::{Posted, Unread, http};

/// A session of a host.
pub(super) struct Live {
    pub(super) conversation: Arc<Conversation>,
    /// How the program calls.
    calls: ClientOptions,
    /// The guest's address.
    url: Url,
    state: tokio::sync::Mutex<State>,
    heard: Mutex<Instant>,
}

/// Whose move it is.
#[derive(Default)]
struct State {
    /// What the program does, once it runs.
    steps: Option<mpsc::Receiver<Step>>,
    /// Where the guest's answer to a call goes.
    waiting: Option<oneshot::Sender<Response>>,
    /// The program has ended; the guest may still ask.
    over: bool,
    /// Neither side has more to ask.
    done: bool,
}

/// What a POST led to.
pub(super) enum Move {
    /// The session goes on.
    On(ServerResponse),
    /// The program has ended.
    Over(ServerResponse),
}

impl Live {
    /// A session whose program calls with these settings; the endpoint is set to the guest's address.
    ///
    /// # Errors
    /// The address makes no URL.
    pub(super) fn new(conversation: Arc<Conversation>, mut calls: ClientOptions) -> Result<Live, Error> {
        let url = format!("http://{}/", conversation.peer);
        let parsed = Url::parse(&url);
        calls.endpoint = Some(url);
        Ok(Live {
            conversation,
            calls,
            url: parsed.map_err(|e| Error::new(Kind::Transport, Guilty::Us, e.to_string()))?,
            state: tokio::sync::Mutex::default(),
            heard: Mutex::new(Instant::now()),
        })
    }

    /// Whether the guest was silent for longer than this, and nobody works on an answer to it.
    pub(super) fn is_stale(&self, timeout: Duration) -> bool {
        let heard = *self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.elapsed() > timeout && self.state.try_lock().is_ok()
    }

    /// Whether neither side has more to ask.
    pub(super) fn is_done(&self) -> bool {
        self.state.try_lock().is_ok_and(|state| state.done)
    }

    /// Takes the guest's next POST.
    pub(super) async fn post(
        self: &Arc<Self>,
        request: ServerRequest,
        program: &Program,
        timeout: Duration,
    ) -> Move {
        let Ok(mut state) = self.state.try_lock() else {
            let text = "a message of this session is being answered\n";
            return Move::On(ServerResponse::text(StatusCode::SERVICE_UNAVAILABLE, text));
        };
        self.hear();
        match state.waiting.take() {
            // The program may have given up; then it has ended or calls again.
            Some(waiting) => {
                let _ = waiting.send(self.response(request));
            }
            None if request.body.is_empty() && state.over => {
                state.done = true;
                return Move::Over(nothing());
            }
            None if request.body.is_empty() => {}
            None => return Move::On(self.answer(request).await),
        }
        let moved = self.turn(&mut state, program, timeout).await;
        self.hear();
        moved
    }

    /// The host's turn: what the program calls next goes out, or the session ends.
    async fn turn(self: &Arc<Self>, state: &mut State, program: &Program, timeout: Duration) -> Move {
        let steps = match &mut state.steps {
            Some(steps) => steps,
            none => match self.start(program) {
                Ok(steps) => none.insert(steps),
                Err(error) => {
                    tracing::error!(%error, "a session cannot begin");
                    return Move::Over(ServerResponse::empty(StatusCode::INTERNAL_SERVER_ERROR));
                }
            },
        };
        match tokio::time::timeout(timeout, steps.recv()).await {
            Ok(Some(Step::Call { request, answer })) => {
                state.waiting = Some(answer);
                return Move::On(reply(request));
            }
            Ok(Some(Step::End) | None) => {}
            Err(_) => {
                tracing::warn!(conversation = ?self.conversation, "a session ends: its program took too long");
            }
        }
        steps.close();
        state.over = true;
        Move::Over(nothing())
    }

    fn start(self: &Arc<Self>, program: &Program) -> Result<mpsc::Receiver<Step>, Error> {
        let (link, steps) = link();
        let contract = self.conversation.service.contract().clone();
        let client = Client::with_carrier(contract, self.calls.clone(), Arc::new(link.clone()))?;
        let running = program(Session {
            client,
            conversation: self.conversation.clone(),
        });
        // The session itself must not be held: its end is how the program learns that the guest left.
        let conversation = self.conversation.clone();
        tokio::spawn(async move {
            if let Err(error) = running.await {
                tracing::warn!(%error, ?conversation, "a session failed");
            }
            link.end().await;
        });
        Ok(steps)
    }

    /// Answers what the guest asks.
    async fn answer(self: &Arc<Self>, request: ServerRequest) -> ServerResponse {
        let conversation = self.conversation.clone();
        beside(move || match Posted::read(&request) {
            Ok(posted) => {
                conversation.note(&posted.text);
                let message = posted.message(&request, Some(&conversation));
                http(conversation.service.answer(message))
            }
            Err(unread) => refuse(&conversation, unread),
        })
        .await
    }

    /// A POST as the response that a client reads.
    fn response(&self, request: ServerRequest) -> Response {
        Response {
            status: StatusCode::OK,
            body_bytes_wire: request.body.len() as u64,
            headers: request.headers,
            body: request.body,
            body_is_alone: request.body_is_alone,
            timings: castile_http::Timings::default(),
            url: self.url.clone(),
        }
    }

    fn hear(&self) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// Runs what may block beside the connections.
pub(super) async fn beside(work: impl FnOnce() -> ServerResponse + Send + 'static) -> ServerResponse {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a call ended abnormally");
        ServerResponse::empty(StatusCode::INTERNAL_SERVER_ERROR)
    })
}

/// The answer to a POST that cannot be read.
pub(super) fn refuse(conversation: &Conversation, unread: Unread) -> ServerResponse {
    match unread {
        Unread::Media(response) => response,
        Unread::Text(version, error) => http(conversation.service.refuse(version, &error)),
    }
}

/// What ends a turn.
fn nothing() -> ServerResponse {
    ServerResponse::empty(StatusCode::NO_CONTENT)
}

/// A program's request as the reply that carries it.
fn reply(request: Request) -> ServerResponse {
    let mut headers = HeaderMap::with_capacity(4);
    if let Some(content_type) = request.headers.get(header::CONTENT_TYPE) {
        headers.insert(header::CONTENT_TYPE, content_type.clone());
    }
    ServerResponse {
        status: StatusCode::OK,
        headers,
        body: request.body,
    }
}
