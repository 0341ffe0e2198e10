//! Faults to bytes.

use castile_message::{Unmarked, Version};
use castile_plan::{ComplexId, Field, FieldKind, QName, Tags, Types};
use castile_value::Value;

use super::{EncodeOptions, Encoder};
use crate::error::{Error, Kind};
use crate::fault::{Code, Detail, Fault, Name, Reason};

/// Appends the envelope of a fault to `out`. `detail` is the complex type whose fields are the
/// operation's declared fault elements; entries of other names must be XML.
///
/// # Errors
/// A detail value that its type cannot hold. `out` is as before then.
pub fn encode_fault(
    types: &Types,
    detail: Option<ComplexId>,
    version: Version,
    fault: &Fault,
    options: &EncodeOptions,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let start = out.len();
    let mut marks = Unmarked;
    let mut encoder = Encoder::new(types, options, version, out, &mut marks);
    let result = encoder.envelope(&[], |encoder| {
        encoder.fault_headers(fault)?;
        encoder.raw("<S:Body><S:Fault>");
        let inside = match version {
            Version::Soap11 => encoder.fault11(detail, fault),
            Version::Soap12 => encoder.fault12(detail, fault),
        };
        inside.map_err(|e| e.within("Fault").within("Body"))?;
        encoder.raw("</S:Fault></S:Body>");
        Ok(())
    });
    if result.is_err() {
        out.truncate(start);
    }
    result
}

