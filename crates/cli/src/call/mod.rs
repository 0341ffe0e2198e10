//! `castile call`: one call, its reply as JSON.

mod fault;
mod layers;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use castile_contract::Operation;
use castile_endpoint::sample::{SampleOptions, Sampler};
use castile_endpoint::{Client, ClientOptions, Headers, Nothing, Outcome, Outgoing, Record as Done};
use castile_plan::{ComplexId, Types};
use castile_value::{Graph, Record, Source, Value, ValueSink};
use clap::Args;
use serde_json::{Value as Json, json};

use crate::failure::Failure;
use crate::load::{self, ContractArgs};
use crate::output::print;
use crate::secret;
use crate::values::{Given, json as values, shared, typed, words};

const EXAMPLES: &str = "\
Arguments:
  place=Lisbon           text, or whatever the type wants: 3, true, 2024-05-17
  from.lat=39.8          a field of a record
  tag=a tag=b            several values; one value of a list: tag[]=a
  leg[0].to=MAD          a field of the first of several records
  point:='{\"x\": 1}'      JSON; null is nil
  photo=@me.jpg          the content of a file, as bytes or text
  rows:=@rows.json       JSON from a file
  --data args.json       all arguments as a JSON object; key=value goes on top

Examples:
  castile call weather.wsdl Forecast place=Lisbon days=3
  castile call weather.wsdl Forecast --data - < args.json
  castile call weather.wsdl Forecast --template > args.json    what all it takes, to edit
  castile call weather.wsdl Forecast --dry-run place=Lisbon days=3    print the request, send nothing
  castile call weather.wsdl submit --data request.xml          send this envelope as it is
  castile call https://host/service?wsdl list --auth @password-file --header session.id=7
  castile call devicemgmt.wsdl GetHostname --endpoint http://camera/onvif/device_service \
      --wsse-user env:CAMERA --wsse-digest

Secrets: --auth, --bearer and --wsse-user take the secret itself, @FILE or env:NAME; it is never printed.";

/// Call an operation and print the reply as JSON
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CallArgs {
    #[command(flatten)]
    contract: ContractArgs,
    /// The operation, as `castile inspect` lists it
    operation: String,
    /// Arguments: key=text, key:=json, key=@file, key:=@file.json
    #[arg(value_name = "KEY=VALUE")]
    words: Vec<String>,
    /// Arguments as a JSON object, or a whole envelope as XML; - is standard input
    #[arg(short, long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// A SOAP header that the contract names, like an argument; may be given several times
    #[arg(long = "header", value_name = "KEY=VALUE")]
    headers: Vec<String>,
    /// A further SOAP header block as XML, or @FILE; may be given several times
    #[arg(long = "header-xml", value_name = "XML")]
    blocks: Vec<String>,
    /// A header field of HTTP, `Name: value`; may be given several times
    #[arg(long = "http-header", value_name = "FIELD")]
    http_headers: Vec<String>,
    /// Where to call, instead of the address in the WSDL
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// The service, when the WSDL has several
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
    /// The port, when the service has several
    #[arg(long, value_name = "NAME")]
    port: Option<String>,
    /// Basic authentication: USER:PASSWORD, @FILE or env:NAME
    #[arg(long, value_name = "SECRET", help_heading = "Authentication")]
    auth: Option<String>,
    /// Digest authentication with the user of --auth instead of basic
    #[arg(long, requires = "auth", help_heading = "Authentication")]
    digest: bool,
    /// Bearer authentication: TOKEN, @FILE or env:NAME
    #[arg(
        long,
        value_name = "SECRET",
        conflicts_with = "auth",
        help_heading = "Authentication"
    )]
    bearer: Option<String>,
    #[command(flatten)]
    layers: layers::LayerArgs,
    /// Limit on the whole call, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = crate::args::seconds)]
    timeout: Option<Duration>,
    /// Significant digits of doubles and floats; default: all that matter
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=17))]
    digits: Option<u8>,
    /// Take replies that are not quite what the contract says
    #[arg(long)]
    lax: bool,
    /// Print the reply as it came
    #[arg(long, conflicts_with = "dry_run")]
    raw: bool,
    /// Print the request and send nothing
    #[arg(long)]
    dry_run: bool,
    /// Print sample arguments as JSON, to edit and pass as --data
    #[arg(long, conflicts_with_all = ["dry_run", "raw"])]
    template: bool,
    /// Print an object of `result` and `header` instead of the result alone
    #[arg(long)]
    with_headers: bool,
    /// Print JSON on one line, and faults and errors as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What came back, with the types that say how it is printed.
struct Answer {
    outcome: Result<Outcome, castile_endpoint::Error>,
    done: Done,
    header: Record,
    result: Graph<Record>,
    types: Option<(ComplexId, ComplexId)>,
}

