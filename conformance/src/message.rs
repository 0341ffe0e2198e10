//! One message: a sample encoded, decoded, compared, encoded again.

use castile_codec::{
    Code, DecodeOptions, Detail, EncodeOptions, Envelope, Fault, Intake, Limits, Name, Version,
};
use castile_contract::{Contract, HEADER_ANY, Operation};
use castile_diff::{Automata, Receiving};
use castile_endpoint::sample::{Fill, SampleOptions, Sampler};
use castile_plan::{ComplexId, Field, FieldKind, Plan, TypeId, Types};
use castile_testkit::{difference, plainly, reference};
use castile_value::{Record, Value, ValueSink};

/// The samplers of one contract: least, most, and most with other choices and derived types.
pub(crate) struct Messages<'c> {
    types: &'c Types,
    samplers: Vec<Sampler<'c>>,
    /// What was learned of the messages read so far.
    automata: Automata,
}

/// An encoded message, for foreign readers.
pub(crate) struct Sent {
    /// What it is.
    pub(crate) label: String,
    /// The envelope.
    pub(crate) bytes: Vec<u8>,
}

/// What became of an operation's messages.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Messages sent round.
    pub(crate) messages: usize,
    /// What went wrong first.
    pub(crate) failure: Option<String>,
    /// Why some message could not be made: a construct that it needs and that is out of scope.
    pub(crate) unsupported: Option<String>,
    /// One of each kind.
    pub(crate) sent: Vec<Sent>,
}

impl Outcome {
    /// Nothing but a failure.
    pub(crate) fn failed(why: String) -> Self {
        Outcome {
            failure: Some(why),
            ..Outcome::default()
        }
    }
}

/// Variants of samples: of choices, enumerations and derived types.
const VARIANTS: u32 = 4;

impl<'c> Messages<'c> {
    /// Looks through the contract's types.
    pub(crate) fn new(contract: &'c Contract) -> Self {
        let most = SampleOptions {
            values_max: 300,
            depth_max: 4,
            ..SampleOptions::default()
        };
        let options = std::iter::once(SampleOptions {
            fill: Fill::Required,
            ..most
        })
        .chain((0..VARIANTS).map(|variant| SampleOptions { variant, ..most }));
        let types = &*contract.types;
        Messages {
            types,
            samplers: options.map(|options| Sampler::new(types, options)).collect(),
            automata: Automata::new(Receiving::default()),
        }
    }

    /// Sends request, reply and faults of an operation round.
    pub(crate) fn operation(&self, operation: &Operation, version: Version) -> Outcome {
        let mut outcome = Outcome::default();
        for (kind, plan) in [("request", &operation.input), ("reply", &operation.output)] {
            let Some(plan) = plan else { continue };
            self.message(kind, plan, version, &mut outcome);
        }
        self.faults(operation, version, &mut outcome);
        outcome
    }

    /// The samples of a message as bytes, without header blocks; those that can be made.
    pub(crate) fn bytes(&self, plan: &Plan, version: Version) -> Vec<Vec<u8>> {
        let header = Record::new(self.types.shape(plan.header).clone());
        let bodies = self.samplers.iter().filter_map(|s| s.record(plan.body));
        bodies
            .filter_map(|body| self.encode(plan, version, &header, &body).ok())
            .collect()
    }

    fn message(&self, kind: &str, plan: &Plan, version: Version, outcome: &mut Outcome) {
        for (n, sampler) in self.samplers.iter().enumerate() {
            let Some(body) = sampler.record(plan.body) else {
                match needs(self.types, plan.body, &mut Vec::new()) {
                    Some(why) => outcome.unsupported.get_or_insert(why),
                    None => outcome.failure.get_or_insert(format!("{kind}: no finite value")),
                };
                return;
            };
            let mut header = sampler
                .record(plan.header)
                .unwrap_or_else(|| Record::new(self.types.shape(plan.header).clone()));
            // Blocks that no plan names are read as they are, not as a field.
            let _ = header.set(HEADER_ANY, Value::Absent);
            match self.round(plan, version, &header, &body) {
                Ok(bytes) if n == 1 => outcome.sent.push(Sent {
                    label: kind.to_owned(),
                    bytes,
                }),
                Ok(_) => {}
                Err(why) => {
                    outcome
                        .failure
                        .get_or_insert(format!("{kind}, sample {n}: {why}"));
                }
            }
            outcome.messages += 1;
        }
    }

    /// There and back; the bytes on the way.
    fn round(
        &self,
        plan: &Plan,
        version: Version,
        header: &Record,
        body: &Record,
    ) -> Result<Vec<u8>, String> {
        let bytes = self.encode(plan, version, header, body)?;
        let text = std::str::from_utf8(&bytes).map_err(|e| e.to_string())?;
        let (header_back, body_back) = self
            .decode(plan, text)
            .map_err(|e| format!("{e}; the message is {text}"))?;
        let back = [("header", header, &header_back), ("body", body, &body_back)];
        for (part, sent, came) in back {
            same(sent, came).map_err(|e| format!("{part}: {e}; the message is {text}"))?;
        }
        self.learned(plan, text, &header_back, &body_back)?;
        let again = self.encode(plan, version, &header_back, &body_back)?;
        if [header, body]
            .into_iter()
            .any(|part| part.values().iter().any(holds_xml))
        {
            // XML that was read declares the prefixes around it, once.
            let third = self
                .decode(plan, &String::from_utf8_lossy(&again))
                .map_err(|e| e.to_string())?;
            if self.encode(plan, version, &third.0, &third.1)? != again {
                return Err(format!(
                    "other bytes the third time; the second is {}",
                    String::from_utf8_lossy(&again)
                ));
            }
        } else if again != bytes {
            let again = String::from_utf8_lossy(&again).into_owned();
            return Err(format!("other bytes the second time: {text} and {again}"));
        }
        let other =
            reference::decode(self.types, plan, text).map_err(|e| format!("reference: {e}; {text}"))?;
        same(body, &other.body).map_err(|e| format!("reference: {e}; {text}"))?;
        Ok(bytes)
    }

