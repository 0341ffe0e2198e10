//! From a message to its operation, and from an answer or error to a message.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use castile_codec::{Code, EncodeOptions, Envelope, Fault, HeaderBlock, Limits, Name, Version};
use castile_contract::{Binding, Contract, Operation};
use castile_plan::Types;

use super::call::{Answer, Call, Handler, Trouble};
use crate::error::{Error, Guilty, Kind};

/// Settings of a service.
#[derive(Clone, Debug)]
pub struct ServiceOptions {
    /// The service to answer for, when the WSDL has several; else the first.
    pub service: Option<String>,
    /// Check messages against the contract both ways. Default true.
    pub strict: bool,
    /// Significant digits of doubles and floats that are sent; `None` (the default): all that are
    /// needed to read back the same bits.
    pub digits: Option<u8>,
    /// Limits on the XML of requests.
    pub limits: Limits,
}

impl Default for ServiceOptions {
    fn default() -> Self {
        ServiceOptions {
            service: None,
            strict: true,
            digits: None,
            limits: Limits::default(),
        }
    }
}

/// A service of a contract: takes messages, finds operations, asks a [`Handler`], makes replies.
/// All SOAP ports of the service are answered, each in the version that the caller speaks.
pub struct Service {
    contract: Arc<Contract>,
    options: ServiceOptions,
    handler: Box<dyn Handler>,
    /// Operations by the name of their first body element, in the order of names.
    elements: Vec<(Name, Vec<Place>)>,
    /// Operations by action.
    actions: HashMap<String, Vec<Place>>,
    /// Header elements that some operation knows.
    understood: Vec<Name>,
    counters: Counters,
}

/// A binding and an operation of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place(usize, usize);

#[derive(Default)]
struct Counters {
    calls: AtomicU64,
    faults: AtomicU64,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    decode_nanos: AtomicU64,
    encode_nanos: AtomicU64,
}

/// What a service did since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Messages received.
    pub calls: u64,
    /// Of those, answered with a fault.
    pub faults: u64,
    /// Bytes of envelopes received.
    pub bytes_in: u64,
    /// Bytes of envelopes sent.
    pub bytes_out: u64,
    /// Turning bytes into values, all calls together.
    pub decode: Duration,
    /// Turning values into bytes, all answers together that are no faults.
    pub encode: Duration,
}

/// A message for a service: the envelope as text, and what the transport says of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'r> {
    pub(super) text: &'r str,
    /// SOAPAction, or the action of the content type.
    pub(super) action: Option<&'r str>,
    /// The version to answer in when the envelope cannot be opened.
    pub(super) version: Version,
    pub(super) peer: Option<std::net::SocketAddr>,
}

/// A message to send back.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) version: Version,
    pub(super) body: Vec<u8>,
    /// The code of a fault.
    pub(super) fault: Option<Code>,
}

impl Service {
    /// A service of a contract.
    ///
    /// # Errors
    /// The contract has no such service, or none with a SOAP port.
    pub fn new(
        contract: Arc<Contract>,
        options: ServiceOptions,
        handler: impl Handler,
    ) -> Result<Service, Error> {
        let bindings = bindings(&contract, &options)?;
        let types = &contract.types;
        let mut service = Service {
            options,
            handler: Box::new(handler),
            elements: Vec::new(),
            actions: HashMap::new(),
            understood: Vec::new(),
            counters: Counters::default(),
            contract: contract.clone(),
        };
        for b in bindings {
            for (o, operation) in contract.bindings[b].operations.iter().enumerate() {
                service.add(types, Place(b, o), operation);
            }
        }
        Ok(service)
    }

    fn add(&mut self, types: &Types, place: Place, operation: &Operation) {
        if let Some(plan) = &operation.input {
            let first = types.complex(plan.body).fields.first();
            let name = first.map_or_else(Name::default, |f| Name {
                namespace: types.uri(f.wire.ns).to_owned(),
                local: f.wire.local.to_string(),
            });
            match self.element(&name.namespace, &name.local) {
                Ok(i) => self.elements[i].1.push(place),
                Err(i) => self.elements.insert(i, (name, vec![place])),
            }
            for f in &types.complex(plan.header).fields {
                let name = Name {
                    namespace: types.uri(f.wire.ns).to_owned(),
                    local: f.wire.local.to_string(),
                };
                self.understood.push(name);
            }
        }
        if !operation.soap_action.is_empty() {
            self.actions
                .entry(operation.soap_action.clone())
                .or_default()
                .push(place);
        }
    }

