//! Texts that match a regular expression of XML Schema (XSD 1.0 part 2, appendix F).
//!
//! The expression is read into a small tree, and the tree is written out once, every repetition as
//! short as the wanted length allows. No matching is done: a text is right by construction.

use std::iter::Peekable;
use std::str::Chars;

/// A text that matches `pattern` and has `least` to `most` characters; `None` if the expression is
/// not understood or no such text is found soon.
pub(super) fn sample(pattern: &str, least: u64, most: u64) -> Option<String> {
    let mut parser = Parser {
        chars: pattern.chars().peekable(),
        depth: 0,
    };
    let tree = parser.alternatives()?;
    if parser.chars.next().is_some() {
        return None;
    }
    (0..=least.min(REPEATS_MAX)).find_map(|repeats| {
        tree.iter().find_map(|branch| {
            let mut text = String::new();
            write(branch, repeats, &mut text)?;
            (least..=most)
                .contains(&(text.chars().count() as u64))
                .then_some(text)
        })
    })
}

const REPEATS_MAX: u64 = 1000;
const TEXT_BYTES_MAX: usize = 100_000;
const DEPTH_MAX: u32 = 50;

/// One branch: pieces one after another.
type Branch = Vec<Piece>;

struct Piece {
    atom: Atom,
    least: u64,
    most: u64,
}

enum Atom {
    Group(Vec<Branch>),
    Class(Class),
}

/// A set of characters.
#[derive(Clone, Debug, Default)]
struct Class {
    ranges: Vec<(char, char)>,
    /// Sets that are the complement of theirs.
    not: Vec<Class>,
    negated: bool,
    minus: Option<Box<Class>>,
}

impl Class {
    fn of(ranges: &[(char, char)]) -> Class {
        Class {
            ranges: ranges.to_vec(),
            ..Class::default()
        }
    }

    fn has(&self, c: char) -> bool {
        let listed = self.ranges.iter().any(|&(low, high)| (low..=high).contains(&c))
            || self.not.iter().any(|s| !s.has(c));
        listed != self.negated && !self.minus.as_ref().is_some_and(|minus| minus.has(c))
    }

    /// A plain character of the set.
    fn pick(&self) -> Option<char> {
        // One before zero: leading zeros would be lost in numbers.
        let ascii = "Aa1"
            .chars()
            .chain('B'..='Z')
            .chain('b'..='z')
            .chain('2'..='9')
            .chain(' '..='~');
        let own = self.ranges.iter().flat_map(|&(low, high)| [low, high]);
        ascii
            .chain(own)
            .chain(['\u{E9}', '\n', '\t'])
            .find(|&c| self.has(c))
    }
}

fn write(branch: &Branch, repeats: u64, out: &mut String) -> Option<()> {
    for piece in branch {
        for _ in 0..repeats.clamp(piece.least, piece.most) {
            match &piece.atom {
                Atom::Class(class) => out.push(class.pick()?),
                Atom::Group(branches) => write(branches.first()?, repeats, out)?,
            }
            if out.len() > TEXT_BYTES_MAX {
                return None;
            }
        }
    }
    Some(())
}

struct Parser<'p> {
    chars: Peekable<Chars<'p>>,
    depth: u32,
}

