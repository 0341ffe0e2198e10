//! The guest's side: a client that takes calls when it has no more to ask.

use castile_codec::Version;
use castile_http::{Request, Response};

use crate::client::Client;
use crate::error::{Error, Guilty, Kind};
use crate::media::{self, Media};
use crate::server::{InMessage, OutMessage, Service};

/// Calls that one turn of the host may hold.
const CALLS_MAX: u32 = 100_000;

impl Client {
    /// Passes the turn: sends an empty message, and lets `service` answer what the host calls in its
    /// replies, until it has no more to ask. Gives how many calls there were. Cookies must be kept, which
    /// they are unless the options say otherwise.
    ///
    /// # Errors
    /// Everything that can go wrong on the network; a reply that is neither a message nor empty.
    pub fn take_calls(&self, service: &Service) -> Result<u32, Error> {
        let mut turn = Turn::new(self, service);
        let mut request = turn.pass()?;
        loop {
            match turn.next(self.send_raw(request)?)? {
                Some(answer) => request = answer,
                None => return Ok(turn.calls),
            }
        }
    }

    /// [`Client::take_calls`], asking about ten times a second whether to give up.
    ///
    /// # Errors
    /// As [`Client::take_calls`], and [`Kind::Interrupted`].
    pub fn take_calls_with_interrupt(
        &self,
        service: &Service,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<u32, Error> {
        let mut turn = Turn::new(self, service);
        let mut request = turn.pass()?;
        loop {
            match turn.next(self.send_raw_with_interrupt(request, interrupted)?)? {
                Some(answer) => request = answer,
                None => return Ok(turn.calls),
            }
        }
    }

    /// [`Client::take_calls`] for async code; the service's handler runs on the calling task.
    ///
    /// # Errors
    /// As [`Client::take_calls`].
    pub async fn take_calls_async(&self, service: &Service) -> Result<u32, Error> {
        let mut turn = Turn::new(self, service);
        let mut request = turn.pass()?;
        loop {
            match turn.next(self.send_raw_async(request).await?)? {
                Some(answer) => request = answer,
                None => return Ok(turn.calls),
            }
        }
    }
}

/// The turn of a host, without the network.
struct Turn<'t> {
    client: &'t Client,
    service: &'t Service,
    calls: u32,
}

impl<'t> Turn<'t> {
    fn new(client: &'t Client, service: &'t Service) -> Turn<'t> {
        Turn {
            client,
            service,
            calls: 0,
        }
    }

    /// The empty message.
    fn pass(&self) -> Result<Request, Error> {
        let empty = castile_http::Body::empty();
        self.client
            .with_http_headers(Request::post(self.client.address()?, empty))
    }

    /// The answer to a call in a reply; `None` when the reply is the end.
    fn next(&mut self, response: Response) -> Result<Option<Request>, Error> {
        let status = response.status;
        if !status.is_success() {
            let text = format!("the host ended the session with status {}", status.as_u16());
            return Err(Error::new(Kind::Peer, Guilty::Peer, text));
        }
        if response.body.is_empty() {
            return Ok(None);
        }
        if self.calls >= CALLS_MAX {
            let text = format!("limit CALLS_MAX = {CALLS_MAX} of calls in one session is reached");
            return Err(Error::new(Kind::Limit, Guilty::Peer, text));
        }
        self.calls += 1;
        let content_type = response.headers.get("content-type").and_then(|v| v.to_str().ok());
        let media = Media::parse(content_type.unwrap_or_default());
        if !media.is_xml() {
            let text = format!(
                "the host's turn: a message of content type {:?} is no SOAP",
                media.essence
            );
            return Err(Error::new(Kind::Peer, Guilty::Peer, text));
        }
        let answer = match media::text(&response.body, &media) {
            Ok(text) => self.service.answer(InMessage::new(&text)),
            Err(error) => self.service.refuse(Version::Soap11, &error),
        };
        self.answer(answer).map(Some)
    }

    fn answer(&self, answer: OutMessage) -> Result<Request, Error> {
        let request = Request::post(self.client.address()?, answer.body)
            .header("content-type", media::plain_type(answer.version))?;
        let request = match answer.version {
            Version::Soap11 => request.header("soapaction", "\"\"")?,
            Version::Soap12 => request,
        };
        self.client.with_http_headers(request)
    }
}
