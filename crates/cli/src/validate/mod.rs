//! `castile validate`: what is wrong with a message, or with a contract.

mod profile;
mod repair;
mod said;
mod subject;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use castile_codec::{DecodeOptions, Envelope, Error, HeaderBlock, Limits, Version};
use castile_contract::{Contract, Protocol, Warning, masked};
use castile_plan::{ComplexId, Plan, Style, Types};
use castile_value::ValueSink;
use clap::Args;
use serde_json::{Value as Json, json};

use crate::failure::Failure;
use crate::load::{self, ContractArgs};
use subject::Subject;

const EXAMPLES: &str = "\
The operation is found by the message's first body element; requests go before replies. Findings
are lines of FILE:LINE:COLUMN, so that editors can jump there. Exit code 1 when there are any.
Without a message it says what is wrong with the contract: a finding is an operation that cannot be
used, and warnings tell of what breaks a rule and works all the same, the gravest first; they leave the
exit code 0. Of many of one kind the first few are shown; -v shows all.
Notes tell what the WS-I Basic Profile 1.1 does not allow, with the number of the requirement, and
what is odd but allowed; they are no findings either.

Examples:
  castile validate weather.wsdl
  castile validate weather.wsdl request.xml
  castile validate weather.wsdl reply.xml --reply
  castile validate weather.wsdl - --operation Forecast < message.xml
  castile call weather.wsdl Forecast place=Lisbon days=3 --dry-run | castile validate weather.wsdl -";

/// Say what is wrong with a message, with line, column and path, or with a WSDL
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    contract: ContractArgs,
    /// The message: a file with an envelope, or - for standard input; without one, the WSDL alone
    message: Option<PathBuf>,
    /// The operation that the message belongs to
    #[arg(short, long, value_name = "NAME")]
    operation: Option<String>,
    /// The service, when the WSDL has several
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
    /// The port, when the service has several
    #[arg(long, value_name = "NAME")]
    port: Option<String>,
    /// The message is a reply
    #[arg(short, long)]
    reply: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What was found about a message.
#[derive(Default)]
struct Report {
    /// What the message is, such as `a request of forecast, SOAP 1.1`.
    what: String,
    findings: Vec<Finding>,
    /// What is wrong with a contract without making any of it useless.
    warnings: Vec<Warning>,
    /// What is odd but allowed.
    notes: Vec<String>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    line: Option<(u32, u32)>,
    path: String,
    text: String,
}

impl From<&Error> for Finding {
    fn from(e: &Error) -> Self {
        Finding {
            line: e.line_column(),
            path: e.path(),
            text: e.message().to_owned(),
        }
    }
}

pub(crate) fn run(args: &ValidateArgs, verbose: u8) -> Result<ExitCode, Failure> {
    let Some(message) = &args.message else {
        let report = of_contract(args)?;
        let wsdl = masked(&args.contract.wsdl);
        print(args, Path::new(&*wsdl), &report, verbose > 0)?;
        return Ok(ExitCode::from(u8::from(!report.findings.is_empty())));
    };
    let contract = args.contract.load()?;
    let bytes = if message.as_os_str() == "-" {
        load::stdin()?
    } else {
        load::read(message)?
    };
    let report = match castile_xml::to_utf8(&bytes, None) {
        Ok(text) => check(args, &contract, &text, declared_encoding(&bytes))?,
        Err(e) => Report {
            what: "no message".into(),
            findings: vec![Finding {
                line: None,
                path: String::new(),
                text: format!("the bytes are no text: {e}"),
            }],
            ..Report::default()
        },
    };
    print(args, message, &report, verbose > 0)?;
    Ok(ExitCode::from(u8::from(!report.findings.is_empty())))
}

/// What is wrong with a contract: operations that cannot be used are findings, what the loader warned of are
/// warnings, and what the profile does not allow are notes.
fn of_contract(args: &ValidateArgs) -> Result<Report, Failure> {
    let location = args.contract.location()?;
    let options = args.contract.options()?;
    let contract = castile_endpoint::load(&location, &options)?;
    let operations = contract.bindings.iter().flat_map(|b| &b.operations);
    let unusable = operations.filter_map(|o| {
        let why = o.unsupported.as_ref()?;
        Some(Finding {
            line: None,
            path: String::new(),
            text: format!("operation {} cannot be used: {why}", o.name),
        })
    });
    let profile = castile_endpoint::profile(&location, &options)?;
    Ok(Report {
        what: format!("the contract {}", contract.name),
        findings: unusable.collect(),
        warnings: contract.warnings.clone(),
        notes: profile.iter().map(|w| format!("WS-I BP 1.1: {w}")).collect(),
    })
}

