//! Messages of which parts are there, or missing, or others, are learned as one automaton; elements that a wildcard
//! admits are compared as well.

mod support;

use castile_testkit::{Effort, Rng, Sampler, Table};
use support::learned::Learned;
use support::{encoded, message};

/// Messages of every kind that this text can be read as: an optional part is written `[part]`, alternatives
/// `[one|other]`.
fn all(text: &str) -> Vec<String> {
    let Some((before, rest)) = text.split_once('[') else {
        return vec![text.to_owned()];
    };
    let (parts, behind) = rest.split_once(']').expect("a bracket that closes");
    let ways: Vec<&str> = if parts.contains('|') {
        parts.split('|').collect()
    } else {
        vec![parts, ""]
    };
    let behind = all(behind);
    ways.iter()
        .flat_map(|way| behind.iter().map(move |behind| format!("{before}{way}{behind}")))
        .collect()
}

/// Learns from the messages again and again, in another order each time; how many tracks there are then, and how
/// many messages were not followed in the last round.
fn learned(types: &str, name: &str, inside: &str, strict: bool) -> (usize, usize) {
    let table = Table::parse(types);
    let plan = table.plan(name);
    let mut learned = Learned::default();
    let mut texts: Vec<String> = all(inside).iter().map(|inside| message(name, inside)).collect();
    let mut rng = Rng::new(7);
    let mut missed = 0;
    for round in 0..4 {
        for i in (1..texts.len()).rev() {
            texts.swap(i, rng.below(i + 1));
        }
        missed = 0;
        for text in &texts {
            let text = text.replace('#', &format!("{round}"));
            missed += usize::from(!learned.check(&table, &plan, &text, strict, inside));
        }
    }
    (learned.tracks.len(), missed)
}

#[test]
fn parts_that_may_be_missing_are_one_automaton() {
    let types = "Rec = a:int?, b:string?, c:double?, d:int, e:string?";
    let inside = "[<a>#</a>][<b>x#</b>][<c>#.5</c>]<d>#</d>[<e>#</e>]";
    assert_eq!(learned(types, "Rec", inside, true), (1, 0));
    assert_eq!(learned(types, "Rec", inside, false).1, 0);
}

#[test]
fn alternatives_are_one_automaton_and_nothing_else_is_let_in() {
    let types = "Other = x:int, y:string?
Rec = (a:int | (b:int, c:int?) | o:Other), (d:int & e:int?), f:string";
    let inside = "[<a>#</a>|<b>#</b>|<b>#</b><c>#</c>|<o><x>#</x></o>|<o><x>#</x><y>#</y></o>]\
                  [<d>#</d>|<d>#</d><e>#</e>|<e>#</e><d>#</d>]<f>#</f>";
    assert_eq!(learned(types, "Rec", inside, true), (1, 0));
    // What is in none of them, with all of them known.
    let table = Table::parse(types);
    let plan = table.plan("Rec");
    let mut known = Learned::default();
    for _ in 0..2 {
        for inside in all(inside) {
            known.check(
                &table,
                &plan,
                &message("Rec", &inside.replace('#', "1")),
                true,
                "good",
            );
        }
    }
    for bad in
        all("[<a>1</a>][<b>2</b>][<c>3</c>][<o><x>1</x></o>][<d>4</d>][<e>5</e>][<d>6</d>]<f>7</f>[<a>1</a>]")
    {
        known.check(&table, &plan, &message("Rec", &bad), true, &bad);
    }
}

#[test]
fn items_of_other_shapes_join_those_that_are_known() {
    let types = "Item = n:int, t:string?, u:int?
Rec = first:int, item:Item*, last:int?";
    let item = "[<item><n>#</n></item>|<item><n>#</n><t>x</t></item>|<item><n>#</n><t>x</t><u>1</u></item>|]";
    let inside = format!("<first>1</first>{item}{item}{item}[<last>2</last>]");
    let (tracks, missed) = learned(types, "Rec", &inside, true);
    assert_eq!(missed, 0);
    assert!(tracks <= 2, "{tracks}");
}

