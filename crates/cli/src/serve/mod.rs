//! `castile serve`: a mock server for any WSDL.

mod echo;
mod layers;
mod replies;
mod tell;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use castile_endpoint::sample::{SampleOptions, Sampler};
use castile_endpoint::{
    Answer, Call, Handler, Nothing, Server, ServerOptions, Service, ServiceOptions, Trouble,
};
use castile_http::ServerTls;
use castile_value::{Graph, Record, Source, Value, ValueSink};
use clap::Args;

use crate::failure::Failure;
use crate::load::{self, ContractArgs};
use replies::{Canned, Replies};

const EXAMPLES: &str = "\
Replies:
  by default           sample values that fit the contract
  --echo               what the request brought, by name and type; samples where nothing fits
  --replies FOLDER     FOLDER/OPERATION.xml (an envelope, or what belongs in its body) or
                       FOLDER/OPERATION.json (values, as `castile call` prints them), not both; read
                       anew at each call. Operations without a file get samples, or echoes with --echo.
                       A fault: {\"@fault\": {\"code\": \"Sender\", \"reason\": \"no such place\",
                       \"detail\": {\"UnknownPlace\": {\"place\": \"Atlantis\"}}}}; headers: \"@header\": {...}

Examples:
  castile serve weather.wsdl --port 8080
  castile call http://127.0.0.1:8080/?wsdl Forecast place=Lisbon days=3
  castile call weather.wsdl Forecast place=Lisbon days=3 > replies/Forecast.json
  castile serve weather.wsdl --replies replies --delay 0.2";

/// Serve a mock of a WSDL's service: sample, echoed or canned replies
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    contract: ContractArgs,
    /// Answer with what the request brought
    #[arg(long)]
    echo: bool,
    /// Answer with the files of this folder
    #[arg(long, value_name = "FOLDER")]
    replies: Option<PathBuf>,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: String,
    /// The port to listen on; 0 takes a free one
    #[arg(short, long, value_name = "NUMBER", default_value_t = 8080)]
    port: u16,
    /// The service, when the WSDL has several
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
    #[command(flatten)]
    layers: layers::LayerArgs,
    /// Take requests that are not quite what the contract says
    #[arg(long)]
    lax: bool,
    /// Wait so long before each answer, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = crate::args::seconds)]
    delay: Option<Duration>,
    /// Speak https with this certificate chain (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key", help_heading = "TLS")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert", help_heading = "TLS")]
    tls_key: Option<PathBuf>,
}

pub(crate) fn run(args: &ServeArgs, verbose: u8) -> Result<ExitCode, Failure> {
    let contract = args.contract.load_for_use()?;
    let replies = args
        .replies
        .as_deref()
        .map(|folder| Replies::open(folder, &contract))
        .transpose()?;
    let mock = Mock {
        echo: args.echo,
        replies,
        delay: args.delay,
        values: verbose > 0,
    };
    let settings = ServiceOptions {
        service: args.service.clone(),
        strict: !args.lax,
        layers: args.layers.layers()?,
        ..Default::default()
    };
    let service = Arc::new(Service::new(contract, settings, mock)?);
    let load = args.contract.options()?;
    let address = (args.host.as_str(), args.port);
    let server = Server::bind(
        service.clone(),
        address,
        options(args)?,
        &castile_endpoint::resolver(&load),
    )?;
    let scheme = if args.tls_cert.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{}/", server.local_addr());
    let handle = server.handle();
    let mut asked = false;
    // The second time somebody is in a hurry.
    let stop = move || {
        if std::mem::replace(&mut asked, true) {
            handle.abort()
        } else {
            handle.stop()
        }
    };
    ctrlc::set_handler(stop).map_err(|e| Failure::caller(format!("Ctrl-C cannot be caught: {e}")))?;
    let running = server.start()?;
    tell::line(&format!(
        "serving {} at {url}   (contract: {url}?wsdl; Ctrl-C stops)",
        service.contract().name
    ));
    running.join();
    let stats = service.stats();
    tell::line(&format!(
        "stopped after {} calls, {} of them answered with a fault",
        stats.calls, stats.faults
    ));
    Ok(ExitCode::SUCCESS)
}