/// The encoding that an XML declaration names.
fn declared_encoding(bytes: &[u8]) -> Option<&str> {
    let head = bytes.get(..bytes.len().min(200))?;
    let end = head.windows(2).position(|pair| pair == b"?>")?;
    let declaration = std::str::from_utf8(head.get(..end)?).ok()?;
    let (_, rest) = declaration.split_once("encoding")?;
    let mut parts = rest.split(['"', '\'']);
    parts.nth(1)
}

fn check(
    args: &ValidateArgs,
    contract: &Contract,
    text: &str,
    encoding: Option<&str>,
) -> Result<Report, Failure> {
    let limits = Limits::default();
    let envelope = match Envelope::open(text, &limits) {
        Ok(envelope) => envelope,
        Err(e) => {
            return Ok(Report {
                what: "no message".into(),
                findings: vec![(&e).into()],
                ..Report::default()
            });
        }
    };
    let version = envelope.version();
    let subject = subject::find(contract, &envelope, args)?;
    let mut report = Report {
        what: format!("{subject}, {version}"),
        ..Report::default()
    };
    report.notes.extend(spoken(contract, version));
    let types = &contract.types;
    match &subject {
        Subject::Message { plan, .. } => {
            headers(types, plan, version, envelope.headers(), text, &mut report);
            let headless = repair::without_headers(text);
            let body = |text: &str, strict: bool| decode(types, plan, text, strict);
            report.findings.extend(repair::findings(&headless, &body));
            if plan.encoded {
                said::check(types, plan, text, &mut report);
            }
        }
        Subject::Fault { detail, .. } => fault(types, *detail, text, &mut report),
        Subject::Unknown { why } => report.findings.push(Finding {
            line: None,
            path: "/Envelope/Body".into(),
            text: why.clone(),
        }),
    }
    let rpc = match &subject {
        Subject::Message { rpc, .. } => Some(*rpc),
        _ => None,
    };
    let notes = profile::findings(text, encoding, version, rpc);
    report
        .notes
        .extend(notes.iter().map(|text| format!("WS-I BP 1.1: {text}")));
    report.findings.sort_by_key(|finding| finding.line);
    Ok(report)
}

fn decode(types: &Types, plan: &Plan, text: &str, strict: bool) -> Result<(), Error> {
    let sink = |id: ComplexId| ValueSink::new(types.shape(id).clone());
    let (mut header, mut body) = (sink(plan.header), sink(plan.body));
    let envelope = Envelope::open(text, &Limits::default())?;
    envelope.decode(
        types,
        plan,
        &DecodeOptions {
            strict,
            ..DecodeOptions::default()
        },
        &mut header,
        &mut body,
    )
}

/// Whether the contract has a port of the message's version.
fn spoken(contract: &Contract, version: Version) -> Option<String> {
    let speaks = |protocol: &Protocol| {
        *protocol
            == if version == Version::Soap11 {
                Protocol::Soap11
            } else {
                Protocol::Soap12
            }
    };
    let some = contract.bindings.iter().any(|b| b.protocol.is_soap());
    let none = some && !contract.bindings.iter().any(|b| speaks(&b.protocol));
    none.then(|| format!("the contract has no port of {version}"))
}

/// Checks each header block for itself.
fn headers(
    types: &Types,
    plan: &Plan,
    version: Version,
    blocks: &[HeaderBlock],
    text: &str,
    report: &mut Report,
) {
    let places = repair::header_lines(text);
    let nothing = Plan {
        body: plan.header,
        ..plan.clone()
    };
    for (n, block) in blocks.iter().enumerate() {
        let known = types
            .complex(plan.header)
            .fields
            .iter()
            .any(|f| *f.wire.local == *block.name.local && types.uri(f.wire.ns) == block.name.namespace);
        if !known {
            let must = if block.must_understand {
                ", and it must be understood"
            } else {
                ""
            };
            report
                .notes
                .push(format!("header {} is not in the contract{must}", block.name));
            continue;
        }
        let alone = format!(
            "<S:Envelope xmlns:S=\"{}\"><S:Header>\n{}</S:Header><S:Body/></S:Envelope>",
            version.namespace(),
            block.xml
        );
        // All header fields are optional, so an empty body of them is right.
        let Err(e) = decode(types, &nothing, &alone, true) else {
            continue;
        };
        let within = e.line_column().map_or(0, |(line, _)| line.saturating_sub(2));
        let line = places.get(n).map(|&line| (line + within, 1));
        report.findings.push(Finding { line, ..(&e).into() });
    }
}

