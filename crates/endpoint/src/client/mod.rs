//! Clients: one port of one service.

mod call;
mod carrier;
mod options;
mod outcome;
mod record;
mod related;
mod reply;
mod shared;
mod stream;
mod streamed;

use std::collections::HashMap;
use std::sync::Arc;

use castile_codec::{EncodeOptions, Name, Owner, Version};
use castile_contract::{Binding, Contract, Operation, Protocol, masked};
use castile_diff::{Automata, Templates};
use castile_http::{Request, Response, StatusCode};
use castile_plan::{ComplexId, Plan, Types};
use castile_value::{Sink, Source};
use url::Url;

pub use call::{CallOptions, Exchange, Outgoing};
pub use carrier::{Carrier, Carrying};
pub use options::ClientOptions;
pub use outcome::{Outcome, Reply};
pub use record::Record;
pub use related::{Attachment, Incoming};
pub use shared::{InPlace, SharedReply};
pub use stream::{ReplyStream, Rest};

use self::carrier::Transport;
use self::outcome::Arrived;
use crate::adapt::{arguments, results};
use crate::addressing::{Addressing, AddressingVersion};
use crate::costs::with_costs;
use crate::error::{Error, Guilty, Kind};
use crate::load::{Location, load};
use crate::payload::Payload;

/// A client of one port. Any number of threads may call it at once; they do not wait for each
/// other.
pub struct Client {
    contract: Arc<Contract>,
    binding: usize,
    version: Version,
    operations: HashMap<String, usize>,
    /// `None` where nobody says where the service is.
    endpoint: Option<Url>,
    options: ClientOptions,
    transport: Transport,
    /// The requests sent last, by the address of their operation in the contract.
    templates: Templates<usize>,
    /// What was learned of replies.
    automata: Arc<Automata>,
}

impl Client {
    /// A client of the service that a WSDL describes: the service and port of the options, else
    /// the first SOAP port in document order.
    ///
    /// # Errors
    /// The WSDL cannot be loaded or has no such port, or a certificate file cannot be read. A port without
    /// an address can be looked at, and its messages written and read; an error is to [call](Client::call)
    /// it where the options give none.
    pub fn new(location: impl Into<Location>, options: ClientOptions) -> Result<Client, Error> {
        let contract = load(&location.into(), &options.load)?;
        Client::with_contract(contract, options)
    }

