//! Clients, traits and handlers.

use std::fmt::Write;

use castile_plan::ComplexId;

use super::model::Model;
use crate::doc::comment;
use crate::ident::{Scope, camel, rust, snake};
use crate::reach::{Interface, Signature};

const EMPTY: &str = "typed::Empty";

/// Appends a client and a trait for each interface, and a handler for each service.
pub(super) fn write(out: &mut String, model: &mut Model<'_>, interfaces: &[Interface<'_>]) {
    let mut traits: Vec<Named<'_>> = Vec::new();
    for interface in interfaces {
        let client = model.scope.take(&format!("{}Client", camel(interface.name)), "");
        let service = model.scope.take(&format!("{}Service", camel(interface.name)), "");
        let methods = methods(interface);
        write_client(out, model, interface, &client, &methods);
        write_trait(out, model, interface, &service, &methods);
        traits.push(Named {
            interface,
            name: service,
            methods,
        });
    }
    write_handlers(out, model, &traits);
}

/// An interface with the names of its trait and methods.
struct Named<'i> {
    interface: &'i Interface<'i>,
    name: String,
    methods: Vec<(String, String)>,
}

/// The name of each operation's method, and of the one for async code.
fn methods(interface: &Interface<'_>) -> Vec<(String, String)> {
    let mut scope = Scope::with(&["new", "with", "client"]);
    let operations = interface.operations.iter();
    operations
        .map(|s| {
            let name = scope.take(&snake(&s.operation.name), "");
            let later = scope.take(&format!("{name}_async"), "");
            (rust(name), rust(later))
        })
        .collect()
}

fn name(model: &Model<'_>, id: Option<ComplexId>) -> String {
    id.and_then(|id| model.records.get(&id).cloned())
        .unwrap_or_else(|| EMPTY.into())
}

/// A type of the module `typed` with parameters; the last are left out where they are the default.
fn with(name: &str, parameters: &[&str]) -> String {
    let said = parameters
        .iter()
        .rposition(|p| *p != EMPTY)
        .map_or(0, |last| last + 1);
    // The first parameter of some has no default.
    let said = if name == "Failure" { said } else { said.max(1) };
    match parameters.get(..said) {
        Some(said) if !said.is_empty() => format!("typed::{name}<{}>", said.join(", ")),
        _ => format!("typed::{name}"),
    }
}

/// The types of an operation, in the order in which code names them.
struct Types {
    request: String,
    request_header: String,
    reply: String,
    reply_header: String,
    detail: String,
}

impl Types {
    fn of(model: &Model<'_>, signature: &Signature<'_>) -> Types {
        Types {
            request: name(model, Some(signature.request)),
            request_header: name(model, signature.request_header),
            reply: name(model, signature.reply),
            reply_header: name(model, signature.reply_header),
            detail: name(model, signature.detail),
        }
    }
}

fn write_client(
    out: &mut String,
    model: &Model<'_>,
    interface: &Interface<'_>,
    client: &str,
    methods: &[(String, String)],
) {
    let _ = writeln!(
        out,
        "\n/// A client of the port type `{}`. Any number of threads may call it at once.\npub struct {client}(castile::Client);",
        interface.binding.port_type.replace('`', "")
    );
    let pick = match interface.port {
        Some((service, port)) => format!(
            "        if options.service.is_none() && options.port.is_none() {{\n            \
             options.service = Some({service:?}.into());\n            options.port = Some({port:?}.into());\n        }}\n"
        ),
        None => String::new(),
    };
    let mutable = if pick.is_empty() { "" } else { "mut " };
    let _ = write!(
        out,
        "\nimpl {client} {{\n    /// A client of the first port of this type, or of the one that the options name.\n    ///\n    \
         /// # Errors\n    /// There is no address to call, or a file that the options name cannot be read.\n    \
         pub fn new({mutable}options: castile::ClientOptions) -> Result<Self, castile::Error> {{\n{pick}        \
         Ok({client}(castile::Client::with_contract(CONTRACT.contract()?, options)?))\n    }}\n\n    \
         /// The client below, for calls with dynamic values.\n    \
         pub fn client(&self) -> &castile::Client {{\n        &self.0\n    }}\n"
    );
    for (signature, (method, later)) in interface.operations.iter().zip(methods) {
        write_method(out, model, signature, method, false);
        write_method(out, model, signature, later, true);
    }
    for (operation, why) in &interface.left_out {
        let _ = writeln!(out);
        comment(out, "    ", "//", &format!("{operation} is left out: {why}"));
    }
    out.push_str("}\n");
}

fn write_method(out: &mut String, model: &Model<'_>, signature: &Signature<'_>, method: &str, later: bool) {
    let types = Types::of(model, signature);
    let operation = signature.operation;
    let mut parameters = String::new();
    let header = match signature.request_header {
        Some(_) => {
            let _ = write!(parameters, ", header: &{}", types.request_header);
            "header".to_owned()
        }
        None => "&typed::EMPTY".to_owned(),
    };
    let empty = model.types.complex(signature.request).fields.is_empty();
    let request = if empty {
        "&typed::EMPTY".to_owned()
    } else {
        let _ = write!(parameters, ", request: &{}", types.request);
        "request".to_owned()
    };
    let (is_async, function, wait) = match later {
        true => ("async ", "call_async", ".await"),
        false => ("", "call", ""),
    };
    out.push('\n');
    match &operation.doc {
        Some(text) if !later => comment(out, "    ", "///", text),
        _ if later => out.push_str("    /// The same for async code.\n"),
        _ => {
            let _ = writeln!(out, "    /// Calls `{}`.", operation.name.replace('`', ""));
        }
    }
    let _ = write!(
        out,
        "    pub {is_async}fn {method}(&self{parameters}) -> Result<{}, {}> {{\n        \
         typed::{function}(&self.0, {:?}, {header}, {request}){wait}\n    }}\n",
        with("Reply", &[&types.reply, &types.reply_header]),
        with("Failure", &[&types.detail]),
        operation.name,
    );
}

