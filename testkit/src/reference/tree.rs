//! A document as a tree.

use castile_xml::{Reader, Token, escape_attribute, escape_text};

/// An element.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) uri: String,
    pub(super) local: String,
    pub(super) attributes: Vec<Attribute>,
    pub(super) children: Vec<Child>,
    /// Prefixes in scope.
    scope: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) uri: String,
    pub(super) local: String,
    pub(super) value: String,
}

#[derive(Clone, Debug)]
pub(super) enum Child {
    Text(String),
    Element(Node),
}

impl Node {
    pub(super) fn parse(text: &str) -> Result<Node, String> {
        let mut reader = Reader::new(text);
        let mut open: Vec<Node> = Vec::new();
        let mut root = None;
        loop {
            match reader.next().map_err(|e| e.to_string())? {
                Token::Start { name, .. } => {
                    let attributes = reader.attributes().iter().map(|a| Attribute {
                        uri: reader.uri(a.name.ns).to_owned(),
                        local: a.name.local.to_owned(),
                        value: a.value.to_string(),
                    });
                    open.push(Node {
                        uri: reader.uri(name.ns).to_owned(),
                        local: name.local.to_owned(),
                        attributes: attributes.collect(),
                        children: Vec::new(),
                        scope: reader
                            .in_scope()
                            .map(|(p, u)| (p.to_owned(), u.to_owned()))
                            .collect(),
                    });
                }
                Token::End { .. } => {
                    let node = open.pop().ok_or("an end without a start")?;
                    match open.last_mut() {
                        Some(parent) => parent.children.push(Child::Element(node)),
                        None => root = Some(node),
                    }
                }
                Token::Text(text) => {
                    if let Some(parent) = open.last_mut() {
                        parent.children.push(Child::Text(text.into_owned()));
                    }
                }
                Token::Eof => return root.ok_or_else(|| "no root".to_owned()),
                _ => {}
            }
        }
    }

    pub(super) fn attribute(&self, uri: &str, local: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|a| a.uri == uri && a.local == local)
            .map(|a| &*a.value)
    }

    /// The namespace of a prefix; of none, the default namespace.
    pub(super) fn namespace(&self, prefix: &str) -> Option<String> {
        if prefix == "xml" {
            return Some(castile_xml::XML_URI.to_owned());
        }
        let found = self
            .scope
            .iter()
            .find(|(p, _)| p == prefix)
            .map(|(_, uri)| uri.clone());
        found.or_else(|| prefix.is_empty().then(String::new))
    }

    /// The element as XML with default namespaces only, attributes sorted.
    pub(super) fn to_xml(&self) -> String {
        let mut out = Vec::new();
        self.write("", &mut out);
        String::from_utf8(out).expect("text stays text")
    }

    fn write(&self, default: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("<{}", self.local).as_bytes());
        if self.uri != default {
            out.extend_from_slice(b" xmlns=\"");
            escape_attribute(&self.uri, out);
            out.push(b'"');
        }
        let mut attributes: Vec<&Attribute> = self.attributes.iter().collect();
        attributes.sort_by(|a, b| (&a.uri, &a.local).cmp(&(&b.uri, &b.local)));
        for (i, attribute) in attributes.into_iter().enumerate() {
            let prefix = match &*attribute.uri {
                "" => String::new(),
                castile_xml::XML_URI => "xml:".to_owned(),
                uri => {
                    out.extend_from_slice(format!(" xmlns:n{i}=\"").as_bytes());
                    escape_attribute(uri, out);
                    out.push(b'"');
                    format!("n{i}:")
                }
            };
            out.extend_from_slice(format!(" {prefix}{}=\"", attribute.local).as_bytes());
            escape_attribute(&attribute.value, out);
            out.push(b'"');
        }
        out.push(b'>');
        for child in &self.children {
            match child {
                Child::Text(text) => escape_text(text, out),
                Child::Element(node) => node.write(&self.uri, out),
            }
        }
        out.extend_from_slice(format!("</{}>", self.local).as_bytes());
    }
}

/// XML in one form: default namespaces only, no unused declarations, attributes sorted. Text that
/// is no XML stays as it is.
pub fn canonical(text: &str) -> String {
    Node::parse(text).map_or_else(|_| text.to_owned(), |node| node.to_xml())
}
