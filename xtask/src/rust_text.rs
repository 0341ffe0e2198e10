//! Splits Rust source into code and comments, line by line, so that rules about one do not trip over
//! the other. Contents of string and character literals belong to neither.

/// One line of a file.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Code, with the contents of literals left out.
    pub(crate) code: String,
    /// Text of comments, without their marks.
    pub(crate) comment: String,
}

/// Splits `source`; the lines come in order and none is left out.
pub(crate) fn split(source: &str) -> Vec<Line> {
    let characters: Vec<char> = source.chars().collect();
    let mut splitter = Splitter {
        characters: &characters,
        next: 0,
        lines: vec![Line::default()],
    };
    while splitter.step() {}
    splitter.lines
}

struct Splitter<'a> {
    characters: &'a [char],
    next: usize,
    lines: Vec<Line>,
}

impl Splitter<'_> {
    /// Takes one comment, literal or character; false at the end.
    fn step(&mut self) -> bool {
        let Some(character) = self.peek(0) else {
            return false;
        };
        match (character, self.peek(1)) {
            ('/', Some('/')) => self.line_comment(),
            ('/', Some('*')) => self.block_comment(),
            ('"', _) => self.string(),
            ('r', Some('"' | '#')) if !self.after_word() => self.raw_string(),
            ('\'', _) => self.character_or_lifetime(),
            // `b"` and `br#"`, `c"` and `cr#"`: the letter is code, the rest is taken next time.
            _ => self.code(),
        }
        true
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.next + ahead).copied()
    }

    /// True inside an identifier such as `for`; the prefixes `b` and `c` of raw strings are no word.
    fn after_word(&self) -> bool {
        let before = |back: usize| self.next.checked_sub(back).map(|at| self.characters[at]);
        let in_word = |character: Option<char>| character.is_some_and(|c| c.is_alphanumeric() || c == '_');
        match before(1) {
            Some('b' | 'c') => in_word(before(2)),
            other => in_word(other),
        }
    }

    /// Moves on by one character, starting a new line where one ends.
    fn advance(&mut self) -> Option<char> {
        let character = self.peek(0)?;
        self.next += 1;
        if character == '\n' {
            self.lines.push(Line::default());
        }
        Some(character)
    }

    fn code(&mut self) {
        if let Some(character) = self.advance().filter(|c| *c != '\n') {
            self.push_code(character);
        }
    }

    fn push_code(&mut self, character: char) {
        if let Some(line) = self.lines.last_mut() {
            line.code.push(character);
        }
    }

    fn push_comment(&mut self, character: char) {
        if let Some(line) = self.lines.last_mut().filter(|_| character != '\n') {
            line.comment.push(character);
        }
    }

    fn line_comment(&mut self) {
        self.next += 2;
        while let Some(character) = self.peek(0).filter(|c| *c != '\n') {
            self.next += 1;
            self.push_comment(character);
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => (depth, self.next) = (depth + 1, self.next + 2),
                (Some('*'), Some('/')) => (depth, self.next) = (depth - 1, self.next + 2),
                (None, _) => return,
                (Some(character), _) => {
                    self.advance();
                    self.push_comment(character);
                }
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.next += 1;
        self.push_code('"');
        while let Some(character) = self.advance() {
            match character {
                '\\' => drop(self.advance()),
                '"' => break,
                _ => {}
            }
        }
        self.push_code('"');
    }

    fn raw_string(&mut self) {
        let hashes = self.characters[self.next + 1..]
            .iter()
            .take_while(|c| **c == '#')
            .count();
        if self.peek(1 + hashes) != Some('"') {
            return self.code(); // a raw identifier such as `r#type`
        }
        self.next += 2 + hashes;
        self.push_code('"');
        while let Some(character) = self.advance() {
            let closing = (0..hashes).all(|ahead| self.peek(ahead) == Some('#'));
            if character == '"' && closing {
                self.next += hashes;
                break;
            }
        }
        self.push_code('"');
    }

    fn character_or_lifetime(&mut self) {
        self.push_code('\'');
        self.next += 1;
        if self.peek(0) == Some('\\') {
            self.next += 2;
            while self.advance().is_some_and(|character| character != '\'') {}
        } else if self.peek(1) == Some('\'') {
            self.advance();
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(source: &str) -> String {
        split(source)
            .iter()
            .map(|line| line.code.as_str())
            .collect::<Vec<_>>()
            .join("|")
    }

    fn comment(source: &str) -> String {
        split(source)
            .iter()
            .map(|line| line.comment.as_str())
            .collect::<Vec<_>>()
            .join("|")
    }

    #[test]
    fn comments_are_no_code() {
        assert_eq!(code("a // unsafe\nb /* unsafe /* { */ */ c"), "a |b  c");
        assert_eq!(comment("a // one\nb /* two\nthree */ c"), " one| two|three ");
    }

    #[test]
    fn literals_are_empty() {
        assert_eq!(
            code(r#"f("unsafe // \" {", b"x", 'x', '\'', '"') + g"#),
            r#"f("", b"", ', ', ') + g"#
        );
        assert_eq!(
            code(r###"f(r#"unsafe " // "#, br"x\", for_r) // c"###),
            r#"f("", b"", for_r) "#
        );
        assert_eq!(
            code("let r#type: &'static str = \"a\nb\"; x"),
            "let r#type: &'static str = \"|\"; x"
        );
    }

    #[test]
    fn a_file_that_stops_inside_a_literal_ends() {
        for source in ["\"abc", "r#\"abc", "/* abc", "'", "'\\", "// x", ""] {
            assert_eq!(split(source).len(), 1, "{source}");
        }
    }
}
