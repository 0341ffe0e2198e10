//! Replies that are read while they come.

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, mpsc};

use castile_endpoint::{
    CallOptions, Carrier, Carrying, Client, ClientOptions, Fault, Kind, ReplyStream, ServerOptions,
    StreamOptions,
};
use castile_value::{Stream, Streamed, Value};
use common::NS;

fn stream(client: &Client, operation: &str, args: &dyn castile_value::Source) -> Result<ReplyStream, Fault> {
    let options = StreamOptions::default();
    let called = client.call_stream(operation, args, &CallOptions::default(), &options);
    called.unwrap()
}

fn doubles(count: usize) -> Vec<f64> {
    (0..count).map(|i| i as f64 / 7.0).collect()
}

#[test]
fn batches_join_to_the_array() {
    let running = common::start(ServerOptions::default());
    let client = common::client(running.addr(), None);
    let values = doubles(300_000);
    let args = vec![("value".to_owned(), Value::from(values.clone()))];
    let mut reply = stream(&client, "echoDoubles", &args).unwrap();
    let batches: Vec<Value> = reply.by_ref().map(Result::unwrap).collect();
    assert!(batches.len() > 5, "{} batches", batches.len());
    let joined: Vec<f64> = batches
        .iter()
        .flat_map(|b| b.as_f64s().unwrap().to_vec())
        .collect();
    assert!(joined == values);
    assert_eq!(reply.items(), 300_000);
    assert!(reply.bytes() > 5_000_000);

    let texts: Vec<Value> = (0..30_000).map(|i| format!("text <{i}>").into()).collect();
    let args = vec![("value".to_owned(), Value::List(texts.clone()))];
    let reply = stream(&client, "echoStrings", &args).unwrap();
    let joined: Vec<Value> = reply.flat_map(|batch| batch.unwrap().into_list()).collect();
    assert_eq!(joined, texts);
}

#[test]
fn both_directions_stream_at_once() {
    let running = common::start(ServerOptions::default());
    let client = common::client(running.addr(), None);
    let blocks = Stream::of((0..40).map(|block| vec![f64::from(block); 5000]));
    let reply = stream(&client, "echoDoubles", &Streamed::new(&(), "value", &blocks)).unwrap();
    let sum: f64 = reply
        .flat_map(|batch| batch.unwrap().as_f64s().unwrap().to_vec())
        .sum();
    assert_eq!(sum, (0..40).sum::<i32>() as f64 * 5000.0);
}

#[test]
fn a_fault_comes_instead() {
    let address = raw(|socket| {
        let fault = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body><e:Fault>\
                     <faultcode>e:Server</faultcode><faultstring>not today</faultstring></e:Fault></e:Body></e:Envelope>";
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: {}\r\n\r\n",
            fault.len()
        );
        socket.write_all(head.as_bytes()).unwrap();
        socket.write_all(fault.as_bytes()).unwrap();
    });
    let fault = stream(&common::client(address, None), "echoDoubles", &()).unwrap_err();
    assert!(fault.to_string().contains("not today"), "{fault}");
    // With the status of an error it is the same.
    let empty = castile_endpoint::Handlers::new();
    let running = common::start_with(ServerOptions::default(), empty);
    let fault = stream(&common::client(running.addr(), None), "echoDoubles", &()).unwrap_err();
    assert!(fault.to_string().contains("not implemented"), "{fault}");
}

/// Brings replies whole.
struct Courier(castile_http::blocking::Client);

impl Carrier for Courier {
    fn carry(&self, request: castile_http::Request) -> Carrying<'_> {
        Box::pin(std::future::ready(self.0.send(request).map_err(Into::into)))
    }
}

fn carried(address: SocketAddr) -> Client {
    let http = castile_http::ClientOptions {
        proxy: castile_http::Proxy::None,
        ..castile_http::ClientOptions::default()
    };
    let courier = Courier(castile_http::blocking::Client::new(http).unwrap());
    let options = ClientOptions {
        endpoint: Some(format!("http://{address}/")),
        ..ClientOptions::default()
    };
    let contract = common::client(address, None).contract().clone();
    Client::with_carrier(contract, options, Arc::new(courier)).unwrap()
}

