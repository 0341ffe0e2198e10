//! The header blocks of X-Road (message protocol 4.0): who calls whom, in whose name, under which id.
//!
//! [`XRoad`] adds them to every call of a client and checks that the reply is one to this request;
//! [`XRoadService`] asks for them and repeats them in the reply, as a service must.

use castile_codec::{
    Code, Fault, Found, HeaderBlock, Layer, Memory, Name, NoRandomness, Received, Refusal, Sending,
};

use crate::addressing::message_id;
use crate::error::{Error, Guilty, Kind};

const XROAD: &str = "http://x-road.eu/xsd/xroad.xsd";
const IDENTIFIERS: &str = "http://x-road.eu/xsd/identifiers";

/// A member of X-Road, or a subsystem of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The instance, such as `EE`.
    pub instance: String,
    /// The class, such as `GOV`.
    pub class: String,
    /// The code in the class.
    pub code: String,
    /// The subsystem.
    pub subsystem: Option<String>,
}

impl Member {
    /// Reads the usual notation, `INSTANCE/CLASS/CODE` or `INSTANCE/CLASS/CODE/SUBSYSTEM`.
    ///
    /// # Errors
    /// The text has another number of parts, or an empty one.
    pub fn parse(text: &str) -> Result<Member, Error> {
        let parts: Vec<&str> = text.split('/').collect();
        let (instance, class, code, subsystem) = match parts[..] {
            [instance, class, code] => (instance, class, code, None),
            [instance, class, code, subsystem] => (instance, class, code, Some(subsystem)),
            _ => return Err(no_member(text)),
        };
        if parts.contains(&"") {
            return Err(no_member(text));
        }
        Ok(Member {
            instance: instance.to_owned(),
            class: class.to_owned(),
            code: code.to_owned(),
            subsystem: subsystem.map(str::to_owned),
        })
    }
}

fn no_member(text: &str) -> Error {
    let text =
        format!("{text:?} is no member of X-Road: INSTANCE/CLASS/CODE, and /SUBSYSTEM for a subsystem");
    Error::new(Kind::Value, Guilty::Caller, text)
}

/// Settings of [`XRoad`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XRoadOptions {
    /// Who calls.
    pub client: Member,
    /// Who is called.
    pub service: Member,
    /// The code of the service; `None`: the name of the operation.
    pub service_code: Option<String>,
    /// The version of the service, such as `v1`.
    pub service_version: Option<String>,
    /// In whose name, such as `EE37702211234`.
    pub user_id: String,
    /// The case on account of which is called.
    pub issue: Option<String>,
}

/// X-Road's headers of a client.
#[derive(Clone, Debug)]
pub struct XRoad {
    options: XRoadOptions,
}

impl XRoad {
    /// A layer.
    pub fn new(options: XRoadOptions) -> Self {
        XRoad { options }
    }
}

impl Layer for XRoad {
    fn understands(&self, name: &Name) -> bool {
        name.namespace == XROAD
    }

    fn request(&self, request: &Sending<'_>, blocks: &mut Vec<String>) -> Result<Memory, NoRandomness> {
        let options = &self.options;
        let id = message_id(request.world)?;
        let code = options.service_code.as_deref().unwrap_or(request.operation);
        let service = [
            ("serviceCode", Some(code)),
            ("serviceVersion", options.service_version.as_deref()),
        ];
        let kind = |member: &Member| match member.subsystem {
            Some(_) => "SUBSYSTEM",
            None => "MEMBER",
        };
        blocks.push(member("client", kind(&options.client), &options.client, &[]));
        blocks.push(member("service", "SERVICE", &options.service, &service));
        blocks.push(text("id", &id));
        blocks.push(text("userId", &options.user_id));
        if let Some(issue) = &options.issue {
            blocks.push(text("issue", issue));
        }
        blocks.push(text("protocolVersion", "4.0"));
        Ok(Some(Box::new(id)))
    }

