//! Tokens to a [`Tree`].

use castile_xml::{Doctype, Limits, Name, NsId, Reader, Token};

use super::{Attribute, Node, Span, Tree, shortened};
use crate::names::{Names, Ns};

/// Attributes of WSDL and XSD (without a namespace) whose value is a QName.
const QNAMES: &[&str] = &[
    "type",
    "ref",
    "base",
    "element",
    "message",
    "binding",
    "itemType",
    "substitutionGroup",
];
/// The one whose value is a list of them.
/// Attributes whose values are of a type that the schema gives.
const VALUES: [&str; 3] = ["value", "default", "fixed"];

const QNAME_LIST: &str = "memberTypes";

impl Tree {
    /// Reads a document. Documents longer than 4 GiB do not come here: a limit is below that.
    pub(crate) fn parse(text: &str, names: &mut Names) -> Result<Tree, castile_xml::Error> {
        let limits = Limits {
            bytes_max: u64::from(u32::MAX / 2),
            ..Limits::default()
        };
        let mut builder = Builder {
            reader: Reader::with_limits(text, limits).doctype(Doctype::Skip),
            names,
            numbers: Vec::new(),
            tree: Tree::default(),
            open: Vec::new(),
            line: 1,
            line_start: 0,
            counted: 0,
        };
        builder.document()?;
        Ok(builder.tree)
    }
}

struct Builder<'a, 'n> {
    reader: Reader<'a>,
    names: &'n mut Names,
    /// The number of each namespace of the reader in `names`.
    numbers: Vec<Ns>,
    tree: Tree,
    open: Vec<Open>,
    line: u32,
    line_start: usize,
    /// Lines are counted up to this byte.
    counted: usize,
}

struct Open {
    node: u32,
    last_child: Option<u32>,
}

impl<'a> Builder<'a, '_> {
    fn document(&mut self) -> Result<(), castile_xml::Error> {
        loop {
            match self.reader.next()? {
                Token::Start { name, .. } => self.start(name)?,
                Token::End { .. } => {
                    self.open.pop();
                }
                Token::Eof => return Ok(()),
                _ => {}
            }
        }
    }

    fn start(&mut self, name: Name<'a>) -> Result<(), castile_xml::Error> {
        let id = u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX);
        let (line, column) = self.position();
        let ns = self.ns(name.ns);
        let local = self.keep(name.local);
        let attributes = self.attributes();
        let text = Span::default();
        self.tree.nodes.push(Node {
            ns,
            local,
            text,
            attributes,
            first_child: 0,
            next: 0,
            line,
            column,
        });
        self.link(id);
        let documented = ns == Ns::XSD || ns == Ns::WSDL;
        if documented && name.local == "documentation" {
            let text = self.text()?;
            if let Some(node) = self.tree.nodes.last_mut() {
                node.text = text;
            }
        } else if documented && name.local == "appinfo" {
            self.text()?;
        } else {
            self.open.push(Open {
                node: id,
                last_child: None,
            });
        }
        Ok(())
    }

    fn link(&mut self, id: u32) {
        let Some(open) = self.open.last_mut() else { return };
        let before = open.last_child.replace(id);
        let at = before.unwrap_or(open.node);
        if let Some(node) = self.tree.nodes.get_mut(at as usize) {
            match before {
                Some(_) => node.next = id,
                None => node.first_child = id,
            }
        }
    }

    fn attributes(&mut self) -> Span {
        let start = self.tree.attributes.len() as u32;
        for i in 0.. {
            let Some(attribute) = self.reader.attributes().get(i).cloned() else {
                break;
            };
            let ns = self.ns(attribute.name.ns);
            let local = self.keep(attribute.name.local);
            let value = attribute.value.trim_matches([' ', '\t', '\n', '\r']);
            if ns == Ns::NONE && attribute.name.local == QNAME_LIST {
                for item in value.split_ascii_whitespace() {
                    self.attribute(ns, local, item, true);
                }
            } else if ns == Ns::NONE && QNAMES.contains(&attribute.name.local)
                || ns == Ns::WSDL && attribute.name.local == "arrayType"
            {
                self.attribute(ns, local, value, true);
            } else {
                // Values of types that are QNames are such, too.
                let value = ns == Ns::NONE && VALUES.contains(&attribute.name.local);
                self.attribute(ns, local, &attribute.value, value);
            }
        }
        Span {
            start,
            end: self.tree.attributes.len() as u32,
        }
    }

    fn attribute(&mut self, ns: Ns, local: Span, value: &str, qname: bool) {
        let mut value_ns = Ns::NONE;
        if qname {
            let prefix = value
                .trim_start()
                .split_once(':')
                .map_or("", |(prefix, _)| prefix);
            value_ns = match self.reader.lookup(prefix) {
                Some(ns) => self.ns(ns),
                None => Ns::UNBOUND,
            };
        }
        let value = self.keep(value);
        self.tree.attributes.push(Attribute {
            ns,
            local,
            value,
            value_ns,
        });
    }

    /// The text up to the end of the element just started, white space collapsed and cut.
    fn text(&mut self) -> Result<Span, castile_xml::Error> {
        let mut text = String::new();
        let mut depth = 1;
        while depth > 0 {
            match self.reader.next()? {
                Token::Start { .. } => depth += 1,
                Token::End { .. } => depth -= 1,
                Token::Text(part) => collapse(&part, &mut text),
                Token::Eof => break,
                _ => {}
            }
        }
        Ok(self.keep(shortened(text.trim_end())))
    }

    fn ns(&mut self, ns: NsId) -> Ns {
        let at = ns.0 as usize;
        while self.numbers.len() <= at {
            let next = NsId(self.numbers.len() as u32);
            self.numbers.push(self.names.number(self.reader.uri(next)));
        }
        self.numbers.get(at).copied().unwrap_or(Ns::NONE)
    }

    fn keep(&mut self, text: &str) -> Span {
        let start = self.tree.heap.len() as u32;
        self.tree.heap.push_str(text);
        Span {
            start,
            end: self.tree.heap.len() as u32,
        }
    }

    /// Line and column of the tag just read, both from 1; lines end at LF, columns count bytes.
    fn position(&mut self) -> (u32, u32) {
        let at = self.reader.token_start();
        let passed = self
            .reader
            .input()
            .as_bytes()
            .get(self.counted..at)
            .unwrap_or_default();
        for newline in memchr::memchr_iter(b'\n', passed) {
            self.line += 1;
            self.line_start = self.counted + newline + 1;
        }
        self.counted = self.counted.max(at);
        (self.line, (at - self.line_start) as u32 + 1)
    }
}