    /// A client of a contract that is loaded already.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn with_contract(contract: Arc<Contract>, options: ClientOptions) -> Result<Client, Error> {
        let transport = Transport::http(&options.http)?;
        Client::build(contract, options, transport)
    }

    /// A client of a contract that is loaded already, whose messages something else carries. The endpoint
    /// of the options is only a name then.
    ///
    /// # Errors
    /// The contract has no such port, or the options' endpoint is no URL.
    pub fn with_carrier(
        contract: Arc<Contract>,
        options: ClientOptions,
        carrier: Arc<dyn Carrier>,
    ) -> Result<Client, Error> {
        Client::build(contract, options, Transport::Carrier(carrier))
    }

    fn build(
        contract: Arc<Contract>,
        mut options: ClientOptions,
        transport: Transport,
    ) -> Result<Client, Error> {
        let (binding, address) = pick(&contract, &options)?;
        if contract.bindings[binding].addressing == castile_contract::Addressing::Required
            && !options.layers.understand(&addressed())
        {
            options.layers = options.layers.with(Addressing::default());
        }
        let version = match contract.bindings[binding].protocol {
            Protocol::Soap12 => Version::Soap12,
            _ => Version::Soap11,
        };
        let endpoint = options
            .endpoint
            .clone()
            .or(address)
            .or_else(|| loaded_from(&contract));
        let parse = |endpoint: String| {
            Url::parse(endpoint.trim())
                .map_err(|e| caller(format!("the endpoint {:?} is no URL: {e}", masked(&endpoint))))
        };
        let endpoint = endpoint.map(parse).transpose()?;
        let operations = contract.bindings[binding].operations.iter().enumerate();
        // Of overloaded operations the first has the name to itself.
        let operations = operations.rev().map(|(i, o)| (o.name.clone(), i)).collect();
        Ok(Client {
            contract,
            binding,
            version,
            operations,
            endpoint,
            templates: Templates::new(with_costs(&options.differential)),
            automata: Arc::new(Automata::new(options.receiving.clone())),
            options,
            transport,
        })
    }

    /// What the WSDL says.
    pub fn contract(&self) -> &Arc<Contract> {
        &self.contract
    }

    /// The binding of the port in use.
    pub fn binding(&self) -> &Binding {
        &self.contract.bindings[self.binding]
    }

    /// The table of the contract's types.
    pub fn types(&self) -> &Arc<Types> {
        &self.contract.types
    }

    /// The version of SOAP that the port speaks.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Where calls go; `None` where neither the contract nor the options say.
    pub fn endpoint(&self) -> Option<&Url> {
        self.endpoint.as_ref()
    }

    /// Where to call.
    pub(crate) fn address(&self) -> Result<Url, Error> {
        self.endpoint.clone().ok_or_else(|| {
            caller(
                "the contract has no address to call: say where the service is \
                 (`--endpoint URL` on the command line, `endpoint=URL` in Python)"
                    .into(),
            )
        })
    }

    /// An operation by name.
    ///
    /// # Errors
    /// The port has no such operation (the error names those it has), or the operation uses what
    /// this version cannot do.
    pub fn operation(&self, name: &str) -> Result<&Operation, Error> {
        let operations = &self.binding().operations;
        let Some(operation) = self.operations.get(name).and_then(|&i| operations.get(i)) else {
            return Err(no_operation(&self.binding().name, name, operations));
        };
        match &operation.unsupported {
            Some(what) => {
                let text = format!("operation {name} cannot be called: {what}");
                Err(Error::new(Kind::Unsupported, Guilty::Contract, text))
            }
            None => Ok(operation),
        }
    }

    /// The complex type whose fields are the operation's arguments.
    ///
    /// # Errors
    /// As [`Client::operation`].
    pub fn arguments(&self, operation: &str) -> Result<ComplexId, Error> {
        let operation = self.operation(operation)?;
        Ok(arguments(self.types(), input(operation)?).0)
    }

    /// How replies are read by what was learned of the last ones.
    pub fn receiving_options(&self) -> &castile_diff::Receiving {
        self.automata.options()
    }

    /// Closes the connections that wait for a next call; a call that comes opens another.
    pub fn close_idle(&self) {
        self.transport.close_idle();
    }

    /// What differential sending did so far.
    pub fn differential(&self) -> castile_diff::Stats {
        self.templates.stats()
    }

    /// Bytes that the budget of differential sending leaves beside what requests keep now.
    pub fn differential_room(&self) -> usize {
        let kept = usize::try_from(self.templates.stats().memory).unwrap_or(usize::MAX);
        self.templates.options().budget_bytes.saturating_sub(kept)
    }

    /// What differential receiving did so far.
    pub fn receiving(&self) -> castile_diff::ReceivingStats {
        self.automata.stats()
    }

    /// What was learned of an operation's replies: for each shape they had, which values may differ.
    ///
    /// # Errors
    /// As [`Client::operation`].
    pub fn variables(&self, operation: &str) -> Result<Vec<Vec<castile_codec::Variable>>, Error> {
        let operation = self.operation(operation)?;
        let number = std::ptr::from_ref(operation) as usize;
        let types = self.types();
        Ok(operation.output.as_ref().map_or_else(Vec::new, |plan| {
            self.automata.variables(number, types, types.shape(plan.body))
        }))
    }

    /// The envelope of a request, without sending it.
    ///
    /// # Errors
    /// As [`Client::operation`], and a value that the contract does not allow.
    pub fn encode(&self, operation: &str, header: &dyn Source, args: &dyn Source) -> Result<Payload, Error> {
        let operation = self.operation(operation)?;
        Ok(self.encode_request(operation, header, args, None)?.0)
    }

    /// Reads a reply that came by other ways: its headers into `header`, its values into the
    /// fields of [`Client::result`]. `owner` is what the body is the end of, if that may be held until the next comes.
    ///
    /// # Errors
    /// What came is no reply of the operation.
    pub fn decode(
        &self,
        operation: &str,
        body: &[u8],
        owner: Option<Owner>,
        header: &mut dyn Sink,
        result: &mut dyn Sink,
    ) -> Result<Outcome, Error> {
        let arrived = self.arrived(operation, body, owner)?;
        let (outcome, _) = self.decode_reply(arrived, header, result, &Automata::decode)?;
        Ok(outcome)
    }

    /// A reply that came by other ways.
    fn arrived<'m>(
        &'m self,
        operation: &str,
        body: &'m [u8],
        owner: Option<Owner>,
    ) -> Result<Arrived<'m>, Error> {
        Ok(Arrived {
            operation: self.operation(operation)?,
            memories: None,
            status: StatusCode::OK,
            content_type: "",
            body,
            owner,
            watch: None,
        })
    }

    /// The complex types of an operation's reply: whose fields are the header blocks, and whose
    /// fields are the results. `None` for one-way operations.
    ///
    /// # Errors
    /// As [`Client::operation`].
    pub fn result(&self, operation: &str) -> Result<Option<(ComplexId, ComplexId)>, Error> {
        let operation = self.operation(operation)?;
        Ok(operation
            .output
            .as_ref()
            .map(|plan| (plan.header, results(self.types(), plan).0)))
    }

    /// Whether messages are checked against the contract both ways.
    pub(crate) fn is_strict(&self) -> bool {
        self.options.strict
    }

    /// The request with the header fields of the options.
    pub(crate) fn with_http_headers(&self, mut request: Request) -> Result<Request, Error> {
        for (name, value) in &self.options.http_headers {
            request = request.header(name, value)?;
        }
        Ok(request)
    }

    /// Sends a request that was made elsewhere.
    pub(crate) fn send_raw(&self, request: Request) -> Result<Response, Error> {
        self.transport.send(request)
    }

    /// [`Client::send_raw`], asking whether to give up.
    pub(crate) fn send_raw_with_interrupt(
        &self,
        request: Request,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Response, Error> {
        self.transport.send_with_interrupt(request, interrupted)
    }

    /// [`Client::send_raw`] for async code.
    pub(crate) async fn send_raw_async(&self, request: Request) -> Result<Response, Error> {
        self.transport.send_async(request).await
    }

    fn encode_options(&self) -> EncodeOptions {
        EncodeOptions {
            strict: self.options.strict,
            digits: self.options.digits,
            share_texts: self.options.share_texts,
            overlay_above: None,
            depth_max: self.options.limits.depth_max,
        }
    }
}