pub(crate) fn run(args: &CallArgs, verbose: u8) -> Result<ExitCode, Failure> {
    let contract = args.contract.load_for_use()?;
    let client = Client::with_contract(contract, options(args)?)?;
    let operation = client.operation(&args.operation)?;
    if args.template {
        let template = template(client.types(), client.arguments(&args.operation)?);
        let template = template.ok_or_else(|| {
            let why = format!(
                "{} has no sample: it needs what this version cannot do",
                args.operation
            );
            Failure::contract(why)
        })?;
        print(format!("{}\n", values::pretty(&template)).as_bytes(), false)?;
        return Ok(ExitCode::SUCCESS);
    }
    let outgoing = request(args, &client, operation)?;
    if args.dry_run {
        print(&outgoing.body.to_bytes(), false)?;
        return Ok(ExitCode::SUCCESS);
    }
    let answer = exchange(&client, outgoing)?;
    if verbose > 0 {
        report(&client, &answer.done);
        if verbose > 1 {
            variables(&client, &args.operation)?;
        }
    }
    if args.raw {
        print(&answer.done.reply, false)?;
    }
    show(args, &client, operation, answer)
}

/// Sample values of every argument, as JSON; `None` when something that must be there cannot be made.
pub(crate) fn template(types: &Types, arguments: ComplexId) -> Option<Json> {
    let options = SampleOptions {
        items: 1,
        ..SampleOptions::default()
    };
    let sample = Sampler::new(types, options).record(arguments)?;
    Some(values::record(types, arguments, &sample))
}

fn options(args: &CallArgs) -> Result<ClientOptions, Failure> {
    let http = castile_http::ClientOptions {
        tls: args.contract.tls.options()?,
        auth: secret::auth(args.auth.as_deref(), args.digest, args.bearer.as_deref())?,
        timeout_call: args.timeout,
        ..Default::default()
    };
    Ok(ClientOptions {
        endpoint: args.endpoint.clone(),
        service: args.service.clone(),
        port: args.port.clone(),
        strict: !args.lax,
        digits: args.digits,
        http_headers: args
            .http_headers
            .iter()
            .map(|field| http_header(field))
            .collect::<Result<_, _>>()?,
        http,
        layers: args.layers.layers()?,
        load: args.contract.options()?,
        ..ClientOptions::default()
    })
}

fn http_header(field: &str) -> Result<(String, String), Failure> {
    match field.split_once(':') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        None => Err(Failure::caller(format!(
            "--http-header {field:?} is no `Name: value`"
        ))),
    }
}

/// The request of the arguments, or the envelope that was given whole.
fn request(args: &CallArgs, client: &Client, operation: &Operation) -> Result<Outgoing, Failure> {
    let mut given = Given::Map(Vec::new());
    if let Some(path) = &args.data {
        let text = load::read_text(path)?;
        if text.trim_start().starts_with('<') {
            return envelope(args, text);
        }
        given = Given::parse(&text, &path.to_string_lossy())?;
    }
    if !args.words.is_empty() {
        given = given.overlay(words::parse(&args.words)?);
    }
    let types = client.types();
    let objects = shared::take_objects(types, &mut given)?;
    let arguments = typed::arguments(types, client.arguments(&args.operation)?, given)?;
    let arguments = Graph {
        root: arguments,
        objects,
    };
    let header = match operation.input.as_ref().filter(|_| !args.headers.is_empty()) {
        Some(plan) => typed::arguments(types, plan.header, words::parse(&args.headers)?)
            .map_err(|e| e.within("--header"))?,
        None => Value::Absent,
    };
    let blocks = args
        .blocks
        .iter()
        .map(|block| xml(block))
        .collect::<Result<Vec<_>, _>>()?;
    let header = Headers {
        typed: source(&header),
        raw: &blocks,
    };
    let prepared = client.prepare(&args.operation, &header, &arguments);
    prepared.map_err(|e| {
        let hint = format!(
            "castile inspect {} --operation {} lists the arguments",
            args.contract.words(),
            args.operation
        );
        Failure::from(e).hint(hint)
    })
}

fn envelope(args: &CallArgs, text: String) -> Result<Outgoing, Failure> {
    if !args.words.is_empty() || !args.headers.is_empty() || !args.blocks.is_empty() {
        return Err(Failure::caller(
            "an envelope is sent as it is: arguments and headers cannot be added",
        ));
    }
    Ok(Outgoing::ready(args.operation.clone(), text.into_bytes()))
}

