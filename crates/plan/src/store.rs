//! The stored form of tables and of what is kept with them.
//!
//! Eight bytes of magic and version, eight of a checksum over the rest, then the body. A damaged,
//! truncated or foreign file is an error; the caller rebuilds.

use serde::{Serialize, de::DeserializeOwned};

use crate::Error;

/// The last byte grows whenever any stored type changes.
const MAGIC: [u8; 8] = *b"CASTILE\x01";

/// The stored form of a value, appended to `out`.
pub fn encode_stored<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<(), Error> {
    let body = postcard::to_stdvec(value).map_err(|e| Error(e.to_string()))?;
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&checksum(&body).to_le_bytes());
    out.extend_from_slice(&body);
    Ok(())
}

/// The value of a stored form. Tables in it still have to be sealed, which checks their indexes.
pub fn decode_stored<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let Some((head, body)) = bytes.split_at_checked(16) else {
        return Err(Error("the stored form is cut off".into()));
    };
    if head[..8] != MAGIC {
        return Err(Error("not the stored form of this version".into()));
    }
    if head[8..] != checksum(body).to_le_bytes() {
        return Err(Error("the stored form is damaged".into()));
    }
    postcard::from_bytes(body).map_err(|e| Error(e.to_string()))
}

/// FNV-1a over words: finds damage, not malice (the store's files are private).
fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64 ^ bytes.len() as u64;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let mut w = [0; 8];
        w.copy_from_slice(word);
        hash = (hash ^ u64::from_le_bytes(w))
            .wrapping_mul(0x0000_0100_0000_01b3)
            .rotate_left(23);
    }
    for &byte in words.remainder() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Types;

    #[test]
    fn damage_anywhere_is_found() {
        let mut stored = Vec::new();
        encode_stored(&Types::new(), &mut stored).unwrap();
        decode_stored::<Types>(&stored).unwrap().seal().unwrap();
        for i in 0..stored.len() {
            let mut damaged = stored.clone();
            damaged[i] ^= 0x40;
            assert!(decode_stored::<Types>(&damaged).is_err(), "byte {i}");
        }
        for cut in 0..stored.len() {
            assert!(decode_stored::<Types>(&stored[..cut]).is_err(), "cut at {cut}");
        }
    }
}
