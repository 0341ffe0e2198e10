//! A running engine: commands in, answers out.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::Engine;
use crate::Outcome;
use crate::net::clock;
use crate::suite::Suite;

/// Why an engine did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It says that it cannot.
    Unsupported(String),
    /// It went wrong.
    Failed(String),
}

impl Refusal {
    /// No answer to something in so long.
    pub(crate) fn silence(what: &str, seconds: f64) -> Refusal {
        Refusal::Failed(format!("{SILENCE} {what} in {seconds} s"))
    }

    /// Whether there was no answer in time.
    pub(crate) fn is_silence(&self) -> bool {
        matches!(self, Refusal::Failed(why) if why.starts_with(SILENCE))
    }
}

/// An answer is waited for in slices of this.
const SLICE: Duration = Duration::from_millis(500);
/// Where a slice lasts longer, nothing ran.
const STILL: Duration = Duration::from_secs(2);

/// How the words of a missing answer begin.
const SILENCE: &str = "no answer to";

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Unsupported(why) => write!(f, "not supported: {why}"),
            Refusal::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Refusal {}

/// One timed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) start: u64,
    /// After the last send call, where the engine can tell.
    pub(crate) sent: Option<u64>,
    pub(crate) end: u64,
}

/// Where a server listens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Served {
    pub(crate) port: u16,
    pub(crate) path: String,
}

/// An engine's process. Dropping it ends it and all that it started.
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    timeout: Duration,
    log: PathBuf,
    /// When it was started, on the engines' clock.
    pub(crate) started: u64,
}

impl Process {
    /// Starts the engine's program.
    ///
    /// # Errors
    /// There is no shell.
    pub(crate) fn start(suite: &Suite, engine: &Engine, role: &str) -> Outcome<Process> {
        let log = suite.log(engine, role)?;
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("exec {}", engine.run));
        suite.environment(engine, &mut command);
        command
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&log)?);
        let started = clock::now();
        let mut child = command.spawn()?;
        let output = child.stdout.take().ok_or("no standard output")?;
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Process {
            input: child.stdin.take(),
            child,
            lines,
            timeout: Duration::from_secs_f64(engine.timeout_seconds),
            log,
            started,
        })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends one command and gives what stands behind `ok`.
    ///
    /// # Errors
    /// What the engine answers instead, no answer in time, or its end.
    pub(crate) fn ask(&mut self, command: &str) -> Result<String, Refusal> {
        let input = self
            .input
            .as_mut()
            .ok_or_else(|| Refusal::Failed("it was ended".into()))?;
        if writeln!(input, "{command}").and_then(|()| input.flush()).is_err() {
            return Err(self.ended(command));
        }
        match self.line() {
            Ok(line) => answer(&line).map_err(|refusal| match refusal {
                Refusal::Failed(why) => Refusal::Failed(format!("`{}`: {why}", shortened(command))),
                other => other,
            }),
            Err(RecvTimeoutError::Timeout) => {
                self.kill();
                let what = format!("`{}`", shortened(command));
                Err(Refusal::silence(&what, self.timeout.as_secs_f64()))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.ended(command)),
        }
    }

    /// The next line, waited for in slices: where one lasts much longer than it should, the machine stood still and not the
    /// engine, so it does not count.
    fn line(&self) -> Result<String, RecvTimeoutError> {
        let mut left = self.timeout;
        loop {
            let slice = left.min(SLICE);
            let began = Instant::now();
            match self.lines.recv_timeout(slice) {
                Err(RecvTimeoutError::Timeout) if began.elapsed() > STILL => {}
                Err(RecvTimeoutError::Timeout) if left > slice => left -= slice,
                other => return other,
            }
        }
    }

    /// Calls, each timed.
    pub(crate) fn call(&mut self, operation: &str, url: &str, count: usize) -> Result<Vec<Sample>, Refusal> {
        let answer = self.ask(&format!("call {operation} {url} {count}"))?;
        let samples: Option<Vec<Sample>> = answer.split_whitespace().map(sample).collect();
        match samples {
            Some(samples) if samples.len() == count => Ok(samples),
            _ => Err(Refusal::Failed(format!(
                "`call` was answered {:?}",
                shortened(&answer)
            ))),
        }
    }

    /// Starts its server of a contract.
    pub(crate) fn serve(&mut self, contract: &str) -> Result<Served, Refusal> {
        let answer = self.ask(&format!("serve {contract}"))?;
        served(&answer).ok_or_else(|| Refusal::Failed(format!("`serve` was answered {answer:?}")))
    }

    /// Whether it still runs.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.input.is_some() && matches!(self.child.try_wait(), Ok(None))
    }

    fn ended(&mut self, command: &str) -> Refusal {
        self.kill();
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log
            .lines()
            .rev()
            .filter(|line| !line.trim().is_empty())
            .take(3)
            .collect();
        let last = lines.into_iter().rev().collect::<Vec<_>>().join(" | ");
        Refusal::Failed(format!(
            "it ended at `{}`: {}",
            shortened(command),
            shortened(&last)
        ))
    }

    fn kill(&mut self) {
        self.input = None;
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // It may be gone already.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The end of input means quit; who does not listen is killed.
        self.input = None;
        let until = Instant::now() + Duration::from_millis(300);
        while Instant::now() < until {
            if !matches!(self.child.try_wait(), Ok(None)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.kill();
    }
}

impl Served {
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}{}", self.port, self.path)
    }
}

