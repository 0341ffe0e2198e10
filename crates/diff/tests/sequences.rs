//! Whatever was sent before and whatever the settings are: a patched message says what a fresh one
//! says, with exact widths in the very same bytes, and what was lent stays as it was.

use castile_codec::{DecodeOptions, Draft, EncodeOptions, Envelope, Limits, Version};
use castile_diff::{Match, Options, Pieces, Pool, Stuffing, Template};
use castile_plan::Plan;
use castile_testkit::{Rng, Table, difference};
use castile_value::{ColumnBuf, Record, Rows, Value, ValueSink};

const TYPES: &str = "
Mio = x:int, y:short, on:boolean, value:double
Step = number:int, note:string?, blob:base64Binary?, a:double*, b:float*, flag:boolean*, mesh:Mio*, c:double*, wide:long*
";

struct Sender {
    table: Table,
    plan: Plan,
    template: Template,
    exact: bool,
}

impl Sender {
    fn new(options: Options) -> Sender {
        let table = Table::parse(TYPES);
        Sender {
            plan: table.plan("Step"),
            exact: !options.pad,
            template: Template::new(options),
            table,
        }
    }

    fn send(&mut self, step: &Step) -> Pieces {
        let body = step.body(&self.table, &self.plan);
        let types = &self.table.types;
        let header = Record::new(types.shape(self.plan.header).clone());
        let draft = Draft {
            types,
            plan: &self.plan,
            version: Version::Soap12,
            header: &header,
            body: &body,
            options: &EncodeOptions::default(),
        };
        let pieces = self.template.patch(&draft).expect("good values");
        let mut fresh = Vec::new();
        draft.encode(&mut fresh).expect("good values");
        let patched = pieces.to_vec();
        assert_eq!(pieces.report.bytes_total, patched.len() as u64);
        if self.exact {
            assert!(
                patched == fresh,
                "exact widths give the bytes of a fresh encoding"
            );
        }
        let (patched, fresh) = (self.decode(&patched), self.decode(&fresh));
        assert_eq!(difference(&Value::Record(patched), &Value::Record(fresh)), None);
        pieces
    }

    fn decode(&self, message: &[u8]) -> Record {
        let types = &self.table.types;
        let text = std::str::from_utf8(message).expect("UTF-8");
        let envelope = Envelope::open(text, &Limits::default()).expect("an envelope");
        let mut header = ValueSink::new(types.shape(self.plan.header).clone());
        let mut body = ValueSink::new(types.shape(self.plan.body).clone());
        envelope
            .decode(
                types,
                &self.plan,
                &DecodeOptions::default(),
                &mut header,
                &mut body,
            )
            .expect("a good message");
        body.finish()
    }
}

/// The values of one message.
#[derive(Clone)]
struct Step {
    number: i32,
    note: Option<String>,
    blob: Vec<u8>,
    a: Vec<f64>,
    b: Vec<f32>,
    flag: Vec<bool>,
    mesh: Vec<(i32, i16, bool, f64)>,
    c: Vec<f64>,
    wide: Vec<i64>,
}

impl Step {
    fn random(rng: &mut Rng) -> Step {
        let mut count = |most| rng.below(most);
        let lengths: [usize; 6] = [
            count(400),
            count(200),
            count(200),
            count(200),
            count(100),
            count(300),
        ];
        Step {
            number: 1,
            note: None,
            blob: Vec::new(),
            a: (0..lengths[0]).map(|_| double(rng)).collect(),
            b: (0..lengths[1]).map(|_| double(rng) as f32).collect(),
            flag: (0..lengths[2]).map(|_| rng.once_in(2)).collect(),
            mesh: (0..lengths[3]).map(|_| row(rng)).collect(),
            c: (0..lengths[4]).map(|_| double(rng)).collect(),
            wide: (0..lengths[5])
                .map(|_| rng.bits() as i64 >> rng.below(64))
                .collect(),
        }
    }

    /// Changes something: single values, runs, all of an array, its length, what lies around it.
    fn edit(&mut self, rng: &mut Rng) {
        match rng.below(11) {
            0 => self.number = (rng.bits() as i32) >> rng.below(32),
            1 => self.note = Some("n<".repeat(rng.below(5))).filter(|_| rng.once_in(2)),
            2 => edit(&mut self.a, rng, double),
            3 => edit(&mut self.b, rng, |rng| double(rng) as f32),
            4 => edit(&mut self.flag, rng, |rng| rng.once_in(2)),
            5 => edit(&mut self.mesh, rng, row),
            6 => edit(&mut self.c, rng, double),
            7 => edit(&mut self.wide, rng, |rng| rng.bits() as i64 >> rng.below(64)),
            8 => {
                let length = rng.below(90);
                self.blob = (0..length).map(|_| rng.bits() as u8).collect();
            }
            9 => self.note = Some("Æ&long".repeat(rng.below(40))),
            _ => std::mem::swap(&mut self.a, &mut self.c),
        }
    }