/// One item for each choice of the parts of `item` (see [`all`]), in any order.
fn items_of_all_shapes(item: &str, rng: &mut Rng) -> Vec<String> {
    let mut items = all(item);
    for i in (1..items.len()).rev() {
        items.swap(i, rng.below(i + 1));
    }
    items
}

#[test]
fn parts_of_items_that_come_and_go_are_learned_each_by_itself() {
    let table = Table::parse(
        "Part = p:int, q:string?
Item = n:int, a:string?, b:int?, c:Part?, d:double?, e:string?, f:Part?
Rec = item:Item*, last:int?",
    );
    let plan = table.plan("Rec");
    let item = "<item><n>#</n>[<a>x#</a>][<b>#</b>][<c><p>1</p></c>|<c><p>1</p><q>y</q></c>|][<d>#.5</d>][<e>z</e>][<f><p>#</p></f>]</item>";
    let mut rng = Rng::new(3);
    let mut learned = Learned::default();
    // Each part was there and was missing, but most of the 96 shapes were not met.
    let inside = |items: &[String]| message("Rec", &items.concat().replace('#', "7"));
    let items = items_of_all_shapes(item, &mut rng);
    learned.check(&table, &plan, &inside(&items[..16]), true, "the first");
    for (i, items) in items.chunks(8).enumerate() {
        assert!(learned.check(&table, &plan, &inside(items), true, item), "{i}");
    }
    assert_eq!(learned.tracks.len(), 1);
}

#[test]
fn an_item_of_a_new_shape_is_read_by_itself_and_the_rest_is_followed() {
    let types = "Item = n:int, t:string?, u:int?, *any*
Rec = first:int, item:Item*, last:int?";
    let table = Table::parse(types);
    let plan = table.plan("Rec");
    let mut learned = Learned::default();
    let mut check = |items: &str, followed: bool| {
        let text = message("Rec", &format!("<first>1</first>{items}<last>2</last>"));
        for round in 0..2 {
            let is_followed = learned.check(&table, &plan, &text, true, items);
            assert_eq!(is_followed, followed || round > 0, "{items}");
        }
        assert_eq!(learned.tracks.len(), 1, "{items}");
    };
    check("<item><n>1</n></item><item><n>2</n><t>x</t></item>", false);
    check(
        "<item><n>1</n></item><item><n>3</n><u>4</u></item><item><n>2</n></item>",
        true,
    );
    check(
        "<item><n> 1 </n><t/></item><item><n>3</n><t>a</t><u>4</u></item>",
        true,
    );
    check(
        "<item><n>1</n><w:m xmlns:w='urn:w'><w:n>1</w:n></w:m></item><item><n>2</n></item>",
        true,
    );
}

#[test]
fn items_that_the_contract_has_not_are_refused_as_ever() {
    let table = Table::parse("Item = n:int, t:string?, u:int?\nRec = item:Item{1-4}, last:int?");
    let plan = table.plan("Rec");
    let mut learned = Learned::default();
    let good = "<item><n>1</n></item><item><n>2</n><t>x</t></item>";
    for inside in [
        good,
        "<item><n>1</n></item><item><n>3</n><v>4</v></item>",
        "<item><n>1</n></item><item><n>x</n><u>1</u></item>",
        "<item><n>1</n></item><item><n>1</n><u>1</item>",
        "<item><n>1</n></item><item><n>1</n><u>1</u>",
        "<item><n>1</n></item><items><n>1</n><u>1</u></items>",
        "<item><n>1</n></item><item a='1'><n>1</n></item>",
        "<item><n>1</n></item><item><n>1</n><p:u>1</p:u></item>",
        "<item><n>1</n></item><item><n>1</n><u>1</u></item><last>x</last>",
        &good.repeat(3),
    ] {
        learned.check(&table, &plan, &message("Rec", inside), true, inside);
        learned.check(&table, &plan, &message("Rec", inside), false, inside);
    }
}