/// A header that whoever speaks WS-Addressing knows.
fn addressed() -> Name {
    Name {
        namespace: AddressingVersion::V10.namespace().to_owned(),
        local: "Action".to_owned(),
    }
}

fn input(operation: &Operation) -> Result<&Plan, Error> {
    operation.input.as_ref().ok_or_else(|| {
        let text = format!(
            "operation {} has no input message: it is the server that sends it",
            operation.name
        );
        Error::new(Kind::Unsupported, Guilty::Contract, text)
    })
}

/// The URL that a contract was loaded from, without its query: who shows a contract at `?wsdl`
/// mostly answers there.
fn loaded_from(contract: &Contract) -> Option<String> {
    let mut url = Url::parse(&contract.documents.first()?.location).ok()?;
    url.set_query(None);
    matches!(url.scheme(), "http" | "https").then(|| url.to_string())
}

fn caller(text: String) -> Error {
    Error::new(Kind::Value, Guilty::Caller, text)
}

pub(crate) fn no_operation(binding: &str, name: &str, operations: &[Operation]) -> Error {
    let known: Vec<&str> = operations.iter().take(20).map(|o| &*o.name).collect();
    let more = if operations.len() > known.len() {
        ", ..."
    } else {
        ""
    };
    let near = castile_contract::near(name, operations.iter().map(|o| &*o.name));
    let near = near.map_or(String::new(), |near| format!("did you mean {near:?}? "));
    let text = format!(
        "binding {binding} has no operation {name:?}; {near}it has {}{more}",
        known.join(", ")
    );
    Error::new(Kind::NoSuchOperation, Guilty::Caller, text)
}

/// The binding and address of the port that the options name, or of the first SOAP port.
fn pick(contract: &Contract, options: &ClientOptions) -> Result<(usize, Option<String>), Error> {
    let soap = |binding: usize| {
        matches!(
            contract.bindings.get(binding).map(|b| &b.protocol),
            Some(Protocol::Soap11 | Protocol::Soap12)
        )
    };
    let wanted = |given: &Option<String>, name: &str| given.as_ref().is_none_or(|g| g == name);
    let services = contract
        .services
        .iter()
        .filter(|s| wanted(&options.service, &s.name));
    let ports = services.flat_map(|s| s.ports.iter().filter(|p| wanted(&options.port, &p.name)));
    if let Some(port) = ports.clone().find(|p| soap(p.binding)) {
        return Ok((port.binding, port.address.clone()));
    }
    // A contract without services can be used when somebody says where.
    let binding = (0..contract.bindings.len()).find(|&b| soap(b));
    if let (Some(binding), true, None, None) = (
        binding,
        contract.services.is_empty(),
        &options.service,
        &options.port,
    ) {
        return Ok((binding, None));
    }
    let known = contract
        .services
        .iter()
        .flat_map(|s| s.ports.iter().map(move |p| format!("{}/{}", s.name, p.name)));
    let known: Vec<String> = known.collect();
    let has = if known.is_empty() {
        "no ports".into()
    } else {
        known.join(", ")
    };
    let slip = |given: &Option<String>, names: &mut dyn Iterator<Item = &str>| {
        let given = given.as_deref()?;
        let near = castile_contract::near(given, names).filter(|near| *near != given)?;
        Some(format!("; did you mean {near:?}?"))
    };
    let ports = contract.services.iter().flat_map(|s| &s.ports);
    let near = slip(&options.service, &mut contract.services.iter().map(|s| &*s.name))
        .or_else(|| slip(&options.port, &mut ports.map(|p| &*p.name)))
        .unwrap_or_default();
    Err(Error::new(
        Kind::NoSuchOperation,
        Guilty::Caller,
        format!("no such SOAP port; the contract has {has}{near}"),
    ))
}
