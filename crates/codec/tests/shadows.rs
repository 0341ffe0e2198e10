//! Arrays of numbers of which only what differs from the last message's is read: whatever changes, the values are
//! those of the plain decoder, and so are the errors.

mod support;

use castile_codec::Ahead;
use castile_plan::Plan;
use castile_testkit::{Rng, Table};
use support::learned::Learned;
use support::message;

const TYPES: &str = "
Mio = x:int, y:int, value:double
Grid = name:string, cell:double*, flag:boolean*, mesh:Mio*, small:short*, last:int
";

/// Texts of numbers, as the items of one array.
#[derive(Clone, Default)]
struct Lists {
    name: String,
    cell: Vec<String>,
    flag: Vec<String>,
    mesh: Vec<[String; 3]>,
    small: Vec<String>,
}

impl Lists {
    fn text(&self, gap: &str) -> String {
        let list = |name: &str, values: &[String]| -> String {
            values
                .iter()
                .map(|v| format!("<{name}>{v}</{name}>{gap}"))
                .collect()
        };
        let mesh = self
            .mesh
            .iter()
            .map(|[x, y, v]| format!("<mesh><x>{x}</x>{gap}<y>{y}</y><value>{v}</value></mesh>{gap}"));
        format!(
            "<name>{}</name>{}{}{}{}<last>1</last>",
            self.name,
            list("cell", &self.cell),
            list("flag", &self.flag),
            mesh.collect::<String>(),
            list("small", &self.small)
        )
    }

    fn change(&mut self, rng: &mut Rng) {
        let kind = rng.below(12);
        let times = [1, 1, 2, 40, 200][rng.below(5)];
        for _ in 0..times {
            match kind {
                0 => self.name = "n".repeat(rng.below(5)),
                1 | 2 => replace(&mut self.cell, rng, double),
                3 => replace(&mut self.flag, rng, flag),
                4 => replace(&mut self.mesh, rng, mio),
                5 => replace(&mut self.small, rng, small),
                6 => insert(&mut self.cell, rng, double),
                7 => insert(&mut self.mesh, rng, mio),
                8 => remove(&mut self.cell, rng),
                9 => remove(&mut self.mesh, rng),
                10 => {
                    remove(&mut self.small, rng);
                    insert(&mut self.flag, rng, flag);
                }
                _ => {}
            }
        }
    }
}

fn replace<T>(list: &mut [T], rng: &mut Rng, new: fn(&mut Rng) -> T) {
    let count = list.len();
    if count > 0 {
        list[rng.below(count)] = new(rng);
    }
}

fn insert<T>(list: &mut Vec<T>, rng: &mut Rng, new: fn(&mut Rng) -> T) {
    let at = rng.below(list.len() + 1);
    list.insert(at, new(rng));
}

fn remove<T>(list: &mut Vec<T>, rng: &mut Rng) {
    if list.len() > 1 {
        list.remove(rng.below(list.len()));
    }
}

fn double(rng: &mut Rng) -> String {
    match rng.below(5000) {
        0 => format!("{}{}", " ".repeat(300), rng.below(100)),
        1..300 => "NaN".into(),
        300..600 => "-INF".into(),
        600..900 => format!("  {} ", rng.below(100)),
        900..2000 => "0.5".into(),
        _ => rng.unit().to_string(),
    }
}

fn flag(rng: &mut Rng) -> String {
    ["true", "false", "1", " 0"][rng.below(4)].into()
}

fn mio(rng: &mut Rng) -> [String; 3] {
    [small(rng), small(rng), double(rng)]
}

fn small(rng: &mut Rng) -> String {
    (rng.below(3000) as i64 - 1500).to_string()
}

fn lists(rng: &mut Rng, count: usize) -> Lists {
    Lists {
        name: "a".into(),
        cell: (0..count).map(|_| rng.unit().to_string()).collect(),
        flag: (0..count / 2).map(|_| flag(rng)).collect(),
        mesh: (0..count / 2).map(|_| mio(rng)).collect(),
        small: (0..count / 3).map(|_| small(rng)).collect(),
    }
}

#[test]
fn whatever_changes_the_values_are_those_of_the_plain_decoder() {
    let table = Table::parse(TYPES);
    let plan = table.plan("Grid");
    let (mut kept, mut ahead) = (0, 0);
    for seed in 0..120 {
        let mut rng = Rng::new(seed);
        let mut lists = lists(&mut rng, [3, 40, 400][seed as usize % 3]);
        let mut learned = Learned {
            forgets: seed % 4 == 3,
            ..Learned::default()
        };
        let gap = ["", "\n "][seed as usize % 2];
        for n in 0..12 {
            let mut text = message("Grid", &lists.text(gap));
            if n % 5 == 4 {
                text = castile_testkit::mutate(&text, &mut rng);
            }
            learned.check(&table, &plan, &text, true, &format!("seed {seed}, {n}"));
            lists.change(&mut rng);
        }
        kept += learned.values_kept;
        ahead += learned.bytes_ahead;
    }
    assert!(kept > 100_000, "{kept} values were not read again");
    assert!(ahead > 1_000_000, "{ahead} bytes were compared while they came");
}

