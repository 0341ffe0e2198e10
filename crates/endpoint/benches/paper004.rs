//! Figures 1 to 7 of paper 004 as rows of tab-separated values: figure, type, items, series, value, unit.
//!
//! 1 and 2: objects a second that are read by the general parser, names looked up in a balanced tree (the paper's STL
//! map), in a trie, or predicted. 3 and 4, which differ in the machine only: doubles a second, the general and
//! the array parser with each of these. 5 and 6, likewise: doubles a second there and back between a client and a
//! server, on a new connection each time or on one that is kept, whole or streamed. 7: which part of writing and
//! reading is converting numbers.
//!
//! 1 to 4 and 7: thread time, one core, warm memory, from text to columns. 5 and 6: elapsed time over loopback.
//!
//! `cargo bench -p castile-endpoint --bench paper004 [-- 1 2 3 5 7]`

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use castile_codec::{DecodeOptions, EncodeOptions, Envelope, Limits, Names, Techniques, Version, encode};
use castile_contract::Contract;
use castile_endpoint::{
    CallOptions, Client, ClientOptions, Handlers, LoadOptions, Location, Server, ServerOptions, Service,
    ServiceOptions, StreamOptions, load, resolver,
};
use castile_plan::Plan;
use castile_testkit::{asked, median, time};
use castile_value::{Record, Stream, Streamed, Value, ValueSink};

const INTEROP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/interop.wsdl");
const SIZES: [usize; 6] = [1, 10, 100, 1000, 10_000, 100_000];

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
 xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:paper" targetNamespace="urn:paper">
<types><x:schema targetNamespace="urn:paper" elementFormDefault="unqualified">
<x:complexType name="Mio"><x:sequence><x:element name="x" type="x:int"/><x:element name="y" type="x:int"/>
<x:element name="value" type="x:double"/></x:sequence></x:complexType>
<x:complexType name="Mesh"><x:sequence><x:element name="x" type="x:int"/><x:element name="y" type="x:int"/>
</x:sequence></x:complexType>
<x:element name="mios"><x:complexType><x:sequence><x:element name="item" type="t:Mio" maxOccurs="unbounded"/>
</x:sequence></x:complexType></x:element>
<x:element name="meshes"><x:complexType><x:sequence><x:element name="item" type="t:Mesh" maxOccurs="unbounded"/>
</x:sequence></x:complexType></x:element>
<x:element name="doubles"><x:complexType><x:sequence><x:element name="item" type="x:double" maxOccurs="unbounded"/>
</x:sequence></x:complexType></x:element></x:schema></types>
<message name="m1"><part name="p" element="t:mios"/></message>
<message name="m2"><part name="p" element="t:meshes"/></message>
<message name="m3"><part name="p" element="t:doubles"/></message>
<portType name="p"><operation name="mios"><input message="t:m1"/></operation>
<operation name="meshes"><input message="t:m2"/></operation>
<operation name="doubles"><input message="t:m3"/></operation></portType>
<binding name="b" type="t:p"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="mios"><s:operation soapAction=""/><input><s:body use="literal"/></input></operation>
<operation name="meshes"><s:operation soapAction=""/><input><s:body use="literal"/></input></operation>
<operation name="doubles"><s:operation soapAction=""/><input><s:body use="literal"/></input></operation></binding>
<service name="g"><port name="p" binding="t:b"><s:address location="http://127.0.0.1/"/></port></service>
</definitions>"#;

fn main() {
    let asked = asked();
    let wants = |figure: &str| asked.is_empty() || asked.iter().any(|word| word == figure);
    println!("figure\ttype\titems\tseries\tvalue\tunit");
    let reading = Reading::new();
    for (figure, name) in [("1", "mios"), ("2", "meshes")] {
        if wants(figure) {
            for (series, names) in NAMES {
                let techniques = Techniques { names, arrays: false };
                reading.row(figure, name, 10_000, series, techniques);
            }
            reading.row(
                figure,
                name,
                10_000,
                "predicted, array parser",
                Techniques::default(),
            );
        }
    }
    if wants("3") {
        for items in SIZES {
            for (series, names) in NAMES {
                for (parser, arrays) in [("general", false), ("array", true)] {
                    let series = format!("{series}, {parser} parser");
                    reading.row("3", "doubles", items, &series, Techniques { names, arrays });
                }
            }
        }
    }
    if wants("5") {
        end_to_end();
    }
    if wants("7") {
        SIZES.into_iter().for_each(|items| reading.conversion(items));
    }
}

