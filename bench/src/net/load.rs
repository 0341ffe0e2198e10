//! The load generator: ready requests over raw sockets, one thread a connection, the next request when the
//! reply is complete. It is the same for every server, and checks every status.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::sender::Sender;
use crate::Outcome;

/// Until when a load runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Until {
    Time(Duration),
    /// So many requests in all.
    Count(u64),
}

/// What a load came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) requests: u64,
    /// Requests a second.
    pub(crate) rate: f64,
}

/// Sends until it is time. Each connection sends the messages in turn, the first another one than its neighbour's.
pub(crate) fn run(
    port: u16,
    path: &str,
    envelopes: &[Arc<Vec<u8>>],
    connections: usize,
    until: Until,
) -> Outcome<Load> {
    let stop = Arc::new(AtomicBool::new(false));
    let count = match until {
        Until::Count(count) => count,
        Until::Time(_) => u64::MAX,
    };
    let left = Arc::new(AtomicU64::new(count));
    let started = Instant::now();
    let threads: Vec<_> = (0..connections)
        .map(|first| {
            let (stop, left, envelopes) = (stop.clone(), left.clone(), envelopes.to_vec());
            let mut sender = Sender::new(port, path, Duration::from_secs(20));
            std::thread::spawn(move || {
                hammer(&mut sender, envelopes.iter().cycle().skip(first), &stop, &left)
            })
        })
        .collect();
    if let Until::Time(time) = until {
        std::thread::sleep(time);
        stop.store(true, Ordering::Relaxed);
    }
    let mut requests = 0;
    for thread in threads {
        requests += thread.join().map_err(|_| "a connection's thread panicked")??;
    }
    Ok(Load {
        requests,
        rate: requests as f64 / started.elapsed().as_secs_f64(),
    })
}

fn hammer<'e>(
    sender: &mut Sender,
    envelopes: impl Iterator<Item = &'e Arc<Vec<u8>>>,
    stop: &AtomicBool,
    left: &AtomicU64,
) -> std::io::Result<u64> {
    let mut count = 0;
    let more = |n: u64| n.checked_sub(1);
    for envelope in envelopes {
        let last = left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .is_err();
        if last || stop.load(Ordering::Relaxed) {
            break;
        }
        let exchange = sender.exchange(envelope, None)?;
        if !exchange.is_ok() {
            return Err(super::head::bad(&exchange.status));
        }
        count += 1;
    }
    Ok(count)
}
