//! The device: [`Cpe`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use castile_codec::Fault;
use castile_contract::Contract;
use castile_value::Value;

use super::fault::{CwmpFault, style};
use super::headers::Headers;
use super::{INFORM, METHODS_OF, method_list, namespace};
use crate::client::{CallOptions, Client, ClientOptions, Reply};
use crate::error::{Error, Guilty, Kind};
use crate::server::{Answer, Call, Handler, Handlers, Service, ServiceOptions, Trouble, dynamic};

/// Settings of a device.
#[derive(Clone, Debug, Default)]
pub struct CpeOptions {
    /// How it calls: `endpoint` is the URL of the ACS, `http.auth` its user and password. Layers that are
    /// set here come before those of CWMP.
    pub client: ClientOptions,
    /// The seconds of silence that it bears, which it tells the ACS (`SessionTimeout`, CWMP 1.3).
    pub session_timeout: Option<u32>,
    /// The versions that it tells the ACS it speaks, such as `1.0,1.1,1.2,1.3,1.4` (CWMP 1.4).
    pub versions: Option<String>,
}

/// A device, by one version of the schema.
pub struct Cpe {
    client: Arc<Client>,
    service: Service,
    held: Arc<AtomicBool>,
}

impl Cpe {
    /// A device whose methods these functions answer; `GetRPCMethods` is answered without one.
    ///
    /// # Errors
    /// The contract is not of CWMP; no URL, or one that is none.
    pub fn new(contract: Arc<Contract>, options: CpeOptions, handlers: Handlers) -> Result<Cpe, Error> {
        let names = handlers.operations().map(str::to_owned).collect();
        Cpe::with_handler(contract, options, handlers, names)
    }

    /// A device that answers methods of these names by a handler, which decodes the calls itself.
    ///
    /// # Errors
    /// As [`Cpe::new`].
    pub fn with_handler(
        contract: Arc<Contract>,
        options: CpeOptions,
        handler: impl Handler,
        mut names: Vec<String>,
    ) -> Result<Cpe, Error> {
        names.sort_unstable();
        let methods = Methods { handler, names };
        let namespace = namespace(&contract)?;
        let mut headers = Headers::new(&namespace);
        headers.session_timeout = options.session_timeout;
        headers.versions = options.versions;
        let held = headers.held.clone();
        let mut client = options.client;
        client.layers = client.layers.with(headers);
        let service = ServiceOptions {
            strict: client.strict,
            limits: client.limits,
            layers: client.layers.clone(),
            faults: Some(style(namespace, 9000)),
            ..ServiceOptions::default()
        };
        Ok(Cpe {
            service: Service::new(contract.clone(), service, methods)?,
            client: Arc::new(Client::with_contract(contract, client)?),
            held,
        })
    }

    /// Opens a session: calls `Inform` with these arguments. One session at a time.
    ///
    /// # Errors
    /// As [`Client::call`]; a fault of the ACS is [`Kind::Peer`].
    pub fn inform(&self, args: &Value) -> Result<CpeSession<'_>, Error> {
        let answered = self.client.call(INFORM, args)?;
        self.opened(answered)
    }

    /// [`Cpe::inform`] for async code.
    ///
    /// # Errors
    /// As [`Cpe::inform`].
    pub async fn inform_async(&self, args: &Value) -> Result<CpeSession<'_>, Error> {
        let answered = self
            .client
            .call_async(INFORM, args, &CallOptions::default())
            .await?;
        self.opened(answered)
    }

    fn opened(&self, answered: Result<Reply, Fault>) -> Result<CpeSession<'_>, Error> {
        match answered {
            Ok(_) => Ok(CpeSession { cpe: self }),
            Err(fault) => {
                let said = CwmpFault::of(&fault).map_or_else(|| fault.to_string(), |f| f.to_string());
                let text = format!("the ACS refused the session: {said}");
                Err(Error::new(Kind::Peer, Guilty::Peer, text))
            }
        }
    }

    /// The client that calls the ACS.
    pub fn client(&self) -> &Arc<Client> {
        &self.client
    }

    /// The service that the ACS calls.
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// Whether the ACS holds requests back.
    pub fn is_held(&self) -> bool {
        self.held.load(Ordering::Relaxed)
    }
}

/// A session that a device opened.
pub struct CpeSession<'c> {
    cpe: &'c Cpe,
}

impl CpeSession<'_> {
    /// Whether the ACS holds requests back: then it wants to call first, and [`CpeSession::finish`] lets it.
    pub fn is_held(&self) -> bool {
        self.cpe.is_held()
    }

    /// Calls a method of the ACS.
    ///
    /// # Errors
    /// As [`Client::call`]; the ACS holds requests back. A fault is `Ok(Err(_))`.
    pub fn call(&self, method: &str, args: &Value) -> Result<Result<Reply, Fault>, Error> {
        self.allowed(method)?;
        self.cpe.client.call(method, args)
    }

    /// [`CpeSession::call`] for async code.
    ///
    /// # Errors
    /// As [`CpeSession::call`].
    pub async fn call_async(&self, method: &str, args: &Value) -> Result<Result<Reply, Fault>, Error> {
        self.allowed(method)?;
        self.cpe
            .client
            .call_async(method, args, &CallOptions::default())
            .await
    }

    /// Passes the turn and answers what the ACS calls, until it has no more to ask. Gives how many calls
    /// there were. A device that was held back may call and finish once more.
    ///
    /// # Errors
    /// As [`Client::take_calls`].
    pub fn finish(&self) -> Result<u32, Error> {
        self.cpe.client.take_calls(&self.cpe.service)
    }

    /// [`CpeSession::finish`] for async code.
    ///
    /// # Errors
    /// As [`Client::take_calls`].
    pub async fn finish_async(&self) -> Result<u32, Error> {
        self.cpe.client.take_calls_async(&self.cpe.service).await
    }

    fn allowed(&self, method: &str) -> Result<(), Error> {
        if self.is_held() {
            let text = format!("{method} must wait: the ACS holds requests back (finish lets it call first)");
            return Err(Error::new(Kind::Value, Guilty::Caller, text));
        }
        Ok(())
    }
}

/// Answers what the ACS calls.
struct Methods<H> {
    handler: H,
    /// Those that the handler answers, in order.
    names: Vec<String>,
}

impl<H: Handler> Handler for Methods<H> {
    fn handle(&self, call: Call<'_>) -> Result<Answer, Trouble> {
        let name = &*call.operation().name;
        if self.names.iter().any(|n| n == name) {
            return self.handler.handle(call);
        }
        if name != METHODS_OF {
            return Err(Fault::from(CwmpFault::new(9000, "Method not supported")).into());
        }
        let mut names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        names.push(METHODS_OF);
        dynamic(call, |_, _| Ok((method_list(&names), Value::Absent)))
    }
}