#[test]
fn groups_that_repeat_keep_apart_what_is_not_the_same_pass() {
    let types = "In = p:int?, q:int?
Rec = (a:In | b:In){0-9}, c:int?";
    let one = "[<a><p>#</p></a>|<b><q>#</q></b>|<a/>|]";
    let inside = format!("{one}{one}{one}[<c>1</c>]");
    assert_eq!(learned(types, "Rec", &inside, true).1, 0);
    // Where a pass ends depends on what is around it then: messages that have none are learned, and no others.
    assert_eq!(learned(types, "Rec", &inside, false), (1, all(&inside).len() - 2));
}

const WILD: &str = "Rec = a:int, *any*, z:int?
Loose = a:int, any:any, z:int?";

#[test]
fn what_a_wildcard_admits_may_hold_other_values() {
    let table = Table::parse("Rec = a:int, *any*, z:int?");
    let plan = table.plan("Rec");
    let mut learned = Learned::default();
    let mut like = |wild: &str| {
        learned.check(
            &table,
            &plan,
            &message("Rec", &format!("<a>1</a>{wild}")),
            true,
            wild,
        )
    };
    assert!(!like(
        "<w:m xmlns:w='urn:w' at='1' w:by=\"x\"><w:t>some</w:t> <w:e/></w:m>"
    ));
    for same in [
        "<w:m xmlns:w='urn:w' at='' w:by=\"it's\"><w:t/></w:m>",
        "<w:m xmlns:w='urn:w' at='12' w:by=\"it's\"><w:t></w:t> <w:e/></w:m>",
        "<w:m xmlns:w='urn:w' at='>' w:by=\"\u{E9}\"><w:t>&amp; &#65; ]] \u{1F600}</w:t> <w:e/></w:m>",
    ] {
        assert!(like(same), "{same}");
    }
    // What is none of those is read by itself, and what is no good XML by nobody.
    let other = "<w:m xmlns:w='urn:v' at='12' w:by=\"x\"><w:t>some</w:t> <w:e/></w:m>";
    assert!(like(other), "{other}");
    for bad in [
        "<w:m xmlns:w='urn:w' at='1' w:by=\"x\"><w:t>]]></w:t> <w:e/></w:m>",
        "<w:m xmlns:w='urn:w' at='1' w:by=\"x\"><w:t>\u{1}</w:t> <w:e/></w:m>",
        "<w:m xmlns:w='urn:w' at='<' w:by=\"x\"><w:t>some</w:t> <w:e/></w:m>",
        "<w:m xmlns:w='urn:w' at='1' w:by=\"x\"><w:t>some</w:t> <w:e></w:m>",
        "<w:m xmlns:w='urn:w' at='1' at='2' w:by=\"x\"><w:t>some</w:t> <w:e/></w:m>",
        "<w:m xmlns:w='urn:w' at='1' w:by=\"x\"><w:t>some</w:t> <w:e/>",
    ] {
        assert!(!like(bad), "{bad}");
    }
    // Texts that cannot be told from the bytes are values of this message, which nobody else's is compared with.
    for private in [
        "<w:m xmlns:w='urn:w' at='&amp;' w:by=\"x\"><w:t>some</w:t> <w:e/></w:m>",
        "<w:m xmlns:w='urn:w' at='1' w:by=\"x\"><w:t>so<w:b/>me</w:t> <w:e/></w:m>",
    ] {
        assert!(!like(private), "{private}");
    }
    assert!(
        learned
            .tracks
            .iter()
            .all(|(_, track)| !format!("{track:?}").contains("some"))
    );
}

#[test]
fn declarations_around_what_is_kept_as_xml_do_not_multiply() {
    let table = Table::parse("Rec = *any*");
    let plan = table.plan("Rec");
    let mut learned = Learned::default();
    let uri = "u".repeat(1 << 20);
    let with = |items: usize| {
        let body = format!(
            "<Rec xmlns='urn:t'>{}</Rec>",
            "<b xmlns='' a='1'>x</b>".repeat(items)
        );
        format!(
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:p='{uri}'><e:Body>{body}</e:Body></e:Envelope>"
        )
    };
    assert!(!learned.check(&table, &plan, &with(2), true, "two"));
    assert!(learned.check(&table, &plan, &with(20), true, "twenty"));
    assert!(!learned.check(&table, &plan, &with(300), true, "beyond capture_bytes_max"));
}