#[test]
fn what_a_carrier_brings_is_read_the_same_way() {
    let running = common::start(ServerOptions::default());
    let values = doubles(100_000);
    let args = vec![("value".to_owned(), Value::from(values.clone()))];
    let reply = stream(&carried(running.addr()), "echoDoubles", &args).unwrap();
    let came: Vec<f64> = reply
        .flat_map(|batch| batch.unwrap().as_f64s().unwrap().to_vec())
        .collect();
    assert!(came == values);
    let empty = common::start_with(ServerOptions::default(), castile_endpoint::Handlers::new());
    let fault = stream(&carried(empty.addr()), "echoDoubles", &()).unwrap_err();
    assert!(fault.to_string().contains("not implemented"), "{fault}");
}

#[test]
fn an_operation_without_an_array_is_refused() {
    let running = common::start(ServerOptions::default());
    let client = common::client(running.addr(), None);
    let error = client.call_stream(
        "echoVoid",
        &(),
        &CallOptions::default(),
        &StreamOptions::default(),
    );
    let error = error.unwrap_err().to_string();
    assert!(error.contains("no array that can be streamed"), "{error}");
}

/// A server for one request, whose reply `answer` writes to the socket.
fn raw(answer: impl FnOnce(&mut TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut buffer = [0; 4096];
        while !request.ends_with(b"</S:Envelope>") {
            let count = socket.read(&mut buffer).unwrap();
            request.extend_from_slice(&buffer[..count]);
        }
        answer(&mut socket);
    });
    address
}

fn head(socket: &mut TcpStream, more: &str) {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n{more}\r\n");
    socket.write_all(head.as_bytes()).unwrap();
}

fn opening() -> String {
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns='{NS}'><e:Body><echoDoublesResponse>"
    )
}

const CLOSING: &str = "</echoDoublesResponse></e:Body></e:Envelope>";

#[test]
fn the_first_items_are_there_before_the_last_were_sent() {
    let (go_on, wait) = mpsc::channel::<()>();
    let address = raw(move |socket| {
        head(socket, "Connection: close\r\n");
        let first = opening() + &"<value>1.5</value>".repeat(20_000);
        socket.write_all(first.as_bytes()).unwrap();
        wait.recv().unwrap();
        let last = "<value>2.5</value>".repeat(5) + CLOSING;
        socket.write_all(last.as_bytes()).unwrap();
    });
    let client = common::client(address, None);
    let mut reply = stream(&client, "echoDoubles", &()).unwrap();
    let first = reply.next().unwrap().unwrap();
    assert!(first.count() >= 10_000);
    go_on.send(()).unwrap();
    let rest: usize = reply.map(|batch| batch.unwrap().count()).sum();
    assert_eq!(first.count() + rest, 20_005);
}

#[test]
fn a_reply_that_stops_in_the_middle_is_an_error_after_what_came() {
    for more in ["Content-Length: 1000000\r\n", "Transfer-Encoding: chunked\r\n"] {
        let address = raw(move |socket| {
            head(socket, more);
            let text = opening() + &"<value>1.5</value>".repeat(12_000);
            if more.starts_with('T') {
                socket
                    .write_all(format!("{:x}\r\n", text.len()).as_bytes())
                    .unwrap();
            }
            socket.write_all(text.as_bytes()).unwrap();
        });
        let client = common::client(address, None);
        let mut reply = stream(&client, "echoDoubles", &()).unwrap();
        let mut came = 0;
        let error = loop {
            match reply.next() {
                Some(Ok(batch)) => came += batch.count(),
                Some(Err(error)) => break error,
                None => panic!("it ended well"),
            }
        };
        assert_eq!(error.kind(), Kind::Peer, "{error}");
        assert!(
            came >= 10_000 && error.to_string().contains("in the middle"),
            "{came} {error}"
        );
        assert!(reply.next().is_none());
    }
}

#[test]
fn a_wrong_item_is_named_with_its_place() {
    let address = raw(|socket| {
        head(socket, "Connection: close\r\n");
        let line = "<value>1.5</value>\n";
        socket.write_all(opening().as_bytes()).unwrap();
        for _ in 0..1000 {
            socket.write_all(line.repeat(1000).as_bytes()).unwrap();
        }
        socket.write_all(b"<value>many</value>").unwrap();
        socket.write_all(CLOSING.as_bytes()).unwrap();
    });
    let client = common::client(address, None);
    let reply = stream(&client, "echoDoubles", &()).unwrap();
    let error = reply.filter_map(Result::err).next().unwrap();
    let text = error.to_string();
    assert!(
        text.contains("/Envelope/Body/echoDoublesResponse/value[1000001]"),
        "{text}"
    );
    assert_eq!(
        error.codec().unwrap().line_column(),
        Some((1_000_001, 8)),
        "{text}"
    );
}

