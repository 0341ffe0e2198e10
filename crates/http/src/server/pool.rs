//! [`Pool`]: who serves a connection, and how many there are.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::service::ServerResponse;

/// A connection that was let in, whoever serves it.
pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    pub(crate) address: SocketAddr,
    /// Counts it as open until it is dropped.
    pub(crate) open: Ticket,
}

/// A connection for a worker.
pub(crate) struct Newcomer {
    pub(crate) connection: Connection,
    pub(crate) begun: Begun,
    /// Counts it as the worker's until it is dropped.
    pub(crate) place: Ticket,
}

/// What happened on a connection before it came to a worker.
#[derive(Default)]
pub(crate) struct Begun {
    /// What was read of it and is still to be served.
    pub(crate) read: Bytes,
    /// The answer to the first request in there, where it is known already.
    pub(crate) reply: Option<Box<ServerResponse>>,
}

/// The workers of a server and the threads that serve one connection each.
pub(crate) struct Pool {
    workers: Vec<Desk>,
    /// Connections that are open.
    open: Arc<AtomicUsize>,
    /// Connections with a thread to themselves, and the most that there may be.
    direct: Arc<AtomicUsize>,
    direct_max: usize,
}

/// A worker as others see it.
pub(crate) struct Desk {
    queue: mpsc::UnboundedSender<Newcomer>,
    open: Arc<AtomicUsize>,
    runtime: Handle,
}

/// One connection in a count.
pub(crate) struct Ticket(Arc<AtomicUsize>);

impl Ticket {
    fn new(count: &Arc<AtomicUsize>) -> Ticket {
        count.fetch_add(1, Relaxed);
        Ticket(Arc::clone(count))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl Desk {
    /// A desk, and what its worker takes from it.
    pub(crate) fn new(runtime: Handle) -> (Desk, mpsc::UnboundedReceiver<Newcomer>) {
        let (queue, newcomers) = mpsc::unbounded_channel();
        let open = Arc::default();
        let desk = Desk { queue, open, runtime };
        (desk, newcomers)
    }
}

impl Pool {
    pub(crate) fn new(workers: Vec<Desk>, direct_max: usize) -> Pool {
        Pool {
            workers,
            open: Arc::default(),
            direct: Arc::default(),
            direct_max,
        }
    }

    /// Connections that are open.
    pub(crate) fn open(&self) -> usize {
        self.open.load(Relaxed)
    }

    /// Lets a connection in.
    pub(crate) fn admit(&self, stream: TcpStream, address: SocketAddr) -> Connection {
        let open = Ticket::new(&self.open);
        Connection {
            stream,
            address,
            open,
        }
    }

    /// A place among the connections that have a thread to themselves, if one is left.
    pub(crate) fn place(&self) -> Option<Ticket> {
        // Only the acceptor takes places, so that no other can come between.
        (self.direct.load(Relaxed) < self.direct_max).then(|| Ticket::new(&self.direct))
    }

    /// Whether no connection has a thread to itself.
    pub(crate) fn is_direct_idle(&self) -> bool {
        self.direct.load(Relaxed) == 0
    }

    fn freest(&self) -> Option<&Desk> {
        self.workers.iter().min_by_key(|worker| worker.open.load(Relaxed))
    }

    /// Where a thread with one connection leaves what goes on beside its calls.
    pub(crate) fn runtime(&self) -> Option<&Handle> {
        self.freest().map(|worker| &worker.runtime)
    }

    /// Gives a connection to the worker with the fewest.
    pub(crate) fn hand_over(&self, connection: Connection, begun: Begun) {
        if let Some(worker) = self.freest() {
            let newcomer = Newcomer {
                connection,
                begun,
                place: Ticket::new(&worker.open),
            };
            // Fails only for a worker that died; the connection closes then.
            let _ = worker.queue.send(newcomer);
        }
    }
}