#[test]
fn random_messages_with_wildcards_are_read_as_the_plain_decoder_reads_them() {
    let table = Table::parse(WILD);
    for (name, strict) in [("Rec", true), ("Rec", false), ("Loose", true), ("Loose", false)] {
        let plan = table.plan(name);
        let mut learned = Learned::default();
        for seed in 0..300 {
            let body = Sampler::new(&table.types, Rng::new(seed))
                .effort(Effort::Random)
                .record(plan.body);
            let text = encoded(&table.types, &plan, &body).expect("a good sample");
            learned.check(&table, &plan, &text, strict, name);
        }
    }
}

#[test]
fn records_of_one_type_beside_each_other_are_not_one() {
    let table = Table::parse(
        "In = p:int?, q:int?, r:int?, s:int?, t:int?
Rec = left:In, right:In?",
    );
    let plan = table.plan("Rec");
    let (short, long) = (
        "<left><p>1</p></left><right><q>2</q></right>",
        "<r>3</r><s>4</s><t>5</t>",
    );
    let wide = format!("<left><p>1</p><q>2</q>{long}</left><right><q>2</q></right>");
    for first in [[short, &wide], [&wide, short]] {
        let mut learned = Learned::default();
        for inside in first.into_iter().chain(first) {
            learned.check(&table, &plan, &message("Rec", inside), true, inside);
        }
        // Every way to go on that one of them has somewhere, most of them no XML.
        let ways = format!(
            "<left><p>1</p>[<q>2</q>][</left><right>][<q>2</q>][{long}][</left>|</right>][<right><q>2</q></right>]"
        );
        for inside in all(&ways) {
            learned.check(&table, &plan, &message("Rec", &inside), true, &inside);
        }
    }
}

#[test]
fn where_order_is_free_an_element_that_was_there_is_not_forgotten() {
    for (types, strict) in [
        ("Rec = a:int? & b:int? & c:int?", true),
        ("Rec = a:int?, b:int?, c:int?", false),
    ] {
        let table = Table::parse(types);
        let plan = table.plan("Rec");
        let mut learned = Learned::default();
        let known = [
            "<a>1</a><b>2</b><c>3</c>",
            "<b>2</b><a>1</a><c>3</c>",
            "<b>2</b><c>3</c><a>1</a>",
            "<b>2</b>",
        ];
        for inside in known.into_iter().chain(known) {
            learned.check(&table, &plan, &message("Rec", inside), strict, inside);
        }
        for inside in all("[<a>1</a>][<b>2</b>][<a>4</a>][<b>5</b>][<c>3</c>][<b>7</b>][<a>6</a>]") {
            learned.check(&table, &plan, &message("Rec", &inside), strict, &inside);
        }
    }
}

#[test]
fn an_attribute_that_says_the_type_is_no_hole() {
    let table = Table::parse("Rec = a:any");
    let plan = table.plan("Rec");
    let mut learned = Learned::default();
    for ty in ["t:none", "t:other", "xsd:int", "t:none", "xsd:string"] {
        let inside = format!("<a xsi:type='{ty}'>5</a>");
        learned.check(&table, &plan, &message("Rec", &inside), false, &inside);
    }
}

