//! Arguments that are read while they come: [`ArgumentStream`].

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use castile_codec::{Fault, Version};
use castile_http::Bytes;
use castile_plan::ComplexId;
use castile_value::{Record, Value};

use crate::batched::{Batched, Chunks};
use crate::error::{Error, Guilty};
use crate::portions::{Here, Host};

/// The long array of a request, batch by batch while it comes, in constant memory. The values beside it
/// come first. A handler need not read it to its end: the connection is closed after the reply then.
pub struct ArgumentStream {
    pub(super) batched: Batched<castile_http::Arriving>,
    pub(super) header: Record,
    pub(super) values: Record,
    pub(super) note: Arc<Note>,
}

/// What is left of a stream when it is gone.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) version: Version,
    pub(super) rpc: bool,
    pub(super) bytes: AtomicU64,
    /// What the caller is told when the message was not what it should be, whatever the handler says.
    pub(super) broken: Mutex<Option<Fault>>,
}

impl ArgumentStream {
    /// The arguments that stand before the array.
    pub fn values(&self) -> &Record {
        &self.values
    }

    /// The header blocks that the contract knows.
    pub fn header(&self) -> &Record {
        &self.header
    }

    /// Moves the arguments before the array out.
    pub fn take_values(&mut self) -> Record {
        let empty = Record::new(self.values.shape().clone());
        std::mem::replace(&mut self.values, empty)
    }

    /// Moves the header blocks out.
    pub fn take_header(&mut self) -> Record {
        let empty = Record::new(self.header.shape().clone());
        std::mem::replace(&mut self.header, empty)
    }

    /// The complex type that has the array, and the number of its field there.
    pub fn array(&self) -> (ComplexId, u32) {
        self.batched.array()
    }

    /// The name of the array: `values`, or `a.b` for field `b` of field `a`.
    pub fn array_name(&self) -> &str {
        self.batched.name()
    }

    /// Items that were read so far.
    pub fn items(&self) -> u64 {
        self.batched.items()
    }

    /// Bytes of the message that came so far, decompressed.
    pub fn bytes(&self) -> u64 {
        self.batched.bytes()
    }

    /// The next batch of the array; `None` when the message is read to its end.
    ///
    /// # Errors
    /// The request breaks off, or is not what the contract says, with the path and the place; a limit. The
    /// caller gets it as a fault. Nothing comes after an error.
    pub fn batch(&mut self, host: &dyn Host) -> Result<Option<Value>, Error> {
        let batch = self.batched.batch(host);
        self.note(&batch);
        batch
    }

    /// Reads the values that stand before the array.
    pub(super) fn begin(&mut self, host: &dyn Host) -> Result<(), Error> {
        let values = self.batched.leading(host);
        self.note(&values);
        self.values = values?;
        Ok(())
    }

    fn note<T>(&self, read: &Result<T, Error>) {
        self.note.bytes.store(self.bytes(), Ordering::Relaxed);
        let Err(error) = read else { return };
        if error.guilty() == Guilty::Peer {
            let fault = error.to_fault_of(self.note.version, self.note.rpc);
            *self.note.broken.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
        }
    }
}

impl Iterator for ArgumentStream {
    type Item = Result<Value, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch(&Here).transpose()
    }
}

impl Chunks for castile_http::Arriving {
    fn chunk(&mut self, _interrupted: &dyn Fn() -> bool) -> Result<Option<Bytes>, Error> {
        Ok(castile_http::Arriving::chunk(self)?)
    }
}

impl fmt::Debug for ArgumentStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArgumentStream")
            .field("array", &self.array_name())
            .field("items", &self.items())
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}
