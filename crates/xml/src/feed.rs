//! Reading while the document comes: [`Feed`].

use std::cell::Cell;
use std::fmt;

use crate::error::{Error, Kind, line_column};
use crate::intake::Intake;
use crate::limits::{Doctype, Limits};
use crate::reader::{Reader, Suspended};
use crate::token::Token;

/// A document of which bytes come piece by piece, and which is read while they come, in constant memory.
///
/// ```text
///   bytes ──push──▶ [ text not read yet ] ──read──▶ Window ──next──▶ tokens
///                     dropped when read                └── None: the next token is not there yet
/// ```
///
/// What is read, errors and their places included, does not depend on how the bytes were cut.
///
/// ```
/// use castile_xml::{Feed, Limits, Token};
/// # fn main() -> Result<(), castile_xml::Error> {
/// let mut feed = Feed::new(Limits::default());
/// let mut numbers = Vec::new();
/// for piece in ["<sum><n>1", "7</n><", "n>2</n></sum>"] {
///     feed.push(piece.as_bytes());
///     feed.read(|window| {
///         while let Some(token) = window.next()? {
///             if let Token::Text(text) = token {
///                 numbers.push(text.into_owned());
///             }
///         }
///         Ok::<_, castile_xml::Error>(())
///     })?;
/// }
/// assert_eq!(numbers, ["17", "2"]);
/// # Ok(())
/// # }
/// ```
pub struct Feed {
    intake: Intake,
    text: String,
    /// Bytes of `text` that were read.
    read: usize,
    reader: Suspended,
    /// Where the text that is not read yet begins.
    base: Place,
    /// Bytes that came.
    came: u64,
    last: bool,
    /// What is wrong with what comes after the text.
    bad: Option<Error>,
    /// Bytes that must wait before a long token that was not whole is tried again.
    wanted: usize,
}

/// A place in a document: offset in bytes of its text as UTF-8, line and column from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Bytes before it.
    pub offset: usize,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// What of a document can be read now.
pub struct Window<'w> {
    reader: Reader<'w>,
    last: bool,
    bad: Option<&'w Error>,
    base: Place,
    bytes_max: u64,
    /// Whether more bytes are needed for what comes next.
    waits: Cell<bool>,
}

impl Feed {
    /// A document of which nothing came yet; its encoding is what its first bytes say.
    pub fn new(limits: Limits) -> Feed {
        Feed::with_charset(limits, None)
    }

    /// The same, with the encoding that the transport names, as for [`to_utf8`](crate::to_utf8).
    pub fn with_charset(limits: Limits, charset: Option<&str>) -> Feed {
        Feed {
            intake: Intake::new(charset),
            text: String::new(),
            read: 0,
            reader: Suspended::new(limits, Doctype::Refuse),
            base: Place::START,
            came: 0,
            last: false,
            bad: None,
            wanted: 0,
        }
    }

    /// Takes the next bytes. What is wrong with them is told when everything before is read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.take(bytes, false);
    }

    /// No more bytes come.
    pub fn finish(&mut self) {
        self.take(&[], true);
    }

    /// Whether no more bytes come.
    pub fn is_finished(&self) -> bool {
        self.last
    }

    /// Bytes of text that came and were not read.
    pub fn waiting(&self) -> usize {
        self.text.len() - self.read
    }

    /// Where the text that is not read begins.
    pub fn place(&self) -> Place {
        self.base
    }

    /// Reads on. What `work` has read is dropped afterwards; tokens that it wants to keep are copied.
    /// Offsets, of errors too, count from the start of the window; [`Window::place_of`] says where in the
    /// document an error is.
    pub fn read<T>(&mut self, work: impl FnOnce(&mut Window<'_>) -> T) -> T {
        let text = self.text.get(self.read..).unwrap_or_default();
        // The first characters decide whether there is an XML declaration.
        let head = self.reader.is_new() && text.len() < HEAD_BYTES;
        let within = text.len() as u64 <= self.reader.limits().window_bytes_max;
        let early = !self.last && (head || within && self.bad.is_none() && text.len() < self.wanted);
        let text = if early { "" } else { text };
        let mut window = Window {
            reader: self.reader.resume(text),
            last: self.last && self.bad.is_none(),
            bad: self.bad.as_ref(),
            base: self.base,
            bytes_max: self.reader.limits().window_bytes_max,
            waits: Cell::new(false),
        };
        let result = work(&mut window);
        let read = text.get(..window.reader.position()).unwrap_or_default();
        // White space around the root may end in half a line end.
        let half = !self.last && read.len() == text.len() && read.ends_with('\r');
        let read = &read[..read.len() - usize::from(half)];
        if early {
            return result;
        }
        let left = text.len() - read.len();
        self.wanted = match window.waits.get() && left > LONG_BYTES {
            true => left + left / 8,
            false => 0,
        };
        let suspended = window.reader.suspend();
        self.base = self.base.after(read);
        self.read += read.len();
        self.reader = suspended;
        result
    }

    fn take(&mut self, bytes: &[u8], last: bool) {
        if self.last || self.bad.is_some() {
            self.last |= last;
            return;
        }
        // What was read makes room, when that moves less than it frees.
        if self.read > self.text.len() / 2 {
            self.text.drain(..self.read);
            self.read = 0;
        }
        self.last = last;
        let max = self.reader.limits().bytes_max;
        let room = usize::try_from(max - self.came.min(max)).unwrap_or(usize::MAX);
        let within = bytes.get(..room).unwrap_or(bytes);
        self.came += within.len() as u64;
        let taken = self.intake.push(within, last, &mut self.text);
        let over = within.len() < bytes.len();
        self.bad = match taken {
            Err(error) => Some(error),
            Ok(()) if over => Some(Error::limit(self.text.len(), "bytes_max", max)),
            Ok(()) => None,
        };
    }
}

