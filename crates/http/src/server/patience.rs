//! [`Patient`]: a connection that waits for its next request in the kernel, not in the runtime.
//!
//! Of a client that calls again and again the next request comes some microseconds after the reply. To park
//! the runtime until then, to be woken and to find the task again costs more than to read the request. So a
//! thread with one connection and nothing else to do waits for the socket itself, for a moment, and only then
//! leaves the waiting to the runtime. It is off by default: on two cores it saved nothing that could be measured.

use std::io::{self, Read as _};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::runtime::RuntimeMetrics;

use super::progress::Progress;

/// The most that is read at once of a request that was waited for.
const FIRST_BYTES: usize = 8 << 10;

/// A stream that may wait by itself between two exchanges.
pub(crate) struct Patient {
    stream: TcpStream,
    progress: Arc<Progress>,
    company: Company,
    patience: Timespec,
    /// The last write did not take all: bytes of ours are still to go out.
    stuck: bool,
    first: Box<[u8]>,
}

/// Who else lives on the thread of a connection.
pub(crate) struct Company {
    /// Connections of this thread, those included that are on their way to it.
    open: Arc<AtomicUsize>,
    tasks: RuntimeMetrics,
}

impl Company {
    /// The company of a task of the present runtime, which counts its connections in `open`.
    pub(crate) fn new(open: Arc<AtomicUsize>) -> Company {
        let tasks = tokio::runtime::Handle::current().metrics();
        Company { open, tasks }
    }

    fn is_alone(&self) -> bool {
        self.open.load(Relaxed) == 1 && self.tasks.num_alive_tasks() == 1
    }
}

impl Patient {
    /// Waits at most so long for each request before it leaves the waiting to the runtime.
    pub(crate) fn new(
        stream: TcpStream,
        progress: Arc<Progress>,
        company: Company,
        patience: Duration,
    ) -> Patient {
        // Longer than what the system can count is as long as it can.
        let patience = Timespec::try_from(patience).unwrap_or(Timespec {
            tv_sec: 3600,
            tv_nsec: 0,
        });
        let is_patient = patience.tv_sec > 0 || patience.tv_nsec > 0;
        Patient {
            stream,
            progress,
            company,
            patience,
            stuck: false,
            first: vec![0; if is_patient { FIRST_BYTES } else { 0 }].into(),
        }
    }

    /// The first bytes of the next request; `None`: none came, or there is more to do than to wait.
    fn wait(&mut self, room: usize) -> Option<io::Result<&[u8]>> {
        let count = self.first.len().min(room);
        if count == 0 || self.stuck || !self.progress.is_idle() || !self.company.is_alone() {
            return None;
        }
        let mut sockets = [PollFd::new(&self.stream, PollFlags::IN)];
        if !matches!(poll(&mut sockets, Some(&self.patience)), Ok(1..)) {
            return None;
        }
        let first = &mut self.first[..count];
        match (&*SockRef::from(&self.stream)).read(first) {
            Ok(count) => Some(Ok(&self.first[..count])),
            // The runtime will say the same, or will wait.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                None
            }
            Err(error) => Some(Err(error)),
        }
    }

    fn note<T>(&mut self, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        self.stuck = written.is_pending();
        written
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(first) = self.wait(buffer.remaining()) {
            return Poll::Ready(first.map(|first| buffer.put_slice(first)));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.note(written)
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
