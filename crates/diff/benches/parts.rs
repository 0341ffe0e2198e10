//! Reading messages whose parts come and go: each has others than the one before, and few are made up of the same.
//!
//! 300 messages in turn, from the first one on, read plainly and by what was learned of those before: means of thread
//! time, warm memory, one core, from text to values; learning is among them. `last` is the last hundred alone.

use std::fmt::Write;
use std::hint::black_box;

use castile_codec::{DecodeOptions, Intake, Limits};
use castile_diff::{Automata, Receiving};
use castile_plan::Plan;
use castile_testkit::{Rng, Table, time};
use castile_value::ValueSink;

const MESSAGES: usize = 300;

const TYPES: &str = "
Stop = ref:string, name:string?, order:int?, arrival:string?, departure:string?
Vehicle = id:string, line:string?, direction:string?, lat:double?, lon:double?, delay:int?, stop:Stop?, note:string?
Vehicles = time:string, item:Vehicle*, more:boolean?
Settings = a:int?, b:string?, c:double?, d:int?, e:string?, f:boolean?, g:string?, h:int?, i:string?, j:double?
";

/// Writes the inside of a message.
type Make = fn(&mut Rng, &mut String);

fn main() {
    let table = Table::parse(TYPES);
    println!(
        "{:<34}{:>8}{:>10}{:>12}{:>8}{:>8}{:>10}",
        "", "bytes", "plain us", "learned us", "ratio", "last", "followed"
    );
    let rows: [(&str, &str, Make); 5] = [
        ("50 vehicles, half of the parts", "Vehicles", |rng, out| {
            vehicles(rng, out, 50, 50)
        }),
        ("1000 vehicles, half of the parts", "Vehicles", |rng, out| {
            vehicles(rng, out, 1000, 50)
        }),
        ("1000 vehicles, most parts", "Vehicles", |rng, out| {
            vehicles(rng, out, 1000, 97)
        }),
        ("1000 vehicles, few parts", "Vehicles", |rng, out| {
            vehicles(rng, out, 1000, 1)
        }),
        ("settings, half of the parts", "Settings", settings),
    ];
    for (name, element, make) in rows {
        row(&table, name, element, make);
    }
}

fn row(table: &Table, name: &str, element: &str, make: Make) {
    let plan = table.plan(element);
    let mut rng = Rng::new(5);
    let messages: Vec<String> = (0..MESSAGES).map(|_| message(element, &mut rng, make)).collect();
    let ways = [Receiving::off(), Receiving::default()].map(Automata::new);
    let mut samples = [const { Vec::new() }; 2];
    for message in &messages {
        for (way, samples) in ways.iter().zip(&mut samples) {
            samples.push(time(|| read(way, table, &plan, message)) / 1e3);
        }
    }
    let mean = |samples: &[f64]| samples.iter().sum::<f64>() / samples.len() as f64;
    let [plain, learned] = samples.each_ref().map(|samples| mean(samples));
    let [plain_last, learned_last] = samples.each_ref().map(|samples| mean(&samples[MESSAGES - 100..]));
    println!(
        "{name:<34}{:>8}{plain:>10.1}{learned:>12.1}{:>8.2}{:>8.2}{:>10}",
        messages[0].len(),
        plain / learned,
        plain_last / learned_last,
        ways[1].stats().followed
    );
}

fn read(automata: &Automata, table: &Table, plan: &Plan, text: &str) {
    let types = &table.types;
    let message = automata
        .open(text, &Limits::default(), Some(b"peer"))
        .expect("an envelope");
    let mut header = ValueSink::new(types.shape(plan.header).clone());
    let mut body = ValueSink::new(types.shape(plan.body).clone());
    let intake = Intake {
        types,
        plan,
        options: &DecodeOptions::default(),
        header: &mut header,
        body: &mut body,
    };
    automata.decode(message, 1, intake).expect("a good message");
    black_box(body.finish());
}

fn message(element: &str, rng: &mut Rng, make: Make) -> String {
    let mut inside = String::new();
    make(rng, &mut inside);
    format!(
        "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><{element} xmlns=\"urn:t\">{inside}</{element}></e:Body></e:Envelope>"
    )
}

/// An element with a text, for so many of a hundred.
fn part(rng: &mut Rng, out: &mut String, percent: usize, name: &str, text: impl std::fmt::Display) {
    if rng.below(100) < percent {
        write!(out, "<{name}>{text}</{name}>").expect("a string takes all");
    }
}

fn vehicles(rng: &mut Rng, out: &mut String, count: usize, percent: usize) {
    part(rng, out, 100, "time", "2026-11-22T04:05:06Z");
    for _ in 0..count {
        out.push_str("<item>");
        let (id, delay) = (rng.below(100_000), rng.below(600));
        part(rng, out, 100, "id", format_args!("urn:vehicle:{id}"));
        part(rng, out, percent, "line", format_args!("line {}", id % 40));
        part(rng, out, percent, "direction", "outbound");
        let (lat, lon) = (rng.unit() * 90.0, rng.unit() * 180.0);
        part(rng, out, percent, "lat", lat);
        part(rng, out, percent, "lon", lon);
        part(rng, out, percent, "delay", delay);
        if rng.below(100) < percent {
            out.push_str("<stop>");
            part(rng, out, 100, "ref", format_args!("stop:{}", id % 900));
            part(rng, out, percent, "name", "Main Street");
            part(rng, out, percent, "order", delay % 30);
            part(rng, out, percent, "arrival", "2026-11-22T04:10:00Z");
            part(rng, out, percent, "departure", "2026-11-22T04:11:00Z");
            out.push_str("</stop>");
        }
        part(rng, out, percent, "note", "lift out of order");
        out.push_str("</item>");
    }
    part(rng, out, percent, "more", false);
}

fn settings(rng: &mut Rng, out: &mut String) {
    for (i, name) in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
        .into_iter()
        .enumerate()
    {
        match i {
            5 => part(rng, out, 50, name, true),
            _ => part(rng, out, 50, name, i * 100),
        }
    }
}
