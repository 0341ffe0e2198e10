//! [`Coming`]: a message that is followed while it comes.

use std::sync::atomic::Ordering;

use castile_codec::Ahead;
use castile_plan::Types;

use super::lasts::Last;
use super::store::Automata;

/// A message of which more has to come. Dropped, it takes what is kept of its sender's last one with it.
#[derive(Debug)]
pub struct Coming {
    peer: Box<[u8]>,
    operation: usize,
    pub(super) ahead: Ahead,
    /// What it is compared with.
    pub(super) last: Option<Last>,
}

impl Automata {
    /// Whether a message may be followed [while it comes](Automata::coming): whether any with arrays of numbers was learned.
    pub fn awaits(&self) -> bool {
        self.options().enabled && self.options().ahead && self.has_arrays.load(Ordering::Relaxed)
    }

    /// Begins to follow a message of which these bytes came first, if it begins like an earlier one: compared with the last
    /// one of the same peer where that is kept, else read. It must be [said](super::Message::came_as) to be that message
    /// when it has come.
    pub fn coming(&self, peer: &[u8], came: &[u8]) -> Option<Box<Coming>> {
        if !self.awaits() {
            return None;
        }
        let mut lasts = self.lasts();
        let (operation, ahead, last) = match lasts.take_like(peer, came) {
            Some((operation, ahead, last)) => (operation, ahead, Some(last)),
            None => {
                let (operation, ahead) = self.shared().begun_by(came)?;
                // An array that is going to be kept is read with its widths.
                if self.options().values && lasts.keeps(peer, operation, || self.is_kept_in_vain(operation)) {
                    return None;
                }
                (operation, ahead, None)
            }
        };
        Some(Box::new(Coming {
            peer: peer.into(),
            operation,
            ahead,
            last,
        }))
    }
}

impl Coming {
    /// Follows what came: all bytes of the message from its first one on. `types` are those of its plan.
    pub fn came(&mut self, types: &Types, message: &[u8]) {
        let shadow = self.last.as_mut().and_then(|last| last.shadow.as_mut());
        self.ahead.came(types, shadow, message);
    }

    pub(super) fn is_of(&self, peer: &[u8], operation: usize) -> bool {
        *self.peer == *peer && self.operation == operation
    }
}
