//! A document as the plain reader reads it, and as a [`Delta`] does.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of it")]

use castile_xml::{Delta, DeltaOptions, Limits, Reader, Token};

/// Everything that can be asked after each token, and how it ended.
fn told(reader: &Reader<'_>, token: &Token<'_>) -> String {
    let uri = match token {
        Token::Start { name, .. } | Token::End { name } => reader.uri(name.ns),
        _ => "",
    };
    let tag = match token {
        Token::Start { .. } => {
            let starts: Vec<_> = (0..reader.attributes().len())
                .map(|i| reader.attribute_start(i))
                .collect();
            format!("{:?} {starts:?} {:?}", reader.attributes(), reader.declarations())
        }
        _ => String::new(),
    };
    format!(
        "{token:?} {uri} {tag} {} {} {} {}",
        reader.depth(),
        reader.scope(),
        reader.token_start(),
        reader.position()
    )
}

pub fn plain(text: &str, limits: Limits) -> Vec<String> {
    let mut reader = Reader::with_limits(text, limits);
    let mut all = Vec::new();
    loop {
        match reader.next() {
            Ok(token) => {
                all.push(told(&reader, &token));
                if token == Token::Eof {
                    return all;
                }
            }
            Err(error) => {
                assert_eq!(reader.next(), Err(error.clone()));
                all.push(error.to_string());
                return all;
            }
        }
    }
}

pub fn differential(delta: &mut Delta, text: &str) -> Vec<String> {
    let mut reader = delta.read(text);
    let mut all = Vec::new();
    loop {
        match reader.next() {
            Ok(token) => {
                all.push(told(&reader, &token));
                if token == Token::Eof {
                    assert_eq!(reader.next(), Ok(Token::Eof));
                    return all;
                }
            }
            Err(error) => {
                assert_eq!(reader.next(), Err(error.clone()));
                all.push(error.to_string());
                return all;
            }
        }
    }
}

/// One that goes on comparing however little is alike.
pub fn patient() -> Delta {
    Delta::new(DeltaOptions {
        pauses: false,
        ..DeltaOptions::default()
    })
}
