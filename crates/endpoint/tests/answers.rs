//! What a handler keeps and answers again: the message is that of an answer of its own, for every caller, and after it
//! was replaced.

mod common;

use std::sync::{Arc, Mutex};

use castile_endpoint::{Handlers, InMessage, LoadOptions, Location, Service, ServiceOptions, load};
use castile_value::Value;
use common::WSDL;

/// Events of one time, so that a reader sees whether they belong together.
fn events(time: f64, count: i64) -> Value {
    let event = |i: i64| {
        Value::map([
            ("id", i.into()),
            ("value", time.into()),
            ("text", format!("number {i} & more").into()),
        ])
    };
    Value::List((0..count).map(event).collect())
}

/// What a service answers to `echoEvents`, so many times.
fn answers(answer: impl Fn() -> Value + Send + Sync + 'static, times: usize) -> Vec<Vec<u8>> {
    let contract = load(&Location::from(WSDL), &LoadOptions::default()).unwrap();
    let handlers = Handlers::new().on("echoEvents", move |_| Ok(answer()));
    let service = Service::new(contract, ServiceOptions::default(), handlers).unwrap();
    let request = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:i='{}'><e:Body><i:echoEvents/>\
         </e:Body></e:Envelope>",
        common::NS
    );
    let answer = || {
        let answer = service.answer(InMessage::new(&request));
        assert!(answer.fault.is_none());
        answer.body.to_bytes().to_vec()
    };
    (0..times).map(|_| answer()).collect()
}

#[test]
fn the_message_is_that_of_an_answer_of_its_own() {
    for count in [0, 1, 3, 500] {
        let own = answers(move || events(0.5, count), 3);
        let kept: Arc<Value> = Arc::new(events(0.5, count));
        let part = kept.clone();
        let Value::List(items) = events(0.5, count) else {
            panic!("a list")
        };
        let each: Vec<Arc<Value>> = items.into_iter().map(Arc::new).collect();
        assert_eq!(answers(move || kept.clone().into(), 3), own);
        assert_eq!(
            answers(move || Value::map([("event", part.clone().into())]), 3),
            own
        );
        let of_kept = move || Value::List(each.iter().map(|event| event.clone().into()).collect());
        assert_eq!(answers(of_kept, 3), own);
    }
}

#[test]
fn callers_at_once_get_one_version_or_the_next() {
    let kept = Arc::new(Mutex::new(Arc::new(events(0.0, 300))));
    let handlers = Handlers::new().on("echoEvents", {
        let kept = kept.clone();
        move |_| Ok(kept.lock().unwrap().clone().into())
    });
    let running = common::start_with(castile_endpoint::ServerOptions::default(), handlers);
    let times = |client: &castile_endpoint::Client| -> f64 {
        let reply = client.call("echoEvents", &Value::Absent).unwrap().unwrap();
        let items = reply.value.into_list();
        assert_eq!(items.len(), 300);
        let time = |item: &Value| match item.get("value") {
            Some(Value::Double(time)) => *time,
            other => panic!("{other:?}"),
        };
        let first = time(&items[0]);
        assert!(items.iter().all(|item| time(item).to_bits() == first.to_bits()));
        first
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let client = common::client(running.addr(), None);
                let mut last = 0.0;
                for _ in 0..40 {
                    let time = times(&client);
                    assert!(time >= last, "{time} after {last}");
                    last = time;
                }
            });
        }
        for version in 1..60 {
            *kept.lock().unwrap() = Arc::new(events(f64::from(version) / 3.0, 300));
            std::thread::yield_now();
        }
    });
    assert_eq!(
        times(&common::client(running.addr(), None)).to_bits(),
        (59.0f64 / 3.0).to_bits()
    );
}
