//! Messages without headers written, and any read, by the plain codec: what other ways are compared with.

use castile_codec::{DecodeOptions, Draft, EncodeOptions, Envelope, Error, Limits, Version};
use castile_message::Slots;
use castile_plan::{ComplexId, Plan, Types};
use castile_value::{Graph, Record, Sink, Source, ValueSink};

/// The message of a body, in SOAP 1.1.
///
/// # Errors
/// Values that the plan does not allow.
///
/// # Panics
/// The encoder broke its word: what was in its buffer stays there, and nothing comes to it with an error.
pub fn write(
    types: &Types,
    plan: &Plan,
    body: &dyn Source,
    options: &EncodeOptions,
) -> Result<String, Error> {
    let mut out = b"before".to_vec();
    let result = draft(types, plan, body, options).encode(&mut out);
    assert!(out.starts_with(b"before"), "what was there is kept");
    assert!(result.is_ok() || out == b"before", "an error leaves nothing");
    result.map(|()| text(out.split_off(6)))
}

/// The same with each value written by itself, and where the values lie.
///
/// # Errors
/// As [`write()`].
pub fn write_singly(
    types: &Types,
    plan: &Plan,
    body: &dyn Source,
    options: &EncodeOptions,
) -> Result<(String, Slots), Error> {
    let (mut out, mut slots) = (Vec::new(), Slots::default());
    draft(types, plan, body, options).encode_marked(&mut out, &mut slots)?;
    Ok((text(out), slots))
}

/// Header and body of a message.
///
/// # Errors
/// It is not what the plan says.
pub fn read(types: &Types, plan: &Plan, text: &str, strict: bool) -> Result<(Record, Record), Error> {
    let mut body = sink(types, plan.body);
    let header = read_into(types, plan, text, strict, &mut body)?;
    Ok((header, body.finish()))
}

/// The body of a message of SOAP encoding, with its objects.
///
/// # Errors
/// As [`read`].
pub fn read_graph(types: &Types, plan: &Plan, text: &str) -> Result<Graph<Record>, Error> {
    let mut body = sink(types, plan.body);
    read_into(types, plan, text, true, &mut body)?;
    Ok(body.finish_graph())
}

/// Has a sink told the body of a message; gives the header.
///
/// # Errors
/// As [`read`].
pub fn read_into(
    types: &Types,
    plan: &Plan,
    text: &str,
    strict: bool,
    body: &mut dyn Sink,
) -> Result<Record, Error> {
    let options = DecodeOptions {
        strict,
        ..DecodeOptions::default()
    };
    let mut header = sink(types, plan.header);
    Envelope::open(text, &Limits::default())?.decode(types, plan, &options, &mut header, body)?;
    Ok(header.finish())
}

/// What is written of a body, in SOAP 1.1 and without header blocks.
pub fn draft<'d>(
    types: &'d Types,
    plan: &'d Plan,
    body: &'d dyn Source,
    options: &'d EncodeOptions,
) -> Draft<'d> {
    Draft {
        types,
        plan,
        version: Version::Soap11,
        header: &(),
        body,
        options,
    }
}

fn sink(types: &Types, id: ComplexId) -> ValueSink {
    ValueSink::new(types.shape(id).clone())
}

fn text(message: Vec<u8>) -> String {
    String::from_utf8(message).expect("a message is UTF-8")
}
