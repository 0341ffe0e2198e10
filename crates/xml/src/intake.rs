//! Bytes that come piece by piece to text: [`Intake`].

use encoding_rs::{Decoder, DecoderResult};

use crate::encoding::{self, Charset};
use crate::error::Error;

/// Turns bytes into text as they come. A wrong byte is an error only for what comes after it.
pub(crate) struct Intake {
    named: Option<String>,
    state: State,
    /// Bytes that came before those held here.
    passed: usize,
    /// Bytes that are not text yet: the head while the encoding is not known, then the start of a
    /// character.
    held: Vec<u8>,
}

enum State {
    /// The encoding is not known.
    Head,
    /// UTF-8, ASCII or Latin-1.
    Plain(Charset),
    Coded(Box<Decoder>, &'static str),
    Ended,
}

impl Intake {
    pub(crate) fn new(charset: Option<&str>) -> Intake {
        Intake {
            named: charset.map(str::to_owned),
            state: State::Head,
            passed: 0,
            held: Vec::new(),
        }
    }

    /// Appends the text of what has come to `out`; `last` when no more comes.
    ///
    /// # Errors
    /// What comes after the text that was appended is none; all that follows is ignored.
    pub(crate) fn push(&mut self, bytes: &[u8], last: bool, out: &mut String) -> Result<(), Error> {
        let taken = self.take(bytes, last, out);
        if taken.is_err() || last {
            self.state = State::Ended;
            self.held.clear();
        }
        taken
    }

    fn take(&mut self, bytes: &[u8], last: bool, out: &mut String) -> Result<(), Error> {
        if let State::Head = self.state {
            self.held.extend_from_slice(bytes);
            if !last && !is_head(&self.held) {
                return Ok(());
            }
            let head = std::mem::take(&mut self.held);
            let (charset, mark_bytes) = encoding::charset_of(&head, self.named.as_deref())?;
            self.passed = mark_bytes;
            self.state = match charset.decoder() {
                Some((decoder, name)) => State::Coded(Box::new(decoder), name),
                None => State::Plain(charset),
            };
            return self.take(head.get(mark_bytes..).unwrap_or_default(), last, out);
        }
        match &mut self.state {
            State::Plain(charset) => {
                let charset = *charset;
                self.plain(charset, bytes, last, out)
            }
            State::Coded(decoder, name) => {
                let read = coded(decoder, name, bytes, last, out);
                let taken = read.map_err(|(at, what)| Error::encoding(self.passed + at, what));
                self.passed += bytes.len();
                taken
            }
            State::Head | State::Ended => Ok(()),
        }
    }

    fn plain(&mut self, charset: Charset, bytes: &[u8], last: bool, out: &mut String) -> Result<(), Error> {
        let joined;
        let bytes = if self.held.is_empty() {
            bytes
        } else {
            self.held.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.held);
            &joined
        };
        if charset == Charset::Latin1 {
            out.push_str(&encoding_rs::mem::decode_latin1(bytes));
            self.passed += bytes.len();
            return Ok(());
        }
        let valid = match simdutf8::basic::from_utf8(bytes) {
            Ok(_) => bytes.len(),
            Err(_) => encoding_rs::Encoding::utf8_valid_up_to(bytes),
        };
        let valid = match charset {
            Charset::Ascii => encoding_rs::Encoding::ascii_valid_up_to(bytes),
            _ => valid,
        };
        let (text, rest) = bytes.split_at(valid);
        // It is, up to there; the second look costs little beside the first.
        out.push_str(std::str::from_utf8(text).unwrap_or_default());
        self.passed += valid;
        if rest.is_empty() {
            return Ok(());
        }
        let cut = charset == Charset::Utf8 && is_cut(rest);
        if cut && !last {
            self.held.extend_from_slice(rest);
            return Ok(());
        }
        let what = match charset {
            Charset::Ascii => "a byte is not US-ASCII",
            _ => "the bytes are not UTF-8",
        };
        Err(Error::encoding(self.passed, what))
    }
}

/// Whether the first bytes are enough to tell the encoding.
fn is_head(bytes: &[u8]) -> bool {
    let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if bytes.len() >= encoding::HEAD_BYTES_MAX {
        return true;
    }
    match body.get(..5) {
        Some(b"<?xml") => memchr::memchr(b'>', body).is_some(),
        // The first two characters of a declaration in UTF-16.
        Some([b'<', 0, b'?', 0, _] | [0, b'<', 0, b'?', _]) => utf16_declaration_ends(body),
        Some([0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) => utf16_declaration_ends(body),
        Some(_) => true,
        None => false,
    }
}

fn utf16_declaration_ends(bytes: &[u8]) -> bool {
    memchr::memchr(b'>', bytes).is_some_and(|at| bytes.len() > at + 1)
}

/// Whether the bytes are the start of a character of UTF-8 that more could complete.
fn is_cut(rest: &[u8]) -> bool {
    matches!(std::str::from_utf8(rest), Err(e) if e.valid_up_to() == 0 && e.error_len().is_none())
}

fn coded(
    decoder: &mut Decoder,
    name: &str,
    bytes: &[u8],
    last: bool,
    out: &mut String,
) -> Result<(), (usize, String)> {
    let mut read = 0;
    loop {
        let rest = bytes.get(read..).unwrap_or_default();
        out.reserve(rest.len().saturating_add(rest.len() / 2).max(64));
        let (result, more) = decoder.decode_to_string_without_replacement(rest, out, last);
        read += more;
        match result {
            DecoderResult::InputEmpty => return Ok(()),
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(bad, after) => {
                let at = read.saturating_sub(usize::from(bad) + usize::from(after));
                return Err((at, format!("the bytes are not {name}")));
            }
        }
    }
}
