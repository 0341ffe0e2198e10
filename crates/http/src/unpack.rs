//! [`Unpack`]: a body made plain while it comes.

use std::io::{self, Write};

use bytes::Bytes;
use zstd::stream::raw::{InBuffer, Operation, OutBuffer};
use zstd::zstd_safe::DParameter;

use crate::client::Encoding;
use crate::coding::is_zlib;

/// Compressed bytes that are looked at in one go, so that what comes out of them at once is bounded
/// (deflate makes at most 1032 bytes of one).
const STEP_BYTES: usize = 4 << 10;

/// Largest window of a zstd frame in a body that is read while it comes: 8 MiB, what RFC 9659 allows.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// A body's content coding being undone. Compressed bytes that stop before their end are an error.
pub(crate) struct Unpack {
    /// `None`: the bytes are plain.
    coding: Option<Encoding>,
    decoder: Option<Decoder>,
    waiting: Bytes,
    /// The first byte of a deflated body, which does not tell what frame it is in.
    first: Option<u8>,
}

enum Decoder {
    Gzip(flate2::write::MultiGzDecoder<Vec<u8>>),
    Deflate(Inflate),
    Zstd(Unzstd),
}

impl Unpack {
    pub(crate) fn new(coding: Option<Encoding>) -> Unpack {
        Unpack {
            coding,
            decoder: None,
            waiting: Bytes::new(),
            first: None,
        }
    }

    /// Takes bytes as they came; those before must have been taken out by [`Unpack::plain`].
    pub(crate) fn push(&mut self, chunk: Bytes) {
        if chunk.is_empty() {
            return;
        }
        self.waiting = match (self.first.take(), &chunk[..]) {
            (Some(first), rest) => [&[first], rest].concat().into(),
            (None, [first]) if self.decoder.is_none() && self.coding == Some(Encoding::Deflate) => {
                self.first = Some(*first);
                Bytes::new()
            }
            (None, _) => chunk,
        };
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
        if self.first.is_some() {
            return Err(early());
        }
        // A body of no bytes is empty in any coding.
        let last = self.decoder.take().map_or(Ok(Vec::new()), Decoder::finish)?;
        Ok((!last.is_empty()).then(|| last.into()))
    }
}

impl Decoder {
    fn new(coding: Encoding, head: &[u8]) -> io::Result<Decoder> {
        Ok(match coding {
            Encoding::Gzip => Decoder::Gzip(flate2::write::MultiGzDecoder::new(Vec::new())),
            Encoding::Deflate => Decoder::Deflate(Inflate::new(is_zlib(head))),
            Encoding::Zstd => Decoder::Zstd(Unzstd::new()?),
        })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Decoder::Gzip(decoder) => {
                decoder.write_all(bytes)?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Decoder::Deflate(decoder) => decoder.write(bytes),
            Decoder::Zstd(decoder) => decoder.write(bytes),
        }
    }

    fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Decoder::Gzip(decoder) => decoder.finish(),
            Decoder::Deflate(Inflate { whole, .. }) | Decoder::Zstd(Unzstd { whole, .. }) if !whole => {
                Err(early())
            }
            Decoder::Deflate(_) | Decoder::Zstd(_) => Ok(Vec::new()),
        }
    }
}

fn early() -> io::Error {
    let text = "the compressed bytes stop before their end";
    io::Error::new(io::ErrorKind::UnexpectedEof, text)
}

/// Bytes that a step has room for at least.
const ROOM_BYTES: usize = 16 << 10;

/// Deflate, in zlib's frame or bare.
struct Inflate {
    stream: flate2::Decompress,
    /// Whether its end was seen.
    whole: bool,
}

impl Inflate {
    fn new(zlib: bool) -> Inflate {
        Inflate {
            stream: flate2::Decompress::new(zlib),
            whole: false,
        }
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        loop {
            if self.whole && !bytes.is_empty() {
                let text = "bytes follow the end of the compressed ones";
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            out.reserve(ROOM_BYTES);
            let (read, written) = (self.stream.total_in(), self.stream.total_out());
            let none = flate2::FlushDecompress::None;
            let status = self.stream.decompress_vec(bytes, &mut out, none)?;
            let read = (self.stream.total_in() - read) as usize;
            bytes = bytes.get(read..).unwrap_or_default();
            self.whole = status == flate2::Status::StreamEnd;
            let stands = read == 0 && self.stream.total_out() == written;
            if stands || self.whole && bytes.is_empty() {
                return Ok(out);
            }
        }
    }
}

/// Zstandard, one frame or several.
struct Unzstd {
    stream: zstd::stream::raw::Decoder<'static>,
    /// Whether a frame has just ended.
    whole: bool,
}

impl Unzstd {
    fn new() -> io::Result<Unzstd> {
        let mut stream = zstd::stream::raw::Decoder::new()?;
        stream.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG_MAX))?;
        Ok(Unzstd { stream, whole: false })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut input = InBuffer::around(bytes);
        loop {
            let before = (input.pos(), out.len());
            out.reserve(ROOM_BYTES);
            let at = out.len();
            let mut room = OutBuffer::around_pos(&mut out, at);
            let missing = self.stream.run(&mut input, &mut room)?;
            let full = room.pos() == room.capacity();
            // What is left of an ended frame's bytes is asked for in vain, and says nothing new.
            if (input.pos(), out.len()) != before {
                self.whole = missing == 0;
            }
            if input.pos() == bytes.len() && !full {
                return Ok(out);
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
    fn what_stops_early_is_an_error() {
        let plain = b"<item>1.5</item>".repeat(1000);
        for coding in [Encoding::Gzip, Encoding::Zstd, Encoding::Deflate] {
            let coded = encode(coding, &plain).unwrap();
            for end in 1..coded.len() {
                for piece in [1, 7, 100_000] {
                    let error = unpacked(coding, &coded[..end], piece).unwrap_err();
                    assert!(!error.to_string().is_empty(), "{coding:?} cut at {end}");
                }
            }
        }
        let zlib = encode(Encoding::Deflate, b"all").unwrap();
        let error = unpacked(Encoding::Deflate, &zlib[..zlib.len() - 1], 3).unwrap_err();
        assert_eq!(error.to_string(), "the compressed bytes stop before their end");
        assert!(unpacked(Encoding::Deflate, &[&zlib[..], b"x"].concat(), 100).is_err());
        let bare = &zlib[2..zlib.len() - 4];
        assert_eq!(unpacked(Encoding::Deflate, bare, 1).unwrap(), b"all");
        let twice = [
            encode(Encoding::Zstd, b"one ").unwrap(),
            encode(Encoding::Zstd, b"two").unwrap(),
        ]
        .concat();
        assert_eq!(unpacked(Encoding::Zstd, &twice, 1).unwrap(), b"one two");
        assert_eq!(unpacked(Encoding::Zstd, &twice, 1000).unwrap(), b"one two");
    }

    #[test]
    fn what_is_damaged_is_an_error() {
        assert!(unpacked(Encoding::Gzip, b"not compressed at all", 5).is_err());
        assert!(unpacked(Encoding::Zstd, b"not compressed at all", 5).is_err());
    }
}
