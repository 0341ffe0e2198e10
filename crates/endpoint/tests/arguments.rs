//! Requests whose array is read while it comes.

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use castile_endpoint::{
    Answer, Call, CallOptions, Client, ClientOptions, Code, Fault, Handlers, Kind, ServerOptions,
    ServiceOptions, StreamOptions, Trouble,
};
use castile_value::{Stream, Streamed, Value};

const BATCH: usize = 10_000;

fn batch(number: usize) -> Vec<f64> {
    (0..BATCH).map(|i| (number * BATCH + i) as f64 / 4.0).collect()
}

/// Answers `echoDoubles` with the number of items and their sum.
fn handlers(options: StreamOptions) -> Handlers {
    common::handlers().on_stream("echoDoubles", options, |values| {
        let (mut count, mut sum) = (0, 0.0);
        for batch in values {
            let batch = batch?;
            let numbers = batch.as_f64s().unwrap_or_default();
            count += numbers.len();
            sum += numbers.iter().sum::<f64>();
        }
        Ok(vec![count as f64, sum].into())
    })
}

fn start() -> castile_http::Running {
    common::start_with(ServerOptions::default(), handlers(StreamOptions::default()))
}

fn send(client: &Client, batches: impl Iterator<Item = Vec<f64>>) -> Result<Value, Fault> {
    let stream = Stream::of(batches);
    let args = Streamed::new(&(), "value", &stream);
    let reply = client.call_streamed("echoDoubles", &args, &CallOptions::default());
    reply.unwrap().map(|reply| reply.value)
}

/// Posts these bytes as a chunked request, cut so; what comes back until the connection closes.
fn post(running: &castile_http::Running, body: &[u8], piece: usize, whole: bool) -> String {
    let mut socket = TcpStream::connect(running.addr()).unwrap();
    let head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\nConnection: close\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    socket.write_all(head.as_bytes()).unwrap();
    for piece in body.chunks(piece) {
        let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
        // A server that has heard enough closes.
        if socket.write_all(&chunk).is_err() {
            break;
        }
    }
    if whole {
        let _ = socket.write_all(b"0\r\n\r\n");
    } else {
        let _ = socket.shutdown(std::net::Shutdown::Write);
    }
    let mut reply = Vec::new();
    let _ = socket.read_to_end(&mut reply);
    String::from_utf8_lossy(&reply).into_owned()
}

fn envelope(items: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
         <echoDoubles xmlns='{}'>{items}</echoDoubles></e:Body></e:Envelope>",
        common::NS
    )
}

#[test]
fn batches_are_read_while_they_come() {
    let running = start();
    let client = common::client(running.addr(), None);
    let expected = |count: usize| -> Value {
        let sum: f64 = (0..count).flat_map(batch).sum();
        vec![(count * BATCH) as f64, sum].into()
    };
    // More than a request that is read whole may have.
    assert_eq!(send(&client, (0..500).map(batch)).unwrap(), expected(500));
    assert_eq!(send(&client, std::iter::empty()).unwrap(), expected(0));
    // One that was written as a whole comes like all others.
    let args = Value::map([("value", batch(0).into())]);
    let reply = client.call("echoDoubles", &args).unwrap().unwrap();
    assert_eq!(reply.value, expected(1));
    let texts = Value::map([("value", Value::List(vec!["a".into(), "b".into()]))]);
    let reply = client.call("echoStrings", &texts).unwrap().unwrap();
    assert_eq!(
        reply.value.count(),
        2,
        "operations without a stream are answered as ever"
    );
}

