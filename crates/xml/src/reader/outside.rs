//! What stands before and after the root: XML declaration, DTD, comments and instructions
//! (XML 1.0, 2.1, 2.8).

use crate::chars;
use crate::error::{Error, Kind};
use crate::limits::Doctype;
use crate::reader::{Reader, State, doctype, misc, not_markup};
use crate::token::Token;

impl<'a> Reader<'a> {
    /// The next token before or after the root.
    #[cold]
    pub(super) fn outside(&mut self) -> Result<Token<'a>, Error> {
        loop {
            match self.state {
                State::Beginning => self.begin()?,
                State::Misled => {
                    let what = "skip_to was called with a position it cannot go to";
                    return Err(Error::new(Kind::Misuse(what), self.at));
                }
                _ => {}
            }
            let mut cursor = self.cursor();
            cursor.eat_space();
            self.at = cursor.at;
            match self.rest() {
                [b'<', b'?', ..] => return self.instruction(),
                [b'<', b'!', b'-', b'-', ..] => return self.comment(),
                [b'<', b'!', ..] => self.document_type()?,
                [b'<', ..] if self.state != State::Epilog => return self.start_tag(),
                [b'<'] => return Err(Error::end(self.input.len(), "markup after the root")),
                [] if self.state == State::Epilog => {
                    self.token_start = self.at;
                    return Ok(Token::Eof);
                }
                [] => return Err(Error::end(self.at, "the prolog, before any element")),
                _ => return Err(self.misplaced()),
            }
        }
    }

    /// What comes before everything else: a byte order mark and an XML declaration.
    fn begin(&mut self) -> Result<(), Error> {
        if self.input.len() as u64 > self.limits.bytes_max {
            let offset = usize::try_from(self.limits.bytes_max).unwrap_or(usize::MAX);
            return Err(Error::limit(offset, "bytes_max", self.limits.bytes_max));
        }
        let mut cursor = self.cursor();
        cursor.eat("\u{FEFF}");
        misc::declaration(&mut cursor)?;
        self.at = cursor.at;
        self.state = State::Prolog;
        Ok(())
    }

    fn document_type(&mut self) -> Result<(), Error> {
        let mut cursor = self.cursor();
        if !cursor.starts_with("<!DOCTYPE") {
            return Err(not_markup(&cursor, &["<!--", "<!DOCTYPE"], "the prolog"));
        }
        if self.state != State::Prolog {
            let what = "a document type declaration stands elsewhere than once before the root";
            return Err(Error::not_well_formed(self.at, what, "2.8"));
        }
        if self.doctype == Doctype::Refuse {
            return Err(Error::new(Kind::Doctype, self.at));
        }
        doctype::skip(&mut cursor, &self.limits)?;
        self.at = cursor.at;
        self.state = State::PrologAfterDoctype;
        Ok(())
    }

    fn misplaced(&self) -> Error {
        let rest = self.cursor().rest();
        if let Some(c) = rest.chars().next().filter(|&c| !chars::is_char(c)) {
            return Error::new(Kind::Character(c), self.at);
        }
        let what = match rest.starts_with('<') {
            true => "a second root element",
            false => "text outside the root element",
        };
        Error::not_well_formed(self.at, what, "2.1")
    }
}
