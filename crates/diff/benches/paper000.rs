//! Figures 1 to 12 of paper 000, without other toolkits: Send Time as rows of tab-separated values.
//!
//! Each row is one point of one curve: figure, type, items, series, settings, then microseconds (median, and the
//! tenth and ninetieth percentile) and bytes of the message. Settings are `bsoap` (the paper's), `ours` (the
//! defaults) and `limit` (a vectored write of the same bytes, and nothing else). Send Time is from before the
//! message is made to after the last call that writes to the socket; the far end reads and drops.
//!
//! `cargo bench -p castile-diff --bench paper000 -- 7` prints one figure; no argument prints all, which takes two
//! minutes. What the paper could not find, the worst case, is looked for by the benchmark `worst`.

#[path = "../tests/common/mod.rs"]
mod common;

use std::io::{IoSlice, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use castile_diff::{Options, Stuffing};
use castile_testkit::{asked, doubles_by_width};
use castile_value::{Record, Rows, Value};

use common::Sender;

/// The paper's array sizes.
const SIZES: [usize; 7] = [1, 100, 500, 1000, 10_000, 50_000, 100_000];
const TYPES: &str = "Mio = x:int, y:int, value:double\nArrays = mios:Mio*, doubles:double*, ints:int*";

fn main() {
    let asked = asked();
    let wants = |figure: &str| asked.is_empty() || asked.iter().any(|word| word == figure);
    let mut bench = Bench::new();
    println!("figure\ttype\titems\tseries\tsettings\tmedian_us\tp10_us\tp90_us\tbytes");
    for (figure, kind) in [("1", Kind::Mio), ("2", Kind::Double), ("3", Kind::Int)] {
        if wants(figure) {
            bench.content(figure, kind);
        }
    }
    for (figure, kind) in [("4", Kind::Mio), ("5", Kind::Double)] {
        if wants(figure) {
            bench.structural(figure, kind);
        }
    }
    for (figure, kind) in [("6", Kind::Mio), ("7", Kind::Double)] {
        if wants(figure) {
            bench.worst_shifting(figure, kind);
        }
    }
    for (figure, kind) in [("8", Kind::Mio), ("9", Kind::Double)] {
        if wants(figure) {
            bench.some_shifting(figure, kind);
        }
    }
    for (figure, kind) in [("10", Kind::Mio), ("11", Kind::Double)] {
        if wants(figure) {
            bench.stuffing(figure, kind);
        }
    }
    if wants("12") {
        bench.overlaying("12");
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Mio,
    Double,
    Int,
}

/// How wide the values of a type are: the paper's least, between and most.
#[derive(Clone, Copy)]
enum Width {
    Least,
    Between,
    Most,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Mio => "mio",
            Kind::Double => "double",
            Kind::Int => "int",
        }
    }
}

/// Medians and the like of some spans, in microseconds.
struct Spans(Vec<f64>);

impl Spans {
    fn at(&mut self, part: f64) -> f64 {
        self.0.sort_by(f64::total_cmp);
        self.0[((self.0.len() - 1) as f64 * part) as usize]
    }
}

struct Bench {
    socket: TcpStream,
    /// Doubles by their number of characters.
    doubles: Vec<Vec<f64>>,
}

/// The values of one message, changed in place from round to round.
#[derive(Clone)]
struct Values {
    kind: Kind,
    ints: Vec<i32>,
    doubles: Vec<f64>,
}

impl Values {
    fn body(&self, sender: &Sender) -> Record {
        let types = &sender.table.types;
        let (name, value): (&str, Value) = match self.kind {
            Kind::Double => ("doubles", self.doubles.clone().into()),
            Kind::Int => ("ints", self.ints.clone().into()),
            Kind::Mio => {
                let layout = types.row_layout(sender.table.id("Mio")).expect("a flat type");
                let mut rows = Rows::new(layout.clone());
                for (x, value) in self.ints.iter().zip(&self.doubles) {
                    let parts = [&x.to_ne_bytes()[..], &x.to_ne_bytes(), &value.to_ne_bytes()];
                    rows.push(&parts.concat());
                }
                ("mios", rows.into())
            }
        };
        let mut body = Record::new(types.shape(sender.plan.body).clone());
        body.set("Arrays", Value::map([(name, value)]))
            .expect("the body has this field");
        body
    }
}