/// What is learned of whole messages lets in the beginning of one with the end of another only where the plain
/// decoder does.
#[test]
fn the_beginning_of_one_message_and_the_end_of_another() {
    let tables = [
        "In = p:int?, q:int?, r:string?
Rec = left:In, (mid:In | s:string), right:In?, end:int?",
        "In = p:int?, (a:int | b:int)?
Rec = (x:In | (y:In, z:int)){0-4}, one:In*, two:In{0-2}",
        "In = p:int? & q:int? & r:int?
Rec = a:In?, b:In?, c:string*",
        "Rec = a:int?, (c:int?, d:int)?, e:Rec?, f:int{0-3}",
    ];
    for (number, types) in tables.into_iter().enumerate() {
        let table = Table::parse(types);
        let plan = table.plan("Rec");
        for (round, strict) in [(0, true), (1, true), (2, false), (3, false)] {
            let mut learned = Learned::default();
            let mut rng = Rng::new(round + 10 * number as u64);
            let texts: Vec<String> = (0..6)
                .map(|seed| {
                    let mut sampler =
                        Sampler::new(&table.types, Rng::new(100 * round + seed)).effort(Effort::Random);
                    encoded(&table.types, &plan, &sampler.record(plan.body)).expect("a good sample")
                })
                .collect();
            for _ in 0..2 {
                for text in &texts {
                    learned.check(&table, &plan, text, strict, types);
                }
            }
            for _ in 0..400 {
                let [from, to] = [(); 2].map(|()| {
                    let text = &texts[rng.below(texts.len())];
                    let places: Vec<usize> = text.match_indices('<').map(|(at, _)| at).collect();
                    (text, places[rng.below(places.len())])
                });
                let crossed = format!("{}{}", &from.0[..from.1], &to.0[to.1..]);
                learned.check(&table, &plan, &crossed, strict, types);
            }
        }
    }
}

#[test]
fn numbers_among_which_some_are_missing_are_learned_beside_those_that_are_whole() {
    let table = Table::parse("Rec = first:int, n:int~*, last:int");
    let plan = table.plan("Rec");
    let mut learned = Learned::default();
    let nil = "<n xsi:nil='true'/>";
    let whole = "<n>1</n><n>2</n><n>3</n>";
    for (n, inside) in [
        whole.to_owned(),
        format!("<n>1</n>{nil}<n>3</n>"),
        whole.repeat(5),
        format!("{nil}<n>3</n>"),
        format!("<n>1</n>{nil}<n>3</n>"),
        format!("{whole}{nil}{whole}"),
        whole.to_owned(),
    ]
    .iter()
    .enumerate()
    {
        let text = message("Rec", &format!("<first>1</first>{inside}<last>2</last>"));
        for round in 0..2 {
            let followed = learned.check(&table, &plan, &text, true, inside);
            assert!(followed || n == 0 && round == 0, "{inside}");
        }
    }
}

#[test]
fn arrays_that_are_values_of_their_own_are_told_as_such_whenever_they_come() {
    let table = Table::parse(
        "Names = item:string*
Numbers = item:int*
Rec = a:int, names:Names?, numbers:Numbers?, last:int?",
    )
    .with_arrays(&[("Names", 1), ("Numbers", 1)]);
    let plan = table.plan("Rec");
    let texts = all("<a>1</a>[<names><item>x</item><item>y</item></names>|<names/>|]\
                     [<numbers><item>1</item><item>2</item></numbers>|][<last>2</last>]");
    let mut learned = Learned::default();
    let mut rng = Rng::new(9);
    for round in 0..4 {
        let mut missed = 0;
        for _ in 0..texts.len() {
            let inside = &texts[rng.below(texts.len())];
            missed += usize::from(!learned.check(&table, &plan, &message("Rec", inside), true, inside));
        }
        assert!(round < 3 || missed == 0, "{missed}");
    }
}

#[test]
fn passes_in_which_order_is_free_end_where_the_decoder_ends_them() {
    let types = "Rec = (a:int? & b:int?){0-9}, c:int?";
    let table = Table::parse(types);
    let plan = table.plan("Rec");
    let one = "[<a>1</a>|<b>2</b>|]";
    let texts = all(&format!("{one}{one}{one}{one}[<c>1</c>]"));
    let mut rng = Rng::new(4);
    for _ in 0..20 {
        let mut learned = Learned::default();
        for _ in 0..60 {
            let inside = &texts[rng.below(texts.len())];
            learned.check(&table, &plan, &message("Rec", inside), true, inside);
        }
        assert!(learned.followed > 20, "{}", learned.followed);
    }
}