fn options(args: &ServeArgs) -> Result<ServerOptions, Failure> {
    let mut options = ServerOptions::default();
    if let (Some(cert), Some(key)) = (&args.tls_cert, &args.tls_key) {
        let (cert_pem, key_pem) = (load::read(cert)?, load::read(key)?);
        options.http.tls = Some(ServerTls {
            cert_pem,
            key_pem,
            client_ca_pem: None,
        });
    }
    Ok(options)
}

/// Answers every operation.
struct Mock {
    echo: bool,
    replies: Option<Replies>,
    delay: Option<Duration>,
    /// Whether each call's values are printed.
    values: bool,
}

impl Handler for Mock {
    fn handle(&self, call: Call<'_>) -> Result<Answer, Trouble> {
        let started = Instant::now();
        let operation = call.operation().name.clone();
        let head = format!(
            "{operation} ({} from {})",
            call.version(),
            tell::peer(call.peer())
        );
        let mut values = String::new();
        // The line below tells of errors, and a mock tells its caller as well: nobody needs to log them.
        let result = self.answer(call, &mut values).map_err(|trouble| match trouble {
            Trouble::Error(error) => Trouble::Fault(Box::new(error.to_fault_in_full())),
            fault => fault,
        });
        if let Some(delay) = self.delay {
            std::thread::sleep(delay);
        }
        let outcome = match &result {
            Ok((_, how)) => (*how).to_owned(),
            Err(Trouble::Fault(fault)) => format!("fault {fault}"),
            Err(Trouble::Error(error)) => format!("error: {error}"),
        };
        tell::call(&format!("{head}{values} -> {outcome}, {:.1?}", started.elapsed()));
        result.map(|(answer, _)| answer)
    }
}

impl Mock {
    /// The answer, and where it came from.
    fn answer(&self, call: Call<'_>, values: &mut String) -> Result<(Answer, &'static str), Trouble> {
        let service = call.service();
        let types = service.types().clone();
        let (operation, version) = (call.operation(), call.version());
        let Some((header_type, args_type)) = call.arguments() else {
            return Ok((Answer::default(), "nothing"));
        };
        let mut header = ValueSink::new(types.shape(header_type).clone());
        let mut args = ValueSink::new(types.shape(args_type).clone());
        let replier = call.decode(&mut header, &mut args)?;
        let Graph { root: args, objects } = args.finish_graph();
        if self.values {
            *values = format!(" {}", crate::values::json::record(&types, args_type, &args));
        }
        let Some((header_type, result_type)) = replier.result() else {
            return Ok((Answer::default(), "one-way"));
        };
        if let Some(replies) = &self.replies
            && let Some(canned) = replies.find(&types, operation, version, (header_type, result_type))
        {
            return match canned? {
                Canned::Envelope(bytes) => Ok((Answer::ready(bytes), "canned envelope")),
                Canned::Values(header, result) => {
                    Ok((replier.reply(source(&header), source(&result))?, "canned values"))
                }
            };
        }
        let sampler = Sampler::new(&types, SampleOptions::default());
        let sample = sampler
            .record(result_type)
            .unwrap_or_else(|| Record::new(types.shape(result_type).clone()));
        if !self.echo {
            return Ok((replier.reply(&Nothing, &sample)?, "sample"));
        }
        let echo = echo::fill(&types, (result_type, sample), (args_type, &args));
        let header = header.finish();
        let returned = Record::new(types.shape(header_type).clone());
        let from = operation.input.as_ref().map_or(header_type, |plan| plan.header);
        let returned = echo::fill(&types, (header_type, returned), (from, &header));
        let echo = Graph { root: echo, objects };
        Ok((replier.reply(&returned, &echo)?, "echo"))
    }
}

fn source(value: &Value) -> &dyn Source {
    match value {
        Value::Record(record) => record,
        _ => &Nothing,
    }
}
