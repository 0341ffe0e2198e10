//! The SOAP headers of CWMP (TR-069 Amendment 6, 3.4.7).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use castile_codec::{
    Code, Fault, Found, HeaderBlock, Layer, Memory, Name, NoRandomness, Received, Refusal, Sending,
};

use super::{INFORM, NAMESPACE};
use crate::addressing::text;

/// Adds the headers of one role to its requests and replies, and reads the peer's.
#[derive(Debug)]
pub(super) struct Headers {
    /// Of the version in use.
    pub(super) namespace: String,
    /// The number of the next request.
    pub(super) next: AtomicU64,
    /// Whether the peer holds requests back, as its last message said.
    pub(super) held: Arc<AtomicBool>,
    /// As an ACS: whether devices hold their requests back from the start.
    pub(super) hold: bool,
    /// As a device: the seconds that the ACS may take between messages.
    pub(super) session_timeout: Option<u32>,
    /// As a device: the versions it speaks, such as `1.0,1.1,1.2`.
    pub(super) versions: Option<String>,
}

/// What a server remembers of a request.
struct Asked {
    id: Option<String>,
    /// The versions that the device says it speaks.
    versions: Option<String>,
}

/// The versions that use one namespace, the last first.
const VERSIONS: [&str; 5] = ["1.4", "1.3", "1.2", "1.1", "1.0"];

const KNOWN: [&str; 6] = [
    "ID",
    "HoldRequests",
    "NoMoreRequests",
    "SessionTimeout",
    "SupportedCWMPVersions",
    "UseCWMPVersion",
];

impl Headers {
    pub(super) fn new(namespace: &str) -> Headers {
        Headers {
            namespace: namespace.to_owned(),
            next: AtomicU64::new(1),
            held: Arc::default(),
            hold: false,
            session_timeout: None,
            versions: None,
        }
    }

    fn block(&self, name: &str, understand: bool, text: &str) -> String {
        let mut block = format!(
            "<cwmp:{name} xmlns:cwmp=\"{}\" xmlns:S=\"{}\" S:mustUnderstand=\"{}\">",
            self.namespace,
            castile_codec::Version::Soap11.namespace(),
            u8::from(understand),
        )
        .into_bytes();
        castile_xml::escape_text(text, &mut block);
        block.extend(format!("</cwmp:{name}>").into_bytes());
        String::from_utf8_lossy(&block).into_owned()
    }

    fn hear(&self, blocks: &[HeaderBlock]) {
        let held = find(blocks, "HoldRequests").is_some_and(|text| matches!(&*text, "1" | "true"));
        self.held.store(held, Ordering::Relaxed);
    }
}

/// The text of a block of any version.
fn find(blocks: &[HeaderBlock], local: &str) -> Option<String> {
    let is = |b: &&HeaderBlock| b.name.local == local && b.name.namespace.starts_with(NAMESPACE);
    blocks.iter().find(is).and_then(text)
}

impl Layer for Headers {
    fn understands(&self, name: &Name) -> bool {
        name.namespace.starts_with(NAMESPACE) && KNOWN.contains(&&*name.local)
    }

    fn request(&self, request: &Sending<'_>, blocks: &mut Vec<String>) -> Result<Memory, NoRandomness> {
        let id = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        blocks.push(self.block("ID", true, &id));
        if request.operation == INFORM {
            if let Some(seconds) = self.session_timeout {
                blocks.push(self.block("SessionTimeout", false, &seconds.to_string()));
            }
            if let Some(versions) = &self.versions {
                blocks.push(self.block("SupportedCWMPVersions", false, versions));
            }
        }
        Ok(Some(Box::new(id)))
    }

    fn check_reply(&self, memory: &Memory, reply: &Received<'_>) -> Result<(), Refusal> {
        self.hear(reply.blocks);
        let sent = memory.as_ref().and_then(|m| m.downcast_ref::<String>());
        match (sent, find(reply.blocks, "ID")) {
            (Some(sent), Some(came)) if *sent != came => {
                let text = format!("its cwmp:ID is {came:?}, and that of the request is {sent:?}");
                Err(Fault::new(Code::Sender, text).into())
            }
            // Many devices leave it out.
            _ => Ok(()),
        }
    }

    fn check_request(
        &self,
        request: &Received<'_>,
        _found: &mut Found,
        memory: &mut Memory,
    ) -> Result<(), Refusal> {
        self.hear(request.blocks);
        *memory = Some(Box::new(Asked {
            id: find(request.blocks, "ID"),
            versions: find(request.blocks, "SupportedCWMPVersions"),
        }));
        Ok(())
    }

    fn reply(
        &self,
        memory: &Memory,
        reply: &Sending<'_>,
        blocks: &mut Vec<String>,
    ) -> Result<(), NoRandomness> {
        let Some(asked) = memory.as_ref().and_then(|m| m.downcast_ref::<Asked>()) else {
            return Ok(());
        };
        if let Some(id) = &asked.id {
            blocks.push(self.block("ID", true, id));
        }
        if reply.operation != INFORM || reply.fault.is_some() {
            return Ok(());
        }
        if self.hold {
            blocks.push(self.block("HoldRequests", true, "1"));
        }
        let spoken = asked.versions.as_deref().unwrap_or_default();
        let speaks = |version: &&&str| spoken.split(',').any(|s| s.trim() == **version);
        if let Some(version) = VERSIONS.iter().find(speaks) {
            blocks.push(self.block("UseCWMPVersion", true, version));
        }
        Ok(())
    }
}
