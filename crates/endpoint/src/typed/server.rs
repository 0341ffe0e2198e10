//! Services with generated types.

use std::net::SocketAddr;

use castile_codec::{Code, Detail, Fault, HeaderBlock, Name};
use castile_value::typed::{Builder, Empty, Fields};

use super::convert::record_of;
use super::failure::{Failure, TypedFault};
use crate::error::{Error, Guilty, Kind};
use crate::server::{Answer, Call, Trouble};

/// A call that a service received: `T` is the generated type of the arguments, `H` that of the header
/// blocks that the contract declares.
#[derive(Clone, Debug)]
pub struct Request<T, H = Empty> {
    /// The arguments.
    pub value: T,
    /// The declared header blocks.
    pub header: H,
    /// All header blocks as they came.
    pub blocks: Vec<HeaderBlock>,
    /// Who calls; `None` when the call did not come over a socket.
    pub peer: Option<SocketAddr>,
}

/// Answers a call by a function from request to result and its header.
///
/// # Errors
/// The message is not what the contract says; the fault or error that `function` gives.
pub fn answer<T, H, R, K, D>(
    call: Call<'_>,
    function: impl FnOnce(Request<T, H>) -> Result<(R, K), Failure<D>>,
) -> Result<Answer, Trouble>
where
    T: Fields + Default,
    H: Fields + Default,
    R: Fields,
    K: Fields,
    D: Fields,
{
    let (service, operation) = (call.service(), call.operation());
    let (blocks, peer) = (call.headers().to_vec(), call.peer());
    let (mut header, mut value) = match service.options().strict {
        true => (Builder::<H>::new(), Builder::<T>::new()),
        false => (Builder::lax(), Builder::lax()),
    };
    let replier = call.decode(&mut header, &mut value)?;
    let unfit = |e: castile_value::typed::Mismatch| {
        let text = format!("the request for {}: {e}", operation.name);
        Error::new(Kind::Peer, Guilty::Peer, text)
    };
    let request = Request {
        value: value.finish().map_err(unfit)?,
        header: header.finish().map_err(unfit)?,
        blocks,
        peer,
    };
    match function(request) {
        Ok((result, header)) => Ok(replier.reply(&header, &result)?),
        Err(Failure::Error(error)) => Err(error.into()),
        Err(Failure::Fault(fault)) => {
            let TypedFault { detail, mut fault } = *fault;
            if let Some(detail) = detail {
                let types = service.types();
                let fields = &types.complex(operation.detail).fields;
                let values = record_of(types, operation.detail, &detail).into_values();
                let entries = fields.iter().zip(values).filter(|(_, v)| v.count() > 0);
                fault.detail.extend(entries.map(|(field, value)| Detail {
                    name: Name {
                        namespace: types.uri(field.wire.ns).to_owned(),
                        local: field.wire.local.to_string(),
                    },
                    value,
                }));
            }
            Err(fault.into())
        }
    }
}

/// The answer to an operation that generated code does not know: one of a port type of another
/// service.
///
/// # Errors
/// Always.
pub fn unknown(call: &Call<'_>) -> Result<Answer, Trouble> {
    let text = format!("operation {} is not implemented", call.operation().name);
    Err(Fault::new(Code::Receiver, text).into())
}
