//! [`Metered`]: a stream that notes in its [`Meter`] how many bytes moved and when, so that time
//! limits, timings and "was anything sent?" need nothing from the protocol above.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What moved over one connection since [`Meter::reset`]. Times are nanoseconds since the meter
/// was made; they are written by the one task that drives the connection.
#[derive(Debug)]
pub(crate) struct Meter {
    origin: Instant,
    started: AtomicU64,
    written: AtomicU64,
    read: AtomicU64,
    write_last: AtomicU64,
    read_first: AtomicU64,
    read_last: AtomicU64,
    /// The connection waits for bytes to write, which we have to make.
    starved: AtomicBool,
}

impl Meter {
    pub(crate) fn new() -> Meter {
        let zero = || AtomicU64::new(0);
        Meter {
            origin: Instant::now(),
            started: zero(),
            written: zero(),
            read: zero(),
            write_last: zero(),
            read_first: zero(),
            read_last: zero(),
            starved: AtomicBool::new(false),
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    pub(crate) fn at(&self, nanos: u64) -> Instant {
        self.origin + Duration::from_nanos(nanos)
    }

    /// An exchange starts: nothing written, nothing read.
    pub(crate) fn reset(&self, started: Instant) {
        let nanos = started.saturating_duration_since(self.origin).as_nanos();
        let started = u64::try_from(nanos).unwrap_or(u64::MAX);
        self.started.store(started, Relaxed);
        self.write_last.store(started, Relaxed);
        self.read_last.store(started, Relaxed);
        self.rewind();
    }

    /// Counts from zero again; the times of the last bytes stay.
    pub(crate) fn rewind(&self) {
        self.written.store(0, Relaxed);
        self.read.store(0, Relaxed);
        self.read_first.store(0, Relaxed);
        self.starved.store(false, Relaxed);
    }

    /// Whether the connection waits for bytes of ours.
    pub(crate) fn starve(&self, starved: bool) {
        self.starved.store(starved, Relaxed);
    }

    /// When the exchange started.
    pub(crate) fn started(&self) -> Instant {
        self.at(self.started.load(Relaxed))
    }

    /// Bytes written since the reset.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Relaxed)
    }

    /// Bytes read since the reset.
    pub(crate) fn read(&self) -> u64 {
        self.read.load(Relaxed)
    }

    /// When the last byte was written.
    pub(crate) fn write_last(&self) -> Instant {
        self.at(self.write_last.load(Relaxed))
    }

    /// When the first byte was read; the last write when none was.
    pub(crate) fn read_first(&self) -> Instant {
        self.at(self.read_first.load(Relaxed).max(self.write_last.load(Relaxed)))
    }

    /// When a byte last moved in either direction; now, as long as it is we who keep the peer waiting.
    pub(crate) fn progress_last(&self) -> Instant {
        if self.starved.load(Relaxed) {
            return Instant::now();
        }
        self.at(self.read_last.load(Relaxed).max(self.write_last.load(Relaxed)))
    }

    /// When the last byte was read.
    pub(crate) fn read_last(&self) -> u64 {
        self.read_last.load(Relaxed)
    }

    fn note_written(&self, count: usize) {
        self.written.store(self.written() + count as u64, Relaxed);
        self.write_last.store(self.now(), Relaxed);
    }

    fn note_read(&self, count: usize) {
        if count == 0 {
            return;
        }
        let (before, now) = (self.read(), self.now());
        self.read.store(before + count as u64, Relaxed);
        if before == 0 {
            self.read_first.store(now, Relaxed);
        }
        self.read_last.store(now, Relaxed);
    }
}

/// A stream and its meter.
pub(crate) struct Metered<S> {
    before: Bytes,
    stream: S,
    meter: Arc<Meter>,
}

impl<S> Metered<S> {
    pub(crate) fn new(stream: S, meter: Arc<Meter>) -> Metered<S> {
        Metered::resumed(Bytes::new(), stream, meter)
    }

    /// A stream of which some bytes were read before: they come first.
    pub(crate) fn resumed(before: Bytes, stream: S, meter: Arc<Meter>) -> Metered<S> {
        Metered {
            before,
            stream,
            meter,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let filled = buffer.filled().len();
        let result = if self.before.is_empty() {
            Pin::new(&mut self.stream).poll_read(context, buffer)
        } else {
            let count = self.before.len().min(buffer.remaining());
            buffer.put_slice(&self.before.split_to(count));
            Poll::Ready(Ok(()))
        };
        if matches!(result, Poll::Ready(Ok(()))) {
            self.meter.note_read(buffer.filled().len() - filled);
        }
        result
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        if let Poll::Ready(Ok(count)) = result {
            self.meter.note_written(count);
        }
        result
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        if let Poll::Ready(Ok(count)) = result {
            self.meter.note_written(count);
        }
        result
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
