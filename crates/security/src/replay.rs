//! Nonces that were used, so that a token works once (UsernameToken Profile 1.1, 3.1).

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sha1::{Digest as _, Sha1};

/// The nonces of late; shared by all calls of a server.
#[derive(Debug)]
pub(crate) struct Replays {
    nonces_max: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// By a hash of user, nonce and time, all of one length.
    seen: HashSet<[u8; 20]>,
    /// The same by when they may be forgotten.
    until: BTreeMap<(Duration, [u8; 20]), ()>,
}

/// What became of a nonce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noted {
    /// It is new.
    New,
    /// It was used before.
    Again,
    /// There are too many to remember one more.
    Full,
}

impl Replays {
    pub(crate) fn new(nonces_max: usize) -> Self {
        Replays {
            nonces_max,
            state: Mutex::default(),
        }
    }

    /// Notes a nonce until a time after which its token is too old anyway.
    pub(crate) fn note(
        &self,
        user: &str,
        nonce: &[u8],
        created: &str,
        now: Duration,
        until: Duration,
    ) -> Noted {
        let key = key(user, nonce, created);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { seen, until: by_time } = &mut *state;
        while let Some((&(time, old), ())) = by_time.first_key_value() {
            // A token that is exactly so old is still taken.
            if time >= now {
                break;
            }
            by_time.pop_first();
            seen.remove(&old);
        }
        if seen.contains(&key) {
            return Noted::Again;
        }
        if seen.len() >= self.nonces_max {
            return Noted::Full;
        }
        seen.insert(key);
        by_time.insert((until, key), ());
        Noted::New
    }
}

fn key(user: &str, nonce: &[u8], created: &str) -> [u8; 20] {
    let mut hash = Sha1::new();
    for part in [user.as_bytes(), nonce, created.as_bytes()] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_works_once_until_it_is_forgotten() {
        let replays = Replays::new(2);
        let second = Duration::from_secs;
        let note = |nonce: &[u8], now, until| replays.note("jo", nonce, "t", second(now), second(until));
        assert_eq!(note(b"a", 0, 10), Noted::New);
        assert_eq!(note(b"a", 9, 10), Noted::Again);
        assert_eq!(note(b"b", 9, 12), Noted::New);
        assert_eq!(note(b"c", 9, 12), Noted::Full);
        assert_eq!(note(b"c", 11, 12), Noted::New);
        assert_eq!(note(b"a", 13, 20), Noted::New);
        assert_eq!(replays.state.lock().unwrap().until.len(), 1);
    }
}
