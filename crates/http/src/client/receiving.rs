//! [`Receiving`]: a reply whose body is read while it comes.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use hyper::body::Incoming;
use url::Url;

use super::connection::Connection;
use super::exchange::{Opened, Reply, keep_alive, uncoded};
use super::limits::Limits;
use super::pool::Pool;
use crate::coding;
use crate::error::Error;
use crate::message::Timings;
use crate::unpack::Unpack;

/// A reply whose head has come, and whose body is taken chunk by chunk, decompressed. It may be of any
/// length: the limit on bodies is for those that are held as a whole. Dropping it closes the connection;
/// taken to its end, the connection is kept.
pub struct Receiving {
    /// Status of the reply.
    pub status: StatusCode,
    /// Header fields, without `Content-Encoding` and `Content-Length` when the body is compressed.
    pub headers: HeaderMap,
    /// The address that answered: another than that of the request after redirects.
    pub url: Url,
    /// How long each step took; that of receiving is known at the end.
    pub timings: Timings,
    rest: Rest,
    unpack: Unpack,
}

/// What is still to come.
enum Rest {
    /// All of it came with the head: replies that are no success are read whole.
    Whole(Bytes),
    Open(Box<Open>),
    Ended,
}

struct Open {
    connection: Box<Connection>,
    incoming: Incoming,
    limits: Limits,
    pool: Arc<Pool>,
}

impl Receiving {
    pub(crate) fn whole(url: Url, reply: Reply) -> Receiving {
        Receiving {
            status: reply.status,
            headers: reply.headers,
            url,
            timings: reply.timings,
            rest: Rest::Whole(reply.body.body),
            unpack: Unpack::new(None),
        }
    }

    pub(crate) fn open(
        url: Url,
        opened: Opened,
        limits: Limits,
        pool: Arc<Pool>,
    ) -> Result<Receiving, Error> {
        let Opened {
            mut connection, head, ..
        } = opened;
        let (head, incoming) = head.into_parts();
        let mut headers = head.headers;
        let coding = coding::of(&headers).map_err(|e| uncoded(e, u64::MAX))?;
        coding::forget(&mut headers, coding);
        Ok(Receiving {
            status: head.status,
            headers,
            url,
            timings: connection.timings(),
            rest: Rest::Open(Box::new(Open {
                connection,
                incoming,
                limits,
                pool,
            })),
            unpack: Unpack::new(coding),
        })
    }

    /// The next bytes of the body; `None` at its end.
    ///
    /// # Errors
    /// The reply is cut off, its compressed bytes are damaged, a time limit passed.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        loop {
            if let Some(plain) = self.unpack.plain().map_err(damaged)? {
                return Ok(Some(plain));
            }
            match self.wire().await? {
                Some(chunk) => self.unpack.push(chunk),
                None => return self.unpack.finish().map_err(damaged),
            }
        }
    }

    /// The next bytes as they came.
    async fn wire(&mut self) -> Result<Option<Bytes>, Error> {
        let Rest::Open(open) = &mut self.rest else {
            return Ok(match std::mem::replace(&mut self.rest, Rest::Ended) {
                Rest::Whole(body) if !body.is_empty() => Some(body),
                _ => None,
            });
        };
        let Open {
            connection,
            incoming,
            limits,
            ..
        } = &mut **open;
        if let Some(chunk) = connection.chunk(incoming, limits).await? {
            return Ok(Some(chunk));
        }
        if let Rest::Open(open) = std::mem::replace(&mut self.rest, Rest::Ended) {
            let mut connection = open.connection;
            self.timings.receive = connection.timings().receive;
            if connection.settle() {
                open.pool.put(connection, keep_alive(&self.headers));
            }
        }
        Ok(None)
    }
}

fn damaged(error: std::io::Error) -> Error {
    uncoded(coding::CodingError::Damaged(error), u64::MAX)
}

impl fmt::Debug for Receiving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiving")
            .field("status", &self.status)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}
