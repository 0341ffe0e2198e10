//! `xs:base64Binary` (XSD 1.0 Part 2, 3.2.16; RFC 2045, 6.8).

use base64::Engine as _;
use base64::engine::GeneralPurposeConfig;

use crate::error::{Error, Reason};
use crate::space::is_xml_space;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn engine() -> impl base64::Engine {
    base64::engine::Simd::standard(GeneralPurposeConfig::new())
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn engine() -> impl base64::Engine {
    base64::engine::GeneralPurpose::new(&base64::alphabet::STANDARD, GeneralPurposeConfig::new())
}

/// Reads an `xs:base64Binary` and appends its bytes to `out`; XML white space may stand anywhere.
///
/// # Errors
/// A character outside the alphabet (the URL-safe one included), missing or misplaced padding, or
/// bits behind the last byte that are not zero. `out` is then as it was.
pub fn parse_base64(text: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let before = out.len();
    let engine = engine();
    // Most texts have no white space: try that first, and look closer only at what fails.
    if engine.decode_vec(text, out).is_ok() {
        return Ok(());
    }
    out.truncate(before);
    let mut packed = Vec::with_capacity(text.len());
    for run in text.split(|&byte| is_xml_space(byte)) {
        packed.extend_from_slice(run);
    }
    engine.decode_vec(&packed, out).map_err(|cause| {
        out.truncate(before);
        let reason = match cause {
            base64::DecodeError::InvalidByte(_, byte) if byte != b'=' => Reason::Base64Symbol,
            _ => Reason::Base64Length,
        };
        Error::new("xs:base64Binary", reason, text)
    })
}

/// Appends the bytes as an `xs:base64Binary`: padded, in one line.
pub fn format_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let before = out.len();
    let width = bytes.len().div_ceil(3) * 4;
    out.resize(before + width, b'=');
    let room = out.get_mut(before..).unwrap_or_default();
    // The room is exactly what the padded text takes, so this does not fail.
    let written = engine().encode_slice(bytes, room);
    debug_assert_eq!(written, Ok(width));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<u8>, Error> {
        let mut out = b"kept".to_vec();
        let result = parse_base64(text.as_bytes(), &mut out);
        assert!(out.starts_with(b"kept"));
        assert!(result.is_ok() || out == b"kept");
        result.map(|()| out.split_off(4))
    }

    #[test]
    fn rfc_4648_vectors_both_ways() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(parse(text).unwrap(), bytes.as_bytes());
            let mut out = b"kept".to_vec();
            format_base64(bytes.as_bytes(), &mut out);
            assert_eq!(out.split_off(4), text.as_bytes());
        }
    }

    #[test]
    fn white_space_anywhere() {
        assert_eq!(parse(" Z m\r\n8\t= ").unwrap(), b"fo");
        assert_eq!(parse("\n").unwrap(), b"");
        let lines: Vec<u8> = (0..200).collect();
        let mut text = Vec::new();
        format_base64(&lines, &mut text);
        let wrapped: Vec<&[u8]> = text.chunks(76).collect();
        let wrapped = String::from_utf8(wrapped.join(&b"\r\n"[..])).unwrap();
        assert_eq!(parse(&wrapped).unwrap(), lines);
    }

    #[test]
    fn refused() {
        for bad in [
            "Z",
            "Zg",
            "Zg=",
            "Zg===",
            "=",
            "Zh==",
            "Zm9=",
            "Z-_v",
            "Zg==Zg==",
            "Zm9v!",
            "Zm\u{a0}9v",
            "Z=g=",
            "Zm9v\x0c",
        ] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
        assert!(parse("Zm9*").unwrap_err().to_string().contains("alphabet"));
        assert!(parse("Zg").unwrap_err().to_string().contains("padded"));
    }
}
