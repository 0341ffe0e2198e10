//! Large messages that are read while they come, over real connections.

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use castile_endpoint::{
    Client, ClientOptions, LoadOptions, Location, Server, ServerOptions, Service, ServiceOptions, load,
    resolver,
};
use castile_value::Value;
use common::{NS, WSDL, echo_doubles};

const COUNT: usize = 100_000;

fn doubles() -> Vec<f64> {
    (0..COUNT).map(|i| i as f64 / 7.0).collect()
}

fn serve(options: ServerOptions) -> (Arc<Service>, castile_http::Running) {
    let load_options = LoadOptions::default();
    let contract = load(&Location::from(WSDL), &load_options).unwrap();
    let service = Service::new(contract, ServiceOptions::default(), common::handlers()).unwrap();
    let service = Arc::new(service);
    let server = Server::bind(
        Arc::clone(&service),
        "127.0.0.1:0",
        options,
        &resolver(&load_options),
    );
    (service, server.unwrap().start().unwrap())
}

#[test]
fn both_ends_have_compared_most_when_the_last_byte_comes() {
    let (service, running) = serve(ServerOptions::default());
    let client = common::client(running.addr(), None);
    let mut values = doubles();
    for n in 0..6 {
        let record = echo_doubles(&client, &values);
        let (received, length) = (record.received, record.reply.len() as u64);
        if n >= 2 {
            assert!(received.bytes_ahead > length / 2, "{n}: {received:?} of {length}");
            assert!(received.values_kept > 90_000, "{n}: {received:?}");
        }
        // In place, shifted, longer, shorter.
        match n {
            2 => values.iter_mut().step_by(100).for_each(|v| *v = -*v),
            3 => values.extend((0..500).map(f64::from)),
            4 => drop(values.drain(20_000..20_500)),
            _ => values[COUNT / 2] += 0.5,
        }
    }
    let stats = service.receiving();
    assert!(stats.bytes_ahead > stats.bytes_compared / 2, "{stats:?}");
    assert_eq!(client.receiving().plain, 1);
}

#[test]
fn it_can_be_switched_off_and_what_is_compressed_is_compared_when_it_has_come() {
    let (_, running) = serve(ServerOptions::default());
    let mut compressing = ServerOptions::default();
    compressing.http.compress_reply_above = Some(1000);
    let (_, compressing) = serve(compressing);
    for (address, ahead) in [(running.addr(), false), (compressing.addr(), true)] {
        let mut options = ClientOptions {
            endpoint: Some(format!("http://{address}/")),
            ..ClientOptions::default()
        };
        options.http.proxy = castile_http::Proxy::None;
        options.receiving.ahead = ahead;
        let client = Client::new(WSDL, options).unwrap();
        let values = doubles();
        for n in 0..4 {
            let received = echo_doubles(&client, &values).received;
            assert_eq!(received.bytes_ahead, 0, "{ahead}");
            assert_eq!(received.values_kept > 0, n >= 2, "{ahead}");
        }
    }
}

#[test]
fn threads_that_call_at_once_do_not_mix_their_values() {
    let (_, running) = serve(ServerOptions::default());
    let client = common::client(running.addr(), None);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let client = &client;
            scope.spawn(move || {
                let mut values = doubles();
                for n in 0..10 {
                    values[(n * 1000 + thread) % COUNT] = thread as f64 + 0.25;
                    echo_doubles(client, &values);
                }
            });
        }
    });
    assert!(client.receiving().bytes_ahead > 0);
}

/// A server that answers one request a connection, with what `bodies` gives in turn: the length that it says, and bytes.
fn raw(bodies: Vec<(usize, String)>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for (length, body) in bodies {
            let (mut socket, _) = listener.accept().unwrap();
            request(&mut socket);
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
            );
            // The client may have gone: it has seen enough.
            let _ = socket
                .write_all(head.as_bytes())
                .and_then(|()| socket.write_all(body.as_bytes()));
        }
    });
    address
}

fn request(socket: &mut TcpStream) {
    let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
    while !request.ends_with(b"</S:Envelope>") {
        let count = socket.read(&mut buffer).unwrap();
        request.extend_from_slice(&buffer[..count]);
    }
}

fn reply(values: &[String]) -> String {
    let items: String = values.iter().map(|v| format!("<value>{v}</value>")).collect();
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns='{NS}'><e:Body><echoDoublesResponse>\
         {items}</echoDoublesResponse></e:Body></e:Envelope>"
    )
}

#[test]
fn a_message_that_goes_wrong_leaves_nothing_behind() {
    let texts: Vec<String> = doubles().iter().map(f64::to_string).collect();
    let changed = |place: usize, text: &str| {
        let mut texts = texts.clone();
        texts[place] = text.to_owned();
        reply(&texts)
    };
    let good = reply(&texts);
    let cut = &good[..good.len() * 2 / 3];
    let whole = |text: String| (text.len(), text);
    let bodies = vec![
        whole(good.clone()),
        whole(good.clone()),
        (good.len(), cut.to_owned()),
        whole(changed(10, "0.5")),
        whole(changed(20, "1.5")),
        whole(changed(90_000, "no number")),
        whole(changed(30, "2.5")),
        whole(changed(40, "3.5")),
        whole(cut.to_owned()),
        whole(changed(50, "4.5")),
    ];
    let client = common::client(raw(bodies), None);
    let call = || client.call("echoDoubles", &Value::Map(Vec::new()));
    let value = |place: usize| {
        let reply = call().unwrap().unwrap();
        let values = reply.value.as_f64s().unwrap();
        assert_eq!(values.len(), COUNT);
        let same = values
            .iter()
            .zip(&texts)
            .filter(|(v, text)| v.to_string() == **text);
        assert!(same.count() >= COUNT - 1);
        values[place]
    };
    (0..2).for_each(|_| assert_eq!(value(0), 0.0));
    let error = call().unwrap_err().to_string();
    assert!(error.contains("in the middle of its reply"), "{error}");
    assert_eq!((value(10), value(20)), (0.5, 1.5));
    let error = call().unwrap_err().to_string();
    assert!(error.contains("value[90001]"), "{error}");
    assert_eq!((value(30), value(40)), (2.5, 3.5));
    assert!(call().is_err(), "it ends too early");
    assert_eq!(value(50), 4.5);
}
