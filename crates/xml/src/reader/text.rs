//! Character data: runs, references, CDATA sections and line ends joined to one text
//! (XML 1.0, 2.4, 2.7, 2.11, 4.1), and attribute values (3.3.3).

use std::borrow::Cow;

use crate::chars::{self, TEXT_STOP, VALUE_STOP};
use crate::cursor::Cursor;
use crate::error::{Error, Kind, shortened};
use crate::limits::Limits;

/// Text put together from pieces: borrowed as long as there is one piece only.
#[derive(Debug)]
enum Joined<'a> {
    Borrowed(&'a str),
    Owned(String),
}

impl<'a> Joined<'a> {
    fn push(&mut self, piece: &'a str) {
        match self {
            Joined::Borrowed("") => *self = Joined::Borrowed(piece),
            Joined::Borrowed(_) if piece.is_empty() => {}
            Joined::Borrowed(first) => *self = Joined::Owned([*first, piece].concat()),
            Joined::Owned(text) => text.push_str(piece),
        }
    }

    fn push_char(&mut self, c: char) {
        match self {
            Joined::Borrowed(first) => {
                let mut text = String::with_capacity(first.len() + 16);
                text.push_str(first);
                text.push(c);
                *self = Joined::Owned(text);
            }
            Joined::Owned(text) => text.push(c),
        }
    }

    fn finish(self) -> Cow<'a, str> {
        match self {
            Joined::Borrowed(text) => Cow::Borrowed(text),
            Joined::Owned(text) => Cow::Owned(text),
        }
    }
}

/// Text up to the next tag, comment or instruction; the cursor stops at its `<`.
pub(super) fn text<'a>(cursor: &mut Cursor<'a>, limits: &Limits) -> Result<Cow<'a, str>, Error> {
    let mut joined = Joined::Borrowed("");
    let mut run = cursor.at;
    loop {
        cursor.at = chars::stop::<TEXT_STOP>(cursor.bytes(), cursor.at);
        match cursor.peek() {
            Some(b'<') if cursor.peek_second() != Some(b'!') || !cursor.starts_with("<![CDATA[") => break,
            Some(b'<') => {
                joined.push(cursor.since(run));
                cdata(cursor, &mut joined)?;
                run = cursor.at;
            }
            Some(b'&') => {
                joined.push(cursor.since(run));
                joined.push_char(reference(cursor, limits)?);
                run = cursor.at;
            }
            Some(b'\r') => run = line_end(cursor, run, &mut joined, "\n"),
            Some(b']') if cursor.starts_with("]]>") => {
                return Err(Error::not_well_formed(cursor.at, "]]> stands in text", "2.4"));
            }
            Some(b']') => cursor.at += 1,
            Some(_) => pass_legal(cursor)?,
            None => return Err(Error::end(cursor.at, "an element")),
        }
    }
    joined.push(cursor.since(run));
    Ok(joined.finish())
}

/// The character data that begins at byte `at` of a text, up to the next tag, and the byte of that
/// tag's `<`: references replaced, CDATA sections taken in, line ends normalised.
///
/// ```
/// let (text, end) = castile_xml::character_data("<a>x &lt; y</a>", 3, &Default::default())?;
/// assert_eq!((&*text, end), ("x < y", 11));
/// # Ok::<(), castile_xml::Error>(())
/// ```
///
/// # Errors
/// What is not well-formed there, a text without a tag after it, or a byte that begins no character.
pub fn character_data<'a>(
    input: &'a str,
    at: usize,
    limits: &Limits,
) -> Result<(Cow<'a, str>, usize), Error> {
    if !input.is_char_boundary(at) {
        return Err(Error::new(Kind::Misuse("a byte that begins no character"), at));
    }
    let mut cursor = Cursor { input, at };
    let text = text(&mut cursor, limits)?;
    Ok((text, cursor.at))
}

