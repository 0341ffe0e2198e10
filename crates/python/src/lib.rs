//! The Python and NumPy front of Castile.
//!
//! The only crate that names PyO3 or NumPy. It gives the encoder Python objects to read from
//! (`source`), builds Python objects from what the decoder finds (`sink`), maps errors and faults,
//! and wraps the client and the server of the endpoint in steps, so that the interpreter lock is
//! held only while values are read or made.
//!
//! ```text
//!   arguments ──source──▶ encode │ lock released: bytes move │ decode ──sink──▶ values
//! ```
//!
//! Non-goals: nothing here knows XML, HTTP or WSDL, and what needs no speed (typed objects, type
//! hints, decorators, the faces of clients and servers) is Python, in `python/castile` beside it.
//!
//! ```python
//! import castile, numpy as np
//! client = castile.Client("service.wsdl")
//! values = client.service.echoDoubles(np.linspace(0, 1, 100_000))
//! ```
mod arrow;
mod call;
mod client;
mod cwmp;
mod describe;
mod encoded;
mod error;
mod fault;
mod generate;
mod layers;
mod log;
mod options;
mod reuse;
mod runtime;
mod schema;
mod server;
mod sink;
mod slots;
mod source;
mod stream;
mod temporal;
mod tracked;

use pyo3::prelude::*;

#[pymodule]
mod _castile {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::arrow::read::ArrowReader;
    #[pymodule_export]
    use super::call::{Answer, Call, Request, Running};
    #[pymodule_export]
    use super::client::Client;
    #[pymodule_export]
    use super::cwmp::{Acs, ConnectionRequests, Conversation, Cpe};
    #[pymodule_export]
    use super::describe::{BodyFace, FaultFace, OperationFace, ParameterFace};
    #[pymodule_export]
    use super::generate::generate;
    #[pymodule_export]
    use super::layers::{Clock, Listener};
    #[pymodule_export]
    use super::schema::{FieldFace, PortFace, TypeFace};
    #[pymodule_export]
    use super::server::{Server, ServerCall};
    #[pymodule_export]
    use super::stream::Stream;
    #[pymodule_export]
    use super::temporal::{Moment, Span};
    #[pymodule_export]
    use super::tracked::Changes;
    /// Passes on what the core tells, from now on.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::log::start(module.py());
        Ok(())
    }
    /// This version.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    /// The name of the field for header blocks that the contract does not name.
    #[pymodule_export]
    const HEADER_ANY: &str = castile_contract::HEADER_ANY;
}
