//! Patterns of XML Schema (XSD 1.0 part 2, appendix F) as regular expressions of the `regex` crate.
//!
//! Both match in linear time. What differs is written out: `\i` and `\c`, Unicode blocks, `^` and `$`,
//! which XSD takes literally, and characters that only the other syntax takes for operators.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

use regex::Regex;

use super::blocks;

/// The regular expression for the patterns of one step, which are alternatives, and how messages show
/// it. A pattern that is none, or too big, admits every text: nothing can be said against it.
pub(super) fn alternatives(patterns: &[Box<str>]) -> Option<(Regex, Box<str>)> {
    let each: Option<Vec<String>> = patterns.iter().map(|p| translate(p)).collect();
    let regex = Regex::new(&format!("\\A(?:{})\\z", each?.join("|"))).ok()?;
    Some((regex, patterns.join(" | ").into()))
}

/// Why a pattern is none, or none that can be checked; `None` for one that is checked.
pub fn pattern_problem(pattern: &str) -> Option<String> {
    // Compiling takes long; only counts make a pattern too big.
    const LONG: usize = 200;
    let Some(regex) = translate(pattern) else {
        return Some("it is no regular expression of XML Schema".into());
    };
    let big = pattern.len() > LONG || pattern.contains('{');
    let problem = match big {
        true => Regex::new(&regex).err().map(|e| e.to_string()),
        false => regex_syntax::parse(&regex).err().map(|e| e.to_string()),
    };
    problem.map(|text| text.lines().last().unwrap_or_default().to_owned())
}

/// How deep groups and classes may nest.
const DEPTH_MAX: u32 = 50;

const NAME_START: &str = ":A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\
    \\u{200C}-\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\
    \\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}";
const NAME_MORE: &str = "\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}-\\u{2040}";

fn translate(pattern: &str) -> Option<String> {
    // Schemas anchor patterns all the same; a text never begins with ^ and ends with $ in earnest.
    let inner = pattern.strip_prefix('^').unwrap_or(pattern);
    let inner = inner
        .strip_suffix('$')
        .filter(|rest| !rest.ends_with('\\'))
        .unwrap_or(inner);
    let mut translator = Translator {
        chars: inner.chars().peekable(),
        out: String::new(),
        depth: 0,
    };
    translator.alternatives()?;
    translator.chars.next().is_none().then_some(translator.out)
}

struct Translator<'p> {
    chars: Peekable<Chars<'p>>,
    out: String,
    depth: u32,
}