/// A quoted value up to and including its closing quote; the cursor stands behind the opening one.
pub(super) fn value<'a>(cursor: &mut Cursor<'a>, quote: u8, limits: &Limits) -> Result<Cow<'a, str>, Error> {
    let mut joined = Joined::Borrowed("");
    let mut run = cursor.at;
    loop {
        cursor.at = chars::stop::<VALUE_STOP>(cursor.bytes(), cursor.at);
        match cursor.peek() {
            Some(b) if b == quote => break,
            Some(b'"' | b'\'') => cursor.at += 1,
            Some(b'&') => {
                joined.push(cursor.since(run));
                joined.push_char(reference(cursor, limits)?);
                run = cursor.at;
            }
            Some(b'\r') => run = line_end(cursor, run, &mut joined, " "),
            Some(b'\n' | b'\t') => {
                joined.push(cursor.since(run));
                joined.push(" ");
                cursor.at += 1;
                run = cursor.at;
            }
            Some(b'<') => {
                return Err(Error::not_well_formed(
                    cursor.at,
                    "< stands in an attribute value",
                    "3.1",
                ));
            }
            Some(_) => pass_legal(cursor)?,
            None => return Err(Error::end(cursor.at, "an attribute value")),
        }
    }
    joined.push(cursor.since(run));
    cursor.at += 1;
    Ok(joined.finish())
}

/// Replaces the CR, or CR LF, at the cursor by `replacement`; gives where the next run starts.
fn line_end<'a>(
    cursor: &mut Cursor<'a>,
    run: usize,
    joined: &mut Joined<'a>,
    replacement: &'static str,
) -> usize {
    joined.push(cursor.since(run));
    joined.push(replacement);
    cursor.at += 1;
    if cursor.peek() == Some(b'\n') {
        cursor.at += 1;
    }
    cursor.at
}

/// Passes the character at which a run stopped, unless XML cannot carry it.
#[cold]
fn pass_legal(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    match chars::illegal_at(cursor.input, cursor.at) {
        Some(c) => Err(Error::new(Kind::Character(c), cursor.at)),
        None => {
            cursor.at += cursor.rest().chars().next().map_or(1, char::len_utf8);
            Ok(())
        }
    }
}

/// A CDATA section (2.7), its line ends normalised; the cursor stands at its `<`.
fn cdata<'a>(cursor: &mut Cursor<'a>, joined: &mut Joined<'a>) -> Result<(), Error> {
    cursor.at += "<![CDATA[".len();
    let mut rest = cursor.until("]]>", "a CDATA section")?;
    while let Some(at) = memchr::memchr(b'\r', rest.as_bytes()) {
        let (line, end) = rest.split_at(at);
        joined.push(line);
        joined.push("\n");
        rest = end
            .strip_prefix("\r\n")
            .or(end.strip_prefix('\r'))
            .unwrap_or_default();
    }
    joined.push(rest);
    Ok(())
}

/// A character reference or a reference to one of the five predefined entities (4.1, 4.6); the
/// cursor stands at its `&`.
fn reference(cursor: &mut Cursor<'_>, limits: &Limits) -> Result<char, Error> {
    const INSIDE: &str = "a reference";
    let start = cursor.at;
    if cursor.eat("&#") {
        return character_reference(cursor, start);
    }
    cursor.at += 1;
    let name = cursor.name(limits, INSIDE)?;
    eat_semicolon(cursor)?;
    match name {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        _ => Err(Error::new(Kind::Entity(shortened(name)), start)),
    }
}

fn character_reference(cursor: &mut Cursor<'_>, start: usize) -> Result<char, Error> {
    let radix = if cursor.eat("x") { 16 } else { 10 };
    let digits = cursor.at;
    let mut code = 0u32;
    while let Some(digit) = cursor.peek().and_then(|b| char::from(b).to_digit(radix)) {
        code = code.saturating_mul(radix).saturating_add(digit);
        cursor.at += 1;
    }
    if cursor.at == digits {
        return Err(match cursor.peek() {
            None => Error::end(cursor.at, "a reference"),
            Some(_) => Error::not_well_formed(cursor.at, "expected a digit", "4.1"),
        });
    }
    eat_semicolon(cursor)?;
    char::from_u32(code)
        .filter(|&c| chars::is_char(c))
        .ok_or_else(|| {
            let what = "the reference is to no character that XML allows";
            Error::not_well_formed(start, what, "4.1")
        })
}

fn eat_semicolon(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    match cursor.peek() {
        Some(b';') => {
            cursor.at += 1;
            Ok(())
        }
        Some(_) => Err(Error::not_well_formed(
            cursor.at,
            "expected ; after a reference",
            "4.1",
        )),
        None => Err(Error::end(cursor.at, "a reference")),
    }
}
