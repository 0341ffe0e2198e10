//! Requests that are sent while they are written.

mod common;

use std::cell::Cell;
use std::error::Error as StdError;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use castile_endpoint::{CallOptions, Client, ClientOptions, Kind, Reply, ServerOptions};
use castile_http::{Auth, Proxy, ServerAuth};
use castile_value::{Batches, Stream, Streamed, Value, ValueSink};
use common::WSDL;

/// Values of a batch.
const BATCH: usize = 10_000;

fn batch(number: usize) -> Vec<f64> {
    (0..BATCH).map(|i| (number * BATCH + i) as f64 / 3.0).collect()
}

fn send(client: &Client, operation: &str, field: &str, batches: &dyn Batches) -> Reply {
    let args = Streamed::new(&(), field, batches);
    let reply = client.call_streamed(operation, &args, &CallOptions::default());
    reply.unwrap().unwrap()
}

fn options(address: impl std::fmt::Display) -> ClientOptions {
    let mut options = ClientOptions {
        endpoint: Some(format!("http://{address}/")),
        ..ClientOptions::default()
    };
    options.http.proxy = Proxy::None;
    options
}

/// A server that wants digest authentication.
fn guarded() -> castile_http::Running {
    let mut options = ServerOptions::default();
    options.http.auth = Some(ServerAuth::Digest {
        realm: "r".into(),
        find: Arc::new(|user: &str| (user == "ada").then(|| "secret".to_owned())),
    });
    common::start(options)
}

#[test]
fn batches_arrive_as_one_array() {
    let running = common::start(ServerOptions::default());
    let client = common::client(running.addr(), None);
    let stream = Stream::of((0..60).map(batch));
    let reply = send(&client, "echoDoubles", "value", &stream);
    let expected: Vec<f64> = (0..60).flat_map(batch).collect();
    assert_eq!(reply.value.as_f64s(), Some(&expected[..]));
    assert!(reply.record.request.report().bytes_total > 10_000_000);

    let texts = ["a<b", "", "ü"].map(Value::from);
    let stream = Stream::of(texts.clone());
    let reply = send(&client, "echoStrings", "value", &stream);
    assert_eq!(reply.value, Value::List(texts.to_vec()));

    let mio = |x: i32| {
        Value::map([
            ("x", x.into()),
            ("y", Value::from(2)),
            ("value", Value::from(0.5)),
        ])
    };
    let batches = [Value::List(vec![mio(1), mio(2)]), mio(3), Value::List(Vec::new())];
    let reply = send(&client, "echoMios", "mio", &Stream::of(batches));
    assert_eq!(reply.value.count(), 3);
}

#[test]
fn a_large_array_goes_through_the_same_buffers() {
    let running = common::start(ServerOptions::default());
    let mut options = options(running.addr());
    options.differential.overlay_above = 100_000;
    let client = Client::new(WSDL, options).unwrap();
    for (count, kept) in [(1000, true), (BATCH, false)] {
        let values: Vec<f64> = batch(7).into_iter().take(count).collect();
        let args = Value::map([("value", values.clone().into())]);
        let reply = client.call("echoDoubles", &args).unwrap().unwrap();
        assert_eq!(reply.value.as_f64s(), Some(&values[..]));
        assert_eq!(
            !reply.record.request.is_empty(),
            kept,
            "the request is kept when it is small"
        );
    }
}

#[test]
fn a_stream_that_fails_breaks_the_message_off() {
    let running = common::start(ServerOptions::default());
    let client = common::client(running.addr(), None);
    let failing = (0..50).map(|n| {
        if n < 40 {
            Ok(batch(n))
        } else {
            Err("the disk is gone")
        }
    });
    let stream = Stream::fallible(failing);
    let args = Streamed::new(&(), "value", &stream);
    let error = client
        .call_streamed("echoDoubles", &args, &CallOptions::default())
        .unwrap_err();
    assert_eq!(error.kind(), Kind::Value);
    assert_eq!(root(&error), "the disk is gone");
    let path = error.codec().map(|e| e.path());
    assert_eq!(path.as_deref(), Some("/Envelope/Body/echoDoubles/value[400001]"));
    // The next call finds the client as it was.
    assert_eq!(
        send(&client, "echoDoubles", "value", &Stream::of([1.5]))
            .value
            .as_f64s(),
        Some(&[1.5][..])
    );
}

/// The innermost cause of an error.
fn root(error: &dyn StdError) -> String {
    match error.source() {
        Some(source) => root(source),
        None => error.to_string(),
    }
}

