//! Castile as an engine of the benchmark suite: the protocol's commands in, one line of answer each.
//!
//! [`trace`] turns trace files into values and back, [`client`] calls, [`server`] serves. The variant
//! stands in the environment: `CASTILE_ENGINE` names it (see [`settings`]), `CASTILE_ENGINE_STYLE` is `encoded`.
#![forbid(unsafe_code)]

mod client;
mod ring;
mod server;
mod settings;
mod trace;

use std::io::{BufRead, Write};

use client::Caller;
use settings::Settings;

/// What goes wrong is told to the harness as text.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let mut engine = Engine::new()?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line == "quit" {
            writeln!(out, "ok")?;
            break;
        }
        let answer = engine.answer(&line).unwrap_or_else(|e| error_line(&*e));
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

struct Engine {
    settings: Settings,
    caller: Caller,
    running: Option<castile::http::Running>,
}

impl Engine {
    fn new() -> Outcome<Engine> {
        Ok(Engine {
            settings: Settings::from_environment()?,
            caller: Caller::default(),
            running: None,
        })
    }

    fn answer(&mut self, line: &str) -> Outcome<String> {
        let words: Vec<&str> = line.split(' ').collect();
        match *words.as_slice() {
            ["hello"] => Ok(format!("ok 1 Castile {}", env!("CARGO_PKG_VERSION"))),
            ["load", kind, file] => Ok(format!("ok {}", self.caller.load(&self.settings, kind, file)?)),
            ["clear"] => {
                self.caller.clear();
                Ok("ok".into())
            }
            ["set", name, value] => {
                self.caller.reset();
                self.settings.set(name, value)
            }
            ["serve", contract] => {
                let running = server::start(&self.settings, contract, self.caller.first())?;
                let port = running.addr().port();
                self.running = Some(running);
                Ok(format!("ok {port}"))
            }
            ["stop"] => {
                if let Some(running) = self.running.take() {
                    running.stop();
                }
                Ok("ok".into())
            }
            ["call", operation, url, count] => {
                self.caller.call(&self.settings, operation, url, count.parse()?)
            }
            ["dump", file] => Ok(format!("ok {}", self.caller.dump(file)?)),
            ["reset"] => {
                self.caller.reset();
                Ok("ok".into())
            }
            _ => Err(format!("no such command: {line}").into()),
        }
    }
}

/// The error with its causes, on one line.
fn error_line(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    format!("error {}", text.replace(['\n', '\r'], " "))
}
