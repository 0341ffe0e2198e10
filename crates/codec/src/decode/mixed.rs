//! Mixed content: text before the first child is a field, an element with text elsewhere stays XML.

use std::collections::HashSet;
use std::ops::Range;

use castile_plan::{ComplexId, SimpleId};
use castile_value::{Sink, Slot};
use castile_xml::Token;

use super::{Decoder, Next, Start};
use crate::error::Error;

/// What was looked through before it is read.
#[derive(Default)]
pub(super) struct Looked {
    range: Range<usize>,
    /// Where elements begin that have text after a child.
    interleaved: HashSet<usize>,
}

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

    /// Whether the open element has text after one of its children. What is in it is looked through once for all.
    fn is_interleaved(&mut self) -> Result<bool, Error> {
        let at = self.reader.token_start();
        if !self.looked.range.contains(&at) {
            self.looked = self.look_through(at)?;
        }
        Ok(self.looked.interleaved.contains(&at))
    }

    fn look_through(&self, at: usize) -> Result<Looked, Error> {
        let mut ahead = self.reader.clone();
        let mut interleaved = HashSet::new();
        // Where each open element begins, and whether it has a child.
        let mut open = vec![(at, false)];
        while let Some((start, has_child)) = open.last_mut() {
            match ahead.next().map_err(|e| Error::xml(e, self.reader.input()))? {
                Token::Start { .. } => {
                    *has_child = true;
                    open.push((ahead.token_start(), false));
                }
                Token::End { .. } | Token::Eof => {
                    open.pop();
                }
                Token::Text(text) if *has_child && !text.bytes().all(castile_lexical::is_xml_space) => {
                    interleaved.insert(*start);
                    if *start == at {
                        // It stays XML, so nothing in it is asked for.
                        break;
                    }
                }
                _ => {}
            }
        }
        Ok(Looked {
            range: at..ahead.position(),
            interleaved,
        })
    }
}
