//! What a message has against the WS-I Basic Profile 1.1: nothing that keeps it from being read here, but what
//! other toolkits may refuse. Each finding begins with the number of its requirement.

use castile_codec::Version;
use castile_xml::{Attribute, Reader, Token};

/// A message of the profile is one of SOAP 1.1; of others nothing is said. `rpc`: the body has parts of an
/// operation in rpc style; encoded messages break the profile as such.
pub(super) fn findings(
    text: &str,
    encoding: Option<&str>,
    version: Version,
    rpc: Option<bool>,
) -> Vec<String> {
    if version != Version::Soap11 {
        return Vec::new();
    }
    let mut profile = Profile {
        reader: Reader::new(text),
        path: Vec::new(),
        body: false,
        rpc,
        found: Vec::new(),
    };
    profile.bytes(encoding);
    profile.read();
    profile.found
}

struct Profile<'a> {
    reader: Reader<'a>,
    /// The local names of the open elements.
    path: Vec<&'a str>,
    /// Whether the body was met.
    body: bool,
    rpc: Option<bool>,
    found: Vec<String>,
}

impl<'a> Profile<'a> {
    fn find(&mut self, text: &str) {
        let (line, _) = Reader::line_column(self.reader.input(), self.reader.token_start());
        let text = format!("{text} (line {line})");
        if !self.found.contains(&text) {
            self.found.push(text);
        }
    }

    fn bytes(&mut self, encoding: Option<&str>) {
        let unicode = |name: &str| name.to_ascii_lowercase().starts_with("utf-");
        if let Some(name) = encoding.filter(|name| !unicode(name)) {
            self.find(&format!(
                "R1012: the message is in {name}, neither UTF-8 nor UTF-16"
            ));
        }
    }

    fn read(&mut self) {
        // What is not well-formed is found elsewhere.
        while let Ok(token) = self.reader.next() {
            match token {
                Token::Start { name, .. } => {
                    let uri = self.reader.uri(name.ns);
                    let soap = uri == Version::Soap11.namespace();
                    let qualified = !uri.is_empty();
                    self.element(name.local, qualified);
                    self.attributes(soap);
                    self.path.push(name.local);
                }
                Token::End { .. } => _ = self.path.pop(),
                Token::Instruction { .. } => self.find("R1009: a processing instruction"),
                Token::Text(text) => self.text(&text),
                Token::Comment(_) => {}
                Token::Eof => return,
            }
        }
    }

    fn element(&mut self, local: &str, qualified: bool) {
        match self.path[..] {
            ["Envelope"] if self.body => self.find("R1011: an element behind the Body"),
            ["Envelope"] => self.body = local == "Body",
            ["Envelope", "Body"] if !qualified => {
                self.find(&format!("R1014: element {local} of the Body is in no namespace"));
            }
            ["Envelope", "Body", "Fault"] => {
                if !["faultcode", "faultstring", "faultactor", "detail"].contains(&local) {
                    self.find(&format!("R1000: a Fault has the element {local}"));
                } else if qualified {
                    self.find(&format!("R1001: element {local} of a Fault is in a namespace"));
                }
            }
            _ => {}
        }
    }

    fn attributes(&mut self, soap: bool) {
        let uri = Version::Soap11.namespace();
        let of_soap = |a: &Attribute<'_>| self.reader.uri(a.name.ns) == uri;
        let list: Vec<(String, String)> = self
            .reader
            .attributes()
            .iter()
            .filter(|a| of_soap(a))
            .map(|a| (a.name.local.to_owned(), a.value.to_string()))
            .collect();
        let depth = self.path.len();
        let in_body = self.path.get(1).is_some_and(|local| *local == "Body");
        for (local, value) in list {
            match &*local {
                "encodingStyle" if soap => self.find("R1005: encodingStyle on an element of SOAP"),
                "encodingStyle" if in_body && depth == 2 => {
                    self.find("R1006: encodingStyle on an element of the Body");
                }
                "encodingStyle" if in_body && depth == 3 && self.rpc == Some(true) => {
                    self.find("R1007: encodingStyle on a part of an rpc message");
                }
                "mustUnderstand" if !["0", "1"].contains(&&*value) => {
                    self.find(&format!(
                        "R1013: mustUnderstand is {value:?}, neither \"0\" nor \"1\""
                    ));
                }
                _ if soap && depth < 2 => {
                    self.find(&format!("R1032: {local} on the Envelope, the Header or the Body"));
                }
                _ => {}
            }
        }
        let nil = |a: &Attribute<'_>| {
            self.reader.uri(a.name.ns) == "http://www.w3.org/2001/XMLSchema-instance"
                && a.name.local == "nil"
                && ["1", "true"].contains(&a.value.trim())
        };
        if self.rpc == Some(true) && in_body && depth == 3 && self.reader.attributes().iter().any(nil) {
            self.find("R2211: a part of an rpc message is nil");
        }
    }

    fn text(&mut self, text: &str) {
        if self.path == ["Envelope", "Body", "Fault", "faultcode"] && text.contains('.') {
            self.find("R1031: the code of a fault is refined with a dot");
        }
    }
}
