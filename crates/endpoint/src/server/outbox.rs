//! Replies that go out by requests of their own.

use std::sync::Arc;

use castile_codec::Version;
use castile_http::{Client, ClientOptions, Request, Url};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::message::OutMessage;
use crate::error::Error;
use crate::media;

/// Sends replies elsewhere, beside the calls that go on.
pub(super) struct Outbox {
    client: Client,
    /// Replies under way at once: beyond it they are dropped, and the log says so.
    places: Arc<Semaphore>,
}

const PLACES_MAX: usize = 256;

impl Outbox {
    pub(super) fn new(options: ClientOptions) -> Result<Outbox, Error> {
        Ok(Outbox {
            client: Client::new(options)?,
            places: Arc::new(Semaphore::new(PLACES_MAX)),
        })
    }

    /// Sends a message without waiting for it. What goes wrong is only logged: nobody is left to tell.
    pub(super) fn send(&self, url: String, message: OutMessage) {
        let request = match request(&url, message) {
            Ok(request) => request,
            Err(error) => return tracing::warn!(%url, %error, "a reply cannot be sent"),
        };
        let (Ok(place), Ok(runtime)) = (self.places.clone().try_acquire_owned(), Handle::try_current())
        else {
            return tracing::warn!(%url, "a reply is dropped: too many are under way");
        };
        let client = self.client.clone();
        runtime.spawn(async move {
            match client.send(request).await {
                Ok(answer) if answer.status.is_success() => {}
                Ok(answer) => tracing::warn!(%url, status = answer.status.as_u16(), "a reply was refused"),
                Err(error) => tracing::warn!(%url, %error, "a reply was not sent"),
            }
            drop(place);
        });
    }
}

fn request(url: &str, message: OutMessage) -> Result<Request, Error> {
    let OutMessage {
        version,
        body,
        action,
        ..
    } = message;
    let url = Url::parse(url).map_err(|e| {
        let (kind, guilty) = (crate::Kind::Peer, crate::Guilty::Peer);
        Error::new(
            kind,
            guilty,
            format!("{:?} is no URL: {e}", castile_contract::masked(url)),
        )
    })?;
    let request =
        Request::post(url, body).header("content-type", &media::content_type(version, Some(&action)))?;
    Ok(match version {
        Version::Soap11 => request.header("soapaction", &format!("\"{action}\""))?,
        Version::Soap12 => request,
    })
}