impl Parser<'_> {
    fn alternatives(&mut self) -> Option<Vec<Branch>> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let mut branches = vec![self.branch()?];
        while self.chars.next_if_eq(&'|').is_some() {
            branches.push(self.branch()?);
        }
        self.depth -= 1;
        Some(branches)
    }

    fn branch(&mut self) -> Option<Branch> {
        let mut branch = Branch::new();
        while let Some(&c) = self.chars.peek() {
            if matches!(c, '|' | ')') {
                break;
            }
            let atom = self.atom()?;
            // Anchors are no part of these expressions; schemas have them all the same.
            let Some(atom) = atom else { continue };
            let (least, most) = self.quantifier()?;
            branch.push(Piece { atom, least, most });
        }
        Some(branch)
    }

    fn atom(&mut self) -> Option<Option<Atom>> {
        Some(Some(match self.chars.next()? {
            '(' => {
                if self.chars.next_if_eq(&'?').is_some() {
                    self.chars.next_if_eq(&':')?;
                }
                let branches = self.alternatives()?;
                self.chars.next_if_eq(&')')?;
                Atom::Group(branches)
            }
            '[' => Atom::Class(self.class()?),
            '.' => Atom::Class(Class {
                negated: true,
                ..Class::of(&[('\n', '\n'), ('\r', '\r')])
            }),
            '\\' => Atom::Class(self.escape()?),
            '^' | '$' => return Some(None),
            '*' | '+' | '?' | '{' => return None,
            c => Atom::Class(Class::of(&[(c, c)])),
        }))
    }

    fn quantifier(&mut self) -> Option<(u64, u64)> {
        Some(match self.chars.peek() {
            Some('?') => self.consume((0, 1)),
            Some('*') => self.consume((0, u64::MAX)),
            Some('+') => self.consume((1, u64::MAX)),
            Some('{') => {
                self.chars.next();
                let inside: String = std::iter::from_fn(|| self.chars.next_if(|&c| c != '}')).collect();
                self.chars.next_if_eq(&'}')?;
                match inside.split_once(',') {
                    None => (inside.trim().parse().ok()?, inside.trim().parse().ok()?),
                    Some((least, "")) => (least.trim().parse().ok()?, u64::MAX),
                    Some((least, most)) => (least.trim().parse().unwrap_or(0), most.trim().parse().ok()?),
                }
            }
            _ => (1, 1),
        })
        .filter(|(least, most)| least <= most)
    }

    fn consume<T>(&mut self, value: T) -> T {
        self.chars.next();
        value
    }

    /// A class after its opening bracket.
    fn class(&mut self) -> Option<Class> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let mut class = Class {
            negated: self.chars.next_if_eq(&'^').is_some(),
            ..Class::default()
        };
        let mut empty = true;
        loop {
            let low = match self.chars.next()? {
                ']' if !empty => break,
                '-' if self.chars.peek() == Some(&'[') && !empty => {
                    self.chars.next();
                    class.minus = Some(Box::new(self.class()?));
                    self.chars.next_if_eq(&']')?;
                    break;
                }
                '\\' => match self.escape()? {
                    single if single.is_single() => single.ranges.first()?.0,
                    set => {
                        empty = false;
                        class.not.push(Class {
                            negated: !set.negated,
                            ..set
                        });
                        continue;
                    }
                },
                c => c,
            };
            empty = false;
            let high = self.range_end(low)?;
            class.ranges.push((low, high));
        }
        self.depth -= 1;
        Some(class)
    }

    /// The end of a range that began with `low`, if it is one.
    fn range_end(&mut self, low: char) -> Option<char> {
        let mut ahead = self.chars.clone();
        let is_range = ahead.next() == Some('-') && !matches!(ahead.peek(), None | Some(']' | '['));
        if !is_range {
            return Some(low);
        }
        self.chars.next();
        let high = match self.chars.next()? {
            '\\' => self.escape().filter(Class::is_single)?.ranges.first()?.0,
            c => c,
        };
        (low <= high).then_some(high)
    }

    /// An escape after its backslash.
    fn escape(&mut self) -> Option<Class> {
        const NAME_START: &[(char, char)] = &[('A', 'Z'), ('a', 'z'), ('_', '_'), (':', ':')];
        const NAME: &[(char, char)] = &[
            ('A', 'Z'),
            ('a', 'z'),
            ('0', '9'),
            ('_', '_'),
            (':', ':'),
            ('-', '-'),
            ('.', '.'),
        ];
        const WORD: &[(char, char)] = &[('A', 'Z'), ('a', 'z'), ('0', '9'), ('\u{C0}', '\u{24F}')];
        const SPACE: &[(char, char)] = &[(' ', ' '), ('\t', '\t'), ('\n', '\n'), ('\r', '\r')];
        let not = |class: Class| Class {
            negated: !class.negated,
            ..class
        };
        let c = self.chars.next()?;
        Some(match c {
            'n' => Class::of(&[('\n', '\n')]),
            'r' => Class::of(&[('\r', '\r')]),
            't' => Class::of(&[('\t', '\t')]),
            'd' => Class::of(&[('0', '9')]),
            'D' => not(Class::of(&[('0', '9')])),
            's' => Class::of(SPACE),
            'S' => not(Class::of(SPACE)),
            'w' => Class::of(WORD),
            'W' => not(Class::of(WORD)),
            'i' => Class::of(NAME_START),
            'I' => not(Class::of(NAME_START)),
            'c' => Class::of(NAME),
            'C' => not(Class::of(NAME)),
            'p' => self.category()?,
            'P' => not(self.category()?),
            c if c.is_ascii_alphanumeric() => return None,
            c => Class::of(&[(c, c)]),
        })
    }

    /// `{L}` and its like, as far as ASCII goes.
    fn category(&mut self) -> Option<Class> {
        self.chars.next_if_eq(&'{')?;
        let name: String = std::iter::from_fn(|| self.chars.next_if(|&c| c != '}')).collect();
        self.chars.next_if_eq(&'}')?;
        Some(Class::of(match &*name {
            "L" => &[('A', 'Z'), ('a', 'z')],
            "Lu" => &[('A', 'Z')],
            "Ll" => &[('a', 'z')],
            "N" | "Nd" => &[('0', '9')],
            "P" | "Po" => &[('!', '#'), ('%', '\''), ('*', '*'), (',', ','), ('.', '/')],
            "Pd" => &[('-', '-')],
            "S" | "Sm" => &[('+', '+')],
            "Sc" => &[('$', '$')],
            "Z" | "Zs" => &[(' ', ' ')],
            "IsBasicLatin" => &[(' ', '~')],
            _ => return None,
        }))
    }
}

