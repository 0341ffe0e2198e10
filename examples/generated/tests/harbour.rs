//! Generated types against dynamic values: the same bytes, the same values, both roles over HTTP.

use castile::codec::{DecodeOptions, EncodeOptions, Envelope, Limits, Version, encode};
use castile::sample::{Fill, SampleOptions, Sampler};
use castile::typed::{Binary, Builder, EMPTY, Failure, Fields, List, Maybe, from_value, to_value};
use castile::{ClientOptions, DateTime, Item, Source, Value};
use castile_example_generated::harbour::{self, *};

/// A body of one element.
struct Body<'a>(&'a dyn Source);

impl Source for Body<'_> {
    fn field(&self, _index: usize, _name: &str) -> Item<'_> {
        Item::Record(self.0)
    }
}

fn ship() -> Ship {
    let inner = Container {
        label: "inner & <outer>".into(),
        id: "c2".into(),
        any_attributes: castile::typed::Attributes(vec![("{urn:x}seal".into(), "1".into())]),
        ..Container::default()
    };
    let outer = Container {
        label: "outer".into(),
        id: "c1".into(),
        content: vec![inner.clone().into(), Bulk::default().into()],
        next_to: Some(Box::new(inner)),
        ..Container::default()
    };
    Ship {
        name: "Größe".into(),
        flag: Flag::Pa,
        draught: Some(Draught::ShipDraughtMember(ShipDraughtMember::Unknown)),
        berths: Some(List(vec![1, 2, 3])),
        captain: Maybe::Nil,
        pilot: None,
        arrives_or_leaves: ShipArrivesOrLeaves::Leaves(DateTime::default()),
        load: vec![outer.into()],
        choice: vec![
            ShipChoice::Note("n".into()),
            ShipChoice::Warning(7),
            ShipChoice::Note("m".into()),
        ],
        any: vec![Value::Xml("<e xmlns=\"urn:e\">x</e>".into())],
        r#type: Some("cargo".into()),
    }
}

fn client() -> (HarbourClient, castile::http::Running) {
    let server = castile_example_generated::server().expect("a free port");
    let endpoint = Some(format!("http://{}/", server.local_addr()));
    let running = server.start().expect("it starts");
    let options = ClientOptions {
        endpoint,
        ..ClientOptions::default()
    };
    (
        HarbourClient::new(options).expect("the embedded contract"),
        running,
    )
}

#[test]
fn a_ship_of_everything_comes_back_over_http() {
    let (client, running) = client();
    let header = RegisterHeader {
        watch: Some(Watch {
            officer: "Ada".into(),
        }),
        ..RegisterHeader::default()
    };
    let request = Register { ship: ship() };
    let mut reply = client.register(&header, &request).expect("a reply");
    // XML that was read declares the prefixes around it.
    let any = std::mem::replace(&mut reply.value.ship.any, request.ship.any.clone());
    assert!(
        matches!(&any[..], [Value::Xml(text)] if text.ends_with(">x</e>")),
        "{any:?}"
    );
    assert_eq!(reply.value.ship, request.ship);
    assert_eq!(reply.header.watch, header.watch);
    let full = (0..3).find_map(|_| client.register(&header, &request).err());
    let Some(failure @ Failure::Fault(_)) = full else {
        panic!("no fault: {full:?}")
    };
    assert_eq!(failure.detail(), Some(&RegisterFault::Full(Full { waiting: 1 })));
    let failure = client.survey(&Survey::default()).expect_err("no tide was given");
    assert!(failure.to_string().contains("no tide"), "{failure}");
    running.stop();
}

#[test]
fn rows_and_columns_come_back_bit_for_bit() {
    let (client, running) = client();
    let sounding = |x: i32| Sounding {
        x,
        valid: x % 2 == 0,
        depth: f64::from(x) * 0.1,
        error: f32::MIN_POSITIVE,
    };
    for count in [0, 1, 3, 1023, 1024, 1025, 5000] {
        let survey = Survey {
            sounding: (0..count).map(sounding).collect(),
            tide: vec![-0.0],
        };
        let reply = client.survey(&survey).expect("a reply").value;
        assert_eq!(reply.sounding, survey.sounding);
        assert_eq!(reply.mean.to_bits(), (-0.0f64).to_bits());
    }
    running.stop();
}

