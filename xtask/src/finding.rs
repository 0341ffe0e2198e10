//! What a rule found: a place, the rule's name, and what to do about it.

use std::fmt;

/// One breach of one house rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The file or crate, with a line where there is one.
    pub(crate) place: String,
    /// The rule's short name.
    pub(crate) rule: &'static str,
    /// What is wrong, in a sentence that says how to mend it.
    pub(crate) text: String,
}

impl Finding {
    /// A finding about a whole file or crate.
    pub(crate) fn at(place: impl Into<String>, rule: &'static str, text: impl Into<String>) -> Self {
        Finding {
            place: place.into(),
            rule,
            text: text.into(),
        }
    }

    /// A finding about one line (counted from 1) of a file.
    pub(crate) fn at_line(path: &str, line: usize, rule: &'static str, text: impl Into<String>) -> Self {
        Finding::at(format!("{path}:{line}"), rule, text)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {} [{}]", self.place, self.text, self.rule)
    }
}