    /// Reads a message by what was learned of those before it, and once more by what it taught itself.
    fn learned(&self, plan: &Plan, text: &str, header: &Record, body: &Record) -> Result<(), String> {
        let operation = std::ptr::from_ref(plan) as usize;
        let sink = |id: ComplexId| ValueSink::new(self.types.shape(id).clone());
        for time in ["first", "second"] {
            let (mut header_again, mut body_again) = (sink(plan.header), sink(plan.body));
            let read = self.automata.open(text, &Limits::default(), Some(b"peer"));
            let read = read.and_then(|message| {
                let options = DecodeOptions::default();
                let intake = Intake {
                    types: self.types,
                    plan,
                    options: &options,
                    header: &mut header_again,
                    body: &mut body_again,
                };
                self.automata.decode(message, operation, intake)
            });
            read.map_err(|e| format!("learned, {time}: {e}; the message is {text}"))?;
            for (plain, again) in [(header, header_again), (body, body_again)] {
                same(plain, &again.finish())
                    .map_err(|e| format!("learned, {time}: {e}; the message is {text}"))?;
            }
        }
        Ok(())
    }

    fn encode(
        &self,
        plan: &Plan,
        version: Version,
        header: &Record,
        body: &Record,
    ) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let options = EncodeOptions::default();
        castile_codec::encode(self.types, plan, version, header, body, &options, &mut bytes)
            .map_err(|e| format!("encoding: {e}"))?;
        Ok(bytes)
    }

    fn decode(&self, plan: &Plan, text: &str) -> Result<(Record, Record), castile_codec::Error> {
        plainly::read(self.types, plan, text, true)
    }

    /// Each declared fault, there and back.
    fn faults(&self, operation: &Operation, version: Version, outcome: &mut Outcome) {
        let fields = &self.types.complex(operation.detail).fields;
        for (n, field) in fields
            .iter()
            .enumerate()
            .filter(|(_, f)| f.kind == FieldKind::Element)
        {
            let sampler = &self.samplers[1.min(self.samplers.len() - 1)];
            let Some(sample) = sampler.record(operation.detail) else {
                continue;
            };
            let value = sample.values().get(n).cloned().unwrap_or_default();
            if value == Value::Absent {
                continue;
            }
            let value = if field.many {
                value.into_list().swap_remove(0)
            } else {
                value
            };
            outcome.messages += 1;
            match self.fault(operation.detail, field, version, value) {
                Ok(bytes) => outcome.sent.push(Sent {
                    label: format!("fault {}", field.name),
                    bytes,
                }),
                Err(why) => {
                    outcome
                        .failure
                        .get_or_insert(format!("fault {}: {why}", field.name));
                }
            }
        }
    }

    fn fault(
        &self,
        detail: ComplexId,
        field: &Field,
        version: Version,
        value: Value,
    ) -> Result<Vec<u8>, String> {
        let uri = self.types.uri(field.wire.ns).to_owned();
        let name = Name {
            namespace: uri,
            local: field.wire.local.to_string(),
        };
        let mut fault = Fault::new(Code::Sender, "the sample's reason <&>");
        fault.detail.push(Detail { name, value });
        let mut bytes = Vec::new();
        let options = EncodeOptions::default();
        castile_codec::encode_fault(self.types, Some(detail), version, &fault, &options, &mut bytes)
            .map_err(|e| format!("encoding: {e}"))?;
        let text = std::str::from_utf8(&bytes).map_err(|e| e.to_string())?;
        let back = Envelope::open(text, &Limits::default())
            .and_then(|envelope| envelope.decode_fault(self.types, Some(detail), &DecodeOptions::default()))
            .map_err(|e| format!("{e}; the message is {text}"))?;
        if back.code != fault.code || back.reason() != fault.reason() || back.detail.len() != 1 {
            return Err(format!("{back:?} is not {fault:?}"));
        }
        match (fault.detail.first(), back.detail.first()) {
            (Some(sent), Some(came)) => match difference(&sent.value, &came.value) {
                Some(difference) => Err(format!("{difference}; the message is {text}")),
                None => Ok(bytes),
            },
            _ => Err("the detail is lost".into()),
        }
    }
}

fn same(sent: &Record, came: &Record) -> Result<(), String> {
    let (sent, came) = (Value::Record(sent.clone()), Value::Record(came.clone()));
    difference(&sent, &came).map_or(Ok(()), Err)
}

/// Whether some field is kept as XML.
fn holds_xml(value: &Value) -> bool {
    match value {
        Value::Xml(_) => true,
        Value::List(items) => items.iter().any(holds_xml),
        Value::Record(record) => record.values().iter().any(holds_xml),
        _ => false,
    }
}

/// The first construct out of scope that a value of the type may need.
fn needs(types: &Types, id: ComplexId, seen: &mut Vec<ComplexId>) -> Option<String> {
    if seen.contains(&id) {
        return None;
    }
    seen.push(id);
    types.complex(id).fields.iter().find_map(|field| match field.ty {
        TypeId::Unsupported(i) => types.unsupported.get(i as usize).map(ToString::to_string),
        TypeId::Complex(id) => needs(types, id, seen),
        _ => None,
    })
}
