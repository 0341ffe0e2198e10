//! [`Jar`]: the cookies of a session (RFC 6265), in memory only.
//!
//! Cookies go back to the very host that set them: a `Domain` attribute is checked and then not
//! used, as no list of public suffixes is kept. SOAP services keep sessions on one host.

use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue};
use url::Url;

/// Cookies kept for all hosts, and bytes of one: RFC 6265 §6.1 asks for at least 50 a domain and
/// 4096 bytes.
const COOKIES_MAX: usize = 300;
const COOKIE_BYTES_MAX: usize = 8192;

/// The cookies of a client.
#[derive(Default)]
pub(crate) struct Jar {
    cookies: Mutex<Vec<Cookie>>,
}

struct Cookie {
    host: String,
    path: String,
    name: String,
    value: String,
    secure: bool,
    expires: Option<SystemTime>,
}

impl Jar {
    /// The `Cookie` field for a request, longest path first (RFC 6265 §5.4).
    pub(crate) fn field(&self, url: &Url) -> Option<HeaderValue> {
        let cookies = self.cookies.lock().ok()?;
        if cookies.is_empty() {
            return None;
        }
        let now = SystemTime::now();
        let host = url.host_str()?;
        let mut fitting: Vec<&Cookie> = cookies
            .iter()
            .filter(|cookie| cookie.fits(host, url, now))
            .collect();
        fitting.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let pairs: Vec<String> = fitting
            .iter()
            .map(|cookie| format!("{}={}", cookie.name, cookie.value))
            .collect();
        if pairs.is_empty() {
            return None;
        }
        HeaderValue::from_str(&pairs.join("; ")).ok()
    }

    /// Keeps what a reply sets. A cookie that cannot be read is left out.
    pub(crate) fn keep(&self, url: &Url, headers: &HeaderMap) {
        if !headers.contains_key(SET_COOKIE) {
            return;
        }
        let Ok(mut cookies) = self.cookies.lock() else {
            return;
        };
        let now = SystemTime::now();
        for field in headers.get_all(SET_COOKIE) {
            let Some(cookie) = field.to_str().ok().and_then(|text| Cookie::parse(text, url, now)) else {
                continue;
            };
            cookies.retain(|old| !old.is_replaced_by(&cookie) && !old.is_expired(now));
            if !cookie.is_expired(now) {
                if cookies.len() >= COOKIES_MAX {
                    cookies.remove(0);
                }
                cookies.push(cookie);
            }
        }
    }
}

impl Cookie {
    fn parse(text: &str, url: &Url, now: SystemTime) -> Option<Cookie> {
        if text.len() > COOKIE_BYTES_MAX {
            return None;
        }
        let mut parts = text.split(';').map(str::trim);
        let (name, value) = parts.next()?.split_once('=')?;
        let host = url.host_str()?.to_owned();
        let mut cookie = Cookie {
            path: default_path(url.path()).to_owned(),
            name: name.trim().to_owned(),
            value: value.trim().to_owned(),
            secure: false,
            expires: None,
            host,
        };
        let mut max_age = None;
        for attribute in parts {
            let (key, value) = attribute.split_once('=').unwrap_or((attribute, ""));
            let value = value.trim();
            match key.trim().to_ascii_lowercase().as_str() {
                "path" if value.starts_with('/') => cookie.path = value.to_owned(),
                "secure" => cookie.secure = true,
                "domain" if !is_within(&cookie.host, value) => return None,
                "expires" => cookie.expires = httpdate::parse_http_date(value).ok(),
                "max-age" => max_age = value.parse::<i64>().ok(),
                _ => {}
            }
        }
        if let Some(seconds) = max_age {
            let age = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
            cookie.expires = now.checked_add(age);
        }
        let allowed = !cookie.name.is_empty() && (!cookie.secure || url.scheme() == "https");
        allowed.then_some(cookie)
    }

    fn fits(&self, host: &str, url: &Url, now: SystemTime) -> bool {
        let path = url.path();
        let below = path
            .strip_prefix(self.path.as_str())
            .is_some_and(|rest| rest.is_empty() || self.path.ends_with('/') || rest.starts_with('/'));
        self.host == host && below && (!self.secure || url.scheme() == "https") && !self.is_expired(now)
    }

    fn is_expired(&self, now: SystemTime) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    fn is_replaced_by(&self, new: &Cookie) -> bool {
        self.name == new.name && self.host == new.host && self.path == new.path
    }
}

/// RFC 6265 §5.1.4.
fn default_path(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) | None => "/",
        Some(end) => path.get(..end).unwrap_or("/"),
    }
}

/// RFC 6265 §5.1.3.
fn is_within(host: &str, domain: &str) -> bool {
    let domain = domain.trim_start_matches('.').to_ascii_lowercase();
    host == domain
        || host
            .strip_suffix(domain.as_str())
            .is_some_and(|rest| rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("valid")
    }

    fn set(jar: &Jar, at: &str, field: &'static str) {
        let mut headers = HeaderMap::new();
        headers.append(SET_COOKIE, HeaderValue::from_static(field));
        jar.keep(&url(at), &headers);
    }

    fn sent(jar: &Jar, to: &str) -> String {
        jar.field(&url(to))
            .map_or_else(String::new, |field| field.to_str().unwrap_or("?").to_owned())
    }

    #[test]
    fn a_session_is_kept_for_its_host_and_path() {
        let jar = Jar::default();
        set(
            &jar,
            "http://a.example/app/login",
            "JSESSIONID=1; Path=/app; HttpOnly",
        );
        set(&jar, "http://a.example/app/login", "b=2");
        assert_eq!(sent(&jar, "http://a.example/app/x"), "JSESSIONID=1; b=2");
        assert_eq!(sent(&jar, "http://a.example/apple"), "");
        assert_eq!(sent(&jar, "http://b.a.example/app"), "");
        set(&jar, "http://a.example/app/login", "b=; Max-Age=0");
        set(&jar, "http://a.example/app/login", "JSESSIONID=3; Path=/app");
        assert_eq!(sent(&jar, "http://a.example/app/x"), "JSESSIONID=3");
    }

    #[test]
    fn secure_foreign_and_expired_cookies() {
        let jar = Jar::default();
        set(&jar, "http://a.example/", "s=1; Secure");
        set(&jar, "http://a.example/", "d=1; Domain=b.example");
        set(
            &jar,
            "http://a.example/",
            "e=1; Expires=Wed, 09 Jun 2021 10:18:14 GMT",
        );
        assert_eq!(sent(&jar, "https://a.example/"), "");
        set(&jar, "https://a.example/", "s=1; Secure");
        assert_eq!(sent(&jar, "https://a.example/"), "s=1");
        assert_eq!(sent(&jar, "http://a.example/"), "");
    }
}
