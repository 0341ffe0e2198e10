//! Everything in one run: the candidates take turns, so that a noisy machine is noisy for all.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::measure::{median, pin};
use crate::wrk::Wrk;
use crate::{raw, soap};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Bytes of HTTP's heads around request and reply.
const HEADS: (usize, usize) = (230, 130);

pub(crate) fn run(gsoap: Option<&Path>, calls: usize, rounds: usize) -> Outcome<()> {
    println!(
        "echoVoid, Rust to Rust, keep-alive, loopback; µs a call, median of {rounds} rounds of {calls} calls"
    );
    for (name, client, server) in [("cores 0 and 1", 0, 1), ("one core", 0, 0)] {
        round_trips(name, (client, server), gsoap, calls, rounds)?;
    }
    throughput(gsoap, rounds)
}

fn round_trips(
    name: &str,
    (client, server): (usize, usize),
    gsoap: Option<&Path>,
    calls: usize,
    rounds: usize,
) -> Outcome<()> {
    let (mut limit, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        pin(client);
        let (spread, out, back) = soap::echo_void(calls, server)?;
        ours.push((spread.median, spread.p99));
        let spread = raw::ping_pong(calls, out + HEADS.0, back + HEADS.1, server)?;
        limit.push((spread.median, spread.p99));
        if let Some(folder) = gsoap {
            theirs.push((gsoap_round_trip(folder, calls, (client, server))?, f64::NAN));
        }
    }
    let limit_median = median(&limit.iter().map(|l| l.0).collect::<Vec<_>>());
    println!("{name}");
    for (who, rounds) in [
        ("raw blocking ping-pong", &limit),
        ("Castile", &ours),
        ("gSOAP", &theirs),
    ] {
        if rounds.is_empty() {
            continue;
        }
        let mid = median(&rounds.iter().map(|r| r.0).collect::<Vec<_>>());
        let p99 = median(&rounds.iter().map(|r| r.1).collect::<Vec<_>>());
        let ratio = mid / limit_median;
        println!(
            "  {who:<24} {:>8.2}  p99 {:>8.2}  {ratio:.3} of the limit",
            mid / 1e3,
            p99 / 1e3
        );
    }
    Ok(())
}

fn throughput(gsoap: Option<&Path>, rounds: usize) -> Outcome<()> {
    println!("echoVoid, 10 connections, requests a second");
    let time = Duration::from_secs(2);
    by("a thread a connection", gsoap, rounds, &|port| {
        hammered(port, time)
    })?;
    match Wrk::find()? {
        Some(wrk) => by("wrk, two threads", gsoap, rounds, &|port| wrk.run(port, time)),
        None => {
            println!("wrk is not installed: its load is left out");
            Ok(())
        }
    }
}

/// Both servers under one load.
fn by(load: &str, gsoap: Option<&Path>, rounds: usize, run: &dyn Fn(u16) -> Outcome<f64>) -> Outcome<()> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let server = Served::start(Command::new(std::env::current_exe()?).arg("serve"), None)?;
        ours.push(run(server.port)?);
        drop(server);
        if let Some(folder) = gsoap {
            let server = Served::start(&mut Command::new(folder.join("server")), None)?;
            theirs.push(run(server.port)?);
        }
    }
    println!("{load}");
    println!(
        "  Castile                  {:>8.0}  {}",
        median(&ours),
        spread(&ours)
    );
    if !theirs.is_empty() {
        let ratio = median(&ours) / median(&theirs);
        println!(
            "  gSOAP                    {:>8.0}  {}; Castile answers {ratio:.2} times as many",
            median(&theirs),
            spread(&theirs)
        );
    }
    Ok(())
}

/// The least and the most of all rounds.
fn spread(rounds: &[f64]) -> String {
    let (least, most) = rounds.iter().fold((f64::MAX, f64::MIN), |(least, most), &v| {
        (least.min(v), most.max(v))
    });
    format!("({least:.0} to {most:.0})")
}

/// The load comes from a process of its own, which is not pinned as this one is.
fn hammered(port: u16, time: Duration) -> Outcome<f64> {
    let seconds = time.as_secs_f64().to_string();
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["load", &port.to_string(), "--seconds", &seconds]);
    unpinned(&mut command);
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// gSOAP's own client calling gSOAP's own server.
fn gsoap_round_trip(folder: &Path, calls: usize, (client, server): (usize, usize)) -> Outcome<f64> {
    let server = Served::start(&mut Command::new(folder.join("server")), Some(server))?;
    let url = format!("http://127.0.0.1:{}/", server.port);
    let mut command = Command::new("taskset");
    command
        .arg("-c")
        .arg(client.to_string())
        .arg(folder.join("latency"));
    let output = command
        .args([&*url, "echoVoid", "0", &calls.to_string()])
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let field = text
        .split("\"median_us\":")
        .nth(1)
        .and_then(|t| t.split([',', '}']).next());
    let median: f64 = field
        .ok_or_else(|| format!("gSOAP's client printed {text:?}"))?
        .trim()
        .parse()?;
    Ok(median * 1e3)
}

/// A server process that prints `READY <port>` and ends when its standard input does.
struct Served {
    child: Child,
    port: u16,
}

impl Served {
    fn start(command: &mut Command, core: Option<usize>) -> Outcome<Served> {
        let mut wrapped = Command::new("taskset");
        let cores = core.map_or("0-63".to_owned(), |c| c.to_string());
        wrapped
            .arg("-c")
            .arg(cores)
            .arg(command.get_program())
            .args(command.get_args());
        let mut child = wrapped.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().ok_or("the server has no standard output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let port = line.trim().strip_prefix("READY ").and_then(|p| p.parse().ok());
        let port = port.ok_or_else(|| format!("the server printed {line:?}"))?;
        Ok(Served { child, port })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn unpinned(command: &mut Command) {
    let program = command.get_program().to_owned();
    let args: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    *command = Command::new("taskset");
    command.args(["-c", "0-63"]).arg(program).args(args);
}
