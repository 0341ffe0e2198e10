//! Calls with generated types.

use castile_codec::HeaderBlock;
use castile_value::Source;
use castile_value::typed::{Builder, Empty, Fields};

use super::convert::declared;
use super::failure::{Failure, TypedFault};
use crate::client::{Client, Exchange, Outcome, Record};
use crate::error::{Error, Guilty, Kind};

/// A reply: `T` is the generated type of the results, `H` that of the header blocks that the contract
/// declares.
#[derive(Debug)]
pub struct Reply<T, H = Empty> {
    /// The results.
    pub value: T,
    /// The declared header blocks.
    pub header: H,
    /// All header blocks as they came.
    pub blocks: Vec<HeaderBlock>,
    /// What the call did and cost.
    pub record: Record,
}

/// Calls an operation. `header` and `request` are of the types that were generated for it, and so
/// must be the result.
///
/// # Errors
/// A fault, and all that [`Client::call`] fails with.
pub fn call<T, H, D>(
    client: &Client,
    operation: &str,
    header: &dyn Source,
    request: &dyn Source,
) -> Result<Reply<T, H>, Failure<D>>
where
    T: Fields + Default,
    H: Fields + Default,
    D: Fields + Default,
{
    let outgoing = client.prepare(operation, header, request)?;
    finish(client, &client.exchange(outgoing)?)
}

/// [`call`] for async code, on any tokio runtime. Dropping the future cancels the call.
///
/// # Errors
/// As [`call`].
pub async fn call_async<T, H, D>(
    client: &Client,
    operation: &str,
    header: &(dyn Source + Sync),
    request: &(dyn Source + Sync),
) -> Result<Reply<T, H>, Failure<D>>
where
    T: Fields + Default,
    H: Fields + Default,
    D: Fields + Default,
{
    let outgoing = client.prepare(operation, header, request)?;
    finish(client, &client.exchange_async(outgoing).await?)
}

fn finish<T, H, D>(client: &Client, exchange: &Exchange) -> Result<Reply<T, H>, Failure<D>>
where
    T: Fields + Default,
    H: Fields + Default,
    D: Fields + Default,
{
    let (mut header, mut result) = match client.is_strict() {
        true => (Builder::<H>::new(), Builder::<T>::new()),
        false => (Builder::lax(), Builder::lax()),
    };
    let (outcome, record) = client.receive(exchange, &mut header, &mut result);
    match outcome? {
        Outcome::Fault(fault) => {
            let operation = client.operation(&exchange.outgoing.operation)?;
            let detail = declared(client.types(), operation.detail, &fault);
            Err(Failure::Fault(Box::new(TypedFault {
                detail,
                fault: *fault,
            })))
        }
        Outcome::Reply(blocks) => {
            let unfit = |e: castile_value::typed::Mismatch| {
                let text = format!("the reply to {}: {e}", exchange.outgoing.operation);
                Error::new(Kind::Peer, Guilty::Peer, text)
            };
            // A one-way operation has nothing that could be missing.
            Ok(Reply {
                value: result.finish().map_err(unfit)?,
                header: header.finish().map_err(unfit)?,
                blocks,
                record,
            })
        }
    }
}
