//! An array as a column writes what its values write one by one, or is refused like them.

mod support;

use castile_codec::{EncodeOptions, Kind};
use castile_plan::Builtin;
use castile_testkit::{Rng, Table, plainly};
use castile_value::{Column, ColumnBuf, DType, Item, Source, Value};
use support::{body, read, write};

const NUMBERS: &[Builtin] = &[
    Builtin::Boolean,
    Builtin::Double,
    Builtin::Float,
    Builtin::Decimal,
    Builtin::Integer,
    Builtin::NonNegativeInteger,
    Builtin::NegativeInteger,
    Builtin::Long,
    Builtin::Int,
    Builtin::Short,
    Builtin::Byte,
    Builtin::UnsignedLong,
    Builtin::UnsignedInt,
    Builtin::UnsignedShort,
    Builtin::UnsignedByte,
    Builtin::String,
    Builtin::Date,
];

/// Columns of every machine type, with values of every size.
fn columns(rng: &mut Rng) -> Vec<ColumnBuf> {
    let n = 1 + rng.below(6);
    let small = rng.once_in(2);
    let mut bits = || {
        if small {
            rng.bits() % 100
        } else {
            rng.bits() >> (rng.bits() % 64)
        }
    };
    let bits: Vec<u64> = (0..n).map(|_| bits()).collect();
    let of = |f: fn(u64) -> i64| bits.iter().map(move |b| f(*b)).collect::<Vec<i64>>();
    let ints = of(|b| {
        if b % 2 == 0 {
            b as i64
        } else {
            (b as i64).wrapping_neg()
        }
    });
    let doubles = |v: &i64| {
        if small {
            *v as f64 / 4.0
        } else {
            f64::from_bits(*v as u64)
        }
    };
    vec![
        ColumnBuf::Bool(bits.iter().map(|b| b % 2 == 0).collect()),
        ColumnBuf::I8(ints.iter().map(|v| *v as i8).collect()),
        ColumnBuf::U8(ints.iter().map(|v| *v as u8).collect()),
        ColumnBuf::I16(ints.iter().map(|v| *v as i16).collect()),
        ColumnBuf::U16(ints.iter().map(|v| *v as u16).collect()),
        ColumnBuf::I32(ints.iter().map(|v| *v as i32).collect()),
        ColumnBuf::U32(ints.iter().map(|v| *v as u32).collect()),
        ColumnBuf::I64(ints.clone()),
        ColumnBuf::U64(bits.clone()),
        ColumnBuf::F32(
            ints.iter()
                .map(|v| {
                    if small {
                        *v as f32 / 4.0
                    } else {
                        f32::from_bits(*v as u32)
                    }
                })
                .collect(),
        ),
        ColumnBuf::F64(ints.iter().map(doubles).collect()),
    ]
}

fn holder(builtin: Builtin) -> Table {
    Table::parse(&format!("T = n:{}*", builtin.name()))
}

#[test]
fn a_column_writes_what_its_values_write() {
    let mut rng = Rng::new(5);
    for round in 0..60 {
        for &builtin in NUMBERS {
            let table = holder(builtin);
            for column in columns(&mut rng) {
                for digits in [None, Some(3), Some(12)] {
                    // Single doubles are rounded to floats; arrays must not change.
                    if builtin == Builtin::Float && column.dtype() == DType::F64 {
                        continue;
                    }
                    let options = EncodeOptions {
                        digits,
                        ..EncodeOptions::default()
                    };
                    let list = Value::List(Value::from(column.clone()).into_list());
                    let by = |n: Value| {
                        let value = Value::map([("n", n)]);
                        plainly::write(
                            &table.types,
                            &table.plan("T"),
                            &body(&table, "T", value),
                            &options,
                        )
                    };
                    let (whole, single) = (by(column.clone().into()), by(list));
                    match (whole, single) {
                        (Ok(whole), Ok(single)) => {
                            assert_eq!(whole, single, "{builtin:?} {column:?} {digits:?}")
                        }
                        (Err(a), Err(b)) => assert_eq!(a, b, "{builtin:?} {column:?}"),
                        (a, b) => panic!("{builtin:?} {column:?} round {round}: {a:?} and {b:?}"),
                    }
                }
            }
        }
    }
}

#[test]
fn doubles_become_floats_only_where_none_changes() {
    let table = holder(Builtin::Float);
    let good = vec![0.5, -0.0, f64::NAN, f64::INFINITY, f64::from(f32::MAX)];
    let text = write(&table, "T", Value::map([("n", good.into())])).unwrap();
    assert_eq!(text.matches("<ns1:n>").count(), 5);
    assert!(
        text.contains("<ns1:n>-0.0</ns1:n><ns1:n>NaN</ns1:n><ns1:n>INF</ns1:n>"),
        "{text}"
    );
    for bad in [0.1, 1e300] {
        let error = write(&table, "T", Value::map([("n", vec![1.0, bad].into())])).unwrap_err();
        assert_eq!(error.kind(), Kind::Value);
        assert!(error.to_string().contains("value 2 of an array"), "{error}");
        assert_eq!(error.path(), "/Envelope/Body/T/n");
    }
}

