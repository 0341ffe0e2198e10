//! Both ends make their messages from the last ones, over real connections.

mod common;

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use castile_endpoint::{
    Answer, Call, Client, Differential, Handler, InMessage, InPlace, LoadOptions, Location, Match, Record,
    ServerOptions, Service, ServiceOptions, Sharing, Trouble, load,
};
use castile_value::{Shape, Value, ValueSink};
use common::{WSDL, echo_doubles};

#[test]
fn a_client_sends_again_only_what_changed() {
    let running = common::start(ServerOptions::default());
    let client = common::client(running.addr(), None);
    let mut values: Vec<f64> = (0..20_000).map(|i| f64::from(i) / 16.0).collect();
    let kind = |record: Record| record.request.report().kind;
    assert_eq!(kind(echo_doubles(&client, &values)), Match::FirstTime);
    assert_eq!(kind(echo_doubles(&client, &values)), Match::Content);
    values[10_000] = -values[10_001];
    values[3] = 1.0 / 3.0;
    let record = echo_doubles(&client, &values);
    let report = *record.request.report();
    assert_eq!(
        (report.kind, report.values_rewritten),
        (Match::PartialStructural, 2)
    );
    assert!(report.bytes_shifted < 40_000, "only within a chunk");
    values.drain(500..600);
    values.push(f64::NAN);
    assert!(echo_doubles(&client, &values).request.report().values_written < 1000);
    let stats = client.differential();
    assert_eq!(stats.matches, [1, 0, 2, 1]);
    assert!(stats.all.bytes_rewritten < stats.all.bytes_total / 3);
}

#[test]
fn a_request_that_is_kept_stays_as_it_was() {
    let running = common::start(ServerOptions::default());
    let client = common::client(running.addr(), None);
    let mut values = vec![0.25; 5000];
    let kept = echo_doubles(&client, &values);
    let bytes = kept.request.to_bytes();
    values[2500] = 0.75;
    let next = echo_doubles(&client, &values);
    assert_eq!(next.request.report().chunks_copied, 1);
    assert_eq!(kept.request.to_bytes(), bytes);
    assert_ne!(next.request.to_bytes(), bytes);
}

#[test]
fn threads_that_call_at_once_do_not_mix_their_values() {
    let running = common::start(ServerOptions::default());
    let client = common::client(running.addr(), None);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let client = &client;
            scope.spawn(move || {
                let mut values = vec![f64::from(thread); 3000];
                for round in 0..30 {
                    values[round * 100] = f64::from(thread) + round as f64 / 7.0;
                    echo_doubles(client, &values);
                }
            });
        }
    });
    let stats = client.differential();
    assert_eq!(stats.matches.iter().sum::<u64>() + stats.busy, 240);
}

#[test]
fn it_can_be_switched_off() {
    let running = common::start(ServerOptions::default());
    let off = Differential {
        enabled: false,
        ..Differential::default()
    };
    let options = castile_endpoint::ClientOptions {
        endpoint: Some(format!("http://{}/", running.addr())),
        differential: off,
        ..Default::default()
    };
    let client = Client::new(WSDL, options).unwrap();
    for _ in 0..3 {
        assert_eq!(
            echo_doubles(&client, &[0.5; 1000]).request.report().kind,
            Match::FirstTime
        );
    }
    assert_eq!(client.differential().memory, 0);
}

/// Calls a service as a principal, or as nobody; gives what kind of reply it made.
fn reply_to(service: &Service, text: &str, principal: Option<&str>) -> Match {
    made(
        service,
        InMessage {
            principal,
            ..InMessage::new(text)
        },
    )
}

fn made(service: &Service, message: InMessage<'_>) -> Match {
    let out = service.answer(message);
    assert!(out.fault.is_none());
    out.body.report().kind
}

/// Five hundred doubles for `echoDoubles`.
fn doubles() -> String {
    let values = "<i:value>0.5</i:value>".repeat(500);
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:i='{}'><e:Body>\
         <i:echoDoubles>{values}</i:echoDoubles></e:Body></e:Envelope>",
        common::NS
    )
}

fn service(sharing: &[(&str, Sharing)], handler: impl Handler) -> Result<Service, castile_endpoint::Error> {
    let contract = load(&Location::from(WSDL), &LoadOptions::default())?;
    let sharing = sharing
        .iter()
        .map(|(name, sharing)| ((*name).to_owned(), *sharing));
    let options = ServiceOptions {
        sharing: sharing.collect(),
        ..ServiceOptions::default()
    };
    Service::new(contract, options, handler)
}

#[test]
fn an_operation_says_whose_replies_are_made_from_whose() {
    let text = doubles();
    let all = service(&[("echoDoubles", Sharing::All)], common::handlers()).unwrap();
    assert_eq!(reply_to(&all, &text, Some("ada")), Match::FirstTime);
    assert_eq!(reply_to(&all, &text, Some("grace")), Match::Content);
    assert_eq!(reply_to(&all, &text, None), Match::Content);
    let none = service(&[("echoDoubles", Sharing::None)], common::handlers()).unwrap();
    assert_eq!(reply_to(&none, &text, None), Match::FirstTime);
    assert_eq!(reply_to(&none, &text, None), Match::FirstTime);
    assert_eq!(none.differential().memory, 0);
    let error = service(&[("ecoDoubles", Sharing::All)], common::handlers()).err();
    assert!(error.is_some_and(|e| e.to_string().contains("ecoDoubles")));
}

