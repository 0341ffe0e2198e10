//! Properties: every value comes back bit for bit, no text makes a parser panic, and the fast
//! parsers of prefixes agree with the parsers of whole texts.

use castile_lexical::*;
use proptest::prelude::*;

/// Formats both ways, compares them, and gives the text.
macro_rules! text_of {
    ($v:expr, $format:ident, $write:ident) => {{
        let (mut out, mut fixed) = (b"kept".to_vec(), [0xaa; 32]);
        $format($v, &mut out);
        let used = $write($v, &mut fixed);
        prop_assert_eq!(&out[4..], &fixed[..used]);
        out.split_off(4)
    }};
}

macro_rules! number_round_trip {
    ($name:ident, $values:expr, $parse:ident, $prefix:ident, $format:ident, $write:ident, $width:ident, $key:expr) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(20_000))]
            #[test]
            fn $name(v in $values) {
                let text = text_of!(v, $format, $write);
                prop_assert!(text.len() <= $width, "{:?}", text);
                let key = $key;
                let whole = $parse(&text).unwrap();
                prop_assert_eq!(key(whole), key(v));
                let behind = [&text[..], b"</item>"].concat();
                let (again, used) = $prefix(&behind).unwrap();
                prop_assert_eq!((key(again), used), (key(v), text.len()));
            }
        }
    };
}

/// Any bits, with NaN as the quiet one: its other bits do not travel.
fn any_f64() -> impl Strategy<Value = f64> {
    let quiet = |bits| {
        if f64::from_bits(bits).is_nan() {
            f64::NAN
        } else {
            f64::from_bits(bits)
        }
    };
    let near_whole = (any::<i64>(), 0u32..64, 0i32..3)
        .prop_map(|(v, shift, halves)| (v >> shift) as f64 + f64::from(halves) / 2.0);
    prop_oneof![any::<u64>().prop_map(quiet), -1e6..1e6, near_whole]
}

fn any_f32() -> impl Strategy<Value = f32> {
    let quiet = |bits| {
        if f32::from_bits(bits).is_nan() {
            f32::NAN
        } else {
            f32::from_bits(bits)
        }
    };
    prop_oneof![
        any::<u32>().prop_map(quiet),
        any::<i32>().prop_map(|v| v as f32),
        -1e3f32..1e3
    ]
}

number_round_trip!(
    f64_bits,
    any_f64(),
    parse_f64,
    prefix_f64,
    format_f64,
    write_f64,
    F64_WIDTH_MAX,
    f64::to_bits
);
number_round_trip!(
    f32_bits,
    any_f32(),
    parse_f32,
    prefix_f32,
    format_f32,
    write_f32,
    F32_WIDTH_MAX,
    f32::to_bits
);
number_round_trip!(
    i64_all,
    any::<i64>(),
    parse_i64,
    prefix_i64,
    format_i64,
    write_i64,
    I64_WIDTH_MAX,
    |v: i64| v
);
number_round_trip!(
    u64_all,
    any::<u64>(),
    parse_u64,
    prefix_u64,
    format_u64,
    write_u64,
    U64_WIDTH_MAX,
    |v: u64| v
);
number_round_trip!(
    i32_all,
    any::<i32>(),
    parse_i32,
    prefix_i32,
    format_i32,
    write_i32,
    I32_WIDTH_MAX,
    |v: i32| v
);
number_round_trip!(
    u32_all,
    any::<u32>(),
    parse_u32,
    prefix_u32,
    format_u32,
    write_u32,
    U32_WIDTH_MAX,
    |v: u32| v
);
number_round_trip!(
    i16_all,
    any::<i16>(),
    parse_i16,
    prefix_i16,
    format_i16,
    write_i16,
    I16_WIDTH_MAX,
    |v: i16| v
);
number_round_trip!(
    u16_all,
    any::<u16>(),
    parse_u16,
    prefix_u16,
    format_u16,
    write_u16,
    U16_WIDTH_MAX,
    |v: u16| v
);
number_round_trip!(
    i8_all,
    any::<i8>(),
    parse_i8,
    prefix_i8,
    format_i8,
    write_i8,
    I8_WIDTH_MAX,
    |v: i8| v
);
number_round_trip!(
    u8_all,
    any::<u8>(),
    parse_u8,
    prefix_u8,
    format_u8,
    write_u8,
    U8_WIDTH_MAX,
    |v: u8| v
);

