//! [`Templates`]: the templates of a client or a server.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use castile_codec::{Draft, Error};

use super::options::Options;
use super::pieces::Pieces;
use super::pool::Pool;
use super::report::Report;
use super::template::Template;

/// Templates by a key of the caller's: what is sent again and again, and for whom. What is kept under
/// one key is compared with nothing that is sent under another, but for arrays that a [`Pool`] of the settings is to
/// share. Senders never wait for each other: each checks a template out, and one that finds all of them in
/// use writes its message anew, or takes its arrays from the pool.
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
    /// Whether the last message was written without being kept: then one more template would do the same.
    is_paused: bool,
    /// Arrays that the copies of one key have in common, and nobody else.
    apart: Option<Pool>,
}

/// Who shares arrays with a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum With {
    /// All that have the same pool.
    All,
    /// Only others of the same key.
    Key,
}

/// A template that is out. Dropped before it was given back, because whoever used it panicked, it is
/// counted no more.
struct Lease<'t, K: Hash + Eq + Clone> {
    templates: &'t Templates<K>,
    key: Option<K>,
    template: Template,
    /// Bytes that were counted for it.
    memory: usize,
}

/// What the templates did since they began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Messages by match: content, perfect structural, partial structural, first-time.
    pub matches: [u64; 4],
    /// Messages that found all templates of their operation in use: written anew, but for arrays of a pool.
    pub busy: u64,
    /// Templates dropped because the budget was used up.
    pub evicted: u64,
    /// Bytes kept now.
    pub memory: u64,
    /// What all reports say together; which match, structure and message it was is of the last.
    pub all: Report,
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
        self.encode_with(key, With::All, draft)
    }

    /// The same for a key whose messages share arrays only with each other, whatever pool the settings have: what
    /// one principal is sent must not be told from the time of what another is. A key is always given to this or
    /// always to [`Templates::encode`].
    ///
    /// # Errors
    /// Those of [`castile_codec::encode`].
    pub fn encode_apart(&self, key: K, draft: &Draft<'_>) -> Result<Pieces, Error> {
        self.encode_with(key, With::Key, draft)
    }

    fn encode_with(&self, key: K, with: With, draft: &Draft<'_>) -> Result<Pieces, Error> {
        if !self.options.enabled {
            return whole(draft);
        }
        match self.take(key, with) {
            Ok(mut lease) => {
                let made = lease.template.patch(draft);
                lease.give_back(made.as_ref().ok().map(|pieces| &pieces.report));
                made
            }
            Err(Some(pool)) => {
                let made = Template::new(self.with_pool(Some(pool))).patch(draft);
                if let Ok(pieces) = &made {
                    self.lock().stats.note(&pieces.report);
                }
                made
            }
            Err(None) => whole(draft),
        }
    }

    fn with_pool(&self, pool: Option<Pool>) -> Options {
        Options {
            pool,
            ..self.options.clone()
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State<K>> {
        // A panic elsewhere leaves counts that may be off, and templates that are good.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A template of a key; when all are in use, the pool that may have their arrays.
    fn take(&self, key: K, with: With) -> Result<Lease<'_, K>, Option<Pool>> {
        let mut state = self.lock();
        state.clock += 1;
        let now = state.clock;
        if !state.by_key.contains_key(&key) {
            if state.by_key.len() >= KEYS_MAX {
                evict(&mut state);
            }
            state.by_key.insert(key.clone(), Entry::default());
        }
        let Some(entry) = state.by_key.get_mut(&key) else {
            return Err(None);
        };
        entry.used = now;
        let found = entry.idle.pop();
        if found.is_none() && entry.copies >= self.options.copies_max {
            let pool = match entry.is_paused {
                true => None,
                false => self.pool(entry, with),
            };
            state.stats.busy += 1;
            return Err(pool);
        }
        let template = found.unwrap_or_else(|| {
            entry.copies += 1;
            Template::new(self.with_pool(self.pool(entry, with)))
        });
        drop(state);
        Ok(Lease {
            templates: self,
            key: Some(key),
            memory: template.memory(),
            template,
        })
    }

    /// What a template of an entry shares arrays through.
    fn pool(&self, entry: &mut Entry, with: With) -> Option<Pool> {
        let pool = self.options.pool.as_ref()?;
        Some(match with {
            With::All => pool.clone(),
            With::Key => entry.apart.get_or_insert_default().clone(),
        })
    }
}

impl<K: Hash + Eq + Clone> Lease<'_, K> {
    fn give_back(mut self, report: Option<&Report>) {
        let Some(key) = self.key.take() else { return };
        let template = std::mem::take(&mut self.template);
        let (after, is_paused) = (template.memory(), template.is_paused());
        let mut state = self.templates.lock();
        if let Some(report) = report {
            state.stats.note(report);
        }
        state.memory = (state.memory + after).saturating_sub(self.memory);
        let entry = state.by_key.entry(key).or_default();
        entry.is_paused = is_paused;
        entry.idle.push(template);
        while state.memory > self.templates.options.budget_bytes && evict(&mut state) {}
    }
}

impl<K: Hash + Eq + Clone> Drop for Lease<'_, K> {
    fn drop(&mut self) {
        let Some(key) = self.key.take() else { return };
        let mut state = self.templates.lock();
        state.memory = state.memory.saturating_sub(self.memory);
        if let Some(entry) = state.by_key.get_mut(&key) {
            entry.copies = entry.copies.saturating_sub(1);
        }
    }
}

impl Stats {
    fn note(&mut self, report: &Report) {
        self.matches[report.kind as usize] += 1;
        self.all.add(report);
        (self.all.kind, self.all.structure, self.all.message) =
            (report.kind, report.structure, report.message);
    }
}

/// Writes a message anew, keeping nothing.
fn whole(draft: &Draft<'_>) -> Result<Pieces, Error> {
    let mut whole = Vec::with_capacity(1024);
    draft.encode(&mut whole)?;
    Ok(Pieces::whole(whole))
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
