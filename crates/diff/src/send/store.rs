//! [`Templates`]: the templates of a client or a server.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use castile_codec::{Draft, Error};

use super::options::Options;
use super::pieces::Pieces;
use super::report::Report;
use super::template::Template;

/// Templates by a key of the caller's: what is sent again and again, and for whom. What is kept under
/// one key is compared with nothing that is sent under another. Senders never wait for each other: each checks a template out, and one that finds all of them in
/// use writes its message anew.
#[derive(Debug)]
pub struct Templates<K> {
    options: Options,
    state: Mutex<State<K>>,
}

/// Keys that have templates at once; beyond it the one that was not used for longest goes, so that a
/// server with many principals does not keep something of each.
const KEYS_MAX: usize = 4096;

#[derive(Debug)]
struct State<K> {
    by_key: HashMap<K, Entry>,
    /// Counts sends, to tell which templates were not used for long.
    clock: u64,
    memory: usize,
    stats: Stats,
}

#[derive(Debug, Default)]
struct Entry {
    /// Templates that nobody uses now.
    idle: Vec<Template>,
    /// Templates that there are.
    copies: usize,
    used: u64,
}

/// What the templates did since they began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Messages by match: content, perfect structural, partial structural, first-time.
    pub matches: [u64; 4],
    /// Messages written anew because all templates of their operation were in use.
    pub busy: u64,
    /// Templates dropped because the budget was used up.
    pub evicted: u64,
    /// Bytes kept now.
    pub memory: u64,
    /// Bytes of messages.
    pub bytes_total: u64,
    /// Of those, bytes of kept arrays that had to be written.
    pub bytes_rewritten: u64,
}

impl<K: Hash + Eq + Clone> Templates<K> {
    /// No templates yet.
    pub fn new(options: Options) -> Templates<K> {
        let state = State {
            by_key: HashMap::new(),
            clock: 0,
            memory: 0,
            stats: Stats::default(),
        };
        Templates {
            options,
            state: Mutex::new(state),
        }
    }

    /// The settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// What they did so far.
    pub fn stats(&self) -> Stats {
        let state = self.lock();
        Stats {
            memory: state.memory as u64,
            ..state.stats
        }
    }

    /// Makes a message from the last one sent under `key`.
    ///
    /// # Errors
    /// Those of [`castile_codec::encode`].
    pub fn encode(&self, key: K, draft: &Draft<'_>) -> Result<Pieces, Error> {
        let taken = if self.options.enabled {
            self.take(&key)
        } else {
            None
        };
        let Some(mut template) = taken else {
            let mut whole = Vec::with_capacity(1024);
            draft.encode(&mut whole)?;
            return Ok(Pieces::whole(whole));
        };
        let before = template.memory();
        let made = template.patch(draft);
        self.give_back(
            key,
            template,
            before,
            made.as_ref().ok().map(|pieces| &pieces.report),
        );
        made
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State<K>> {
        // A panic elsewhere leaves counts that may be off, and templates that are good.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, key: &K) -> Option<Template> {
        let mut state = self.lock();
        state.clock += 1;
        let now = state.clock;
        if !state.by_key.contains_key(key) {
            if state.by_key.len() >= KEYS_MAX {
                evict(&mut state);
            }
            state.by_key.insert(key.clone(), Entry::default());
        }
        let entry = state.by_key.get_mut(key)?;
        entry.used = now;
        if let Some(template) = entry.idle.pop() {
            return Some(template);
        }
        if entry.copies < self.options.copies_max {
            entry.copies += 1;
            return Some(Template::new(self.options.clone()));
        }
        state.stats.busy += 1;
        None
    }

    fn give_back(&self, key: K, template: Template, before: usize, report: Option<&Report>) {
        let after = template.memory();
        let mut state = self.lock();
        if let Some(report) = report {
            state.stats.matches[report.kind as usize] += 1;
            state.stats.bytes_total += report.bytes_total;
            state.stats.bytes_rewritten += report.bytes_rewritten;
        }
        state.memory = (state.memory + after).saturating_sub(before);
        state.by_key.entry(key).or_default().idle.push(template);
        while state.memory > self.options.budget_bytes && evict(&mut state) {}
    }
}

/// Drops the idle templates that were not used for longest; false when there are none.
fn evict<K: Hash + Eq + Clone>(state: &mut State<K>) -> bool {
    let idle = state.by_key.iter().filter(|(_, entry)| !entry.idle.is_empty());
    let Some(key) = idle
        .min_by_key(|(_, entry)| entry.used)
        .map(|(key, _)| key.clone())
    else {
        return false;
    };
    let Some(mut entry) = state.by_key.remove(&key) else {
        return false;
    };
    let dropped = std::mem::take(&mut entry.idle);
    entry.copies -= dropped.len();
    // Copies that are out come back to their entry.
    if entry.copies > 0 {
        state.by_key.insert(key, entry);
    }
    state.stats.evicted += dropped.len() as u64;
    let freed: usize = dropped.iter().map(Template::memory).sum();
    state.memory = state.memory.saturating_sub(freed);
    true
}