/// Appends words with single spaces between them.
fn collapse(part: &str, text: &mut String) {
    let broken = |c: char| c.is_ascii_whitespace();
    if part.starts_with(broken) && !text.is_empty() && !text.ends_with(' ') {
        text.push(' ');
    }
    for word in part.split_ascii_whitespace() {
        if text.len() > 2 * super::DOCUMENTATION_BYTES_MAX {
            return;
        }
        text.push_str(word);
        text.push(' ');
    }
    if !part.ends_with(broken) && text.ends_with(' ') {
        text.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "<?xml version='1.0'?>\n<!DOCTYPE a SYSTEM 'x'>
<a xmlns='http://www.w3.org/2001/XMLSchema' xmlns:t='urn:t'>
  <b type='t:x' memberTypes=' t:y z  u:w'><annotation><documentation> A  <i>word</i>.\n </documentation></annotation></b><c/>
</a>";

    #[test]
    fn names_positions_qnames_and_documentation_are_kept() {
        let mut names = Names::new();
        let tree = Tree::parse(TEXT, &mut names).unwrap();
        let root = tree.root().unwrap();
        assert!(root.is(Ns::XSD, "a"));
        assert_eq!(root.position(), (3, 1));
        let children: Vec<_> = root.children().collect();
        assert_eq!(children.iter().map(|c| c.local()).collect::<Vec<_>>(), ["b", "c"]);
        let b = children[0];
        assert_eq!(b.position(), (4, 3));
        let urn = names.find("urn:t").unwrap();
        assert_eq!(
            b.qname("type"),
            Some(super::super::QNameRef { ns: urn, local: "x" })
        );
        let members: Vec<_> = b.qnames("memberTypes").map(|q| (q.ns, q.local)).collect();
        assert_eq!(members, [(urn, "y"), (Ns::XSD, "z"), (Ns::UNBOUND, "w")]);
        assert_eq!(b.documentation().as_deref(), Some("A word."));
        assert_eq!(children[1].documentation(), None);
    }
}
