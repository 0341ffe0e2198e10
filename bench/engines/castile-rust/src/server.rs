//! Every operation of the contract behind HTTP.

use std::sync::Arc;

use castile::{Fault, Handlers, LoadOptions, Location, Server, Service, Value, ValueRecord};

use crate::settings::Settings;
use crate::{Outcome, ring, trace};

const KINDS: [&str; 9] = [
    "Doubles",
    "Ints",
    "Strings",
    "Bytes",
    "Packed",
    "Mios",
    "Events",
    "Attributes",
    "ClassAds",
];

/// A running server of a contract; `results` are the rows that a search finds.
pub(crate) fn start(
    settings: &Settings,
    contract: &str,
    results: Option<Value>,
) -> Outcome<castile::http::Running> {
    let handlers = match contract {
        "nested" => of_kind(Handlers::new(), "Nested"),
        "files" => of_kind(Handlers::new(), "Files"),
        "encoded" => every(settings, results)
            .on_graph("echoRing", ring::echo)
            .on_graph("sendRing", |args| Ok(ring::count(&args).into())),
        _ => every(settings, results),
    };
    let load = LoadOptions::default();
    let wsdl = format!("{}/{contract}.wsdl", settings.folder);
    let contract = castile::load(&Location::from(wsdl), &load)?;
    let service = Service::new(contract, settings.service(), handlers)?;
    let resolver = castile::resolver(&load);
    Ok(Server::bind(Arc::new(service), "127.0.0.1:0", settings.server(), &resolver)?.start()?)
}

/// What the literal and the encoded contract have both.
fn every(settings: &Settings, results: Option<Value>) -> Handlers {
    KINDS
        .into_iter()
        .fold(void_and_search(settings, results), of_kind)
}

fn of_kind(handlers: Handlers, kind: &str) -> Handlers {
    let operation = format!("send{kind}");
    handlers
        .on(&format!("echo{kind}"), echo)
        .on(&operation.clone(), move |args| count(&operation, &args))
}

fn void_and_search(settings: &Settings, results: Option<Value>) -> Handlers {
    let encoded = settings.encoded;
    let results = Arc::new(results.unwrap_or_default());
    Handlers::new()
        .on("echoVoid", |_| Ok(Value::Absent))
        .on("doGoogleSearch", move |_| Ok(found(results.clone(), encoded)))
}

fn echo(args: ValueRecord) -> Result<Value, Fault> {
    let value = args.into_values().into_iter().next().unwrap_or_default();
    Ok(Value::map([("return", value)]))
}

fn count(operation: &str, args: &ValueRecord) -> Result<Value, Fault> {
    let count = trace::count(operation, args.get("values").unwrap_or(&Value::Absent));
    Ok(Value::Int(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn found(rows: Arc<Value>, encoded: bool) -> Value {
    let count = Value::Int(i64::try_from(rows.count()).unwrap_or(i64::MAX));
    let result = Value::map([
        ("documentFiltering", Value::Bool(false)),
        ("searchComments", "".into()),
        ("estimatedTotalResultsCount", Value::Int(3_220_000)),
        ("estimateIsExact", Value::Bool(false)),
        ("resultElements", trace::array(rows.into(), encoded)),
        ("searchQuery", "grid computing".into()),
        ("startIndex", Value::Int(1)),
        ("endIndex", count),
        ("searchTips", "".into()),
        (
            "directoryCategories",
            trace::array(Value::List(Vec::new()), encoded),
        ),
        ("searchTime", Value::Double(0.194_871)),
    ]);
    Value::map([("return", result)])
}