fn write_trait(
    out: &mut String,
    model: &Model<'_>,
    interface: &Interface<'_>,
    service: &str,
    methods: &[(String, String)],
) {
    let _ = writeln!(
        out,
        "\n/// What answers the port type `{}`. Methods run on threads that may block.\npub trait {service}: Send + Sync + 'static {{",
        interface.binding.port_type.replace('`', "")
    );
    for (i, (signature, (method, _))) in interface.operations.iter().zip(methods).enumerate() {
        let types = Types::of(model, signature);
        if i > 0 {
            out.push('\n');
        }
        match &signature.operation.doc {
            Some(text) => comment(out, "    ", "///", text),
            None => {
                let _ = writeln!(
                    out,
                    "    /// Answers `{}`.",
                    signature.operation.name.replace('`', "")
                );
            }
        }
        let _ = writeln!(
            out,
            "    fn {method}(&self, request: {}) -> Result<{}, {}>;",
            with("Request", &[&types.request, &types.request_header]),
            result(&types, signature),
            with("Failure", &[&types.detail]),
        );
    }
    out.push_str("}\n");
}

/// What a method of the trait gives: the reply, and its header when the contract declares one.
fn result(types: &Types, signature: &Signature<'_>) -> String {
    match (signature.reply, signature.reply_header) {
        (None, _) => "()".into(),
        (Some(_), None) => types.reply.clone(),
        (Some(_), Some(_)) => format!("({}, {})", types.reply, types.reply_header),
    }
}

/// One handler for each service: it answers all port types that the service has ports of.
fn write_handlers(out: &mut String, model: &mut Model<'_>, traits: &[Named<'_>]) {
    let mut services: Vec<(&str, Vec<&Named<'_>>)> = Vec::new();
    for service in &model.contract.services {
        let ports = service
            .ports
            .iter()
            .filter_map(|p| model.contract.bindings.get(p.binding));
        let mut of: Vec<&Named<'_>> = Vec::new();
        for binding in ports.filter(|b| b.protocol.is_soap()) {
            let found = traits
                .iter()
                .find(|t| t.interface.binding.port_type == binding.port_type);
            of.extend(found.filter(|t| !of.iter().any(|known| known.name == t.name)));
        }
        if !of.is_empty() {
            services.push((&service.name, of));
        }
    }
    if model.contract.services.is_empty() && !traits.is_empty() {
        services.push((&model.contract.name, traits.iter().collect()));
    }
    for (service, traits) in services {
        let handler = model.scope.take(&format!("{}Handler", camel(service)), "");
        write_handler(out, model, service, &handler, &traits);
    }
}

fn write_handler(out: &mut String, model: &Model<'_>, service: &str, handler: &str, traits: &[&Named<'_>]) {
    let bounds: Vec<&str> = traits.iter().map(|t| t.name.as_str()).collect();
    let bounds = bounds.join(" + ");
    let select = match model.contract.services.is_empty() {
        true => String::new(),
        false => format!("        options.service = Some({service:?}.into());\n"),
    };
    let mutable = if select.is_empty() { "" } else { "mut " };
    let _ = write!(
        out,
        "\n/// Answers the service `{}` by an implementation of its port types.\npub struct {handler}<T>(pub T);\n\n\
         impl<T: {bounds}> {handler}<T> {{\n    /// The service, to be put behind HTTP: `castile::Server::bind` takes it, and `&CONTRACT` for the\n    \
         /// documents that it shows.\n    ///\n    /// # Errors\n    /// The contract cannot be used: generate this code again.\n    \
         pub fn service(self, {mutable}options: castile::ServiceOptions) -> Result<castile::Service, castile::Error> {{\n{select}        \
         castile::Service::new(CONTRACT.contract()?, options, self)\n    }}\n}}\n\n\
         impl<T: {bounds}> castile::Handler for {handler}<T> {{\n    \
         fn handle(&self, call: castile::Call<'_>) -> Result<castile::Answer, castile::Trouble> {{\n        \
         match (call.binding().port_type.as_str(), call.operation().name.as_str()) {{\n",
        service.replace('`', "")
    );
    for named in traits {
        for (signature, (method, _)) in named.interface.operations.iter().zip(&named.methods) {
            let types = Types::of(model, signature);
            let call = format!("{}::{method}(&self.0, request)", named.name);
            let give = match (signature.reply, signature.reply_header) {
                (None, _) => format!("{call}.map(|()| (typed::EMPTY, typed::EMPTY))"),
                (Some(_), None) => format!("{call}.map(|reply| (reply, typed::EMPTY))"),
                (Some(_), Some(_)) => call,
            };
            let _ = write!(
                out,
                "            ({:?}, {:?}) => typed::answer(call, |request: {}| {{\n                {give}\n            }}),\n",
                named.interface.binding.port_type,
                signature.operation.name,
                with("Request", &[&types.request, &types.request_header]),
            );
        }
    }
    let _ = write!(
        out,
        "            _ => typed::unknown(&call),\n        }}\n    }}\n}}\n"
    );
}