#[test]
fn an_item_larger_than_the_window_meets_the_limit() {
    let address = raw(|socket| {
        head(socket, "Connection: close\r\n");
        let text = opening() + "<value>" + &" ".repeat(20 << 20);
        // The client hangs up.
        let _ = socket.write_all(text.as_bytes());
    });
    let client = common::client(address, None);
    let reply = stream(&client, "echoDoubles", &()).unwrap();
    let error = reply.filter_map(Result::err).next().unwrap();
    assert_eq!(error.kind(), Kind::Limit);
    assert!(error.to_string().contains("window_bytes_max"), "{error}");
}

/// An operation whose reply is one element of several values, one of them an array and one of choices.
const BARE: &str = include_str!("common/bare.wsdl");

/// What is streamed of a reply with this element, what is beside it, and the value of a plain call.
fn bare(results: &str) -> (ReplyStream, Value) {
    let reply = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns='urn:bare'
        xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'><e:Body>{results}</e:Body></e:Envelope>"
    );
    let open = || {
        let reply = reply.clone();
        let address = raw(move |socket| {
            head(socket, "Connection: close\r\n");
            socket.write_all(reply.as_bytes()).unwrap();
        });
        let mut options = ClientOptions {
            endpoint: Some(format!("http://{address}/")),
            ..ClientOptions::default()
        };
        options.http.proxy = castile_http::Proxy::None;
        Client::new(BARE.as_bytes().to_vec(), options).unwrap()
    };
    let args = vec![("Question".to_owned(), Value::from("what?"))];
    let whole = open()
        .call("ask", &Value::Map(args.clone()))
        .unwrap()
        .unwrap()
        .value;
    (stream(&open(), "ask", &args).unwrap(), whole)
}

#[test]
fn the_rest_of_one_bare_element_is_its_record() {
    let (mut reply, whole) = bare(
        "<Results><id>7</id><body><names><name>a</name><name>b</name></names></body><more>1</more></Results>",
    );
    assert_eq!(reply.array_name(), "body.names.name");
    assert!(format!("{reply:?}").contains("body.names.name"));
    let names = reply.next().unwrap().unwrap();
    assert_eq!(names, Value::List(vec!["a".into(), "b".into()]));
    assert!(reply.next().is_none());
    let rest = reply.rest().values;
    for name in ["id", "more"] {
        assert_eq!(rest.get(name), whole.get(name), "{name}");
    }
    assert_eq!(rest.get("id"), Some(&Value::from("7")));
}

#[test]
fn what_came_instead_of_the_array_is_in_the_rest() {
    let results = "<Results><id>7</id><body><events><start>1</start><stop>2</stop></events></body></Results>";
    let signed = results
        .replace("<Results>", "<Results xsi:type='Signed'>")
        .replace("</Results>", "<by>me</by></Results>");
    for results in [results, &signed, "<Results xsi:nil='true'/>"] {
        let (mut reply, whole) = bare(results);
        assert!(reply.next().is_none(), "{results}");
        let rest = reply.rest().values;
        match whole {
            Value::Nil => assert_eq!(rest.get("id"), Some(&Value::Absent), "{results}"),
            whole => assert_eq!(rest, whole, "{results}"),
        }
    }
}

#[test]
fn an_array_that_cannot_be_streamed_says_why() {
    let client = Client::new(
        BARE.as_bytes().to_vec(),
        ClientOptions {
            endpoint: Some("http://localhost/".to_owned()),
            ..ClientOptions::default()
        },
    );
    let client = client.unwrap();
    let cases = [
        (
            "events",
            "events cannot be streamed: it stands in or beside a group that repeats",
        ),
        (
            "start",
            "start cannot be streamed: it stands in or beside a group that repeats",
        ),
        ("id", "no array of this name can be streamed"),
    ];
    let args = vec![("Question".to_owned(), Value::from("what?"))];
    for (name, why) in cases {
        let options = StreamOptions {
            array: Some(name.to_owned()),
            ..StreamOptions::default()
        };
        let error = client.call_stream("ask", &args, &CallOptions::default(), &options);
        let error = error.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
        assert!(error.contains("there are [body.names.name]"), "{error}");
    }
}
