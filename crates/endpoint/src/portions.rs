//! A message on its way while it is written: [`Portions`] takes it from the encoder and hands it to the
//! connection, a few buffers going round.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use castile_codec::{Drain, Stopped};
use castile_http::{BodySender, Bytes};

/// The thread that makes a message, as the language it belongs to sees it.
pub trait Host: Sync {
    /// Does work that needs nothing of the language, such as waiting: locks are let go meanwhile.
    fn unlocked(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }

    /// Asked several times a second: whether to give up.
    fn interrupted(&self) -> bool {
        false
    }
}

/// A thread without locks that nobody interrupts.
pub struct Here;

impl Host for Here {}

/// How often a waiting call asks whether to give up.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// Bytes that are handed over at once: so many that the cost of handing over vanishes, so few that they
/// are still in the cache when they are sent.
const PORTION_BYTES: usize = 256 << 10;

/// Portions that wait while one is sent and the next is written.
pub(crate) const AHEAD: usize = 1;

/// Buffers that are kept for the next portion.
const SPENT_MAX: usize = 4;

/// Takes a message from an encoder and gives it to a connection.
pub(crate) struct Portions<'h> {
    sender: BodySender,
    host: &'h dyn Host,
    spent: mpsc::Receiver<Vec<u8>>,
    back: mpsc::SyncSender<Vec<u8>>,
    bytes: u64,
    waited: Duration,
}

impl<'h> Portions<'h> {
    pub(crate) fn new(sender: BodySender, host: &'h dyn Host) -> Portions<'h> {
        let (back, spent) = mpsc::sync_channel(SPENT_MAX);
        Portions {
            sender,
            host,
            spent,
            back,
            bytes: 0,
            waited: Duration::ZERO,
        }
    }

    /// The message is whole: gives its bytes, and the time spent on waiting for the connection.
    pub(crate) fn finish(self) -> (u64, Duration) {
        self.sender.finish();
        (self.bytes, self.waited)
    }

    fn send(&mut self, chunk: Bytes) -> Result<(), Stopped> {
        let mut left = Some(chunk);
        while let Some(chunk) = left.take() {
            let mut offered = Some(chunk);
            let mut outcome = Ok(None);
            let sender = &self.sender;
            self.host.unlocked(&mut || {
                if let Some(chunk) = offered.take() {
                    outcome = sender.send_within(chunk, TICK);
                }
            });
            left = outcome.map_err(|_| Stopped)?;
            if left.is_some() && self.host.interrupted() {
                return Err(Stopped);
            }
        }
        Ok(())
    }
}

impl Drain for Portions<'_> {
    fn portion_bytes(&self) -> usize {
        PORTION_BYTES
    }

    fn drain(&mut self, out: &mut Vec<u8>) -> Result<(), Stopped> {
        self.bytes += out.len() as u64;
        let mut fresh = self.spent.try_recv().unwrap_or_default();
        fresh.clear();
        let portion = Portion {
            bytes: std::mem::replace(out, fresh),
            back: self.back.clone(),
        };
        let began = Instant::now();
        let sent = self.send(Bytes::from_owner(portion));
        self.waited += began.elapsed();
        sent
    }
}

/// A buffer that goes back when the connection has sent it.
struct Portion {
    bytes: Vec<u8>,
    back: mpsc::SyncSender<Vec<u8>>,
}

impl AsRef<[u8]> for Portion {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Portion {
    fn drop(&mut self) {
        // Nobody waits for it, or there are enough: then it is freed.
        let _ = self.back.try_send(std::mem::take(&mut self.bytes));
    }
}
