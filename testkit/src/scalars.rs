//! Random values of simple types, as a decoder gives them.

use castile_lexical::{DateTime, DateTimeKind, Decimal, Duration};
use castile_plan::{Builtin, Facets, SimpleId, Types, Variety, WhiteSpace};
use castile_value::{QName, Value};

use crate::Rng;

/// A value of a simple type, as a decoder gives it.
pub(crate) fn scalar(types: &Types, id: SimpleId, rng: &mut Rng) -> Value {
    let simple = types.simple(id);
    match &simple.variety {
        Variety::List(item) => {
            let most = simple.facets.max_length.unwrap_or(3).min(3);
            let count = rng.below(most as usize + 1) as u64;
            let count = simple
                .facets
                .length
                .or(simple.facets.min_length)
                .unwrap_or(0)
                .max(count)
                .min(64);
            let items: Vec<Value> = (0..count).map(|_| word_like(types, *item, rng)).collect();
            list(types, *item, items)
        }
        // Only the first member's values are never another member's.
        Variety::Union(members) => members
            .first()
            .map_or(Value::Text(String::new()), |m| scalar(types, *m, rng)),
        Variety::Atomic(builtin) => match enumeration(types, id) {
            Some(values) => literal(types, id, *builtin, &values[rng.below(values.len())]),
            None => atomic(*builtin, &facets(types, id), rng),
        },
    }
}

/// A value whose text is no white space and has none: an item of a list.
fn word_like(types: &Types, id: SimpleId, rng: &mut Rng) -> Value {
    for _ in 0..200 {
        let value = scalar(types, id, rng);
        match &value {
            Value::Text(text) if text.is_empty() || text.contains([' ', '\t', '\n', '\r']) => {}
            Value::Bytes(bytes) if bytes.is_empty() => {}
            _ => return value,
        }
    }
    Value::Text("word".into())
}

fn list(types: &Types, item: SimpleId, items: Vec<Value>) -> Value {
    match types.dtype(item) {
        Some(dtype) => Value::Column(crate::sample::column(dtype, &items)),
        None => Value::List(items),
    }
}

/// The allowed texts of the innermost step that has some.
fn enumeration(types: &Types, id: SimpleId) -> Option<&[Box<str>]> {
    let steps = std::iter::successors(Some(id), |&id| types.simple(id).base);
    let mut found = steps
        .map(|id| &types.simple(id).facets.enumeration)
        .filter(|e| !e.is_empty());
    found.next().map(Vec::as_slice)
}

/// The value of an enumeration's text.
fn literal(types: &Types, id: SimpleId, builtin: Builtin, text: &str) -> Value {
    crate::reference::parse_text(types, id, text, &|_| None).unwrap_or_else(|_| match builtin {
        Builtin::QName | Builtin::Notation => {
            let local = text.rsplit(':').next().unwrap_or(text).to_owned();
            Value::from(QName {
                namespace: String::new(),
                local,
            })
        }
        _ => Value::Text(text.to_owned()),
    })
}

/// The facets of all steps, the outermost first.
fn facets(types: &Types, id: SimpleId) -> Facets {
    let mut facets = types.simple(id).facets.clone();
    let mut at = types.simple(id).base;
    while let Some(id) = at {
        let outer = &types.simple(id).facets;
        facets.length = facets.length.or(outer.length);
        facets.min_length = facets.min_length.or(outer.min_length);
        facets.max_length = facets.max_length.or(outer.max_length);
        facets.min_inclusive = facets.min_inclusive.or(outer.min_inclusive.clone());
        facets.max_inclusive = facets.max_inclusive.or(outer.max_inclusive.clone());
        facets.white_space = facets.white_space.or(outer.white_space);
        at = types.simple(id).base;
    }
    facets
}

fn atomic(builtin: Builtin, facets: &Facets, rng: &mut Rng) -> Value {
    use Builtin as B;
    match builtin {
        B::Boolean => Value::Bool(rng.once_in(2)),
        B::Double => Value::Double(bounded(facets, rng).unwrap_or_else(|| double(rng))),
        B::Float => Value::Float(bounded(facets, rng).map_or_else(|| float(rng), |v| v as f32)),
        B::Decimal => decimal(facets, rng),
        B::DateTime => moment(DateTimeKind::DateTime, rng),
        B::Date => moment(DateTimeKind::Date, rng),
        B::Time => moment(DateTimeKind::Time, rng),
        B::GYearMonth => moment(DateTimeKind::GYearMonth, rng),
        B::GYear => moment(DateTimeKind::GYear, rng),
        B::GMonthDay => moment(DateTimeKind::GMonthDay, rng),
        B::GDay => moment(DateTimeKind::GDay, rng),
        B::GMonth => moment(DateTimeKind::GMonth, rng),
        B::Duration => {
            let text = *rng.pick(&["P1Y2M3DT4H5M6.789S", "-P1D", "PT0S", "P400Y", "PT36H"]);
            Value::from(Duration::parse(text.as_bytes()).expect("a good duration"))
        }
        B::Base64Binary | B::HexBinary => {
            let length = length(facets, rng, 9);
            Value::Bytes((0..length).map(|_| rng.bits() as u8).collect())
        }
        B::QName | B::Notation => Value::from(QName {
            namespace: (*rng.pick(&["", "urn:q", "urn:a&b<c>\"d'"])).to_owned(),
            local: (*rng.pick(&["a", "ünïcode", "x-1.b"])).to_owned(),
        }),
        _ => integer(builtin, facets, rng).unwrap_or_else(|| Value::Text(text(builtin, facets, rng))),
    }
}

fn bounded(facets: &Facets, rng: &mut Rng) -> Option<f64> {
    let low: Option<f64> = facets.min_inclusive.as_ref()?.parse().ok();
    let high: Option<f64> = facets.max_inclusive.as_ref()?.parse().ok();
    Some(low? + (high? - low?) * rng.unit())
}

