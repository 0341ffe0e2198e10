//! Wildcards and `anyType`.

use castile_plan::{Builtin, ElementId, Process, QName, TypeId, Wildcard};
use castile_value::{Sink, Slot};
use castile_xml::Token;

use super::{Decoder, Start};
use crate::error::Error;

impl<'a> Decoder<'a, '_> {
    /// An element that a wildcard admits, kept as namespace-complete XML.
    pub(super) fn wild(&mut self, slot: Slot, sink: &mut dyn Sink) -> Result<(), Error> {
        self.forget();
        let from = self.reader.token_start();
        let text = self
            .reader
            .capture()
            .map_err(|e| Error::xml(e, self.reader.input()))?;
        self.taught_xml(from);
        sink.xml(slot, text);
        Ok(())
    }

    /// An element that a wildcard admits: by its declaration where the contract has one, and the
    /// wildcard wants it used, else as XML.
    pub(super) fn admitted(
        &mut self,
        wildcard: &Wildcard,
        slot: Slot,
        start: Start<'a>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let types = self.types;
        let declared = match (wildcard.process, self.ns(start.name.ns)) {
            (Process::Skip, _) | (_, None) => None,
            (_, Some(ns)) => types.element_named(&QName::new(ns, start.name.local)),
        };
        let useful = |id: &ElementId| {
            let element = &types.elements[id.index()];
            !element.is_abstract && matches!(element.ty, TypeId::Simple(_) | TypeId::Complex(_))
        };
        let Some(id) = declared.filter(useful) else {
            return self.wild(slot, sink);
        };
        self.forget();
        let global = types.global(id);
        sink.open(slot, &global.shape);
        let only = Slot {
            field: 0,
            many: false,
        };
        self.element(&global.field, only, start, sink)?;
        sink.close();
        Ok(())
    }

    /// An element of `anyType`: by its `xsi:type` if the table knows that, as text if it has
    /// nothing but text, else as XML.
    pub(super) fn any(&mut self, slot: Slot, sink: &mut dyn Sink) -> Result<(), Error> {
        self.forget();
        match self.xsi_type() {
            Some(TypeId::Simple(id)) => {
                let (scalar, _) = self.plain_text(id)?;
                sink.scalar(slot, scalar);
                return Ok(());
            }
            Some(TypeId::Complex(id)) => {
                self.refuse_abstract(id)?;
                return self.complex(id, slot, sink);
            }
            _ => {}
        }
        if self.reader.attributes().is_empty() && self.is_text_only()? {
            let (scalar, _) = self.plain_text(Builtin::String.into())?;
            sink.scalar(slot, scalar);
            return Ok(());
        }
        self.wild(slot, sink)
    }

    /// Whether the open element has no child elements.
    pub(super) fn is_text_only(&self) -> Result<bool, Error> {
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