/// A token of which so many bytes came, and which is not whole, is tried again only when an eighth more came:
/// else one that never ends would cost the square of its length.
const LONG_BYTES: usize = 64 << 10;

/// As many bytes as a byte order mark and `<?xml ` have.
const HEAD_BYTES: usize = 9;

impl<'w> Window<'w> {
    /// The next token; `None` when what has come is not enough for one, or the document is read to its
    /// end and no more bytes come.
    ///
    /// # Errors
    /// Those of [`Reader::next`]; bytes that are not of the encoding; [`Limits::window_bytes_max`] when
    /// so many bytes are not enough for a token.
    #[expect(clippy::should_implement_trait, reason = "it is fallible")]
    pub fn next(&mut self) -> Result<Option<Token<'w>>, Error> {
        self.waits.set(false);
        let token = self.reader.next();
        let cut = match &token {
            Err(error) => !self.last && matches!(error.kind(), Kind::UnexpectedEnd { .. }),
            Ok(Token::Eof) => return self.missing_at_end(),
            Ok(Token::Text(_)) => !self.last && self.text_may_go_on(),
            Ok(_) => false,
        };
        match token {
            Ok(_) if cut => {
                self.reader.unread_text();
                self.missing()
            }
            Err(_) if cut => self.missing(),
            token => token.map(Some),
        }
    }

    /// Whether the element that the last token started has come whole. If not, that token is taken back:
    /// the next one is the same `Start`.
    ///
    /// # Errors
    /// As for [`Window::next`], when what is missing cannot come.
    pub fn whole(&mut self) -> Result<bool, Error> {
        if self.last || self.reader.is_whole() {
            return Ok(true);
        }
        self.reader.unread_start();
        self.missing().map(|_: Option<Token<'_>>| false)
    }

    /// The reader itself, for what needs no more than has come. It does not know that more may come: at
    /// the end of the window it fails with [`Kind::UnexpectedEnd`].
    pub fn reader(&mut self) -> &mut Reader<'w> {
        &mut self.reader
    }

    /// Where the window begins.
    pub fn place(&self) -> Place {
        self.base
    }

    /// Where in the document an error of this window is.
    pub fn place_of(&self, error: &Error) -> Place {
        let input = self.reader.input();
        let end = input.floor_char_boundary(error.offset());
        self.base.after(input.get(..end).unwrap_or(input))
    }

    /// Whether no more bytes come after those of the window.
    pub fn is_last(&self) -> bool {
        self.last
    }

    /// Nothing can be read before more bytes come: whether that is all right.
    ///
    /// # Errors
    /// What comes is wrong, or too much has come already.
    pub fn missing<T>(&self) -> Result<Option<T>, Error> {
        match self.bad {
            Some(error) => Err(self.behind(error)),
            None if self.reader.rest().len() as u64 > self.bytes_max => {
                let max = self.bytes_max;
                Err(Error::limit(self.reader.position(), "window_bytes_max", max))
            }
            None => {
                self.waits.set(true);
                Ok(None)
            }
        }
    }

    fn missing_at_end<T>(&self) -> Result<Option<T>, Error> {
        match self.bad {
            Some(error) => Err(self.behind(error)),
            None => Ok(None),
        }
    }

    /// What is wrong with what comes, at the end of the window.
    fn behind(&self, error: &Error) -> Error {
        Error::new(error.kind().clone(), self.reader.input().len())
    }

    /// Whether what follows a text at the end of the window could be a CDATA section, which would belong to
    /// it.
    fn text_may_go_on(&self) -> bool {
        let rest = self.reader.rest();
        rest.len() < CDATA.len() && CDATA.starts_with(rest)
    }
}

const CDATA: &[u8] = b"<![CDATA[";

impl Place {
    /// The first byte of a document.
    pub const START: Place = Place {
        offset: 0,
        line: 1,
        column: 1,
    };

    /// The place behind `text` that begins here.
    #[must_use]
    pub fn after(self, text: &str) -> Place {
        let (line, column) = self.line_column(line_column(text, text.len()));
        Place {
            offset: self.offset.saturating_add(text.len()),
            line,
            column,
        }
    }

    /// Line and column in the document of a line and column that count from here.
    #[must_use]
    pub fn line_column(self, (line, column): (u32, u32)) -> (u32, u32) {
        match line {
            1 => (self.line, self.column.saturating_add(column - 1)),
            _ => (self.line.saturating_add(line - 1), column),
        }
    }
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed")
            .field("place", &self.base)
            .field("waiting", &self.waiting())
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}
