//! Starts the harbour, calls it, and prints what it said.
#![forbid(unsafe_code)]

use castile::{ClientOptions, Decimal};
use castile_example_generated::harbour::{
    AnyLoad, Bulk, Flag, HarbourClient, Register, RegisterHeader, Ship, ShipArrivesOrLeaves, Sounding,
    Survey, Watch,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = castile_example_generated::server()?;
    let endpoint = format!("http://{}/", server.local_addr());
    let running = server.start()?;

    let client = HarbourClient::new(ClientOptions {
        endpoint: Some(endpoint),
        ..ClientOptions::default()
    })?;
    let header = RegisterHeader {
        watch: Some(Watch {
            officer: "Ada".into(),
        }),
        ..RegisterHeader::default()
    };
    let ship = Ship {
        name: "Esperanza".into(),
        flag: Flag::Es,
        arrives_or_leaves: ShipArrivesOrLeaves::Arrives(castile::DateTime::default()),
        load: vec![AnyLoad::from(Bulk {
            label: "wheat".into(),
            tonnes: Decimal::from(1200),
        })],
        ..Ship::default()
    };
    for _ in 0..4 {
        match client.register(&header, &Register { ship: ship.clone() }) {
            Ok(reply) => println!("{} is number {}", reply.value.ship.name, reply.value.number),
            Err(failure) => match failure.detail() {
                Some(detail) => println!("refused: {detail:?}"),
                None => return Err(failure.into()),
            },
        }
    }

    let sounding = (0..10_000).map(|x| Sounding {
        x,
        valid: true,
        depth: f64::from(x) / 100.0,
        error: 0.5,
    });
    let survey = Survey {
        sounding: sounding.collect(),
        tide: vec![1.0, 2.0],
    };
    let reply = client.survey(&survey)?;
    println!(
        "{} soundings, {} m of tide, {} bytes in {:?}",
        reply.value.sounding.len(),
        reply.value.mean,
        reply.record.reply.len(),
        reply.record.decode
    );
    running.stop();
    Ok(())
}
