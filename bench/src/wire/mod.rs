//! Messages of the suite, composed and read without any toolkit.
//!
//! [`compose`] writes what precomposed senders send; [`read`] is the reference that says what a message of
//! an engine means, [`attached`] what stands beside its envelope. All are slow and obvious, and know nothing of Castile, so that no engine is its own judge.

pub(crate) mod attached;
mod dime;
mod encoded;
mod literal;
mod mime;
pub(crate) mod read;
pub(crate) mod token;

use serde::Deserialize;

use crate::trace::{Kind, Trace};

/// How a body is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Style {
    /// document/literal wrapped
    #[default]
    Literal,
    /// rpc/encoded
    Encoded,
}

/// A message that is ready to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) media_type: String,
    pub(crate) body: Vec<u8>,
}

/// A side of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Request,
    Response,
}

impl Style {
    /// The namespace of the operations on `kind`.
    pub(crate) fn namespace(self, kind: Kind) -> &'static str {
        match (self, kind) {
            (Style::Encoded, _) => "urn:castile:bench:encoded",
            (_, Kind::Nested) => "urn:castile:bench:nested",
            (_, Kind::Files) => "urn:castile:bench:files",
            _ => "urn:castile:bench",
        }
    }
}

/// The request of an operation with these values.
pub(crate) fn request(style: Style, operation: &str, trace: &Trace) -> Vec<u8> {
    if operation == "doGoogleSearch" {
        return compose(style, trace.kind, operation, &question(style, trace.rows.len()));
    }
    let body = values(style, "values", trace);
    compose(style, trace.kind, operation, &body)
}

/// The response of an operation that returns these values.
pub(crate) fn response(style: Style, operation: &str, trace: &Trace) -> Vec<u8> {
    let body = match operation.starts_with("send") {
        true => count(style, trace.kind.count(trace)),
        false => values(style, "return", trace),
    };
    compose(style, trace.kind, &format!("{operation}Response"), &body)
}

/// What a response of an operation must be, in words for errors.
pub(crate) fn wrapper(operation: &str, side: Side) -> String {
    match side {
        Side::Request => operation.to_owned(),
        Side::Response => format!("{operation}Response"),
    }
}

fn values(style: Style, name: &str, trace: &Trace) -> String {
    match (style, trace.kind) {
        (_, Kind::Void) => String::new(),
        (Style::Literal, _) => literal::values(name, trace),
        (Style::Encoded, _) => encoded::values(name, trace),
    }
}

fn count(style: Style, count: i64) -> String {
    match style {
        Style::Literal => format!("<count>{count}</count>"),
        Style::Encoded => format!("<count xsi:type=\"xsd:int\">{count}</count>"),
    }
}

fn question(style: Style, results: usize) -> String {
    let results = results.to_string();
    let arguments = [
        ("key", "string", "0000"),
        ("q", "string", "grid computing"),
        ("start", "int", "0"),
        ("maxResults", "int", &results),
        ("filter", "boolean", "true"),
        ("restrict", "string", ""),
        ("safeSearch", "boolean", "false"),
        ("lr", "string", ""),
        ("ie", "string", ""),
        ("oe", "string", ""),
    ];
    let element = |(name, kind, value): (&str, &str, &str)| match style {
        Style::Literal => format!("<{name}>{value}</{name}>"),
        Style::Encoded => format!("<{name} xsi:type=\"xsd:{kind}\">{value}</{name}>"),
    };
    arguments.map(element).concat()
}

fn compose(style: Style, kind: Kind, element: &str, body: &str) -> Vec<u8> {
    const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";
    let namespace = style.namespace(kind);
    let text = match style {
        Style::Literal => format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{SOAP}\"><SOAP-ENV:Body>\
             <{element} xmlns=\"{namespace}\">{body}</{element}></SOAP-ENV:Body></SOAP-ENV:Envelope>"
        ),
        Style::Encoded => format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{SOAP}\" \
             xmlns:SOAP-ENC=\"http://schemas.xmlsoap.org/soap/encoding/\" \
             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" \
             xmlns:b=\"{namespace}\"><SOAP-ENV:Body SOAP-ENV:encodingStyle=\"http://schemas.xmlsoap.org/soap/encoding/\">\
             <b:{element}>{body}</b:{element}></SOAP-ENV:Body></SOAP-ENV:Envelope>"
        ),
    };
    text.into_bytes()
}

/// Appends a text with what XML must escape escaped.
fn escape(text: &str, out: &mut String) {
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            other => out.push(other),
        }
    }
}

/// Appends a value as XML Schema writes it.
fn lexical(field: &crate::trace::Field, out: &mut String) {
    use base64::Engine as _;
    match field {
        crate::trace::Field::Text(text) => escape(text, out),
        crate::trace::Field::Bytes(bytes) => {
            base64::engine::general_purpose::STANDARD.encode_string(bytes, out);
        }
        other => other.write(out),
    }
}
