//! Columns of numbers between tags, both ways: this crate, the bare conversions, the bare tags.
//!
//! The bound that matters is the ratio of one run: `encode::f64_write` to `encode::f64_zmij`, the
//! conversion and a copy of the tags; `decode::f64_prefix` to `decode::f64_fast_float`. Each loop
//! is checked against the standard library before it is timed. Biases: one tag of 6 bytes, warm
//! caches, values uniform in 0..1 (about 17 digits) or small integers.

use castile_lexical as lexical;
use divan::Bencher;
use divan::counter::ItemsCount;

const ITEMS: usize = 100_000;
const OPEN: &[u8; 6] = b"<item>";
const CLOSE: &[u8; 7] = b"</item>";

fn main() {
    let column = doubles();
    for v in &column {
        let mut out = Vec::new();
        lexical::format_f64(*v, &mut out);
        let text = std::str::from_utf8(&out).unwrap_or_default();
        assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(v.to_bits()));
        assert_eq!(lexical::prefix_f64(&out), Some((*v, out.len())));
    }
    divan::main();
}

/// SplitMix64: the same numbers in every run.
fn random() -> impl Iterator<Item = u64> {
    let mut state = 0x9e37_79b9u64;
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

fn doubles() -> Vec<f64> {
    let unit = |bits| (bits >> 11) as f64 / (1u64 << 53) as f64;
    random().take(ITEMS).map(unit).collect()
}

fn ints() -> Vec<i32> {
    let some_digits = |bits: u64| (bits as i32) >> (bits >> 59);
    random().take(ITEMS).map(some_digits).collect()
}

fn whole_doubles() -> Vec<f64> {
    ints().into_iter().map(f64::from).collect()
}

fn encoded<T>(values: &[T], format: impl Fn(&T, &mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    for v in values {
        out.extend_from_slice(OPEN);
        format(v, &mut out);
        out.extend_from_slice(CLOSE);
    }
    out
}

mod encode {
    use super::*;

    /// Times a loop that appends to a vector with room enough.
    fn append<T: Sync>(b: Bencher<'_, '_>, values: &[T], format: impl Fn(&T, &mut Vec<u8>) + Sync) {
        let mut out = Vec::with_capacity(values.len() * 48);
        b.counter(ItemsCount::new(values.len())).bench_local(|| {
            out.clear();
            for v in values {
                out.extend_from_slice(OPEN);
                format(v, &mut out);
                out.extend_from_slice(CLOSE);
            }
            divan::black_box(&out);
        });
    }

    /// Times a loop that writes into a slice that is there already.
    fn place<T: Sync>(b: Bencher<'_, '_>, values: &[T], write: impl Fn(&T, &mut [u8; 32]) -> usize + Sync) {
        let mut out = vec![0; values.len() * 48];
        b.counter(ItemsCount::new(values.len())).bench_local(|| {
            let mut at = 0;
            for v in values {
                let Some(room) = out.get_mut(at..at + 48) else {
                    return;
                };
                if let Some(to) = room.first_chunk_mut() {
                    *to = *OPEN;
                }
                let Some(number) = room.get_mut(6..).and_then(|room| room.first_chunk_mut()) else {
                    return;
                };
                let n = 6 + write(v, number);
                if let Some(to) = room.get_mut(n..n + 7) {
                    to.copy_from_slice(CLOSE);
                }
                at += n + 7;
            }
            divan::black_box(&out);
        });
    }

    #[divan::bench]
    fn tags_alone(b: Bencher<'_, '_>) {
        append(b, &doubles(), |_, out| {
            out.extend_from_slice(b"0.1234567890123456")
        });
    }

    #[divan::bench]
    fn f64_zmij(b: Bencher<'_, '_>) {
        append(b, &doubles(), |v, out| {
            out.extend_from_slice(zmij::Buffer::new().format_finite(*v).as_bytes());
        });
    }

    #[divan::bench]
    fn f64_format(b: Bencher<'_, '_>) {
        append(b, &doubles(), |v, out| lexical::format_f64(*v, out));
    }

    #[divan::bench]
    fn f64_write(b: Bencher<'_, '_>) {
        place(b, &doubles(), |v, out| lexical::write_f64(*v, out));
    }

    /// Whole numbers, as a mesh or a count has them.
    #[divan::bench]
    fn f64_whole_zmij(b: Bencher<'_, '_>) {
        append(b, &whole_doubles(), |v, out| {
            out.extend_from_slice(zmij::Buffer::new().format_finite(*v).as_bytes());
        });
    }

    #[divan::bench]
    fn f64_whole_write(b: Bencher<'_, '_>) {
        place(b, &whole_doubles(), |v, out| lexical::write_f64(*v, out));
    }

    #[divan::bench(args = [6, 12])]
    fn f64_digits(b: Bencher<'_, '_>, digits: u8) {
        append(b, &doubles(), |v, out| {
            lexical::format_f64_digits(*v, digits, out)
        });
    }

    #[divan::bench]
    fn i32_itoap(b: Bencher<'_, '_>) {
        append(b, &ints(), |v, out| itoap::write_to_vec(out, *v));
    }

    #[divan::bench]
    fn i32_format(b: Bencher<'_, '_>) {
        append(b, &ints(), |v, out| lexical::format_i32(*v, out));
    }

    #[divan::bench]
    fn i32_write(b: Bencher<'_, '_>) {
        place(b, &ints(), |v, out| lexical::write_i32(*v, out));
    }
}

mod decode {
    use super::*;

    /// Times a loop that compares tags and pushes numbers, and checks that it reached the end.
    fn each<T: Copy>(
        b: Bencher<'_, '_>,
        count: usize,
        text: &[u8],
        prefix: impl Fn(&[u8]) -> Option<(T, usize)>,
    ) {
        let mut values: Vec<T> = Vec::with_capacity(count);
        b.counter(ItemsCount::new(count)).bench_local(|| {
            values.clear();
            let mut rest = text;
            while let Some(after) = rest.strip_prefix(OPEN) {
                let Some((v, used)) = prefix(after) else { break };
                let Some(next) = after.get(used..).and_then(|rest| rest.strip_prefix(CLOSE)) else {
                    break;
                };
                values.push(v);
                rest = next;
            }
            assert_eq!((values.len(), rest.len()), (count, 0));
            divan::black_box(&values);
        });
    }

    #[divan::bench]
    fn f64_fast_float(b: Bencher<'_, '_>) {
        let text = encoded(&doubles(), |v, out| lexical::format_f64(*v, out));
        each(b, ITEMS, &text, |text| {
            fast_float2::parse_partial::<f64, _>(text).ok()
        });
    }

    #[divan::bench]
    fn f64_prefix(b: Bencher<'_, '_>) {
        let text = encoded(&doubles(), |v, out| lexical::format_f64(*v, out));
        each(b, ITEMS, &text, lexical::prefix_f64);
    }

    #[divan::bench]
    fn i32_by_digit(b: Bencher<'_, '_>) {
        let text = encoded(&ints(), |v, out| lexical::format_i32(*v, out));
        each(b, ITEMS, &text, |text| {
            let end = text.iter().position(|&byte| byte == b'<')?;
            Some((
                std::str::from_utf8(text.get(..end)?).ok()?.parse::<i32>().ok()?,
                end,
            ))
        });
    }

    #[divan::bench]
    fn i32_prefix(b: Bencher<'_, '_>) {
        let text = encoded(&ints(), |v, out| lexical::format_i32(*v, out));
        each(b, ITEMS, &text, lexical::prefix_i32);
    }
}
