//! The client's side of WS-Addressing.

use std::sync::Arc;

use castile_codec::{Code, Fault, Layer, Memory, Name, NoRandomness, Received, Refusal, Sending, Version};

use super::callbacks::{Callbacks, Ticket};
use super::message_id;
use super::read::{self, Properties};
use super::reference::EndpointReference;
use super::version::AddressingVersion;

/// Settings of [`Addressing`].
#[derive(Clone, Debug, Default)]
pub struct AddressingOptions {
    /// The version that requests speak. Default 1.0.
    pub version: AddressingVersion,
    /// The endpoint to send to: its address stands in `To` instead of that of the client, and its
    /// parameters go along. Where the bytes go is still the client's endpoint.
    pub to: Option<EndpointReference>,
    /// Who sends.
    pub from: Option<EndpointReference>,
    /// Where replies go. Default: back over the connection.
    pub reply_to: Option<EndpointReference>,
    /// Where faults go. Default: where replies go.
    pub fault_to: Option<EndpointReference>,
    /// Takes the replies: `ReplyTo` is then its address, and a call waits for its reply there.
    pub callbacks: Option<Arc<Callbacks>>,
    /// Whether the peer must refuse the message when it does not know WS-Addressing. Default false.
    pub must_understand: bool,
    /// Whether a reply must say which request it belongs to. Default false: one that says so must say
    /// the right one.
    pub reply_required: bool,
}

/// WS-Addressing of a client.
#[derive(Debug, Default)]
pub struct Addressing {
    options: AddressingOptions,
}

/// What a call remembers until its reply comes.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) id: String,
    /// Where the reply comes, when it does not come back.
    pub(crate) ticket: Option<Arc<Ticket>>,
}

impl Addressing {
    /// A layer.
    pub fn new(options: AddressingOptions) -> Self {
        Addressing { options }
    }

    fn references(&self, one_way: bool) -> Vec<(&'static str, EndpointReference)> {
        let AddressingOptions {
            version,
            from,
            reply_to,
            fault_to,
            callbacks,
            ..
        } = &self.options;
        let listening = callbacks.as_ref().map(|c| EndpointReference::new(c.url()));
        let reply_to = reply_to.clone().or(listening);
        // The submission asks for it wherever there is a reply; 1.0 has it as the default.
        let reply_to = reply_to.or_else(|| (!one_way).then(|| EndpointReference::new(version.anonymous())));
        [
            ("From", from.clone()),
            ("ReplyTo", reply_to),
            ("FaultTo", fault_to.clone()),
        ]
        .into_iter()
        .filter_map(|(name, reference)| Some((name, reference?)))
        .collect()
    }
}

impl Layer for Addressing {
    fn understands(&self, name: &Name) -> bool {
        AddressingVersion::from_namespace(&name.namespace).is_some()
    }

    fn request(&self, request: &Sending<'_>, blocks: &mut Vec<String>) -> Result<Memory, NoRandomness> {
        let options = &self.options;
        let version = options.version;
        let id = message_id(request.world)?;
        let must = options.must_understand.then_some(request.version);
        let to = options.to.as_ref().map_or(request.to, |to| &to.address);
        blocks.push(block(version, must, "Action", request.action));
        blocks.push(block(version, None, "MessageID", &id));
        blocks.push(block(version, must, "To", to));
        for (name, reference) in self.references(request.one_way) {
            blocks.push(reference.to_xml(name, version));
        }
        if let Some(to) = &options.to {
            blocks.extend(to.header_blocks(version));
        }
        let callbacks = options.callbacks.as_ref().filter(|_| !request.one_way);
        let ticket = callbacks.map(|callbacks| callbacks.expect(&id));
        Ok(Some(Box::new(Asked { id, ticket })))
    }

    fn check_reply(&self, memory: &Memory, reply: &Received<'_>) -> Result<(), Refusal> {
        let Some(asked) = memory.as_ref().and_then(|m| m.downcast_ref::<Asked>()) else {
            return Ok(());
        };
        let mut found = Properties::default();
        read::properties(reply.blocks, &mut found)?;
        let version = found.version;
        let mut related = found
            .relates_to
            .iter()
            .filter(|(_, relationship)| version.is_reply(relationship.as_deref()))
            .peekable();
        let none = related.peek().is_none();
        if (none && !self.options.reply_required) || related.any(|(id, _)| *id == asked.id) {
            return Ok(());
        }
        let text = match none {
            true => "the reply does not say which request it belongs to",
            false => "the reply belongs to another request",
        };
        Err(Fault::new(Code::Sender, text).into())
    }
}

/// A header block with a text; `must` is the version of SOAP whose `mustUnderstand` it has.
pub(super) fn block(version: AddressingVersion, must: Option<Version>, name: &str, text: &str) -> String {
    let mut out = format!("<a:{name} xmlns:a=\"{}\"", version.namespace()).into_bytes();
    if let Some(soap) = must {
        out.extend(format!(" xmlns:S=\"{}\" S:mustUnderstand=\"1\"", soap.namespace()).into_bytes());
    }
    out.push(b'>');
    castile_xml::escape_text(text, &mut out);
    out.extend(format!("</a:{name}>").into_bytes());
    String::from_utf8_lossy(&out).into_owned()
}
