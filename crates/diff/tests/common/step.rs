//! Random messages of one type, their edits, and settings to send them with.

use std::sync::LazyLock;

use castile_codec::{Draft, EncodeOptions, Error, Version};
use castile_diff::{Costs, Options, Pieces, Pool, Steps, Stuffing, Widths};
use castile_plan::Plan;
use castile_testkit::{Rng, Table};
use castile_value::{ColumnBuf, DateTime, Decimal, Record, Rows, Source, Value};

const TYPES: &str = "
Mio = x:int, y:short, on:boolean, value:double
Event = id:int, text:string, time:double, name:string
Place = lat:double, lon:double?
Pole(Place) = height:int
Thing = @id:string!, @lang:token, kind:{red/green/blue}, name:string?, (n:int | x:double~)?, at:Place?, tags:string*, more:Place*, numbers:int*, when:dateTime?, cost:decimal?, other:any?
Step = number:int, note:string?, blob:base64Binary?, a:double*, b:float*, flag:boolean*, mesh:Mio*, c:double*, wide:long*, names:string*, events:Event*, things:Thing*, days:dateTime*
";

/// What sends steps, and checks what was sent.
pub(crate) struct Messages {
    pub(crate) table: Table,
    pub(crate) plan: Plan,
}

/// Those of the one type.
pub(crate) static MESSAGES: LazyLock<Messages> = LazyLock::new(|| {
    let table = Table::parse(TYPES);
    Messages {
        plan: table.plan("Step"),
        table,
    }
});

