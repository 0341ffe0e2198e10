//! One message while it is answered: what is checked of it, and what its answer becomes.

use castile_codec::{Envelope, Fault, Found, Memory, Name, Received, Route, Sending, Version};
use castile_contract::{Binding, Operation};

use super::call::{Call, Content};
use super::dispatch::{Cause, Service};
use super::message::{InMessage, OutMessage};
use crate::error::{Error, Guilty};
use crate::layers::not_understood;
use crate::payload::Payload;

/// What an error of a handler becomes.
pub(super) fn failure(service: &Service, error: &Error, version: Version, rpc: bool) -> (Box<Fault>, Cause) {
    if error.guilty() == Guilty::Peer {
        tracing::info!(%error, "refused a message");
        return (Box::new(error.to_fault_of(version, rpc)), Cause::Message);
    }
    tracing::error!(%error, "failed to answer");
    let fault = match service.options().debug {
        true => error.to_fault_in_full(),
        false => error.to_fault(),
    };
    (Box::new(fault), Cause::Failure)
}

/// One message while it is answered.
pub(super) struct Handling<'s> {
    service: &'s Service,
    version: Version,
    operation: Option<&'s Operation>,
    /// What the layers remember of it.
    memories: Vec<Memory>,
    /// What they found out.
    found: Found,
}

impl<'s> Handling<'s> {
    pub(super) fn new(service: &'s Service, version: Version, operation: Option<&'s Operation>) -> Self {
        Handling {
            service,
            version,
            operation,
            memories: Vec::new(),
            found: Found::default(),
        }
    }

    /// The user whom a layer found out to have sent it.
    pub(super) fn principal(&self) -> Option<&str> {
        self.found.principal.as_deref()
    }

    /// The call for the handler, once all is checked.
    pub(super) fn call<'c>(
        &'c self,
        binding: &'c Binding,
        operation: &'c Operation,
        content: Content<'c>,
        message: &InMessage<'c>,
    ) -> Call<'c> {
        Call {
            service: self.service,
            binding,
            operation,
            content,
            peer: message.peer,
            principal: self.found.principal.as_deref().or(message.principal),
            certificate: message.certificate,
            conversation: message.conversation,
            memories: &self.memories,
            early: message.early.filter(|_| self.found.reply == Route::Back),
        }
    }

    /// What must be true of the headers before anything else is done.
    pub(super) fn check(&mut self, envelope: &Envelope<'_>, action: Option<&str>) -> Result<(), Fault> {
        let (options, index) = (self.service.options(), &self.service.index);
        let layers = &options.layers;
        let blocks = envelope.headers();
        let name = self.operation.map_or("", |o| &*o.name);
        let known = self.operation.map(|o| [&*o.input_action, &*o.soap_action]);
        let expected = known
            .as_ref()
            .filter(|_| options.strict)
            .map_or(&[][..], |known| &known[..]);
        let received = Received {
            version: self.version,
            operation: name,
            // What the contract declares is right, whatever the headers say.
            action: action.filter(|a| self.operation.is_none_or(|o| o.soap_action != *a)),
            expected,
            blocks,
            one_way: self.operation.is_none_or(|o| o.one_way),
            is_fault: envelope.is_fault(),
            world: layers.world(),
        };
        let checked = layers.check_request(&received, &mut self.found, &mut self.memories);
        let refused = not_understood(blocks, &options.roles, layers, |name| {
            index.understands(name) || options.understood.iter().any(|own| *own == name.to_string())
        });
        if !refused.is_empty() {
            let names: Vec<Name> = refused.into_iter().cloned().collect();
            return Err(Fault::not_understood(self.version, &names));
        }
        checked.map_err(|refusal| *refusal.fault)
    }

    pub(super) fn reply(self, operation: &Operation, body: Payload) -> OutMessage {
        // Most answers go back, where the action is of no use.
        OutMessage {
            version: self.version,
            body,
            fault: None,
            action: match self.found.reply {
                Route::To(_) => operation.output_action.clone(),
                _ => String::new(),
            },
            route: self.found.reply,
        }
    }

    pub(super) fn fault(self, fault: Fault, cause: Cause) -> OutMessage {
        let mut fault = match &self.service.options().faults {
            Some(style) => style(fault, cause),
            None => fault,
        };
        let action = self.operation.map_or("", |o| fault_action(o, &fault)).to_owned();
        let options = self.service.options();
        let sending = Sending {
            version: self.version,
            operation: self.operation.map_or("", |o| &o.name),
            action: &action,
            to: "",
            one_way: false,
            fault: Some(&fault),
            world: options.layers.world(),
        };
        let blocks = options.layers.reply(&self.memories, &sending);
        let blocks =
            blocks.inspect_err(|error| tracing::error!(%error, "a fault goes out without its headers"));
        fault.headers.extend(blocks.unwrap_or_default());
        OutMessage {
            version: self.version,
            body: self
                .service
                .fault_body(self.version, self.operation, &fault)
                .into(),
            fault: Some(fault.code),
            action,
            route: self.found.fault,
        }
    }
}

/// The action of a declared fault; empty for others.
fn fault_action<'o>(operation: &'o Operation, fault: &Fault) -> &'o str {
    let Some(detail) = fault.detail.first() else {
        return "";
    };
    let name = detail.name.to_string();
    let declared = operation.faults.iter().find(|declared| declared.element == name);
    declared.map_or("", |declared| &declared.action)
}
