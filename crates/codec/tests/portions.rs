//! What is written does not depend on where it is drained, nor on how an array is cut into batches.

use castile_codec::{Drain, EncodeOptions, Kind, Stopped};
use castile_plan::Plan;
use castile_testkit::plainly::{self, draft};
use castile_testkit::{Rng, Sampler, Table, random_table};
use castile_value::{Batches, ColumnBuf, Source, Stream, Streamed, Value};

/// Collects portions of so many bytes.
struct Collect {
    portion: usize,
    whole: Vec<u8>,
    longest: usize,
}

impl Collect {
    fn new(portion: usize) -> Collect {
        Collect {
            portion,
            whole: Vec::new(),
            longest: 0,
        }
    }
}

impl Drain for Collect {
    fn portion_bytes(&self) -> usize {
        self.portion
    }

    fn drain(&mut self, out: &mut Vec<u8>) -> Result<(), Stopped> {
        self.longest = self.longest.max(out.len());
        self.whole.append(out);
        Ok(())
    }
}

fn whole(table: &Table, plan: &Plan, body: &dyn Source) -> Vec<u8> {
    plainly::write(&table.types, plan, body, &EncodeOptions::default())
        .unwrap()
        .into_bytes()
}

fn drained(table: &Table, plan: &Plan, body: &dyn Source, portion: usize) -> Collect {
    let mut collect = Collect::new(portion);
    let options = EncodeOptions::default();
    draft(&table.types, plan, body, &options)
        .encode_drained(&mut collect)
        .unwrap();
    collect
}

#[test]
fn portions_join_to_the_message() {
    for seed in 0..300 {
        let table = random_table(seed);
        let concrete = table.types.complex.iter().filter(|c| !c.is_abstract);
        for name in concrete.filter_map(|c| c.name.as_ref()) {
            let plan = table.plan(&name.local);
            let body = Sampler::new(&table.types, Rng::new(seed)).record(plan.body);
            let expected = whole(&table, &plan, &body);
            for portion in [0, 1, 100] {
                let joined = drained(&table, &plan, &body, portion).whole;
                assert_eq!(text(&joined), text(&expected), "seed {seed}, {portion}");
            }
        }
    }
}

const ARRAYS: &str = "
Row = a:int, b:double
Item = t:string?, n:int*
Lists = n:double*, t:string*, r:Row*, i:Item*
Root = before:string, lists:Lists, n:int*, after:int";

/// An array cut into batches at random.
fn batches(rng: &mut Rng, items: &[Value], whole: impl Fn(&[Value]) -> Value) -> Vec<Value> {
    let mut batches = Vec::new();
    let mut rest = items;
    while !rest.is_empty() {
        let (batch, more) = rest.split_at(rng.below(5).min(rest.len()));
        rest = more;
        batches.push(match batch {
            [one] if rng.below(2) == 0 => one.clone(),
            batch => whole(batch),
        });
    }
    batches
}

#[test]
fn batches_join_to_the_array() {
    let table = Table::parse(ARRAYS);
    let plan = table.plan("Lists");
    let list = |values: &[Value]| Value::List(values.to_vec());
    let column = |values: &[Value]| {
        let number = |v: &Value| match v {
            Value::Double(v) => *v,
            _ => f64::NAN,
        };
        Value::from(values.iter().map(number).collect::<Vec<_>>())
    };
    let row = |a: i32| Value::map([("a", a.into()), ("b", Value::from(0.5))]);
    let item = |n: usize| {
        let numbers = Value::from(ColumnBuf::from((0..n as i32).collect::<Vec<_>>()));
        Value::map([("n", numbers)])
    };
    let fields: [(&str, Vec<Value>); 4] = [
        ("n", (0..40).map(|i| Value::Double(f64::from(i) / 7.0)).collect()),
        ("t", (0..40).map(|i| format!("<{i}>").into()).collect()),
        ("r", (0..40).map(row).collect()),
        ("i", (0..40).map(item).collect()),
    ];
    let mut rng = Rng::new(7);
    for (name, items) in fields {
        let inner = Value::map([(name, Value::List(items.clone()))]);
        let expected = whole(&table, &plan, &vec![("Lists".to_owned(), inner)]);
        for round in 0..50 {
            let cut = if name == "n" && round % 2 == 0 {
                batches(&mut rng, &items, column)
            } else {
                batches(&mut rng, &items, list)
            };
            let stream = Stream::of(cut);
            let body = Wrapped(Streamed::new(&(), name, &stream));
            let written = drained(&table, &plan, &body, 64);
            assert_eq!(text(&written.whole), text(&expected));
        }
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A body of one element.
struct Wrapped<'a>(Streamed<'a>);

impl Source for Wrapped<'_> {
    fn field(&self, _index: usize, _name: &str) -> castile_value::Item<'_> {
        castile_value::Item::Record(&self.0)
    }
}

#[test]
fn a_long_array_needs_no_more_than_its_buffer() {
    let table = Table::parse(ARRAYS);
    let plan = table.plan("Lists");
    let values: Vec<f64> = (0..1_000_000).map(|i| f64::from(i) / 3.0).collect();
    let body = vec![("Lists".to_owned(), Value::map([("n", values.into())]))];
    let written = drained(&table, &plan, &body, 100_000);
    assert_eq!(written.whole.len(), whole(&table, &plan, &body).len());
    assert!(written.longest < 200_000, "{} bytes at once", written.longest);
}

#[test]
fn what_needs_to_be_drained_is_told_before_a_batch_is_taken() {
    let table = Table::parse(ARRAYS);
    let plan = table.plan("Lists");
    let options = EncodeOptions {
        overlay_above: Some(1000),
        ..EncodeOptions::default()
    };
    let kind = |body: &dyn Source| {
        let mut out = b"before".to_vec();
        let encoded = draft(&table.types, &plan, body, &options).encode(&mut out);
        assert!(encoded.is_ok() || out == b"before");
        encoded.map_err(|e| e.kind())
    };
    let array = |count: usize| vec![("Lists".to_owned(), Value::map([("n", vec![0.5; count].into())]))];
    assert_eq!(kind(&array(10)), Ok(()));
    assert_eq!(kind(&array(1000)), Err(Kind::Overlay));
    let texts = vec![Value::from("text"); 1000];
    assert_eq!(
        kind(&vec![("Lists".to_owned(), Value::map([("t", texts.into())]))]),
        Err(Kind::Overlay)
    );
    let stream = Stream::of([1.0]);
    assert_eq!(
        kind(&Wrapped(Streamed::new(&(), "n", &stream))),
        Err(Kind::Overlay)
    );
    assert!(stream.start().is_ok(), "nobody has started it");
}

#[test]
fn a_stream_of_a_wrong_length_is_refused() {
    let table = Table::parse("T = n:int{2-3}");
    let plan = table.plan("T");
    for (count, fits) in [(1, false), (2, true), (3, true), (4, false)] {
        let stream = Stream::of(vec![7; count]);
        let body = Wrapped(Streamed::new(&(), "n", &stream));
        let options = EncodeOptions::default();
        let written = draft(&table.types, &plan, &body, &options).encode_drained(&mut Collect::new(10));
        assert_eq!(
            written.map_err(|e| e.kind()),
            if fits { Ok(()) } else { Err(Kind::Value) }
        );
    }
}