/// Finds out by itself who calls: the first value says it.
struct Checking;

impl Handler for Checking {
    fn handle(&self, call: Call<'_>) -> Result<Answer, Trouble> {
        let types = call.service().types().clone();
        let (_, args) = call.arguments().expect("it has arguments");
        let peer = call.peer().map(|peer| peer.to_string());
        let mut header = ValueSink::new(Arc::new(Shape::new("", Vec::new())));
        let mut args = ValueSink::new(types.shape(args).clone());
        let mut replier = call.decode(&mut header, &mut args)?;
        if let Some(peer) = peer {
            replier.for_principal(peer);
        }
        let Value::Record(values) = Value::Record(args.finish()) else {
            unreachable!("arguments are a record");
        };
        let (_, result) = replier.result().expect("it has a result");
        let name = types.complex(result).fields[0].name.to_string();
        let result = vec![(name, values.into_values().remove(0))];
        Ok(replier.reply(&Vec::new(), &result)?)
    }
}

#[test]
fn a_handler_says_who_the_caller_is() {
    let text = doubles();
    let service = service(&[], Checking).unwrap();
    let from = |port: u16| InMessage {
        peer: Some(([127, 0, 0, 1], port).into()),
        ..InMessage::new(&text)
    };
    assert_eq!(made(&service, from(1)), Match::FirstTime);
    assert_eq!(made(&service, from(2)), Match::FirstTime);
    assert_eq!(made(&service, from(1)), Match::Content);
    assert_eq!(made(&service, InMessage::new(&text)), Match::FirstTime);
}

#[test]
fn replies_to_one_principal_are_not_made_from_those_to_another() {
    let service = Arc::new(service(&[], common::handlers()).unwrap());
    let text = doubles();
    assert_eq!(reply_to(&service, &text, None), Match::FirstTime);
    assert_eq!(reply_to(&service, &text, None), Match::Content);
    assert_eq!(reply_to(&service, &text, Some("ada")), Match::FirstTime);
    assert_eq!(reply_to(&service, &text, Some("grace")), Match::FirstTime);
    assert_eq!(reply_to(&service, &text, Some("ada")), Match::Content);
    let holder = |certificate| InMessage {
        certificate: Some(certificate),
        ..InMessage::new(&text)
    };
    assert_eq!(made(&service, holder(b"one")), Match::FirstTime);
    assert_eq!(made(&service, holder(b"two")), Match::FirstTime);
    assert_eq!(made(&service, holder(b"one")), Match::Content);
    assert_eq!(service.differential().matches, [3, 0, 0, 5]);
}

#[test]
fn a_request_is_held_for_its_principal_until_the_next() {
    let service = service(&[], common::handlers()).unwrap();
    let ask = |principal| {
        let body = Bytes::from(doubles());
        let text = std::str::from_utf8(&body).unwrap();
        let message = InMessage {
            principal,
            lies_in: Some(&body),
            ..InMessage::new(text)
        };
        assert!(service.answer(message).fault.is_none());
        body
    };
    let nobodys = [ask(None), ask(None)];
    assert!(nobodys.iter().all(Bytes::is_unique));
    let (first, other) = (ask(Some("ada")), ask(Some("grace")));
    assert!(!first.is_unique() && !other.is_unique());
    let next = ask(Some("ada"));
    assert!(first.is_unique() && !other.is_unique() && !next.is_unique());
}

#[test]
fn a_value_that_is_given_back_is_filled_anew() {
    let running = common::start(ServerOptions::default());
    let client = common::client(running.addr(), None);
    let mut value = Value::Absent;
    let mut place = None;
    for n in 0..4 {
        let values: Vec<f64> = (0..5000 - n).map(|i| f64::from(i * n)).collect();
        let args = vec![("value".to_owned(), Value::from(values.clone()))];
        let record = client.call_into("echoDoubles", &castile_endpoint::Nothing, &args, &mut value);
        record.unwrap().unwrap();
        let back = value.as_f64s().unwrap();
        assert_eq!(back, values);
        let at = back.as_ptr();
        assert_eq!(*place.get_or_insert(at), at, "the same memory");
    }
    value = Value::from("of another operation");
    let args = vec![("value".to_owned(), Value::from(vec![0.5]))];
    let called = client.call_into("echoDoubles", &castile_endpoint::Nothing, &args, &mut value);
    called.unwrap().unwrap();
    assert_eq!(value.as_f64s().unwrap(), [0.5]);
    let called = client.call_into("echoNothing", &castile_endpoint::Nothing, &args, &mut value);
    assert!(called.is_err());
}

