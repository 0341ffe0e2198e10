//! Calls whose messages are read while they come, beside calls whose messages are read when they have: 100,000 doubles there and
//! back over loopback, a share of them other ones each time. Both ends are threads of this program and are as they are by
//! default; each of the two pairs calls in turn in every round.
//!
//! Medians of wall time, from before the values are handed over until the answer is there, and of the ratios of the rounds.
//!
//! `cargo bench -p castile-endpoint --bench coming`

use std::sync::Arc;
use std::time::{Duration, Instant};

use castile_endpoint::{
    Client, ClientOptions, Handlers, LoadOptions, Location, Server, ServerOptions, Service, ServiceOptions,
    load, resolver,
};
use castile_value::Value;

const WSDL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/interop.wsdl");
const VALUES: usize = 100_000;
const ROUNDS: usize = 120;
const WARM: usize = 20;

fn main() {
    println!(
        "{:<16}{:>16}{:>20}{:>8}",
        "", "when it came µs", "while it comes µs", "ratio"
    );
    for percent in [0, 1, 25, 100] {
        let (pairs, mut values) = ([false, true].map(Pair::new), vec![0.0; VALUES]);
        let mut random = 7u64;
        let mut samples = [(); 3].map(|()| Vec::new());
        for round in 0..ROUNDS + WARM {
            change(&mut values, if round == 0 { 100 } else { percent }, &mut random);
            let args = Value::map([("value", values.clone().into())]);
            let [after, during] = pairs.each_ref().map(|pair| pair.call(&args).as_secs_f64() * 1e6);
            if round >= WARM {
                let took = [after, during, after / during];
                samples
                    .iter_mut()
                    .zip(took)
                    .for_each(|(samples, took)| samples.push(took));
            }
        }
        let [after, during, ratio] = samples.map(median);
        println!(
            "{:<16}{after:>16.0}{during:>20.0}{ratio:>8.2}",
            format!("{percent} % changed")
        );
    }
}

/// A client and a server.
struct Pair {
    client: Client,
    _server: castile_http::Running,
}

impl Pair {
    fn new(ahead: bool) -> Pair {
        let load_options = LoadOptions::default();
        let contract = load(&Location::from(WSDL), &load_options).expect("the contract");
        let mut options = ServiceOptions::default();
        options.receiving.ahead = ahead;
        let echo = |args: castile_value::Record| Ok(args.get("value").cloned().unwrap_or_default());
        let service = Service::new(contract, options, Handlers::new().on("echoDoubles", echo));
        let service = Arc::new(service.expect("a service"));
        let server = Server::bind(
            service,
            "127.0.0.1:0",
            ServerOptions::default(),
            &resolver(&load_options),
        );
        let server = server.and_then(Server::start).expect("a server");
        let mut options = ClientOptions {
            endpoint: Some(format!("http://{}/", server.addr())),
            ..ClientOptions::default()
        };
        options.http.proxy = castile_http::Proxy::None;
        options.receiving.ahead = ahead;
        Pair {
            client: Client::new(WSDL, options).expect("a client"),
            _server: server,
        }
    }

    fn call(&self, args: &Value) -> Duration {
        let began = Instant::now();
        let reply = self
            .client
            .call("echoDoubles", args)
            .expect("an answer")
            .expect("no fault");
        let took = began.elapsed();
        assert_eq!(reply.value.as_f64s().map(<[f64]>::len), Some(VALUES));
        took
    }
}

/// Gives so many of a hundred values others, of random bits.
fn change(values: &mut [f64], percent: u64, random: &mut u64) {
    for value in values {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        if *random % 100 < percent {
            *value = (*random >> 11) as f64 / (1u64 << 53) as f64;
        }
    }
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_unstable_by(f64::total_cmp);
    samples[samples.len() / 2]
}
