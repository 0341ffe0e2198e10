//! Passing over a document type declaration (XML 1.0, 2.8) without obeying any of it: only what
//! is needed to find its end is recognised, which is literals, comments and instructions.

use crate::chars;
use crate::cursor::Cursor;
use crate::error::{Error, Kind};
use crate::limits::Limits;
use crate::reader::misc;

const INSIDE: &str = "a document type declaration";
const DECLARATIONS: [&str; 4] = ["<!ELEMENT", "<!ATTLIST", "<!ENTITY", "<!NOTATION"];

/// Passes a document type declaration; the cursor stands at its `<!DOCTYPE`.
pub(super) fn skip(cursor: &mut Cursor<'_>, limits: &Limits) -> Result<(), Error> {
    let start = cursor.at;
    cursor.at += "<!DOCTYPE".len();
    expect_space(cursor)?;
    cursor.qname(limits, INSIDE)?;
    let spaced = cursor.eat_space();
    if spaced && cursor.eat("SYSTEM") {
        expect_space(cursor)?;
        literal(cursor, |_| true)?;
    } else if spaced && cursor.eat("PUBLIC") {
        expect_space(cursor)?;
        literal(cursor, is_public_id_byte)?;
        expect_space(cursor)?;
        literal(cursor, |_| true)?;
    }
    cursor.eat_space();
    if cursor.eat("[") {
        internal_subset(cursor, limits)?;
        cursor.eat_space();
    }
    match cursor.peek() {
        Some(b'>') => cursor.at += 1,
        _ => return Err(unexpected(cursor, "expected > after the document type")),
    }
    match chars::first_illegal(cursor.since(start)) {
        Some((at, c)) => Err(Error::new(Kind::Character(c), start + at)),
        None => Ok(()),
    }
}

/// Passes the internal subset (production 28b) and its closing bracket.
fn internal_subset(cursor: &mut Cursor<'_>, limits: &Limits) -> Result<(), Error> {
    loop {
        cursor.eat_space();
        if cursor.eat("]") {
            return Ok(());
        } else if cursor.eat("%") {
            cursor.name(limits, INSIDE)?;
            if !cursor.eat(";") {
                return Err(unexpected(cursor, "expected ; after a parameter entity's name"));
            }
        } else if cursor.starts_with("<!--") {
            misc::comment(cursor)?;
        } else if cursor.starts_with("<?") {
            misc::instruction(cursor, limits)?;
        } else if ["<!ELEMENT", "<!ATTLIST", "<!ENTITY", "<!NOTATION"]
            .iter()
            .any(|d| cursor.eat(d))
        {
            expect_space(cursor)?;
            markup_declaration(cursor)?;
        } else {
            return Err(unexpected(cursor, "expected a markup declaration"));
        }
    }
}

/// Passes the rest of a markup declaration: anything but markup, up to a `>` outside literals.
fn markup_declaration(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    loop {
        match cursor.peek() {
            Some(b'>') => {
                cursor.at += 1;
                return Ok(());
            }
            Some(b'"' | b'\'') => literal(cursor, |_| true)?,
            Some(b'<') | None => return Err(unexpected(cursor, "< stands in a declaration")),
            Some(_) => cursor.at += 1,
        }
    }
}

/// Passes a quoted literal, all of whose bytes `allowed` accepts.
fn literal(cursor: &mut Cursor<'_>, allowed: fn(u8) -> bool) -> Result<(), Error> {
    let quote = cursor.eat_quote(INSIDE)?;
    let start = cursor.at;
    let text = cursor.until(if quote == b'"' { "\"" } else { "'" }, INSIDE)?;
    match text.bytes().position(|b| !allowed(b)) {
        None => Ok(()),
        Some(at) => {
            let what = "not a character of a public identifier";
            Err(Error::not_well_formed(start + at, what, "2.3"))
        }
    }
}

/// Production [13] PubidChar.
fn is_public_id_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b" \r\n-'()+,./:=?;!*#@$_%".contains(&b)
}

fn expect_space(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    match cursor.eat_space() {
        true => Ok(()),
        false => Err(unexpected(cursor, "expected white space")),
    }
}

/// The error for something else than expected: the end, if the text breaks off inside a keyword.
fn unexpected(cursor: &Cursor<'_>, what: &'static str) -> Error {
    let rest = cursor.rest();
    let mut keywords = DECLARATIONS.iter().chain(&["SYSTEM", "PUBLIC", "<!--"]);
    match keywords.any(|keyword| keyword.starts_with(rest)) {
        true => Error::end(cursor.input.len(), INSIDE),
        false => Error::not_well_formed(cursor.at, what, "2.8"),
    }
}
