//! Which kinds of values each simple type takes, and how they are written.

mod support;

use castile_codec::{Guilty, Kind};
use castile_testkit::Table;
use castile_value::Value;
use support::write;

#[test]
fn every_kind_of_value_in_every_type_that_takes_it() {
    use castile_value::{DateTime, DateTimeKind, Decimal, Duration};
    let date = || Value::from(DateTime::parse(DateTimeKind::Date, b"2026-11-20Z").unwrap());
    let day = || Value::from(Duration::parse(b"P1D").unwrap());
    let decimal = |text: &str| Value::Decimal(Decimal::parse(text).unwrap());
    let big = "123456789012345678901234567890";
    let cases: Vec<(&str, Value, Option<&str>)> = vec![
        ("string", true.into(), Some("true")),
        ("string", false.into(), Some("false")),
        ("string", (-5).into(), Some("-5")),
        ("string", Value::UInt(u64::MAX), Some("18446744073709551615")),
        ("string", 0.5.into(), Some("0.5")),
        ("string", 0.5f32.into(), Some("0.5")),
        ("string", decimal("1.50"), Some("1.50")),
        ("string", date(), Some("2026-11-20Z")),
        ("string", day(), Some("P1D")),
        ("string", vec![1u8].into(), None),
        ("int", 2.0f32.into(), Some("2")),
        ("int", 2.5f32.into(), None),
        ("int", 2.0.into(), Some("2")),
        ("int", 2.5.into(), None),
        ("int", f64::INFINITY.into(), None),
        ("int", decimal("7"), Some("7")),
        ("int", decimal("7.5"), None),
        ("int", decimal(big), None),
        ("int", true.into(), None),
        ("int", date(), None),
        ("integer", decimal(big), Some(big)),
        (
            "integer",
            decimal("-99999999999999999999"),
            Some("-99999999999999999999"),
        ),
        ("nonNegativeInteger", decimal(big), Some(big)),
        ("nonNegativeInteger", decimal("-99999999999999999999"), None),
        ("nonPositiveInteger", decimal(big), None),
        ("negativeInteger", 0.into(), None),
        ("negativeInteger", (-1).into(), Some("-1")),
        ("positiveInteger", 0.into(), None),
        ("positiveInteger", 1.into(), Some("1")),
        (
            "unsignedLong",
            Value::UInt(u64::MAX),
            Some("18446744073709551615"),
        ),
        ("unsignedLong", (-1).into(), None),
        ("long", Value::UInt(1 << 63), None),
        ("byte", (-128).into(), Some("-128")),
        ("byte", 128.into(), None),
        ("unsignedByte", 255.into(), Some("255")),
        ("unsignedByte", 256.into(), None),
        ("double", ((1i64 << 53) + 1).into(), None),
        ("double", (1i64 << 53).into(), Some("9007199254740992")),
        ("double", Value::UInt(1 << 63), Some("9.223372036854776e+18")),
        ("double", Value::UInt(u64::MAX), None),
        ("double", decimal("0.5"), Some("0.5")),
        ("double", true.into(), None),
        ("float", f64::INFINITY.into(), Some("INF")),
        ("float", 3e38.into(), Some("3e+38")),
        ("float", 4e38.into(), None),
        ("decimal", 0.1.into(), Some("0.1")),
        ("decimal", 0.1f32.into(), Some("0.1")),
        ("decimal", 5.into(), Some("5")),
        ("decimal", Value::UInt(u64::MAX), Some("18446744073709551615")),
        ("decimal", " 1.50 ".into(), Some("1.50")),
        ("decimal", "x".into(), None),
        ("decimal", f64::INFINITY.into(), None),
        ("boolean", 1.into(), Some("true")),
        ("boolean", 0.into(), Some("false")),
        ("boolean", 2.into(), None),
        ("boolean", "1".into(), Some("true")),
        ("boolean", "yes".into(), None),
        ("date", date(), Some("2026-11-20Z")),
        ("date", " 2026-11-20Z ".into(), Some("2026-11-20Z")),
        ("date", "2026-13-20".into(), None),
        ("dateTime", date(), None),
        ("duration", day(), Some("P1D")),
        ("duration", "P1D".into(), Some("P1D")),
        ("duration", "P".into(), None),
        ("duration", date(), None),
        ("hexBinary", "0g".into(), None),
        ("hexBinary", 1.into(), None),
        ("base64Binary", vec![1u8, 2].into(), Some("AQI=")),
        ("NMTOKEN", "a b".into(), None),
        ("NMTOKEN", "-1".into(), Some("-1")),
        ("Name", "1a".into(), None),
        ("Name", "a:b".into(), Some("a:b")),
        ("ID", "a:b".into(), None),
        ("language", "english language".into(), None),
        ("language", "en".into(), Some("en")),
        ("anyURI", "a b<".into(), Some("a b&lt;")),
        ("NMTOKENS", Value::List(vec!["a".into(), "b".into()]), Some("a b")),
        ("NMTOKENS", Value::List(vec!["a b".into()]), None),
        ("QName", "a".into(), None),
    ];
    for (ty, value, expected) in cases {
        let table = Table::parse(&format!("T = n:{ty}"));
        let text = write(&table, "T", Value::map([("n", value.clone())]));
        match expected {
            Some(expected) => {
                let text = text.unwrap_or_else(|e| panic!("{ty} {value:?}: {e}"));
                assert_eq!(
                    text,
                    format!("<ns1:T><ns1:n>{expected}</ns1:n></ns1:T>"),
                    "{ty} {value:?}"
                );
            }
            None => {
                let error = text.expect_err(&format!("{ty} {value:?}"));
                assert_eq!(
                    (error.kind(), error.guilty()),
                    (Kind::Value, Guilty::Caller),
                    "{ty} {value:?}: {error}"
                );
                assert!(
                    error.message().contains(ty.trim_end_matches('S')),
                    "{ty} {value:?}: {error}"
                );
            }
        }
    }
}