/// Checks a fault: its structure, and the details that the contract declares.
fn fault(types: &Types, detail: Option<ComplexId>, text: &str, report: &mut Report) {
    let opened = Envelope::open(text, &Limits::default());
    let fault = opened.and_then(|envelope| envelope.decode_fault(types, detail, &DecodeOptions::default()));
    let fault = match fault {
        Ok(fault) => fault,
        Err(e) => return report.findings.push((&e).into()),
    };
    report.what = format!("{}: {fault}", report.what);
    let Some(detail) = detail else { return };
    let plan = Plan {
        label: "detail".into(),
        style: Style::Bare,
        encoded: false,
        header: detail,
        body: detail,
        namespaces: Vec::new(),
    };
    for entry in &fault.detail {
        let declared = types
            .complex(detail)
            .fields
            .iter()
            .any(|f| *f.wire.local == *entry.name.local && types.uri(f.wire.ns) == entry.name.namespace);
        let castile_value::Value::Xml(xml) = &entry.value else {
            continue;
        };
        if !declared {
            report.notes.push(format!(
                "the detail {} is not declared for the operation",
                entry.name
            ));
            continue;
        }
        // What does not fit its type comes as XML: once more, to hear why.
        let namespace = Version::Soap11.namespace();
        let alone = format!("<S:Envelope xmlns:S=\"{namespace}\"><S:Body>{xml}</S:Body></S:Envelope>");
        if let Err(e) = decode(types, &plan, &alone, true) {
            let path = e
                .path()
                .replacen("/Envelope/Body", "/Envelope/Body/Fault/detail", 1);
            report.findings.push(Finding {
                line: None,
                path,
                text: e.message().to_owned(),
            });
        }
    }
}

/// The number by which a profile calls what a note is about, such as `R2706`.
fn requirement(note: &str) -> Option<&str> {
    let mut words = note.split([' ', ':']);
    words.find(|word| {
        let digits = word.strip_prefix('R');
        digits.is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()))
    })
}

fn print(args: &ValidateArgs, subject: &Path, report: &Report, verbose: bool) -> Result<(), Failure> {
    if args.json {
        let findings = report.findings.iter().map(|f| {
            json!({ "line": f.line.map(|l| l.0), "column": f.line.map(|l| l.1), "path": f.path, "text": f.text })
        });
        let json = json!({
            "valid": report.findings.is_empty(),
            "message": report.what,
            "findings": findings.collect::<Vec<Json>>(),
            "warnings": load::lines(&report.warnings, true),
            "notes": report.notes,
        });
        let text = crate::values::json::pretty(&json) + "\n";
        return crate::output::print(text.as_bytes(), false);
    }
    let (good, odd, bad) = (
        anstyle::AnsiColor::Green.on_default(),
        anstyle::AnsiColor::Yellow.on_default(),
        anstyle::AnsiColor::Red.on_default(),
    );
    let file = subject.display();
    let mut text = String::new();
    for finding in &report.findings {
        let place = finding
            .line
            .map_or(String::new(), |(line, column)| format!("{line}:{column}:"));
        text += &format!("{file}:{place} {bad}{}{bad:#}\n", finding.text);
        if !finding.path.is_empty() {
            text += &format!("    at {}\n", finding.path);
        }
    }
    for warning in load::lines(&report.warnings, verbose) {
        text += &format!("{file}: {odd}warning{odd:#}: {warning}\n");
    }
    let mut notes: Vec<&String> = report.notes.iter().collect();
    notes.sort_by_key(|note| requirement(note));
    for note in load::few_alike(&notes, verbose, |a, b| requirement(a) == requirement(b)) {
        text += &format!("{file}: note: {note}\n");
    }
    let what = match report.warnings.len() {
        0 => report.what.clone(),
        1 => format!("{}, 1 warning", report.what),
        n => format!("{}, {n} warnings", report.what),
    };
    text += &match report.findings.len() {
        0 => format!("{file}: {good}valid{good:#}: {what}\n"),
        1 => format!("{file}: 1 finding in {what}\n"),
        n => format!("{file}: {n} findings in {what}\n"),
    };
    crate::output::print(text.as_bytes(), true)
}
