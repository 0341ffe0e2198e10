//! Comments (XML 1.0, 2.5), processing instructions (2.6) and the XML declaration (2.8).

use crate::chars;
use crate::cursor::Cursor;
use crate::error::{Error, Kind};
use crate::limits::Limits;

/// A comment; the cursor stands at its `<!--`.
pub(super) fn comment<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, Error> {
    cursor.at += "<!--".len();
    let text = cursor.until("--", "a comment")?;
    match cursor.peek() {
        Some(b'>') => {
            cursor.at += 1;
            Ok(text)
        }
        Some(_) => {
            let what = "-- stands in a comment";
            Err(Error::not_well_formed(cursor.at - "--".len(), what, "2.5"))
        }
        None => Err(Error::end(cursor.at, "a comment")),
    }
}

/// Target and data of a processing instruction; the cursor stands at its `<?`.
pub(super) fn instruction<'a>(cursor: &mut Cursor<'a>, limits: &Limits) -> Result<(&'a str, &'a str), Error> {
    const INSIDE: &str = "a processing instruction";
    cursor.at += "<?".len();
    let start = cursor.at;
    let target = cursor.name(limits, INSIDE)?;
    if target.eq_ignore_ascii_case("xml") {
        let what = "an XML declaration stands elsewhere than at the start";
        return Err(Error::not_well_formed(start, what, "2.6"));
    }
    if target.contains(':') {
        let what = "a colon stands in the target of a processing instruction";
        return Err(Error::namespace(start, what, target, "NS 7"));
    }
    if cursor.eat("?>") {
        return Ok((target, ""));
    }
    if !cursor.eat_space() {
        return Err(match cursor.rest() {
            "" | "?" => Error::end(cursor.input.len(), INSIDE),
            _ => Error::not_well_formed(cursor.at, "expected white space or ?>", "2.6"),
        });
    }
    Ok((target, cursor.until("?>", INSIDE)?))
}

/// Passes an XML declaration if there is one; the cursor stands at the start of the text.
/// The encoding it names is checked for form only: the text is Unicode already.
pub(super) fn declaration(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    let declares = cursor.starts_with("<?xml")
        && cursor
            .bytes()
            .get(cursor.at + 5)
            .is_none_or(|&b| chars::is_space(b));
    if !declares {
        return Ok(());
    }
    if memchr::memchr2(b'>', b'<', cursor.rest().as_bytes().get(1..).unwrap_or_default()).is_none() {
        return Err(Error::end(cursor.input.len(), "the XML declaration"));
    }
    cursor.at += "<?xml".len();
    let version = pseudo_attribute(cursor, "version")?;
    let minor = version.and_then(|version| version.strip_prefix("1."));
    if !minor.is_some_and(|m| !m.is_empty() && m.bytes().all(|b| b.is_ascii_digit())) {
        let at = cursor.at - version.map_or(0, |version| version.len() + 1);
        return Err(wrong(&Cursor { at, ..*cursor }, "expected version=\"1.0\""));
    }
    if let Some(name) = pseudo_attribute(cursor, "encoding")? {
        let follows = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.bytes().all(follows) {
            return Err(wrong(cursor, "not the name of an encoding"));
        }
    }
    if let Some(standalone) = pseudo_attribute(cursor, "standalone")?
        && !matches!(standalone, "yes" | "no")
    {
        return Err(wrong(cursor, "standalone is neither yes nor no"));
    }
    cursor.eat_space();
    match cursor.eat("?>") {
        true => Ok(()),
        false => Err(wrong(cursor, "expected ?>")),
    }
}

/// The value of a pseudo-attribute of the XML declaration, if it comes next.
fn pseudo_attribute<'a>(cursor: &mut Cursor<'a>, name: &str) -> Result<Option<&'a str>, Error> {
    const INSIDE: &str = "the XML declaration";
    let mut ahead = *cursor;
    if !ahead.eat_space() || !ahead.eat(name) {
        return Ok(None);
    }
    ahead.eat_eq(INSIDE)?;
    let quote = ahead.eat_quote(INSIDE)?;
    let from = ahead.at;
    while ahead.peek().is_some_and(|b| b != quote && b.is_ascii_graphic()) {
        ahead.at += 1;
    }
    if ahead.peek() != Some(quote) {
        return Err(wrong(&ahead, "expected a closing quote"));
    }
    let value = ahead.since(from);
    ahead.at += 1;
    *cursor = ahead;
    Ok(Some(value))
}

fn wrong(cursor: &Cursor<'_>, what: &'static str) -> Error {
    match cursor.rest().chars().next() {
        None => Error::end(cursor.at, "the XML declaration"),
        Some(c) if !chars::is_char(c) => Error::new(Kind::Character(c), cursor.at),
        Some(_) => Error::not_well_formed(cursor.at, what, "2.8"),
    }
}
