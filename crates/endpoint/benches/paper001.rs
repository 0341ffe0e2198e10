//! Figures 5 and 6 of paper 001 as rows of tab-separated values: figure, service, series, value, unit.
//!
//! Figure 5: requests a second that a server answers, 10 connections and 30,000 requests, with and without
//! differential receiving. `GoogleSearchSimple` takes the search request (1 KB), `GoogleSearchLarge` what the search
//! response is like (large, nested, strings); both answer nothing and do nothing, as in the paper. Keep-alive, one
//! machine: the client's share of it is in the figures; so the figure says also what one request takes of the
//! server's decoding alone (`decode`, one thread, from text to the object).
//!
//! Figure 6: objects a second that are made of a large message like the last, by how the object is made. Ours are
//! `shared` (no copy, the paper's C), `in_place` and `fresh`; `clone` copies the last object (A), `serialized` writes
//! it and reads it again (D), `plain` parses the message.
//!
//! `cargo bench -p castile-endpoint --bench paper001 [-- 5|6]`

use std::hint::black_box;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Instant;

use castile_codec::{DecodeOptions, EncodeOptions, Intake, Limits, Version, encode};
use castile_contract::Contract;
use castile_diff::{Automata, Receiving, Shared};
use castile_endpoint::{
    Handlers, LoadOptions, Location, Server, ServerOptions, Service, ServiceOptions, load, resolver,
};
use castile_plan::{Plan, Types};
use castile_testkit::{asked, median, time};
use castile_value::{Record, Value, ValueSink};

const REQUESTS: usize = 30_000;
const CONNECTIONS: usize = 10;
const ROUNDS: usize = 5;
const RESULTS: usize = 10;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
 xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:GoogleSearch" targetNamespace="urn:GoogleSearch">
<types><x:schema targetNamespace="urn:GoogleSearch" elementFormDefault="unqualified">
<x:element name="GoogleSearchSimple"><x:complexType><x:sequence>
<x:element name="key" type="x:string"/><x:element name="q" type="x:string"/><x:element name="start" type="x:int"/>
<x:element name="maxResults" type="x:int"/><x:element name="filter" type="x:boolean"/>
<x:element name="restrict" type="x:string"/><x:element name="safeSearch" type="x:boolean"/>
<x:element name="lr" type="x:string"/><x:element name="ie" type="x:string"/><x:element name="oe" type="x:string"/>
</x:sequence></x:complexType></x:element>
<x:element name="GoogleSearchLarge"><x:complexType><x:sequence>
<x:element name="documentFiltering" type="x:boolean"/><x:element name="estimatedTotalResultsCount" type="x:int"/>
<x:element name="searchTime" type="x:double"/><x:element name="resultElements" type="t:Results"/>
<x:element name="endIndex" type="x:int"/><x:element name="searchTips" type="x:string"/>
<x:element name="searchComments" type="x:string"/><x:element name="startIndex" type="x:int"/>
<x:element name="estimateIsExact" type="x:boolean"/><x:element name="searchQuery" type="x:string"/>
</x:sequence></x:complexType></x:element>
<x:complexType name="Results"><x:sequence>
<x:element name="item" type="t:Result" minOccurs="0" maxOccurs="unbounded"/></x:sequence></x:complexType>
<x:complexType name="Result"><x:sequence>
<x:element name="cachedSize" type="x:string"/><x:element name="hostName" type="x:string"/>
<x:element name="snippet" type="x:string"/><x:element name="directoryCategory" type="t:Category"/>
<x:element name="relatedInformationPresent" type="x:boolean"/><x:element name="directoryTitle" type="x:string"/>
<x:element name="summary" type="x:string"/><x:element name="URL" type="x:string"/>
<x:element name="title" type="x:string"/></x:sequence></x:complexType>
<x:complexType name="Category"><x:sequence><x:element name="fullViewableName" type="x:string"/>
<x:element name="specialEncoding" type="x:string"/></x:sequence></x:complexType>
<x:element name="GoogleSearchSimpleResponse"><x:complexType/></x:element>
<x:element name="GoogleSearchLargeResponse"><x:complexType/></x:element>
</x:schema></types>
<message name="i1"><part name="p" element="t:GoogleSearchSimple"/></message>
<message name="o1"><part name="p" element="t:GoogleSearchSimpleResponse"/></message>
<message name="i2"><part name="p" element="t:GoogleSearchLarge"/></message>
<message name="o2"><part name="p" element="t:GoogleSearchLargeResponse"/></message>
<portType name="p"><operation name="GoogleSearchSimple"><input message="t:i1"/><output message="t:o1"/></operation>
<operation name="GoogleSearchLarge"><input message="t:i2"/><output message="t:o2"/></operation></portType>
<binding name="b" type="t:p"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="GoogleSearchSimple"><s:operation soapAction=""/>
<input><s:body use="literal"/></input><output><s:body use="literal"/></output></operation>
<operation name="GoogleSearchLarge"><s:operation soapAction=""/>
<input><s:body use="literal"/></input><output><s:body use="literal"/></output></operation></binding>
<service name="g"><port name="p" binding="t:b"><s:address location="http://127.0.0.1/"/></port></service>
</definitions>"#;