    /// The place of a body element among those known, or where it would stand.
    fn element(&self, namespace: &str, local: &str) -> Result<usize, usize> {
        let key = |(name, _): &(Name, _)| (&*name.local, &*name.namespace).cmp(&(local, namespace));
        self.elements.binary_search_by(key)
    }

    /// What the WSDL says.
    pub fn contract(&self) -> &Arc<Contract> {
        &self.contract
    }

    /// The table of the contract's types.
    pub fn types(&self) -> &Arc<Types> {
        &self.contract.types
    }

    /// The settings.
    pub fn options(&self) -> &ServiceOptions {
        &self.options
    }

    /// What the service did so far.
    pub fn stats(&self) -> Stats {
        let Counters {
            calls,
            faults,
            bytes_in,
            bytes_out,
            decode_nanos,
            encode_nanos,
        } = &self.counters;
        let [calls, faults, bytes_in, bytes_out, decode_nanos, encode_nanos] =
            [calls, faults, bytes_in, bytes_out, decode_nanos, encode_nanos]
                .map(|c| c.load(Ordering::Relaxed));
        let (decode, encode) = (
            Duration::from_nanos(decode_nanos),
            Duration::from_nanos(encode_nanos),
        );
        Stats {
            calls,
            faults,
            bytes_in,
            bytes_out,
            decode,
            encode,
        }
    }

    /// Adds what decoding took since `began` to the figures.
    pub(super) fn note_decode(&self, began: Instant) {
        self.counters
            .decode_nanos
            .fetch_add(nanos(began), Ordering::Relaxed);
    }

    /// Adds what encoding took since `began` to the figures.
    pub(super) fn note_encode(&self, began: Instant) {
        self.counters
            .encode_nanos
            .fetch_add(nanos(began), Ordering::Relaxed);
    }

    pub(super) fn encode_options(&self) -> EncodeOptions {
        EncodeOptions {
            strict: self.options.strict,
            digits: self.options.digits,
        }
    }

    /// Answers a message. Never fails: what goes wrong becomes a fault.
    pub(super) fn answer(&self, request: Request<'_>) -> Response {
        let count = |counter: &AtomicU64, n: usize| counter.fetch_add(n as u64, Ordering::Relaxed);
        count(&self.counters.calls, 1);
        count(&self.counters.bytes_in, request.text.len());
        let began = Instant::now();
        let opened = Envelope::open(request.text, &self.options.limits);
        self.note_decode(began);
        let response = match opened {
            Ok(envelope) => self.dispatch(envelope, request),
            Err(error) => self.refuse(request.version, &error.into()),
        };
        count(&self.counters.faults, usize::from(response.fault.is_some()));
        count(&self.counters.bytes_out, response.body.len());
        response
    }

    fn dispatch(&self, envelope: Envelope<'_>, request: Request<'_>) -> Response {
        let version = envelope.version();
        let (binding, operation) = match self.find(&envelope, request.action) {
            Ok(found) => found,
            Err(fault) => {
                tracing::info!(%fault, "refused a message");
                return self.fault(version, None, &fault);
            }
        };
        let span = tracing::debug_span!("serve", operation = %operation.name, bytes = request.text.len());
        let _entered = span.enter();
        let call = Call {
            service: self,
            binding,
            operation,
            envelope,
            peer: request.peer,
        };
        let handled = catch_unwind(AssertUnwindSafe(|| self.handler.handle(call)));
        let fault = match handled {
            Ok(Ok(Answer(body))) => {
                return Response {
                    version,
                    body,
                    fault: None,
                };
            }
            Ok(Err(Trouble::Fault(fault))) => *fault,
            Ok(Err(Trouble::Error(error))) => {
                if error.guilty() == Guilty::Peer {
                    tracing::info!(%error, "refused a message");
                } else {
                    tracing::error!(%error, "failed to answer");
                }
                error.to_fault()
            }
            Err(_) => {
                tracing::error!("a handler panicked");
                Fault::new(Code::Receiver, "the service failed to answer")
            }
        };
        self.fault(version, Some(operation), &fault)
    }