fn xml(block: &str) -> Result<String, Failure> {
    let text = match block.strip_prefix('@') {
        Some(path) => load::read_text(path.as_ref())?,
        None => block.to_owned(),
    };
    match castile_xml::Fragment::parse(&text) {
        Ok(fragment) => Ok(fragment.into_string()),
        Err(e) => Err(Failure::caller(format!(
            "--header-xml is not one XML element: {e}"
        ))),
    }
}

fn source(value: &Value) -> &dyn Source {
    match value.held() {
        Value::Record(record) => record,
        Value::Map(map) => map,
        _ => &Nothing,
    }
}

fn exchange(client: &Client, outgoing: Outgoing) -> Result<Answer, Failure> {
    let types = client.result(&outgoing.operation)?;
    let exchange = client.exchange(outgoing)?;
    let empty = || Arc::new(castile_value::Shape::new("", Vec::new()));
    let shape = |id: ComplexId| Arc::clone(client.types().shape(id));
    let (header, result) = types.map_or_else(|| (empty(), empty()), |(h, r)| (shape(h), shape(r)));
    let (mut header, mut result) = (ValueSink::new(header), ValueSink::new(result));
    let (outcome, done) = client.receive(&exchange, &mut header, &mut result);
    Ok(Answer {
        outcome,
        done,
        header: header.finish(),
        result: result.finish_graph(),
        types,
    })
}

/// Prints the reply or the fault.
fn show(
    args: &CallArgs,
    client: &Client,
    operation: &Operation,
    answer: Answer,
) -> Result<ExitCode, Failure> {
    let Answer {
        outcome,
        header,
        result,
        types,
        ..
    } = answer;
    match outcome {
        Ok(Outcome::Fault(fault)) => {
            fault::print(client.types(), operation, &fault, args.json);
            Ok(ExitCode::from(2))
        }
        _ if args.raw => Ok(ExitCode::SUCCESS),
        Err(e) => Err(Failure::from(e).hint("--raw prints the reply as it came, --lax takes more")),
        Ok(Outcome::Reply(blocks)) => {
            let Some((header_type, result_type)) = types else {
                return Ok(ExitCode::SUCCESS);
            };
            let mut shown = result_json(client, result_type, &result.root);
            shown = shared::with_objects(client.types(), shown, &result.objects);
            if args.with_headers {
                let known = values::record(client.types(), header_type, &header);
                let blocks: Vec<&str> = blocks.iter().map(|b| &*b.xml).collect();
                shown = json!({ "result": shown, "header": known, "blocks": blocks });
            }
            let text = if args.json {
                shown.to_string()
            } else {
                values::pretty(&shown)
            };
            print(format!("{text}\n").as_bytes(), false)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The value itself when the operation gives one, else an object of all.
fn result_json(client: &Client, id: ComplexId, result: &Record) -> Json {
    let types = client.types();
    match (&types.complex(id).fields[..], result.values()) {
        ([only], [value]) => values::field(types, Some(only), value),
        _ => values::record(types, id, result),
    }
}

/// What was learned of the reply, to standard error: a line for each value that may differ in the next, with the
/// bytes before it, its name, its type, and how it is set.
fn variables(client: &Client, operation: &str) -> Result<(), Failure> {
    for table in client.variables(operation)? {
        anstream::eprintln!("the reply may differ in:");
        table
            .iter()
            .for_each(|variable| anstream::eprintln!("{variable}"));
    }
    Ok(())
}

/// Sizes and timings, to standard error.
fn report(client: &Client, done: &Done) {
    let network = &done.network;
    let kept = if network.reused { ", kept connection" } else { "" };
    anstream::eprintln!(
        "{} to {}, HTTP status {}",
        client.version(),
        done.endpoint,
        done.status
    );
    anstream::eprintln!(
        "request {} bytes, reply {} bytes",
        done.request.len(),
        done.reply.len()
    );
    let made = done.request.report();
    anstream::eprintln!(
        "{} match: {} values compared, {} rewritten, {} written anew, {} shared, {} arrays and texts not kept; {} bytes shifted, {} widths stolen, \
         {} chunks split, {} copied",
        made.kind.name(),
        made.values_compared,
        made.values_rewritten,
        made.values_written,
        made.values_shared,
        made.paused,
        made.bytes_shifted,
        made.widths_stolen,
        made.chunks_split,
        made.chunks_copied
    );
    let read = if done.received.followed {
        "like an earlier one"
    } else {
        "decoded plainly"
    };
    anstream::eprintln!("reply {read}");
    anstream::eprintln!(
        "encode {:.1?}, network {:.1?} (connect {:.1?}, send {:.1?}, wait {:.1?}, receive {:.1?}{kept}), decode {:.1?}",
        done.encode,
        network.total(),
        network.connect,
        network.send,
        network.wait,
        network.receive,
        done.decode
    );
}
