//! The sequences, and how each was made.

use std::path::Path;
use std::sync::Arc;

use castile_codec::{Envelope, Limits};
use castile_contract::Contract;
use castile_plan::{Plan, Types};
use castile_testkit::{Rng, alone};

use super::Sequence;
use crate::corpus::Corpus;
use crate::traffic;

/// Messages of a sequence.
const COUNT: u64 = 24;

pub(super) fn all(corpus: &Corpus) -> Result<Vec<Sequence>, String> {
    let mut all = google(corpus)?;
    all.extend([onvif(corpus)?, cwmp(corpus)?]);
    all.extend(vsphere(corpus)?);
    Ok(all)
}

/// Both messages of a search as the paper on differential deserialization has them (rpc/encoded): ten results, and
/// other words and numbers in every value.
fn google(corpus: &Corpus) -> Result<Vec<Sequence>, String> {
    let contract = load(corpus, "googlesearch/GoogleSearch.wsdl")?;
    let sequences = [
        ("google_request", request as fn(&mut Rng) -> String),
        ("google_response", response),
    ];
    let make = |(name, message): (&'static str, fn(&mut Rng) -> String)| {
        let messages = (0..COUNT).map(|seed| message(&mut Rng::new(seed)));
        sequence(name, &contract, messages.collect())
    };
    sequences.into_iter().map(make).collect()
}

/// An element of SOAP encoding.
fn typed(name: &str, ty: &str, value: impl std::fmt::Display) -> String {
    format!("<{name} xsi:type=\"xsd:{ty}\">{value}</{name}>\n")
}

fn words(rng: &mut Rng) -> String {
    format!("some words and the number {}", rng.below(1 << 30))
}

/// A body of the message that is called so.
fn search(name: &str, content: &str) -> String {
    format!(
        "<?xml version='1.0' encoding='UTF-8'?>\n<SOAP-ENV:Envelope \
         xmlns:SOAP-ENV=\"http://schemas.xmlsoap.org/soap/envelope/\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\">\n\
         <SOAP-ENV:Body>\n<ns1:{name} xmlns:ns1=\"urn:GoogleSearch\" \
         SOAP-ENV:encodingStyle=\"http://schemas.xmlsoap.org/soap/encoding/\">\n{content}</ns1:{name}>\n\
         </SOAP-ENV:Body>\n</SOAP-ENV:Envelope>\n"
    )
}

fn request(rng: &mut Rng) -> String {
    let content = [
        typed("key", "string", format_args!("{:032x}", rng.below(usize::MAX))),
        typed("q", "string", words(rng)),
        typed("start", "int", rng.below(1000)),
        typed("maxResults", "int", rng.below(10)),
        typed("filter", "boolean", rng.below(2) == 0),
        typed("restrict", "string", ""),
        typed("safeSearch", "boolean", rng.below(2) == 0),
        typed("lr", "string", "lang_en"),
        typed("ie", "string", "latin1"),
        typed("oe", "string", "latin1"),
    ];
    search("doGoogleSearch", &content.concat())
}

const RESULTS: usize = 10;

fn response(rng: &mut Rng) -> String {
    let array = |name: &str, item: &str, items: &[String]| {
        format!(
            "<{name} xmlns:ns2=\"http://schemas.xmlsoap.org/soap/encoding/\" xsi:type=\"ns2:Array\" \
             ns2:arrayType=\"ns1:{item}[{}]\">\n{}</{name}>\n",
            items.len(),
            items.concat()
        )
    };
    let results: Vec<String> = (0..RESULTS).map(|_| result(rng)).collect();
    let content = [
        typed("documentFiltering", "boolean", rng.below(2) == 0),
        typed("estimatedTotalResultsCount", "int", rng.below(1 << 20)),
        array("directoryCategories", "DirectoryCategory", &[]),
        typed("searchTime", "double", rng.unit()),
        array("resultElements", "ResultElement", &results),
        typed("endIndex", "int", 10 + rng.below(90)),
        typed("searchTips", "string", ""),
        typed("searchComments", "string", words(rng)),
        typed("startIndex", "int", 1 + rng.below(9)),
        typed("estimateIsExact", "boolean", rng.below(2) == 0),
        typed("searchQuery", "string", words(rng)),
    ];
    let returned = format!(
        "<return xsi:type=\"ns1:GoogleSearchResult\">\n{}</return>\n",
        content.concat()
    );
    search("doGoogleSearchResponse", &returned)
}

