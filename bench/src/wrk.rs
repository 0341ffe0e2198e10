//! The same load from wrk, which people know: two threads that wait for events, where ours has one
//! thread a connection.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::load::ENVELOPE;

/// wrk and the script that tells it what to send.
pub(crate) struct Wrk {
    script: PathBuf,
}

impl Wrk {
    /// `None` when this machine has no wrk.
    pub(crate) fn find() -> std::io::Result<Option<Wrk>> {
        if Command::new("wrk").arg("-v").output().is_err() {
            return Ok(None);
        }
        let script = std::env::temp_dir().join(format!("castile-bench-{}.lua", std::process::id()));
        let lines = [
            "wrk.method = 'POST'".to_owned(),
            format!("wrk.body = [==[{ENVELOPE}]==]"),
            "wrk.headers['Content-Type'] = 'text/xml; charset=utf-8'".to_owned(),
            "wrk.headers['SOAPAction'] = '\"\"'".to_owned(),
        ];
        std::fs::write(&script, lines.join("\n"))?;
        Ok(Some(Wrk { script }))
    }

    /// Requests a second over ten connections; an error when a reply is no 200.
    pub(crate) fn run(&self, port: u16, time: Duration) -> Result<f64, Box<dyn std::error::Error>> {
        let mut command = Command::new("taskset");
        command.args(["-c", "0-63", "wrk", "-t2", "-c10"]);
        command.arg(format!("-d{}", time.as_secs().max(1)));
        let output = command
            .arg("-s")
            .arg(&self.script)
            .arg(format!("http://127.0.0.1:{port}/"))
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let rate = text
            .lines()
            .find_map(|line| line.trim().strip_prefix("Requests/sec:")?.trim().parse().ok());
        match rate {
            Some(rate) if !text.contains("Non-2xx") && !text.contains("Socket errors") => Ok(rate),
            _ => Err(format!("wrk printed {text:?}").into()),
        }
    }
}

impl Drop for Wrk {
    fn drop(&mut self) {
        // Nothing depends on it being gone.
        let _ = std::fs::remove_file(&self.script);
    }
}