impl Class {
    fn is_single(&self) -> bool {
        !self.negated && self.not.is_empty() && matches!(self.ranges[..], [(low, high)] if low == high)
    }
}

#[cfg(test)]
mod tests {
    use super::sample;

    #[test]
    fn patterns_of_real_schemas_get_texts() {
        for (pattern, least, expected) in [
            ("[A-Z]{3}", 0, "AAA"),
            (r"\d{2}:\d{2}", 0, "11:11"),
            ("(a|b)+c?", 0, "a"),
            ("[^a-zA-Z]", 0, "1"),
            ("[a-z-[aeiou]]", 0, "b"),
            (r"[\i-[:]][\c-[:]]*", 0, "A"),
            ("x*", 4, "xxxx"),
            (r"\+?[0-9]{1,3}", 2, "+1"),
            ("^abc$", 0, "abc"),
            (r"[\-+]?\p{Nd}", 0, "1"),
            ("", 0, ""),
            (r"([0-9a-fA-F]{2}){4}", 0, "AAAAAAAA"),
            ("[^]", 0, "?"),
        ] {
            let found = sample(pattern, least, 100);
            if expected == "?" {
                assert_eq!(found, None, "{pattern}");
            } else {
                assert_eq!(found.as_deref(), Some(expected), "{pattern}");
            }
        }
    }

    #[test]
    fn what_is_not_understood_gives_nothing() {
        for pattern in [
            "(",
            "a{",
            "[a",
            "a{3,1}",
            r"\q",
            r"\p{Foo}",
            "*",
            "a)",
            &"(".repeat(1000),
        ] {
            assert_eq!(sample(pattern, 0, 10), None, "{pattern}");
        }
        assert_eq!(sample("(((x{1000}){1000}){1000})", 0, 10), None);
        assert_eq!(sample("abc", 5, 9), None);
    }
}
