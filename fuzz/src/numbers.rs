//! Texts of simple types: what the standard library reads of the forms that XML Schema allows, and what is
//! written is read back.

use castile_lexical::{
    DateTime, DateTimeKind, Decimal, Duration, collapse, format_base64, format_bool, format_f32, format_f64,
    format_hex, format_i32, format_i64, format_u64, parse_base64, parse_bool, parse_f32, parse_f64,
    parse_hex, parse_i32, parse_i64, parse_u64, trim,
};

/// A text; its first bytes are also the bits of numbers to write.
pub(crate) fn numbers(bytes: &[u8]) {
    texts(bytes);
    let mut bits = [0; 8];
    bits.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    written(u64::from_le_bytes(bits));
    binary(bytes);
    others(bytes);
}

fn texts(bytes: &[u8]) {
    let text = std::str::from_utf8(trim(bytes)).unwrap_or("?");
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    match (parse_f64(bytes).ok(), float(text)) {
        (None, None) => {}
        (Some(a), Some(b)) if same(a, b) => {}
        (a, b) => panic!("double {text:?}: {a:?}, std {b:?}"),
    }
    let std = float(text).map(|v| match v.is_finite() {
        true => text.parse::<f32>().unwrap_or_default(),
        false if text.ends_with(|c: char| c.is_ascii_digit() || c == '.') => v as f32,
        false => v as f32,
    });
    match (parse_f32(bytes).ok(), std) {
        (None, None) => {}
        (Some(a), Some(b)) if same(a.into(), b.into()) => {}
        (a, b) => panic!("float {text:?}: {a:?}, std {b:?}"),
    }
    // An empty text, a lone sign and letters are refused by both; a sign is allowed by both.
    assert_eq!(parse_i32(bytes).ok(), text.parse().ok(), "int {text:?}");
    assert_eq!(parse_i64(bytes).ok(), text.parse().ok(), "long {text:?}");
    let unsigned = match text.strip_prefix('-') {
        Some(zeros) if !zeros.is_empty() && zeros.bytes().all(|b| b == b'0') => Some(0),
        _ => text.parse().ok(),
    };
    assert_eq!(parse_u64(bytes).ok(), unsigned, "unsignedLong {text:?}");
    let boolean = match text {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    };
    assert_eq!(parse_bool(bytes).ok(), boolean, "boolean {text:?}");
}

/// What the standard library makes of a text in the form of xsd:double.
fn float(text: &str) -> Option<f64> {
    match text {
        "INF" => return Some(f64::INFINITY),
        "-INF" => return Some(f64::NEG_INFINITY),
        "NaN" => return Some(f64::NAN),
        _ => {}
    }
    let of_number = |b: u8| b.is_ascii_digit() || b"+-.eE".contains(&b);
    text.bytes().all(of_number).then(|| text.parse().ok()).flatten()
}

/// What is written is read back, by the standard library too.
fn written(bits: u64) {
    let text = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).expect("ASCII")
    };
    let v = f64::from_bits(bits);
    let double = text(&|out| format_f64(v, out));
    let back = parse_f64(double.as_bytes()).expect(&double);
    assert!(back.to_bits() == bits || back.is_nan() && v.is_nan(), "{double}");
    if v.is_finite() {
        assert_eq!(double.parse::<f64>().map(f64::to_bits), Ok(bits), "{double}");
    }
    let v = f32::from_bits(bits as u32);
    let float = text(&|out| format_f32(v, out));
    let back = parse_f32(float.as_bytes()).expect(&float);
    assert!(
        back.to_bits() == v.to_bits() || back.is_nan() && v.is_nan(),
        "{float}"
    );
    assert_eq!(
        text(&|out| format_i32(bits as i32, out)),
        (bits as i32).to_string()
    );
    assert_eq!(
        text(&|out| format_i64(bits as i64, out)),
        (bits as i64).to_string()
    );
    assert_eq!(text(&|out| format_u64(bits, out)), bits.to_string());
    assert_eq!(
        text(&|out| format_bool(bits & 1 != 0, out)),
        (bits & 1 != 0).to_string()
    );
}

fn binary(bytes: &[u8]) {
    type Pair = (
        fn(&[u8], &mut Vec<u8>),
        fn(&[u8], &mut Vec<u8>) -> Result<(), castile_lexical::Error>,
    );
    let pairs: [Pair; 2] = [(format_base64, parse_base64), (format_hex, parse_hex)];
    for (format, parse) in pairs {
        let (mut text, mut back) = (Vec::new(), Vec::new());
        format(bytes, &mut text);
        parse(&text, &mut back).expect("it was just written");
        assert_eq!(back, bytes);
        let mut read = Vec::new();
        if parse(bytes, &mut read).is_ok() {
            // The same bytes, however they were written.
            let (mut text, mut again) = (Vec::new(), Vec::new());
            format(&read, &mut text);
            parse(&text, &mut again).expect("it was just written");
            assert_eq!(again, read);
        }
    }
}

fn others(bytes: &[u8]) {
    use DateTimeKind as K;
    let kinds = [
        K::DateTime,
        K::Date,
        K::Time,
        K::GYear,
        K::GYearMonth,
        K::GMonth,
        K::GMonthDay,
        K::GDay,
    ];
    for kind in kinds {
        if let Ok(v) = DateTime::parse(kind, bytes) {
            let mut out = Vec::new();
            v.format(&mut out);
            assert_eq!(
                DateTime::parse(kind, &out).ok(),
                Some(v),
                "{}",
                String::from_utf8_lossy(&out)
            );
            let _ = v.to_unix();
        }
    }
    if let Ok(v) = Duration::parse(bytes) {
        let mut out = Vec::new();
        v.format(&mut out);
        assert_eq!(
            Duration::parse(&out).ok(),
            Some(v),
            "{}",
            String::from_utf8_lossy(&out)
        );
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(v) = Decimal::parse(text) {
        let canonical = v.canonical();
        let again = Decimal::parse(&canonical).expect(&canonical);
        assert_eq!(
            (again.canonical(), again.to_f64().to_bits()),
            (canonical, v.to_f64().to_bits())
        );
        assert_eq!(again.to_i64(), v.to_i64(), "{text:?}");
    }
    let once = collapse(text);
    assert_eq!(collapse(&once), once);
}
