//! [`Unpack`]: a body made plain while it comes.

use std::io::{self, Write};

use bytes::Bytes;

use crate::client::Encoding;
use crate::coding::is_zlib;

/// Compressed bytes that are looked at in one go, so that what comes out of them at once is bounded
/// (deflate makes at most 1032 bytes of one).
const STEP_BYTES: usize = 4 << 10;

/// Largest window of a zstd frame in a body that is read while it comes: 8 MiB, what RFC 9659 allows.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// A body's content coding being undone. That compressed bytes stop early is seen by whoever reads what
/// they hold: an envelope shows its end.
pub(crate) struct Unpack {
    /// `None`: the bytes are plain.
    coding: Option<Encoding>,
    decoder: Option<Decoder>,
    waiting: Bytes,
}

enum Decoder {
    Gzip(flate2::write::MultiGzDecoder<Vec<u8>>),
    Zlib(flate2::write::ZlibDecoder<Vec<u8>>),
    Deflate(flate2::write::DeflateDecoder<Vec<u8>>),
    Zstd(Box<zstd::stream::write::Decoder<'static, Vec<u8>>>),
}

impl Unpack {
    pub(crate) fn new(coding: Option<Encoding>) -> Unpack {
        Unpack {
            coding,
            decoder: None,
            waiting: Bytes::new(),
        }
    }

    /// Takes bytes as they came; those before must have been taken out by [`Unpack::plain`].
    pub(crate) fn push(&mut self, chunk: Bytes) {
        self.waiting = chunk;
    }

    /// The next plain bytes of what was pushed; `None` when there are no more.
    pub(crate) fn plain(&mut self) -> io::Result<Option<Bytes>> {
        let Some(coding) = self.coding else {
            let plain = std::mem::take(&mut self.waiting);
            return Ok((!plain.is_empty()).then_some(plain));
        };
        while !self.waiting.is_empty() {
            let step = self.waiting.split_to(self.waiting.len().min(STEP_BYTES));
            let decoder = match &mut self.decoder {
                Some(decoder) => decoder,
                none => none.insert(Decoder::new(coding, &step)?),
            };
            let plain = decoder.write(&step)?;
            if !plain.is_empty() {
                return Ok(Some(plain.into()));
            }
        }
        Ok(None)
    }

    /// The last plain bytes, when no more come; none the second time.
    pub(crate) fn finish(&mut self) -> io::Result<Option<Bytes>> {
        // A body of no bytes is empty in any coding.
        let last = self.decoder.take().map_or(Ok(Vec::new()), Decoder::finish)?;
        Ok((!last.is_empty()).then(|| last.into()))
    }
}

impl Decoder {
    fn new(coding: Encoding, head: &[u8]) -> io::Result<Decoder> {
        Ok(match coding {
            Encoding::Gzip => Decoder::Gzip(flate2::write::MultiGzDecoder::new(Vec::new())),
            Encoding::Deflate if is_zlib(head) => Decoder::Zlib(flate2::write::ZlibDecoder::new(Vec::new())),
            Encoding::Deflate => Decoder::Deflate(flate2::write::DeflateDecoder::new(Vec::new())),
            Encoding::Zstd => {
                let mut decoder = zstd::stream::write::Decoder::new(Vec::new())?;
                decoder.set_parameter(zstd::zstd_safe::DParameter::WindowLogMax(ZSTD_WINDOW_LOG_MAX))?;
                Decoder::Zstd(Box::new(decoder))
            }
        })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Decoder::Gzip(decoder) => {
                decoder.write_all(bytes)?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Decoder::Zlib(decoder) => {
                decoder.write_all(bytes)?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Decoder::Deflate(decoder) => {
                decoder.write_all(bytes)?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Decoder::Zstd(decoder) => {
                decoder.write_all(bytes)?;
                Ok(std::mem::take(decoder.get_mut()))
            }
        }
    }

    fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Decoder::Gzip(decoder) => decoder.finish(),
            Decoder::Zlib(decoder) => decoder.finish(),
            Decoder::Deflate(decoder) => decoder.finish(),
            Decoder::Zstd(mut decoder) => {
                decoder.flush()?;
                Ok(std::mem::take(decoder.get_mut()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::encode;

    fn unpacked(coding: Encoding, coded: &[u8], piece: usize) -> io::Result<Vec<u8>> {
        let mut unpack = Unpack::new(Some(coding));
        let mut out = Vec::new();
        for chunk in coded.chunks(piece) {
            unpack.push(Bytes::copy_from_slice(chunk));
            while let Some(plain) = unpack.plain()? {
                out.extend_from_slice(&plain);
            }
        }
        out.extend_from_slice(&unpack.finish()?.unwrap_or_default());
        Ok(out)
    }

    #[test]
    fn pieces_unpack_to_the_whole() {
        let plain: Vec<u8> = (0..200_000u32).flat_map(|i| (i % 977).to_le_bytes()).collect();
        for coding in [Encoding::Gzip, Encoding::Zstd, Encoding::Deflate] {
            let coded = encode(coding, &plain).unwrap();
            for piece in [1, 100, 100_000_000] {
                assert!(
                    unpacked(coding, &coded, piece).unwrap() == plain,
                    "{coding:?} {piece}"
                );
            }
            assert_eq!(unpacked(coding, &[], 1).unwrap(), b"");
        }
    }

    #[test]
    fn what_is_damaged_is_an_error() {
        assert!(unpacked(Encoding::Gzip, b"not compressed at all", 5).is_err());
        assert!(unpacked(Encoding::Zstd, b"not compressed at all", 5).is_err());
    }
}