const NAMES: [(&str, Names); 3] = [
    ("map", Names::Map),
    ("trie", Names::Trie),
    ("predicted", Names::Predicted),
];

/// A double with up to 17 digits, any.
fn double(n: usize) -> f64 {
    (n.wrapping_mul(2_654_435_761) % 1_000_000_007) as f64 / 1_000_000_007.0
}

/// Nanoseconds that the work takes by a clock, the median of some runs.
fn measure(times: usize, clock: impl Fn(&mut dyn FnMut()) -> f64, mut work: impl FnMut()) -> f64 {
    const RUNS: usize = 18;
    let runs = (0..RUNS).map(|_| clock(&mut || (0..times).for_each(|_| work())) / times as f64);
    median(runs.skip(3).collect())
}

/// By the clock of this thread.
fn thread_time(times: usize, work: impl FnMut()) -> f64 {
    measure(times, |work| time(work), work)
}

/// By the clock on the wall.
fn elapsed(times: usize, work: impl FnMut()) -> f64 {
    let clock = |work: &mut dyn FnMut()| {
        let started = Instant::now();
        work();
        started.elapsed().as_nanos() as f64
    };
    measure(times, clock, work)
}

/// So often that it can be measured.
fn times(items: usize) -> usize {
    (20_000 / items).clamp(1, 500)
}

struct Reading {
    contract: Arc<Contract>,
}

impl Reading {
    fn new() -> Reading {
        let path = std::env::temp_dir().join(format!("castile-paper004-{}.wsdl", std::process::id()));
        std::fs::write(&path, WSDL).expect("a folder for temporary files");
        let contract = load(&Location::from(&*path.to_string_lossy()), &LoadOptions::default());
        std::fs::remove_file(&path).expect("the file just written");
        Reading {
            contract: contract.expect("a contract"),
        }
    }

    fn plan(&self, name: &str) -> &Plan {
        let mut operations = self
            .contract
            .bindings
            .iter()
            .flat_map(|binding| &binding.operations);
        let operation = operations.find(|o| &*o.name == name).expect("an operation");
        operation.input.as_ref().expect("an input")
    }

    fn message(name: &str, items: usize) -> String {
        let mut text = format!(
            "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><m:{name} xmlns:m=\"urn:paper\">"
        );
        for n in 0..items {
            let (x, value) = (n * 7919 % 1_000_003, double(n));
            let written = match name {
                "mios" => write!(text, "<item><x>{x}</x><y>{n}</y><value>{value}</value></item>"),
                "meshes" => write!(text, "<item><x>{x}</x><y>{n}</y></item>"),
                _ => write!(text, "<item>{value}</item>"),
            };
            written.expect("a text takes all");
        }
        write!(text, "</m:{name}></e:Body></e:Envelope>").expect("a text takes all");
        text
    }

    fn read(&self, plan: &Plan, text: &str, options: &DecodeOptions, earlier: Value) -> Record {
        let types = &self.contract.types;
        let mut header = ValueSink::new(types.shape(plan.header).clone());
        let mut body = ValueSink::new(types.shape(plan.body).clone()).with_spare(earlier);
        let envelope = Envelope::open(text, &Limits::default()).expect("an envelope");
        envelope
            .decode(types, plan, options, &mut header, &mut body)
            .expect("a good message");
        body.finish()
    }

    fn row(&self, figure: &str, name: &str, items: usize, series: &str, techniques: Techniques) {
        let (plan, text) = (self.plan(name), Reading::message(name, items));
        let options = DecodeOptions {
            techniques,
            ..DecodeOptions::default()
        };
        let plain = self.read(plan, &text, &DecodeOptions::default(), Value::Absent);
        assert_eq!(self.read(plan, &text, &options, Value::Absent), plain, "{series}");
        let took = thread_time(times(items), || {
            black_box(self.read(plan, &text, &options, Value::Absent));
        });
        println!(
            "{figure}\t{name}\t{items}\t{series}\t{:.0}\titems/s",
            items as f64 * 1e9 / took
        );
    }