impl Encoder<'_, Unmarked> {
    fn fault_headers(&mut self, fault: &Fault) -> Result<(), Error> {
        if fault.headers.is_empty() && fault.header_values.is_empty() {
            return Ok(());
        }
        self.raw("<S:Header>");
        let mut written = Vec::new();
        for block in &fault.headers {
            let fragment = castile_xml::Fragment::parse(block)
                .map_err(|e| Error::caller(Kind::Value, e.to_string()).within("Header"))?;
            self.raw(fragment.as_str());
            let (namespace, local) = fragment.name();
            written.push((namespace.to_owned(), local.to_owned()));
        }
        for entry in &fault.header_values {
            let Name { namespace, local } = &entry.name;
            // Of a fault that came and is passed on they stand there already.
            if !written.iter().any(|(ns, name)| (ns, name) == (namespace, local)) {
                self.detail(None, entry)
                    .map_err(|e| e.within(local.clone()).within("Header"))?;
            }
        }
        self.raw("</S:Header>");
        Ok(())
    }

    fn fault11(&mut self, detail: Option<ComplexId>, fault: &Fault) -> Result<(), Error> {
        self.raw("<faultcode");
        match (&fault.code, fault.subcodes.first()) {
            // A subcode is more telling than the four codes of SOAP 1.1, and a code of one's own
            // is allowed there.
            (_, Some(own)) | (Code::Other(own), None) => self.own_code(own)?,
            (code, None) => self.raw(&format!(">S:{}", standard(code, Version::Soap11))),
        }
        self.raw("</faultcode><faultstring>");
        self.escaped(fault.reason())?;
        self.raw("</faultstring>");
        if let Some(actor) = &fault.node {
            self.raw("<faultactor>");
            self.escaped(actor)?;
            self.raw("</faultactor>");
        }
        self.details("detail", detail, fault)
    }

    fn fault12(&mut self, detail: Option<ComplexId>, fault: &Fault) -> Result<(), Error> {
        self.raw(&format!(
            "<S:Code><S:Value>S:{}</S:Value>",
            standard(&fault.code, Version::Soap12)
        ));
        let own = match &fault.code {
            Code::Other(name) => Some(name),
            _ => None,
        };
        let mut depth = 0;
        for name in own.into_iter().chain(&fault.subcodes) {
            self.raw("<S:Subcode><S:Value");
            self.own_code(name)?;
            self.raw("</S:Value>");
            depth += 1;
        }
        self.raw(&"</S:Subcode>".repeat(depth));
        self.raw("</S:Code><S:Reason>");
        let none = [Reason {
            lang: String::new(),
            text: String::new(),
        }];
        let reasons = if fault.reasons.is_empty() {
            &none[..]
        } else {
            &fault.reasons
        };
        for reason in reasons {
            let lang = if reason.lang.is_empty() {
                "en"
            } else {
                &reason.lang
            };
            self.raw("<S:Text xml:lang=\"");
            castile_xml::escape_attribute(lang, self.out);
            self.raw("\">");
            self.escaped(&reason.text)?;
            self.raw("</S:Text>");
        }
        self.raw("</S:Reason>");
        for (tag, text) in [("Node", &fault.node), ("Role", &fault.role)] {
            if let Some(text) = text {
                self.raw(&format!("<S:{tag}>"));
                self.escaped(text)?;
                self.raw(&format!("</S:{tag}>"));
            }
        }
        self.details("S:Detail", detail, fault)
    }

    /// The end of a start tag and a qualified name as its content.
    fn own_code(&mut self, name: &Name) -> Result<(), Error> {
        if !castile_xml::is_ncname(&name.local) {
            return Err(Error::caller(
                Kind::Value,
                format!("{:?} is no fault code", name.local),
            ));
        }
        if name.namespace.is_empty() {
            self.raw(">");
        } else {
            self.raw(" xmlns:f=\"");
            castile_xml::escape_attribute(&name.namespace, self.out);
            self.raw("\">f:");
        }
        self.raw(&name.local);
        Ok(())
    }

    fn escaped(&mut self, text: &str) -> Result<(), Error> {
        castile_xml::check_text(text).map_err(|e| Error::caller(Kind::Value, e.to_string()))?;
        castile_xml::escape_text(text, self.out);
        Ok(())
    }

    fn details(&mut self, tag: &str, detail: Option<ComplexId>, fault: &Fault) -> Result<(), Error> {
        if fault.detail.is_empty() {
            return Ok(());
        }
        self.raw(&format!("<{tag}>"));
        for entry in &fault.detail {
            self.detail(detail, entry)
                .map_err(|e| e.within(entry.name.local.clone()).within("Detail"))?;
        }
        self.raw(&format!("</{tag}>"));
        Ok(())
    }

    fn detail(&mut self, detail: Option<ComplexId>, entry: &Detail) -> Result<(), Error> {
        let types = self.types;
        if let Value::Xml(text) = &entry.value {
            let fragment = castile_xml::Fragment::parse(text);
            let fragment = fragment.map_err(|e| Error::caller(Kind::Value, e.to_string()))?;
            self.raw(fragment.as_str());
            return Ok(());
        }
        let same =
            |name: &QName| *name.local == *entry.name.local && types.uri(name.ns) == entry.name.namespace;
        let declared = detail.map_or(&[][..], |id| &types.complex(id).fields);
        let fields = declared.iter().zip(detail.map_or(&[][..], |id| types.tags(id)));
        let mut fields: Vec<_> = fields
            .filter(|(f, _)| f.kind == FieldKind::Element && same(&f.wire))
            .collect();
        if let Value::Record(record) = entry.value.held()
            && let Some(own) = types.type_by_clark(record.shape().name())
        {
            fields.sort_by_key(|(f, _)| (f.ty != own, !types.is_derived(own, f.ty)));
        }
        if !fields.is_empty() {
            return self.first_that_fits(&fields, &entry.value);
        }
        // A decoder gives global elements typed, whether or not the operation declares them.
        let name = types
            .namespace(&entry.name.namespace)
            .map(|ns| QName::new(ns, entry.name.local.as_str()));
        if let Some(id) = name.and_then(|name| types.element_named(&name)) {
            let field = types.elements[id.index()].to_field();
            return self.element(&field, &types.element_tags(&field.wire), entry.value.item());
        }
        let mut why = format!("{} is no element that the contract has: give XML", entry.name);
        if !declared.is_empty() {
            let names = declared.iter().map(|f| types.clark(&f.wire)).collect::<Vec<_>>();
            why += &format!(", or what the operation declares: {}", names.join(", "));
        }
        Err(Error::caller(Kind::UnknownName, why))
    }

    /// Writes a value as an element of the first of several types that can hold it, and says which that is.
    fn first_that_fits(&mut self, fields: &[(&Field, &Tags)], value: &Value) -> Result<(), Error> {
        let (start, mut failed) = (self.out.len(), None);
        for (field, tags) in fields {
            self.says_type = fields.len() > 1;
            match self.element(field, tags, value.item()) {
                Ok(()) => return Ok(()),
                Err(error) => failed = failed.or(Some(error)),
            }
            self.out.truncate(start);
        }
        failed.map_or(Ok(()), Err)
    }
}

/// The name of a code in a version; SOAP 1.1 and 1.2 differ in two, and an own code is somebody's
/// fault all the same.
fn standard(code: &Code, version: Version) -> &'static str {
    match (code, version) {
        (Code::VersionMismatch, _) => "VersionMismatch",
        (Code::MustUnderstand, _) => "MustUnderstand",
        (Code::DataEncodingUnknown, Version::Soap12) => "DataEncodingUnknown",
        (Code::Sender | Code::DataEncodingUnknown, Version::Soap11) => "Client",
        (Code::Sender, Version::Soap12) => "Sender",
        (Code::Receiver | Code::Other(_), Version::Soap11) => "Server",
        (Code::Receiver | Code::Other(_), Version::Soap12) => "Receiver",
    }
}
