//! The load generator: ready requests over raw sockets, one thread a connection, the next request when the
//! reply is complete. It is the same for every server, and checks every status.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::sender::Sender;
use crate::Outcome;
use crate::wire::Message;

/// Until when a load runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Until {
    pub(crate) time: Duration,
    /// So many requests in all, when they are done before it is time.
    pub(crate) count: Option<u64>,
}

/// What a load came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) requests: u64,
    /// Requests a second.
    pub(crate) rate: f64,
}

/// Sends until it is time or all are sent. Each connection sends the messages in turn, the first another one than its neighbour's.
pub(crate) fn run(
    port: u16,
    path: &str,
    messages: &[Arc<Message>],
    connections: usize,
    until: Until,
) -> Outcome<Load> {
    let left = Arc::new(AtomicU64::new(until.count.unwrap_or(u64::MAX)));
    let started = Instant::now();
    let threads: Vec<_> = (0..connections)
        .map(|first| {
            let (left, messages) = (left.clone(), messages.to_vec());
            let mut sender = Sender::new(port, path, Duration::from_secs(20));
            std::thread::spawn(move || {
                let turns = messages.iter().cycle().skip(first);
                hammer(&mut sender, turns, started + until.time, &left)
            })
        })
        .collect();
    let mut requests = 0;
    for thread in threads {
        requests += thread.join().map_err(|_| "a connection's thread panicked")??;
    }
    Ok(Load {
        requests,
        rate: requests as f64 / started.elapsed().as_secs_f64(),
    })
}

fn hammer<'r>(
    sender: &mut Sender,
    messages: impl Iterator<Item = &'r Arc<Message>>,
    end: Instant,
    left: &AtomicU64,
) -> std::io::Result<u64> {
    let mut count = 0;
    let more = |n: u64| n.checked_sub(1);
    for request in messages {
        let last = left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .is_err();
        if last || Instant::now() >= end {
            break;
        }
        let exchange = sender.exchange(request, None)?;
        if !exchange.is_ok() {
            return Err(super::head::bad(&exchange.status));
        }
        count += 1;
    }
    Ok(count)
}
