//! [`Pool`]: connections that wait for their next request.
//!
//! A connection belongs to the runtime that made it (its reactor wakes it), to one origin and one
//! way to it ([`Route`]). Nobody polls an idle connection: whether the peer closed it meanwhile
//! is looked up when it is taken out.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, Id};

use super::connect::Route;
use super::connection::Connection;

/// Idle connections, last used last.
pub(crate) struct Pool {
    idle: Mutex<Vec<Idle>>,
    per_route_max: usize,
    timeout: Duration,
}

struct Idle {
    connection: Box<Connection>,
    route: Route,
    runtime: Id,
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

    /// The connection used last on this route that is still alive. Expired ones are closed.
    pub(crate) fn take(&self, route: &Route) -> Option<Box<Connection>> {
        let runtime = Handle::current().id();
        let now = Instant::now();
        let mut idle = self.lock();
        idle.retain(|entry| entry.expires > now);
        while let Some(at) = idle
            .iter()
            .rposition(|entry| entry.runtime == runtime && entry.route == *route)
        {
            let connection = idle.remove(at).connection;
            if connection.is_alive() {
                return Some(connection);
            }
        }
        None
    }

    /// Keeps a connection for later; `keep_alive` is the server's own limit, if it named one.
    pub(crate) fn put(&self, route: Route, connection: Box<Connection>, keep_alive: Option<Duration>) {
        if self.per_route_max == 0 {
            return;
        }
        // A second less than the server says: it may close while our request is on its way.
        let server = keep_alive.map(|t| t.saturating_sub(Duration::from_secs(1)));
        let timeout = server.map_or(self.timeout, |server| server.min(self.timeout));
        if timeout.is_zero() {
            return;
        }
        let runtime = Handle::current().id();
        let mut idle = self.lock();
        let same = |entry: &Idle| entry.runtime == runtime && entry.route == route;
        if idle.iter().filter(|entry| same(entry)).count() >= self.per_route_max
            && let Some(oldest) = idle.iter().position(same)
        {
            idle.remove(oldest);
        }
        let expires = Instant::now() + timeout;
        idle.push(Idle {
            connection,
            route,
            runtime,
            expires,
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Idle>> {
        // Nothing below can leave the list half changed.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
