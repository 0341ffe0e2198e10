//! What a reader makes of messages that are not strictly right.

mod support;

use castile_testkit::{Table, plain, plainly};
use support::{brief, message, sorted};

const TYPES: &str = "
Pair = a:int, b:int
Either = (a:int | b:string)
Many = a:int{2-3}, b:string?
Passes = (a:int, b:int?)*, c:int?
Options = (a:int | b:int)+
Limited = (a:int, b:int{1-2})*
Keyed = @id:int!, a:int
Base! = a:int
Holder = x:Base*
";

fn table() -> Table {
    Table::parse(TYPES)
}

/// Type, what stands in its element, what a lax reader makes of it.
const LAX: &[(&str, &str, &str)] = &[
    ("Pair", "<b>2</b><z/><a>1</a>", "a=1 b=2"),
    ("Pair", "<a>1</a>", "a=1"),
    ("Pair", "<a xmlns='urn:z'>1</a><b xmlns=''>2</b>", "a=1 b=2"),
    // The right name in the right namespace wins over the one in a wrong namespace after it.
    ("Pair", "<a>1</a><a xmlns=''>9</a><b>2</b>", "a=1 b=2"),
    ("Pair", "<a k='1'>1</a><b>2</b>", "a=1 b=2"),
    ("Pair", "<a>1</a><a>9</a><b>2</b>", "a=1 b=2"),
    ("Either", "<a>1</a><b>2</b>", "a=1 b=2"),
    ("Many", "<a>1</a><a>2</a><a>3</a><a>4</a>", "a=[1,2,3,4]"),
    ("Many", "<b>x</b><a>1</a>", "a=[1] b=x"),
    ("Passes", "<b>2</b><a>1</a><b>3</b>", "group=[a=1 b=2,b=3]"),
    ("Passes", "<a>1</a><c>4</c><a>3</a>", "group=[a=1,a=3] c=4"),
    ("Passes", "<a xmlns='urn:z'>1</a><b>2</b>", "group=[a=1 b=2]"),
    ("Options", "", ""),
    // Within a pass nothing stands too often: the next one begins.
    (
        "Limited",
        "<a>1</a><b>1</b><b>2</b><b>3</b>",
        "group=[a=1 b=[1,2],b=[3]]",
    ),
    ("Keyed", "<a>1</a>", "a=1"),
    ("Holder", "<x><a>1</a></x>", "x=[a=1]"),
];

#[test]
fn lax_reading() {
    let table = table();
    for (name, inside, expected) in LAX {
        let text = message(name, inside);
        assert!(
            plainly::read(&table.types, &table.plan(name), &text, true).is_err(),
            "{name} {inside} is not strict"
        );
        let (_, body) = plainly::read(&table.types, &table.plan(name), &text, false)
            .unwrap_or_else(|e| panic!("{name} {inside}: {e}"));
        let value = brief(&plain(body.get(name).expect("the body has the element")));
        assert_eq!(sorted(&value), sorted(expected), "{name} {inside}: {value}");
    }
}
