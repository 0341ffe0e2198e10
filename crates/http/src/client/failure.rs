//! hyper's errors, told as ours: from what the [`Meter`] saw follows how far the exchange was.

use std::error::Error as StdError;
use std::io;

use crate::error::{Error, Guilty, Kind, Phase};
use crate::meter::Meter;

/// What an error of the HTTP engine means after the bytes that `meter` counted.
pub(crate) fn explain(error: hyper::Error, meter: &Meter) -> Error {
    let unsent = meter.written() == 0;
    let phase = match (unsent, meter.read()) {
        (true, _) => Phase::Send,
        (false, 0) => Phase::Wait,
        (false, _) => Phase::Read,
    };
    let (kind, guilty, text) = classify(&error, phase);
    Error::new(kind, guilty, phase, text)
        .with_unsent(unsent)
        .with_source(error)
}

fn classify(error: &hyper::Error, phase: Phase) -> (Kind, Guilty, &'static str) {
    if error.is_parse_too_large() {
        let text = "the head of the reply is larger than header_bytes_max, or has over 100 fields";
        return (Kind::TooLarge, Guilty::Peer, text);
    }
    if error.is_parse() {
        let text = "the reply is not HTTP/1.1; does this port speak https, or another protocol?";
        return (Kind::Malformed, Guilty::Peer, text);
    }
    if error.is_user() {
        let text = "the body of the request could not be made to its end";
        return (Kind::Body, Guilty::Caller, text);
    }
    if find::<rustls::Error>(error).is_some() {
        return (Kind::Tls, Guilty::Peer, "the peer broke off TLS");
    }
    let broken = find::<io::Error>(error).map(io::Error::kind);
    let closed = error.is_incomplete_message()
        || error.is_canceled()
        || error.is_closed()
        || matches!(
            broken,
            Some(
                io::ErrorKind::ConnectionReset
                    | io::ErrorKind::ConnectionAborted
                    | io::ErrorKind::BrokenPipe
                    | io::ErrorKind::UnexpectedEof
                    | io::ErrorKind::NotConnected
            )
        );
    match (closed, broken, phase) {
        (true, _, Phase::Read) => {
            let text = "the peer closed the connection in the middle of its reply";
            (Kind::Truncated, Guilty::Peer, text)
        }
        (true, _, _) => {
            let text = "the peer closed the connection before the first byte of its reply";
            (Kind::Closed, Guilty::Peer, text)
        }
        (false, Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData), _) => (
            Kind::Malformed,
            Guilty::Peer,
            "the body of the reply is not framed as HTTP/1.1",
        ),
        (false, Some(_), _) => (Kind::Connect, Guilty::Network, "the connection broke"),
        (false, None, _) => (Kind::Internal, Guilty::Us, "the HTTP engine failed"),
    }
}

/// The first cause of type `T`, also inside `io::Error`s.
pub(crate) fn find<'a, T>(error: &'a (dyn StdError + 'static)) -> Option<&'a T>
where
    T: StdError + 'static,
{
    let mut next = Some(error);
    while let Some(cause) = next {
        if let Some(found) = cause.downcast_ref::<T>() {
            return Some(found);
        }
        let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(inner) = inner
            && let Some(found) = find::<T>(inner)
        {
            return Some(found);
        }
        next = cause.source();
    }
    None
}