/// The grammar of `xs:double` (XSD 1.0 Part 2, 3.2.5.1), written down once more and slowly.
fn is_double(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_ok = exponent.is_none_or(|text| {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        !unsigned.is_empty() && digits(unsigned)
    });
    let number = digits(whole) && digits(fraction) && whole.len() + fraction.len() > 0 && exponent_ok;
    number || matches!(text, "INF" | "-INF" | "NaN")
}

/// The significant digits that the text of a finite double has.
fn digit_count(text: &str) -> usize {
    let mantissa = text.split('e').next().unwrap_or_default().replace(['-', '.'], "");
    mantissa.trim_matches('0').len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn doubles_are_read_as_the_grammar_says(text in "[-+]{0,2}[0-9.]{0,4}[eE]{0,2}[-+]?[0-9]{0,3}|[-+]?(INF|NaN|inf|nan|Infinity)[0-9x]?") {
        let parsed = parse_f64(text.as_bytes());
        prop_assert_eq!(parsed.is_ok(), is_double(&text), "{}", text);
        prop_assert_eq!(parse_f32(text.as_bytes()).is_ok(), is_double(&text));
        if let (Ok(v), false) = (&parsed, text.ends_with(['F', 'N'])) {
            prop_assert_eq!(v.to_bits(), text.parse::<f64>().unwrap().to_bits());
        }
        if let Some((v, used)) = prefix_f64(text.as_bytes()) {
            prop_assert!(is_double(&text[..used]), "{}", text);
            prop_assert_eq!(Ok(v.to_bits()), parse_f64(&text.as_bytes()[..used]).map(f64::to_bits));
        }
    }

    #[test]
    fn integers_are_read_as_the_standard_library_reads_them(text in "[-+]{0,2}0{0,20}[0-9]{0,21}[ x]?") {
        let expected = text.trim().parse::<i128>().ok();
        let long = expected.and_then(|v| i64::try_from(v).ok());
        prop_assert_eq!(parse_i64(text.as_bytes()).ok(), long);
        let unsigned = expected.and_then(|v| u64::try_from(v).ok());
        prop_assert_eq!(parse_u64(text.as_bytes()).ok(), unsigned);
        let byte = expected.and_then(|v| i8::try_from(v).ok());
        prop_assert_eq!(parse_i8(text.as_bytes()).ok(), byte);
    }

    #[test]
    fn digits_are_those_of_the_exact_value(v in any_f64(), digits in 1u8..=17) {
        let mut out = Vec::new();
        format_f64_digits(v, digits, &mut out);
        let text = String::from_utf8(out).unwrap();
        prop_assert!(is_double(&text));
        let back = parse_f64(text.as_bytes()).unwrap();
        if v.is_finite() {
            let exact: f64 = format!("{v:.*e}", usize::from(digits) - 1).parse().unwrap();
            prop_assert_eq!(back.to_bits(), exact.to_bits(), "{:e} to {} is {}", v, digits, text);
            prop_assert!(digit_count(&text) <= usize::from(digits), "{}", text);
        } else {
            prop_assert!(back == v || back.is_nan());
        }
    }

    #[test]
    fn no_bytes_make_a_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let mut out = Vec::new();
        let errors = [
            parse_f64(&bytes).err(), parse_f32(&bytes).err(), parse_bool(&bytes).err(),
            parse_i64(&bytes).err(), parse_u64(&bytes).err(), Duration::parse(&bytes).err(),
            parse_base64(&bytes, &mut out).err(), parse_hex(&bytes, &mut out).err(),
        ];
        for error in errors.into_iter().flatten() {
            let shown = error.to_string();
            prop_assert!(shown.contains(error.type_name()) && !shown.contains(char::is_control));
            prop_assert_eq!(error.text(), &bytes[..bytes.len().min(60)]);
        }
        for kind in KINDS {
            let _ = DateTime::parse(kind, &bytes);
        }
        let text = String::from_utf8_lossy(&bytes);
        let _ = (Decimal::parse(&text), is_name(&text), is_any_uri(&text), is_language(&text));
        let collapsed = collapse(&text);
        prop_assert_eq!(collapse(&collapsed), collapsed.clone());
        prop_assert_eq!(replace(&text).len(), text.len());
    }

    #[test]
    fn dates(v in any_date_time()) {
        prop_assert_eq!(v.check(), Ok(()));
        let mut out = Vec::new();
        v.format(&mut out);
        prop_assert_eq!(DateTime::parse(v.kind, &out), Ok(v));
    }

    #[test]
    fn near_dates_do_not_panic(text in "-{0,3}[0-9]{1,6}-?[0-9]{2}-?[0-9]{2}T?[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{0,20})?[-+Z]?[0-9]{0,2}:?[0-9]{0,2}") {
        for kind in KINDS {
            if let Ok(v) = DateTime::parse(kind, text.as_bytes()) {
                prop_assert_eq!(v.check(), Ok(()));
                let mut out = Vec::new();
                v.format(&mut out);
                prop_assert_eq!(DateTime::parse(kind, &out), Ok(v));
            }
        }
    }

    #[test]
    fn durations(negative: bool, months: u64, seconds: u64, attoseconds in 0..1_000_000_000_000_000_000u64) {
        let v = Duration { negative, months, seconds, attoseconds };
        let mut out = Vec::new();
        v.format(&mut out);
        prop_assert_eq!(Duration::parse(&out), Ok(v));
    }

    #[test]
    fn binary(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let (mut text, mut back) = (Vec::new(), Vec::new());
        format_base64(&bytes, &mut text);
        parse_base64(&text, &mut back).unwrap();
        prop_assert_eq!(&back, &bytes);
        text.clear();
        back.clear();
        format_hex(&bytes, &mut text);
        parse_hex(&text, &mut back).unwrap();
        prop_assert_eq!(&back, &bytes);
    }

    #[test]
    fn decimals_order_as_numbers(a in any_decimal(), b in any_decimal()) {
        let (x, y) = (Decimal::parse(&a).unwrap(), Decimal::parse(&b).unwrap());
        let scaled = |v: &Decimal| {
            let text = v.canonical();
            let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
            format!("{whole}{fraction:0<6}").parse::<i64>().unwrap()
        };
        prop_assert_eq!(x.cmp(&y), scaled(&x).cmp(&scaled(&y)), "{} {}", a, b);
        prop_assert_eq!(x.to_f64(), a.parse::<f64>().unwrap());
        let whole = scaled(&x) % 1_000_000 == 0;
        prop_assert_eq!(x.to_i64(), whole.then_some(scaled(&x) / 1_000_000));
    }
}

