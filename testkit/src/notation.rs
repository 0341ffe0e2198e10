//! The notation of [`crate::Table::parse`].

use castile_plan::{FieldKind, NsIx, Occurs, Process, TypeId, Types, Wildcard};

use crate::tree::{Group, Leaf, LeafKind, Ty};

/// One type as written.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) base: Option<String>,
    pub(crate) is_abstract: bool,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) model: Option<Tree>,
}

/// An attribute, an attribute wildcard or the text.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) ns: NsIx,
    pub(crate) kind: FieldKind,
    pub(crate) ty: Ty,
    pub(crate) required: bool,
    pub(crate) default: Option<String>,
}

impl Attribute {
    pub(crate) fn named(&self) -> bool {
        self.kind == FieldKind::Attribute
    }
}

/// A model whose types are names yet.
#[derive(Debug)]
pub(crate) enum Tree {
    Leaf(Leaf, Ty),
    Group(Group, Occurs, Vec<Tree>),
}

pub(crate) fn parse(text: &str, types: &mut Types, target: NsIx) -> Vec<Definition> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match lines.last_mut() {
            Some(last)
                if line.starts_with(char::is_whitespace)
                    && line.trim_start().starts_with(['+', '|', ',']) =>
            {
                last.push_str(line);
            }
            _ if line.trim().is_empty() => {}
            _ => lines.push(line.trim().to_owned()),
        }
    }
    lines.iter().map(|line| definition(line, types, target)).collect()
}

fn definition(line: &str, types: &mut Types, target: NsIx) -> Definition {
    let (head, rest) = line.split_once('=').unwrap_or_else(|| panic!("no = in {line:?}"));
    let head = head.trim();
    let (head, is_abstract) = head.strip_suffix('!').map_or((head, false), |h| (h, true));
    let (name, base) = match head.split_once('(') {
        Some((name, base)) => (name.trim(), Some(base.trim_end_matches(')').trim().to_owned())),
        None => (head, None),
    };
    let mut parser = Parser {
        text: rest,
        at: 0,
        types,
        target,
        attributes: Vec::new(),
    };
    let mut items = Vec::new();
    let mut separator = None;
    parser.items(&mut items, &mut separator);
    assert!(
        parser.peek().is_none(),
        "{:?} is left of {line:?}",
        &rest[parser.at..]
    );
    let attributes = std::mem::take(&mut parser.attributes);
    let group = group_of(separator);
    let model = (!items.is_empty()).then_some(Tree::Group(group, Occurs::ONE, items));
    Definition {
        name: name.to_owned(),
        base,
        is_abstract,
        attributes,
        model,
    }
}

fn group_of(separator: Option<char>) -> Group {
    match separator {
        Some('|') => Group::Choice,
        Some('&') => Group::All,
        _ => Group::Sequence,
    }
}

struct Parser<'t, 'y> {
    text: &'t str,
    at: usize,
    types: &'y mut Types,
    target: NsIx,
    attributes: Vec<Attribute>,
}

