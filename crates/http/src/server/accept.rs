//! The threads of a server: one that accepts, workers, and threads that serve one connection each.
//!
//! The acceptor gives a new connection a thread to itself where that [suits](super::direct), else to the worker
//! with the fewest; it is a thread of its own, so that a handler that computes for long holds up no newcomer.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::connection::{State, say_full};
use super::direct::{self, Direct};
use super::exchange::Shared;
use super::pool::{Begun, Connection, Pool};
use super::service::Service;
use super::worker;
use crate::error::{Error, Guilty, Kind, Phase};

/// Connections over the limit that are told so at the same time; others are just closed.
const REFUSALS_MAX: usize = 64;

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
    let workers = (0..count).map(|_| worker::start(Arc::clone(&shared), state.subscribe()));
    let (desks, threads): (Vec<_>, Vec<_>) = workers.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let graceful = shared.options.timeout_graceful;
    let direct_max = if direct::suits(&shared) {
        shared.options.direct
    } else {
        0
    };
    let pool = Arc::new(Pool::new(desks, direct_max));
    spawn("castile-accept", move || {
        runtime.block_on(accept(listener, &shared, &pool, state.subscribe()));
        finish(pool, threads, &state, graceful);
        done();
    })
}

/// Accepts until the server stops.
async fn accept<S: Service>(
    listener: TcpListener,
    shared: &Arc<Shared<S>>,
    pool: &Arc<Pool>,
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
            Ok((stream, peer)) if pool.open() >= shared.options.connections_max => {
                tracing::warn!(%peer, "connections_max reached; refused a connection");
                if refusals.len() < REFUSALS_MAX {
                    refusals.spawn(say_full(stream));
                }
            }
            Ok((stream, peer)) => {
                if let Ok(stream) = stream.into_std() {
                    welcome(shared, pool, stream, peer, &state);
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

/// Finds a thread for a connection.
fn welcome<S: Service>(
    shared: &Arc<Shared<S>>,
    pool: &Arc<Pool>,
    stream: TcpStream,
    address: SocketAddr,
    state: &watch::Receiver<State>,
) {
    let _ = stream.set_nodelay(true);
    let connection = pool.admit(stream, address);
    let Some(place) = pool.place() else {
        return pool.hand_over(connection, Begun::default());
    };
    // Where no thread can be had, a worker takes it.
    let connection = Arc::new(Mutex::new(Some(connection)));
    let taken = Arc::clone(&connection);
    let take = |held: &Mutex<Option<Connection>>| held.lock().unwrap_or_else(PoisonError::into_inner).take();
    let direct = (Arc::clone(shared), Arc::clone(pool), state.clone());
    let spawned = spawn("castile-direct", move || {
        let (shared, pool, state) = direct;
        if let Some(connection) = take(&taken) {
            let _entered = pool.runtime().map(Handle::enter);
            Direct::new(&shared, &pool, address, &state).converse(connection);
        }
        drop(pool);
        drop(place);
    });
    if spawned.is_err()
        && let Some(connection) = take(&connection)
    {
        pool.hand_over(connection, Begun::default());
    }
}

/// Waits for all threads; after the grace period their connections are dropped.
fn finish(pool: Arc<Pool>, threads: Vec<JoinHandle<()>>, state: &watch::Sender<State>, graceful: Duration) {
    let end = std::time::Instant::now().checked_add(graceful);
    let pause = || {
        if end.is_some_and(|end| std::time::Instant::now() >= end) {
            state.send_if_modified(|state| super::raise(state, State::Aborting));
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    while !pool.is_direct_idle() {
        pause();
    }
    // No connection can come to the workers any more.
    drop(pool);
    while !threads.iter().all(JoinHandle::is_finished) {
        pause();
    }
    for thread in threads {
        let _ = thread.join();
    }
}

pub(super) fn runtime() -> Result<Runtime, Error> {
    Builder::new_current_thread().enable_all().build().map_err(|e| {
        let text = "the system gives no event queue (too many open files?)";
        Error::new(Kind::Internal, Guilty::Us, Phase::Prepare, text).with_source(e)
    })
}

pub(super) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Error> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map_err(|e| {
            let text = "the system gives no further thread";
            Error::new(Kind::Internal, Guilty::Us, Phase::Prepare, text).with_source(e)
        })
}
