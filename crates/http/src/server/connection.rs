//! One connection of a server: exchanges in turn, a watchdog beside them, a polite end.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::Sleep;

use super::exchange::{Connected, Peer, Shared, answer};
use super::pool::Begun;
use super::progress::{Limits, Progress, Step};
use super::service::Service;
use crate::meter::{Meter, Metered};

/// What hyper buffers of a connection in each direction, unless a head may be larger.
const BUFFER_BYTES: usize = 400 << 10;

/// Whether the server goes on; sent to every connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum State {
    Running,
    /// Finish what has begun.
    Stopping,
    /// Drop everything.
    Aborting,
}

enum End {
    /// hyper is done with the connection.
    Done(hyper::Result<()>),
    /// A time limit passed at a moment when there is no exchange that could answer.
    Expired,
    Aborted,
}

/// Serves one connection until it closes. Something of it may have been read before, and `reply` answers its first
/// request, if that is known.
pub(crate) async fn serve<S: Service, I>(
    shared: Arc<Shared<S>>,
    stream: I,
    peer: Peer,
    Begun { read, reply }: Begun,
    mut state: watch::Receiver<State>,
) where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let limits = Limits::of(&shared.options);
    let meter = Arc::new(Meter::new());
    let progress = Arc::new(Progress::new(Arc::clone(&meter)));
    let io = TokioIo::new(Metered::resumed(read, stream, meter));
    let connected = Arc::new(Connected {
        shared,
        progress: Arc::clone(&progress),
        peer,
        reply: Mutex::new(reply),
    });
    let service = service_fn(|request| answer(Arc::clone(&connected), request));
    let Connected { shared, peer, .. } = &*connected;
    let mut connection = http1::Builder::new()
        .max_header_size(shared.options.header_bytes_max)
        .max_buf_size(shared.options.header_bytes_max.max(BUFFER_BYTES))
        .header_read_timeout(None)
        .half_close(true)
        .serve_connection(io, service);
    let end = drive(&mut connection, &progress, &limits, &mut state).await;
    let stream = connection.into_parts().io.into_inner();
    match end {
        End::Done(result) => {
            if let Err(error) = &result {
                tracing::debug!(peer = %peer.address, %error, "connection broke");
            }
            if result.is_err() || progress.is_unread() {
                linger(stream).await;
            }
        }
        End::Expired if progress.step() == Step::Head && !progress.is_idle() => {
            tracing::debug!(peer = %peer.address, "the head of a request did not come in time");
            say_too_slow(stream).await;
        }
        End::Expired | End::Aborted => {}
    }
}

/// Polls the connection, the watchdog and the server's state as one.
async fn drive<C>(
    connection: &mut C,
    progress: &Progress,
    limits: &Limits,
    state: &mut watch::Receiver<State>,
) -> End
where
    C: Drive + Unpin,
{
    let mut watchdog = pin!(limits.shortest().map(tokio::time::sleep));
    loop {
        let end = {
            let mut changed = pin!(state.changed());
            let poll = |context: &mut Context<'_>| {
                if let Poll::Ready(result) = Pin::new(&mut *connection).poll(context) {
                    return Poll::Ready(Some(End::Done(result)));
                }
                match watch(context, watchdog.as_mut(), progress, limits) {
                    Alarm::None => {}
                    Alarm::Hang => return Poll::Ready(Some(End::Expired)),
                    // The exchange sees it and answers for itself.
                    Alarm::Answer => context.waker().wake_by_ref(),
                }
                changed.as_mut().poll(context).map(|_| None)
            };
            std::future::poll_fn(poll).await
        };
        if let Some(end) = end {
            return end;
        }
        match *state.borrow_and_update() {
            State::Running => {}
            State::Stopping => Pin::new(&mut *connection).stop(),
            State::Aborting => return End::Aborted,
        }
    }
}

/// What the watchdog found.
enum Alarm {
    None,
    /// The present step is too late and no exchange can answer.
    Hang,
    /// The present step is too late; its exchange was told.
    Answer,
}

/// Polls the watchdog. It looks at a connection at the earliest moment at which a step, even one
/// that has not begun, can be too late; steps themselves touch no timer.
fn watch(
    context: &mut Context<'_>,
    mut watchdog: Pin<&mut Option<Sleep>>,
    progress: &Progress,
    limits: &Limits,
) -> Alarm {
    let (Some(mut sleep), Some(shortest)) = (watchdog.as_mut().as_pin_mut(), limits.shortest()) else {
        return Alarm::None;
    };
    let mut alarm = Alarm::None;
    while sleep.as_mut().poll(context).is_ready() {
        let now = Instant::now();
        // A limit beyond the end of time is a limit of a day, again and again.
        let mut next = now
            .checked_add(shortest)
            .unwrap_or(now + Duration::from_secs(86_400));
        match progress.deadline(limits) {
            Some(deadline) if deadline > now => next = next.min(deadline),
            Some(_) if matches!(progress.step(), Step::Head | Step::Reply) => return Alarm::Hang,
            Some(_) => {
                progress.expire();
                alarm = Alarm::Answer;
            }
            None => {}
        }
        sleep.as_mut().reset(next.into());
    }
    alarm
}

/// A connection of hyper, without its seven type parameters.
trait Drive: Future<Output = hyper::Result<()>> {
    /// No further exchange after the present one.
    fn stop(self: Pin<&mut Self>);
}

impl<I, S, B> Drive for http1::Connection<I, S>
where
    S: hyper::service::HttpService<hyper::body::Incoming, ResBody = B>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    I: hyper::rt::Read + hyper::rt::Write + Unpin,
    B: http_body::Body + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    fn stop(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

/// Reads what the peer still sends for a moment: closing at once would make its system throw the
/// reply away that it has not read yet (RFC 9112 §9.6).
async fn linger<I: AsyncRead + Unpin>(mut stream: I) {
    let mut waste = [0; 4096];
    // A peer that sends without end is still writing when it has the reply to read.
    let mut left = 1_u32 << 24;
    let reading = async {
        while let Ok(count @ 1..) = stream.read(&mut waste).await {
            left = left.saturating_sub(u32::try_from(count).unwrap_or(u32::MAX));
            if left == 0 {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(Duration::from_secs(1), reading).await;
}

/// 408 to a head that does not end, which hyper has no reply to.
async fn say_too_slow<I: AsyncRead + AsyncWrite + Unpin>(stream: I) {
    say(stream, "408 Request Timeout\r\n").await;
}

/// 503 to a connection that is one too many.
pub(crate) async fn say_full<I: AsyncRead + AsyncWrite + Unpin>(stream: I) {
    say(stream, "503 Service Unavailable\r\nRetry-After: 1\r\n").await;
}

async fn say<I: AsyncRead + AsyncWrite + Unpin>(mut stream: I, status: &str) {
    let reply = format!("HTTP/1.1 {status}Connection: close\r\nContent-Length: 0\r\n\r\n");
    let writing = async {
        stream.write_all(reply.as_bytes()).await?;
        stream.shutdown().await
    };
    if let Ok(Ok(())) = tokio::time::timeout(Duration::from_secs(1), writing).await {
        linger(stream).await;
    }
}
