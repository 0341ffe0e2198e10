//! Applications run whole: the engine runs one, checks what came out, and says what it took.

use super::session::Session;
use crate::engine::process::{Process, Refusal, Sample, sample};
use crate::engine::usage;
use crate::workload::Cell;

/// One run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Whole {
    /// From the first call to the last answer, ns.
    pub(crate) span: f64,
    pub(crate) calls: usize,
    /// Of all requests and of all replies.
    pub(crate) bytes_request: usize,
    pub(crate) bytes_reply: usize,
    /// Encoding and decoding on both sides, ns.
    pub(crate) codec: f64,
    /// CPU seconds of the engine and of the servers that it started and ended, those of starting and checking included.
    pub(crate) cpu_seconds: f64,
    /// A word for what came out, the same for all engines.
    pub(crate) answer: String,
}

/// Runs the cell's application once.
pub(crate) fn run(session: &mut Session<'_>, cell: &Cell<'_>) -> Result<Whole, Refusal> {
    let process = session.client(cell, &[])?;
    let before = cpu(process);
    let answer = process.ask(&format!("run {} {}", cell.workload.name, cell.size))?;
    let whole = parse(&answer).ok_or_else(|| Refusal::Failed(format!("`run` was answered {answer:?}")))?;
    Ok(Whole {
        cpu_seconds: (cpu(process) - before).max(0.0),
        ..whole
    })
}

fn cpu(process: &Process) -> f64 {
    usage::of(process.id()).map_or(0.0, |usage| usage.cpu_seconds + usage.children_seconds)
}

/// START,END CALLS BYTES_OUT BYTES_IN CODEC_NS ANSWER
fn parse(answer: &str) -> Option<Whole> {
    let words: Vec<&str> = answer.split_whitespace().collect();
    let [span, calls, bytes_request, bytes_reply, codec, answer] = *words.as_slice() else {
        return None;
    };
    let Sample { start, end, .. } = sample(span)?;
    Some(Whole {
        span: (end - start) as f64,
        calls: calls.parse().ok()?,
        bytes_request: bytes_request.parse().ok()?,
        bytes_reply: bytes_reply.parse().ok()?,
        codec: codec.parse().ok()?,
        cpu_seconds: 0.0,
        answer: answer.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_a_run_is_read() {
        let whole = parse("100,350 12 3000 4000 90 abc").expect("a run");
        assert_eq!((whole.span, whole.calls, whole.codec), (250.0, 12, 90.0));
        assert_eq!((whole.bytes_request, whole.bytes_reply), (3000, 4000));
        assert_eq!(whole.answer, "abc");
        for wrong in [
            "",
            "100,350 12 3000 4000 90",
            "350,100 12 3000 4000 90 abc",
            "100,350 x 3000 4000 90 abc",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