fn answer(line: &str) -> Result<String, Refusal> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "ok" => Ok(rest.to_owned()),
        "unsupported" => Err(Refusal::Unsupported(rest.to_owned())),
        "error" => Err(Refusal::Failed(rest.to_owned())),
        _ => Err(Refusal::Failed(format!("it answered {:?}", shortened(line)))),
    }
}

/// `START,END` or `START,SENT,END`.
pub(crate) fn sample(word: &str) -> Option<Sample> {
    let numbers: Option<Vec<u64>> = word.split(',').map(|number| number.parse().ok()).collect();
    let (start, sent, end) = match *numbers?.as_slice() {
        [start, end] => (start, None, end),
        [start, sent, end] => (start, Some(sent), end),
        _ => return None,
    };
    (start <= end).then_some(Sample { start, sent, end })
}

fn served(answer: &str) -> Option<Served> {
    let mut words = answer.split_whitespace();
    let port = words.next()?.parse().ok()?;
    let path = words.next().unwrap_or("/").to_owned();
    path.starts_with('/').then_some(Served { port, path })
}

fn shortened(text: &str) -> String {
    const SIGNS_MAX: usize = 300;
    match text.char_indices().nth(SIGNS_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        assert_eq!(answer("ok 1 2"), Ok("1 2".into()));
        assert_eq!(answer("ok"), Ok(String::new()));
        assert_eq!(
            answer("unsupported no MTOM"),
            Err(Refusal::Unsupported("no MTOM".into()))
        );
        assert_eq!(answer("error it broke"), Err(Refusal::Failed("it broke".into())));
        assert!(matches!(answer("Exception in thread"), Err(Refusal::Failed(_))));
    }

    #[test]
    fn samples_are_read() {
        let end = Sample {
            start: 5,
            sent: None,
            end: 9,
        };
        assert_eq!(sample("5,9"), Some(end));
        assert_eq!(sample("5,7,9"), Some(Sample { sent: Some(7), ..end }));
        assert_eq!(sample("9,5"), None);
        assert_eq!(sample("5"), None);
    }

    #[test]
    fn a_server_says_where_it_is() {
        assert_eq!(
            served("80").map(|s| s.url()).as_deref(),
            Some("http://127.0.0.1:80/")
        );
        assert_eq!(served("80 /soap").map(|s| s.path).as_deref(), Some("/soap"));
        assert_eq!(served("80 what"), None);
        assert_eq!(served("ready"), None);
    }
}
