//! Sends samples through generated types and through dynamic values: the bytes must be the same.

use castile::codec::{DecodeOptions, EncodeOptions, Envelope, Limits, Version, encode};
use castile::contract::HEADER_ANY;
use castile::plan::{ComplexId, Plan, Types};
use castile::sample::{Fill, SampleOptions, Sampler};
use castile::typed::{Builder, Embedded, Fields};
use castile::{Sink, Source, Value, ValueRecord, ValueSink};
use castile_testkit::Body;

/// What became of all messages.
#[derive(Default)]
pub struct Tally {
    pub messages: usize,
    pub samples: usize,
    pub unlike: usize,
}

/// Tries a message: `T` is the type of its values, `H` of its header.
pub fn round<T, H>(tally: &mut Tally, file: &str, embedded: &Embedded, port_type: &str, operation: &str, reply: bool)
where
    T: Fields + Default,
    H: Fields + Default,
{
    let contract = embedded.contract().unwrap_or_else(|e| panic!("{file}: {e}"));
    let types = &*contract.types;
    let ports = contract.ports(None, None).unwrap_or_else(|e| panic!("{file}: {e}"));
    let of_type = |p: &&castile::contract::PortRef<'_>| p.binding.port_type == port_type && p.binding.protocol.is_soap();
    let binding = ports.iter().find(of_type).expect("the port that was generated").binding;
    let found = binding.operations.iter().find(|o| o.name == operation).expect("the operation that was generated");
    let plan = if reply { &found.output } else { &found.input };
    let plan = plan.as_ref().expect("a message that was generated");
    tally.messages += 1;
    let most = SampleOptions { values_max: 300, depth_max: 4, ..SampleOptions::default() };
    let lean = SampleOptions { fill: Fill::Required, ..most };
    for options in std::iter::once(lean).chain((0..4).map(|variant| SampleOptions { variant, ..most })) {
        let sampler = Sampler::new(types, options);
        let Some(body) = sampler.record(plan.body) else { continue };
        let shape = || ValueRecord::new(types.shape(plan.header).clone());
        let mut header = sampler.record(plan.header).unwrap_or_else(shape);
        let _ = header.set(HEADER_ANY, Value::Absent);
        // What the dynamic way cannot write and read is no business of this comparison.
        let Ok(sent) = write(types, plan, &header, &body) else { continue };
        let sink = |id: ComplexId| ValueSink::new(types.shape(id).clone());
        let (mut header, mut body) = (sink(plan.header), sink(plan.body));
        if read(types, plan, &sent, &mut header, &mut body).is_err() {
            continue;
        }
        let Ok(wanted) = write(types, plan, &header.finish(), &body.finish()) else { continue };
        tally.samples += 1;
        if let Err(why) = compare::<T, H>(types, plan, &sent, &wanted) {
            tally.unlike += 1;
            println!("{file} {operation} {}: {why}\n  {sent}", if reply { "reply" } else { "request" });
        }
    }
}

fn compare<T, H>(types: &Types, plan: &Plan, sent: &str, wanted: &str) -> Result<(), String>
where
    T: Fields + Default,
    H: Fields + Default,
{
    for lax in [false, true] {
        let again = match plan.values(types).1 {
            true => again::<Body<T>, H>(types, plan, sent, lax)?,
            false => again::<T, H>(types, plan, sent, lax)?,
        };
        if again != wanted {
            return Err(format!("typed: {again}\n  dynamic: {wanted}"));
        }
    }
    Ok(())
}

fn again<B: Fields + Default, H: Fields + Default>(types: &Types, plan: &Plan, sent: &str, lax: bool) -> Result<String, String> {
    let (mut header, mut body) = match lax {
        true => (Builder::<H>::lax(), Builder::<B>::lax()),
        false => (Builder::new(), Builder::new()),
    };
    read(types, plan, sent, &mut header, &mut body).map_err(|e| format!("typed: {e}"))?;
    let header = header.finish().map_err(|e| format!("typed header: {e}"))?;
    let body = body.finish().map_err(|e| format!("typed: {e}"))?;
    write(types, plan, &header, &body).map_err(|e| format!("typed: {e}"))
}

fn write(types: &Types, plan: &Plan, header: &dyn Source, body: &dyn Source) -> Result<String, String> {
    let mut out = Vec::new();
    let options = EncodeOptions::default();
    encode(types, plan, Version::Soap11, header, body, &options, &mut out).map_err(|e| e.to_string())?;
    String::from_utf8(out).map_err(|e| e.to_string())
}

fn read(types: &Types, plan: &Plan, text: &str, header: &mut dyn Sink, body: &mut dyn Sink) -> Result<(), String> {
    let envelope = Envelope::open(text, &Limits::default()).map_err(|e| e.to_string())?;
    envelope.decode(types, plan, &DecodeOptions::default(), header, body).map_err(|e| e.to_string())
}
