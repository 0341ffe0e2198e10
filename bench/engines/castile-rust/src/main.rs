//! Castile as an engine of the benchmark suite: the protocol's commands in, one line of answer each.
//!
//! [`trace`] turns trace files into values and back, [`client`] calls, [`server`] serves; [`generated`] does all three
//! with generated types. The variant stands in the environment: `CASTILE_ENGINE` names it (see [`settings`]),
//! `CASTILE_ENGINE_STYLE` is `encoded`.
#![forbid(unsafe_code)]

mod client;
mod generated;
mod ring;
mod server;
mod settings;
mod trace;

use std::io::{BufRead, Write};

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

/// What the commands need of either way to have values.
trait Calls {
    /// Reads a trace file; gives how many items it has.
    fn load(&mut self, settings: &Settings, kind: &str, file: &str) -> Outcome<usize>;
    /// Forgets all that was loaded.
    fn clear(&mut self);
    /// Forgets clients and their connections.
    fn reset(&mut self);
    /// The answer to `call`.
    fn call(&mut self, settings: &Settings, operation: &str, url: &str, count: usize) -> Outcome<String>;
    /// Writes what the last call returned as a trace file; gives how many lines.
    fn dump(&self, file: &str) -> Outcome<usize>;
    /// A running server of a contract.
    fn serve(&self, settings: &Settings, contract: &str) -> Outcome<castile::http::Running>;
}

struct Engine {
    settings: Settings,
    caller: Box<dyn Calls>,
    running: Option<castile::http::Running>,
}

impl Engine {
    fn new() -> Outcome<Engine> {
        let settings = Settings::from_environment()?;
        Ok(Engine {
            caller: match settings.generated {
                true => Box::new(generated::Caller::default()),
                false => Box::new(client::Caller::default()),
            },
            settings,
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
                let running = self.caller.serve(&self.settings, contract)?;
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
