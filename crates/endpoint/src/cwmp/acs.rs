//! The auto-configuration server: [`Acs`].

use std::collections::HashMap;
use std::future::Future;
use std::net::ToSocketAddrs;
use std::ops::Deref;
use std::sync::Arc;

use castile_codec::Fault;
use castile_contract::Contract;
use castile_value::{Record, Value};

use super::fault::{CwmpFault, style};
use super::headers::Headers;
use super::{INFORM, METHODS_OF, method_list, namespace};
use crate::client::ClientOptions;
use crate::error::{Error, Guilty, Kind};
use crate::layers::Layers;
use crate::server::{Answer, Call, Handler, Service, ServiceOptions, Trouble, dynamic};
use crate::session::{Conversation, Host, HostOptions, HostServer, Program, Session, host_parts as host};

/// Settings of an ACS.
#[derive(Clone, Debug, Default)]
pub struct AcsOptions {
    /// Check devices' messages against the schema in everything. Default false: real devices invent event
    /// codes and forget elements.
    pub strict: bool,
    /// Have devices hold back what they would ask until the session's function has ended, so that it runs
    /// at once after `Inform`. Default false.
    pub hold_requests: bool,
    /// The sessions and the transport. `opening` is `Inform`, whatever is set here.
    pub host: HostOptions,
    /// Limits on the XML of devices.
    pub limits: castile_codec::Limits,
}

/// An auto-configuration server.
///
/// ```no_run
/// use castile_endpoint::cwmp::{Acs, AcsOptions};
/// use castile_endpoint::{LoadOptions, load};
/// use castile_value::Value;
///
/// # fn main() -> Result<(), castile_endpoint::Error> {
/// let contract = load(&"cwmp-1-2.xsd".into(), &LoadOptions::default())?;
/// let acs = Acs::new([contract], AcsOptions::default())?.on_session(|session| async move {
///     println!("{:?}", session.inform().get("DeviceId"));
///     let names = Value::map([("ParameterNames", Value::List(vec!["Device.".into()]))]);
///     match session.call("GetParameterValues", &names).await? {
///         Ok(reply) => println!("{:?}", reply.value),
///         Err(fault) => eprintln!("{fault}"),
///     }
///     Ok(())
/// });
/// acs.bind("0.0.0.0:7547")?.start()?.join();
/// # Ok(())
/// # }
/// ```
pub struct Acs {
    contracts: Vec<Arc<Contract>>,
    options: AcsOptions,
    methods: HashMap<String, Arc<dyn Handler>>,
    program: Program,
}

/// What devices may call (TR-069 Amendment 6, table 4), and what needs no more than being told that it
/// came: the function of the session sees it.
const METHODS: [(&str, bool); 7] = [
    (INFORM, false),
    (METHODS_OF, false),
    ("TransferComplete", true),
    ("AutonomousTransferComplete", true),
    ("RequestDownload", true),
    ("DUStateChangeComplete", true),
    ("AutonomousDUStateChangeComplete", true),
];

impl Acs {
    /// An ACS for these versions of the schema: each session is by the one that its `Inform` is of.
    ///
    /// # Errors
    /// There is no contract, or one is not of CWMP.
    pub fn new(
        contracts: impl IntoIterator<Item = Arc<Contract>>,
        options: AcsOptions,
    ) -> Result<Acs, Error> {
        let contracts: Vec<_> = contracts.into_iter().collect();
        if contracts.is_empty() {
            return Err(Error::new(Kind::Value, Guilty::Caller, "an ACS needs a contract"));
        }
        contracts.iter().try_for_each(|c| namespace(c).map(drop))?;
        Ok(Acs {
            contracts,
            options,
            methods: HashMap::new(),
            program: host::program(|_| std::future::ready(Ok(()))),
        })
    }

    /// Answers a method that devices call by this function, which is given the session and the
    /// arguments. Without one, `Inform` and `GetRPCMethods` are answered, and the notices of completion
    /// are acknowledged.
    #[must_use]
    pub fn on(
        self,
        method: &str,
        function: impl Fn(&Arc<Conversation>, Record) -> Result<Value, Fault> + Send + Sync + 'static,
    ) -> Acs {
        self.on_call(method, Arc::new(Function(function)))
    }

    /// The same by a handler, which decodes the call itself.
    #[must_use]
    pub fn on_call(mut self, method: &str, handler: Arc<dyn Handler>) -> Acs {
        self.methods.insert(method.to_owned(), handler);
        self
    }

