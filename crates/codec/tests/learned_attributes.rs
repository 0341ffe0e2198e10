//! Values of attributes may differ in messages that are alike.

mod support;

use castile_testkit::Table;
use support::learned::Learned;
use support::message;

const TYPES: &str = "
Item = @name:string!, @value:int!
Shown = @at:dateTime!, @lang:token=en, #:decimal
Told = when:Shown, item:Item*
";

fn told(at: &str, items: &[(&str, &str)]) -> String {
    let items: String = items
        .iter()
        .map(|(name, value)| format!("<item name='{name}' value=\"{value}\"/>"))
        .collect();
    message("Told", &format!("<when lang=\"de\" at='{at}'>1.5</when>{items}"))
}

#[test]
fn messages_with_other_attributes_are_alike() {
    let table = Table::parse(TYPES);
    let plan = table.plan("Told");
    let mut learned = Learned::default();
    let mut like = |text: &str| learned.check(&table, &plan, text, true, "attributes");
    assert!(!like(&told("2026-01-01T00:00:00Z", &[("a", "1"), ("b", "2")])));
    assert!(like(&told("2026-01-02T10:00:00Z", &[("o", "-7")])));
    assert!(like(&told(
        " 2026-01-02T10:00:00Z ",
        &[("", "7"), ("x > y", " 8 "), ("z", "9")]
    )));
    assert!(!like(&told("2026-01-02", &[("a", "8")])), "no such date and time");
    assert!(
        !like(&told("2026-01-02T10:00:00Z", &[("a", "8.5")])),
        "no integer"
    );
    for (name, why) in [
        ("a &amp; b", "a reference"),
        ("a\tb", "white space is normalised"),
    ] {
        let mut learned = Learned::default();
        let mut like = |text: &str| learned.check(&table, &plan, text, true, why);
        assert!(!like(&told("2026-01-02T10:00:00Z", &[("a", "1")])));
        assert!(!like(&told("2026-01-02T10:00:00Z", &[(name, "8")])), "{why}");
    }
}

#[test]
fn nothing_of_an_attribute_is_kept() {
    let table = Table::parse(TYPES);
    let plan = table.plan("Told");
    let mut learned = Learned::default();
    learned.check(
        &table,
        &plan,
        &told("2026-01-01T00:00:00Z", &[("secret", "1")]),
        true,
        "",
    );
    let [(_, track)] = &learned.tracks[..] else {
        panic!("one track")
    };
    assert!(!track.is_private());
    let shape = table.types.shape(plan.body);
    let names: Vec<String> = track
        .variables(&table.types, shape)
        .iter()
        .map(|v| format!("{}/{}", v.parent, v.name))
        .collect();
    assert_eq!(names.len(), 5, "{names:?}");
    assert!(!format!("{track:?}").contains("secret"));
}
