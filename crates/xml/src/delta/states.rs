//! [`States`]: the automaton, a tree of states with the tags that lead from one to the next.

use super::edge::Edge;

/// A state's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StateId(u32);

impl StateId {
    /// Outside the root.
    pub(super) const OUTSIDE: StateId = StateId(0);
}

#[derive(Debug, Clone)]
pub(super) struct States {
    states: Vec<State>,
    /// Namespace names; the first two are those that every reader numbers so.
    uris: Vec<Box<str>>,
    memory: usize,
    /// The number of the document that is read.
    now: u32,
}

#[derive(Debug, Clone, Default)]
struct State {
    tags: Vec<Tag>,
    /// The first bytes of each tag, so that those that cannot fit cost next to nothing.
    heads: Vec<Head>,
    /// Which tag came first inside the element, the last time.
    first: u16,
}

#[derive(Debug, Clone)]
struct Tag {
    edge: Edge,
    inside: StateId,
    /// Which tag came after it, the last time.
    next: u16,
    /// The last document that had it.
    used: u32,
}

/// Up to eight first bytes, and which of them count.
#[derive(Debug, Clone, Copy)]
struct Head {
    bytes: u64,
    mask: u64,
}

/// Namespaces of which tags are kept: they are searched one by one.
const URIS_MAX: usize = 256;

impl Default for States {
    fn default() -> Self {
        States {
            states: vec![State::default()],
            uris: vec!["".into(), crate::namespaces::XML_URI.into()],
            memory: 0,
            now: 0,
        }
    }
}

impl States {
    /// Another document begins.
    pub(super) fn begin(&mut self) {
        self.now = self.now.wrapping_add(1);
    }

    pub(super) fn memory(&self) -> usize {
        self.memory
    }

    pub(super) fn uris(&self) -> &[Box<str>] {
        &self.uris
    }

    /// How many tags are known in a state.
    pub(super) fn count(&self, state: StateId) -> u16 {
        self.state(state).map_or(u16::MAX, |s| s.tags.len() as u16)
    }

    /// The tag that came here the last time, after the tag that came last.
    #[inline]
    pub(super) fn expected(&self, state: StateId, last: Option<u16>) -> Option<u16> {
        let state = self.state(state)?;
        match last {
            None => Some(state.first),
            Some(last) => state.tags.get(usize::from(last)).map(|tag| tag.next),
        }
    }

    #[inline]
    pub(super) fn edge(&self, state: StateId, at: u16) -> Option<&Edge> {
        Some(&self.state(state)?.tags.get(usize::from(at))?.edge)
    }

    /// The tags known in a state that begin as `input` does.
    pub(super) fn like(&self, state: StateId, input: &[u8]) -> impl Iterator<Item = (u16, &Edge)> {
        let head = Head::new(input);
        let state = self.state(state);
        let fits = move |known: &Head| (known.bytes ^ head.bytes) & known.mask == 0;
        let tags = state
            .into_iter()
            .flat_map(|s| s.heads.iter().zip(&s.tags).zip(0u16..));
        tags.filter(move |((known, _), _)| fits(known))
            .map(|((_, tag), at)| (at, &tag.edge))
    }

    /// Goes through a tag; the state inside its element.
    #[inline]
    pub(super) fn follow(&mut self, state: StateId, last: Option<u16>, at: u16) -> Option<StateId> {
        let now = self.now;
        let state = self.states.get_mut(state.0 as usize)?;
        match last.and_then(|last| state.tags.get_mut(usize::from(last))) {
            Some(tag) => tag.next = at,
            None => state.first = at,
        }
        let tag = state.tags.get_mut(usize::from(at))?;
        tag.used = now;
        Some(tag.inside)
    }

    /// Adds a tag to a state; its place there.
    pub(super) fn push(&mut self, state: StateId, edge: Edge) -> Option<u16> {
        let inside = StateId(u32::try_from(self.states.len()).ok()?);
        let found = self.states.get_mut(state.0 as usize)?;
        let at = u16::try_from(found.tags.len()).ok()?;
        self.memory += memory(&edge);
        found.heads.push(Head::new(edge.first()));
        found.tags.push(Tag {
            edge,
            inside,
            next: at,
            used: self.now,
        });
        self.states.push(State::default());
        Some(at)
    }

    /// The automaton's number of a namespace name; `None` when there are too many.
    pub(super) fn number(&mut self, uri: &str) -> Option<u32> {
        let known = self.uris.iter().position(|known| **known == *uri);
        if known.is_none() {
            if self.uris.len() >= URIS_MAX {
                return None;
            }
            self.memory += uri.len() + size_of::<Box<str>>();
            self.uris.push(uri.into());
        }
        u32::try_from(known.unwrap_or(self.uris.len() - 1)).ok()
    }

    /// Drops what the last document did not have, and everything if more than `memory_max` is left.
    pub(super) fn collect(&mut self, memory_max: usize) {
        let old = std::mem::take(self);
        self.now = old.now;
        self.uris.clone_from(&old.uris);
        self.memory = old.uris.iter().map(|uri| uri.len() + size_of::<Box<str>>()).sum();
        let mut waiting = vec![(StateId::OUTSIDE, StateId::OUTSIDE)];
        while let Some((from, to)) = waiting.pop() {
            let tags = old.state(from).into_iter().flat_map(|state| &state.tags);
            for tag in tags.filter(|tag| tag.used == old.now) {
                let copied = self.push(to, tag.edge.clone());
                let inside = copied.and_then(|at| self.follow(to, None, at));
                waiting.extend(inside.map(|inside| (tag.inside, inside)));
            }
        }
        if self.memory > memory_max {
            *self = States {
                now: old.now,
                ..States::default()
            };
        }
    }

    #[inline]
    fn state(&self, id: StateId) -> Option<&State> {
        self.states.get(id.0 as usize)
    }
}

/// Bytes of memory that a tag and the state behind it take, roughly.
fn memory(edge: &Edge) -> usize {
    edge.memory() + size_of::<Tag>() - size_of::<Edge>() + size_of::<Head>() + size_of::<State>()
}

impl Head {
    fn new(bytes: &[u8]) -> Head {
        let mut first = [0; 8];
        first.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        let count = bytes.len().min(8);
        let mask = u64::MAX.checked_shr(64 - 8 * count as u32).unwrap_or(0);
        Head {
            bytes: u64::from_le_bytes(first),
            mask,
        }
    }
}
