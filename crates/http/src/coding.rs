//! Content codings (RFC 9110 §8.4): gzip, zstd and deflate in, gzip and zstd out.

use std::io::{self, Read, Write};

use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, GetAll};
use http::{HeaderMap, HeaderValue};

use crate::client::Encoding;
use crate::gather::Gathered;

/// Why a compressed body has no plain form.
#[derive(Debug)]
pub(crate) enum CodingError {
    /// A coding that this crate does not know, or more than one.
    Unknown(String),
    /// More than the limit comes out: perhaps a bomb.
    Full,
    /// The compressed bytes are damaged or stop too early.
    Damaged(io::Error),
}

/// Largest window of a zstd frame: 128 MiB, what the command-line tool takes by default. The
/// memory is only touched as bytes come out, and those are limited.
const ZSTD_WINDOW_LOG_MAX: u32 = 27;

impl Encoding {
    /// The name in header fields.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Gzip => "gzip",
            Encoding::Zstd => "zstd",
            Encoding::Deflate => "deflate",
        }
    }

    fn named(name: &str) -> Option<Encoding> {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is("gzip") || is("x-gzip") {
            Some(Encoding::Gzip)
        } else if is("zstd") {
            Some(Encoding::Zstd)
        } else if is("deflate") {
            Some(Encoding::Deflate)
        } else {
            None
        }
    }
}

/// The coding of a body; `None` for a plain one.
pub(crate) fn of(headers: &HeaderMap) -> Result<Option<Encoding>, CodingError> {
    if !headers.contains_key(CONTENT_ENCODING) {
        return Ok(None);
    }
    let names: Vec<&str> = list(headers.get_all(CONTENT_ENCODING)).collect();
    match names
        .iter()
        .filter(|name| !name.eq_ignore_ascii_case("identity"))
        .collect::<Vec<_>>()[..]
    {
        [] => Ok(None),
        [name] => match Encoding::named(name) {
            Some(coding) => Ok(Some(coding)),
            None => Err(CodingError::Unknown((*name).to_owned())),
        },
        _ => Err(CodingError::Unknown(names.join(", "))),
    }
}

/// The plain body, at most `limit` bytes; the headers no longer speak of a coding.
pub(crate) fn undo(headers: &mut HeaderMap, coded: Gathered, limit: u64) -> Result<Gathered, CodingError> {
    let Some(coding) = of(headers)? else {
        return Ok(coded);
    };
    // An empty body in a coding is an empty body: replies to HEAD, 202 and 204 come like this.
    let plain = if coded.body.is_empty() {
        coded
    } else {
        Gathered::alone(decode(coding, &coded.body, limit)?)
    };
    forget(headers, Some(coding));
    Ok(plain)
}

/// Makes the headers those of the plain body.
pub(crate) fn forget(headers: &mut HeaderMap, coding: Option<Encoding>) {
    if coding.is_some() {
        headers.remove(CONTENT_ENCODING);
        headers.remove(CONTENT_LENGTH);
    }
}

/// Decompresses a whole body.
pub(crate) fn decode(coding: Encoding, body: &[u8], limit: u64) -> Result<Vec<u8>, CodingError> {
    match coding {
        Encoding::Gzip => drain(flate2::read::MultiGzDecoder::new(body), limit),
        Encoding::Deflate if is_zlib(body) => drain(flate2::read::ZlibDecoder::new(body), limit),
        Encoding::Deflate => drain(flate2::read::DeflateDecoder::new(body), limit),
        Encoding::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(body).map_err(CodingError::Damaged)?;
            decoder
                .window_log_max(ZSTD_WINDOW_LOG_MAX)
                .map_err(CodingError::Damaged)?;
            drain(decoder, limit)
        }
    }
}

fn drain(decoder: impl Read, limit: u64) -> Result<Vec<u8>, CodingError> {
    let mut plain = Vec::new();
    decoder
        .take(limit.saturating_add(1))
        .read_to_end(&mut plain)
        .map_err(CodingError::Damaged)?;
    if plain.len() as u64 > limit {
        Err(CodingError::Full)
    } else {
        Ok(plain)
    }
}

