//! A sender of several shapes in turn: each finds what it had, in time of the shape, and all is bounded.

mod common;

use castile_diff::{Match, Options, Report};
use castile_testkit::Rng;
use castile_value::Value;

use common::Sender;

fn new_sender(options: Options) -> Sender {
    let types = "add = note:string?, n:double*, m:double*, text:string?";
    Sender::new(
        types,
        "add",
        Options {
            pad: false,
            ..options
        },
    )
}

/// Sends, and checks the bytes against a fresh message.
fn send(sender: &mut Sender, shape: &Shape) -> Report {
    let body = vec![("add".to_owned(), shape.value())];
    let pieces = sender.send(&body).expect("good values");
    let fresh = sender.fresh(&body).expect("good values");
    assert!(
        pieces.to_vec() == fresh,
        "exact widths give the bytes of a fresh message"
    );
    pieces.report
}

#[derive(Clone)]
struct Shape {
    note: Option<&'static str>,
    n: Vec<f64>,
    m: Vec<f64>,
    text: Option<String>,
}

impl Shape {
    fn of(n: usize, m: usize, note: Option<&'static str>) -> Shape {
        let values = |count: usize, step: f64| (0..count).map(|i| i as f64 * step + 0.5).collect();
        Shape {
            note,
            n: values(n, 1.0),
            m: values(m, 0.25),
            text: None,
        }
    }

    fn value(&self) -> Value {
        let mut fields: Vec<(&str, Value)> = vec![("n", self.n.clone().into()), ("m", self.m.clone().into())];
        fields.extend(self.note.map(|note| ("note", note.into())));
        fields.extend(self.text.as_deref().map(|text| ("text", text.into())));
        Value::map(fields)
    }
}

#[test]
fn shapes_in_turn_find_what_they_had() {
    let long = |length: usize| Some("x".repeat(length));
    let cases: [(&str, Vec<Shape>); 5] = [
        (
            "lengths",
            vec![Shape::of(1000, 200, None), Shape::of(3000, 200, None)],
        ),
        (
            "four lengths",
            [1000, 1500, 700, 4000].map(|n| Shape::of(n, 0, None)).to_vec(),
        ),
        (
            "an optional part",
            vec![Shape::of(1000, 200, None), Shape::of(1000, 200, Some("here"))],
        ),
        (
            "an array that is not always there",
            vec![
                Shape::of(1000, 200, None),
                Shape::of(0, 200, None),
                Shape::of(1000, 0, Some("n")),
            ],
        ),
        (
            "texts",
            [5000, 6000, 7000]
                .map(|length| Shape {
                    text: long(length),
                    ..Shape::of(100, 0, None)
                })
                .to_vec(),
        ),
    ];
    for (what, mut shapes) in cases {
        let mut sender = new_sender(Options::default());
        // Once each, and once more for lengths that come back.
        for _ in 0..3 {
            for shape in &shapes {
                send(&mut sender, shape);
            }
        }
        let mut numbers = Vec::new();
        for shape in &shapes {
            let report = send(&mut sender, shape);
            assert_eq!(report.kind, Match::Content, "{what}: {report:?}");
            numbers.push(report.structure);
        }
        // They share arrays of one length, so each sets a value that the others do not have.
        for (new, (shape, number)) in shapes.iter_mut().zip(&numbers).enumerate() {
            let values = if shape.n.is_empty() {
                &mut shape.m
            } else {
                &mut shape.n
            };
            values[50] = new as f64 + 0.25;
            let before = send(&mut sender, shape);
            assert_eq!(
                (before.values_rewritten, before.structure),
                (1, *number),
                "{what}"
            );
            assert_ne!(before.kind, Match::Content, "{what}");
        }
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(
            numbers.len(),
            shapes.len(),
            "{what}: each has a number of its own"
        );
    }
}

#[test]
fn an_array_that_grows_steadily_is_one() {
    let mut sender = new_sender(Options::default());
    send(&mut sender, &Shape::of(1000, 0, None));
    for length in 1001..1100 {
        let report = send(&mut sender, &Shape::of(length, 0, None));
        assert_eq!(
            (report.kind, report.values_written),
            (Match::PartialStructural, 1)
        );
    }
    assert!(sender.template.memory() < 2 * 100_000, "one array is kept");
}

#[test]
fn one_structure_keeps_the_last_message_only() {
    let mut sender = new_sender(Options {
        structures_max: 1,
        ..Options::default()
    });
    let shapes = [Shape::of(1000, 0, None), Shape::of(3000, 0, None)];
    for _ in 0..4 {
        for shape in &shapes {
            assert_ne!(send(&mut sender, shape).kind, Match::Content);
        }
    }
}

#[test]
fn any_number_of_shapes_is_bounded() {
    let mut rng = Rng::new(5);
    let mut sender = new_sender(Options::default());
    for _ in 0..400 {
        let shape = Shape::of(
            64 + rng.below(20) * 50,
            64 + rng.below(20) * 50,
            [None, Some("a"), Some("bcd")][rng.below(3)],
        );
        send(&mut sender, &shape);
        // Two arrays of the message, and eight beside, of at most 1,014 values each.
        assert!(sender.template.memory() < 10 * 1014 * 60);
    }
}

/// Shapes share what they have in common: what the one changed is a change for the other, too, though nothing is left
/// to be written. Messages of one number have the same bytes.
#[test]
fn what_another_shape_changed_is_no_content_match() {
    let mut sender = new_sender(Options::default());
    let (mut plain, mut noted) = (Shape::of(1000, 200, None), Shape::of(1000, 200, Some("here")));
    let first = send(&mut sender, &plain);
    send(&mut sender, &noted);
    assert_eq!(send(&mut sender, &plain).message, first.message);
    noted.n[500] = 0.25;
    send(&mut sender, &noted);
    plain.n[500] = 0.25;
    let other = send(&mut sender, &plain);
    assert_eq!(
        (other.kind, other.values_rewritten),
        (Match::PerfectStructural, 0)
    );
    assert_ne!(other.message, first.message);
    let again = send(&mut sender, &plain);
    assert_eq!((again.kind, again.message), (Match::Content, other.message));
}
