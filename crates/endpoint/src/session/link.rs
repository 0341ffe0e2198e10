//! Between a program that calls and the HTTP exchanges of its guest: [`Link`].

use castile_http::{Request, Response};
use tokio::sync::{mpsc, oneshot};

use crate::client::{Carrier, Carrying};
use crate::error::{Error, Guilty, Kind};

/// What a program does next.
#[expect(clippy::large_enum_variant, reason = "one an HTTP exchange, moved once")]
pub(super) enum Step {
    /// It calls: the request goes out in the next HTTP reply.
    Call {
        request: Request,
        /// Where the guest's next POST goes.
        answer: oneshot::Sender<Response>,
    },
    /// It has ended.
    End,
}

/// The program's end. Others of the same session end it.
#[derive(Clone)]
pub(super) struct Link(mpsc::Sender<Step>);

/// The steps of a program, one at a time.
pub(super) fn link() -> (Link, mpsc::Receiver<Step>) {
    let (sender, receiver) = mpsc::channel(1);
    (Link(sender), receiver)
}

impl Link {
    /// Ends the session; whoever still calls is told that it is over.
    pub(super) async fn end(&self) {
        // Without a receiver it is over already.
        let _ = self.0.send(Step::End).await;
    }
}

impl Carrier for Link {
    fn carry(&self, request: Request) -> Carrying<'_> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let sent = self.0.send(Step::Call { request, answer }).await;
            sent.map_err(|_| gone(Kind::Transport, "the session is over"))?;
            let answered = answered.await;
            answered.map_err(|_| gone(Kind::Timeout, "the peer of the session did not answer in time"))
        })
    }
}

fn gone(kind: Kind, text: &str) -> Error {
    Error::new(kind, Guilty::Peer, text)
}