fn main() {
    let asked = asked();
    let wants = |figure: &str| asked.is_empty() || asked.iter().any(|word| word == figure);
    println!("figure\tservice\tseries\tvalue\tunit");
    let services = [
        ("GoogleSearchSimple", simple as fn(usize) -> String),
        ("GoogleSearchLarge", large),
    ];
    for (service, message) in services {
        let messages: Vec<String> = (0..64).map(message).collect();
        if wants("5") {
            throughput(service, &messages);
            decoding(service, &messages);
        }
        if wants("6") {
            reuse(service, &messages);
        }
    }
}

/// A number that differs from message to message and looks like any.
fn any(n: usize) -> usize {
    n.wrapping_mul(2_654_435_761) % 1_000_000_007
}

fn envelope(name: &str, content: &str) -> String {
    format!(
        "<?xml version='1.0' encoding='UTF-8'?>\n<SOAP-ENV:Envelope \
         xmlns:SOAP-ENV=\"http://schemas.xmlsoap.org/soap/envelope/\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\">\n\
         <SOAP-ENV:Body>\n<ns1:{name} xmlns:ns1=\"urn:GoogleSearch\">\n{content}</ns1:{name}>\n\
         </SOAP-ENV:Body>\n</SOAP-ENV:Envelope>\n"
    )
}

fn field(name: &str, ty: &str, value: impl std::fmt::Display) -> String {
    format!("<{name} xsi:type=\"xsd:{ty}\">{value}</{name}>\n")
}

fn simple(n: usize) -> String {
    let content = [
        field("key", "string", format_args!("{:032x}", any(n))),
        field(
            "q",
            "string",
            format_args!("words to look for, number {}", any(n)),
        ),
        field("start", "int", any(n) % 1000),
        field("maxResults", "int", 10),
        field("filter", "boolean", n.is_multiple_of(2)),
        field("restrict", "string", ""),
        field("safeSearch", "boolean", n.is_multiple_of(3)),
        field("lr", "string", "lang_en"),
        field("ie", "string", "latin1"),
        field("oe", "string", "latin1"),
    ];
    envelope("GoogleSearchSimple", &content.concat())
}

fn large(n: usize) -> String {
    let words = |k: usize| format!("some words and the number {}", any(n * 100 + k));
    let result = |k: usize| {
        let category =
            field("fullViewableName", "string", words(k)) + &field("specialEncoding", "string", "");
        let fields = [
            field("cachedSize", "string", format_args!("{}k", any(n + k) % 100)),
            field("hostName", "string", words(k + 1)),
            field("snippet", "string", words(k + 2).repeat(4)),
            format!("<directoryCategory xsi:type=\"ns1:Category\">\n{category}</directoryCategory>\n"),
            field("relatedInformationPresent", "boolean", (n + k).is_multiple_of(2)),
            field("directoryTitle", "string", words(k + 3)),
            field("summary", "string", words(k + 4)),
            field("URL", "string", format_args!("http://example.org/{}", any(k + n))),
            field("title", "string", words(k + 5)),
        ];
        format!("<item xsi:type=\"ns1:Result\">\n{}</item>\n", fields.concat())
    };
    let results: String = (0..RESULTS).map(result).collect();
    let content = [
        field("documentFiltering", "boolean", n.is_multiple_of(2)),
        field("estimatedTotalResultsCount", "int", any(n)),
        field("searchTime", "double", any(n) as f64 / 1e9),
        format!("<resultElements>\n{results}</resultElements>\n"),
        field("endIndex", "int", 10),
        field("searchTips", "string", ""),
        field("searchComments", "string", words(6)),
        field("startIndex", "int", 1),
        field("estimateIsExact", "boolean", n.is_multiple_of(5)),
        field("searchQuery", "string", words(7)),
    ];
    envelope("GoogleSearchLarge", &content.concat())
}

