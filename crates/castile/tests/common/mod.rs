//! Messages of a schema, read and written again.
#![allow(dead_code, reason = "each test file uses its part")]

use castile_codec::{EncodeOptions, Error};
use castile_contract::{Contract, MemoryResolver, Options};
use castile_plan::{Plan, TypeId, Types};
use castile_testkit::plainly;
use castile_value::{Record, Value};

/// One global element of a schema for `urn:t`, prefix `t`.
pub(crate) struct Message {
    pub(crate) types: Types,
    pub(crate) plan: Plan,
}

impl Message {
    /// The element `local` of a schema of these components.
    pub(crate) fn new(components: &str, local: &str) -> Message {
        let schema = format!(
            "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' xmlns:t='urn:t' xmlns='urn:t' targetNamespace='urn:t'
              elementFormDefault='qualified'>{components}</xs:schema>"
        );
        Message::of(&[("t.xsd", &schema)], local)
    }

    /// The element of `urn:t` of several documents, of which the first is the entry.
    pub(crate) fn of(documents: &[(&str, &str)], local: &str) -> Message {
        let none = MemoryResolver::new();
        let files = documents
            .iter()
            .fold(none, |files, (at, text)| files.with(*at, *text));
        let contract = Contract::load(documents[0].0, &files, &Options::default()).unwrap();
        let name = contract.types.parse_clark(&format!("{{urn:t}}{local}")).unwrap();
        let id = contract
            .types
            .element_named(&name)
            .expect("the schema has the element");
        let (types, plan) = castile_testkit::alone(&contract.types, &contract.types.elements[id.index()]);
        Message { types, plan }
    }

    /// What a message holds whose body is this XML; the default namespace is `urn:t`.
    pub(crate) fn read(&self, xml: &str, strict: bool) -> Result<Value, Error> {
        let known = self
            .types
            .namespaces
            .iter()
            .filter(|n| n.prefix.starts_with("ns"));
        let known: String = known
            .map(|n| format!(" xmlns:{}='{}'", n.prefix, n.uri))
            .collect();
        let text = format!(
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns='urn:t' xmlns:t='urn:t'
              xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:xsd='http://www.w3.org/2001/XMLSchema'{known}
             ><e:Body>{xml}</e:Body></e:Envelope>"
        );
        let (_, body) = plainly::read(&self.types, &self.plan, &text, strict)?;
        Ok(body.into_values().pop().unwrap_or_default())
    }

    /// The body that is written for a value; the prefix of `urn:t` is left out.
    pub(crate) fn write(&self, value: Value) -> Result<String, Error> {
        self.write_by(value, &EncodeOptions::default())
    }

    pub(crate) fn write_by(&self, value: Value, options: &EncodeOptions) -> Result<String, Error> {
        let mut body = Record::new(self.types.shape(self.plan.body).clone());
        body.values_mut()[0] = value;
        let text = plainly::write(&self.types, &self.plan, &body, options)?;
        let (_, rest) = text.split_once("<S:Body>").unwrap();
        let (inside, _) = rest.split_once("</S:Body>").unwrap();
        let ours = self.types.namespaces.iter().find(|n| &*n.uri == "urn:t").unwrap();
        Ok(inside.replace(&format!("{}:", ours.prefix), ""))
    }

    /// Reads, shows and writes again: what is written reads as the same.
    pub(crate) fn through(&self, xml: &str) -> (String, String) {
        let value = self.read(xml, true).unwrap_or_else(|e| panic!("{xml}: {e}"));
        let written = self.write(value.clone()).unwrap_or_else(|e| panic!("{xml}: {e}"));
        let again = self
            .read(&written, true)
            .unwrap_or_else(|e| panic!("{written}: {e}"));
        assert_eq!(
            castile_testkit::difference(&value, &again),
            None,
            "{xml} became {written}"
        );
        (shown(&value), written)
    }

    /// What a strict reader says against a message.
    pub(crate) fn refused(&self, xml: &str) -> String {
        match self.read(xml, true) {
            Ok(value) => panic!("{xml} was read as {}", shown(&value)),
            Err(e) => e.message().to_owned(),
        }
    }

    /// The type of a field of the element's type.
    pub(crate) fn ty(&self) -> TypeId {
        self.types.complex(self.plan.body).fields[0].ty
    }
}

/// A value in a line.
pub(crate) fn shown(value: &Value) -> String {
    let entries = |entries: Vec<(String, &Value)>| {
        let entries: Vec<String> = entries
            .iter()
            .map(|(k, v)| format!("{k}: {}", shown(v)))
            .collect();
        format!("{{{}}}", entries.join(", "))
    };
    match value {
        Value::Text(text) => format!("{text:?}"),
        Value::Int(v) => v.to_string(),
        Value::Bool(v) => v.to_string(),
        Value::Nil => "nil".into(),
        Value::Xml(text) => castile_testkit::reference::canonical(text),
        Value::Record(r) => entries(r.iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        Value::Map(m) => entries(m.iter().map(|(k, v)| (k.clone(), v)).collect()),
        Value::List(_) | Value::Column(_) | Value::Rows(_) => {
            let items: Vec<String> = value.clone().into_list().iter().map(shown).collect();
            format!("[{}]", items.join(", "))
        }
        other => format!("{other:?}"),
    }
}
