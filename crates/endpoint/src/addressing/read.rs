//! The addressing headers of a message that came.

use castile_codec::{HeaderBlock, Refusal};
use castile_xml::{Reader, Token};

use super::fault::{invalid, required};
use super::reference::EndpointReference;
use super::version::AddressingVersion;

/// What the headers of one message say (WS-Addressing 1.0 Core, 3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Properties {
    pub(super) version: AddressingVersion,
    pub(super) action: Option<String>,
    pub(super) message_id: Option<String>,
    pub(super) to: Option<String>,
    pub(super) from: Option<EndpointReference>,
    pub(super) reply_to: Option<EndpointReference>,
    pub(super) fault_to: Option<EndpointReference>,
    /// Ids, with the relationship when it is another than reply.
    pub(super) relates_to: Vec<(String, Option<String>)>,
}

/// The names that may stand once.
const SINGLE: [&str; 6] = ["Action", "MessageID", "To", "From", "ReplyTo", "FaultTo"];

/// The action that a message names; nothing is checked.
pub(crate) fn action(blocks: &[HeaderBlock]) -> Option<String> {
    let is = |b: &&HeaderBlock| {
        b.name.local == "Action" && AddressingVersion::from_namespace(&b.name.namespace).is_some()
    };
    blocks.iter().find(is).and_then(text).filter(|a| !a.is_empty())
}

/// Reads the headers into `found`, as far as they are right; `false` when there are none at all.
///
/// # Errors
/// A header stands twice, or is not what it must be.
pub(super) fn properties(blocks: &[HeaderBlock], found: &mut Properties) -> Result<bool, Refusal> {
    let version = |b: &HeaderBlock| AddressingVersion::from_namespace(&b.name.namespace);
    let ours = |b: &&HeaderBlock| b.is_for(&[]) && version(b).is_some();
    let Some(first) = blocks.iter().find(ours).and_then(version) else {
        return Ok(false);
    };
    found.version = first;
    let ours: Vec<&HeaderBlock> = blocks
        .iter()
        .filter(|b| b.is_for(&[]) && version(b) == Some(first))
        .collect();
    // The id first: a refusal tells which message it refuses.
    let named = |name: &str| ours.iter().filter(|b| b.name.local == name).collect::<Vec<_>>();
    if let [id] = named("MessageID")[..] {
        found.message_id = text(id).filter(|id| !id.is_empty());
    }
    for name in SINGLE {
        if named(name).len() > 1 {
            return Err(invalid(
                first,
                "InvalidCardinality",
                name,
                "it stands more than once",
            ));
        }
    }
    for block in &ours {
        property(found, block)?;
    }
    Ok(true)
}

fn property(found: &mut Properties, block: &HeaderBlock) -> Result<(), Refusal> {
    let version = found.version;
    let name = &*block.name.local;
    let empty = || invalid(version, "InvalidAddress", name, "it is empty");
    let word = || text(block).filter(|t| !t.is_empty()).ok_or_else(empty);
    let reference = || {
        EndpointReference::parse(&block.xml)
            .map_err(|e| invalid(version, "MissingAddressInEPR", name, &e.to_string()))
    };
    match name {
        "Action" => found.action = Some(word()?),
        "MessageID" => found.message_id = Some(word()?),
        "To" => found.to = Some(word()?),
        "From" => found.from = Some(reference()?),
        "ReplyTo" => found.reply_to = Some(reference()?),
        "FaultTo" => found.fault_to = Some(reference()?),
        "RelatesTo" => found.relates_to.push((word()?, relationship(block))),
        _ => {}
    }
    Ok(())
}

impl Properties {
    /// The action, which every message must have.
    pub(super) fn required_action(&self) -> Result<&str, Refusal> {
        self.action
            .as_deref()
            .ok_or_else(|| required(self.version, "Action"))
    }
}

/// The text of a block, white space around it left out; `None` when it has elements.
pub(crate) fn text(block: &HeaderBlock) -> Option<String> {
    let mut reader = Reader::new(&block.xml);
    let (mut text, mut inside) = (String::new(), false);
    loop {
        match reader.next().ok()? {
            Token::Start { .. } if inside => return None,
            Token::Start { .. } => inside = true,
            Token::Text(more) => text.push_str(&more),
            Token::End { .. } | Token::Eof => return Some(text.trim().to_owned()),
            _ => {}
        }
    }
}

fn relationship(block: &HeaderBlock) -> Option<String> {
    let mut reader = Reader::new(&block.xml);
    while !matches!(reader.next().ok()?, Token::Start { .. }) {}
    let found = reader
        .attributes()
        .iter()
        .find(|a| a.name.local == "RelationshipType");
    found.map(|a| a.value.trim().to_owned())
}
