//! Mixed content: text before the first child is a field, an element with text elsewhere stays XML.

use castile_plan::{ComplexId, SimpleId};
use castile_value::{Sink, Slot};
use castile_xml::Token;

use super::{Decoder, Next, Start};
use crate::error::Error;

impl<'a> Decoder<'a, '_> {
    /// Reads an element of a complex type, after its start tag, through its end tag.
    pub(super) fn complex(&mut self, id: ComplexId, slot: Slot, sink: &mut dyn Sink) -> Result<(), Error> {
        if self.types.mixed_field(id).is_some() && self.is_interleaved()? {
            return self.wild(slot, sink);
        }
        self.told_record(id, slot, sink)
    }

    /// Reads the text before the first child of an element of mixed content; gives what ended it.
    pub(super) fn leading_text(
        &mut self,
        (field, simple): (u32, SimpleId),
        sink: &mut dyn Sink,
    ) -> Result<Next<'a>, Error> {
        self.forget();
        let at = self.reader.position();
        let mut text = std::borrow::Cow::Borrowed("");
        let next = loop {
            match self.token()? {
                Token::Text(more) if text.is_empty() => text = more,
                Token::Text(more) => text.to_mut().push_str(&more),
                Token::Start { name, .. } => {
                    let at = self.reader.token_start();
                    break Next::Start(Start { name, at });
                }
                Token::End { .. } | Token::Eof => break Next::End,
                Token::Comment(_) | Token::Instruction { .. } => {}
            }
        };
        let layout = matches!(next, Next::Start(_)) && text.bytes().all(castile_lexical::is_xml_space);
        if !text.is_empty() && !layout {
            let scalar = self.scalar(&self.reader, simple, text, at)?;
            sink.scalar(Slot { field, many: false }, scalar);
        }
        Ok(next)
    }

    /// Whether the open element has text after one of its children.
    fn is_interleaved(&self) -> Result<bool, Error> {
        let mut ahead = self.reader.clone();
        let (mut depth, mut children) = (0u32, false);
        loop {
            match ahead.next().map_err(|e| Error::xml(e, self.reader.input()))? {
                Token::Start { .. } => {
                    depth += 1;
                    children = true;
                }
                Token::End { .. } | Token::Eof if depth == 0 => return Ok(false),
                Token::End { .. } => depth -= 1,
                Token::Text(text)
                    if depth == 0 && children && !text.bytes().all(castile_lexical::is_xml_space) =>
                {
                    return Ok(true);
                }
                _ => {}
            }
        }
    }
}
