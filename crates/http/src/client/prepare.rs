//! From a [`Request`] to what goes on the wire: the header fields that the client answers for.

use std::sync::Arc;

use http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, COOKIE, EXPECT, HOST,
    PROXY_AUTHORIZATION, TRANSFER_ENCODING, USER_AGENT,
};
use http::{HeaderMap, HeaderValue, Method, Uri};
use url::{Position, Url};

use super::connect::Route;
use super::options::Compression;
use super::outgoing::{Gate, Outgoing};
use super::{Encoding, Shared};
use crate::body::Body;
use crate::coding;
use crate::error::{Error, Guilty, Kind, Phase};
use crate::watch::Watch;

/// One request of a call: a call has several when it is redirected or challenged.
pub(crate) struct Hop {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// Of the caller.
    pub(crate) headers: HeaderMap,
    /// False at another origin than the caller's: no authentication of the options goes there.
    pub(crate) trusted: bool,
    /// Looks at the body of the reply.
    pub(crate) watch: Option<Arc<dyn Watch>>,
}

/// What [`prepare`] made.
pub(crate) struct Prepared {
    pub(crate) request: http::Request<Outgoing>,
    /// The request carries an answer to a digest challenge (or any other authentication).
    pub(crate) authorized: bool,
}

/// Puts header fields, target and body together.
pub(crate) fn prepare(shared: &Shared, route: &Route, hop: &Hop, body: Body) -> Result<Prepared, Error> {
    let options = &shared.options;
    let mut headers = hop.headers.clone();
    for name in [CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION, EXPECT] {
        headers.remove(name);
    }
    headers.insert(HOST, host_of(&hop.url)?);
    if let Some(agent) = &shared.user_agent {
        headers.entry(USER_AGENT).or_insert_with(|| agent.clone());
    }
    if let Some(encodings) = &shared.accept_encodings {
        headers
            .entry(ACCEPT_ENCODING)
            .or_insert_with(|| encodings.clone());
    }
    if hop.trusted
        && !headers.contains_key(AUTHORIZATION)
        && let Some(field) = shared.authenticator.field(&hop.url, hop.method.as_str())?
    {
        headers.insert(AUTHORIZATION, field);
    }
    if options.cookies
        && !headers.contains_key(COOKIE)
        && let Some(field) = shared.cookies.field(&hop.url)
    {
        headers.insert(COOKIE, field);
    }
    if let (true, Some(exit)) = (route.is_absolute(), &route.exit)
        && let Some(authorization) = &exit.authorization
    {
        headers.insert(PROXY_AUTHORIZATION, authorization.clone());
    }
    if options.pool_idle_max == 0 {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    let authorized = headers.contains_key(AUTHORIZATION);
    let body = compress(shared, &mut headers, body)?;
    let request = assemble(shared, route, hop, headers, body)?;
    Ok(Prepared { request, authorized })
}

fn assemble(
    shared: &Shared,
    route: &Route,
    hop: &Hop,
    mut headers: HeaderMap,
    body: Body,
) -> Result<http::Request<Outgoing>, Error> {
    let large = |above: u64| body.length().is_none_or(|length| length > above);
    let asks = shared.options.expect_continue_above.is_some_and(large);
    let body = if shared.options.chunked {
        body.into_chunked()
    } else {
        body
    };
    let mut request = if asks {
        headers.insert(EXPECT, HeaderValue::from_static("100-continue"));
        let gate = Gate::default();
        let mut request = http::Request::new(Outgoing::behind(gate.clone(), body));
        hyper::ext::on_informational(&mut request, move |reply| {
            if reply.status() == http::StatusCode::CONTINUE {
                gate.open();
            }
        });
        request
    } else {
        http::Request::new(Outgoing::new(body))
    };
    *request.method_mut() = hop.method.clone();
    *request.uri_mut() = target_of(&hop.url, route.is_absolute())?;
    *request.headers_mut() = headers;
    Ok(request)
}

/// Compresses a body that is known and large enough. One that is made while sent goes as it is,
/// as does one that the caller has coded.
fn compress(shared: &Shared, headers: &mut HeaderMap, body: Body) -> Result<Body, Error> {
    let options = &shared.options;
    let coding = match options.compress_request {
        Compression::None => return Ok(body),
        Compression::Gzip => Encoding::Gzip,
        Compression::Zstd => Encoding::Zstd,
    };
    let small = body
        .length()
        .is_some_and(|length| length <= options.compress_request_above);
    if small || headers.contains_key(CONTENT_ENCODING) {
        return Ok(body);
    }
    let plain = match body.into_bytes() {
        Ok(plain) => plain,
        Err(streamed) => return Ok(streamed),
    };
    let coded = coding::encode(coding, &plain).map_err(|e| {
        Error::new(Kind::Internal, Guilty::Us, Phase::Prepare, "compressing failed").with_source(e)
    })?;
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    Ok(coded.into())
}

/// Path and query of a URL (RFC 9112 §3.2.1); for a plain proxy the whole of it (§3.2.2).
fn target_of(url: &Url, absolute: bool) -> Result<Uri, Error> {
    let path = &url[Position::BeforePath..Position::AfterQuery];
    let target = if absolute {
        let host = &url[Position::BeforeHost..Position::AfterPort];
        Uri::try_from(format!("{}://{host}{path}", url.scheme()))
    } else {
        Uri::try_from(path)
    };
    target.map_err(|e| {
        let text = "the path and query of the address cannot be sent";
        Error::new(Kind::Url, Guilty::Caller, Phase::Prepare, text).with_source(e)
    })
}

/// Host and, unless it is the default one, port of a URL (RFC 9110 §7.2).
fn host_of(url: &Url) -> Result<HeaderValue, Error> {
    HeaderValue::from_str(&url[Position::BeforeHost..Position::AfterPort]).map_err(|e| {
        let text = "the host of the address cannot be sent";
        Error::new(Kind::Url, Guilty::Caller, Phase::Prepare, text).with_source(e)
    })
}
