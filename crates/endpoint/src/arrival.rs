//! [`Arrival`]: a body that is followed while it comes.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use castile_diff::{Automata, Coming};
use castile_http::Watch;
use castile_plan::Types;

/// Looks at a body while it comes.
#[derive(Debug)]
pub(crate) struct Arrival {
    automata: Arc<Automata>,
    types: Arc<Types>,
    sender: Box<[u8]>,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// Nothing came yet.
    Unseen,
    Like(Box<Coming>),
    /// It begins like no message that is known.
    Unlike,
}

impl Arrival {
    /// Who looks at a body of this sender, if messages are known that it may be like.
    pub(crate) fn of(automata: &Arc<Automata>, types: &Arc<Types>, sender: &[u8]) -> Option<Arc<dyn Watch>> {
        automata.awaits().then(|| {
            Arc::new(Arrival {
                automata: Arc::clone(automata),
                types: Arc::clone(types),
                sender: sender.into(),
                state: Mutex::new(State::Unseen),
            }) as Arc<dyn Watch>
        })
    }

    /// What was compared of a body, once.
    pub(crate) fn take(watch: &dyn Watch) -> Option<Box<Coming>> {
        let arrival = (watch as &dyn Any).downcast_ref::<Arrival>()?;
        let mut state = arrival.state.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *state, State::Unlike) {
            State::Like(coming) => Some(coming),
            _ => None,
        }
    }
}

impl Watch for Arrival {
    fn came(&self, body: &[u8]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::Unseen) {
            let coming = self.automata.coming(&self.sender, body);
            *state = coming.map_or(State::Unlike, State::Like);
        }
        if let State::Like(coming) = &mut *state {
            coming.came(&self.types, body);
        }
    }
}