const KINDS: [DateTimeKind; 8] = [
    DateTimeKind::DateTime,
    DateTimeKind::Date,
    DateTimeKind::Time,
    DateTimeKind::GYearMonth,
    DateTimeKind::GYear,
    DateTimeKind::GMonthDay,
    DateTimeKind::GDay,
    DateTimeKind::GMonth,
];

fn any_date_time() -> impl Strategy<Value = DateTime> {
    let kind = prop::sample::select(&KINDS[..]);
    let years = prop_oneof![1900i64..2100, -99_999i64..99_999, -(1i64 << 59)..1 << 59];
    let date = (years, 1u8..=12, 1u8..=28);
    let time = (0u8..24, 0u8..60, 0u8..60, 0..1_000_000_000_000_000_000u64);
    let zone = prop::option::of(-840i16..=840);
    (kind, date, time, zone).prop_map(
        |(kind, (year, month, day), (hour, minute, second, attoseconds), zone_minutes)| {
            let timed = |v| if kind.has_time() { v } else { 0 };
            DateTime {
                kind,
                year: if !kind.has_year() {
                    0
                } else if year == 0 {
                    1
                } else {
                    year
                },
                month: if kind.has_month() { month } else { 0 },
                day: if kind.has_day() { day } else { 0 },
                hour: timed(hour),
                minute: timed(minute),
                second: timed(second),
                attoseconds: if kind.has_time() { attoseconds } else { 0 },
                zone_minutes,
            }
        },
    )
}

fn any_decimal() -> impl Strategy<Value = String> {
    "[-+]?0{0,3}[0-9]{1,9}(\\.[0-9]{0,6}0{0,4})?|[-+]?\\.[0-9]{1,6}"
}