    /// Figure 7: both directions.
    fn conversion(&self, items: usize) {
        let (plan, text) = (self.plan("doubles"), Reading::message("doubles", items));
        let types = &self.contract.types;
        let options = DecodeOptions::default();
        let values: Vec<f64> = (0..items).map(double).collect();
        let texts: Vec<String> = values.iter().map(f64::to_string).collect();
        let reading = thread_time(times(items), || {
            black_box(self.read(plan, &text, &options, Value::Absent));
        });
        let parsing = thread_time(times(items), || {
            for text in &texts {
                black_box(castile_lexical::parse_f64(black_box(text.as_bytes())).expect("a number"));
            }
        });
        let (header, body) = (
            Record::new(types.shape(plan.header).clone()),
            self.read(plan, &text, &options, Value::Absent),
        );
        let mut out = Vec::new();
        let writing = thread_time(times(items), || {
            out.clear();
            let options = EncodeOptions::default();
            encode(types, plan, Version::Soap11, &header, &body, &options, &mut out).expect("good values");
            black_box(&mut out);
        });
        let mut number = Vec::new();
        let formatting = thread_time(times(items), || {
            for value in &values {
                number.clear();
                castile_lexical::format_f64(black_box(*value), &mut number);
                black_box(&mut number);
            }
        });
        for (series, part) in [
            ("double to text", formatting / writing),
            ("text to double", parsing / reading),
        ] {
            println!("7\tdoubles\t{items}\t{series}\t{:.3}\tof the time", part.min(1.0));
        }
    }
}

/// Figures 5 and 6: an echo.
fn end_to_end() {
    let contract = load(&Location::from(INTEROP), &LoadOptions::default()).expect("a contract");
    let handlers = Handlers::new().on("echoDoubles", |args| {
        Ok(args.get("value").cloned().unwrap_or_default())
    });
    let service = Service::new(contract, ServiceOptions::default(), handlers).expect("a service");
    let server = Server::bind(
        Arc::new(service),
        "127.0.0.1:0",
        ServerOptions::default(),
        &resolver(&LoadOptions::default()),
    );
    let server = server.expect("a port").start().expect("a server");
    let mut options = ClientOptions {
        endpoint: Some(format!("http://{}/", server.addr())),
        differential: castile_endpoint::Differential {
            enabled: false,
            ..Default::default()
        },
        ..ClientOptions::default()
    };
    options.http.proxy = castile_http::Proxy::None;
    let client = Client::new(INTEROP, options).expect("a client");
    for items in SIZES {
        let values: Vec<f64> = (0..items).map(double).collect();
        for (connection, close) in [("a connection each", true), ("kept connection", false)] {
            for streams in [false, true] {
                let how = if streams { "streamed" } else { "whole" };
                let took = elapsed((2_000 / items).clamp(1, 50), || {
                    echo(&client, &values, close, streams)
                });
                let rate = items as f64 * 1e9 / took;
                println!("5\tdoubles\t{items}\t{connection}, {how}\t{rate:.0}\titems/s");
            }
        }
    }
}

/// Sends the values there and has them back.
fn echo(client: &Client, values: &[f64], close: bool, streams: bool) {
    let mut options = CallOptions::default();
    if close {
        options.http_headers.push(("Connection".into(), "close".into()));
    }
    let count = if streams {
        let portions: Vec<Vec<f64>> = values.chunks(4096).map(<[f64]>::to_vec).collect();
        let blocks = Stream::of(portions);
        let args = Streamed::new(&(), "value", &blocks);
        let called = client.call_stream("echoDoubles", &args, &options, &StreamOptions::default());
        let reply = called.expect("an answer").expect("no fault");
        let batches = reply.map(|batch| batch.expect("a batch").as_f64s().map_or(0, <[f64]>::len));
        batches.sum::<usize>()
    } else {
        let args = Value::map([("value", values.to_vec().into())]);
        let reply = client.call_with("echoDoubles", &args, &options);
        let reply = reply.expect("an answer").expect("no fault");
        reply.value.as_f64s().map_or(0, <[f64]>::len)
    };
    assert_eq!(count, values.len());
}