#[test]
fn integers_out_of_range_name_their_place() {
    let table = holder(Builtin::Int);
    let error = write(&table, "T", Value::map([("n", vec![1i64, 2, 1 << 31].into())])).unwrap_err();
    assert_eq!(error.path(), "/Envelope/Body/T/n[3]");
    assert!(error.message().contains("2147483648 is out of range"), "{error}");
}

#[test]
fn long_columns_cross_blocks() {
    for n in [0usize, 1, 255, 256, 257, 513, 3000] {
        let table = holder(Builtin::Double);
        let values: Vec<f64> = (0..n).map(|i| i as f64 / 3.0).collect();
        let text = write(&table, "T", Value::map([("n", values.clone().into())])).unwrap();
        let back = read(
            &table,
            "T",
            &text.replace("ns1:", "")[3..text.replace("ns1:", "").len() - 4],
        )
        .unwrap();
        match n {
            0 => assert_eq!(back.get("n"), Some(&Value::Absent)),
            _ => assert_eq!(back.get("n").and_then(Value::as_f64s), Some(&values[..])),
        }
    }
}

/// A source whose array lies in a larger layout.
struct Strided<'s>(&'s [u8], usize);

impl Source for Strided<'_> {
    fn field(&self, _index: usize, _name: &str) -> Item<'_> {
        Item::Column(Column::new(&self.0[4..], 12, DType::F64, self.1).expect("the layout holds the column"))
    }
}

#[test]
fn strided_columns_are_written_where_they_lie() {
    let table = Table::parse("T = n:double*");
    let mut bytes = Vec::new();
    for i in 0..600u32 {
        bytes.extend(i.to_ne_bytes());
        bytes.extend((f64::from(i) / 8.0).to_ne_bytes());
    }
    let plan = table.plan("T");
    struct Body<'b>(Strided<'b>);
    impl Source for Body<'_> {
        fn field(&self, _index: usize, _name: &str) -> Item<'_> {
            Item::Record(&self.0)
        }
    }
    let body = Body(Strided(&bytes, 600));
    let text = plainly::write(&table.types, &plan, &body, &EncodeOptions::default()).unwrap();
    let back = support::decoded(&table.types, &plan, &text).unwrap();
    let n = back
        .get("T")
        .and_then(|t| t.get("n"))
        .and_then(Value::as_f64s)
        .expect("doubles");
    assert!(n.iter().enumerate().all(|(i, v)| *v == i as f64 / 8.0) && n.len() == 600);
}

/// A table whose columns are of other machine types than the fields.
struct Wide<'w>(Vec<(&'w str, Column<'w>)>);

impl Source for Wide<'_> {
    fn field(&self, _index: usize, _name: &str) -> Item<'_> {
        Item::Table(castile_value::Table::new(self.0.clone()).expect("columns of one length"))
    }
}

#[test]
fn tables_of_wider_integers_are_checked() {
    let table = Table::parse("Mio = x:int, y:int, value:double\nT = m:Mio*");
    let (small, big) = (ColumnBuf::I64(vec![1, -2]), ColumnBuf::I64(vec![1, 1 << 40]));
    let values = ColumnBuf::F64(vec![0.5, 1.5]);
    let plan = table.plan("T");
    struct Body<'b>(Wide<'b>);
    impl Source for Body<'_> {
        fn field(&self, _index: usize, _name: &str) -> Item<'_> {
            Item::Record(&self.0)
        }
    }
    let by = |names: [&'static str; 3], x: &ColumnBuf| {
        let columns = names
            .into_iter()
            .zip([x.view(), small.view(), values.view()])
            .collect();
        let body = Body(Wide(columns));
        plainly::write(&table.types, &plan, &body, &EncodeOptions::default())
    };
    let text = by(["x", "y", "value"], &small).unwrap();
    assert!(
        text.contains("<ns1:m><ns1:x>-2</ns1:x><ns1:y>-2</ns1:y><ns1:value>1.5</ns1:value></ns1:m>"),
        "{text}"
    );
    // The order of a table's columns is not the order of the message.
    assert_eq!(by(["y", "x", "value"], &small).unwrap(), text);
    let error = by(["x", "y", "value"], &big).unwrap_err();
    assert_eq!(error.path(), "/Envelope/Body/T/m[2]/x");
    let error = by(["x", "z", "value"], &small).unwrap_err();
    let unknown = (Kind::UnknownName, "/Envelope/Body/T/m[1]".into());
    assert_eq!((error.kind(), error.path()), unknown);
    let wider = [("x", &small), ("y", &small), ("value", &values), ("z", &small)];
    let body = Body(Wide(wider.map(|(name, column)| (name, column.view())).into()));
    let error = plainly::write(&table.types, &plan, &body, &EncodeOptions::default()).unwrap_err();
    assert_eq!((error.kind(), error.path()), unknown);
}
