//! Memory of chunks that are gone, for the next ones: pages that were just used cost much less than those that the
//! system has to find first.

use std::sync::{Mutex, PoisonError};

/// What this process has, whoever gave it back; to be written over.
static SPARES: Mutex<Spares> = Mutex::new(Spares::NONE);

/// A buffer with room for so many bytes, to be written over.
pub(crate) fn take(room: usize) -> Vec<u8> {
    let found = lock().take();
    match found {
        // One that is too small would be copied to a larger place.
        Some(buffer) if buffer.capacity() >= room => buffer,
        _ => Vec::with_capacity(room),
    }
}

/// Gives buffers back, as long as no more than so many bytes are spare.
pub(crate) fn give(buffers: impl IntoIterator<Item = Vec<u8>>, bytes_max: usize) {
    if bytes_max > 0 {
        lock().give(buffers, bytes_max);
    }
}

fn lock() -> std::sync::MutexGuard<'static, Spares> {
    // It is whole after each change.
    SPARES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
struct Spares {
    buffers: Vec<Vec<u8>>,
    /// Of all buffers.
    bytes: usize,
}

impl Spares {
    const NONE: Spares = Spares {
        buffers: Vec::new(),
        bytes: 0,
    };

    fn take(&mut self) -> Option<Vec<u8>> {
        let buffer = self.buffers.pop()?;
        self.bytes -= buffer.capacity();
        Some(buffer)
    }

    fn give(&mut self, buffers: impl IntoIterator<Item = Vec<u8>>, bytes_max: usize) {
        for buffer in buffers {
            if buffer.capacity() > 0 && self.bytes + buffer.capacity() <= bytes_max {
                self.bytes += buffer.capacity();
                self.buffers.push(buffer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(room: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(room);
        bytes.extend_from_slice(b"what was sent");
        bytes
    }

    #[test]
    fn buffers_are_used_again_within_bounds() {
        let mut spares = Spares::NONE;
        spares.give([buffer(5000), buffer(700), Vec::new()], 5600);
        // Neither the one beyond the bound nor what is none.
        assert!(spares.take().expect("the first").capacity() >= 5000);
        assert_eq!((spares.take(), spares.bytes), (None, 0));
    }

    #[test]
    fn there_is_always_room() {
        for room in [0, 10, 1 << 20] {
            give([buffer(100)], 1 << 20);
            assert!(take(room).capacity() >= room);
        }
    }
}