fn contract() -> Arc<Contract> {
    let path = std::env::temp_dir().join(format!("castile-paper001-{}.wsdl", std::process::id()));
    std::fs::write(&path, WSDL).expect("a folder for temporary files");
    let contract = load(&Location::from(&*path.to_string_lossy()), &LoadOptions::default());
    std::fs::remove_file(&path).expect("the file just written");
    contract.expect("a contract")
}

fn settings() -> [(&'static str, Receiving); 2] {
    [
        ("plain", Receiving::off()),
        ("differential", Receiving::default()),
    ]
}

/// Figure 5 over HTTP.
fn throughput(service: &str, messages: &[String]) {
    let servers = settings().map(|(series, receiving)| {
        let options = ServiceOptions {
            receiving,
            ..ServiceOptions::default()
        };
        let handlers = Handlers::new()
            .on(
                "GoogleSearchSimple",
                |args| Ok(black_box((args, Value::Absent)).1),
            )
            .on("GoogleSearchLarge", |args| Ok(black_box((args, Value::Absent)).1));
        let service = Service::new(contract(), options, handlers).expect("a service");
        let server = Server::bind(
            Arc::new(service),
            "127.0.0.1:0",
            ServerOptions::default(),
            &resolver(&LoadOptions::default()),
        );
        (series, server.expect("a port").start().expect("a server"))
    });
    let mut rates = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for ((_, server), rates) in servers.iter().zip(&mut rates) {
            rates.push(requests(server.addr(), messages, REQUESTS / ROUNDS));
        }
    }
    for ((series, _), mut rates) in servers.iter().zip(rates) {
        rates.sort_by(f64::total_cmp);
        println!("5\t{service}\t{series}\t{:.0}\trequests/s", rates[ROUNDS / 2]);
    }
}

/// Requests a second, all connections together.
fn requests(address: SocketAddr, messages: &[String], count: usize) -> f64 {
    let requests: Vec<Vec<u8>> = messages
        .iter()
        .map(|text| {
            let length = text.len();
            let head = format!(
                "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Type: text/xml; charset=utf-8\r\n\
                 SOAPAction: \"\"\r\nContent-Length: {length}\r\n\r\n"
            );
            [head.as_bytes(), text.as_bytes()].concat()
        })
        .collect();
    let started = Instant::now();
    std::thread::scope(|scope| {
        for connection in 0..CONNECTIONS {
            let requests = &requests;
            scope.spawn(move || {
                let mut socket = TcpStream::connect(address).expect("the server");
                socket.set_nodelay(true).expect("no delay");
                let mut buffer = vec![0; 16 << 10];
                for n in 0..count / CONNECTIONS {
                    let request = &requests[(connection + n) % requests.len()];
                    socket.write_all(request).expect("the server reads");
                    answer(&mut socket, &mut buffer);
                }
            });
        }
    });
    count as f64 / started.elapsed().as_secs_f64()
}

/// Reads one answer, which has to be a good one.
fn answer(socket: &mut TcpStream, buffer: &mut [u8]) {
    let mut filled = 0;
    loop {
        let count = socket.read(&mut buffer[filled..]).expect("the server answers");
        assert!(count > 0, "the server answers");
        filled += count;
        let text = String::from_utf8_lossy(&buffer[..filled]);
        let Some(head) = text.find("\r\n\r\n") else {
            continue;
        };
        assert!(text.starts_with("HTTP/1.1 200"), "{text}");
        let fields = text[..head].to_ascii_lowercase();
        let length = fields
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"));
        let length: usize = length.and_then(|l| l.trim().parse().ok()).expect("a length");
        if filled >= head + 4 + length {
            return;
        }
    }
}

/// What an operation's requests are read by.
struct Reader {
    types: Arc<Types>,
    plan: Plan,
}

impl Reader {
    fn new(service: &str) -> Reader {
        let contract = contract();
        let operations = contract.bindings.iter().flat_map(|binding| &binding.operations);
        let plan = operations
            .filter(|o| &*o.name == service)
            .find_map(|o| o.input.clone());
        Reader {
            types: contract.types.clone(),
            plan: plan.expect("an operation"),
        }
    }