fn double(rng: &mut Rng) -> f64 {
    match rng.below(4) {
        0 => *rng.pick(&[
            0.0,
            -0.0,
            1.0,
            -1.5,
            f64::MAX,
            f64::MIN,
            f64::MIN_POSITIVE,
            5e-324,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            1e22,
            9007199254740993.0,
        ]),
        1 => f64::from(rng.bits() as i16),
        2 => rng.unit(),
        _ => match f64::from_bits(rng.bits()) {
            v if v.is_nan() => 0.1,
            v => v,
        },
    }
}

fn float(rng: &mut Rng) -> f32 {
    match rng.below(3) {
        0 => *rng.pick(&[
            0.0,
            -0.0,
            f32::MAX,
            f32::MIN_POSITIVE,
            1e-45,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ]),
        1 => rng.unit() as f32,
        _ => match f32::from_bits(rng.bits() as u32) {
            v if v.is_nan() => 0.1,
            v => v,
        },
    }
}

fn decimal(facets: &Facets, rng: &mut Rng) -> Value {
    let whole = ["0", "1.5", "-0.001", "123456789012345678901234567890.25", "-7"];
    let text = facets
        .min_inclusive
        .as_deref()
        .or(facets.max_inclusive.as_deref());
    let text = text.unwrap_or_else(|| whole[rng.below(whole.len())]);
    Value::Decimal(Decimal::parse(text).unwrap_or_else(|_| Decimal::parse("1").expect("a good decimal")))
}

/// `None`: the type is no integer type.
fn integer(builtin: Builtin, facets: &Facets, rng: &mut Rng) -> Option<Value> {
    let (least, greatest) = crate::reference::integer_range(builtin)?;
    let bound =
        |text: &Option<Box<str>>, open: i128| text.as_ref().and_then(|t| t.parse().ok()).unwrap_or(open);
    let (low, high) = (
        bound(&facets.min_inclusive, least),
        bound(&facets.max_inclusive, greatest),
    );
    let v = match rng.below(4) {
        0 => low,
        1 => high,
        2 => i128::from(rng.bits() as i8),
        _ => i128::from(rng.bits() as i64),
    };
    Some(crate::reference::integer_value(
        v.clamp(low, high.max(low)).clamp(least, greatest),
    ))
}

fn length(facets: &Facets, rng: &mut Rng, most: usize) -> usize {
    if let Some(length) = facets.length {
        return length.min(1000) as usize;
    }
    let low = facets.min_length.unwrap_or(0).min(1000) as usize;
    let high = facets
        .max_length
        .map_or(low + most, |m| m.min((low + most) as u64) as usize)
        .max(low);
    low + rng.below(high - low + 1)
}

const AWKWARD: &[&str] = &[
    "",
    "plain",
    "&",
    "<<",
    ">",
    "\r",
    "\u{FFFD}",
    "]",
    "a < b && c > d",
    "\"quoted\" and 'single'",
    "]]>",
    "<![CDATA[no section]]>",
    "&amp; &lt; &#13;",
    "line\nline\r\nline\rend",
    "\ttab\t",
    "  spaces  around  ",
    "\u{1F600} emoji \u{10FFFF}",
    "\u{E000}\u{F900}\u{FFFD} \u{85}\u{2028}\u{FEFF}",
    "Größe, naïve, 日本語",
    "ends with ]",
    "-- ?> --> <!--",
    "\n",
    " ",
];

fn text(builtin: Builtin, facets: &Facets, rng: &mut Rng) -> String {
    use Builtin as B;
    match builtin {
        B::Language => return (*rng.pick(&["en", "de-AT", "zh-Hant-TW"])).to_owned(),
        B::Name => return (*rng.pick(&["a:b", "_x", "Ünï"])).to_owned(),
        B::NCName | B::Id | B::IdRef | B::Entity => return (*rng.pick(&["a", "_x-1.2", "Ünï"])).to_owned(),
        B::NmToken => return (*rng.pick(&["1", "-a", "a:b.c"])).to_owned(),
        _ => {}
    }
    let bare = facets.length.is_none() && facets.min_length.is_none() && facets.max_length.is_none();
    let raw = match bare {
        true => (*rng.pick(AWKWARD)).to_owned(),
        false => "x\u{E9}&<".chars().cycle().take(length(facets, rng, 5)).collect(),
    };
    match facets.white_space.unwrap_or(WhiteSpace::Collapse) {
        WhiteSpace::Preserve => raw,
        WhiteSpace::Replace => castile_lexical::replace(&raw).into_owned(),
        WhiteSpace::Collapse => castile_lexical::collapse(&raw).into_owned(),
    }
}

fn moment(kind: DateTimeKind, rng: &mut Rng) -> Value {
    let texts: &[&str] = match kind {
        DateTimeKind::DateTime => &[
            "2026-11-20T10:06:26.123456789+05:30",
            "0001-01-01T00:00:00Z",
            "-0044-03-15T12:00:00",
        ],
        DateTimeKind::Date => &["2024-02-29", "9999-12-31-14:00"],
        DateTimeKind::Time => &["23:59:59.999", "00:00:00Z"],
        DateTimeKind::GYearMonth => &["2026-11", "1999-01Z"],
        DateTimeKind::GYear => &["2026", "-0001"],
        DateTimeKind::GMonthDay => &["--02-29", "--12-31+01:00"],
        DateTimeKind::GDay => &["---31", "---01Z"],
        DateTimeKind::GMonth => &["--11", "--01-05:00"],
    };
    let text = *rng.pick(texts);
    Value::from(DateTime::parse(kind, text.as_bytes()).expect("a good date"))
}
