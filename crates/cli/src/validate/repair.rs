//! More than one finding: what was found is mended in a copy, and the copy is read again.
//!
//! A reader stops at the first error, rightly. Here each error is put right with the least that
//! makes it go away: an element that may not stand there becomes blank, a bad text becomes one of
//! a few texts until its type takes it. All mending keeps every other byte at its line; columns of
//! what was mended may move, so findings are reported as they are met, in order.

use castile_codec::{Error, Kind};
use castile_xml::{Reader, Token};

use super::Finding;

/// Reads a message strictly or not.
pub(super) type Check<'c> = &'c dyn Fn(&str, bool) -> Result<(), Error>;

/// More findings than anybody reads at once.
const FINDINGS_MAX: usize = 25;

/// Longer messages are read once only.
const MENDED_BYTES_MAX: usize = 4 << 20;

/// Texts that some type takes.
const TEXTS: [&str; 14] = [
    "0",
    "true",
    "1",
    "-1",
    "2024-05-17",
    "2024-05-17T12:00:00Z",
    "12:00:00",
    "P1D",
    "AAAA",
    "x",
    "2024",
    "2024-05",
    "xsd:x",
    "",
];

/// All findings that mending brings out; none for a message that is right.
pub(super) fn findings(text: &str, check: Check<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut copy = text.to_owned();
    let mut strict = true;
    let broken = malformed(text);
    while findings.len() < FINDINGS_MAX {
        let Err(error) = check(&copy, strict) else { break };
        let finding = Finding::from(&error);
        // What is not well-formed is told below, or comes of mending.
        if findings.contains(&finding) || error.kind() == Kind::Malformed {
            break;
        }
        findings.push(finding);
        if broken.is_some() || text.len() > MENDED_BYTES_MAX {
            break;
        }
        match mend(&copy, &error, strict, check) {
            Some(Mended::Text(mended)) => copy = mended,
            // From here on only values are looked at: everything else would follow from this.
            Some(Mended::Lax) if strict => strict = false,
            _ => break,
        }
    }
    findings.extend(broken);
    findings
}

/// Where the message stops being XML.
fn malformed(text: &str) -> Option<Finding> {
    let mut reader = Reader::new(text);
    loop {
        match reader.next() {
            Ok(Token::Eof) => return None,
            Ok(_) => {}
            Err(e) => {
                let line = Some(Reader::line_column(text, e.offset()));
                return Some(Finding {
                    line,
                    path: String::new(),
                    text: e.kind().to_string(),
                });
            }
        }
    }
}

enum Mended {
    Text(String),
    Lax,
}

fn mend(text: &str, error: &Error, strict: bool, check: Check<'_>) -> Option<Mended> {
    let at = error.offset()?;
    match error.kind() {
        Kind::Missing => Some(Mended::Lax),
        Kind::Unexpected => match text.get(at..)?.strip_prefix('<') {
            Some(_) => blank_element(text, at).map(Mended::Text),
            None => Some(Mended::Lax),
        },
        Kind::Lexical => other_text(text, at, error, strict, check).map(Mended::Text),
        _ => None,
    }
}

/// The element that starts at `at` becomes white space.
fn blank_element(text: &str, at: usize) -> Option<String> {
    let mut reader = Reader::new(text);
    loop {
        match reader.next().ok()? {
            Token::Start { .. } if reader.token_start() == at => break,
            Token::Eof => return None,
            _ => {}
        }
    }
    reader.skip_element().ok()?;
    Some(blank(text, at..reader.position()))
}

/// The text at `at` becomes one that its type takes: the reader then stops elsewhere or not at all.
fn other_text(text: &str, at: usize, error: &Error, strict: bool, check: Check<'_>) -> Option<String> {
    let attribute = error
        .path()
        .rsplit('/')
        .next()
        .is_some_and(|last| last.starts_with('@'));
    let (at_value, end) = if attribute {
        quoted(text, at)?
    } else {
        (at, at + text.get(at..)?.find('<')?)
    };
    let allowed = error
        .message()
        .split_once(" is not one of ")
        .and_then(|(_, list)| list.split([',', ' ']).next().map(str::to_owned));
    let texts = allowed.iter().map(String::as_str).chain(TEXTS);
    for other in texts {
        let lines = text.get(at_value..end)?.matches('\n').count();
        let mended = format!(
            "{}{other}{}{}",
            text.get(..at_value)?,
            "\n".repeat(lines),
            text.get(end..)?
        );
        match check(&mended, strict) {
            Err(again) if again.offset() == Some(at) => {}
            _ => return Some(mended),
        }
    }
    None
}

/// Where the quoted value of the attribute at `at` starts and ends.
fn quoted(text: &str, at: usize) -> Option<(usize, usize)> {
    let start = at + text.get(at..)?.find(['"', '\''])?;
    let quote = text.get(start..)?.chars().next()?;
    let inside = text.get(start + 1..)?;
    Some((start + 1, start + 1 + inside.find(quote)?))
}

fn blank(text: &str, span: std::ops::Range<usize>) -> String {
    let (Some(before), Some(inside), Some(after)) = (
        text.get(..span.start),
        text.get(span.clone()),
        text.get(span.end..),
    ) else {
        return text.to_owned();
    };
    let spaces: String = inside
        .chars()
        .map(|c| if c == '\n' { '\n' } else { ' ' })
        .collect();
    format!("{before}{spaces}{after}")
}

/// The message with blanks where its header blocks stand.
pub(super) fn without_headers(text: &str) -> String {
    let spans = header_blocks(text).unwrap_or_default();
    // From the last to the first, so that no span moves.
    spans
        .into_iter()
        .rev()
        .fold(text.to_owned(), |text, span| blank(&text, span))
}

/// The line on which each header block starts.
pub(super) fn header_lines(text: &str) -> Vec<u32> {
    let spans = header_blocks(text).unwrap_or_default();
    spans
        .into_iter()
        .map(|span| Reader::line_column(text, span.start).0)
        .collect()
}

/// Where the header blocks stand; `None` if the message is broken before their end.
fn header_blocks(text: &str) -> Option<Vec<std::ops::Range<usize>>> {
    let mut reader = Reader::new(text);
    let mut spans = Vec::new();
    let mut depth = 0;
    loop {
        match reader.next().ok()? {
            Token::Start { name, .. } => match (depth, name.local) {
                (0, _) | (1, "Header") => depth += 1,
                (1, _) => return Some(spans),
                _ => {
                    let start = reader.token_start();
                    reader.skip_element().ok()?;
                    spans.push(start..reader.position());
                }
            },
            Token::End { .. } | Token::Eof => return Some(spans),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_blocks_become_blank_and_lines_stay() {
        let text = "<e:E xmlns:e='e'>\n<e:Header>\n<a>é\n</a><b/></e:Header>\n<e:Body>\n<c/></e:Body></e:E>";
        let blanked = without_headers(text);
        assert_eq!(blanked.matches('\n').count(), text.matches('\n').count());
        assert!(!blanked.contains("<a>") && blanked.contains("<c/>"), "{blanked}");
        assert_eq!(header_lines(text), [3, 4]);
    }
}
