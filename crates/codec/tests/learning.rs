//! Whatever was learned before, a message means what the plain decoder makes of it, or is refused in the
//! same words at the same place.

mod support;

use castile_testkit::{Effort, Rng, Sampler, Table, mutate, random_table};
use castile_value::Value;
use support::learned::Learned;
use support::{body, encoded, message};

fn named(table: &Table) -> Vec<String> {
    let types = table.types.complex.iter().filter(|c| !c.is_abstract);
    types
        .filter_map(|c| c.name.as_ref())
        .map(|n| n.local.to_string())
        .collect()
}

#[test]
fn any_sequence_of_messages_is_read_as_the_plain_decoder_reads_it() {
    let (mut followed, mut firsts) = (0, 0);
    for seed in 0..400 {
        let table = random_table(seed);
        for name in named(&table) {
            let plan = table.plan(&name);
            let mut learned = Learned::default();
            for n in 0..10u64 {
                // Each message comes twice.
                let effort = if n / 2 % 2 == 1 {
                    Effort::Most
                } else {
                    Effort::Random
                };
                let rng = Rng::new(seed.wrapping_mul(31).wrapping_add(n / 2));
                let body = Sampler::new(&table.types, rng).effort(effort).record(plan.body);
                let text = encoded(&table.types, &plan, &body).expect("a good sample");
                let like = learned.check(&table, &plan, &text, true, &format!("seed {seed}, {name}, {n}"));
                assert!(
                    like || n % 2 == 0,
                    "seed {seed}, {name}, {n}: the same again\n{text}"
                );
                firsts += usize::from(n % 2 == 0);
                followed += usize::from(like && n % 2 == 0);
            }
        }
    }
    assert!(
        followed * 8 > firsts,
        "{followed} of {firsts} were like one before"
    );
}

#[test]
fn broken_messages_are_refused_alike() {
    for seed in 0..150 {
        let table = random_table(seed);
        for name in named(&table) {
            let plan = table.plan(&name);
            let mut rng = Rng::new(seed);
            for strict in [true, false] {
                let mut learned = Learned::default();
                let body = Sampler::new(&table.types, Rng::new(seed)).record(plan.body);
                let good = encoded(&table.types, &plan, &body).expect("a good sample");
                for n in 0..24 {
                    let text = if n % 3 == 0 {
                        good.clone()
                    } else {
                        mutate(&good, &mut rng)
                    };
                    learned.check(&table, &plan, &text, strict, &format!("seed {seed}, {name}, {n}"));
                }
            }
        }
    }
}

const TYPES: &str = "
Mio = x:int, y:int, value:double
Note = text:string, by:string?
Step = number:int, note:string, field:double*, mesh:Mio*, notes:Note*, last:boolean
";

fn step(table: &Table, note: &str, field: &[f64], notes: &[(&str, Option<&str>)]) -> String {
    let note_of = |&(text, by): &(&str, Option<&str>)| {
        let mut fields = vec![("text", text.into())];
        fields.extend(by.map(|by| ("by", by.into())));
        Value::map(fields)
    };
    let mesh = Value::List(vec![Value::map([
        ("x", 1.into()),
        ("y", 2.into()),
        ("value", 0.5.into()),
    ])]);
    let fields = [
        ("number", 7.into()),
        ("note", note.into()),
        ("field", field.to_vec().into()),
        ("mesh", mesh),
        ("notes", Value::List(notes.iter().map(note_of).collect())),
        ("last", false.into()),
    ];
    encoded(
        &table.types,
        &table.plan("Step"),
        &body(table, "Step", Value::map(fields)),
    )
    .expect("good values")
}

#[test]
fn values_and_numbers_of_items_may_differ_and_are_still_followed() {
    let table = Table::parse(TYPES);
    let plan = table.plan("Step");
    let mut learned = Learned::default();
    let notes = [("a", Some("b")), ("c", None), ("d", Some("e"))];
    let first = step(&table, "first", &[1.0, 2.0], &notes);
    assert!(!learned.check(&table, &plan, &first, true, "first"));
    for (note, field, notes) in [
        ("", &[0.5; 1][..], &notes[..1]),
        (
            "a &amp; b < c \r\n \u{1F600}",
            &[f64::NAN, f64::INFINITY, -0.0],
            &notes[1..],
        ),
        (
            "]]>",
            &[1e300; 100],
            &[("x", None), ("y", None), ("z &", Some("<"))],
        ),
    ] {
        let text = step(&table, note, field, notes);
        assert!(learned.check(&table, &plan, &text, true, note), "{text}");
    }
}

#[test]
fn what_is_no_name_in_a_message_is_private() {
    let table = Table::parse(TYPES);
    let plan = table.plan("Note");
    for (inside, private) in [
        ("<text>a</text>", false),
        ("\n  <text>a</text>\n", false),
        ("<text xsi:type='xsd:string'>a</text>", false),
        ("<text><![CDATA[a]]></text>", true),
        ("<text>a</text><!--b-->", true),
        ("<text/>", false),
        ("<?b c?><text>a</text>", true),
    ] {
        let text = message("Note", inside);
        let mut learned = Learned::default();
        assert!(!learned.check(&table, &plan, &text, true, inside));
        let (_, track) = learned.tracks.first().expect("a track");
        assert_eq!(track.is_private(), private, "{inside}");
        assert!(
            learned.check(&table, &plan, &text, true, inside),
            "the same again: {inside}"
        );
    }
}

