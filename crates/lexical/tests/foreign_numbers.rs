//! Number texts with known bits or roundings, collected by others: nigeltao's collection, Go,
//! CPython, Abraham's strtod tests.

mod common;

use std::fs;
use std::path::Path;

use castile_lexical::{
    F64_WIDTH_MAX, format_f32, format_f64, format_f64_digits, parse_f32, parse_f64, prefix_f64,
};
use common::testdata;

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn f64_text(v: f64) -> String {
    let mut out = Vec::new();
    format_f64(v, &mut out);
    String::from_utf8(out).unwrap()
}

/// Reads the text both ways in, compares the bits, and sends the value around once more.
fn check_bits(text: &str, bits: u64) {
    let v = parse_f64(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(v.to_bits(), bits, "{text}");
    let behind = format!("{text}</double>");
    let prefix = prefix_f64(behind.as_bytes()).map(|(v, used)| (v.to_bits(), used));
    assert_eq!(prefix, Some((bits, text.len())), "{text}");
    let out = f64_text(v);
    assert!(out.len() <= F64_WIDTH_MAX, "{out}");
    assert_eq!(parse_f64(out.as_bytes()).map(f64::to_bits), Ok(bits), "{out}");
}

#[test]
fn parse_number_fxx() {
    let Some(folder) = testdata("numbers/parse-number-fxx") else {
        return;
    };
    let mut lines = 0;
    for file in fs::read_dir(folder).unwrap() {
        let all = read(&file.unwrap().path());
        for line in all.lines() {
            // Files without expected bits have one field a line.
            let [_, hex32, hex64, text] = line.split(' ').collect::<Vec<_>>()[..] else {
                continue;
            };
            check_bits(text, u64::from_str_radix(hex64, 16).unwrap());
            let v = parse_f32(text.as_bytes()).unwrap();
            assert_eq!(v.to_bits(), u32::from_str_radix(hex32, 16).unwrap(), "{text}");
            let mut out = Vec::new();
            format_f32(v, &mut out);
            assert_eq!(parse_f32(&out).map(f32::to_bits), Ok(v.to_bits()), "{text}");
            lines += 1;
        }
    }
    assert!(lines > 14_000, "{lines}");
}

#[test]
fn texts_without_bits_agree_with_the_standard_library() {
    let Some(folder) = testdata("numbers") else {
        return;
    };
    for name in [
        "parse-number-fxx/exponents-near-ixx-extrema.txt",
        "cpython/floating_points.txt",
        "number-lists/mesh-8k.txt",
    ] {
        let all = read(&folder.join(name));
        let texts = all.lines().map(str::trim);
        for text in texts.filter(|text| !text.is_empty() && !text.starts_with('#')) {
            check_bits(text, text.parse::<f64>().unwrap().to_bits());
        }
    }
}

/// `6653062250012735p+365`: the mantissa times two to that power, which is exact.
fn from_binary(text: &str) -> f64 {
    let (mantissa, exponent) = text.split_once('p').unwrap();
    let mut v = mantissa.parse::<u64>().unwrap() as f64;
    let exponent: i32 = exponent.parse().unwrap();
    for _ in 0..exponent.unsigned_abs() {
        v *= if exponent < 0 { 0.5 } else { 2.0 };
    }
    v
}

#[test]
fn go_strconv() {
    let Some(folder) = testdata("numbers/go-strconv") else {
        return;
    };
    for line in read(&folder.join("testfp.txt")).lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        match fields[..] {
            ["float64", "%b", input, output] => {
                check_bits(input, from_binary(output).to_bits());
            }
            ["float32", "%b", input, output] => {
                let v = parse_f32(input.as_bytes()).unwrap();
                assert_eq!(f64::from(v), from_binary(output), "{input}");
            }
            ["float64", format, input, output] => check_digits(format, from_binary(input), output),
            _ => {}
        }
    }
}

/// Compares a `%.3e` or `%.4g` of another implementation with our digits, by value.
fn check_digits(format: &str, v: f64, expected: &str) {
    let inner = format.trim_start_matches("%.");
    let (count, verb) = inner.split_at(inner.len() - 1);
    let digits = match (count.parse::<u8>(), verb) {
        (Ok(count), "e") => count + 1,
        (Ok(count), "g") => count.max(1),
        _ => return,
    };
    let mut out = Vec::new();
    format_f64_digits(v, digits, &mut out);
    let (ours, theirs) = (parse_f64(&out), parse_f64(expected.as_bytes()));
    // With more digits than the shortest text has, ours stays the shortest.
    assert_eq!(
        ours.map(f64::to_bits),
        theirs.map(f64::to_bits),
        "{format} of {v:e}"
    );
    let significant = |text: &str| {
        let mantissa = text.split('e').next().unwrap_or_default();
        let digits = mantissa.replace(['.', '-'], "");
        digits.trim_start_matches('0').trim_end_matches('0').len()
    };
    let ours = String::from_utf8(out).unwrap();
    assert!(significant(&ours) <= usize::from(digits), "{ours}");
}

#[test]
fn cpython_format_float() {
    let Some(folder) = testdata("numbers/cpython") else {
        return;
    };
    let mut cases = 0;
    for line in read(&folder.join("formatfloat_testcases.txt")).lines() {
        let Some((format, rest)) = line.split_once(' ') else {
            continue;
        };
        let Some((input, expected)) = rest.split_once(" -> ") else {
            continue;
        };
        let v = parse_f64(input.trim().as_bytes()).unwrap();
        match format {
            "%r" => check_bits(expected.trim(), v.to_bits()),
            _ => check_digits(format, v, expected.trim()),
        }
        cases += 1;
    }
    assert!(cases > 150, "{cases}");
}

/// The string behind `key = ` in a line of TOML.
fn toml_value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')
}

#[test]
fn strtod_tests() {
    let Some(folder) = testdata("numbers/strtod-tests") else {
        return;
    };
    let all = read(&folder.join("strtod_tests.toml"));
    let (mut text, mut cases) = ("", 0);
    for line in all.lines() {
        text = toml_value(line, "str").unwrap_or(text);
        let Some(hex) = toml_value(line, "hex") else {
            continue;
        };
        cases += 1;
        if text.contains(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E')) {
            // C spells infinity and NaN in many ways; XSD has one for each.
            let legal = matches!(text, "INF" | "-INF" | "NaN");
            assert_eq!(parse_f64(text.as_bytes()).is_ok(), legal, "{text}");
        } else {
            check_bits(text, u64::from_str_radix(hex, 16).unwrap());
        }
    }
    assert_eq!(cases, 116);
    let negatives = all.split_once("NegativeFormattingTests = [").unwrap().1;
    let negatives = negatives.split(']').next().unwrap_or_default();
    for text in negatives.split('"').skip(1).step_by(2) {
        assert!(parse_f64(text.as_bytes()).is_err(), "{text}");
    }
}
