//! Bytes to faults.

use castile_message::Version;
use castile_plan::{ComplexId, Field, NsIx, TypeId, Types};
use castile_value::{Shape, Slot, Value, ValueSink};
use castile_xml::Reader;

use super::{DecodeOptions, Decoder, Envelope, HeaderBlock, Next, Start};
use crate::error::{Error, Kind};
use crate::fault::{Code, Detail, Fault, Name, Reason};

impl Envelope<'_> {
    /// Reads the fault that the body holds. `detail` is the complex type whose fields are the
    /// operation's declared fault elements; other entries come as the contract's global elements
    /// if it has them, else as XML.
    ///
    /// # Errors
    /// Not well-formed, a limit, or no fault.
    pub fn decode_fault(
        self,
        types: &Types,
        detail: Option<ComplexId>,
        options: &DecodeOptions,
    ) -> Result<Fault, Error> {
        let is_fault = self.is_fault();
        let headers = self.headers().iter().map(|block| block.xml.clone()).collect();
        let header_values = self.header_values(types, options);
        let version = self.version();
        let place = self.read()?;
        let mut decoder = Decoder::new(place.reader, types, *options);
        decoder.refer_in_fault(place.first)?;
        if !is_fault {
            return Err(decoder.bad(Kind::Unexpected, "the body holds no fault"));
        }
        let fault = decoder.fault(version, detail);
        let fault = fault.map_err(|e| e.within("Fault").within("Body").within("Envelope"))?;
        decoder.rest(version)?;
        Ok(Fault {
            headers,
            header_values,
            ..fault
        })
    }

    /// The values of the header blocks that are global elements of the contract, and fit their types.
    fn header_values(&self, types: &Types, options: &DecodeOptions) -> Vec<Detail> {
        let value = |block: &HeaderBlock| {
            let reader = Reader::with_limits(&block.xml, self.limits);
            let mut decoder = Decoder::new(reader, types, *options);
            let Next::Start(start) = decoder.child().ok()? else {
                return None;
            };
            match decoder.detail(None, start).ok()? {
                Value::Xml(_) => None,
                value => Some(Detail {
                    name: block.name.clone(),
                    value,
                }),
            }
        };
        self.headers().iter().filter_map(value).collect()
    }
}

