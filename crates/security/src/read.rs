//! Reading a `wsse:Security` block.

use std::time::Duration;

use castile_codec::{HeaderBlock, Refusal};
use castile_lexical::{DateTime, DateTimeKind, parse_base64};
use castile_xml::{Reader, Token};

use crate::fault::Wrong;
use crate::names::{BASE64, DIGEST, TEXT, WSSE, WSU};

/// What a security header holds, as far as it is known here.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(crate) timestamp: Option<Times>,
    pub(crate) username: Option<Username>,
    /// The name of the first thing in it that is not known here.
    pub(crate) unknown: Option<String>,
}

/// A `wsu:Timestamp`, in time since 1970.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Times {
    pub(crate) created: Option<Duration>,
    pub(crate) expires: Option<Duration>,
}

/// A `wsse:UsernameToken` as it came.
#[derive(Default)]
pub(crate) struct Username {
    pub(crate) user: String,
    pub(crate) password: Option<String>,
    pub(crate) is_digest: bool,
    pub(crate) nonce: Option<Vec<u8>>,
    /// The text, of which the digest is made.
    pub(crate) created: Option<String>,
}

impl std::fmt::Debug for Username {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UsernameToken").field("user", &self.user).finish()
    }
}

/// The security header that is meant for us; `None` when there is none.
///
/// # Errors
/// There are two, or it is not what WS-Security says.
pub(crate) fn security(blocks: &[HeaderBlock]) -> Result<Option<Block>, Refusal> {
    let is = |b: &&HeaderBlock| b.name.namespace == WSSE && b.name.local == "Security" && b.is_for(&[]);
    let mut ours = blocks.iter().filter(is);
    let (first, second) = (ours.next(), ours.next());
    if second.is_some() {
        return Err(invalid("there are two security headers for one receiver"));
    }
    first.map(|block| Parser::new(&block.xml).block()).transpose()
}

struct Parser<'a> {
    reader: Reader<'a>,
}

/// A child element: its namespace and its local name.
type Child<'a> = (String, &'a str);

impl<'a> Parser<'a> {
    fn new(xml: &'a str) -> Self {
        Parser {
            reader: Reader::new(xml),
        }
    }

    fn block(&mut self) -> Result<Block, Refusal> {
        let mut block = Block::default();
        self.child()?;
        while let Some((namespace, local)) = self.child()? {
            match (&*namespace, local) {
                (WSU, "Timestamp") if block.timestamp.is_none() => block.timestamp = Some(self.times()?),
                (WSSE, "UsernameToken") if block.username.is_none() => block.username = Some(self.token()?),
                (WSU, "Timestamp") | (WSSE, "UsernameToken") => {
                    return Err(invalid(format!("there are two elements {local}")));
                }
                _ => {
                    block.unknown.get_or_insert(format!("{{{namespace}}}{local}"));
                    self.skip()?;
                }
            }
        }
        Ok(block)
    }

    fn times(&mut self) -> Result<Times, Refusal> {
        let mut times = Times::default();
        while let Some((namespace, local)) = self.child()? {
            let target = match (&*namespace, local) {
                (WSU, "Created") => &mut times.created,
                (WSU, "Expires") => &mut times.expires,
                _ => {
                    self.skip()?;
                    continue;
                }
            };
            if target.is_some() {
                return Err(invalid(format!("the timestamp has two elements {local}")));
            }
            let text = self.text()?;
            *target = Some(instant(&text)?);
        }
        Ok(times)
    }

    fn token(&mut self) -> Result<Username, Refusal> {
        let mut token = Username::default();
        let mut named = false;
        while let Some((namespace, local)) = self.child()? {
            match (&*namespace, local) {
                (WSSE, "Username") if !std::mem::replace(&mut named, true) => token.user = self.text()?,
                (WSSE, "Password") if token.password.is_none() => {
                    token.is_digest = self.kind()?;
                    token.password = Some(self.text()?);
                }
                (WSSE, "Nonce") if token.nonce.is_none() => token.nonce = Some(self.nonce()?),
                (WSU, "Created") if token.created.is_none() => token.created = Some(self.text()?),
                (WSSE, "Username" | "Password" | "Nonce") | (WSU, "Created") => {
                    return Err(invalid(format!("the token has two elements {local}")));
                }
                _ => self.skip()?,
            }
        }
        if named {
            Ok(token)
        } else {
            Err(invalid("the token names no user"))
        }
    }

    /// Whether the password is a digest; a password without a type is text.
    fn kind(&self) -> Result<bool, Refusal> {
        match self.attribute("Type").as_deref() {
            None | Some(TEXT) => Ok(false),
            Some(DIGEST) => Ok(true),
            Some(other) => {
                let text = format!("passwords of type {other} are not supported");
                Err(Wrong::UnsupportedSecurityToken.because(text))
            }
        }
    }

    fn nonce(&mut self) -> Result<Vec<u8>, Refusal> {
        if let Some(encoding) = self.attribute("EncodingType").filter(|e| e != BASE64) {
            return Err(invalid(format!(
                "a nonce in encoding {encoding} is not supported"
            )));
        }
        let mut bytes = Vec::new();
        let text = self.text()?;
        parse_base64(text.as_bytes(), &mut bytes).map_err(|_| invalid("the nonce is no base64"))?;
        Ok(bytes)
    }

    fn attribute(&self, local: &str) -> Option<String> {
        let found = self.reader.attributes().iter().find(|a| a.name.local == local);
        found.map(|a| a.value.trim().to_owned())
    }

    fn child(&mut self) -> Result<Option<Child<'a>>, Refusal> {
        loop {
            match self.reader.next().map_err(malformed)? {
                Token::Start { name, .. } => {
                    return Ok(Some((self.reader.uri(name.ns).to_owned(), name.local)));
                }
                Token::End { .. } | Token::Eof => return Ok(None),
                _ => {}
            }
        }
    }

    /// The text of the open element, through its end tag, white space around it left out.
    fn text(&mut self) -> Result<String, Refusal> {
        let mut text = String::new();
        loop {
            match self.reader.next().map_err(malformed)? {
                Token::Text(more) => text.push_str(&more),
                Token::End { .. } | Token::Eof => return Ok(text.trim().to_owned()),
                Token::Start { name, .. } => {
                    return Err(invalid(format!(
                        "element {} where only text may stand",
                        name.local
                    )));
                }
                _ => {}
            }
        }
    }

    fn skip(&mut self) -> Result<(), Refusal> {
        self.reader.skip_element().map_err(malformed)
    }
}

/// The time of an `xs:dateTime`, which must be in UTC or say its zone.
pub(crate) fn instant(text: &str) -> Result<Duration, Refusal> {
    let parsed = DateTime::parse(DateTimeKind::DateTime, text.as_bytes()).ok();
    let instant = parsed.and_then(|t| t.to_unix());
    instant.ok_or_else(|| invalid(format!("{:?} is no time", shown(text))))
}

fn shown(text: &str) -> &str {
    &text[..text.floor_char_boundary(40)]
}

fn invalid(text: impl Into<String>) -> Refusal {
    Wrong::InvalidSecurity.because(text)
}

fn malformed(error: castile_xml::Error) -> Refusal {
    invalid(error.to_string())
}
