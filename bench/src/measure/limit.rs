//! What the machine could do in a cell: rows named `limit/...` beside the engines, measured in the same rounds.

use std::time::Duration;

use super::Material;
use crate::Outcome;
use crate::net::load::{self, Until};
use crate::net::raw;
use crate::net::sink::Sink;
use crate::trace::generate::{self, Data};
use crate::trace::{Field, Kind, Trace};
use crate::workload::{Cell, Measure};

/// What stands in every run: name, bytes or values, and samples in ns.
pub(crate) fn calibration() -> Outcome<Vec<(&'static str, usize, Vec<f64>)>> {
    const MESSAGE: usize = 2_400_000;
    let data = Data {
        seed: 1,
        ..Data::default()
    };
    let (doubles, _) = numbers(&generate::trace(Kind::Doubles, &data, 10_000)?);
    let (_, ints) = numbers(&generate::trace(Kind::Ints, &data, 10_000)?);
    let samples = [
        ("ping-pong of 500 bytes", 500, raw::ping_pong(2000, 500, 500)?),
        ("vectored write", MESSAGE, raw::vectored_write(50, MESSAGE)?),
        ("memcpy", MESSAGE, raw::copy(100, MESSAGE)),
        ("memcmp", MESSAGE, raw::compare(100, MESSAGE)),
        ("format doubles", doubles.len(), raw::format(50, &doubles, &[])),
        ("parse doubles", doubles.len(), raw::parse(50, &doubles, &[])),
        ("format ints", ints.len(), raw::format(50, &[], &ints)),
        ("parse ints", ints.len(), raw::parse(50, &[], &ints)),
    ];
    let in_ns = |ns: Vec<u64>| ns.into_iter().map(|ns| ns as f64).collect();
    Ok(samples
        .into_iter()
        .map(|(name, size, ns)| (name, size, in_ns(ns)))
        .collect())
}

/// Conversions of doubles by digits of precision (paper 004, figures 8 and 9): way, digits, and samples in ns for one number.
pub(crate) fn digits() -> Outcome<Vec<(&'static str, usize, Vec<f64>)>> {
    let data = Data {
        seed: 1,
        ..Data::default()
    };
    let (doubles, _) = numbers(&generate::trace(Kind::Doubles, &data, 2_000)?);
    let one = |ns: Vec<u64>| {
        ns.into_iter()
            .map(|ns| ns as f64 / doubles.len() as f64)
            .collect()
    };
    let mut found = Vec::new();
    for digits in 1..=17 {
        // What the shortest form of such a number takes, for a number that has no more digits.
        let rounded: Vec<f64> = doubles
            .iter()
            .filter_map(|v| format!("{v:.*e}", digits - 1).parse().ok())
            .collect();
        let (fast, own) = raw::parse_digits(10, &doubles, digits);
        found.push((
            "to text, shortest (zmij)",
            digits,
            one(raw::format(10, &rounded, &[])),
        ));
        found.push((
            "to text, so many digits (Rust's library)",
            digits,
            one(raw::format_digits(10, &doubles, digits)),
        ));
        found.push(("from text (fast-float2)", digits, one(fast)));
        found.push(("from text (Rust's library)", digits, one(own)));
    }
    Ok(found)
}

/// The doubles and the ints of a trace.
fn numbers(trace: &Trace) -> (Vec<f64>, Vec<i64>) {
    let (mut doubles, mut ints) = (Vec::new(), Vec::new());
    for field in trace.rows.iter().flatten() {
        match field {
            Field::Double(value) => doubles.push(*value),
            Field::Int(value) => ints.push(*value),
            _ => {}
        }
    }
    (doubles, ints)
}

/// HTTP's heads around request and reply, about.
const HEADS: (usize, usize) = (230, 130);

/// Calls of a round of the bytes alone, at most `most`: fewer of large messages, which vary less.
pub(crate) fn calls(material: &Material, most: usize) -> usize {
    const ROUND_BYTES: usize = 16 << 20;
    let bytes = material.literal.requests[0].body.len();
    (ROUND_BYTES / bytes.max(1)).clamp(5, most)
}

/// The bytes alone: as many over loopback as the cell's messages have, without SOAP or HTTP; ns, or requests a second.
pub(crate) fn wire(
    cell: &Cell<'_>,
    material: &Material,
    sink: &Sink,
    calls: usize,
    time: Duration,
) -> Outcome<Vec<f64>> {
    let messages = &material.literal;
    let (out, back) = match cell.measure {
        Measure::Endtoend => (
            messages.echo_requests[0].body.len(),
            messages.echo_response.body.len(),
        ),
        _ => (messages.requests[0].body.len(), messages.response.body.len()),
    };
    let calls = calls.clamp(3, 500);
    let samples = match cell.measure {
        Measure::Serialize | Measure::SendTime if cell.workload.kind != Kind::Google => {
            raw::vectored_write(calls, out + HEADS.0)?
        }
        Measure::Throughput => {
            let url = sink.answer("load", &messages.response, false);
            let port = url
                .split([':', '/'])
                .nth(4)
                .and_then(|p| p.parse().ok())
                .unwrap_or(0);
            let until = Until {
                time,
                count: cell.point.requests,
            };
            let load = load::run(
                port,
                "/load",
                &messages.requests,
                cell.point.connections.max(1),
                until,
            )?;
            sink.take("load");
            return Ok(vec![load.rate]);
        }
        _ => raw::ping_pong(calls, out + HEADS.0, back + HEADS.1)?,
    };
    Ok(samples.into_iter().map(|ns| ns as f64).collect())
}

/// The conversion of the cell's numbers alone, by the fastest crates there are; `None` where no numbers stand as text.
pub(crate) fn conversion(cell: &Cell<'_>, material: &Material) -> Option<Vec<f64>> {
    if !matches!(
        cell.workload.kind,
        Kind::Doubles | Kind::Ints | Kind::Mios | Kind::Events
    ) {
        return None;
    }
    let (doubles, ints) = numbers(material.trace(0));
    let format = || raw::format(5, &doubles, &ints);
    let parse = || raw::parse(5, &doubles, &ints);
    let samples: Vec<u64> = match cell.measure {
        Measure::Serialize => format(),
        Measure::Deserialize => parse(),
        // Both sides format and parse once.
        Measure::Endtoend => format().iter().zip(parse()).map(|(f, p)| 2 * (f + p)).collect(),
        _ => return None,
    };
    Some(samples.into_iter().map(|ns| ns as f64).collect())
}