/// Samples through generated types and through dynamic values.
#[test]
fn generated_types_and_dynamic_values_give_the_same_bytes() {
    fn check<T: Fields + Default + PartialEq + std::fmt::Debug>(operation: &str, reply: bool) {
        let contract = harbour::CONTRACT.contract().expect("the embedded contract");
        let types = &*contract.types;
        let found = contract
            .operation(None, None, operation)
            .expect("the operation")
            .operation;
        let plan = if reply { &found.output } else { &found.input };
        let plan = plan.as_ref().expect("a message");
        let (id, nested) = plan.values(types);
        assert!(nested);
        let mut tried = 0;
        for (variant, fill, items) in (0..8).flat_map(|v| [(v, Fill::Required, 1), (v, Fill::Everything, 5)])
        {
            let options = SampleOptions {
                variant,
                fill,
                items,
                ..SampleOptions::default()
            };
            let Some(body) = Sampler::new(types, options).record(plan.body) else {
                continue;
            };
            let write = |body: &dyn Source| {
                let mut out = Vec::new();
                encode(
                    types,
                    plan,
                    Version::Soap12,
                    &EMPTY,
                    body,
                    &EncodeOptions::default(),
                    &mut out,
                )
                .expect("a sample");
                String::from_utf8(out).expect("UTF-8")
            };
            let sent = write(&body);
            let envelope = Envelope::open(&sent, &Limits::default()).expect("what was written");
            let mut header = Builder::<castile::typed::Empty>::new();
            let mut builder = Builder::<One<T>>::lax();
            envelope
                .decode(types, plan, &DecodeOptions::default(), &mut header, &mut builder)
                .expect("what was written");
            let own = builder.finish().expect("all it must have").0;
            let dynamic = body.values().first().cloned().unwrap_or_default();
            if !sent.contains("urn:castile:sample") {
                // XML that was read declares the prefixes around it.
                assert_eq!(write(&Body(&own)), sent);
                // Without bytes between, too.
                let Value::Record(record) = &dynamic else {
                    panic!("{dynamic:?}")
                };
                assert_eq!(record.shape(), types.shape(id));
                assert_eq!(from_value::<T>(&dynamic).expect("the same type"), own);
            }
            tried += 1;
        }
        assert!(tried > 8, "{tried} samples");
    }
    check::<Register>("register", false);
    check::<RegisterResponse>("register", true);
    check::<Survey>("survey", false);
    check::<SurveyResponse>("survey", true);
}

/// The one element of a body.
#[derive(Default)]
struct One<T>(T);

impl<T: Fields + Default> Fields for One<T> {
    fn label(&self) -> &'static str {
        ""
    }
    fn get(&self, _index: usize) -> Item<'_> {
        Item::Record(&self.0)
    }
    fn at(&mut self, index: usize) -> Option<&mut dyn castile::typed::Place> {
        (index == 0).then_some(&mut self.0 as &mut dyn castile::typed::Place)
    }
    fn start(_label: &str) -> Option<Self> {
        Some(One::default())
    }
}

#[test]
fn values_of_any_type_become_generated_types() {
    let contract = harbour::CONTRACT.contract().expect("the embedded contract");
    let value = to_value(&contract.types, &ship()).expect("a named type");
    assert_eq!(from_value::<Ship>(&value).expect("a ship"), ship());
    assert!(from_value::<Sounding>(&value).is_err());
    assert!(from_value::<Ship>(&Value::Nil).is_err());
}

#[test]
fn texts_that_the_contract_does_not_list_are_kept_when_reading_laxly() {
    assert_eq!(Flag::from("es"), Flag::Es);
    assert_eq!(Flag::from("xx"), Flag::Other("xx".into()));
    assert_eq!(Flag::from("xx").to_string(), "xx");
    assert_eq!(Binary::from(&b"x"[..]).len(), 1);
}

#[test]
fn what_is_missing_is_an_error_for_a_lax_reader() {
    let contract = harbour::CONTRACT.contract().expect("the embedded contract");
    let types = &*contract.types;
    let found = contract
        .operation(None, None, "register")
        .expect("the operation")
        .operation;
    let plan = found.input.as_ref().expect("a request");
    let text = "<S:Envelope xmlns:S=\"http://schemas.xmlsoap.org/soap/envelope/\"><S:Body>\
        <register xmlns=\"urn:castile:harbour\"><ship><name>n</name><unknown/></ship></register></S:Body></S:Envelope>";
    let mut header = Builder::<castile::typed::Empty>::lax();
    let mut body = Builder::<One<Register>>::lax();
    let options = DecodeOptions {
        strict: false,
        ..DecodeOptions::default()
    };
    let envelope = Envelope::open(text, &Limits::default()).expect("an envelope");
    envelope
        .decode(types, plan, &options, &mut header, &mut body)
        .expect("lax");
    let error = body.finish().err().expect("flag is missing").to_string();
    assert!(error.contains("ship: flag: missing"), "{error}");
}
