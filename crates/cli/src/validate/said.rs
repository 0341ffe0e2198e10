//! Whether the elements of a message of SOAP encoding call themselves by the types that the contract declares.
//! A call is read whatever they say, as peers say a lot; who writes a message wants to know.

use castile_plan::{Builtin, ComplexId, FieldKind, Plan, QName, SimpleId, TypeId, Types, Variety};
use castile_xml::{Name, Reader, Token};

use super::{Finding, Report};

/// Adds to the report what says a built-in type that is neither the declared one, nor derived from it, nor a
/// base of it, by the names of XML Schema or of SOAP encoding. One kind of number for another is a note:
/// toolkits do that.
pub(super) fn check(types: &Types, plan: &Plan, text: &str, report: &mut Report) {
    let mut said = Said {
        types,
        reader: Reader::new(text),
        open: Vec::new(),
    };
    // What is not well-formed is found elsewhere.
    while let Ok(token) = said.reader.next() {
        match token {
            Token::Start { name, .. } => said.start(name, plan.body, report),
            Token::End { .. } => _ = said.open.pop(),
            Token::Eof => return,
            Token::Text(_) | Token::Comment(_) | Token::Instruction { .. } => {}
        }
    }
}

struct Said<'a> {
    types: &'a Types,
    reader: Reader<'a>,
    /// The local names of the open elements, and the types whose fields they have, where that is known.
    open: Vec<(&'a str, Option<ComplexId>)>,
}

const ENCODINGS: [&str; 2] = [
    "http://schemas.xmlsoap.org/soap/encoding/",
    "http://www.w3.org/2003/05/soap-encoding",
];

impl<'a> Said<'a> {
    fn start(&mut self, name: Name<'a>, body: ComplexId, report: &mut Report) {
        let declared = self.declared(name.local);
        let said = self.said();
        if let (Some(TypeId::Simple(declared)), Some(TypeId::Simple(said))) = (declared, said) {
            self.compare(name.local, declared, said, report);
        }
        let inside = match (self.open.len(), said.or(declared)) {
            // The children of the Body are its fields.
            (1, _) if name.local == "Body" => Some(body),
            (_, Some(TypeId::Complex(id))) => Some(id),
            _ => None,
        };
        self.open.push((name.local, inside));
    }

    /// The type that the element around it declares for an element.
    fn declared(&self, local: &str) -> Option<TypeId> {
        let (_, Some(id)) = self.open.last()? else {
            return None;
        };
        let complex = self.types.complex(*id);
        // Items of an array may be called as they like.
        let is_array = complex.array.is_some();
        let mut fields = complex.fields.iter().filter(|f| f.kind == FieldKind::Element);
        let found = fields.find(|f| is_array || *f.wire.local == *local);
        found.map(|field| field.ty)
    }

    /// The type that an element says it has, if it is one that is known.
    fn said(&self) -> Option<TypeId> {
        let mut attributes = self.reader.attributes().iter();
        let is_type =
            |name: Name<'_>| name.local == "type" && self.reader.uri(name.ns) == self.types.uri(Types::XSI);
        let value = attributes.find(|a| is_type(a.name))?.value.trim();
        let (prefix, local) = value.split_once(':').unwrap_or(("", value));
        let uri = self.reader.uri(self.reader.lookup(prefix)?);
        if ENCODINGS.contains(&uri) {
            let builtin = match local {
                "base64" => Some(Builtin::Base64Binary),
                local => Builtin::from_name(local),
            };
            return builtin.map(|builtin| TypeId::Simple(builtin.into()));
        }
        let ns = self.types.namespace(uri)?;
        self.types.type_named(&QName::new(ns, local))
    }

    fn compare(&self, local: &str, declared: SimpleId, said: SimpleId, report: &mut Report) {
        let types = self.types;
        let (Some(kind), Some(of_said)) = (atom(types, declared), atom(types, said)) else {
            return;
        };
        if derives(types, said, declared) || derives(types, declared, said) {
            return;
        }
        let label = |id: SimpleId| types.type_label(TypeId::Simple(id));
        let text = format!(
            "{local} says that it is {}, and the contract declares {}",
            label(said),
            label(declared)
        );
        let line = Reader::line_column(self.reader.input(), self.reader.token_start());
        if is_number(kind) && is_number(of_said) {
            report.notes.push(format!("{text} (line {})", line.0));
            return;
        }
        let path = self.open.iter().map(|(name, _)| *name).chain([local]);
        report.findings.push(Finding {
            line: Some(line),
            path: path.fold(String::new(), |path, name| path + "/" + name),
            text,
        });
    }
}

/// The built-in type of a simple type that is no list and no union.
fn atom(types: &Types, id: SimpleId) -> Option<Builtin> {
    match types.simple(id).variety {
        Variety::Atomic(builtin) => Some(builtin),
        Variety::List(_) | Variety::Union(_) => None,
    }
}

fn derives(types: &Types, id: SimpleId, from: SimpleId) -> bool {
    std::iter::successors(Some(id), |id| types.simple(*id).base).any(|id| id == from)
}

fn is_number(builtin: Builtin) -> bool {
    let roots = [Builtin::Float, Builtin::Double, Builtin::Decimal];
    std::iter::successors(Some(builtin), |b| b.base()).any(|b| roots.contains(&b))
}
