//! A kept text: a long string, or bytes, and what was written for it.

use std::sync::Arc;

use castile_codec::{Error, Long};

use super::pieces::Piece;
use super::report::Report;

/// One text or one run of bytes.
#[derive(Debug)]
pub(crate) struct Text {
    simple: u32,
    strict: bool,
    binary: bool,
    raw: Vec<u8>,
    written: Arc<Vec<u8>>,
}

type Write<'w> = dyn Fn(&mut Vec<u8>) -> Result<(), Error> + 'w;

impl Text {
    /// Writes a text that nothing is known of.
    pub(crate) fn new(long: &Long<'_>, write: &Write<'_>, report: &mut Report) -> Result<Text, Error> {
        let mut text = Text {
            simple: long.simple,
            strict: long.strict,
            binary: long.binary,
            raw: Vec::new(),
            written: Arc::default(),
        };
        text.rewrite(long, write, report)?;
        Ok(text)
    }

    /// Whether `long` stands where this text may have stood.
    pub(crate) fn fits(&self, long: &Long<'_>) -> bool {
        (self.simple, self.strict, self.binary) == (long.simple, long.strict, long.binary)
    }

    /// Bytes of the value.
    pub(crate) fn len(&self) -> usize {
        self.raw.len()
    }

    /// Says what `long` holds. After an error it is as before.
    pub(crate) fn update(
        &mut self,
        long: &Long<'_>,
        write: &Write<'_>,
        report: &mut Report,
    ) -> Result<(), Error> {
        report.values_compared += 1;
        if self.raw == long.raw {
            return Ok(());
        }
        let length = self.written.len();
        self.rewrite(long, write, report)?;
        report.bytes_shifted += u64::from(length != self.written.len());
        Ok(())
    }

    fn rewrite(&mut self, long: &Long<'_>, write: &Write<'_>, report: &mut Report) -> Result<(), Error> {
        let mut written = Vec::with_capacity(long.raw.len() + long.raw.len() / 8);
        write(&mut written)?;
        report.values_rewritten += 1;
        report.bytes_rewritten += written.len() as u64;
        self.written = Arc::new(written);
        self.raw.clear();
        self.raw.extend_from_slice(long.raw);
        Ok(())
    }

    /// The piece of the message that this text is.
    pub(crate) fn piece(&self) -> Piece {
        Piece::whole(Arc::clone(&self.written))
    }

    /// Bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        self.raw.capacity() + self.written.capacity()
    }
}