    fn body(&self, table: &Table, plan: &Plan) -> Record {
        let layout = table.types.row_layout(table.id("Mio")).expect("a flat type");
        let mut mesh = Rows::new(layout.clone());
        for (x, y, on, value) in &self.mesh {
            let parts = [
                &x.to_ne_bytes()[..],
                &y.to_ne_bytes(),
                &[u8::from(*on)],
                &value.to_ne_bytes(),
            ];
            mesh.push(&parts.concat());
        }
        let mut fields: Vec<(&str, Value)> = vec![
            ("number", self.number.into()),
            ("a", ColumnBuf::from(self.a.clone()).into()),
            ("b", ColumnBuf::from(self.b.clone()).into()),
            ("flag", ColumnBuf::from(self.flag.clone()).into()),
            ("mesh", mesh.into()),
            ("c", ColumnBuf::from(self.c.clone()).into()),
            ("wide", ColumnBuf::from(self.wide.clone()).into()),
        ];
        if let Some(note) = &self.note {
            fields.push(("note", note.as_str().into()));
        }
        if !self.blob.is_empty() {
            fields.push(("blob", Value::Bytes(self.blob.clone())));
        }
        let mut body = Record::new(table.types.shape(plan.body).clone());
        body.set("Step", Value::map(fields))
            .expect("the body has this field");
        body
    }
}

/// A double of any width: from one character to twenty-four.
fn double(rng: &mut Rng) -> f64 {
    match rng.below(6) {
        0 => rng.below(10) as f64,
        1 => rng.below(1000) as f64 / 8.0,
        2 => rng.unit(),
        3 => -rng.unit() * 1e-300,
        4 => *rng.pick(&[0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]),
        _ => f64::from_bits(rng.bits()),
    }
}

fn row(rng: &mut Rng) -> (i32, i16, bool, f64) {
    let narrow = rng.below(32);
    (
        rng.bits() as i32 >> narrow,
        rng.bits() as i16,
        rng.once_in(2),
        double(rng),
    )
}

fn edit<T: Clone>(values: &mut Vec<T>, rng: &mut Rng, mut fresh: impl FnMut(&mut Rng) -> T) {
    let len = values.len();
    match rng.below(7) {
        0 | 1 if len > 0 => {
            for _ in 0..rng.below(6) {
                values[rng.below(len)] = fresh(rng);
            }
        }
        2 if len > 0 => {
            let from = rng.below(len);
            let to = from + rng.below(len - from + 1);
            values[from..to].iter_mut().for_each(|v| *v = fresh(rng));
        }
        3 => {
            let at = rng.below(len + 1);
            let more: Vec<T> = (0..rng.below(40)).map(|_| fresh(rng)).collect();
            values.splice(at..at, more);
        }
        4 => {
            let from = rng.below(len + 1);
            let to = from + rng.below(len - from + 1).min(30);
            values.drain(from..to);
        }
        5 => values.truncate(rng.below(len + 1)),
        _ => values.iter_mut().for_each(|v| *v = fresh(rng)),
    }
}

fn options(rng: &mut Rng) -> Options {
    Options {
        values_min: *rng.pick(&[1, 16, 64]),
        text_bytes_min: *rng.pick(&[1, 50]),
        chunk_bytes: *rng.pick(&[64, 500, 8192]),
        split_bytes: *rng.pick(&[100, 1000, 16384]),
        reserve_bytes: *rng.pick(&[0, 7, 256]),
        pad: !rng.once_in(3),
        steal_reach: *rng.pick(&[0, 1, 8, 64]),
        slack_bytes: *rng.pick(&[0, 1, 8, 200]),
        stuffing: *rng.pick(&[Stuffing::None, Stuffing::None, Stuffing::Max, Stuffing::Width(9)]),
        rewrite_above: *rng.pick(&[None, Some(0.1), Some(0.6), Some(2.0)]),
        one_pass: !rng.once_in(3),
        pool: rng.once_in(3).then(Pool::new),
        ..Options::default()
    }
}

/// Messages of a sequence.
const SEQUENCE: u64 = 40;

/// Messages to try: `make soak` asks for more.
fn messages() -> u64 {
    let asked = std::env::var("CASTILE_SOAK_MESSAGES");
    asked.map_or(6000, |asked| {
        asked.parse().expect("CASTILE_SOAK_MESSAGES is a number")
    })
}

#[test]
fn a_patched_message_says_what_a_fresh_one_says() {
    for seed in 0..messages().div_ceil(SEQUENCE) {
        sequence(seed);
        if (seed + 1).is_multiple_of(1000) {
            eprintln!("{} messages", (seed + 1) * SEQUENCE);
        }
    }
}

