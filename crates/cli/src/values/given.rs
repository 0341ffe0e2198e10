//! What was given, before any type is known.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::failure::Failure;
use crate::load;

/// A value of the command line, of JSON or of a file. Numbers stay as they were written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Given {
    /// `null`: nil, or nothing where the contract knows no nil.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number of JSON.
    Number(String),
    /// A word, or a string of JSON.
    Text(String),
    /// The content of a file: bytes or text, as the type wants it.
    File(PathBuf, Vec<u8>),
    /// Several values.
    List(Vec<Given>),
    /// Fields by name.
    Map(Vec<(String, Given)>),
}

impl Given {
    /// JSON text; `origin` says where it stands, for messages.
    pub(crate) fn parse(text: &str, origin: &str) -> Result<Given, Failure> {
        let json: Json =
            serde_json::from_str(text).map_err(|e| Failure::caller(format!("{origin} is not JSON: {e}")))?;
        Ok(json.into())
    }

    /// The content of a file.
    pub(crate) fn file(path: &Path) -> Result<Given, Failure> {
        let bytes = if path == Path::new("-") {
            load::stdin()?
        } else {
            load::read(path)?
        };
        Ok(Given::File(path.to_owned(), bytes))
    }

    /// What it is, in words for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Given::Null => "null",
            Given::Bool(_) => "a boolean",
            Given::Number(_) => "a number",
            Given::Text(_) => "text",
            Given::File(..) => "a file",
            Given::List(_) => "a list",
            Given::Map(_) => "an object",
        }
    }

    /// Puts `over` on top: fields of both are joined, everything else is replaced.
    pub(crate) fn overlay(self, over: Given) -> Given {
        match (self, over) {
            (Given::Map(mut fields), Given::Map(more)) => {
                for (name, value) in more {
                    match fields.iter_mut().find(|(n, _)| *n == name) {
                        Some((_, old)) => *old = std::mem::replace(old, Given::Null).overlay(value),
                        None => fields.push((name, value)),
                    }
                }
                Given::Map(fields)
            }
            (_, over) => over,
        }
    }
}

impl From<Json> for Given {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Given::Null,
            Json::Bool(v) => Given::Bool(v),
            Json::Number(v) => Given::Number(v.to_string()),
            Json::String(v) => Given::Text(v),
            Json::Array(v) => Given::List(v.into_iter().map(Given::from).collect()),
            Json::Object(v) => Given::Map(v.into_iter().map(|(k, v)| (k, v.into())).collect()),
        }
    }
}
