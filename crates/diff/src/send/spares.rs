//! Memory of chunks that are gone, for the next ones: pages that were just used cost much less than those that the
//! system has to find first.

use std::sync::{Arc, Mutex, PoisonError};

use super::chunk::Chunk;

/// What this process has, whoever gave it back; without what was in it.
static SPARES: Mutex<Spares> = Mutex::new(Spares {
    buffers: Vec::new(),
    bytes: 0,
});

#[derive(Debug)]
struct Spares {
    buffers: Vec<Vec<u8>>,
    /// Of all buffers.
    bytes: usize,
}

/// An empty buffer with room for so many bytes.
pub(crate) fn take(room: usize) -> Vec<u8> {
    let mut spares = lock();
    let found = spares.buffers.pop();
    spares.bytes -= found.as_ref().map_or(0, Vec::capacity);
    drop(spares);
    match found {
        // One that is too small would be copied to a larger place.
        Some(buffer) if buffer.capacity() >= room => buffer,
        _ => Vec::with_capacity(room),
    }
}

/// Gives back what chunks have, unless somebody still sends it, as long as no more than so many bytes are spare.
pub(crate) fn give(chunks: impl IntoIterator<Item = Chunk>, bytes_max: usize) {
    if bytes_max == 0 {
        return;
    }
    let mut spares = lock();
    for chunk in chunks {
        if let Some(mut buffer) = Arc::into_inner(chunk.bytes)
            && spares.bytes + buffer.capacity() <= bytes_max
        {
            buffer.clear();
            spares.bytes += buffer.capacity();
            spares.buffers.push(buffer);
        }
    }
}

fn lock() -> std::sync::MutexGuard<'static, Spares> {
    // It is whole after each change.
    SPARES.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// One test, since all share what the process has.
    #[test]
    fn buffers_are_used_again_within_bounds() {
        let lent = chunk(5000);
        give([chunk(5000), lent.clone()], 0);
        assert_eq!(take(10).capacity(), 10);
        give([chunk(5000), lent.clone(), chunk(700)], 5600);
        assert_eq!(*lent.bytes, b"what was sent");
        // Neither the one that is still sent nor one beyond the bound.
        let again = take(4000);
        assert!(again.is_empty() && again.capacity() >= 5000);
        assert_eq!(take(4000).capacity(), 4000);
        give([chunk(100)], 5600);
        assert!(take(4000).capacity() >= 4000, "too small");
        assert_eq!(lock().bytes, 0);
    }
}