impl<'a> Decoder<'a, '_> {
    fn fault(&mut self, version: Version, detail: Option<ComplexId>) -> Result<Fault, Error> {
        let mut fault = Fault::new(Code::Receiver, "");
        fault.reasons.clear();
        let mut code = false;
        // Names are taken without their namespace: SOAP 1.1 has them in none, and some peers qualify them.
        while let Next::Start(start) = self.child()? {
            match start.name.local {
                "faultcode" => {
                    code = true;
                    let name = self.qname()?;
                    // An empty code says as little as none, which is the receiver's fault.
                    if !name.local.is_empty() {
                        (fault.code, fault.subcodes) = code11(name);
                    }
                }
                "Code" => {
                    code = true;
                    self.code12(&mut fault)?;
                }
                "faultstring" => {
                    let text = self.text()?.0.into_owned();
                    fault.reasons.push(Reason {
                        lang: String::new(),
                        text,
                    });
                }
                "Reason" => self.reasons(&mut fault)?,
                "faultactor" | "Node" => fault.node = Some(self.text()?.0.trim().to_owned()),
                "Role" => fault.role = Some(self.text()?.0.trim().to_owned()),
                "detail" | "Detail" => {
                    fault.detail = self.details(detail).map_err(|e| e.within(start.name.local))?;
                }
                _ => self
                    .reader
                    .skip_element()
                    .map_err(|e| Error::xml(e, self.reader.input()))?,
            }
        }
        if !code && self.options.strict {
            return Err(self.bad(Kind::Missing, format!("the fault has no code of {version}")));
        }
        if fault.reasons.is_empty() {
            fault.reasons.push(Reason {
                lang: String::new(),
                text: String::new(),
            });
        }
        Ok(fault)
    }

    /// A qualified name as text; an undeclared prefix leaves the namespace empty.
    fn qname(&mut self) -> Result<Name, Error> {
        // Prefixes are in scope only until the end tag.
        let before = self.reader.clone();
        let (text, _) = self.text()?;
        let text = text.trim();
        let (prefix, local) = text.split_once(':').unwrap_or(("", text));
        let namespace = before
            .lookup(prefix)
            .map(|ns| before.uri(ns).to_owned())
            .unwrap_or_default();
        Ok(Name {
            namespace,
            local: local.to_owned(),
        })
    }

    fn code12(&mut self, fault: &mut Fault) -> Result<(), Error> {
        let mut first = true;
        // Subcodes nest: each level has a value and perhaps another level.
        let mut depth = 1;
        while depth > 0 {
            match self.child()? {
                Next::End => depth -= 1,
                Next::Start(start) if start.name.local == "Value" => {
                    let name = self.qname()?;
                    if std::mem::take(&mut first) {
                        fault.code = code12(name);
                    } else {
                        fault.subcodes.push(name);
                    }
                }
                Next::Start(start) if start.name.local == "Subcode" => depth += 1,
                Next::Start(_) => self
                    .reader
                    .skip_element()
                    .map_err(|e| Error::xml(e, self.reader.input()))?,
            }
        }
        Ok(())
    }

    fn reasons(&mut self, fault: &mut Fault) -> Result<(), Error> {
        while let Next::Start(_) = self.child()? {
            let lang = self.reader.attributes().iter().find(|a| a.name.local == "lang");
            let lang = lang.map(|a| a.value.to_string()).unwrap_or_default();
            let text = self.text()?.0.into_owned();
            fault.reasons.push(Reason { lang, text });
        }
        Ok(())
    }

    fn details(&mut self, detail: Option<ComplexId>) -> Result<Vec<Detail>, Error> {
        let mut entries = Vec::new();
        loop {
            let start = match self.child() {
                Ok(Next::Start(start)) => start,
                Ok(Next::End) => return Ok(entries),
                // Some peers put plain text into the detail.
                Err(e) if e.kind() == Kind::Unexpected => continue,
                Err(e) => return Err(e),
            };
            let name = Name {
                namespace: self.reader.uri(start.name.ns).to_owned(),
                local: start.name.local.to_owned(),
            };
            let value = self
                .detail(detail, start)
                .map_err(|e| e.within(name.local.clone()))?;
            entries.push(Detail { name, value });
        }
    }

    fn detail(&mut self, detail: Option<ComplexId>, start: Start<'a>) -> Result<Value, Error> {
        let before = self.reader.clone();
        for field in self.detail_fields(detail, start) {
            let shape = std::sync::Arc::new(Shape::new("detail", vec![field.name.clone()]));
            let mut sink = ValueSink::new(shape);
            if self
                .element(
                    &field,
                    Slot {
                        field: 0,
                        many: false,
                    },
                    start,
                    &mut sink,
                )
                .is_ok()
            {
                return Ok(sink.finish().into_values().pop().unwrap_or_default());
            }
            // A detail that does not fit its type is still worth having.
            self.reader = before.clone();
            self.trace = None;
        }
        let text = self
            .reader
            .capture()
            .map_err(|e| Error::xml(e, self.reader.input()))?;
        Ok(Value::Xml(text))
    }

    /// The declared fault elements, or the global element, of this name. Of several types that it may have, the
    /// one that it says comes first.
    fn detail_fields(&mut self, detail: Option<ComplexId>, start: Start<'a>) -> Vec<Field> {
        let types = self.types;
        let Some(ns) = self.ns(start.name.ns) else {
            return Vec::new();
        };
        let called = |ns: NsIx| {
            let fields = detail.map_or(&[][..], |id| &types.complex(id).fields);
            let called = move |f: &&Field| *f.wire.local == *start.name.local && f.wire.ns == ns;
            fields.iter().filter(called).map(|field| Field {
                many: false,
                ..field.clone()
            })
        };
        let mut declared: Vec<Field> = called(ns).collect();
        if declared.is_empty() {
            // Where the contract gives a fault no namespace, a peer may have one of its own.
            declared = called(NsIx::NONE).collect();
        }
        if declared.len() > 1
            && let Some(own) = self.xsi_type()
        {
            declared.sort_by_key(|field| (field.ty != own, !types.is_derived(own, field.ty)));
        }
        if declared.is_empty()
            && let Some(id) = types.element_named(&castile_plan::QName::new(ns, start.name.local))
        {
            let element = &types.elements[id.index()];
            let is_typed = !matches!(element.ty, TypeId::Unsupported(_) | TypeId::Any);
            declared.extend(is_typed.then(|| element.to_field()));
        }
        declared
    }
}

/// A code of SOAP 1.1 (4.4.1): four names, each of which may go on after a dot; and any name at all.
fn code11(name: Name) -> (Code, Vec<Name>) {
    let soap = [Version::Soap11, Version::Soap12]
        .iter()
        .any(|v| v.namespace() == name.namespace);
    let (head, tail) = match name.local.split_once('.') {
        Some((head, _)) => (head, vec![name.clone()]),
        None => (&*name.local, Vec::new()),
    };
    let code = match head {
        "Client" | "Sender" => Code::Sender,
        "Server" | "Receiver" => Code::Receiver,
        "VersionMismatch" if soap => Code::VersionMismatch,
        "MustUnderstand" if soap => Code::MustUnderstand,
        _ => return (Code::Other(name), Vec::new()),
    };
    (code, tail)
}

fn code12(name: Name) -> Code {
    match &*name.local {
        "Sender" => Code::Sender,
        "Receiver" => Code::Receiver,
        "VersionMismatch" => Code::VersionMismatch,
        "MustUnderstand" => Code::MustUnderstand,
        "DataEncodingUnknown" => Code::DataEncodingUnknown,
        _ => Code::Other(name),
    }
}