impl Messages {
    /// Has a step encoded; what was made must say what a fresh message says, with `exact` widths in the same bytes.
    pub(crate) fn send(
        &self,
        step: &Step,
        exact: bool,
        encode: impl FnOnce(&Draft<'_>) -> Result<Pieces, Error>,
    ) -> Pieces {
        let body = step.body(&self.table, &self.plan);
        self.with(&body, |draft| {
            let pieces = encode(draft).expect("good values");
            let mut fresh = Vec::new();
            draft.encode(&mut fresh).expect("good values");
            let patched = pieces.to_vec();
            assert_eq!(pieces.report.bytes_total, patched.len() as u64);
            self.compare(&patched, &fresh, exact);
            pieces
        })
    }

    /// Has a step encoded that no plan can take, behind arrays that are good.
    pub(crate) fn fail(&self, step: &Step, encode: impl FnOnce(&Draft<'_>) -> Result<Pieces, Error>) {
        let mut body = step.body(&self.table, &self.plan);
        let Some(Value::Map(fields)) = body.values_mut().first_mut() else {
            panic!("a map")
        };
        fields.push(("nonsense".into(), 1.into()));
        assert!(self.with(&body, encode).is_err());
    }

    fn with<T>(&self, body: &dyn Source, run: impl FnOnce(&Draft<'_>) -> T) -> T {
        let types = &self.table.types;
        run(&Draft {
            types,
            plan: &self.plan,
            version: Version::Soap12,
            header: &Record::new(types.shape(self.plan.header).clone()),
            body,
            options: &EncodeOptions::default(),
        })
    }
}

/// The values of one message.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) number: i32,
    pub(crate) note: Option<String>,
    pub(crate) blob: Vec<u8>,
    pub(crate) a: Vec<f64>,
    pub(crate) b: Vec<f32>,
    pub(crate) flag: Vec<bool>,
    pub(crate) mesh: Vec<(i32, i16, bool, f64)>,
    pub(crate) c: Vec<f64>,
    pub(crate) wide: Vec<i64>,
    pub(crate) names: Vec<String>,
    pub(crate) events: Vec<(i32, String, f64, String)>,
    /// Maps, and whether each is sent as a record of its type.
    pub(crate) things: Vec<(Value, bool)>,
    pub(crate) days: Vec<Value>,
}

impl Step {
    pub(crate) fn random(rng: &mut Rng) -> Step {
        // Most bugs show in small messages with small chunks.
        let part = *rng.pick(&[1, 5, 20, 20, 50, 50, 50, 50]);
        let mut count = |most: usize| rng.below(most / part);
        let lengths: [usize; 10] = [
            count(400),
            count(200),
            count(200),
            count(200),
            count(100),
            count(300),
            count(200),
            count(200),
            count(90),
            count(50),
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
            names: (0..lengths[6]).map(|_| text(rng)).collect(),
            events: (0..lengths[7]).map(|_| event(rng)).collect(),
            things: (0..lengths[8]).map(|_| thing(rng)).collect(),
            days: (0..lengths[9]).map(|_| day(rng)).collect(),
        }
    }

    /// Changes something: single values, runs, all of an array, its length, what lies around it.
    pub(crate) fn edit(&mut self, rng: &mut Rng) {
        match rng.below(16) {
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
            9 => edit(&mut self.names, rng, text),
            10 => edit(&mut self.events, rng, event),
            11 | 12 => edit(&mut self.things, rng, thing),
            13 => edit(&mut self.days, rng, day),
            14 => self.note = Some("Æ&long".repeat(rng.below(40))),
            _ => std::mem::swap(&mut self.a, &mut self.c),
        }
    }

    /// Changes all values of all arrays.
    pub(crate) fn renew(&mut self, rng: &mut Rng) {
        for doubles in [&mut self.a, &mut self.c] {
            doubles.iter_mut().for_each(|v| *v = double(rng));
        }
        self.b.iter_mut().for_each(|v| *v = double(rng) as f32);
        self.flag.iter_mut().for_each(|v| *v = rng.once_in(2));
        self.mesh.iter_mut().for_each(|v| *v = row(rng));
        let wide = |rng: &mut Rng| rng.bits() as i64 >> rng.below(64);
        self.wide.iter_mut().for_each(|v| *v = wide(rng));
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
        let shape = table.types.shape(table.id("Event"));
        let events = self.events.iter().map(|(id, text, time, name)| {
            let mut event = Record::new(shape.clone());
            let values: [Value; 4] = [
                (*id).into(),
                text.as_str().into(),
                (*time).into(),
                name.as_str().into(),
            ];
            event.values_mut().clone_from_slice(&values);
            Value::Record(event)
        });
        let names = self.names.iter().map(|name| Value::from(name.as_str()));
        let things = self.things.iter().map(|(thing, is_typed)| match is_typed {
            true => typed(table, "Thing", thing),
            false => thing.clone(),
        });
        let mut fields: Vec<(&str, Value)> = vec![
            ("number", self.number.into()),
            ("a", ColumnBuf::from(self.a.clone()).into()),
            ("b", ColumnBuf::from(self.b.clone()).into()),
            ("flag", ColumnBuf::from(self.flag.clone()).into()),
            ("mesh", mesh.into()),
            ("c", ColumnBuf::from(self.c.clone()).into()),
            ("wide", ColumnBuf::from(self.wide.clone()).into()),
            ("names", Value::List(names.collect())),
            ("events", Value::List(events.collect())),
            ("things", Value::List(things.collect())),
            ("days", Value::List(self.days.clone())),
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

/// A text that is short, long, or has to be escaped.
fn text(rng: &mut Rng) -> String {
    match rng.below(6) {
        0 => String::new(),
        1 => "<&>\r".repeat(rng.below(4)),
        2 => "Æther ".repeat(rng.below(30)),
        _ => format!("name {}", rng.below(10_000)),
    }
}

fn event(rng: &mut Rng) -> (i32, String, f64, String) {
    (
        rng.bits() as i32 >> rng.below(32),
        text(rng),
        double(rng),
        text(rng),
    )
}

/// A thing by the names of its fields, of which most may be missing.
fn thing(rng: &mut Rng) -> (Value, bool) {
    let place = |rng: &mut Rng| {
        let mut place = vec![("lat".to_owned(), Value::from(double(rng)))];
        if rng.once_in(2) {
            place.push(("lon".into(), double(rng).into()));
        }
        Value::Map(place)
    };
    let mut fields = vec![
        ("id".to_owned(), Value::from(text(rng).trim())),
        ("kind".into(), (*rng.pick(&["red", "green", "blue"])).into()),
    ];
    let mut put = |name: &str, value: Value| fields.push((name.into(), value));
    for _ in 0..rng.below(4) {
        match rng.below(9) {
            0 => put("lang", (*rng.pick(&["de", "en"])).into()),
            1 => put("name", text(rng).into()),
            2 => put("at", place(rng)),
            3 => put(
                "tags",
                Value::List((0..rng.below(5)).map(|_| text(rng).into()).collect()),
            ),
            4 => put(
                "more",
                Value::List((0..rng.below(4)).map(|_| place(rng)).collect()),
            ),
            5 => put("when", day(rng)),
            6 => put(
                "cost",
                Decimal::parse(&rng.below(99).to_string()).expect("digits").into(),
            ),
            7 => put("numbers", ColumnBuf::from(vec![7i32; rng.below(9)]).into()),
            _ => put(
                "other",
                if rng.once_in(2) {
                    text(rng).into()
                } else {
                    7.into()
                },
            ),
        }
    }
    match rng.below(4) {
        0 => put("n", (rng.below(9) as i32).into()),
        1 => put("x", double(rng).into()),
        2 => put("x", Value::Nil),
        _ => {}
    }
    // The first of a name counts, twice is once too often.
    let mut seen = Vec::new();
    fields.retain(|(name, _)| {
        let fresh = !seen.contains(name);
        seen.push(name.clone());
        fresh
    });
    (Value::Map(fields), rng.once_in(2))
}

fn day(rng: &mut Rng) -> Value {
    DateTime {
        year: 2026,
        minute: rng.below(60) as u8,
        zone_minutes: rng.once_in(2).then_some(0),
        ..DateTime::default()
    }
    .into()
}

/// The map as a record of a type, the records in it of theirs.
fn typed(table: &Table, name: &str, map: &Value) -> Value {
    let Value::Map(fields) = map else { panic!("a map") };
    let mut record = Record::new(table.types.shape(table.id(name)).clone());
    for (name, value) in fields {
        let value = match (name.as_str(), value) {
            ("at", place) => {
                let mut pole = typed(table, "Pole", place);
                if let Value::Record(pole) = &mut pole {
                    pole.set("height", 3).expect("a pole has a height");
                }
                pole
            }
            ("more", Value::List(places)) => {
                Value::List(places.iter().map(|place| typed(table, "Place", place)).collect())
            }
            (_, other) => other.clone(),
        };
        record.set(name, value).expect("the type has this field");
    }
    Value::Record(record)
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
            let most = *rng.pick(&[2, 4, 8, 40]);
            let more: Vec<T> = (0..rng.below(most)).map(|_| fresh(rng)).collect();
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

/// Any settings.
pub(crate) fn options(rng: &mut Rng) -> Options {
    Options {
        values_min: *rng.pick(&[1, 1, 1, 16, 64]),
        text_bytes_min: *rng.pick(&[1, 50]),
        chunk_bytes: *rng.pick(&[64, 500, 8192]),
        split_bytes: *rng.pick(&[100, 1000, 16384]),
        reserve_bytes: *rng.pick(&[0, 7, 256]),
        pad: !rng.once_in(3),
        pad_between: rng.once_in(3),
        steal_reach: *rng.pick(&[0, 1, 8, 64]),
        slack_bytes: *rng.pick(&[0, 1, 8, 200]),
        stuffing: *rng.pick(&[
            Stuffing::None,
            Stuffing::None,
            Stuffing::None,
            Stuffing::Max,
            Stuffing::Width(9),
            Stuffing::Typical,
            Stuffing::Types(WIDTHS),
        ]),
        rebuild: !rng.once_in(4),
        costs: *rng.pick(&[None, Some(REBUILT)]),
        rewrite_above: *rng.pick(&[None, None, None, Some(0.1), Some(0.6), Some(2.0)]),
        one_pass: !rng.once_in(3),
        pauses: !rng.once_in(3),
        pool: rng.once_in(3).then(Pool::new),
        ..Options::default()
    }
}

/// Whatever changed is written again rather than patched.
const REBUILT: Costs = {
    let steps = Steps {
        write: 1.0,
        patch: 2.0,
        resize: 2.0,
        keep: 0.0,
    };
    Costs {
        floats: steps,
        integers: steps,
        copy: 0.0,
    }
};

const WIDTHS: Widths = Widths {
    doubles: 18,
    floats: 3,
    integers: 200,
};
