//! The slow and obvious decoder: the whole document as a tree, the content model matched by trying
//! every way, one value at a time. It says only whether a message is good and what it holds; where
//! and why it is bad is the real decoder's business.
//!
//! It shares with the real one the tables, the reader of tokens and the parsers of single dates,
//! decimals and bytes, which have oracles of their own.

mod content;
mod encoded;
mod scalar;
mod tree;

use castile_plan::{
    Builtin, ComplexId, Field, FieldKind, Plan, Process, QName, SimpleId, TypeId, Types, Variety, Wildcard,
};
use castile_value::{Record, Value};

pub use scalar::parse_text;
pub(crate) use scalar::{integer_range, integer_value};
pub use tree::canonical;

use tree::{Child, Node};

/// What a message holds.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The header blocks that the plan knows.
    pub header: Record,
    /// The body elements.
    pub body: Record,
}

/// Why a message is bad, for whoever reads a failing test.
pub type Refusal = String;

/// Decodes a message strictly.
///
/// # Errors
/// Anything that is not as the plan says.
pub fn decode(types: &Types, plan: &Plan, text: &str) -> Result<Decoded, Refusal> {
    let root = Node::parse(text)?;
    let version = castile_message::Version::from_namespace(&root.uri).ok_or("no known envelope")?;
    let soap = version.namespace();
    if root.local != "Envelope" {
        return Err("no envelope".into());
    }
    if root.attributes.iter().any(|a| a.uri.is_empty()) {
        return Err("an attribute of the envelope is in no namespace".into());
    }
    let mut parts = root.elements()?.into_iter();
    let mut part = parts.next().ok_or("no body")?;
    let encoded = plan.encoded.then_some(&root);
    let decoder = Reference { types, encoded };
    let mut header = Record::new(types.shape(plan.header).clone());
    if part.uri == soap && part.local == "Header" {
        for block in part.elements()? {
            decoder.header(plan.header, block, &mut header)?;
        }
        part = parts.next().ok_or("no body")?;
    }
    if part.uri != soap || part.local != "Body" {
        return Err("no body".into());
    }
    let mut body = Record::new(types.shape(plan.body).clone());
    match plan.encoded {
        true => decoder.encoded_body(plan.body, part, &mut body)?,
        false => decoder.children(plan.body, &part.elements()?, &mut body)?,
    }
    Ok(Decoded { header, body })
}

/// Whether the text is a well-formed document.
pub fn is_well_formed(text: &str) -> bool {
    Node::parse(text).is_ok()
}

struct Reference<'t> {
    types: &'t Types,
    /// The whole message, when it is encoded: references are looked up in it.
    encoded: Option<&'t Node>,
}

const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