    /// Reads a message into a sink, by a method of `Automata`.
    fn read<T>(
        &self,
        automata: &Automata,
        text: &str,
        body: &mut ValueSink,
        read: impl FnOnce(castile_diff::Message<'_>, Intake<'_>) -> Result<T, castile_codec::Error>,
    ) -> T {
        let message = automata
            .open(text, &Limits::default(), Some(b"peer"))
            .expect("an envelope");
        let intake = Intake {
            types: &self.types,
            plan: &self.plan,
            options: &DecodeOptions::default(),
            header: &mut ValueSink::new(self.types.shape(self.plan.header).clone()),
            body,
        };
        read(message, intake).expect("a good message")
    }

    fn sink(&self) -> ValueSink {
        ValueSink::new(self.types.shape(self.plan.body).clone())
    }

    fn fresh(&self, automata: &Automata, text: &str, mut sink: ValueSink) -> Record {
        self.read(automata, text, &mut sink, |message, intake| {
            automata.decode(message, 1, intake)
        });
        sink.finish()
    }

    fn shared(&self, automata: &Automata, text: &str) -> Arc<Record> {
        let mut sink = self.sink();
        let shared = self.read(automata, text, &mut sink, |message, intake| {
            automata.decode_shared::<Record>(message, 1, intake)
        });
        match shared {
            Shared::Same(object) => object,
            Shared::New(_, ticket) => {
                let object = Arc::new(sink.finish());
                if let Some(ticket) = ticket {
                    automata.share(ticket, object.clone());
                }
                object
            }
        }
    }
}

/// How often a second of this thread the work is done, the median of some runs.
fn rate(mut work: impl FnMut(usize)) -> f64 {
    const TIMES: usize = 500;
    (0..TIMES).for_each(&mut work);
    let runs = (0..15).map(|_| time(|| (0..TIMES).for_each(&mut work)));
    TIMES as f64 * 1e9 / median(runs.collect())
}

/// Figure 5 without the network.
fn decoding(service: &str, messages: &[String]) {
    let reader = Reader::new(service);
    for (series, receiving) in settings() {
        let automata = Automata::new(receiving);
        let rate = rate(|n| {
            black_box(reader.fresh(&automata, &messages[n % messages.len()], reader.sink()));
        });
        println!("5\t{service}\t{series}, decode\t{rate:.0}\tmessages/s");
    }
}

/// Figure 6: the same message again and again.
fn reuse(service: &str, messages: &[String]) {
    let reader = Reader::new(service);
    let text = &messages[0];
    let row = |series: &str, rate: f64| println!("6\t{service}\t{series}\t{rate:.0}\tobjects/s");
    let off = Automata::new(Receiving::off());
    row(
        "plain",
        rate(|_| drop(black_box(reader.fresh(&off, text, reader.sink())))),
    );
    let automata = Automata::new(Receiving::default());
    row(
        "fresh",
        rate(|_| drop(black_box(reader.fresh(&automata, text, reader.sink())))),
    );
    let mut last = reader.fresh(&automata, text, reader.sink());
    row(
        "in_place",
        rate(|_| {
            let earlier = std::mem::replace(
                &mut last,
                Record::new(reader.types.shape(reader.plan.body).clone()),
            );
            let sink = reader.sink().with_spare(Value::Record(earlier));
            last = reader.fresh(&automata, text, sink);
        }),
    );
    let shared = Automata::new(Receiving::default());
    row(
        "shared (C, no copying)",
        rate(|_| drop(black_box(reader.shared(&shared, text)))),
    );
    row(
        "clone (A)",
        rate(|_| drop(black_box((*reader.shared(&shared, text)).clone()))),
    );
    let (header, options) = (
        Record::new(reader.types.shape(reader.plan.header).clone()),
        EncodeOptions::default(),
    );
    let mut out = Vec::new();
    row(
        "serialized (D)",
        rate(|_| {
            let object = reader.shared(&shared, text);
            out.clear();
            encode(
                &reader.types,
                &reader.plan,
                Version::Soap11,
                &header,
                &*object,
                &options,
                &mut out,
            )
            .expect("good values");
            let again = std::str::from_utf8(&out).expect("text");
            black_box(reader.fresh(&off, again, reader.sink()));
        }),
    );
}
