//! What the machine itself can do: the limits that stand beside the engines in every run.

use std::hint::black_box;
use std::io::{IoSlice, Read, Write};
use std::net::{TcpListener, TcpStream};

use super::clock::now;
use crate::trace::double;

/// Round trips of so many bytes each way over loopback, blocking, without HTTP; ns each.
pub(crate) fn ping_pong(calls: usize, out: usize, back: usize) -> std::io::Result<Vec<u64>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let server = std::thread::spawn(move || {
        let Ok((mut stream, _)) = listener.accept() else {
            return;
        };
        let _ = stream.set_nodelay(true);
        let (mut request, reply) = (vec![0; out], vec![b'x'; back]);
        while stream.read_exact(&mut request).is_ok() && stream.write_all(&reply).is_ok() {}
    });
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let (request, mut reply) = (vec![b'x'; out], vec![0; back]);
    let mut samples = Vec::with_capacity(calls);
    for _ in 0..calls {
        let start = now();
        stream.write_all(&request)?;
        stream.read_exact(&mut reply)?;
        samples.push(now() - start);
    }
    drop(stream);
    let _ = server.join();
    Ok(samples)
}

/// One vectored write of so many bytes in pieces of 32 KiB until the other side has read the last; ns each.
pub(crate) fn vectored_write(calls: usize, bytes: usize) -> std::io::Result<Vec<u64>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let reader = std::thread::spawn(move || -> std::io::Result<Vec<u64>> {
        let (mut stream, _) = listener.accept()?;
        let mut buffer = vec![0; 256 << 10];
        let mut ends = Vec::with_capacity(calls);
        for _ in 0..calls {
            let mut left = bytes;
            while left > 0 {
                let room = left.min(buffer.len());
                match stream.read(&mut buffer[..room])? {
                    0 => return Ok(ends),
                    n => left -= n,
                }
            }
            ends.push(now());
            stream.write_all(b"x")?;
        }
        Ok(ends)
    });
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let piece = vec![b'x'; 32 << 10];
    let (mut starts, mut acknowledged) = (Vec::with_capacity(calls), [0]);
    for _ in 0..calls {
        starts.push(now());
        let mut left = bytes;
        let mut slices = Vec::new();
        while left > 0 {
            let size = left.min(piece.len());
            slices.push(IoSlice::new(&piece[..size]));
            left -= size;
        }
        let mut rest = &mut slices[..];
        while !rest.is_empty() {
            let written = stream.write_vectored(&rest[..rest.len().min(1024)])?;
            IoSlice::advance_slices(&mut rest, written);
        }
        stream.read_exact(&mut acknowledged)?;
    }
    let ends = reader
        .join()
        .map_err(|_| std::io::Error::other("the reader panicked"))??;
    Ok(starts.iter().zip(ends).map(|(start, end)| end - start).collect())
}

/// Doubles to text and nothing else, by the standard library; ns for all.
pub(crate) fn format_doubles(rounds: usize, values: &[f64]) -> Vec<u64> {
    timed(rounds, || {
        for value in values {
            black_box(double(*value));
        }
    })
}

/// Text to doubles and nothing else, by the standard library; ns for all.
pub(crate) fn parse_doubles(rounds: usize, values: &[f64]) -> Vec<u64> {
    let texts: Vec<String> = values.iter().map(|v| double(*v)).collect();
    timed(rounds, || {
        for text in &texts {
            let _ = black_box(text.parse::<f64>());
        }
    })
}

/// Copying so many bytes; ns.
pub(crate) fn copy(rounds: usize, bytes: usize) -> Vec<u64> {
    let (from, mut to) = (vec![1_u8; bytes], vec![0_u8; bytes]);
    timed(rounds, || {
        to.copy_from_slice(black_box(&from));
        black_box(&to);
    })
}

/// Comparing so many equal bytes; ns.
pub(crate) fn compare(rounds: usize, bytes: usize) -> Vec<u64> {
    let (one, other) = (vec![1_u8; bytes], vec![1_u8; bytes]);
    timed(rounds, || {
        black_box(black_box(&one) == black_box(&other));
    })
}

fn timed(rounds: usize, mut work: impl FnMut()) -> Vec<u64> {
    (0..rounds)
        .map(|_| {
            let start = now();
            work();
            now() - start
        })
        .collect()
}
