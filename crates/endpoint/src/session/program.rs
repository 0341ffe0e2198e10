//! What a host does with a session when the turn is its own: [`Program`].

use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;

use castile_codec::Fault;
use castile_value::Value;

use super::conversation::Conversation;
use crate::client::{CallOptions, Client, Reply};
use crate::error::Error;

/// A session while the turn is the host's: it ends with its program.
///
/// It is a [`Client`], whose calls go out in HTTP replies: one at a time, others wait.
pub struct Session {
    pub(super) client: Client,
    pub(super) conversation: Arc<Conversation>,
}

impl Session {
    /// Who the guest is and what it asked.
    pub fn conversation(&self) -> &Arc<Conversation> {
        &self.conversation
    }

    /// Calls an operation of the guest with dynamic values.
    ///
    /// # Errors
    /// As [`Client::call`]; the guest left, or did not answer in time. A fault is `Ok(Err(_))`.
    pub async fn call(&self, operation: &str, args: &Value) -> Result<Result<Reply, Fault>, Error> {
        self.client
            .call_async(operation, args, &CallOptions::default())
            .await
    }

    /// The client alone, for fronts that keep it.
    pub fn into_client(self) -> Client {
        self.client
    }
}

impl Deref for Session {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// Runs when the turn of a session is the host's. What it fails with ends the session and is logged.
pub type Program = Arc<dyn Fn(Session) -> Running + Send + Sync>;

/// A program that runs.
pub type Running = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// A program made of an async function.
pub(crate) fn program<F, R>(function: F) -> Program
where
    F: Fn(Session) -> R + Send + Sync + 'static,
    R: Future<Output = Result<(), Error>> + Send + 'static,
{
    Arc::new(move |session| Box::pin(function(session)))
}

/// A program made of a function that blocks; each session has a thread for it.
pub(crate) fn program_blocking(
    function: impl Fn(Session) -> Result<(), Error> + Send + Sync + 'static,
) -> Program {
    let function = Arc::new(function);
    Arc::new(move |session| {
        let function = function.clone();
        let (done, finished) = tokio::sync::oneshot::channel();
        let spawned = std::thread::Builder::new().name("session".into()).spawn(move || {
            // Nobody hears it when the session was given up meanwhile.
            let _ = done.send(function(session));
        });
        Box::pin(async move {
            if let Err(error) = spawned {
                tracing::error!(%error, "no thread for a session");
            }
            finished.await.unwrap_or(Ok(()))
        })
    })
}