    /// The operation of a message: by its first body element, of several by the action; an empty
    /// body by the action alone, or when only one operation has one.
    fn find(&self, envelope: &Envelope<'_>, action: Option<&str>) -> Result<(&Binding, &Operation), Fault> {
        if let Some(block) = envelope.headers().iter().find(|b| self.must_refuse(b)) {
            let text = format!("header {} must be understood and is not", block.name);
            return Err(Fault::new(Code::MustUnderstand, text));
        }
        let by_action = action.and_then(|a| self.actions.get(a));
        let (namespace, local) = envelope.first_name().unwrap_or_default();
        let named = self.element(namespace, local).ok().map(|i| &self.elements[i].1);
        let place = match (named, by_action) {
            (Some(named), Some(by_action)) => named.iter().find(|p| by_action.contains(p)).or(named.first()),
            (Some(named), None) => named.first(),
            // An empty body, or one whose element nobody knows: the action may say what was meant,
            // and decoding then says what is wrong with it.
            (None, Some(by_action)) => by_action.first(),
            (None, None) => None,
        };
        let Some(&Place(b, o)) = place else {
            return Err(self.unknown(envelope.first()));
        };
        let binding = &self.contract.bindings[b];
        let operation = &binding.operations[o];
        match &operation.unsupported {
            Some(what) => Err(Fault::new(
                Code::Receiver,
                format!("operation {} cannot be served: {what}", operation.name),
            )),
            None => Ok((binding, operation)),
        }
    }

    fn unknown(&self, first: Option<Name>) -> Fault {
        let what = first.map_or_else(|| "an empty body".to_owned(), |name| name.to_string());
        let mut known: Vec<String> = self
            .elements
            .iter()
            .take(20)
            .map(|(name, _)| name.to_string())
            .collect();
        known.sort_unstable();
        Fault::new(
            Code::Sender,
            format!(
                "no operation takes {what}; this service takes {}",
                known.join(", ")
            ),
        )
    }

    /// A header that must be understood, is meant for us, and that no operation knows.
    fn must_refuse(&self, block: &HeaderBlock) -> bool {
        const FOR_US: [&str; 4] = [
            "",
            "http://schemas.xmlsoap.org/soap/actor/next",
            "http://www.w3.org/2003/05/soap-envelope/role/next",
            "http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver",
        ];
        let for_us = FOR_US.contains(&block.role.as_deref().unwrap_or_default());
        block.must_understand && for_us && !self.understood.contains(&block.name)
    }

    fn fault(&self, version: Version, operation: Option<&Operation>, fault: &Fault) -> Response {
        let detail = operation.map(|o| o.detail);
        let options = self.encode_options();
        let mut body = Vec::new();
        let mut encoded =
            castile_codec::encode_fault(self.types(), detail, version, fault, &options, &mut body);
        if let Err(error) = &encoded {
            tracing::error!(%error, "a fault could not be written");
            let plain = Fault::new(Code::Receiver, "the service failed to answer");
            encoded = castile_codec::encode_fault(self.types(), None, version, &plain, &options, &mut body);
        }
        debug_assert!(encoded.is_ok(), "a fault without detail can be written");
        Response {
            version,
            body,
            fault: Some(fault.code.clone()),
        }
    }

    /// Answers a body that cannot be opened, or is not even text.
    pub(super) fn refuse(&self, version: Version, error: &Error) -> Response {
        tracing::info!(%error, "refused a message");
        // SOAP 1.2, 2.8: an envelope of another version is answered in the oldest.
        let fault = error.to_fault();
        let version = if fault.code == Code::VersionMismatch {
            Version::Soap11
        } else {
            version
        };
        self.fault(version, None, &fault)
    }
}

fn nanos(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// The SOAP bindings of the service in question.
fn bindings(contract: &Contract, options: &ServiceOptions) -> Result<Vec<usize>, Error> {
    let soap = |b: &usize| contract.bindings.get(*b).is_some_and(|b| b.protocol.is_soap());
    let named = |name: &str| options.service.as_deref().is_none_or(|wanted| wanted == name);
    let services = contract.services.iter().filter(|s| named(&s.name));
    let of = |s: &castile_contract::Service| {
        s.ports
            .iter()
            .map(|p| p.binding)
            .filter(|b| soap(b))
            .collect::<Vec<_>>()
    };
    let mut found = services.map(of).find(|list| !list.is_empty()).unwrap_or_default();
    if found.is_empty() && contract.services.is_empty() && options.service.is_none() {
        found = (0..contract.bindings.len()).filter(soap).collect();
    }
    found.sort_unstable();
    found.dedup();
    if found.is_empty() {
        let known: Vec<&str> = contract.services.iter().map(|s| &*s.name).collect();
        let text = format!(
            "no such service with a SOAP port; the contract has {}",
            known.join(", ")
        );
        return Err(Error::new(Kind::NoSuchOperation, Guilty::Caller, text));
    }
    Ok(found)
}
