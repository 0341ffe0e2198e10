//! `castile inspect`: services, operations and types, for people and programs.

mod faults;
mod findings;
mod json;
mod outline;
mod reach;
mod text;
mod words;

use std::process::ExitCode;
use std::sync::Arc;

use castile_contract::{Contract, PortRef};
use clap::Args;

use crate::failure::Failure;
use crate::load::ContractArgs;

const EXAMPLES: &str = "\
How to read it:
  Search(place: string, days?: int, tag: string[]) -> Match[]
  days may be left out, tag stands any number of times, the result is a list.

Examples:
  castile inspect weather.wsdl
  castile inspect weather.wsdl --operation Forecast       arguments, result and their types in full
  castile inspect weather.wsdl --types                    all types as well
  castile inspect https://host/service?wsdl --json | jq '.services[].ports[].operations[].name'";

/// Print the services, operations and types of a WSDL
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    contract: ContractArgs,
    /// Only this operation, in full
    #[arg(short, long, value_name = "NAME")]
    operation: Option<String>,
    /// Only this service
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
    /// Only this port
    #[arg(long, value_name = "NAME")]
    port: Option<String>,
    /// The types as well
    #[arg(short, long)]
    types: bool,
    /// Print JSON, for programs; types are always part of it
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is to be shown of a contract.
struct View {
    contract: Arc<Contract>,
    /// The WSDL as the user named it.
    location: String,
    /// The same for another command, with its options.
    words: String,
    operation: Option<String>,
    service: Option<String>,
    port: Option<String>,
    types: bool,
    /// Whether all warnings are shown, also where many are alike.
    verbose: bool,
}

impl View {
    /// The ports to show, with the operations to show of each.
    fn ports(&self) -> Vec<PortRef<'_>> {
        let ports = self.contract.ports(self.service.as_deref(), self.port.as_deref());
        ports.unwrap_or_default()
    }

    /// Whether an operation is to be shown.
    fn wants(&self, operation: &castile_contract::Operation) -> bool {
        self.operation.as_ref().is_none_or(|name| *name == operation.name)
    }
}

pub(crate) fn run(args: &InspectArgs, verbose: u8) -> Result<ExitCode, Failure> {
    let contract = args.contract.load()?;
    if args.service.is_some() || args.port.is_some() {
        contract.ports(args.service.as_deref(), args.port.as_deref())?;
    }
    if let Some(name) = &args.operation {
        contract.operation(args.service.as_deref(), args.port.as_deref(), name)?;
    }
    let view = View {
        contract,
        location: castile_contract::masked(&args.contract.wsdl).into_owned(),
        words: args.contract.words(),
        operation: args.operation.clone(),
        service: args.service.clone(),
        port: args.port.clone(),
        types: args.types,
        verbose: verbose > 0,
    };
    let text = if args.json {
        crate::values::json::pretty(&json::contract(&view)) + "\n"
    } else {
        text::contract(&view)
    };
    crate::output::print(text.as_bytes(), !args.json)?;
    Ok(ExitCode::SUCCESS)
}
