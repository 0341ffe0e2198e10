//! Generated types write and read arrays of their records themselves: the bytes, values and errors are those of
//! values that are moved one by one.

mod support;

use castile_plan::{Builtin, Facets, Simple, SimpleId, TypeId, Variety};
use castile_testkit::{Rng, Table};
use support::batches::{read, read_dynamic, written, written_alike};

const TYPES: &str = "
Kind = flag:boolean, ratio:float, time:double, big:long, whole:int, short:short, byte:byte, far:unsignedLong, count:unsignedInt, port:unsignedShort, octet:unsignedByte, note:string
Kinds = item:Kind*
Wide = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:int, b:string
Wides = item:Wide*
";

#[derive(Clone, Debug, Default, PartialEq)]
struct Kind {
    flag: bool,
    ratio: f32,
    time: f64,
    big: i64,
    whole: i32,
    short: i16,
    byte: i8,
    far: u64,
    count: u32,
    port: u16,
    octet: u8,
    note: String,
}
castile_value::record!(
    Kind, "{urn:t}Kind",
    {
        0: flag, 1: ratio, 2: time, 3: big, 4: whole, 5: short, 6: byte, 7: far, 8: count, 9: port, 10: octet,
        11: note,
    },
    required [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    flat [flag, ratio, time, big, whole, short, byte, far, count, port, octet, note]
);

#[derive(Clone, Debug, Default, PartialEq)]
struct Kinds {
    item: Vec<Kind>,
}
castile_value::record!(Kinds, "{urn:t}Kinds", { 0: item });

#[derive(Clone, Debug, Default, PartialEq)]
struct KindsBody {
    kinds: Kinds,
}
castile_value::record!(KindsBody, "", { 0: kinds });

#[derive(Clone, Debug, Default, PartialEq)]
struct Wide {
    a: i32,
    b: String,
}
castile_value::record!(Wide, "{urn:t}Wide", { 0: a, 1: b }, required [0, 1], flat [a, b]);

#[derive(Clone, Debug, Default, PartialEq)]
struct Wides {
    item: Vec<Wide>,
}
castile_value::record!(Wides, "{urn:t}Wides", { 0: item });

#[derive(Clone, Debug, Default, PartialEq)]
struct WidesBody {
    wides: Wides,
}
castile_value::record!(WidesBody, "", { 0: wides });

/// Around the sizes of batches.
const LENGTHS: [usize; 8] = [0, 1, 2, 127, 128, 129, 257, 600];

fn kind(rng: &mut Rng) -> Kind {
    let note = match rng.below(20) {
        0 => "",
        1 => "a<b>&\r\n\t]]>",
        2 => "\u{E9}\u{FF01}\u{1F600}",
        3 => " ]] ",
        n => &"0123456789abcdef".repeat(5)[..n * 4],
    };
    Kind {
        flag: rng.below(2) == 0,
        ratio: f32::from_bits(rng.bits() as u32 & 0x7F7F_FFFF),
        time: rng.unit(),
        big: rng.bits() as i64,
        whole: rng.bits() as i32,
        short: rng.bits() as i16,
        byte: rng.bits() as i8,
        far: rng.bits(),
        count: rng.bits() as u32,
        port: rng.bits() as u16,
        octet: rng.bits() as u8,
        note: note.to_owned(),
    }
}

fn kinds(length: usize) -> KindsBody {
    let mut rng = Rng::new(length as u64);
    let item = (0..length).map(|_| kind(&mut rng)).collect();
    KindsBody {
        kinds: Kinds { item },
    }
}

#[test]
fn every_kind_of_value() {
    let table = Table::parse(TYPES);
    for length in LENGTHS {
        let body = kinds(length);
        for strict in [true, false] {
            let [text, singly] = written(&table, "Kinds", &body, strict);
            let text = text.unwrap();
            assert_eq!(text, singly.unwrap());
            assert!(read::<KindsBody>(&table, "Kinds", &text, strict).unwrap() == body);
        }
    }
}

#[test]
fn names_of_any_length() {
    let table = Table::parse(TYPES);
    let wide = |i: i32| Wide {
        a: i * 7_919,
        b: format!("text {i}"),
    };
    let item = (0..300).map(wide).collect();
    let body = WidesBody {
        wides: Wides { item },
    };
    let text = written_alike(&table, "Wides", &body).unwrap();
    assert!(read::<WidesBody>(&table, "Wides", &text, true).unwrap() == body);
}

/// Whatever one record looks like among others, it is read as by a sink of dynamic values, errors included.
#[test]
fn a_record_unlike_the_others() {
    let table = Table::parse(TYPES);
    let body = kinds(300);
    let text = written_alike(&table, "Kinds", &body).unwrap();
    let number = "<ns1:whole>";
    let mut seen = [0, 0];
    for (from, to) in [
        ("<ns1:item>", "<!-- a comment --><ns1:item>"),
        ("<ns1:item>", "  <ns1:item>"),
        ("<ns1:item>", "<ns1:item xmlns:a='urn:a'>"),
        (number, "\n<ns1:whole>"),
        (number, "<ns1:whole >"),
        (number, "<ns1:whole> \t"),
        (number, "<ns1:whole>+"),
        (number, "<ns1:whole>0"),
        (number, "<ns1:whole>&#48;"),
        (number, "<ns1:whole><![CDATA[0]]>"),
        (number, "<ns1:whole>9999999999"),
        (number, "<ns1:whole>x"),
        (number, "<ns1:other/><ns1:whole>"),
        ("</ns1:whole>", " \n</ns1:whole>"),
        ("</ns1:whole>", "</ns1:whole ><!-- -->"),
        ("</ns1:whole>", ".0</ns1:whole>"),
        ("</ns1:whole>", "</ns1:short>"),
        ("<ns1:note>", "<ns1:note>&lt;&#233;"),
        ("<ns1:note>", "<ns1:note><![CDATA[<>]]>"),
        ("<ns1:note>", "<ns1:note>]]>"),
        ("<ns1:note>", "<ns1:note>\r\n\t"),
        ("<ns1:note>", "<ns1:note>\u{1}"),
        ("<ns1:note>", "<ns1:note>&nothing;"),
        ("</ns1:item>", "</ns1:item>\n\n"),
        ("</ns1:item>", "<ns1:note>twice</ns1:note></ns1:item>"),
    ] {
        for nth in [0, 1, 2, 150, 299] {
            let at = text.match_indices(from).nth(nth).expect("an item").0;
            let odd = [&text[..at], to, &text[at + from.len()..]].concat();
            for strict in [true, false] {
                let typed = read::<KindsBody>(&table, "Kinds", &odd, strict);
                let dynamic = read_dynamic(&table, "Kinds", &odd, strict);
                seen[usize::from(typed.is_ok())] += 1;
                match (typed, dynamic) {
                    (Ok(typed), Ok(dynamic)) => {
                        let [typed, _] = written(&table, "Kinds", &typed, true);
                        let [dynamic, _] = written(&table, "Kinds", &dynamic, true);
                        assert_eq!(typed.unwrap(), dynamic.unwrap(), "{from} -> {to}");
                    }
                    (typed, dynamic) => {
                        let error = typed.expect_err("as the dynamic one");
                        assert_eq!(Err(error), dynamic, "{from} -> {to}");
                    }
                }
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 50), "{seen:?}");
}

#[test]
fn a_character_that_xml_cannot_carry_names_its_place() {
    let table = Table::parse(TYPES);
    for at in [0, 127, 128, 300] {
        let mut body = kinds(400);
        body.kinds.item[at].note = "a\u{1}b".to_owned();
        let error = written_alike(&table, "Kinds", &body).unwrap_err();
        assert_eq!(
            error.path(),
            format!("/Envelope/Body/Kinds/item[{}]/note", at + 1)
        );
    }
}

/// Numbers that a facet bounds, of the type of `local`.
fn bounded(local: &str, builtin: Builtin, field: usize, least: &str, greatest: &str) -> Table {
    let mut table = Table::parse(TYPES);
    let facets = Facets {
        min_inclusive: Some(least.into()),
        max_inclusive: Some(greatest.into()),
        ..Facets::default()
    };
    table.types.simple.push(Simple {
        name: None,
        base: Some(builtin.into()),
        variety: Variety::Atomic(builtin),
        facets,
        doc: None,
    });
    let own = SimpleId(table.types.simple.len() as u32 - 1);
    let id = table.id(local);
    table.types.complex[id.index()].fields[field].ty = TypeId::Simple(own);
    table.types.seal().expect("the types are a good table");
    table
}

#[test]
fn integers_have_their_bounds_where_these_are_wanted() {
    for (builtin, field, least, greatest) in [
        (Builtin::Int, 4, "-9", "9"),
        (Builtin::Byte, 6, "-9", "9"),
        (Builtin::Long, 3, "-9", "9"),
        (Builtin::UnsignedLong, 7, "0", "9223372036854775807"),
    ] {
        let table = bounded("Kind", builtin, field, least, greatest);
        for (at, value, good) in [(0, 9, true), (0, 10, false), (299, 10, false), (130, -10, false)] {
            let mut body = kinds(300);
            for item in &mut body.kinds.item {
                (item.whole, item.byte, item.big, item.far) = (-9, 9, 0, 1);
            }
            let odd = &mut body.kinds.item[at];
            (odd.whole, odd.byte, odd.big) = (value, value as i8, value.into());
            odd.far = if good { 9 } else { 1 << 63 };
            let [lax, _] = written(&table, "Kinds", &body, false);
            let lax = lax.unwrap();
            let strict = written_alike(&table, "Kinds", &body);
            assert_eq!(strict.is_ok(), good, "{builtin:?} {value}");
            assert!(read::<KindsBody>(&table, "Kinds", &lax, false).unwrap() == body);
            let read = read::<KindsBody>(&table, "Kinds", &lax, true);
            assert_eq!(read.is_ok(), good, "{builtin:?} {value}");
            let dynamic = read_dynamic(&table, "Kinds", &lax, true);
            assert_eq!(read.err(), dynamic.err());
        }
    }
}

#[test]
fn doubles_and_floats_have_their_bounds_too() {
    for (builtin, field) in [(Builtin::Double, 2), (Builtin::Float, 1)] {
        let table = bounded("Kind", builtin, field, "-0.5", "0.5");
        for (at, value, good) in [
            (0, 0.5, true),
            (0, 0.75, false),
            (299, 0.75, false),
            (130, -1.0, false),
        ] {
            let mut body = kinds(300);
            for item in &mut body.kinds.item {
                (item.time, item.ratio) = (0.25, 0.25);
            }
            let odd = &mut body.kinds.item[at];
            (odd.time, odd.ratio) = (f64::from(value), value);
            let [lax, _] = written(&table, "Kinds", &body, false);
            let lax = lax.unwrap();
            assert!(read::<KindsBody>(&table, "Kinds", &lax, false).unwrap() == body);
            let read = read::<KindsBody>(&table, "Kinds", &lax, true);
            assert_eq!(read.is_ok(), good, "{builtin:?} {value}");
            let dynamic = read_dynamic(&table, "Kinds", &lax, true);
            assert_eq!(read.err(), dynamic.err());
        }
    }
}
