//! The workers of a server: each is a runtime of one thread, so a connection lives on one core and no work is
//! stolen or woken elsewhere.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::accept::{runtime, spawn};
use super::connection::{State, serve};
use super::exchange::{Peer, Shared};
use super::pool::{Begun, Connection, Desk, Newcomer};
use super::service::Service;
use crate::error::Error;

/// Starts a worker; it ends when its desk is gone and its last connection has ended.
pub(crate) fn start<S: Service>(
    shared: Arc<Shared<S>>,
    state: watch::Receiver<State>,
) -> Result<(Desk, JoinHandle<()>), Error> {
    let runtime = runtime()?;
    let (desk, newcomers) = Desk::new(runtime.handle().clone());
    let thread = spawn("castile-serve", move || {
        runtime.block_on(work(shared, newcomers, state))
    })?;
    Ok((desk, thread))
}

async fn work<S: Service>(
    shared: Arc<Shared<S>>,
    mut newcomers: mpsc::UnboundedReceiver<Newcomer>,
    state: watch::Receiver<State>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            newcomer = newcomers.recv() => match newcomer {
                Some(newcomer) => {
                    connections.spawn(welcome(Arc::clone(&shared), newcomer, state.clone()));
                }
                None => break,
            },
            Some(done) = connections.join_next() => report(done),
        }
    }
    while let Some(done) = connections.join_next().await {
        report(done);
    }
}

/// A connection that panicked is a defect of ours; it harms no other.
fn report(done: Result<(), tokio::task::JoinError>) {
    if let Err(error) = done {
        tracing::error!(%error, "a connection failed inside the server");
    }
}

async fn welcome<S: Service>(shared: Arc<Shared<S>>, newcomer: Newcomer, state: watch::Receiver<State>) {
    let Newcomer {
        connection: Connection {
            stream,
            address,
            open,
        },
        begun,
        place,
    } = newcomer;
    let stream = stream
        .set_nonblocking(true)
        .and_then(|()| tokio::net::TcpStream::from_std(stream));
    match stream {
        Ok(stream) => match &shared.tls {
            None => {
                let peer = Peer::plain(address);
                serve(shared, stream, peer, begun, state).await;
            }
            Some(config) => {
                let config = Arc::clone(config);
                if let Some((stream, certificate)) = secure(config, &shared, stream, &address).await {
                    let peer = Peer {
                        address,
                        certificate,
                        secure: true,
                    };
                    serve(shared, stream, peer, Begun::default(), state).await;
                }
            }
        },
        Err(error) => tracing::warn!(peer = %address, %error, "a connection was lost"),
    }
    drop((open, place));
}

type Secure = tokio_rustls::server::TlsStream<tokio::net::TcpStream>;

/// A TLS handshake, which has as long as the head of a request.
async fn secure<S: Service>(
    config: Arc<rustls::ServerConfig>,
    shared: &Shared<S>,
    stream: tokio::net::TcpStream,
    address: &std::net::SocketAddr,
) -> Option<(Secure, Option<Bytes>)> {
    let handshake = tokio_rustls::TlsAcceptor::from(config).accept(stream);
    let limit = shared.options.timeout_header.unwrap_or(Duration::from_secs(3600));
    match tokio::time::timeout(limit, handshake).await {
        Ok(Ok(stream)) => {
            let certificates = stream.get_ref().1.peer_certificates();
            let certificate = certificates.and_then(|chain| chain.first());
            let certificate = certificate.map(|der| Bytes::copy_from_slice(der));
            return Some((stream, certificate));
        }
        Ok(Err(error)) => tracing::debug!(peer = %address, %error, "TLS failed"),
        Err(_) => tracing::debug!(peer = %address, "the TLS handshake did not finish in time"),
    }
    None
}
