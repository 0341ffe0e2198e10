//! The services that the W3C's SOAP 1.2 test collection calls (its sections 3.2 to 3.4), and what it
//! expects them to answer.

use std::path::Path;

use castile_codec::{Code, DecodeOptions, Envelope, Fault, HeaderBlock, Limits};
use castile_contract::files::FileResolver;
use castile_contract::{Loaded, ResolveError, Resolver};
use castile_endpoint::{Answer, Call, Handler, Headers, Nothing, Trouble};
use castile_plan::Types;
use castile_value::{Record, Value, ValueSink};
use castile_xml::{Reader, Token};

use super::echo::Echo;

/// The namespace of the tests.
const TESTS: &str = "http://example.org/ts-tests";

/// The roles of node C, which answers.
pub(super) fn roles() -> Vec<String> {
    vec![format!("{TESTS}/C")]
}

/// The header blocks that the handler looks for itself.
pub(super) fn understood() -> Vec<String> {
    let blocks = [
        "echoOk",
        "requiredHeader",
        "echoResolvedRef",
        "validateCountryCode",
    ];
    blocks.iter().map(|local| format!("{{{TESTS}}}{local}")).collect()
}

/// Reads the WSDL without its declarations of the header `Unknown`: they let clients send what no service of
/// the tests knows.
pub(super) struct WithoutUnknown;

impl Resolver for WithoutUnknown {
    fn load(&self, location: &str) -> Result<Loaded, ResolveError> {
        let mut loaded = FileResolver::new().load(location)?;
        let text = String::from_utf8_lossy(&loaded.bytes).into_owned();
        let known = |line: &&str| !(line.contains("soap12:header") && line.contains("part=\"Unknown\""));
        loaded.bytes = text
            .lines()
            .filter(known)
            .collect::<Vec<_>>()
            .join("\n")
            .into_bytes();
        Ok(loaded)
    }
}

/// The answer that is expected of a case: what PHP answered, but a fault as the collection itself has it,
/// which Axis2 keeps for most cases, one of them no fault that can be read.
pub(super) fn response(folder: &Path, case: &str) -> Option<String> {
    let php = std::fs::read_to_string(folder.join(format!("php/{case}.response.xml"))).ok()?;
    let number = case
        .strip_prefix("T0")
        .map_or(case.to_owned(), |rest| format!("T{rest}"));
    let own = std::fs::read_to_string(folder.join(format!("axis2/SOAP12Res{number}.xml")));
    let fault = own.ok().filter(|text| {
        let read = Envelope::open(text, &Limits::default())
            .and_then(|envelope| envelope.decode_fault(&Types::default(), None, &DecodeOptions::default()));
        read.is_ok()
    });
    Some(fault.unwrap_or(php))
}

/// The node that answers.
pub(super) struct NodeC;

impl Handler for NodeC {
    fn handle(&self, call: Call<'_>) -> Result<Answer, Trouble> {
        let roles = roles();
        let ours = call.headers().iter().filter(|block| block.is_for(&roles));
        let mut required = None;
        let mut raw = Vec::new();
        for block in ours.filter(|block| block.name.namespace == TESTS) {
            let text = text_of(block);
            match &*block.name.local {
                "echoOk" => raw.push(element("responseOk", &text)),
                "echoResolvedRef" => raw.push(element("responseResolvedRef", &resolved(block))),
                "requiredHeader" => required = Some(text),
                "validateCountryCode" if text.len() != 2 => return Err(no_country().into()),
                _ => {}
            }
        }
        let compute: fn(&Record, Option<String>) -> Option<Value> = match &*call.operation().name {
            "emptyBody" => |_, _| Some(Value::Absent),
            "echoOk" => |given, _| given.values().first().cloned(),
            "echoHeader" => |_, required| required.map(Value::from),
            "isNil" => |given, _| Some(given.values().first().is_none_or(is_none).into()),
            "countItems" => {
                |given, _| Some((given.values().first()?.clone().into_list().len() as i64).into())
            }
            _ => return Echo.handle(call),
        };
        let Some((header, args)) = call.arguments() else {
            return Ok(Answer::default());
        };
        let types = call.service().types().clone();
        let sink = |id| ValueSink::new(types.shape(id).clone());
        let (mut header, mut given) = (sink(header), sink(args));
        let replier = call.decode(&mut header, &mut given)?;
        let value = compute(&given.finish(), required);
        let value = value.ok_or_else(|| Fault::new(Code::Sender, "what is asked for is missing"))?;
        let Some((_, result)) = replier.result() else {
            return Ok(Answer::default());
        };
        let mut record = Record::new(types.shape(result).clone());
        if let Some(slot) = record.values_mut().first_mut() {
            *slot = value;
        }
        let headers = Headers {
            typed: &Nothing,
            raw: &raw,
        };
        Ok(replier.reply(&headers, &record)?)
    }
}

fn is_none(value: &Value) -> bool {
    matches!(value, Value::Nil | Value::Absent)
}

/// 3.2.9: a country has two letters; what is wrong with a header stands in a header (3.2.10).
fn no_country() -> Fault {
    let why = "Country code must be 2 letters.";
    let mut fault = Fault::new(Code::Sender, "Not a valid country code");
    fault.headers.push(element("validateCountryCodeFault", why));
    fault
}

fn element(local: &str, text: &str) -> String {
    let mut escaped = Vec::new();
    castile_xml::escape_text(text, &mut escaped);
    let text = String::from_utf8_lossy(&escaped).into_owned();
    format!("<t:{local} xmlns:t=\"{TESTS}\">{text}</t:{local}>")
}

fn text_of(block: &HeaderBlock) -> String {
    let mut reader = Reader::new(&block.xml);
    let mut text = String::new();
    while let Ok(token) = reader.next() {
        match token {
            Token::Text(part) => text.push_str(&part),
            Token::Eof => break,
            _ => {}
        }
    }
    text.trim().to_owned()
}

/// 3.2.12: the reference of `RelativeReference`, resolved; its base ends with a slash.
fn resolved(block: &HeaderBlock) -> String {
    let mut reader = Reader::new(&block.xml);
    while let Ok(token) = reader.next() {
        let attribute = |local: &str| {
            let found = reader.attributes().iter().find(|a| a.name.local == local);
            found.map(|a| a.value.to_string()).unwrap_or_default()
        };
        match token {
            Token::Start { name, .. } if name.local == "RelativeReference" => {
                return attribute("base") + &attribute("href");
            }
            Token::Eof => break,
            _ => {}
        }
    }
    String::new()
}