fn result(rng: &mut Rng) -> String {
    let category = [
        typed("fullViewableName", "string", words(rng)),
        typed("specialEncoding", "string", ""),
    ];
    let content = [
        typed("cachedSize", "string", format_args!("{}k", 10 + rng.below(90))),
        typed("hostName", "string", words(rng)),
        typed("snippet", "string", words(rng).repeat(5)),
        format!(
            "<directoryCategory xsi:type=\"ns1:DirectoryCategory\">\n{}</directoryCategory>\n",
            category.concat()
        ),
        typed("relatedInformationPresent", "boolean", rng.below(2) == 0),
        typed("directoryTitle", "string", words(rng)),
        typed("summary", "string", words(rng)),
        typed(
            "URL",
            "string",
            format_args!("http://example.org/{}", rng.below(1 << 30)),
        ),
        typed("title", "string", words(rng)),
    ];
    format!(
        "<item xsi:type=\"ns1:ResultElement\">\n{}</item>\n",
        content.concat()
    )
}

/// Replies of a camera that is polled, written after the example of the ONVIF core specification: the time goes
/// on, a second each, and none to three notifications come, whose times, sources and states differ.
fn onvif(corpus: &Corpus) -> Result<Sequence, String> {
    let contract = load(corpus, "onvif-specs/ver10/events/wsdl/event.wsdl")?;
    let mut rng = Rng::new(11);
    let messages = (0..60 * COUNT).map(|n| {
        let time = format!("10:{:02}:{:02}", n / 60, n % 60);
        let notifications: String = (0..rng.below(4)).map(|_| notification(&time, &mut rng)).collect();
        format!(
            "<s:Envelope xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\" \
             xmlns:wsnt=\"http://docs.oasis-open.org/wsn/b-2\" xmlns:tev=\"http://www.onvif.org/ver10/events/wsdl\" \
             xmlns:tt=\"http://www.onvif.org/ver10/schema\" xmlns:tns1=\"http://www.onvif.org/ver10/topics\"><s:Body>\
             <tev:PullMessagesResponse><tev:CurrentTime>2026-11-20T{time}Z</tev:CurrentTime>\
             <tev:TerminationTime>2026-11-21T{time}Z</tev:TerminationTime>{notifications}\
             </tev:PullMessagesResponse></s:Body></s:Envelope>"
        )
    });
    sequence("onvif_pull_messages", &contract, messages.collect())
}

fn notification(time: &str, rng: &mut Rng) -> String {
    let (source, state) = (rng.below(4), rng.below(2) == 0);
    format!(
        "<wsnt:NotificationMessage><wsnt:Topic \
         Dialect=\"http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet\">tns1:VideoSource/MotionAlarm</wsnt:Topic>\
         <wsnt:Message><tt:Message UtcTime=\"2026-11-20T{time}Z\" PropertyOperation=\"Changed\"><tt:Source>\
         <tt:SimpleItem Name=\"VideoSourceConfigurationToken\" Value=\"{source}\"/></tt:Source><tt:Data>\
         <tt:SimpleItem Name=\"State\" Value=\"{state}\"/></tt:Data></tt:Message></wsnt:Message></wsnt:NotificationMessage>"
    )
}

