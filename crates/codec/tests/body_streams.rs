//! A message that is read while it comes gives what the whole message gives, value or error with its
//! place, however it is cut.

mod support;

use castile_codec::{BodyStream, DecodeOptions, Envelope, Error, Kind, Limits, Spine, Step};
use castile_plan::Plan;
use castile_testkit::{Effort, Rng, Sampler, Table, difference, mutate, plainly};
use castile_value::{Record, Value, ValueSink};
use castile_xml::Feed;
use support::{encoded, message};

/// The body, its array put together from the batches.
fn fed(
    table: &Table,
    plan: &Plan,
    name: &str,
    pieces: &[&[u8]],
    strict: bool,
    limits: Limits,
) -> Result<Record, Error> {
    let types = &table.types;
    let options = DecodeOptions {
        strict,
        ..DecodeOptions::default()
    };
    let spine = Spine::find(types, plan, Some(name))?;
    let (holder, field) = spine.array();
    let mut feed = Feed::new(limits);
    let mut body: Option<BodyStream> = None;
    let mut rest = ValueSink::new(types.shape(plan.body).clone());
    let mut items = Vec::new();
    let mut pieces = pieces.iter();
    loop {
        match pieces.next() {
            Some(piece) => feed.push(piece),
            None => feed.finish(),
        }
        let step = feed.read(|window| {
            if body.is_none() {
                let Some(envelope) = Envelope::open_window(window, &limits)? else {
                    return Ok(Step::Waiting);
                };
                let mut header = ValueSink::new(types.shape(plan.header).clone());
                body = Some(envelope.stream(types, plan, spine.clone(), &options, &mut header, window)?);
            }
            let Some(body) = &mut body else {
                return Ok(Step::Waiting);
            };
            let mut batch = ValueSink::new(types.shape(holder).clone());
            let step = body.step(types, window, &mut rest, &mut batch);
            let batch = batch.finish().into_values().swap_remove(field as usize);
            items.extend(batch.into_list());
            step
        })?;
        if step == Step::Done {
            let read = body.map_or(0, |body| body.items());
            assert_eq!(read, items.len() as u64, "items are counted");
            let mut record = values(table, plan, rest.finish());
            put(&mut record, name, Value::List(items));
            return Ok(record);
        }
    }
}

/// The record of the values, in that of the body.
fn values(table: &Table, plan: &Plan, body: Record) -> Record {
    let (id, wrapped) = plan.values(&table.types);
    match (wrapped, body) {
        (false, body) => body,
        (true, body) => match body.into_values().pop() {
            Some(Value::Record(record)) => record,
            _ => Record::new(table.types.shape(id).clone()),
        },
    }
}

/// Puts the array where it belongs.
fn put(record: &mut Record, path: &str, value: Value) {
    match path.split_once('.') {
        None => drop(record.set(path, value)),
        Some((name, rest)) => {
            let slot = record.shape().index(name).unwrap();
            if let Value::Record(inner) = &mut record.values_mut()[slot] {
                put(inner, rest, value);
            }
        }
    }
}

/// The same by reading it whole.
fn whole(table: &Table, plan: &Plan, name: &str, text: &str, strict: bool) -> Result<Record, Error> {
    let (_, body) = plainly::read(&table.types, plan, text, strict)?;
    let mut record = values(table, plan, body);
    // Lists and columns of the same values are the same.
    let items = name.split('.').try_fold(None::<&Value>, |at, name| {
        Some(Some(match at {
            None => record.get(name)?,
            Some(value) => value.get(name)?,
        }))
    });
    let items = items.flatten().cloned().unwrap_or_default().into_list();
    put(&mut record, name, Value::List(items));
    Ok(record)
}

fn cuts<'t>(rng: &mut Rng, text: &'t str) -> Vec<&'t [u8]> {
    let bytes = text.as_bytes();
    let mut places: Vec<usize> = (0..rng.below(8)).map(|_| rng.below(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|w| &bytes[w[0]..w[1]]).collect()
}

const TABLE: &str = "
Row = a:int, b:double
Item = t:string?, n:int*, @id:int
Inner = first:string?, r:Row*, d:date*
Lists = before:string?, n:double*, t:string*, i:Item*, inner:Inner?, after:int?
Odd = a:int?, (x:int | y:string)*, n:double*";