impl Translator<'_> {
    fn alternatives(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        while let Some(&c) = self.chars.peek() {
            match c {
                ')' => break,
                '|' => {
                    self.chars.next();
                    self.out.push('|');
                }
                _ => self.piece()?,
            }
        }
        self.depth -= 1;
        Some(())
    }

    fn piece(&mut self) -> Option<()> {
        match self.chars.next()? {
            '(' => {
                self.out.push_str("(?:");
                // No other group is known to XSD, but schemas use this one.
                if self.chars.next_if_eq(&'?').is_some() {
                    self.chars.next_if_eq(&':')?;
                }
                self.alternatives()?;
                self.chars.next_if_eq(&')')?;
                self.out.push(')');
            }
            '[' => self.class()?,
            '.' => self.out.push_str("[^\\n\\r]"),
            '\\' => self.escape()?,
            '*' | '+' | '?' | '{' | '}' | ']' => return None,
            c => self.literal(c),
        }
        self.quantifier()
    }

    fn quantifier(&mut self) -> Option<()> {
        match self.chars.peek() {
            Some(&c @ ('?' | '*' | '+')) => {
                self.chars.next();
                self.out.push(c);
            }
            Some('{') => {
                self.chars.next();
                let inside: String = std::iter::from_fn(|| self.chars.next_if(|&c| c != '}')).collect();
                self.chars.next_if_eq(&'}')?;
                let legal = inside.bytes().all(|b| b.is_ascii_digit() || b == b',')
                    && inside.bytes().filter(|b| *b == b',').count() < 2
                    && inside.starts_with(|c: char| c.is_ascii_digit());
                legal.then(|| self.out.push_str(&format!("{{{inside}}}")))?;
            }
            _ => return Some(()),
        }
        // A second quantifier is no piece of XSD, and means something else elsewhere.
        (!matches!(self.chars.peek(), Some('?' | '*' | '+' | '{'))).then_some(())
    }

    fn literal(&mut self, c: char) {
        // Writing to a string cannot fail.
        let _ = match c {
            c if c.is_ascii_alphanumeric() => write!(self.out, "{c}"),
            c => write!(self.out, "\\u{{{:X}}}", u32::from(c)),
        };
    }

    /// A class after its opening bracket.
    fn class(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let negated = self.chars.next_if_eq(&'^').is_some();
        // What is taken away is taken from the complement, too.
        self.out.push_str(if negated { "[[^" } else { "[[" });
        let mut empty = true;
        loop {
            match self.chars.next()? {
                ']' if !empty => {
                    self.out.push_str("]]");
                    break;
                }
                '[' => return None,
                '-' if self.chars.peek() == Some(&'[') && !empty => {
                    self.chars.next();
                    self.out.push_str("]--");
                    self.class()?;
                    self.chars.next_if_eq(&']')?;
                    self.out.push(']');
                    break;
                }
                c => self.class_item(c)?,
            }
            empty = false;
        }
        self.depth -= 1;
        Some(())
    }

    fn class_item(&mut self, c: char) -> Option<()> {
        let low = match c {
            '\\' => match single(*self.chars.peek()?) {
                Some(c) => {
                    self.chars.next();
                    c
                }
                None => return self.escape(),
            },
            c => c,
        };
        self.literal(low);
        let mut ahead = self.chars.clone();
        let is_range = ahead.next() == Some('-') && !matches!(ahead.peek(), None | Some(']' | '['));
        if !is_range {
            return Some(());
        }
        self.chars.next();
        let high = match self.chars.next()? {
            '\\' => single(self.chars.next()?)?,
            c => c,
        };
        if high < low {
            return None;
        }
        self.out.push('-');
        self.literal(high);
        Some(())
    }

    /// An escape after its backslash.
    fn escape(&mut self) -> Option<()> {
        let c = self.chars.next()?;
        match c {
            'd' => self.out.push_str("\\p{Nd}"),
            'D' => self.out.push_str("\\P{Nd}"),
            's' => self.out.push_str("[ \\t\\n\\r]"),
            'S' => self.out.push_str("[^ \\t\\n\\r]"),
            'w' => self.out.push_str("[^\\p{P}\\p{Z}\\p{C}]"),
            'W' => self.out.push_str("[\\p{P}\\p{Z}\\p{C}]"),
            'i' => self.out.push_str(&format!("[{NAME_START}]")),
            'I' => self.out.push_str(&format!("[^{NAME_START}]")),
            'c' => self.out.push_str(&format!("[{NAME_START}{NAME_MORE}]")),
            'C' => self.out.push_str(&format!("[^{NAME_START}{NAME_MORE}]")),
            'p' | 'P' => return self.category(c == 'P'),
            c => {
                let c = single(c)?;
                self.literal(c);
            }
        }
        Some(())
    }

    /// `{Lu}`, `{IsBasicLatin}` and their like.
    fn category(&mut self, negated: bool) -> Option<()> {
        self.chars.next_if_eq(&'{')?;
        let name: String = std::iter::from_fn(|| self.chars.next_if(|&c| c != '}')).collect();
        self.chars.next_if_eq(&'}')?;
        if let Some(block) = name.strip_prefix("Is") {
            let (low, high) = blocks::block(block)?;
            let not = if negated { "^" } else { "" };
            self.out
                .push_str(&format!("[{not}\\u{{{low:X}}}-\\u{{{high:X}}}]"));
            return Some(());
        }
        let legal = matches!(name.len(), 1 | 2) && name.bytes().all(|b| b.is_ascii_alphabetic());
        let sign = if negated { 'P' } else { 'p' };
        legal.then(|| self.out.push_str(&format!("\\{sign}{{{name}}}")))
    }
}

/// The character that a backslash and `c` stand for.
fn single(c: char) -> Option<char> {
    match c {
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        c if c.is_ascii_alphanumeric() => None,
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::alternatives;

    #[test]
    fn patterns_match_as_in_xsd() {
        for (pattern, yes, no) in [
            ("[A-Z]{3}", &["ABC"][..], &["AB", "ABCD", "abc", "xABCx"][..]),
            ("a|b*", &["a", "", "bb"], &["ab", "c"]),
            ("[^a-c]", &["d", "\u{E9}"], &["a", ""]),
            ("[a-z-[aeiou]]+", &["bcd"], &["a", "bad"]),
            ("[^a-z-[0-9]]", &["-", "A"], &["5", "b"]),
            (r"[\i-[:]][\c-[:]]*", &["a1", "_x", "\u{E9}"], &["1a", "a:b", ""]),
            (r"\d{2}:\d{2}", &["12:34", "\u{661}2:34"], &["1:2"]),
            (r"\p{Lu}\P{Lu}", &["Ab"], &["AB"]),
            (r"\p{IsBasicLatin}+\P{IsBasicLatin}", &["ab\u{E9}"], &["ab"]),
            ("^a.c$", &["abc"], &["a\nc", "^abc$"]),
            (r"a\^\$\-\.", &["a^$-."], &["a"]),
            (r"[\-+&&~]", &["-", "+", "&", "~"], &["x", "\\"]),
            (r"\w+\s\S", &["ab c"], &["a. b"]),
            ("(ab){2,}", &["abab", "ababab"], &["ab"]),
            ("", &[""], &["a"]),
        ] {
            let (regex, _) = alternatives(&[pattern.into()]).unwrap_or_else(|| panic!("{pattern}"));
            for text in yes {
                assert!(regex.is_match(text), "{pattern} must match {text:?}");
            }
            for text in no {
                assert!(!regex.is_match(text), "{pattern} must not match {text:?}");
            }
        }
    }

    #[test]
    fn what_is_no_pattern_says_nothing() {
        let deep = "(".repeat(1000);
        for pattern in [
            "(",
            "a{",
            "[a",
            "[b-a]",
            r"\q",
            r"\p{IsNowhere}",
            "*",
            "a)",
            "a**",
            "[]",
            "((x{1000}){1000}){1000}",
            &deep,
        ] {
            assert!(alternatives(&[pattern.into()]).is_none(), "{pattern}");
        }
    }
}
