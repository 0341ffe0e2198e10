//! What stands between a reply that came and its decoding.

use std::sync::Arc;
use std::time::Duration;

use castile_codec::{Envelope, Name, Received};
use castile_contract::Operation;
use castile_http::{Response, StatusCode, Watch};

use super::Client;
use super::call::{Exchange, Outgoing};
use super::outcome::peer;
use super::related::Incoming;
use crate::adapt::names_header;
use crate::addressing::{Asked, Ticket};
use crate::error::{Error, Guilty, Kind};
use crate::layers::{Memories, not_understood};

impl Client {
    /// What must be true of a reply's headers before anything of it is believed.
    pub(super) fn check(
        &self,
        operation: &Operation,
        memories: &Memories,
        envelope: &Envelope<'_>,
    ) -> Result<(), Error> {
        let layers = &self.options.layers;
        let received = Received {
            version: envelope.version(),
            operation: &operation.name,
            action: None,
            expected: &[],
            blocks: envelope.headers(),
            one_way: true,
            is_fault: envelope.is_fault(),
            world: layers.world(),
        };
        layers.check_reply(memories, &received)?;
        if !self.options.strict || envelope.is_fault() {
            return Ok(());
        }
        let output = operation.output.as_ref().map(|plan| plan.header);
        let known = |name: &Name| output.is_some_and(|header| names_header(self.types(), header, name));
        match not_understood(envelope.headers(), &[], layers, known).first() {
            Some(name) => Err(peer(&format!(
                "header {name} must be understood and is not: a layer may know it, and without strict it is ignored"
            ))),
            None => Ok(()),
        }
    }

    /// The exchange whose reply may come elsewhere.
    pub(super) fn complete(
        &self,
        outgoing: Outgoing,
        mut response: Response,
        watch: Option<Arc<dyn Watch>>,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Exchange, Error> {
        if let Some(ticket) = elsewhere(&outgoing, &response) {
            let waited = ticket.wait(self.time_limit(&outgoing), interrupted);
            response = waited.map_err(|e| e.during(format_args!("calling {}", outgoing.operation)))?;
        }
        let incoming = Incoming::new(response, watch);
        Ok(Exchange { outgoing, incoming })
    }

    pub(super) fn time_limit(&self, outgoing: &Outgoing) -> Option<Duration> {
        let http = &self.options.http;
        outgoing.timeout.or(http.timeout_call).or(http.timeout_read)
    }
}

/// Where the reply is waited for, when the answer to the request was only that it came.
pub(super) fn elsewhere<'o>(outgoing: &'o Outgoing, response: &Response) -> Option<&'o Ticket> {
    let asked = outgoing.memories.find::<Asked>()?;
    let accepted = response.status.is_success() && response.body.is_empty();
    asked.ticket.as_deref().filter(|_| accepted)
}

/// An answer that is no XML: mostly a page of a proxy or a web server.
pub(super) fn foreign(status: StatusCode, content_type: &str, body: &[u8]) -> Error {
    let start = String::from_utf8_lossy(&body[..body.len().min(200)]);
    let start = start.split_whitespace().collect::<Vec<_>>().join(" ");
    let what = match content_type {
        t if t.starts_with("multipart/") => "of multipart messages only multipart/related is read",
        _ => "SOAP comes as text/xml or application/soap+xml",
    };
    let text = format!("its content type is {content_type:?}; {what}. It begins: {start}");
    refusal(status, &text)
}

/// An answer that is no message, as `error` says of it.
pub(super) fn no_message(status: StatusCode, error: Error) -> Error {
    let version = castile_codec::Kind::Version;
    let is_message = error.codec().is_some_and(|e| e.kind() == version);
    match error.kind() {
        Kind::Peer if !status.is_success() && !is_message => refusal(status, &error.to_string()),
        _ => error,
    }
}

/// An answer that is no message: what kind of trouble it is says its status.
pub(super) fn refusal(status: StatusCode, text: &str) -> Error {
    let asks = matches!(
        status,
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::PROXY_AUTHENTICATION_REQUIRED
    );
    if asks {
        let text = format!("the server asks for other credentials than it got; {text}");
        return Error::new(Kind::Security, Guilty::Caller, text);
    }
    match status.is_success() {
        true => peer(text),
        false => Error::new(Kind::Transport, Guilty::Peer, text),
    }
}

/// An error as one of the reply to an operation, said once.
pub(super) fn about(error: Error, operation: &str, status: StatusCode, body: &[u8]) -> Error {
    if error.status().is_some() {
        return error;
    }
    let status = status.as_u16();
    error
        .during(format_args!("the reply to {operation} ({status})"))
        .about(status, body)
}