impl Bench {
    fn new() -> Bench {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().expect("a connection");
            let mut buffer = vec![0; 1 << 20];
            while socket.read(&mut buffer).is_ok_and(|count| count > 0) {}
        });
        let socket = TcpStream::connect(address).expect("the sink");
        socket.set_nodelay(true).expect("no delay");
        Bench {
            socket,
            doubles: doubles_by_width(),
        }
    }

    fn values(&self, kind: Kind, items: usize, width: Width) -> Values {
        let (int, double) = match width {
            Width::Least => (5, 1),
            Width::Between => (123_456_789, 18),
            Width::Most => (i32::MIN, 24),
        };
        let doubles = &self.doubles[double];
        Values {
            kind,
            ints: vec![int; items],
            doubles: (0..items).map(|i| doubles[i % doubles.len()]).collect(),
        }
    }

    /// Other values, all of them, each as wide as its like.
    fn others(&self, values: &Values, width: Width) -> Values {
        let mut others = values.clone();
        others.doubles.rotate_left(1);
        others.ints.fill(match width {
            Width::Least => 6,
            Width::Between => 123_456_788,
            Width::Most => i32::MIN + 1,
        });
        others
    }

    /// Makes the message and writes it; microseconds to the end of the last write, and what it took.
    fn send(&mut self, sender: &mut Sender, values: &Values) -> (f64, castile_diff::Pieces) {
        let body = values.body(sender);
        let started = Instant::now();
        let pieces = sender.send(&body).expect("good values");
        let mut slices: Vec<IoSlice<'_>> = pieces.iter().map(|piece| IoSlice::new(piece)).collect();
        write(&mut self.socket, &mut slices);
        (started.elapsed().as_secs_f64() * 1e6, pieces)
    }

    /// One point: `before` is sent first each time, then `after` is measured.
    fn point(
        &mut self,
        figure: &str,
        series: &str,
        settings: &str,
        options: &Options,
        before: &Values,
        after: &Values,
    ) -> f64 {
        let mut spans = Spans(Vec::new());
        let mut bytes = 0;
        for () in rounds() {
            let mut sender = Sender::new(TYPES, "Arrays", options.clone());
            self.send(&mut sender, before);
            let (span, pieces) = self.send(&mut sender, after);
            bytes = pieces.len();
            spans.0.push(span);
        }
        row(figure, after, series, settings, &mut spans, bytes);
        spans.at(0.5)
    }

    /// Vectored writes of the same bytes.
    fn limit(&mut self, figure: &str, values: &Values) {
        let mut sender = Sender::new(TYPES, "Arrays", Options::default());
        let (_, pieces) = self.send(&mut sender, values);
        let mut spans = Spans(Vec::new());
        for () in rounds() {
            let started = Instant::now();
            let mut slices: Vec<IoSlice<'_>> = pieces.iter().map(|piece| IoSlice::new(piece)).collect();
            write(&mut self.socket, &mut slices);
            spans.0.push(started.elapsed().as_secs_f64() * 1e6);
        }
        row(figure, values, "limit", "limit", &mut spans, pieces.len());
    }

    /// Full serialization: a template that knows nothing, from memory that is warm.
    fn full(&mut self, figure: &str, values: &Values) {
        let sender = Sender::new(TYPES, "Arrays", Options::default());
        let (body, mut spans, mut bytes) = (values.body(&sender), Spans(Vec::new()), 0);
        for () in rounds() {
            let started = Instant::now();
            let message = sender.fresh(&body).expect("good values");
            self.socket.write_all(&message).expect("the sink reads");
            spans.0.push(started.elapsed().as_secs_f64() * 1e6);
            bytes = message.len();
        }
        row(figure, values, "full serialization", "ours", &mut spans, bytes);
    }

    fn content(&mut self, figure: &str, kind: Kind) {
        for items in SIZES {
            let values = self.values(kind, items, Width::Between);
            self.full(figure, &values);
            for (settings, options) in settings() {
                self.point(figure, "content match", settings, &options, &values, &values);
            }
            self.limit(figure, &values);
        }
    }

    fn structural(&mut self, figure: &str, kind: Kind) {
        for items in SIZES {
            let before = self.values(kind, items, Width::Between);
            self.full(figure, &before);
            for percent in [0, 25, 50, 75, 100] {
                let mut after = before.clone();
                // Another double of the same width, at places that are spread evenly.
                let other = &self.doubles[18];
                for (i, value) in after.doubles.iter_mut().enumerate() {
                    if (i * percent) / 100 != ((i + 1) * percent) / 100 {
                        *value = other[(i + 1) % other.len()];
                    }
                }
                for (settings, options) in settings() {
                    let series = format!("{percent} % of values");
                    self.point(figure, &series, settings, &options, &before, &after);
                }
            }
        }
    }

    fn worst_shifting(&mut self, figure: &str, kind: Kind) {
        for items in SIZES {
            let (before, after) = (
                self.values(kind, items, Width::Least),
                self.values(kind, items, Width::Most),
            );
            self.full(figure, &after);
            for chunk in [8 << 10, 32 << 10] {
                let options = Options {
                    chunk_bytes: chunk,
                    split_bytes: 2 * chunk,
                    ..Options::bsoap()
                };
                let series = format!("all grown, chunks of {} KiB", chunk >> 10);
                self.point(figure, &series, "bsoap", &options, &before, &after);
            }
            self.point(figure, "all grown", "ours", &Options::default(), &before, &after);
            let others = self.others(&after, Width::Most);
            for (settings, options) in settings() {
                self.point(
                    figure,
                    "all changed, none grown",
                    settings,
                    &options,
                    &others,
                    &after,
                );
            }
        }
    }

    fn some_shifting(&mut self, figure: &str, kind: Kind) {
        for items in SIZES {
            let before = self.values(kind, items, Width::Between);
            let most = self.values(kind, items, Width::Most);
            for percent in [25, 50, 75, 100] {
                let mut after = before.clone();
                for i in (0..items).filter(|i| (i * percent) / 100 != ((i + 1) * percent) / 100) {
                    (after.ints[i], after.doubles[i]) = (most.ints[i], most.doubles[i]);
                }
                for (settings, options) in settings() {
                    let series = format!("{percent} % grown");
                    self.point(figure, &series, settings, &options, &before, &after);
                }
            }
        }
    }

    fn stuffing(&mut self, figure: &str, kind: Kind) {
        let stuffed = |stuffing| Options {
            stuffing,
            ..Options::bsoap()
        };
        for items in SIZES {
            let least = self.values(kind, items, Width::Least);
            let most = self.values(kind, items, Width::Most);
            let widths = [
                ("least", Stuffing::None),
                (
                    "between",
                    Stuffing::Width(if kind == Kind::Mio { 12 } else { 18 }),
                ),
                ("most", Stuffing::Max),
            ];
            for (series, stuffing) in widths {
                let series = format!("{series} width");
                self.point(figure, &series, "bsoap", &stuffed(stuffing), &least, &least);
            }
            let max = stuffed(Stuffing::Max);
            self.point(
                figure,
                "most width, full closing tag shift",
                "bsoap",
                &max,
                &most,
                &least,
            );
            self.point(figure, "shrunk", "ours", &Options::default(), &most, &least);
        }
    }

    /// One chunk for all of the array, written again and again, beside a chunk for each part of it.
    fn overlaying(&mut self, figure: &str) {
        for kind in [Kind::Mio, Kind::Double] {
            for items in SIZES {
                let values = self.values(kind, items, Width::Between);
                let sender = Sender::new(TYPES, "Arrays", Options::bsoap());
                let (body, mut spans, mut bytes) = (values.body(&sender), Spans(Vec::new()), 0);
                for () in rounds() {
                    let started = Instant::now();
                    bytes = sender.drained(&body, 32 << 10, |portion| {
                        self.socket.write_all(portion).expect("the sink reads");
                    });
                    spans.0.push(started.elapsed().as_secs_f64() * 1e6);
                }
                row(figure, &values, "one chunk overlaid", "ours", &mut spans, bytes);
                let other = self.others(&values, Width::Between);
                for (settings, options) in settings() {
                    self.point(
                        figure,
                        "many chunks, all rewritten",
                        settings,
                        &options,
                        &other,
                        &values,
                    );
                }
            }
        }
    }
}

