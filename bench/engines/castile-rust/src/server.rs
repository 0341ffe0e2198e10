//! Every operation of the contract behind HTTP.

use std::sync::Arc;

use castile::{Fault, Handlers, LoadOptions, Location, Server, Service, Value, ValueRecord};

use crate::settings::Settings;
use crate::{Outcome, trace};

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

/// A running server; `results` are the rows that a search finds.
pub(crate) fn start(settings: &Settings, results: Option<Value>) -> Outcome<castile::http::Running> {
    let mut handlers = Handlers::new().on("echoVoid", |_| Ok(Value::Absent));
    for kind in KINDS {
        handlers = handlers.on(&format!("echo{kind}"), echo);
        let operation = format!("send{kind}");
        handlers = handlers.on(&operation.clone(), move |args| count(&operation, &args));
    }
    let encoded = settings.encoded;
    handlers = handlers.on("doGoogleSearch", move |_| {
        Ok(found(results.clone().unwrap_or_default(), encoded))
    });
    let load = LoadOptions::default();
    let contract = castile::load(&Location::from(settings.wsdl("")), &load)?;
    let service = Service::new(contract, settings.service(), handlers)?;
    let resolver = castile::resolver(&load);
    Ok(Server::bind(Arc::new(service), "127.0.0.1:0", settings.server(), &resolver)?.start()?)
}

fn echo(args: ValueRecord) -> Result<Value, Fault> {
    let value = args.into_values().into_iter().next().unwrap_or_default();
    Ok(Value::map([("return", value)]))
}

fn count(operation: &str, args: &ValueRecord) -> Result<Value, Fault> {
    let count = trace::count(operation, args.get("values").unwrap_or(&Value::Absent));
    Ok(Value::Int(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn found(rows: Value, encoded: bool) -> Value {
    let count = Value::Int(i64::try_from(rows.count()).unwrap_or(i64::MAX));
    let result = Value::map([
        ("documentFiltering", Value::Bool(false)),
        ("searchComments", "".into()),
        ("estimatedTotalResultsCount", Value::Int(3_220_000)),
        ("estimateIsExact", Value::Bool(false)),
        ("resultElements", trace::array(rows, encoded)),
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
