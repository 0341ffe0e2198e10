//! The W3C's patterns for databinding: each SOAP message decoded, encoded again, and the same.

use castile_codec::{DecodeOptions, EncodeOptions, Envelope, Limits, encode};
use castile_contract::{Contract, Operation};
use castile_plan::{ComplexId, Plan};
use castile_testkit::difference;
use castile_testkit::reference::canonical;
use castile_value::{Value, ValueSink};

use super::{Suite, Test};
use crate::corpus::Corpus;

const FOLDER: &str = "soap-interop/w3c-databinding";

/// Runs every message of SOAP 1.1 and 1.2.
pub(crate) fn run(corpus: &Corpus) -> Suite {
    let mut suite = Suite::new("W3C databinding patterns", include_str!("../../databinding.tsv"));
    let folder = corpus.path(FOLDER);
    let contract = corpus.load_at(&folder.join("examples.wsdl"));
    let folders = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let files = folders.flat_map(|f| std::fs::read_dir(f.path()).into_iter().flatten().flatten());
    for path in files.map(|f| f.path()) {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let soap = ["-soap11.xml", "-soap12.xml"]
            .iter()
            .any(|end| name.ends_with(end));
        let Some(text) = std::fs::read_to_string(&path).ok().filter(|_| soap) else {
            continue;
        };
        let failure = match &contract {
            Ok(contract) => round(contract, &text).err(),
            Err(e) => Some(e.to_string()),
        };
        suite.push(Test {
            class: "messages",
            name,
            failure,
        });
    }
    suite
}

fn round(contract: &Contract, text: &str) -> Result<(), String> {
    let envelope = Envelope::open(text, &Limits::default()).map_err(|e| e.to_string())?;
    let version = envelope.version();
    let types = &contract.types;
    let plan = plan(contract, &envelope).ok_or("no operation has such a body")?;
    let sink = |id: ComplexId| ValueSink::new(types.shape(id).clone());
    let (mut header, mut body) = (sink(plan.header), sink(plan.body));
    let options = DecodeOptions::default();
    let read = envelope.decode(types, plan, &options, &mut header, &mut body);
    read.map_err(|e| format!("decoding: {e}"))?;
    let (header, body) = (header.finish(), body.finish());
    let mut out = Vec::new();
    let options = EncodeOptions::default();
    encode(types, plan, version, &header, &body, &options, &mut out).map_err(|e| format!("encoding: {e}"))?;
    let again = String::from_utf8_lossy(&out);
    let (before, after) = (body_of(text), body_of(&again));
    let same = before == after || {
        let envelope = Envelope::open(&again, &Limits::default()).map_err(|e| e.to_string())?;
        let (mut header, mut second) = (sink(plan.header), sink(plan.body));
        let options = DecodeOptions::default();
        let read = envelope.decode(types, plan, &options, &mut header, &mut second);
        read.map_err(|e| format!("decoding again: {e}"))?;
        let second = second.finish();
        difference(&Value::Record(body), &Value::Record(second)).is_none()
            && skeleton(&before) == skeleton(&after)
    };
    if same {
        Ok(())
    } else {
        Err(format!("{before} became {after}"))
    }
}

/// Elements and attributes without their values, which may be written in another form.
fn skeleton(text: &str) -> String {
    let tags = text
        .split('<')
        .map(|part| part.split_once('>').map_or("", |(tag, _)| tag));
    let bare = |tag: &str| tag.split('"').step_by(2).collect::<String>();
    tags.map(bare).collect::<Vec<_>>().join("<")
}

fn plan<'c>(contract: &'c Contract, envelope: &Envelope<'_>) -> Option<&'c Plan> {
    let first = envelope.first()?;
    let operations = contract.bindings.iter().flat_map(|b| &b.operations);
    let plans = operations.flat_map(|o: &Operation| o.input.iter().chain(&o.output));
    let fits = |plan: &&Plan| {
        let field = contract.types.complex(plan.body).fields.first();
        field.is_some_and(|f| *f.wire.local == *first.local)
    };
    plans.into_iter().find(fits)
}

/// The body in one form, without white space between tags.
fn body_of(envelope: &str) -> String {
    let text = canonical(envelope);
    let inside = text
        .split_once("<Body>")
        .and_then(|(_, rest)| rest.rsplit_once("</Body>"));
    let inside = inside.map_or("", |(inside, _)| inside.trim());
    let parts: Vec<&str> = inside.split('>').collect();
    let cut = |part: &&str| match part.split_once('<') {
        Some((text, tag)) if text.trim().is_empty() => format!("<{tag}"),
        _ => (*part).to_owned(),
    };
    parts.iter().map(cut).collect::<Vec<_>>().join(">")
}
