//! Foreign readers: what we write is well-formed to expat, and valid to libxml2 where a Python with
//! lxml is at hand.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::corpus::Corpus;
use crate::file::FileResult;

/// What the foreign readers said.
#[derive(Default)]
pub(crate) struct Foreign {
    /// What each said in sum, or why it was not asked.
    pub(crate) lines: Vec<String>,
    /// Messages that one of them refused.
    pub(crate) refused: Vec<String>,
}

impl Foreign {
    /// Whether nothing was refused.
    pub(crate) fn is_clean(&self) -> bool {
        self.refused.is_empty()
    }
}

/// The program that reads messages from standard input.
const PROGRAM: &str = include_str!("../oracle.py");

/// Passes one message of each kind of each operation on.
pub(crate) fn check(results: &[FileResult], corpus: &Corpus, keep: Option<&Path>) -> Foreign {
    let mut input = Vec::new();
    for result in results {
        let wsdl = corpus.path("wsdl").join(&result.row.file);
        for (n, sent) in result.sent.iter().enumerate() {
            // Lines of label, WSDL and length, then so many bytes.
            let head = format!("{}\t{}\t{}\n", sent.label, wsdl.display(), sent.bytes.len());
            input.extend_from_slice(head.as_bytes());
            input.extend_from_slice(&sent.bytes);
            if let Some(folder) = keep {
                let name = format!("{}-{n}.xml", result.row.file.replace('/', "_"));
                let _ = std::fs::create_dir_all(folder)
                    .and_then(|()| std::fs::write(folder.join(name), &sent.bytes));
            }
        }
    }
    match ask(&input) {
        Ok(answer) => {
            let (refused, lines) = answer
                .lines()
                .map(str::to_owned)
                .partition(|line| line.starts_with("REFUSED "));
            Foreign { lines, refused }
        }
        Err(why) => Foreign {
            lines: vec![format!("SKIPPED: foreign readers: {why}")],
            refused: Vec::new(),
        },
    }
}

fn ask(input: &[u8]) -> Result<String, String> {
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.venv/bin/python");
    let python = if venv.is_file() {
        venv.as_os_str()
    } else {
        "python3".as_ref()
    };
    let python = std::env::var_os("CASTILE_ORACLE_PYTHON").unwrap_or_else(|| python.to_owned());
    let mut child = Command::new(&python)
        .args(["-c", PROGRAM])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{}: {e}", python.display()))?;
    let mut stdin = child.stdin.take().ok_or("no pipe")?;
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let _ = writer.join();
    if !output.status.success() {
        return Err(format!("{} failed: {}", python.display(), output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
