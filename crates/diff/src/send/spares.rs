//! Memory of chunks that are gone, for the next ones: pages that were just used cost much less than those that the
//! system has to find first.

use std::sync::{Arc, Mutex, PoisonError};

use super::chunk::Chunk;

/// What this process has, whoever gave it back; without what was in it.
static SPARES: Mutex<Spares> = Mutex::new(Spares::NONE);

/// An empty buffer with room for so many bytes.
pub(crate) fn take(room: usize) -> Vec<u8> {
    let found = lock().take();
    match found {
        // One that is too small would be copied to a larger place.
        Some(buffer) if buffer.capacity() >= room => buffer,
        _ => Vec::with_capacity(room),
    }
}

/// Gives back what chunks have, unless somebody still sends it, as long as no more than so many bytes are spare.
pub(crate) fn give(chunks: impl IntoIterator<Item = Chunk>, bytes_max: usize) {
    if bytes_max > 0 {
        lock().give(chunks, bytes_max);
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

    fn give(&mut self, chunks: impl IntoIterator<Item = Chunk>, bytes_max: usize) {
        for chunk in chunks {
            if let Some(mut buffer) = Arc::into_inner(chunk.bytes)
                && self.bytes + buffer.capacity() <= bytes_max
            {
                buffer.clear();
                self.bytes += buffer.capacity();
                self.buffers.push(buffer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(room: usize) -> Chunk {
        let mut bytes = Vec::with_capacity(room);
        bytes.extend_from_slice(b"what was sent");
        Chunk {
            bytes: Arc::new(bytes),
            ..Chunk::default()
        }
    }

    #[test]
    fn buffers_are_used_again_within_bounds() {
        let mut spares = Spares::NONE;
        let lent = chunk(5000);
        spares.give([chunk(5000), lent.clone(), chunk(700)], 5600);
        assert_eq!(*lent.bytes, b"what was sent");
        // Neither the one that is still sent nor one beyond the bound.
        let again = spares.take().expect("the first");
        assert!(again.is_empty() && again.capacity() >= 5000);
        assert_eq!((spares.take(), spares.bytes), (None, 0));
    }

    #[test]
    fn there_is_always_room() {
        for room in [0, 10, 1 << 20] {
            give([chunk(100)], 1 << 20);
            let buffer = take(room);
            assert!(buffer.is_empty() && buffer.capacity() >= room);
        }
    }
}
