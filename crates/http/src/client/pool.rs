//! [`Pool`]: connections that wait for their next request.
//!
//! A connection belongs to the runtime that made it (its reactor wakes it), to one origin and one
//! way to it. Nobody polls an idle connection: whether the peer closed it meanwhile
//! is looked up when it is taken out.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use url::Url;

use super::connection::Connection;

/// Idle connections, last used last.
pub(crate) struct Pool {
    idle: Mutex<Vec<Idle>>,
    per_route_max: usize,
    timeout: Duration,
}

struct Idle {
    connection: Box<Connection>,
    expires: Instant,
}

impl Pool {
    pub(crate) fn new(per_route_max: usize, timeout: Duration) -> Pool {
        Pool {
            idle: Mutex::new(Vec::new()),
            per_route_max,
            timeout,
        }
    }

    /// The connection to the origin of `url` that was used last and is still alive. Expired ones
    /// are closed.
    pub(crate) fn take(&self, url: &Url, now: Instant) -> Option<Box<Connection>> {
        let runtime = Handle::current().id();
        let mut idle = self.lock();
        idle.retain(|entry| entry.expires > now);
        let fits = |entry: &Idle| entry.connection.runtime == runtime && entry.connection.route.leads_to(url);
        while let Some(at) = idle.iter().rposition(fits) {
            let connection = idle.remove(at).connection;
            if connection.is_alive() {
                return Some(connection);
            }
        }
        None
    }

    /// Keeps a connection for later; `keep_alive` is the server's own limit, if it named one.
    pub(crate) fn put(&self, connection: Box<Connection>, keep_alive: Option<Duration>) {
        // A second less than the server says: it may close while our request is on its way.
        let server = keep_alive.map(|limit| limit.saturating_sub(Duration::from_secs(1)));
        let timeout = server.map_or(self.timeout, |server| server.min(self.timeout));
        if self.per_route_max == 0 || timeout.is_zero() {
            return;
        }
        let used = connection.progress_last();
        // Beyond the end of time is never, or a year.
        let expires = used
            .checked_add(timeout)
            .unwrap_or(used + Duration::from_secs(31_536_000));
        let mut idle = self.lock();
        let same = |entry: &Idle| {
            let kept = &entry.connection;
            kept.runtime == connection.runtime && kept.route == connection.route
        };
        if idle.iter().filter(|entry| same(entry)).count() >= self.per_route_max
            && let Some(oldest) = idle.iter().position(same)
        {
            idle.remove(oldest);
        }
        idle.push(Idle { connection, expires });
    }

    /// Closes all of them.
    pub(crate) fn clear(&self) {
        let idle = std::mem::take(&mut *self.lock());
        drop(idle);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Idle>> {
        // Nothing below can leave the list half changed.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