impl Reference<'_> {
    fn header(&self, id: ComplexId, block: &Node, out: &mut Record) -> Result<(), Refusal> {
        let fields = self.types.complex(id).fields.iter().enumerate();
        let mut same = fields.filter(|(_, f)| self.is(f, block));
        if let Some((i, field)) = same
            .next()
            .filter(|(_, f)| !matches!(f.ty, TypeId::Unsupported(_)))
        {
            out.values_mut()[i] = self.element(field, block)?;
        }
        Ok(())
    }

    fn is(&self, field: &Field, node: &Node) -> bool {
        field.kind == FieldKind::Element
            && *field.wire.local == *node.local
            && self.types.uri(field.wire.ns) == node.uri
    }

    fn element(&self, field: &Field, node: &Node) -> Result<Value, Refusal> {
        let node = self.referred(node)?;
        if let Some(nil) = node.attribute(XSI, "nil")
            && castile_lexical::parse_bool(nil.as_bytes()).map_err(|e| e.to_string())?
        {
            if !field.nillable {
                return Err("nil where none may be".into());
            }
            if !node.text().is_ok_and(|t| t.trim().is_empty()) {
                return Err("nil with content".into());
            }
            return self.nil(field, node);
        }
        match field.ty {
            TypeId::Simple(id) => {
                let foreign = |a: &&tree::Attribute| self.encoded.is_none() && !stands_anywhere(&a.uri);
                if let Some(attribute) = node.attributes.iter().find(foreign) {
                    return Err(format!("attribute {} on a simple type", attribute.local));
                }
                self.simple(self.narrowed(id, node)?, field, node)
            }
            TypeId::Complex(id) if self.types.complex(id).array.is_some() => self.array(id, node),
            TypeId::Complex(id) => self.record(self.actual(id, node)?, node),
            TypeId::Any => self.any(node),
            TypeId::Unsupported(_) => Err("unsupported".into()),
        }
    }

    fn nil(&self, field: &Field, node: &Node) -> Result<Value, Refusal> {
        let bare = node.attributes.iter().all(|a| a.uri == XSI);
        let TypeId::Complex(declared) = field.ty else {
            return Ok(Value::Nil);
        };
        if bare {
            return Ok(Value::Nil);
        }
        let id = self.actual(declared, node)?;
        if !self.types.complex(id).fields.iter().any(Field::is_nil) {
            return Ok(Value::Nil);
        }
        let mut record = Record::new(self.types.shape(id).clone());
        self.attributes(id, node, &mut record)?;
        Ok(Value::Record(record))
    }

    fn simple(&self, id: SimpleId, field: &Field, node: &Node) -> Result<Value, Refusal> {
        let mut text = node.text()?;
        if let (true, Some(default)) = (text.is_empty(), field.default.as_ref().or(field.fixed.as_ref())) {
            text = default.to_string();
        }
        parse_text(self.types, id, &text, &|prefix| node.namespace(prefix))
    }

    fn narrowed(&self, id: SimpleId, node: &Node) -> Result<SimpleId, Refusal> {
        let open =
            id == Builtin::AnySimpleType.into() || matches!(self.types.simple(id).variety, Variety::Union(_));
        match self.xsi_type(node) {
            Some(TypeId::Simple(own))
                if open || self.types.is_derived(TypeId::Simple(own), TypeId::Simple(id)) =>
            {
                Ok(own)
            }
            _ => Ok(id),
        }
    }

    fn xsi_type(&self, node: &Node) -> Option<TypeId> {
        let name = node.attribute(XSI, "type")?;
        let (prefix, local) = castile_lexical::split_qname(name.trim())?;
        let uri = node.namespace(prefix.unwrap_or(""))?;
        self.types.type_by_clark(&if uri.is_empty() {
            local.to_owned()
        } else {
            format!("{{{uri}}}{local}")
        })
    }

    fn actual(&self, declared: ComplexId, node: &Node) -> Result<ComplexId, Refusal> {
        let id = match (node.attribute(XSI, "type"), self.xsi_type(node)) {
            (None, _) => declared,
            (_, Some(TypeId::Complex(id)))
                if self
                    .types
                    .is_derived(TypeId::Complex(id), TypeId::Complex(declared)) =>
            {
                id
            }
            (Some(name), _) => return Err(format!("{name} is not derived")),
        };
        if self.types.complex(id).is_abstract {
            Err("abstract".into())
        } else {
            Ok(id)
        }
    }

    fn record(&self, id: ComplexId, node: &Node) -> Result<Value, Refusal> {
        let complex = self.types.complex(id);
        let mut record = Record::new(self.types.shape(id).clone());
        self.attributes(id, node, &mut record)?;
        if let Some((at, simple)) = complex.text() {
            record.values_mut()[at as usize] = self.simple(simple, &complex.fields[at as usize], node)?;
            return Ok(Value::Record(record));
        }
        if let Some((at, _)) = complex.mixed() {
            let Some((text, elements)) = node.leading_text() else {
                return Ok(Value::Xml(node.to_xml()));
            };
            if !text.is_empty() {
                record.values_mut()[at as usize] = Value::Text(text);
            }
            self.children(id, &elements, &mut record)?;
        } else {
            match self.encoded {
                Some(_) => self.accessors(id, &node.elements()?, &mut record)?,
                None => self.children(id, &node.elements()?, &mut record)?,
            }
        }
        Ok(Value::Record(record))
    }

    fn attributes(&self, id: ComplexId, node: &Node, record: &mut Record) -> Result<(), Refusal> {
        let fields = &self.types.complex(id).fields;
        let mut wild = Vec::new();
        for attribute in &node.attributes {
            let ns = self.types.namespace(&attribute.uri);
            let own = |f: &Field| {
                f.kind == FieldKind::Attribute && *f.wire.local == *attribute.local && Some(f.wire.ns) == ns
            };
            let admits = |f: &Field| matches!(&f.kind, FieldKind::AnyAttribute(w) if w.admits(ns));
            if let Some(i) = fields.iter().position(own) {
                let TypeId::Simple(simple) = fields[i].ty else {
                    return Err("unsupported".into());
                };
                record.values_mut()[i] = parse_text(self.types, simple, &attribute.value, &|prefix| {
                    node.namespace(prefix)
                })?;
            } else if attribute.uri == XSI || self.encoded.is_some() {
            } else if let Some(i) = fields.iter().position(admits) {
                let name = match &*attribute.uri {
                    "" => attribute.local.clone(),
                    uri => format!("{{{uri}}}{}", attribute.local),
                };
                wild.push((name, Value::Text(attribute.value.clone())));
                record.values_mut()[i] = Value::Map(wild.clone());
            } else if !stands_anywhere(&attribute.uri) {
                return Err(format!("attribute {}", attribute.local));
            }
        }
        for (i, field) in fields
            .iter()
            .enumerate()
            .filter(|(_, f)| f.kind == FieldKind::Attribute)
        {
            if !matches!(record.values()[i], Value::Absent) {
                continue;
            }
            if field.required {
                return Err(format!("attribute {} is missing", field.name));
            }
            if let (Some(default), TypeId::Simple(simple)) =
                (field.default.as_ref().or(field.fixed.as_ref()), field.ty)
            {
                record.values_mut()[i] =
                    parse_text(self.types, simple, default, &|prefix| node.namespace(prefix))?;
            }
        }
        Ok(())
    }

    fn any(&self, node: &Node) -> Result<Value, Refusal> {
        match self.xsi_type(node) {
            Some(TypeId::Simple(id)) => {
                return parse_text(self.types, id, &node.text()?, &|prefix| node.namespace(prefix));
            }
            Some(TypeId::Complex(id)) if self.types.complex(id).is_abstract => return Err("abstract".into()),
            Some(TypeId::Complex(id)) => return self.record(id, node),
            _ => {}
        }
        match node.text() {
            Ok(text) if node.attributes.is_empty() => Ok(Value::Text(text)),
            _ => Ok(Value::Xml(node.to_xml())),
        }
    }

    /// An element under a wildcard.
    fn wild(&self, wildcard: &Wildcard, node: &Node) -> Result<Value, Refusal> {
        let name = self
            .types
            .namespace(&node.uri)
            .map(|ns| QName::new(ns, node.local.as_str()));
        let declared = name.filter(|_| wildcard.process != Process::Skip);
        let id = declared.and_then(|name| self.types.element_named(&name));
        let global = id.map(|id| (self.types.global(id), self.types.elements[id.index()].is_abstract));
        match global {
            Some((global, false)) if matches!(global.field.ty, TypeId::Simple(_) | TypeId::Complex(_)) => {
                let mut named = Record::new(global.shape.clone());
                named.values_mut()[0] = self.element(&global.field, node)?;
                Ok(Value::Record(named))
            }
            _ => Ok(Value::Xml(node.to_xml())),
        }
    }

    /// The children of a record, given to the fields whose leaves take them.
    fn children(&self, id: ComplexId, nodes: &[&Node], record: &mut Record) -> Result<(), Refusal> {
        let taken =
            content::all(self.types, id, nodes).ok_or("the children fit the content model in no way")?;
        for (i, field) in self.types.complex(id).fields.iter().enumerate() {
            let mut values = Vec::new();
            for part in taken.iter().filter(|part| part.field as usize == i) {
                let nodes = &nodes[part.from..part.to];
                values.push(match (&field.kind, field.ty) {
                    (FieldKind::Any(wildcard), _) => self.wild(wildcard, nodes[0])?,
                    (FieldKind::Group, TypeId::Complex(group)) => {
                        let mut pass = Record::new(self.types.shape(group).clone());
                        self.children(group, nodes, &mut pass)?;
                        Value::Record(pass)
                    }
                    _ => self.element(field, nodes[0])?,
                });
            }
            if field.many && !values.is_empty() {
                record.values_mut()[i] = Value::List(values);
            } else if let Some(value) = values.pop() {
                record.values_mut()[i] = value;
            }
        }
        Ok(())
    }
}