#[test]
fn what_the_type_cannot_hold_is_named_by_its_number() {
    let running = common::start(ServerOptions::default());
    let client = common::client(running.addr(), None);
    let batches = (0..3).map(|n| {
        if n < 2 {
            batch(n).into()
        } else {
            Value::from("text")
        }
    });
    let stream = Stream::of(batches);
    let args = Streamed::new(&(), "value", &stream);
    let error = client
        .call_streamed("echoDoubles", &args, &CallOptions::default())
        .unwrap_err();
    assert!(error.to_string().contains("/value[20001]"), "{error}");
}

/// Batches that can be read again.
struct Twice {
    next: Cell<usize>,
    starts: AtomicUsize,
}

impl Batches for Twice {
    fn start(&self) -> Result<(), castile_value::BatchError> {
        self.next.set(0);
        self.starts.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn next(&self, take: &mut dyn FnMut(castile_value::Item<'_>)) -> Result<bool, castile_value::BatchError> {
        let number = self.next.replace(self.next.get() + 1);
        let more = number < 40;
        if more {
            take(Value::from(batch(number)).item());
        }
        Ok(more)
    }
}

#[test]
fn a_challenge_is_answered_with_the_message_written_anew() {
    let running = guarded();
    let mut options = options(running.addr());
    options.http.auth = Auth::Digest {
        user: "ada".into(),
        password: "secret".into(),
    };
    let again = Twice {
        next: Cell::new(0),
        starts: AtomicUsize::new(0),
    };
    let client = Client::new(WSDL, options.clone()).unwrap();
    let reply = send(&client, "echoDoubles", "value", &again);
    assert_eq!(reply.value.count(), 40 * BATCH);
    assert_eq!(again.starts.load(Ordering::Relaxed), 2);

    let client = Client::new(WSDL, options).unwrap();
    let once = Stream::of((0..40).map(batch));
    let args = Streamed::new(&(), "value", &once);
    let error = client
        .call_streamed("echoDoubles", &args, &CallOptions::default())
        .unwrap_err();
    assert!(error.to_string().contains("can be sent once only"), "{error}");
}

#[test]
fn a_server_that_does_not_want_the_rest_is_heard() {
    let mut server = ServerOptions::default();
    server.http.body_bytes_max = 1 << 20;
    let running = common::start(server);
    let client = common::client(running.addr(), None);
    let endless = Stream::of((0..).map(batch));
    let args = Streamed::new(&(), "value", &endless);
    let error = client
        .call_streamed("echoDoubles", &args, &CallOptions::default())
        .unwrap_err();
    assert!(matches!(error.kind(), Kind::Peer | Kind::Transport), "{error:?}");
}

/// Gives batches of doubles, or fails after so many.
struct Batched {
    batches: usize,
    fails: bool,
}

impl castile_endpoint::Handler for Batched {
    fn handle(
        &self,
        call: castile_endpoint::Call<'_>,
    ) -> Result<castile_endpoint::Answer, castile_endpoint::Trouble> {
        let types = call.service().types().clone();
        let (header, args) = call.arguments().unwrap();
        let mut header = ValueSink::new(types.shape(header).clone());
        let mut args = ValueSink::new(types.shape(args).clone());
        let replier = call.decode(&mut header, &mut args)?;
        assert!(replier.streams());
        let stream = Stream::fallible((0..self.batches).map(|n| {
            if self.fails && n == 100 {
                Err("no more")
            } else {
                Ok(batch(n))
            }
        }));
        Ok(replier.reply(&(), &Streamed::new(&(), "value", &stream))?)
    }
}

#[test]
fn a_server_sends_its_reply_while_it_writes_it() {
    let running = common::start_with(
        ServerOptions::default(),
        Batched {
            batches: 120,
            fails: false,
        },
    );
    let client = common::client(running.addr(), None);
    let args = Value::map([("value", vec![1.5].into())]);
    let reply = client.call("echoDoubles", &args).unwrap().unwrap();
    let expected: Vec<f64> = (0..120).flat_map(batch).collect();
    assert!(reply.value.as_f64s() == Some(&expected[..]));

    let running = common::start_with(
        ServerOptions::default(),
        Batched {
            batches: 120,
            fails: true,
        },
    );
    let client = common::client(running.addr(), None);
    let error = client.call("echoDoubles", &args).unwrap_err();
    assert_eq!(error.kind(), Kind::Peer, "{error}");
    assert!(error.to_string().contains("in the middle"), "{error}");
}
