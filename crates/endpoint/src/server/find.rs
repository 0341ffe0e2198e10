//! Which operation a message is for.

use std::collections::{HashMap, HashSet};

use castile_codec::{Code, Envelope, Fault, Name, Version};
use castile_contract::{Binding, BodyStyle, Contract, Operation};
use castile_plan::Types;

use super::dispatch::ServiceOptions;
use crate::addressing;
use crate::error::{Error, Guilty, Kind, soap12};

/// The operations of a service by what their messages look like.
#[derive(Default)]
pub(super) struct Index {
    /// By the name of their first body element, in the order of names.
    elements: Vec<(Name, Vec<Place>)>,
    /// By SOAPAction and by WS-Addressing action.
    actions: HashMap<String, Vec<Place>>,
    /// Header elements that some operation knows.
    understood: Vec<Name>,
    /// Whether some operation is in rpc style.
    rpc: bool,
}

/// How many elements a caller is told of who sent another one.
const KNOWN_MAX: usize = 20;

/// A binding and an operation of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place(usize, usize);

impl Index {
    /// The operations of the SOAP bindings of the service in question.
    ///
    /// # Errors
    /// The contract has no such service, or none with a SOAP port.
    pub(super) fn new(contract: &Contract, options: &ServiceOptions) -> Result<Index, Error> {
        let mut index = Index::default();
        let mut declared: HashSet<&str> = options.sharing.keys().map(String::as_str).collect();
        for b in bindings(contract, options)? {
            for (o, operation) in contract.bindings[b].operations.iter().enumerate() {
                index.add(&contract.types, Place(b, o), operation);
                declared.remove(operation.name.as_str());
            }
        }
        if let Some(name) = declared.iter().min() {
            let text = format!("there is no operation {name:?} whose replies could be shared or not");
            return Err(Error::new(Kind::NoSuchOperation, Guilty::Caller, text));
        }
        Ok(index)
    }

    fn add(&mut self, types: &Types, place: Place, operation: &Operation) {
        let name = |f: &castile_plan::Field| Name {
            namespace: types.uri(f.wire.ns).to_owned(),
            local: f.wire.local.to_string(),
        };
        if let Some(plan) = &operation.input {
            let first = types
                .complex(plan.body)
                .fields
                .first()
                .map(name)
                .unwrap_or_default();
            match self.element(&first.namespace, &first.local) {
                Ok(i) => self.elements[i].1.push(place),
                Err(i) => self.elements.insert(i, (first, vec![place])),
            }
            self.rpc |= operation.style == BodyStyle::Rpc;
            self.understood
                .extend(types.complex(plan.header).fields.iter().map(name));
        }
        for action in [&operation.soap_action, &operation.input_action] {
            let places = self.actions.entry(action.clone()).or_default();
            if !action.is_empty() && !places.contains(&place) {
                places.push(place);
            }
        }
    }

    /// The place of a body element among those known, or where it would stand.
    fn element(&self, namespace: &str, local: &str) -> Result<usize, usize> {
        let key = |(name, _): &(Name, _)| (&*name.local, &*name.namespace).cmp(&(local, namespace));
        self.elements.binary_search_by(key)
    }

    /// Whether some operation knows header blocks of this name.
    pub(super) fn understands(&self, name: &Name) -> bool {
        self.understood.contains(name)
    }

    /// The operation of a message: by its first body element, of several by the action; an empty
    /// body by the action alone, or when only one operation has one. The action of the headers beats that
    /// of the transport.
    ///
    /// # Errors
    /// There is none, or one that cannot be served.
    pub(super) fn find<'c>(
        &self,
        contract: &'c Contract,
        envelope: &Envelope<'_>,
        action: Option<&str>,
    ) -> Result<(&'c Binding, &'c Operation), Fault> {
        let (namespace, local) = envelope.first_name().unwrap_or_default();
        let named = self.element(namespace, local).ok().map(|i| &self.elements[i].1);
        let addressed = addressing::action(envelope.headers());
        // One operation with this element is the one, whatever the action.
        let asked = named.is_none_or(|named| named.len() != 1);
        let action = addressed.as_deref().or(action).filter(|_| asked);
        let by_action = action.and_then(|a| self.actions.get(a));
        let place = match (named, by_action) {
            (Some(named), Some(by_action)) => named.iter().find(|p| by_action.contains(p)).or(named.first()),
            (Some(named), None) => named.first(),
            // An empty body, or one whose element nobody knows: the action may say what was meant,
            // and decoding then says what is wrong with it.
            (None, Some(by_action)) => by_action.first(),
            (None, None) => None,
        };
        let Some(&Place(b, o)) = place else {
            return Err(addressing::action_not_supported(envelope.headers())
                .unwrap_or_else(|| self.unknown(envelope)));
        };
        let binding = &contract.bindings[b];
        let operation = &binding.operations[o];
        match &operation.unsupported {
            Some(what) => Err(Fault::new(
                Code::Receiver,
                format!("operation {} cannot be served: {what}", operation.name),
            )),
            None => Ok((binding, operation)),
        }
    }

    fn unknown(&self, envelope: &Envelope<'_>) -> Fault {
        let what = envelope
            .first()
            .map_or_else(|| "an empty body".to_owned(), |name| name.to_string());
        let meant = envelope.first().and_then(|name| {
            let known = self.elements.iter().map(|(known, _)| &*known.local);
            castile_contract::near(&name.local, known.filter(|known| *known != name.local))
        });
        let hint = meant.map_or(String::new(), |meant| format!("; did you mean {meant}?"));
        let known = self.elements.iter().take(KNOWN_MAX);
        let mut known: Vec<String> = known.map(|(name, _)| name.to_string()).collect();
        match self.elements.len().saturating_sub(KNOWN_MAX) {
            0 => {}
            more => known.push(format!("and {more} more")),
        }
        let text = format!(
            "no operation takes {what}{hint}; this service takes {}",
            known.join(", ")
        );
        let mut fault = Fault::new(Code::Sender, text);
        if self.rpc && envelope.version() == Version::Soap12 {
            let subcode = soap12::subcode(soap12::RPC, "ProcedureNotPresent");
            fault.subcodes.push(subcode);
        }
        fault
    }
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