/// Attributes of these namespaces may stand on any element.
fn stands_anywhere(uri: &str) -> bool {
    uri == XSI || uri == castile_xml::XML_URI || castile_message::Version::from_namespace(uri).is_some()
}

impl Node {
    /// The text of an element that has nothing else.
    fn text(&self) -> Result<String, Refusal> {
        let mut text = String::new();
        for child in &self.children {
            match child {
                Child::Text(more) => text.push_str(more),
                Child::Element(e) => return Err(format!("element {} in text", e.local)),
            }
        }
        Ok(text)
    }

    /// The elements of an element that has nothing else.
    /// The text before the first child element, and the children; `None` if text stands elsewhere.
    fn leading_text(&self) -> Option<(String, Vec<&Node>)> {
        let (mut text, mut elements) = (String::new(), Vec::new());
        for child in &self.children {
            match child {
                Child::Element(element) => elements.push(element),
                Child::Text(more) if elements.is_empty() => text.push_str(more),
                Child::Text(more) if more.trim_matches([' ', '\t', '\n', '\r']).is_empty() => {}
                Child::Text(_) => return None,
            }
        }
        let layout = text.trim_matches([' ', '\t', '\n', '\r']).is_empty() && !elements.is_empty();
        Some((if layout { String::new() } else { text }, elements))
    }

    fn elements(&self) -> Result<Vec<&Node>, Refusal> {
        let mut elements = Vec::new();
        for child in &self.children {
            match child {
                Child::Text(text) if text.trim_matches([' ', '\t', '\n', '\r']).is_empty() => {}
                Child::Text(text) => return Err(format!("text {text:?} between elements")),
                Child::Element(element) => elements.push(element),
            }
        }
        Ok(elements)
    }
}