const ARRAYS: [&str; 5] = ["n", "t", "i", "inner.r", "inner.d"];

fn compare(table: &Table, plan: &Plan, text: &str, rng: &mut Rng) -> bool {
    let mut good = false;
    for name in ARRAYS {
        for strict in [true, false] {
            let expected = whole(table, plan, name, text, strict);
            let bytes = text.as_bytes();
            let ones: Vec<&[u8]> = bytes.chunks(1).collect();
            for (how, pieces) in [("uncut", vec![bytes]), ("cut", cuts(rng, text)), ("bytes", ones)] {
                let found = fed(table, plan, name, &pieces, strict, Limits::default());
                match (&expected, &found) {
                    (Ok(expected), Ok(found)) => {
                        let differ =
                            difference(&Value::Record(expected.clone()), &Value::Record(found.clone()));
                        assert_eq!(differ, None, "{name}, {how}\n{text}");
                        good = true;
                    }
                    (Err(expected), Err(found)) => {
                        assert_eq!(found.to_string(), expected.to_string(), "{name}, {how}\n{text}");
                        assert_eq!(found.offset(), expected.offset(), "{name}, {how}\n{text}");
                    }
                    _ => panic!("{name}, {how}\n{text}\n{expected:?}\n{found:?}"),
                }
            }
        }
    }
    good
}

#[test]
fn random_messages_changed_at_random_are_read_alike() {
    let table = Table::parse(TABLE);
    let plan = table.plan("Lists");
    let (mut good, mut bad) = (0, 0);
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let effort = if seed % 3 == 0 {
            Effort::Most
        } else {
            Effort::Random
        };
        let body = Sampler::new(&table.types, Rng::new(seed))
            .effort(effort)
            .record(plan.body);
        let mut text = encoded(&table.types, &plan, &body).unwrap();
        for round in 0..4 {
            if round > 0 {
                text = mutate(&text, &mut rng);
            }
            match compare(&table, &plan, &text, &mut rng) {
                true => good += 1,
                false => bad += 1,
            }
        }
    }
    assert!(good > 60 && bad > 25, "{good} good, {bad} bad");
}

#[test]
fn an_error_far_inside_says_where() {
    let table = Table::parse("T = n:double*");
    let plan = table.plan("T");
    let mut inside = "<n>1</n>\n".repeat(99_999);
    inside.push_str("<n>one</n>");
    let text = message("T", &inside);
    let pieces: Vec<&[u8]> = text.as_bytes().chunks(10_000).collect();
    let error = fed(&table, &plan, "n", &pieces, true, Limits::default()).unwrap_err();
    assert_eq!(error.kind(), Kind::Lexical);
    assert_eq!(error.path(), "/Envelope/Body/T/n[100000]");
    let start = text.find("one").unwrap();
    assert_eq!(error.offset(), Some(start));
    assert_eq!(error.line_column(), Some((100_000, 4)));
}

#[test]
fn what_does_not_fit_the_window_meets_its_limit() {
    let table = Table::parse("T = t:string*");
    let plan = table.plan("T");
    let limits = Limits {
        window_bytes_max: 1000,
        ..Limits::default()
    };
    let items = |length: usize| message("T", &format!("<t>{}</t>", "x".repeat(length)).repeat(5));
    let read = |text: &str| {
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(100).collect();
        fed(&table, &plan, "t", &pieces, true, limits)
    };
    assert!(read(&items(500)).is_ok());
    let error = read(&items(2000)).unwrap_err();
    assert_eq!(error.kind(), Kind::Limit);
    assert!(error.to_string().contains("window_bytes_max = 1000"), "{error}");
}

#[test]
fn only_what_can_be_streamed_is() {
    let table = Table::parse(TABLE);
    let find =
        |plan: &str, name| Spine::find(&table.types, &table.plan(plan), name).map_err(|e| e.to_string());
    let several = find("Lists", None).unwrap_err();
    assert!(several.contains("[n, t, i, inner.r, inner.d]"), "{several}");
    assert!(find("Lists", Some("r")).is_ok() && find("Lists", Some("x")).is_err());
    assert!(find("Inner", Some("r")).is_ok());
    assert!(find("Odd", None).is_err(), "beside a repeated group");
}