impl Parser<'_, '_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn eat(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.at += expected.len_utf8();
        }
        found
    }

    fn expect(&mut self, expected: char) {
        assert!(
            self.eat(expected),
            "{expected:?} expected at {:?} of {:?}",
            &self.text[self.at..],
            self.text
        );
    }

    fn word(&mut self, stop: &[char]) -> String {
        self.peek();
        let rest = &self.text[self.at..];
        let end = rest.find(|c| stop.contains(&c)).unwrap_or(rest.len());
        self.at += end;
        rest[..end].trim().to_owned()
    }

    fn items(&mut self, items: &mut Vec<Tree>, separator: &mut Option<char>) {
        while !matches!(self.peek(), None | Some(')')) {
            items.extend(self.item());
            match self.peek() {
                Some(c @ (',' | '|' | '&')) => {
                    assert!(
                        separator.is_none_or(|s| s == c),
                        "mixed separators in {:?}",
                        self.text
                    );
                    *separator = Some(c);
                    self.expect(c);
                }
                _ => break,
            }
        }
    }

    fn item(&mut self) -> Option<Tree> {
        match self.peek() {
            Some('@' | '#') => {
                let attribute = self.attribute();
                self.attributes.push(attribute);
                None
            }
            Some('(') => {
                self.expect('(');
                let (mut items, mut separator) = (Vec::new(), None);
                self.items(&mut items, &mut separator);
                self.expect(')');
                let occurs = self.occurs();
                Some(Tree::Group(group_of(separator), occurs, items))
            }
            Some('*') => Some(self.wildcard()),
            _ => Some(self.element()),
        }
    }

    fn attribute(&mut self) -> Attribute {
        let mut out = Attribute {
            name: "text".into(),
            ns: NsIx::NONE,
            kind: FieldKind::Text,
            ty: Ty::Any,
            required: false,
            default: None,
        };
        if self.eat('#') {
            self.expect(':');
            out.ty = self.ty();
            return out;
        }
        self.expect('@');
        if self.eat('*') {
            let wildcard = Wildcard {
                namespaces: None,
                other_than: None,
                process: Process::Lax,
            };
            return Attribute {
                name: "attributes".into(),
                kind: FieldKind::AnyAttribute(wildcard),
                ..out
            };
        }
        let (ns, name) = self.name(NsIx::NONE);
        self.expect(':');
        out = Attribute {
            name,
            ns,
            kind: FieldKind::Attribute,
            ty: self.ty(),
            ..out
        };
        out.required = self.eat('!');
        out.default = self.default();
        out
    }

    fn name(&mut self, plain: NsIx) -> (NsIx, String) {
        let name = self.word(&[':', '?', '*', '+', '~', ',', ')', '|', '&', '=']);
        match name.split_once('^') {
            None => (plain, name),
            Some(("", local)) => (NsIx::NONE, local.to_owned()),
            Some((ns, local)) => (self.types.intern(&format!("urn:{ns}")), local.to_owned()),
        }
    }

    fn element(&mut self) -> Tree {
        let (ns, name) = self.name(self.target);
        let ty = if self.eat(':') {
            self.ty()
        } else {
            Ty::Named("string".into())
        };
        let nillable = self.eat('~');
        let default = self.default();
        let occurs = self.occurs();
        assert!(
            castile_xml::is_ncname(&name),
            "{name:?} is no name in {:?}",
            self.text
        );
        Tree::Leaf(
            Leaf {
                name,
                ns,
                kind: LeafKind::Element,
                ty: TypeId::Any,
                occurs,
                nillable,
                default,
            },
            ty,
        )
    }

    fn wildcard(&mut self) -> Tree {
        self.expect('*');
        let word = self.word(&['?', '*', '+', '{', ',', ')', '|', '&']);
        let (namespaces, other_than) = match &*word {
            "any" => (None, None),
            "other" => (None, Some(self.target)),
            "local" => (Some(vec![NsIx::NONE]), None),
            "own" => (Some(vec![self.target]), None),
            _ => panic!("no wildcard {word:?}"),
        };
        let kind = LeafKind::Any(Wildcard {
            namespaces,
            other_than,
            process: Process::Lax,
        });
        let occurs = self.occurs();
        let (name, ns) = ("any".to_owned(), NsIx::NONE);
        Tree::Leaf(
            Leaf {
                name,
                ns,
                kind,
                ty: TypeId::Any,
                occurs,
                nillable: false,
                default: None,
            },
            Ty::Any,
        )
    }

    fn ty(&mut self) -> Ty {
        match self.peek() {
            Some('[') => {
                self.expect('[');
                let item = self.ty();
                self.expect(']');
                Ty::List(item.into())
            }
            Some('<') => {
                self.expect('<');
                let mut members = vec![self.ty()];
                while self.eat('/') {
                    members.push(self.ty());
                }
                self.expect('>');
                Ty::Union(members)
            }
            Some('{') => {
                self.expect('{');
                let values = self.word(&['}']);
                self.expect('}');
                Ty::Enumeration(values.split('/').map(str::to_owned).collect())
            }
            _ => {
                let name = self.word(&[
                    '?', '*', '+', '~', '!', ',', ')', '|', '&', '=', ']', '/', '>', '{',
                ]);
                if name == "any" { Ty::Any } else { Ty::Named(name) }
            }
        }
    }

    fn default(&mut self) -> Option<String> {
        self.eat('=')
            .then(|| self.word(&[',', '|', '&', ')', '?', '*', '+', '{']))
    }

    fn occurs(&mut self) -> Occurs {
        let (min, max) = match self.peek() {
            Some('?') => (0, 1),
            Some('*') => (0, Occurs::UNBOUNDED),
            Some('+') => (1, Occurs::UNBOUNDED),
            Some('{') => {
                self.expect('{');
                let bounds = self.word(&['}']);
                self.expect('}');
                let (min, max) = bounds.split_once('-').unwrap_or((&bounds, &bounds));
                let max = if max.is_empty() {
                    Occurs::UNBOUNDED
                } else {
                    max.parse().expect("a number")
                };
                return Occurs {
                    min: min.parse().expect("a number"),
                    max,
                };
            }
            _ => return Occurs::ONE,
        };
        self.at += 1;
        Occurs { min, max }
    }
}