/// A message with these header blocks.
fn with_blocks(blocks: &str, note: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:w='urn:w'>\
         <e:Header>{blocks}</e:Header><e:Body><Note xmlns='urn:t'><text>{note}</text></Note></e:Body></e:Envelope>"
    )
}

#[test]
fn header_blocks_may_differ_and_nothing_of_them_is_kept() {
    let table = Table::parse(TYPES);
    let plan = table.plan("Note");
    let mut learned = Learned::default();
    for (blocks, like) in [
        ("<w:id>secret1</w:id>", false),
        ("<w:id>secret22</w:id><w:to xmlns:x='urn:x' x:a='1'/>", true),
        (" <!-- secret --> ", true),
        ("", true),
        ("<w:id>1</w:id", false),
        ("<w:id>1</w:ix>", false),
        ("<w:id>&none;</w:id>", false),
        ("<v:id>1</v:id>", false),
        ("<w:id e:mustUnderstand='yes'>1</w:id>", false),
        ("text", false),
        ("<w:id>secret3</w:id>", true),
    ] {
        let text = with_blocks(blocks, &blocks.len().to_string());
        assert_eq!(
            learned.check(&table, &plan, &text, true, blocks),
            like,
            "{blocks}"
        );
    }
    assert!(!format!("{:?}", learned.prologues).contains("secret"));
    assert!(!format!("{:?}", learned.shadow).contains("secret"));
    let other = with_blocks("<w:id/>", "a").replace("<e:Body>", "<e:Body >");
    assert!(!learned.check(&table, &plan, &other, true, "around the blocks"));
}

#[test]
fn messages_written_otherwise_are_learned_beside() {
    let table = Table::parse(TYPES);
    let plan = table.plan("Note");
    let ways = [
        "<Note xmlns='urn:t'><text>{}</text><by>me</by></Note>",
        "<t:Note xmlns:t='urn:t'><t:text>{}</t:text><t:by>me</t:by></t:Note>",
        "<n:Note xmlns:n='urn:t'><n:text>{}</n:text><n:by>me</n:by></n:Note>",
        "<Note xmlns='urn:t'>\n  <text>{}</text>\n  <by>me</by>\n</Note>",
        "<Note xmlns='urn:t' xmlns:a='urn:a' xmlns:b='urn:b'><text>{}</text><by>me</by></Note>",
        "<Note xmlns:b='urn:b' xmlns:a='urn:a' xmlns='urn:t'><text>{}</text><by>me</by></Note>",
        "<Note xmlns='urn:t'><text >{}</text ><by>me</by></Note>",
        "<Note xmlns='urn:t'><text>{}</text></Note>",
    ];
    let mut learned = Learned::default();
    for round in 0..3 {
        for way in ways {
            let inside = way.replace("{}", &format!("note {round}"));
            let text = format!(
                "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>{inside}</e:Body></e:Envelope>"
            );
            // What begins as one that is known is followed at once, and what is new in it is read by itself, if that is not
            // most of it.
            let known = [
                "<Note xmlns='urn:t'><text >",
                "<Note xmlns='urn:t'><text>{}</text></Note>",
            ];
            let begins = known.iter().any(|known| way.starts_with(known));
            assert_eq!(
                learned.check(&table, &plan, &text, true, way),
                round > 0 || begins,
                "{text}"
            );
        }
    }
}

#[test]
fn the_variable_table_says_what_may_differ() {
    let table = Table::parse(TYPES);
    let plan = table.plan("Step");
    let mut learned = Learned::default();
    let text = step(&table, "first", &[1.0, 2.0], &[("a", Some("b")), ("c", None)]);
    learned.check(&table, &plan, &text, true, "first");
    let (_, track) = learned.tracks.first().expect("a track");
    let rows = track.variables(&table.types, table.types.shape(plan.body));
    let told: Vec<String> = rows
        .iter()
        .map(|v| {
            format!(
                "{}/{}{} {} {}",
                v.parent,
                v.name,
                if v.repeats { "*" } else { "" },
                v.ty,
                v.setter
            )
        })
        .collect();
    let int = "integer from -2147483648 to 2147483647";
    assert_eq!(
        told,
        [
            format!("/Step/number {int} scalar"),
            "/Step/note string scalar".into(),
            "/Step/field* double column".into(),
            format!("/Step/mesh/x* {int} rows"),
            format!("/Step/mesh/y* {int} rows"),
            "/Step/mesh/value* double rows".into(),
            "/Step/notes/text* string scalar".into(),
            "/Step/notes/by* string scalar".into(),
            "/Step/last boolean scalar".into(),
        ]
    );
    assert!(rows.is_sorted_by_key(|variable| variable.place));
}

#[test]
fn long_runs_of_texts_are_read_plainly() {
    let table = Table::parse(TYPES);
    let plan = table.plan("Step");
    let mut learned = Learned::default();
    let notes = vec![("text", Some("by")); 1000];
    for (count, like) in [
        (1000, false),
        (100, false),
        (200, true),
        (256, true),
        (257, false),
        (3, true),
    ] {
        let text = step(&table, "n", &[1.0; 1000], &notes[..count]);
        assert_eq!(
            learned.check(&table, &plan, &text, true, "notes"),
            like,
            "{count}"
        );
    }
}