#[test]
fn a_compressed_request_is_unpacked_while_it_comes() {
    let running = start();
    let mut options = castile_endpoint::ClientOptions {
        endpoint: Some(format!("http://{}/", running.addr())),
        ..Default::default()
    };
    options.http.proxy = castile_http::Proxy::None;
    for coding in [castile_http::Compression::Gzip, castile_http::Compression::Zstd] {
        options.http.compress_request = coding;
        let client = Client::new(common::WSDL, options.clone()).unwrap();
        let args = Value::map([("value", batch(3).into())]);
        let reply = client.call("echoDoubles", &args).unwrap().unwrap();
        assert_eq!(reply.value.as_f64s().unwrap()[0], BATCH as f64);
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place_however_it_is_cut() {
    let running = start();
    let bad = envelope(&format!(
        "{}\n<value>many</value>",
        "<value>1.5</value>".repeat(3000)
    ));
    let cases = [
        (bad, "value[3001]"),
        (envelope("<value>1</value><strange/>"), "strange"),
        (envelope("<value>1</value>").replace("</e:Body>", ""), "Body"),
    ];
    for (text, expected) in &cases {
        let mut replies: Vec<String> = [50, 1_000_000]
            .map(|piece| post(&running, text.as_bytes(), piece, true))
            .to_vec();
        assert!(replies[0].starts_with("HTTP/1.1 500"), "{}", replies[0]);
        assert!(replies[0].contains("Client</faultcode>"), "{}", replies[0]);
        assert!(replies[0].contains(expected), "{}", replies[0]);
        let bodies = replies
            .iter_mut()
            .map(|reply| reply.split_off(reply.find("<").unwrap()));
        let bodies: Vec<String> = bodies.collect();
        assert_eq!(bodies[0], bodies[1]);
    }
    let small = envelope("<value>2.5</value>");
    let reply = post(&running, small.as_bytes(), 1, true);
    assert!(reply.contains(">2.5<"), "{reply}");
}

#[test]
fn a_request_that_breaks_off_is_no_whole_one() {
    let finished = Arc::new(AtomicU64::new(0));
    let seen = finished.clone();
    let handler = common::handlers().on_stream("echoDoubles", StreamOptions::default(), move |values| {
        while let Some(batch) = values.next().transpose()? {
            drop(batch);
        }
        seen.fetch_add(1, Ordering::Relaxed);
        Ok(Vec::<f64>::new().into())
    });
    let running = common::start_with(ServerOptions::default(), handler);
    let whole = envelope(&"<value>1.5</value>".repeat(100_000));
    for end in [whole.len() / 2, whole.len() - 20] {
        let reply = post(&running, &whole.as_bytes()[..end], 65536, false);
        assert!(!reply.contains("200 OK"), "{reply}");
    }
    assert_eq!(finished.load(Ordering::Relaxed), 0);
    post(&running, whole.as_bytes(), 65536, true);
    assert_eq!(finished.load(Ordering::Relaxed), 1);
}

#[test]
fn a_handler_that_has_enough_answers_at_once() {
    let first = common::handlers().on_stream("echoDoubles", StreamOptions::default(), |values| match values
        .next()
        .transpose()?
    {
        Some(batch) if batch.as_f64s().is_some_and(|b| b[0] == 0.0) => Ok(vec![1.0].into()),
        _ => Err(Trouble::from(Fault::new(Code::Sender, "not from the start"))),
    });
    let running = common::start_with(ServerOptions::default(), first);
    let client = common::client(running.addr(), None);
    for _ in 0..3 {
        let value = send(&client, (0..).map(batch)).unwrap();
        assert_eq!(value.as_f64s(), Some(&[1.0][..]));
        let fault = send(&client, (1..).map(batch)).unwrap_err();
        assert_eq!(fault.reason(), "not from the start");
    }
}

/// Gives each number back while it reads them.
struct Echo;

impl castile_endpoint::Handler for Echo {
    fn handle(&self, call: Call<'_>) -> Result<Answer, Trouble> {
        let (values, replier) = call.stream()?;
        let stream = Stream::fallible(values);
        Ok(replier.reply(&(), &Streamed::new(&(), "value", &stream))?)
    }

    fn streams(&self, operation: &castile_contract::Operation) -> Option<StreamOptions> {
        (operation.name == "echoDoubles").then(StreamOptions::default)
    }
}

#[test]
fn a_reply_may_begin_before_its_request_is_whole() {
    let running = common::start_with(ServerOptions::default(), Echo);
    let client = common::client(running.addr(), None);
    let call = |count: usize| {
        let stream = Stream::of((0..count).map(batch));
        let args = Streamed::new(&(), "value", &stream);
        client.call_stream(
            "echoDoubles",
            &args,
            &CallOptions::default(),
            &StreamOptions::default(),
        )
    };
    let replies = call(50).unwrap().unwrap();
    let items: Vec<f64> = replies
        .flat_map(|batch| batch.unwrap().as_f64s().unwrap().to_vec())
        .collect();
    let expected: Vec<f64> = (0..50).flat_map(batch).collect();
    assert!(items == expected);
    // Nobody reads what comes while this thread writes.
    let error = call(1_000_000).unwrap_err();
    assert_eq!(error.kind(), Kind::Limit, "{error}");
    assert!(call(1).is_ok());
}

#[test]
fn the_limit_on_documents_is_for_those_that_are_held() {
    let mut options = ServiceOptions::default();
    options.limits.bytes_max = 1 << 20;
    let running = common::start_service(ServerOptions::default(), options, Echo);
    let mut options = ClientOptions {
        endpoint: Some(format!("http://{}/", running.addr())),
        ..ClientOptions::default()
    };
    options.http.proxy = castile_http::Proxy::None;
    options.limits.bytes_max = 1 << 20;
    let client = Client::new(common::WSDL, options).unwrap();
    let stream = Stream::of((0..20).map(batch));
    let args = Streamed::new(&(), "value", &stream);
    let options = (CallOptions::default(), StreamOptions::default());
    let reply = client
        .call_stream("echoDoubles", &args, &options.0, &options.1)
        .unwrap()
        .unwrap();
    assert_eq!(
        reply.map(|batch| batch.unwrap().count()).sum::<usize>(),
        20 * BATCH
    );
}

#[test]
fn a_stream_has_the_limit_that_it_is_given() {
    let options = StreamOptions {
        bytes_max: Some(1 << 20),
        ..StreamOptions::default()
    };
    let running = common::start_with(ServerOptions::default(), handlers(options));
    let client = common::client(running.addr(), None);
    assert!(send(&client, (0..2).map(batch)).is_ok());
    let fault = send(&client, (0..100).map(batch)).unwrap_err();
    assert!(fault.reason().contains("bytes_max"), "{fault}");
}

#[test]
fn who_sends_too_slowly_is_not_waited_for() {
    let mut options = ServerOptions::default();
    options.http.timeout_body = Some(Duration::from_millis(200));
    let running = common::start_with(options, handlers(StreamOptions::default()));
    let mut socket = TcpStream::connect(running.addr()).unwrap();
    let head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\nContent-Length: 100000\r\n\r\n";
    socket.write_all(head.as_bytes()).unwrap();
    socket.write_all(envelope("<value>1</value>").as_bytes()).unwrap();
    let mut reply = String::new();
    socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    socket.read_to_string(&mut reply).unwrap();
    assert!(reply.contains("timeout_body"), "{reply}");
}

#[test]
fn other_operations_keep_the_limit_on_bodies() {
    let mut options = ServerOptions::default();
    options.http.body_bytes_max = 100_000;
    let running = common::start_with(options, handlers(StreamOptions::default()));
    let client = common::client(running.addr(), None);
    assert!(send(&client, (0..20).map(batch)).is_ok());
    let texts: Vec<Value> = vec!["text".into(); 20_000];
    let error = client.call("echoStrings", &Value::map([("value", Value::List(texts))]));
    let error = error.unwrap_err();
    assert!(matches!(error.kind(), Kind::Peer | Kind::Transport), "{error:?}");
}
