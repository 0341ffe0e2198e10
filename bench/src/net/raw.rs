//! What the machine itself can do: the limits that stand beside the engines in every run.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{IoSlice, Read, Write};
use std::net::{TcpListener, TcpStream};

use super::clock::now;

/// Round trips of so many bytes each way over loopback, without HTTP; ns each. Of two ways to wait, watching the socket
/// and sleeping at once, the quicker here and now: a watcher takes the processor from whom it waits for where there is none to
/// spare.
pub(crate) fn ping_pong(calls: usize, out: usize, back: usize) -> std::io::Result<Vec<u64>> {
    let mut ways = Vec::new();
    for read in [read_watching as Fill, read_sleeping] {
        ways.push(round_trips(calls, out, back, read)?);
    }
    let middle = |samples: &Vec<u64>| {
        let mut sorted = samples.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied()
    };
    Ok(ways.into_iter().min_by_key(middle).unwrap_or_default())
}

/// Fills a buffer from a socket.
type Fill = fn(&mut TcpStream, &mut [u8]) -> std::io::Result<()>;

fn round_trips(calls: usize, out: usize, back: usize, read: Fill) -> std::io::Result<Vec<u64>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let server = std::thread::spawn(move || {
        let Ok((mut stream, _)) = listener.accept() else {
            return;
        };
        let _ = stream.set_nodelay(true);
        let (mut request, reply) = (vec![0; out], vec![b'x'; back]);
        while read(&mut stream, &mut request).is_ok() && stream.write_all(&reply).is_ok() {}
    });
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let (request, mut reply) = (vec![b'x'; out], vec![0; back]);
    let mut samples = Vec::with_capacity(calls);
    for _ in 0..calls {
        let start = now();
        stream.write_all(&request)?;
        read(&mut stream, &mut reply)?;
        samples.push(now() - start);
    }
    drop(stream);
    let _ = server.join();
    Ok(samples)
}

fn read_sleeping(stream: &mut TcpStream, buffer: &mut [u8]) -> std::io::Result<()> {
    stream.read_exact(buffer)
}

/// How long an end of the ping-pong watches its socket before it sleeps, ns: waking up costs more than most replies take.
const WATCH: u64 = 100_000;

fn read_watching(stream: &mut TcpStream, buffer: &mut [u8]) -> std::io::Result<()> {
    stream.set_nonblocking(true)?;
    let until = now() + WATCH;
    let first = loop {
        match stream.read(buffer) {
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock && now() < until => std::hint::spin_loop(),
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => break 0,
            Ok(0) => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            other => break other?,
        }
    };
    stream.set_nonblocking(false)?;
    stream.read_exact(&mut buffer[first..])
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

/// zmij takes twice as long where its buffer lies across cache lines.
#[repr(align(64))]
struct Lined(zmij::Buffer);

/// Numbers to text and nothing else, one after the other into a buffer, by the fastest crates there are; ns for all.
pub(crate) fn format(rounds: usize, doubles: &[f64], ints: &[i64]) -> Vec<u64> {
    let mut buffer = Lined(zmij::Buffer::new());
    let mut out = Vec::with_capacity(32 * (doubles.len() + ints.len()));
    timed(rounds, || {
        out.clear();
        for &value in doubles {
            out.extend_from_slice(buffer.0.format(value).as_bytes());
        }
        for &value in ints {
            itoap::write_to_vec(&mut out, value);
        }
        black_box(&out);
    })
}

/// Text to numbers and nothing else, likewise.
pub(crate) fn parse(rounds: usize, doubles: &[f64], ints: &[i64]) -> Vec<u64> {
    let doubles: Vec<String> = doubles
        .iter()
        .map(|&v| zmij::Buffer::new().format(v).to_owned())
        .collect();
    let ints: Vec<String> = ints.iter().map(i64::to_string).collect();
    timed(rounds, || {
        for text in &doubles {
            let _ = black_box(fast_float2::parse::<f64, _>(text));
        }
        for text in &ints {
            let _ = black_box(text.parse::<i64>());
        }
    })
}

/// Numbers of so many digits to text by Rust's own library, which is told how many; ns for all.
pub(crate) fn format_digits(rounds: usize, doubles: &[f64], digits: usize) -> Vec<u64> {
    let mut out = String::with_capacity(32 * doubles.len());
    timed(rounds, || {
        out.clear();
        for value in doubles {
            // Writing to a string does not fail.
            let _ = write!(out, "{value:.*e}", digits - 1);
        }
        black_box(&out);
    })
}

/// Texts of so many digits to numbers, by the fastest crate there is and by Rust's own library; ns for all.
pub(crate) fn parse_digits(rounds: usize, doubles: &[f64], digits: usize) -> (Vec<u64>, Vec<u64>) {
    let texts: Vec<String> = doubles.iter().map(|v| format!("{v:.*e}", digits - 1)).collect();
    let fast = timed(rounds, || {
        for text in &texts {
            let _ = black_box(fast_float2::parse::<f64, _>(text));
        }
    });
    let own = timed(rounds, || {
        for text in &texts {
            let _ = black_box(text.parse::<f64>());
        }
    });
    (fast, own)
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
