//! Messages changed in every way: the decoder never panics, agrees with the reference on what is
//! good and what it means, and says of what is bad where, what and whose fault.

mod support;

use castile_codec::{Error, Guilty, Kind};
use castile_plan::Plan;
use castile_testkit::{Effort, Rng, Sampler, Table, difference, mutate, plainly, random_table, reference};
use castile_value::Value;
use support::encoded;

fn check(table: &Table, plan: &Plan, text: &str, context: &str) -> bool {
    let fast = plainly::read(&table.types, plan, text, true);
    let slow = reference::decode(&table.types, plan, text);
    match (&fast, &slow) {
        (Ok((_, fast)), Ok(slow)) => {
            let difference = difference(&Value::Record(fast.clone()), &Value::Record(slow.body.clone()));
            assert!(
                difference.is_none(),
                "{context}: {}\n{text}",
                difference.unwrap_or_default()
            );
        }
        (Err(e), Err(_)) => check_error(e, text),
        (Ok(value), Err(e)) => panic!("{context}: the reference refuses: {e}\n{text}\n{value:#?}"),
        (Err(e), Ok(value)) => panic!("{context}: the decoder refuses: {e}\n{text}\n{:#?}", value.body),
    }
    // A lax reader takes at least what a strict one takes, and the same way.
    match (plainly::read(&table.types, plan, text, false), fast) {
        (Ok((_, lax)), Ok((_, strict))) => {
            let difference = difference(&Value::Record(lax), &Value::Record(strict));
            assert!(
                difference.is_none(),
                "lax, {context}: {}\n{text}",
                difference.unwrap_or_default()
            );
        }
        (Err(e), Ok(_)) => panic!("{context}: only the lax reader refuses: {e}\n{text}"),
        (Err(e), _) => check_error(&e, text),
        _ => {}
    }
    slow.is_ok()
}

/// The same message with a comment, another each time, after every end tag: no item looks like the
/// one before, so that each is read the slow way.
fn slowed(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for (i, part) in text.split_inclusive('>').enumerate() {
        out.push_str(part);
        let end_tag = part.rfind('<').is_some_and(|at| part[at..].starts_with("</"));
        if end_tag && !part.contains("Envelope") {
            out.push_str(&format!("<!--{i}-->"));
        }
    }
    out
}

/// Fast and slow ways give the same value, or the same error at the same item.
fn check_ways(table: &Table, plan: &Plan, text: &str, context: &str) {
    let slow_text = slowed(text);
    for strict in [true, false] {
        match (
            plainly::read(&table.types, plan, text, strict),
            plainly::read(&table.types, plan, &slow_text, strict),
        ) {
            (Ok((_, fast)), Ok((_, slow))) => {
                let difference = difference(&Value::Record(fast), &Value::Record(slow));
                assert!(
                    difference.is_none(),
                    "ways, {context}: {}\n{text}",
                    difference.unwrap_or_default()
                );
            }
            (Err(fast), Err(slow)) => {
                let said = |e: &Error| (e.kind(), e.path(), e.message().to_owned());
                assert_eq!(said(&fast), said(&slow), "ways, {context}: {text}");
            }
            (fast, slow) => panic!("ways, {context}: {fast:?}\n{slow:?}\n{text}"),
        }
    }
}

fn check_error(e: &Error, text: &str) {
    let (line, column) = e.line_column().unwrap_or_else(|| panic!("no place in {e}"));
    assert!(
        line > 0 && column > 0 && e.offset().is_some_and(|at| at <= text.len()),
        "{e}"
    );
    assert!(matches!(e.guilty(), Guilty::Peer), "{e}");
    assert!(!e.message().is_empty());
    if !matches!(
        e.kind(),
        Kind::Malformed | Kind::NotSoap | Kind::Version | Kind::Limit
    ) {
        assert!(e.path().starts_with("/Envelope"), "{e}");
    }
}

#[test]
fn random_tables() {
    let mut good = 0;
    for seed in 0..300 {
        let table = random_table(seed);
        let names = table.types.complex.iter().filter_map(|c| c.name.as_ref());
        for name in names.map(|n| n.local.to_string()).collect::<Vec<_>>() {
            let plan = table.plan(&name);
            let mut rng = Rng::new(seed + 1_000_000);
            let body = Sampler::new(&table.types, rng.clone())
                .effort(Effort::Random)
                .record(plan.body);
            let Ok(text) = encoded(&table.types, &plan, &body) else {
                continue;
            };
            for n in 0..30 {
                let mut changed = mutate(&text, &mut rng);
                while rng.once_in(3) {
                    changed = mutate(&changed, &mut rng);
                }
                good += usize::from(check(
                    &table,
                    &plan,
                    &changed,
                    &format!("seed {seed}, {name}, change {n}"),
                ));
            }
        }
    }
    assert!(good > 1000, "only {good} changed messages were good");
}

/// The types that have fast ways.
const ARRAYS: &str = "
Doubles = n:double*
Floats = n:float{1-}
Ints = n:int*
Longs = n:long*
ULongs = n:unsignedLong*
Bytes = n:byte{0-4}
Bools = n:boolean~*
Strings = s:string*
Tokens = s:token*
Enums = s:{red/green/blue}*
Defaults = n:int=5*
Nils = n:double~*
Dates = d:date*
Lists = l:[int]*
Names = q:QName*
NameLists = q:[QName]*
Unions = u:<int/token>*
Mio = x:int, y:int, value:double
Mios = mio:Mio*
Wide = a:boolean, b:unsignedLong, c:float, d:short, e:unsignedByte
Wides = w:Wide*
Event = seq:int, time:double, text:string
Events = e:Event*
Loose = a:int?, b:string~, c:{x/y}?
Looses = l:Loose{0-6}
Attributed = @id:string, v:int
Attributeds = a:Attributed*
Nested = name:string, mio:Mio, n:int*
Nesteds = x:Nested*
Base = a:int
Derived(Base) = b:int
Bases = b:Base*
Passes = (a:int, b:double*)*
";

#[test]
fn arrays() {
    let table = Table::parse(ARRAYS);
    let names: Vec<String> = table
        .types
        .complex
        .iter()
        .filter_map(|c| Some(c.name.as_ref()?.local.to_string()))
        .collect();
    for name in names {
        let plan = table.plan(&name);
        let (mut good, mut bad) = (0, 0);
        for seed in 0..40 {
            let mut rng = Rng::new(seed * 7919 + 3);
            let effort = if seed % 2 == 0 {
                Effort::Most
            } else {
                Effort::Random
            };
            let body = Sampler::new(&table.types, rng.clone())
                .effort(effort)
                .record(plan.body);
            let text = encoded(&table.types, &plan, &body).unwrap_or_else(|e| panic!("{name}: {e}"));
            for n in 0..40 {
                let mut changed = mutate(&text, &mut rng);
                while rng.once_in(2) {
                    changed = mutate(&changed, &mut rng);
                }
                let context = format!("{name}, seed {seed}, change {n}");
                if reference::is_well_formed(&changed) {
                    check_ways(&table, &plan, &changed, &context);
                }
                match check(&table, &plan, &changed, &context) {
                    true => good += 1,
                    false => bad += 1,
                }
            }
        }
        assert!(
            good > 100 && bad > 100,
            "{name}: {good} good and {bad} bad messages"
        );
    }
}