/// The Inform that was recorded, sent again and again by the same device: the id in the header, the time and the
/// count of retries differ, and one of the parameters.
fn cwmp(corpus: &Corpus) -> Result<Sequence, String> {
    let contract = load(corpus, "cwmp-tr069/cwmp-1-2.xsd")?;
    let recorded = std::fs::read_to_string(corpus.path("messages/cwmp-freeacs/Inform.xml"));
    let recorded = recorded.map_err(|e| e.to_string())?;
    let messages = (0..COUNT).map(|n| {
        let text = recorded.replace(">1</cwmp:ID>", &format!(">{}</cwmp:ID>", n + 1));
        let text = text.replace("1970-01-02T00:08:34", &format!("1970-01-02T00:{n:02}:34"));
        let text = text.replace("<RetryCount>0<", &format!("<RetryCount>{}<", n % 3));
        text.replace(">V5.2.10P4T26<", &format!(">V5.2.{n}P4T26<"))
    });
    sequence("cwmp_inform", &contract, messages.collect())
}

/// The largest replies that were recorded of three operations, asked again and again: a tenth of the texts with
/// digits in them have others.
fn vsphere(corpus: &Corpus) -> Result<Vec<Sequence>, String> {
    let contract = load(corpus, "zsi/test/wsdl2py/wsdl/vim.wsdl")?;
    let mut recorded = traffic::texts_of(corpus, "pyvmomi");
    recorded.sort_by_key(|text| std::cmp::Reverse(text.len()));
    let mut sequences: Vec<(castile_codec::Name, Sequence)> = Vec::new();
    for text in &recorded {
        let Some(first) = Envelope::open(text, &Limits::default())
            .ok()
            .and_then(|e| e.first())
        else {
            continue;
        };
        let met = sequences.iter().any(|(name, _)| *name == first);
        if met || !first.local.ends_with("Response") {
            continue;
        }
        let name = ["vsphere_1", "vsphere_2", "vsphere_3"].get(sequences.len());
        let messages = (0..COUNT)
            .map(|seed| other_digits(text, &mut Rng::new(seed)))
            .collect();
        let made = name.and_then(|name| sequence(name, &contract, messages).ok());
        if let Some(sequence) = made.filter(|sequence| sequence.check().is_ok()) {
            sequences.push((first, sequence));
        }
    }
    Ok(sequences.into_iter().map(|(_, sequence)| sequence).collect())
}

/// The same text with other digits in a tenth of the places between tags that have any; a time keeps its date.
fn other_digits(text: &str, rng: &mut Rng) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(['<', '>']) {
        let content = piece
            .strip_suffix('<')
            .filter(|content| content.contains(|c: char| c.is_ascii_digit()));
        let Some(content) = content.filter(|_| rng.below(10) == 0) else {
            out.push_str(piece);
            continue;
        };
        let from = content
            .find('T')
            .filter(|_| content.contains(':'))
            .map_or(0, |t| t + 7);
        for (i, c) in content.char_indices() {
            match c.is_ascii_digit() && i >= from {
                true => out.push(char::from(b'1' + rng.below(5) as u8)),
                false => out.push(c),
            }
        }
        out.push('<');
    }
    out
}

fn load(corpus: &Corpus, file: &str) -> Result<Contract, String> {
    corpus
        .load_at(&corpus.path("wsdl").join(Path::new(file)))
        .map_err(|e| format!("{file}: {e}"))
}

fn sequence(name: &'static str, contract: &Contract, messages: Vec<String>) -> Result<Sequence, String> {
    let first = messages.first().ok_or("no messages")?;
    let (types, plan) = described(contract, first).ok_or_else(|| format!("{name}: no plan"))?;
    Ok(Sequence {
        name,
        types,
        plan,
        messages,
    })
}

/// What describes a message.
fn described(contract: &Contract, text: &str) -> Option<(Arc<Types>, Plan)> {
    let first = Envelope::open(text, &Limits::default()).ok()?.first()?;
    if let Some(plan) = traffic::plans(contract, &first).first() {
        return Some((contract.types.clone(), (*plan).clone()));
    }
    let types = &contract.types;
    let name = types.parse_clark(&first.to_string())?;
    let element = types.element_named(&name)?;
    let (types, plan) = alone(types, &types.elements[element.index()]);
    Some((Arc::new(types), plan))
}