/// Whether "deflate" is zlib (RFC 1950 §2.2), as it should be, or raw, as some servers send it.
pub(crate) fn is_zlib(body: &[u8]) -> bool {
    match body {
        [cmf, flags, ..] => cmf & 0x0f == 8 && (u16::from(*cmf) << 8 | u16::from(*flags)) % 31 == 0,
        _ => true,
    }
}

/// Compresses a whole body, fast rather than small: it saves the network's time with ours.
pub(crate) fn encode(coding: Encoding, body: &[u8]) -> io::Result<Vec<u8>> {
    let out = Vec::with_capacity(body.len() / 3);
    match coding {
        Encoding::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::new(3));
            encoder.write_all(body)?;
            encoder.finish()
        }
        Encoding::Deflate => {
            let mut encoder = flate2::write::ZlibEncoder::new(out, flate2::Compression::new(3));
            encoder.write_all(body)?;
            encoder.finish()
        }
        Encoding::Zstd => {
            let mut encoder = zstd::stream::write::Encoder::new(out, 3)?;
            encoder.write_all(body)?;
            encoder.finish()
        }
    }
}

/// The coding for a reply that a client likes best among gzip and zstd (RFC 9110 §12.5.3).
pub(crate) fn accepted(headers: &HeaderMap) -> Option<Encoding> {
    let mut best = None;
    for item in list(headers.get_all(http::header::ACCEPT_ENCODING)) {
        let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
        let weight = match parameters.trim().strip_prefix("q=") {
            Some(weight) => weight.trim().parse::<f32>().unwrap_or(0.0),
            None => 1.0,
        };
        let coding = Encoding::named(name.trim()).filter(|coding| *coding != Encoding::Deflate);
        if let Some(coding) = coding
            && weight > best.map_or(0.0, |(_, weight)| weight)
        {
            best = Some((coding, weight));
        }
    }
    best.map(|(coding, _)| coding)
}

/// The members of a comma-separated field.
fn list<'a>(values: GetAll<'a, HeaderValue>) -> impl Iterator<Item = &'a str> {
    values
        .into_iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|item| !item.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Encoding; 3] = [Encoding::Gzip, Encoding::Zstd, Encoding::Deflate];

    #[test]
    fn every_coding_comes_back() {
        let body = b"<item>1.5</item>".repeat(1000);
        for coding in ALL {
            let coded = encode(coding, &body).expect("memory does not fail");
            assert!(coded.len() < body.len() / 10);
            assert_eq!(
                decode(coding, &coded, body.len() as u64).expect("undamaged"),
                body
            );
        }
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let body = vec![0; 10_000_000];
        for coding in ALL {
            let coded = encode(coding, &body).expect("memory does not fail");
            assert!(
                matches!(decode(coding, &coded, 9_999_999), Err(CodingError::Full)),
                "{coding:?}"
            );
        }
    }

    #[test]
    fn truncated_or_damaged_bytes_are_an_error() {
        let body = b"<item>1.5</item>".repeat(1000);
        for coding in ALL {
            let coded = encode(coding, &body).expect("memory does not fail");
            for end in 1..coded.len() {
                let result = decode(coding, &coded[..end], 1 << 20);
                assert!(
                    matches!(result, Err(CodingError::Damaged(_))),
                    "{coding:?} cut at {end}"
                );
            }
            assert!(
                decode(coding, b"\x00\x01garbage, not compressed", 1 << 20).is_err(),
                "{coding:?}"
            );
        }
    }

    #[test]
    fn raw_deflate_is_understood() {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::new(6));
        encoder.write_all(b"plain").expect("memory does not fail");
        let coded = encoder.finish().expect("memory does not fail");
        assert_eq!(decode(Encoding::Deflate, &coded, 100).expect("raw"), b"plain");
    }

    #[test]
    fn the_best_accepted_coding_wins() {
        let cases = [
            ("gzip, zstd", Some(Encoding::Gzip)),
            ("gzip;q=0.5, zstd", Some(Encoding::Zstd)),
            ("br, deflate", None),
            ("gzip;q=0", None),
            ("*", None),
        ];
        for (field, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(http::header::ACCEPT_ENCODING, HeaderValue::from_static(field));
            assert_eq!(accepted(&headers), expected, "{field}");
        }
    }
}