/// Messages of two operations that may share arrays, with random settings.
fn sequence(seed: u64) {
    let mut rng = Rng::new(seed);
    let options = options(&mut rng);
    let (mut sender, mut twin) = (Sender::new(options.clone()), Sender::new(options));
    let mut step = Step::random(&mut rng);
    // Connections that are slow, or were cancelled: what they hold must not change under them.
    let mut lent: Vec<(Pieces, Vec<u8>)> = Vec::new();
    for _ in 0..SEQUENCE {
        let sender = if rng.once_in(3) { &mut twin } else { &mut sender };
        let pieces = sender.send(&step);
        if rng.once_in(3) {
            lent.push((pieces.clone(), pieces.to_vec()));
        }
        if rng.once_in(4) {
            lent.drain(..rng.below(lent.len() + 1));
        }
        for _ in 0..rng.below(4) {
            step.edit(&mut rng);
        }
    }
    for (pieces, bytes) in &lent {
        assert!(pieces.to_vec() == *bytes, "seed {seed}: lent bytes changed");
    }
}

fn steady() -> (Sender, Step) {
    let mut step = Step::random(&mut Rng::new(5));
    step.a = vec![0.125; 3000];
    (Sender::new(Options::default()), step)
}

#[test]
fn the_four_matches_are_told_apart() {
    let (mut sender, mut step) = steady();
    assert_eq!(sender.send(&step).report.kind, Match::FirstTime);
    let same = sender.send(&step).report;
    assert_eq!((same.kind, same.bytes_rewritten), (Match::Content, 0));
    step.a[1500] = 0.375;
    let fits = sender.send(&step).report;
    assert_eq!((fits.kind, fits.values_rewritten), (Match::PerfectStructural, 1));
    step.a[1500] = 0.123456789;
    let grew = sender.send(&step).report;
    assert_eq!((grew.kind, grew.widths_stolen), (Match::PartialStructural, 0));
    assert!((1..17_000).contains(&grew.bytes_shifted), "within a chunk");
    step.number = 7;
    assert_eq!(sender.send(&step).report.kind, Match::PerfectStructural);
    step.number = 77;
    assert_eq!(sender.send(&step).report.kind, Match::PartialStructural);
}

#[test]
fn a_value_that_grows_takes_the_spaces_of_a_neighbour() {
    let (mut sender, mut step) = steady();
    step.a[1003] = 0.123456789;
    sender.send(&step);
    step.a[1003] = 5.0;
    sender.send(&step);
    step.a[1000] = 0.12345;
    let report = sender.send(&step).report;
    assert_eq!(report.widths_stolen, 1);
    assert!(report.bytes_shifted < 200, "{report:?}");
}

#[test]
fn what_is_stuffed_to_its_greatest_width_never_moves() {
    let (_, mut step) = steady();
    let mut sender = Sender::new(Options {
        stuffing: Stuffing::Max,
        ..Options::default()
    });
    (step.flag, step.mesh) = (Vec::new(), Vec::new());
    step.a = vec![0.0; 200];
    step.b = vec![0.0; 200];
    step.wide = vec![0; 200];
    sender.send(&step);
    step.a[7] = -2.225_073_858_507_201_4e-308;
    step.b[7] = -0.000_012_345_679;
    step.wide[7] = i64::MIN;
    let report = sender.send(&step).report;
    assert_eq!(
        (report.values_rewritten, report.bytes_shifted),
        (3, 0),
        "{report:?}"
    );
}

#[test]
fn rows_that_come_and_go_cost_their_own_bytes() {
    let (mut sender, mut step) = steady();
    step.a = (0..50_000).map(|i| f64::from(i) / 7.0).collect();
    let whole = sender.send(&step).report;
    step.a.splice(20_000..20_000, [1.5, 2.5, 3.5]);
    let inserted = sender.send(&step).report;
    assert_eq!(inserted.values_written, 3);
    step.a.drain(100..200);
    let removed = sender.send(&step).report;
    assert_eq!(removed.values_written, 0);
    assert!(inserted.bytes_rewritten + removed.bytes_rewritten < whole.bytes_rewritten / 100);
}

#[test]
fn rows_that_come_and_go_again_and_again_leave_no_crumbs() {
    let (mut sender, mut step) = steady();
    let pieces = sender.send(&step).iter().count();
    for round in 0..200 {
        step.a.insert(round * 13, 0.5);
        step.a.remove(round * 7 + 1);
        step.a.push(1.5);
        sender.send(&step);
    }
    assert!(sender.send(&step).iter().count() < 3 * pieces);
}

#[test]
fn a_message_that_cannot_be_written_spoils_nothing() {
    let (mut sender, mut step) = steady();
    sender.send(&step);
    step.a[7] = 99.0;
    let mut body = step.body(&sender.table, &sender.plan);
    // The arrays before it are patched when this is found out.
    let Some(Value::Map(fields)) = body.values_mut().first_mut() else {
        panic!("a map")
    };
    fields.push(("nonsense".into(), 1.into()));
    let types = &sender.table.types;
    let header = Record::new(types.shape(sender.plan.header).clone());
    let draft = Draft {
        types,
        plan: &sender.plan,
        version: Version::Soap12,
        header: &header,
        body: &body,
        options: &EncodeOptions::default(),
    };
    assert!(sender.template.patch(&draft).is_err());
    sender.send(&step);
}
