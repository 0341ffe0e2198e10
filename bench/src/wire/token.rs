//! UsernameToken (WS-Security 1.1.1): what secured requests of the suite have, and whether an engine's has it.

use roxmltree::Document;

const WSSE: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
const TEXT: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText";

/// User and password of every secured message.
const USER: &str = "bench";

/// A composed envelope with a token in its header.
pub(crate) fn secured(envelope: &[u8]) -> Vec<u8> {
    let header = format!(
        "<SOAP-ENV:Header><w:Security xmlns:w=\"{WSSE}\" SOAP-ENV:mustUnderstand=\"1\"><w:UsernameToken>\
         <w:Username>{USER}</w:Username><w:Password Type=\"{TEXT}\">{USER}</w:Password></w:UsernameToken>\
         </w:Security></SOAP-ENV:Header><SOAP-ENV:Body"
    );
    String::from_utf8_lossy(envelope)
        .replacen("<SOAP-ENV:Body", &header, 1)
        .into_bytes()
}

/// What is wrong with the token of an engine's request, in words.
pub(crate) fn fault(envelope: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(envelope);
    let document = match Document::parse(text.trim_start_matches('\u{feff}')) {
        Ok(document) => document,
        Err(error) => return Some(error.to_string()),
    };
    let named = |name: &str| {
        let found = document.descendants().find(|n| n.has_tag_name((WSSE, name)));
        found.and_then(|n| n.text()).map(str::trim)
    };
    ["Username", "Password"]
        .into_iter()
        .find_map(|name| match named(name) {
            Some(USER) => None,
            Some(_) => Some(format!("another {name}")),
            None => Some(format!("no {name}")),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Kind, Trace};
    use crate::wire::{Style, request};

    #[test]
    fn a_secured_request_has_its_token_and_a_plain_one_has_not() {
        let none = Trace {
            kind: Kind::Void,
            rows: Vec::new(),
        };
        let plain = request(Style::Literal, "echoVoid", &none);
        assert_eq!(fault(&plain).as_deref(), Some("no Username"));
        assert_eq!(fault(&secured(&plain)), None);
        let wrong = String::from_utf8(secured(&plain))
            .expect("text")
            .replace(">bench</w:P", ">x</w:P");
        assert_eq!(fault(wrong.as_bytes()).as_deref(), Some("another Password"));
    }
}