    fn check_reply(&self, memory: &Memory, reply: &Received<'_>) -> Result<(), Refusal> {
        let id = memory.as_ref().and_then(|m| m.downcast_ref::<String>());
        let came = reply.blocks.iter().find(|b| is(b, "id")).map(value);
        match (id, came) {
            (Some(id), Some(came)) if came != *id => {
                Err(Fault::new(Code::Sender, "the reply has the X-Road id of another request").into())
            }
            // A security server that cannot reach the service answers with a bare fault.
            (Some(_), None) if !reply.is_fault => {
                Err(Fault::new(Code::Sender, "the reply has no X-Road id").into())
            }
            _ => Ok(()),
        }
    }
}

/// X-Road's headers of a service.
#[derive(Clone, Copy, Debug, Default)]
pub struct XRoadService;

impl Layer for XRoadService {
    fn understands(&self, name: &Name) -> bool {
        name.namespace == XROAD
    }

    fn check_request(
        &self,
        request: &Received<'_>,
        _found: &mut Found,
        memory: &mut Memory,
    ) -> Result<(), Refusal> {
        let ours = request.blocks.iter().filter(|b| b.name.namespace == XROAD);
        let blocks: Vec<String> = ours.map(|b| b.xml.clone()).collect();
        *memory = Some(Box::new(blocks));
        for name in ["client", "service", "id", "userId", "protocolVersion"] {
            match request.blocks.iter().filter(|b| is(b, name)).count() {
                1 => {}
                0 => {
                    return Err(refuse(format!(
                        "the X-Road header {name} is required and is not there"
                    )));
                }
                _ => return Err(refuse(format!("the X-Road header {name} stands more than once"))),
            }
        }
        let version = request
            .blocks
            .iter()
            .find(|b| is(b, "protocolVersion"))
            .map(value);
        match version.as_deref() {
            Some("4.0") => Ok(()),
            other => Err(refuse(format!(
                "the X-Road protocol is 4.0, not {}",
                other.unwrap_or_default()
            ))),
        }
    }

    fn reply(&self, memory: &Memory, _: &Sending<'_>, blocks: &mut Vec<String>) -> Result<(), NoRandomness> {
        let asked = memory.as_ref().and_then(|m| m.downcast_ref::<Vec<String>>());
        blocks.extend(asked.into_iter().flatten().cloned());
        Ok(())
    }
}

fn refuse(text: String) -> Refusal {
    Fault::new(Code::Sender, text).into()
}

fn is(block: &HeaderBlock, name: &str) -> bool {
    block.name.namespace == XROAD && block.name.local == name
}

/// The text of a block.
fn value(block: &HeaderBlock) -> String {
    crate::addressing::text(block).unwrap_or_default()
}

fn text(name: &str, value: &str) -> String {
    let mut out = format!("<x:{name} xmlns:x=\"{XROAD}\">").into_bytes();
    castile_xml::escape_text(value, &mut out);
    out.extend(format!("</x:{name}>").into_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

fn member(name: &str, kind: &str, member: &Member, more: &[(&str, Option<&str>)]) -> String {
    let mut out = format!("<x:{name} xmlns:x=\"{XROAD}\" xmlns:i=\"{IDENTIFIERS}\" i:objectType=\"{kind}\">")
        .into_bytes();
    let parts = [
        ("xRoadInstance", Some(&*member.instance)),
        ("memberClass", Some(&*member.class)),
        ("memberCode", Some(&*member.code)),
        ("subsystemCode", member.subsystem.as_deref()),
    ];
    for (name, value) in parts.iter().chain(more) {
        let Some(value) = value else { continue };
        out.extend(format!("<i:{name}>").into_bytes());
        castile_xml::escape_text(value, &mut out);
        out.extend(format!("</i:{name}>").into_bytes());
    }
    out.extend(format!("</x:{name}>").into_bytes());
    String::from_utf8_lossy(&out).into_owned()
}
