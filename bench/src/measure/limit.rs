//! What the machine could do in a cell: rows named `limit/...` beside the engines, measured in the same rounds.

use std::sync::Arc;
use std::time::Duration;

use super::Material;
use crate::Outcome;
use crate::net::load::{self, Until};
use crate::net::raw;
use crate::net::sink::Sink;
use crate::trace::{Field, Kind};
use crate::wire::Style;
use crate::workload::{Cell, Measure};

/// HTTP's heads around request and reply, about.
const HEADS: (usize, usize) = (230, 130);

/// The bytes alone: as many over loopback as the cell's messages have, without SOAP or HTTP; ns, or requests a second.
pub(crate) fn wire(cell: &Cell<'_>, material: &Material, sink: &Sink, calls: usize, time: Duration) -> Outcome<Vec<f64>> {
    let messages = material.messages(Style::Literal);
    let (out, back) = match cell.measure {
        Measure::Endtoend => (messages.echo_requests[0].len(), messages.echo_response.len()),
        _ => (messages.requests[0].len(), messages.response.len()),
    };
    let calls = calls.clamp(3, 500);
    let samples = match cell.measure {
        Measure::Serialize | Measure::SendTime if cell.workload.kind != Kind::Google => {
            raw::vectored_write(calls, out + HEADS.0)?
        }
        Measure::Throughput => {
            let url = sink.answer("load", &messages.response, false);
            let port = url.split([':', '/']).nth(4).and_then(|p| p.parse().ok()).unwrap_or(0);
            let request: Arc<Vec<u8>> = messages.requests[0].clone();
            let until = cell.point.requests.map_or(Until::Time(time), Until::Count);
            let rate = load::run(port, "/load", &request, cell.point.connections.max(1), until)?;
            sink.take("load");
            return Ok(vec![rate]);
        }
        _ => raw::ping_pong(calls, out + HEADS.0, back + HEADS.1)?,
    };
    Ok(samples.into_iter().map(|ns| ns as f64).collect())
}

/// The conversion of the cell's doubles alone, by the standard library of Rust; `None` for other values.
pub(crate) fn conversion(cell: &Cell<'_>, material: &Material) -> Option<Vec<f64>> {
    if !matches!(cell.workload.kind, Kind::Doubles | Kind::Mios) {
        return None;
    }
    let fields = material.trace(0).rows.iter().flatten();
    let values: Vec<f64> = fields
        .filter_map(|field| match field {
            Field::Double(value) => Some(*value),
            _ => None,
        })
        .collect();
    let format = || raw::format_doubles(5, &values);
    let parse = || raw::parse_doubles(5, &values);
    let samples: Vec<u64> = match cell.measure {
        Measure::Serialize => format(),
        Measure::Deserialize => parse(),
        // Both sides format and parse once.
        Measure::Endtoend => format().iter().zip(parse()).map(|(f, p)| 2 * (f + p)).collect(),
        _ => return None,
    };
    Some(samples.into_iter().map(|ns| ns as f64).collect())
}
