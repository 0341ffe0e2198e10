//! Redirects (RFC 9110 §15.4): mostly refused, as a SOAP call is a POST to a place that was named.

use http::header::{AUTHORIZATION, COOKIE, LOCATION};
use http::{Method, StatusCode};

use super::auth::origin_of;
use super::exchange::Reply;
use super::options::Redirects;
use super::prepare::Hop;
use crate::error::{Error, Guilty, Kind, Phase, mask};

/// Redirects of one call.
const REDIRECTS_MAX: u32 = 10;

/// Turns `hop` into the next one. False when the reply is no redirect to somewhere (304, or no
/// `Location`), and is the answer.
pub(crate) fn follow(redirects: Redirects, count: u32, hop: &mut Hop, reply: &Reply) -> Result<bool, Error> {
    let turns_to_get = match reply.status {
        StatusCode::MOVED_PERMANENTLY
        | StatusCode::FOUND
        | StatusCode::TEMPORARY_REDIRECT
        | StatusCode::PERMANENT_REDIRECT => false,
        StatusCode::SEE_OTHER => true,
        _ => return Ok(false),
    };
    let Some(location) = reply.headers.get(LOCATION) else {
        return Ok(false);
    };
    let refused = |text: String| Err(Error::new(Kind::Redirect, Guilty::Peer, Phase::Read, text));
    let target = location
        .to_str()
        .ok()
        .and_then(|location| hop.url.join(location).ok());
    let Some(target) = target else {
        return refused(format!(
            "status {} leads to an address that cannot be read",
            reply.status
        ));
    };
    let shown = mask(&target);
    let safe = [Method::GET, Method::HEAD].contains(&hop.method);
    let allowed = match redirects {
        Redirects::Refuse => false,
        Redirects::GetOnly => safe,
        Redirects::Follow => true,
    };
    if !allowed {
        return refused(format!(
            "the server redirects this {} to {shown} (status {}); call that address, or allow redirects",
            hop.method,
            reply.status.as_u16()
        ));
    }
    if hop.url.scheme() == "https" && target.scheme() != "https" {
        return refused(format!("a redirect from https to {shown} is never followed"));
    }
    if count > REDIRECTS_MAX {
        return refused(format!("more than {REDIRECTS_MAX} redirects, last to {shown}"));
    }
    if origin_of(&target) != origin_of(&hop.url) {
        hop.trusted = false;
        hop.headers.remove(AUTHORIZATION);
        hop.headers.remove(COOKIE);
    }
    hop.url = target;
    if turns_to_get && hop.method != Method::HEAD {
        hop.method = Method::GET;
        for name in ["content-type", "content-encoding", "soapaction"] {
            hop.headers.remove(name);
        }
    }
    Ok(true)
}
