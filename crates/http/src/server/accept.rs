//! The threads of a server: one that accepts, and workers that serve.
//!
//! Each worker is a runtime of one thread, so a connection lives on one core and no work is
//! stolen or woken elsewhere. The acceptor gives a new connection to the worker with the fewest;
//! it is a thread of its own, so that a handler that computes for long holds up no newcomer.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::connection::{State, say_full, serve};
use super::exchange::{Peer, Shared};
use super::patience::{Company, Patient};
use super::service::Service;
use crate::error::{Error, Guilty, Kind, Phase};

/// Connections over the limit that are told so at the same time; others are just closed.
const REFUSALS_MAX: usize = 64;

type Newcomer = (TcpStream, SocketAddr, Ticket);

/// A worker as the acceptor sees it.
struct Worker {
    queue: mpsc::UnboundedSender<Newcomer>,
    open: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

/// One connection in its worker's count.
struct Ticket(Arc<AtomicUsize>);

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// Workers that there are at least, unless somebody says how many. Of a few connections each then has a thread to
/// itself, which the kernel wakes where the bytes arrived: on two cores sixteen threads answer 1.6 times as
/// many small calls of ten connections as two, and 1.2 times as many of a hundred.
const WORKERS: usize = 16;

/// Starts all threads; `done` is called when the last connection has ended.
pub(crate) fn start<S: Service>(
    listener: TcpListener,
    shared: Arc<Shared<S>>,
    state: Arc<watch::Sender<State>>,
    done: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, Error> {
    let count = match shared.options.workers {
        0 => std::thread::available_parallelism().map_or(WORKERS, |cores| WORKERS.max(cores.get())),
        count => count,
    };
    let runtime = runtime()?;
    let workers = (0..count)
        .map(|_| worker(Arc::clone(&shared), &state))
        .collect::<Result<Vec<_>, _>>()?;
    let graceful = shared.options.timeout_graceful;
    let connections_max = shared.options.connections_max;
    spawn("castile-accept", move || {
        runtime.block_on(accept(listener, &workers, connections_max, state.subscribe()));
        let threads = workers.into_iter().map(|worker| worker.thread);
        finish(threads.collect(), &state, graceful);
        done();
    })
}

/// Accepts until the server stops.
async fn accept(
    listener: TcpListener,
    workers: &[Worker],
    connections_max: usize,
    mut state: watch::Receiver<State>,
) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "cannot listen"),
    };
    let mut refusals = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = refusals.join_next() => continue,
            _ = state.wait_for(|state| *state != State::Running) => return,
        };
        match accepted {
            Ok((stream, peer)) if open(workers) >= connections_max => {
                tracing::warn!(%peer, "connections_max reached; refused a connection");
                if refusals.len() < REFUSALS_MAX {
                    refusals.spawn(say_full(stream));
                }
            }
            Ok((stream, peer)) => {
                if let Ok(stream) = stream.into_std() {
                    hand_over(stream, peer, workers);
                }
            }
            // Most often no file descriptors are left: wait for connections to close.
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

fn open(workers: &[Worker]) -> usize {
    workers.iter().map(|worker| worker.open.load(Relaxed)).sum()
}

fn hand_over(stream: TcpStream, peer: SocketAddr, workers: &[Worker]) {
    if let Some(worker) = workers.iter().min_by_key(|worker| worker.open.load(Relaxed)) {
        let _ = stream.set_nodelay(true);
        worker.open.fetch_add(1, Relaxed);
        let ticket = Ticket(Arc::clone(&worker.open));
        // Fails only for a worker that died; the connection closes then.
        let _ = worker.queue.send((stream, peer, ticket));
    }
}

fn worker<S: Service>(shared: Arc<Shared<S>>, state: &Arc<watch::Sender<State>>) -> Result<Worker, Error> {
    let runtime = runtime()?;
    let (queue, newcomers) = mpsc::unbounded_channel();
    let state = state.subscribe();
    let thread = spawn("castile-serve", move || {
        runtime.block_on(work(shared, newcomers, state))
    })?;
    Ok(Worker {
        queue,
        open: Arc::new(AtomicUsize::new(0)),
        thread,
    })
}

/// Serves what the acceptor hands over, until the server stops and the last connection has ended.
async fn work<S: Service>(
    shared: Arc<Shared<S>>,
    mut newcomers: mpsc::UnboundedReceiver<Newcomer>,
    mut state: watch::Receiver<State>,
) {
    let mut connections = JoinSet::new();
    let template = state.clone();
    loop {
        tokio::select! {
            newcomer = newcomers.recv() => match newcomer {
                Some(newcomer) => {
                    let served = welcome(Arc::clone(&shared), newcomer, template.clone());
                    connections.spawn(served);
                }
                None => break,
            },
            Some(done) = connections.join_next() => report(done),
            _ = state.wait_for(|state| *state != State::Running) => break,
        }
    }
    while let Some(done) = connections.join_next().await {
        report(done);
    }
}

/// A connection that panicked is a defect of ours; it harms no other.
fn report(done: Result<(), tokio::task::JoinError>) {
    if let Err(error) = done {
        tracing::error!(%error, "a connection failed inside the server");
    }
}

async fn welcome<S: Service>(
    shared: Arc<Shared<S>>,
    (stream, address, ticket): Newcomer,
    state: watch::Receiver<State>,
) {
    match tokio::net::TcpStream::from_std(stream) {
        Ok(stream) => match &shared.tls {
            None => {
                let peer = Peer {
                    address,
                    certificate: None,
                    secure: false,
                };
                let company = Company::new(Arc::clone(&ticket.0));
                let patience = shared.options.patience;
                let patient = |progress| Patient::new(stream, progress, company, patience);
                serve(shared, patient, peer, state).await;
            }
            Some(config) => secure(Arc::clone(config), shared, stream, address, state).await,
        },
        Err(error) => tracing::warn!(peer = %address, %error, "a connection was lost"),
    }
    drop(ticket);
}

/// A TLS handshake, which has as long as the head of a request, then [`serve`].
async fn secure<S: Service>(
    config: Arc<rustls::ServerConfig>,
    shared: Arc<Shared<S>>,
    stream: tokio::net::TcpStream,
    address: SocketAddr,
    state: watch::Receiver<State>,
) {
    let handshake = tokio_rustls::TlsAcceptor::from(config).accept(stream);
    let limit = shared.options.timeout_header.unwrap_or(Duration::from_secs(3600));
    match tokio::time::timeout(limit, handshake).await {
        Ok(Ok(stream)) => {
            let certificates = stream.get_ref().1.peer_certificates();
            let certificate = certificates.and_then(|chain| chain.first());
            let certificate = certificate.map(|der| Bytes::copy_from_slice(der));
            let peer = Peer {
                address,
                certificate,
                secure: true,
            };
            serve(shared, |_| stream, peer, state).await;
        }
        Ok(Err(error)) => tracing::debug!(peer = %address, %error, "TLS failed"),
        Err(_) => tracing::debug!(peer = %address, "the TLS handshake did not finish in time"),
    }
}

/// Waits for the workers; after the grace period their connections are dropped.
fn finish(threads: Vec<JoinHandle<()>>, state: &watch::Sender<State>, graceful: Duration) {
    let end = std::time::Instant::now().checked_add(graceful);
    while !threads.iter().all(JoinHandle::is_finished) {
        if end.is_some_and(|end| std::time::Instant::now() >= end) {
            state.send_replace(State::Aborting);
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    for thread in threads {
        let _ = thread.join();
    }
}

fn runtime() -> Result<Runtime, Error> {
    Builder::new_current_thread().enable_all().build().map_err(|e| {
        let text = "the system gives no event queue (too many open files?)";
        Error::new(Kind::Internal, Guilty::Us, Phase::Prepare, text).with_source(e)
    })
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Error> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map_err(|e| {
            let text = "the system gives no further thread";
            Error::new(Kind::Internal, Guilty::Us, Phase::Prepare, text).with_source(e)
        })
}