/// How many numbers of the second message are read, when both are told apart from the plain decoder's by nothing.
fn parsed(table: &Table, plan: &Plan, first: &Lists, second: &Lists) -> usize {
    let mut learned = Learned {
        portion: Some(1000),
        ..Learned::default()
    };
    for lists in [first, first, second] {
        learned.values_parsed = 0;
        learned.check(table, plan, &message("Grid", &lists.text("")), true, "parsed");
    }
    learned.values_parsed
}

#[test]
fn what_differs_costs_its_own_values_only() {
    let table = Table::parse(TYPES);
    let plan = table.plan("Grid");
    let mut rng = Rng::new(3);
    let mut first = lists(&mut rng, 2000);
    first.mesh = vec![["1".into(), "-22".into(), "0.125".into()]; 10];
    first
        .mesh
        .extend((0..900).map(|i| [i.to_string(), (i * 7).to_string(), format!("{i}.5")]));
    let with = |change: &dyn Fn(&mut Lists)| {
        let mut second = first.clone();
        change(&mut second);
        parsed(&table, &plan, &first, &second)
    };
    assert_eq!(with(&|_| {}), 0);
    assert_eq!(with(&|lists| lists.name = "another name".into()), 0);
    assert_eq!(with(&|lists| lists.cell[1000] = "1".into()), 1);
    assert_eq!(with(&|lists| lists.mesh[500][1] = "123456".into()), 1);
    assert_eq!(with(&|lists| lists.cell.push("1".into())), 1);
    assert_eq!(
        with(&|lists| lists.cell.truncate(1999)),
        1,
        "what follows the last differs"
    );
    let few = |lists: &dyn Fn(&mut Lists)| {
        let parsed = with(lists);
        assert!(parsed < 60, "{parsed}");
    };
    few(&|lists| lists.cell.insert(1000, "1".into()));
    few(&|lists| drop(lists.cell.drain(300..800)));
    few(&|lists| drop(lists.mesh.remove(0)));
    few(&|lists| {
        lists
            .mesh
            .splice(10..10, vec![["1".into(), "2".into(), "3".into()]; 12]);
    });
    few(&|lists| {
        lists.cell.remove(5);
        lists.cell.insert(900, "7".into());
    });
}

#[test]
fn numbers_with_very_much_space_around_them_are_read_plainly() {
    let table = Table::parse(TYPES);
    let plan = table.plan("Grid");
    let mut first = lists(&mut Rng::new(1), 100);
    let mut learned = Learned::default();
    for wide in [false, false, true, true, false, false] {
        first.cell[50] = if wide { " ".repeat(1000) + "1" } else { "1".into() };
        let text = message("Grid", &first.text(""));
        learned.check(&table, &plan, &text, true, "wide");
    }
    assert!(learned.followed >= 5);
}

/// How much of the second message is followed before it has come, of which all but the last byte came. `kept`: compared
/// with the first.
fn ahead(first: &Lists, second: &Lists, kept: bool) -> (usize, usize) {
    let table = Table::parse(TYPES);
    let plan = table.plan("Grid");
    let mut learned = Learned::default();
    for lists in [first, first, first] {
        let text = message("Grid", &lists.text(""));
        learned
            .decode(&table, &plan, &text, true)
            .expect("a good message");
    }
    let mut shadow = learned.shadow.filter(|_| kept);
    let text = message("Grid", &second.text(""));
    let (prologue, track) = &learned.tracks[0];
    let mut ahead = Ahead::new(prologue, track, text.as_bytes()).expect("it begins so");
    for came in (prologue.memory()..text.len())
        .step_by(1000)
        .chain([text.len() - 1])
    {
        ahead.came(&table.types, shadow.as_mut(), &text.as_bytes()[..came]);
    }
    (ahead.followed(), text.len())
}

#[test]
fn all_but_the_end_is_followed_before_a_message_has_come() {
    let first = lists(&mut Rng::new(5), 2000);
    for kept in [true, false] {
        let nearly_all = |change: &dyn Fn(&mut Lists)| {
            let mut second = first.clone();
            change(&mut second);
            let (followed, length) = ahead(&first, &second, kept);
            assert!(
                followed <= length && followed + 3000 > length,
                "{followed} of {length}, {kept}"
            );
        };
        nearly_all(&|_| {});
        nearly_all(&|lists| lists.name = "another name".into());
        nearly_all(&|lists| lists.cell[0] = "1".into());
        nearly_all(&|lists| lists.mesh[500][1] = "123456".into());
        nearly_all(&|lists| lists.cell.extend((0..500).map(|i| i.to_string())));
        nearly_all(&|lists| lists.cell.truncate(100));
        nearly_all(&|lists| drop(lists.flag.drain(300..800)));
        nearly_all(&|lists| lists.mesh.truncate(1));
        let mut second = first.clone();
        second.cell[1000] = "no number".into();
        let (followed, length) = ahead(&first, &second, kept);
        assert!(
            followed < length / 2,
            "what cannot be read ends it: {followed} of {length}, {kept}"
        );
    }
}