/// What is given back is changed where the reply differs, and in the same memory.
#[test]
fn a_value_is_changed_in_place() {
    let running = common::start(ServerOptions::default());
    let client = common::client(running.addr(), None);
    let mut value = InPlace::default();
    let mut values: Vec<f64> = (0..5000).map(f64::from).collect();
    let mut place = None;
    for n in 0..12 {
        // Other values, one more, fewer, and none.
        match n {
            4 => values.insert(7, 0.5),
            7 => values.truncate(4000),
            9 => values.clear(),
            10 => values.extend((0..3000).map(f64::from)),
            _ => values.iter_mut().step_by(701 + n).for_each(|v| *v += 0.25),
        }
        let args = vec![("value".to_owned(), Value::from(values.clone()))];
        let called = client.call_in_place("echoDoubles", &castile_endpoint::Nothing, &args, &mut value);
        let record = called.unwrap().unwrap();
        if matches!(n, 2 | 3 | 6) {
            assert!(record.received.values_kept > 4900, "{n}: {:?}", record.received);
        }
        if let Some(back) = value.as_f64s() {
            assert_eq!(back, values, "{n}");
            if n < 4 {
                assert_eq!(
                    *place.get_or_insert(back.as_ptr()),
                    back.as_ptr(),
                    "the same memory"
                );
            }
        }
        assert_eq!(value.count(), values.len(), "{n}");
    }
    let args = vec![("value".to_owned(), Value::from(vec![0.5]))];
    let called = client.call_in_place("echoNothing", &castile_endpoint::Nothing, &args, &mut value);
    assert!(called.is_err());
    assert_eq!(value.into_value(), Value::Absent);
}

/// Answers all with what it holds now.
struct Board(Arc<Mutex<Vec<f64>>>);

impl Handler for Board {
    fn handle(&self, call: Call<'_>) -> Result<Answer, Trouble> {
        let types = call.service().types().clone();
        let (_, args) = call.arguments().expect("it has arguments");
        let mut header = ValueSink::new(Arc::new(Shape::new("", Vec::new())));
        let mut args = ValueSink::new(types.shape(args).clone());
        let replier = call.decode(&mut header, &mut args)?;
        let (_, result) = replier.result().expect("it has a result");
        let name = types.complex(result).fields[0].name.to_string();
        let values = self.0.lock().unwrap().clone();
        Ok(replier.reply(&Vec::new(), &vec![(name, values.into())])?)
    }
}

fn board(share_arrays: bool) -> (Service, Arc<Mutex<Vec<f64>>>) {
    let values = Arc::new(Mutex::new((0..5000).map(|i| f64::from(i) / 7.0).collect()));
    let contract = load(&Location::from(WSDL), &LoadOptions::default()).unwrap();
    let options = ServiceOptions {
        share_arrays,
        ..ServiceOptions::default()
    };
    let service = Service::new(contract, options, Board(Arc::clone(&values))).unwrap();
    (service, values)
}

fn written(service: &Service) -> u64 {
    let all = service.differential().all;
    all.values_written + all.values_rewritten
}

/// Callers who proved nothing share one store, however many ask at the same time.
#[test]
fn one_changed_reply_for_a_thousand_callers_is_written_once() {
    let (service, values) = board(true);
    let text = doubles();
    for round in 0..3 {
        let before = written(&service);
        reply_to(&service, &text, None);
        let once = written(&service) - before;
        assert!(once > 0);
        std::thread::scope(|scope| {
            for _ in 0..9 {
                scope.spawn(|| (0..111).for_each(|_| drop(service.answer(InMessage::new(&text)))));
            }
        });
        assert_eq!(written(&service) - before, once, "round {round}");
        assert_eq!(service.stats().calls, 1000 * (round + 1));
        values
            .lock()
            .unwrap()
            .iter_mut()
            .step_by(3)
            .for_each(|v| *v += 0.125);
    }
}

#[test]
fn arrays_of_replies_are_shared_only_among_those_who_may_know() {
    let (service, _) = board(true);
    let text = doubles();
    for principal in [Some("ada"), Some("grace"), None] {
        let before = written(&service);
        reply_to(&service, &text, principal);
        assert_eq!(written(&service) - before, 5000, "{principal:?}");
        reply_to(&service, &text, principal);
        assert_eq!(written(&service) - before, 5000, "{principal:?}");
    }
    assert_eq!(service.differential().all.values_shared, 0);
}

/// Services that are handed one pool write once what both reply.
#[test]
fn services_share_what_they_are_told_to() {
    let pool = castile_endpoint::Pool::new();
    let values = Arc::new(Mutex::new(vec![0.1; 4000]));
    let service = |share_arrays| {
        let contract = load(&Location::from(WSDL), &LoadOptions::default()).unwrap();
        let options = ServiceOptions {
            share_arrays,
            differential: Differential {
                pool: Some(pool.clone()),
                ..Differential::default()
            },
            ..ServiceOptions::default()
        };
        Service::new(contract, options, Board(Arc::clone(&values))).unwrap()
    };
    let (one, other, apart) = (service(true), service(true), service(false));
    let text = doubles();
    for service in [&one, &other, &apart] {
        reply_to(service, &text, None);
    }
    let counts = [&one, &other, &apart].map(written);
    assert_eq!(counts, [4000, 0, 4000]);
}
