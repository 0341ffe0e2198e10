//! What ends a command: where, what, and whose fault.

use std::fmt;

use castile_endpoint::{Error, Guilty};
use serde_json::json;

/// An error that ends the command with exit code 1.
#[derive(Debug)]
pub(crate) struct Failure {
    text: String,
    guilty: Guilty,
    hint: Option<String>,
}

impl Failure {
    /// The fault of whoever typed the command.
    pub(crate) fn caller(text: impl Into<String>) -> Self {
        Failure {
            text: text.into(),
            guilty: Guilty::Caller,
            hint: None,
        }
    }

    /// The fault of whoever wrote the WSDL, or of us, who cannot do what it asks for.
    pub(crate) fn contract(text: impl Into<String>) -> Self {
        Failure {
            guilty: Guilty::Contract,
            ..Failure::caller(text)
        }
    }

    /// A file that cannot be read.
    pub(crate) fn file(path: &std::path::Path, error: &std::io::Error) -> Self {
        Failure::caller(format!("{}: {error}", path.display()))
    }

    /// Adds where it is, before the text.
    pub(crate) fn within(mut self, place: impl fmt::Display) -> Self {
        self.text = format!("{place}: {}", self.text);
        self
    }

    /// Adds what to try.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Prints to standard error.
    pub(crate) fn print(&self, json: bool) {
        if json {
            eprintln!(
                "{}",
                json!({ "error": { "text": self.text, "at_fault": word(self.guilty) } })
            );
            return;
        }
        let style = anstyle::AnsiColor::Red.on_default().bold();
        anstream::eprintln!("{style}castile:{style:#} {}", self.text);
        anstream::eprintln!("  at fault: {}", phrase(self.guilty));
        if let Some(hint) = &self.hint {
            anstream::eprintln!("  hint: {hint}");
        }
    }
}

/// One word for programs.
fn word(guilty: Guilty) -> &'static str {
    match guilty {
        Guilty::Peer => "peer",
        Guilty::Caller => "caller",
        Guilty::Contract => "contract",
        Guilty::Network => "network",
        Guilty::Us => "castile",
    }
}

/// The same for people.
fn phrase(guilty: Guilty) -> &'static str {
    match guilty {
        Guilty::Peer => "the other side",
        Guilty::Caller => "the command as it was given",
        Guilty::Contract => "the contract, or this version of castile, which cannot do what it asks for",
        Guilty::Network => "the network, or a server that does not run",
        Guilty::Us => "castile itself: please report it",
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure {
            text: error.to_string(),
            guilty: error.guilty(),
            hint: None,
        }
    }
}

impl From<castile_contract::Error> for Failure {
    fn from(error: castile_contract::Error) -> Self {
        use castile_contract::Kind;
        // The entry is what the caller named.
        let named = matches!(error.kind(), Kind::Unknown { .. } | Kind::Catalog(_));
        let guilty = if named { Guilty::Caller } else { Guilty::Contract };
        Failure {
            text: error.to_string(),
            guilty,
            hint: None,
        }
    }
}