/// The paper's and ours.
fn settings() -> [(&'static str, Options); 2] {
    [("bsoap", Options::bsoap()), ("ours", Options::default())]
}

/// What is to be repeated for one point: the paper's hundred times, or as often as there is time for.
fn rounds() -> impl Iterator<Item = ()> {
    let started = Instant::now();
    let goes_on = move |&round: &usize| round < LEAST || started.elapsed() < A_POINT;
    (0..100).take_while(goes_on).map(|_| ())
}

/// Rounds of a point at least, and time for one beyond them.
const LEAST: usize = 9;
const A_POINT: Duration = Duration::from_millis(100);

fn row(figure: &str, values: &Values, series: &str, settings: &str, spans: &mut Spans, bytes: usize) {
    let [low, median, high] = [0.1, 0.5, 0.9].map(|part| spans.at(part));
    let (kind, items) = (values.kind.name(), values.doubles.len());
    println!("{figure}\t{kind}\t{items}\t{series}\t{settings}\t{median:.1}\t{low:.1}\t{high:.1}\t{bytes}");
}

/// Writes all, in as few calls as may be.
fn write(socket: &mut TcpStream, slices: &mut [IoSlice<'_>]) {
    let mut rest = slices;
    while !rest.is_empty() {
        let written = socket.write_vectored(rest).expect("the sink reads");
        IoSlice::advance_slices(&mut rest, written);
    }
}