    /// What is done with a device once it has no more to ask; the session ends with this function.
    #[must_use]
    pub fn on_session<F, R>(mut self, function: F) -> Acs
    where
        F: Fn(AcsSession) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let function = Arc::new(function);
        self.program = host::program(move |session| {
            let function = function.clone();
            async move { function(AcsSession::new(session)?).await }
        });
        self
    }

    /// The same by a function that blocks; it is given a thread for each session.
    #[must_use]
    pub fn on_session_blocking(
        mut self,
        function: impl Fn(AcsSession) -> Result<(), Error> + Send + Sync + 'static,
    ) -> Acs {
        self.program = host::program_blocking(move |session| function(AcsSession::new(session)?));
        self
    }

    /// The host of the sessions.
    ///
    /// # Errors
    /// A contract has no operations.
    pub fn host(self) -> Result<Host, Error> {
        let Acs {
            contracts,
            options,
            methods,
            program,
        } = self;
        let methods = Arc::new(methods);
        let parts = contracts.into_iter().map(|contract| {
            let namespace = namespace(&contract)?;
            let mut headers = Headers::new(&namespace);
            headers.hold = options.hold_requests;
            let layers = Layers::default().with(headers);
            let methods = methods.clone();
            let service_options = ServiceOptions {
                strict: options.strict,
                limits: options.limits,
                layers: layers.clone(),
                faults: Some(style(namespace, 8000)),
                ..ServiceOptions::default()
            };
            Ok(host::Part {
                service: Arc::new(Service::new(contract, service_options, Methods(methods))?),
                calls: ClientOptions {
                    strict: options.strict,
                    limits: options.limits,
                    layers,
                    ..ClientOptions::default()
                },
            })
        });
        let parts = parts.collect::<Result<Vec<_>, Error>>()?;
        let host_options = HostOptions {
            opening: Some(INFORM.to_owned()),
            linger: options.hold_requests || options.host.linger,
            ..options.host
        };
        Ok(Host::of(parts, program, host_options))
    }

    /// Puts the ACS on a socket.
    ///
    /// # Errors
    /// As [`Acs::host`]; the address cannot be bound.
    pub fn bind(self, address: impl ToSocketAddrs) -> Result<HostServer, Error> {
        self.host()?.bind(address)
    }
}

/// A session with a device while it is the ACS that calls.
pub struct AcsSession {
    session: Session,
    inform: Record,
}

impl AcsSession {
    fn new(session: Session) -> Result<AcsSession, Error> {
        let inform = session.conversation().opening()?.arguments;
        Ok(AcsSession { session, inform })
    }

    /// What the device said of itself when it opened the session.
    pub fn inform(&self) -> &Record {
        &self.inform
    }

    /// The session alone.
    pub fn into_session(self) -> Session {
        self.session
    }
}

impl Deref for AcsSession {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

/// Answers what devices call.
struct Methods(Arc<HashMap<String, Arc<dyn Handler>>>);

impl Handler for Methods {
    fn handle(&self, call: Call<'_>) -> Result<Answer, Trouble> {
        let name = call.operation().name.clone();
        if let Some(handler) = self.0.get(&name) {
            return handler.handle(call);
        }
        let acknowledged = METHODS
            .iter()
            .any(|(n, acknowledged)| *acknowledged && *n == name);
        dynamic(call, |_, _| {
            let value = match &*name {
                INFORM => Value::map([("MaxEnvelopes", Value::from(1i64))]),
                METHODS_OF => method_list(&self.names()),
                _ if acknowledged => Value::Absent,
                _ => return Err(CwmpFault::new(8000, "Method not supported").into()),
            };
            Ok((value, Value::Absent))
        })
    }
}

/// A function as a handler.
struct Function<F>(F);

impl<F> Handler for Function<F>
where
    F: Fn(&Arc<Conversation>, Record) -> Result<Value, Fault> + Send + Sync + 'static,
{
    fn handle(&self, call: Call<'_>) -> Result<Answer, Trouble> {
        let conversation = call.conversation().cloned();
        dynamic(call, |args, _| match &conversation {
            Some(conversation) => Ok((self.0(conversation, args)?, Value::Absent)),
            None => Err(CwmpFault::new(8001, "Request denied: it came in no session").into()),
        })
    }
}

impl Methods {
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = METHODS.iter().map(|(name, _)| *name).collect();
        let own = self
            .0
            .keys()
            .map(String::as_str)
            .filter(|name| !names.contains(name));
        let mut own: Vec<&str> = own.collect();
        own.sort_unstable();
        names.append(&mut own);
        names
    }
}
