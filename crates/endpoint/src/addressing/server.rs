//! The server's side of WS-Addressing.

use castile_codec::{Fault, Found, Layer, Memory, Name, NoRandomness, Received, Refusal, Route, Sending};

use super::client::block;
use super::fault::{invalid, required, unsupported};
use super::message_id;
use super::read::{self, Properties};
use super::reference::EndpointReference;
use super::version::AddressingVersion;

/// Where replies may be sent to, when a caller asks for another place than its own connection. A
/// server that sends anywhere can be used against others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Elsewhere {
    /// Nowhere: such requests are refused (`OnlyAnonymousAddressSupported`).
    #[default]
    Refused,
    /// To these hosts, as `host` or `host:port`.
    Hosts(Vec<String>),
    /// Anywhere.
    Anywhere,
}

/// Settings of [`AddressingService`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressingServiceOptions {
    /// Whether requests without addressing headers are refused. Default false.
    pub required: bool,
    /// Where replies may go.
    pub elsewhere: Elsewhere,
}

/// WS-Addressing of a server.
#[derive(Debug, Default)]
pub struct AddressingService {
    options: AddressingServiceOptions,
}

impl AddressingService {
    /// A layer.
    pub fn new(options: AddressingServiceOptions) -> Self {
        AddressingService { options }
    }

    fn check(&self, request: &Received<'_>, found: &mut Found, asked: &Properties) -> Result<(), Refusal> {
        let version = asked.version;
        let action = asked.required_action()?;
        // SOAP Binding, 2: an action of the transport that is there must be the same.
        if request
            .action
            .is_some_and(|other| !other.is_empty() && other != action)
        {
            let text = "the SOAPAction is another";
            return Err(invalid(version, "ActionMismatch", "Action", text));
        }
        if !request.expected.is_empty() && !request.expected.contains(&action) {
            return Err(unsupported(version, action).into());
        }
        found.reply = self.route(version, "ReplyTo", asked.reply_to.as_ref())?;
        found.fault = match &asked.fault_to {
            Some(to) => self.route(version, "FaultTo", Some(to))?,
            None => found.reply.clone(),
        };
        if asked.message_id.is_none() && !request.one_way {
            return Err(required(version, "MessageID"));
        }
        Ok(())
    }

    fn route(
        &self,
        version: AddressingVersion,
        header: &str,
        to: Option<&EndpointReference>,
    ) -> Result<Route, Refusal> {
        let Some(to) = to.map(|to| &*to.address).filter(|a| *a != version.anonymous()) else {
            return Ok(Route::Back);
        };
        if Some(to) == version.nowhere() {
            return Ok(Route::Nowhere);
        }
        let url = url::Url::parse(to)
            .ok()
            .filter(|u| matches!(u.scheme(), "http" | "https"));
        let Some(url) = url else {
            return Err(invalid(
                version,
                "InvalidAddress",
                header,
                "its address is no http(s) URL",
            ));
        };
        let host = url.host_str().unwrap_or_default();
        let allowed = match &self.options.elsewhere {
            Elsewhere::Refused => false,
            Elsewhere::Anywhere => true,
            Elsewhere::Hosts(hosts) => hosts.iter().any(|allowed| {
                let port = url.port_or_known_default();
                allowed == host || port.is_some_and(|port| *allowed == format!("{host}:{port}"))
            }),
        };
        match allowed {
            true => Ok(Route::To(to.to_owned())),
            false => Err(invalid(
                version,
                "OnlyAnonymousAddressSupported",
                header,
                "replies go back over the connection only",
            )),
        }
    }
}

impl Layer for AddressingService {
    fn understands(&self, name: &Name) -> bool {
        AddressingVersion::from_namespace(&name.namespace).is_some()
    }

    fn check_request(
        &self,
        request: &Received<'_>,
        found: &mut Found,
        memory: &mut Memory,
    ) -> Result<(), Refusal> {
        let mut asked = Properties::default();
        let read = read::properties(request.blocks, &mut asked);
        if matches!(read, Ok(false)) {
            return match self.options.required {
                true => Err(required(AddressingVersion::V10, "Action")),
                false => Ok(()),
            };
        }
        let checked = read.and_then(|_| self.check(request, found, &asked));
        *memory = Some(Box::new(asked));
        checked
    }

    fn reply(
        &self,
        memory: &Memory,
        reply: &Sending<'_>,
        blocks: &mut Vec<String>,
    ) -> Result<(), NoRandomness> {
        let Some(asked) = memory.as_ref().and_then(|m| m.downcast_ref::<Properties>()) else {
            return Ok(());
        };
        let version = asked.version;
        let action = match reply.fault {
            Some(fault) if reply.action.is_empty() => fault_action(version, fault),
            _ => reply.action,
        };
        blocks.push(block(version, None, "Action", action));
        blocks.push(block(version, None, "MessageID", &message_id(reply.world)?));
        if let Some(id) = &asked.message_id {
            blocks.push(block(version, None, "RelatesTo", id));
        }
        let target = match reply.fault {
            Some(_) => asked.fault_to.as_ref().or(asked.reply_to.as_ref()),
            None => asked.reply_to.as_ref(),
        };
        if let Some(target) = target {
            blocks.push(block(version, None, "To", &target.address));
            blocks.extend(target.header_blocks(version));
        }
        Ok(())
    }
}

fn fault_action(version: AddressingVersion, fault: &Fault) -> &'static str {
    let ours = fault
        .subcodes
        .first()
        .is_some_and(|code| code.namespace == version.namespace());
    if ours {
        version.fault_action()
    } else {
        version.soap_fault_action()
    }
}
