//! Names and other restricted strings (XSD 1.0 Part 2, 3.2.17 and 3.3.3 to 3.3.7; XML 1.0, 2.3).
//!
//! All of these take a text whose white space is collapsed already. Name characters are those of
//! the fifth edition of XML 1.0, which contain those of the editions before it.

/// True for an `xs:NCName`: a name without a colon (also `xs:ID`, `xs:IDREF`, `xs:ENTITY`).
pub fn is_ncname(text: &str) -> bool {
    !text.contains(':') && is_name(text)
}

/// True for an `xs:Name`.
pub fn is_name(text: &str) -> bool {
    text.starts_with(is_name_start) && is_nmtoken(text)
}

/// True for an `xs:NMTOKEN`.
pub fn is_nmtoken(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_name_char)
}

/// The prefix, if any, and the local part of an `xs:QName`; `None` if the text is none.
///
/// ```
/// use castile_lexical::split_qname;
/// assert_eq!(split_qname("xs:int"), Some((Some("xs"), "int")));
/// assert_eq!(split_qname("int"), Some((None, "int")));
/// assert_eq!(split_qname("a:b:c"), None);
/// ```
pub fn split_qname(text: &str) -> Option<(Option<&str>, &str)> {
    match text.split_once(':') {
        Some((prefix, local)) => (is_ncname(prefix) && is_ncname(local)).then_some((Some(prefix), local)),
        None => is_ncname(text).then_some((None, text)),
    }
}

/// True for an `xs:language`: subtags of one to eight letters, behind the first one also digits.
pub fn is_language(text: &str) -> bool {
    let mut subtags = text.split('-');
    let is_subtag = |subtag: &str, legal: fn(&u8) -> bool| {
        (1..=8).contains(&subtag.len()) && subtag.as_bytes().iter().all(legal)
    };
    subtags
        .next()
        .is_some_and(|subtag| is_subtag(subtag, u8::is_ascii_alphabetic))
        && subtags.all(|subtag| is_subtag(subtag, u8::is_ascii_alphanumeric))
}

/// True for an `xs:anyURI`.
///
/// XSD 1.0 allows all that becomes a URI reference once odd characters are escaped, relative and
/// empty ones too, which is any text. Only control characters, which XML itself refuses, are not.
pub fn is_any_uri(text: &str) -> bool {
    !text
        .chars()
        .any(|c| c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r'))
}

fn is_name_start(c: char) -> bool {
    match c {
        'a'..='z' | 'A'..='Z' | '_' | ':' => true,
        '\0'..='\u{bf}' => false,
        _ => matches!(c,
            '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
            | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}'
            | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}'
            | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}' | '\u{10000}'..='\u{effff}'),
    }
}

fn is_name_char(c: char) -> bool {
    is_name_start(c)
        || matches!(c,
            '0'..='9' | '-' | '.' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in [
            "a",
            "_",
            "a1",
            "a-b.c",
            "\u{e9}t\u{e9}",
            "\u{4e2d}",
            "\u{10400}x",
            "a\u{b7}b",
        ] {
            assert!(is_ncname(name) && is_name(name) && is_nmtoken(name), "{name}");
        }
        for token in ["1", "-a", ".a", "\u{b7}", "\u{300}"] {
            assert!(!is_name(token) && is_nmtoken(token), "{token}");
        }
        for bad in ["", " ", "a b", "a/b", "a\u{d7}", "\u{37e}", "a\u{2028}", "a,b"] {
            assert!(!is_name(bad) && !is_nmtoken(bad), "{bad}");
        }
        assert!(is_name("a:b") && is_name(":") && !is_ncname("a:b"));
    }

    #[test]
    fn qnames() {
        for bad in ["", ":", "a:", ":a", "a:b:c", "a:1", "1:a", "a: b"] {
            assert_eq!(split_qname(bad), None, "{bad}");
        }
    }

    #[test]
    fn languages() {
        for good in [
            "en",
            "en-GB",
            "x-klingon",
            "i-navajo",
            "de-1996",
            "abcdefgh-12345678",
        ] {
            assert!(is_language(good), "{good}");
        }
        for bad in [
            "",
            "-",
            "en-",
            "-en",
            "abcdefghi",
            "e1",
            "en_GB",
            "en--x",
            "d\u{e9}",
        ] {
            assert!(!is_language(bad), "{bad}");
        }
    }

    #[test]
    fn uris() {
        for good in [
            "",
            "http://a/b?c#d",
            "../x y",
            "urn:\u{e9}",
            "a#b#c",
            "100%",
            "#",
            "\\\\host\\share",
        ] {
            assert!(is_any_uri(good), "{good}");
        }
        assert!(!is_any_uri("a\u{1}"));
    }
}
