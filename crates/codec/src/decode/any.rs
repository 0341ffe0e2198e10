//! Wildcards and `anyType`.

use castile_plan::{Builtin, TypeId};
use castile_value::{Sink, Slot};
use castile_xml::Token;

use super::Decoder;
use crate::error::Error;

impl<'a> Decoder<'a, '_> {
    /// An element that a wildcard admits, kept as namespace-complete XML.
    pub(super) fn wild(&mut self, slot: Slot, sink: &mut dyn Sink) -> Result<(), Error> {
        self.forget();
        let text = self
            .reader
            .capture()
            .map_err(|e| Error::xml(e, self.reader.input()))?;
        sink.xml(slot, text);
        Ok(())
    }

    /// An element of `anyType`: by its `xsi:type` if the table knows that, as text if it has
    /// nothing but text, else as XML.
    pub(super) fn any(&mut self, slot: Slot, sink: &mut dyn Sink) -> Result<(), Error> {
        self.forget();
        match self.xsi_type() {
            Some(TypeId::Simple(id)) => {
                let (scalar, _) = self.scalar_text(id, None)?;
                sink.scalar(slot, scalar);
                return Ok(());
            }
            Some(TypeId::Complex(id)) => {
                self.refuse_abstract(id)?;
                sink.open(slot, self.types.shape(id));
                self.record(id, sink)?;
                sink.close();
                return Ok(());
            }
            _ => {}
        }
        if self.reader.attributes().is_empty() && self.is_text_only()? {
            let (scalar, _) = self.scalar_text(Builtin::String.into(), None)?;
            sink.scalar(slot, scalar);
            return Ok(());
        }
        self.wild(slot, sink)
    }

    /// Whether the open element has no child elements.
    fn is_text_only(&self) -> Result<bool, Error> {
        let mut ahead = self.reader.clone();
        loop {
            match ahead.next().map_err(|e| Error::xml(e, self.reader.input()))? {
                Token::Start { .. } => return Ok(false),
                Token::End { .. } | Token::Eof => return Ok(true),
                _ => {}
            }
        }
    }
}
