//! The floors of `ARCHITECTURE.md`: a crate uses lower floors only.

use crate::finding::Finding;
use crate::workspace::{Package, Workspace};

/// One floor: its crates, and the arrows inside it as (used, user).
#[derive(Debug)]
pub(crate) struct Floor {
    pub(crate) level: usize,
    pub(crate) crates: &'static [&'static str],
    pub(crate) arrows: &'static [(&'static str, &'static str)],
}

/// The house, ground floor first. Folders under `crates/` carry these names.
pub(crate) const FLOORS: &[Floor] = &[
    Floor {
        level: 0,
        crates: &["lexical", "value", "xml", "message"],
        arrows: &[("lexical", "value"), ("xml", "value")],
    },
    Floor {
        level: 1,
        crates: &["plan", "contract"],
        arrows: &[("plan", "contract")],
    },
    Floor {
        level: 2,
        crates: &["codec", "diff"],
        arrows: &[("codec", "diff")],
    },
    Floor {
        level: 3,
        crates: &["http", "security"],
        arrows: &[],
    },
    Floor {
        level: 4,
        crates: &["endpoint", "codegen"],
        arrows: &[],
    },
    Floor {
        level: 5,
        crates: &["castile", "cli", "build", "python"],
        arrows: &[],
    },
];

/// Crates beside the floors: they may use everything, and only tests may use them.
const BESIDE: &[&str] = &[
    "bench",
    "conformance",
    "engine-rust",
    "example-generated",
    "fuzz",
    "testkit",
    "xtask",
];

/// Pairs (user, used) that no arrow may join, not even in tests.
const NEVER: &[(&str, &str)] = &[("codec", "contract")];

/// Packages from elsewhere that one crate alone may name.
const OWNED: &[(&str, &str)] = &[("pyo3", "python"), ("numpy", "python")];

/// Packages that bring I/O, clocks, randomness or async, which start at floor 3.
const MOVING: &[&str] = &[
    "tokio",
    "hyper",
    "hyper-util",
    "http",
    "rustls",
    "async-trait",
    "futures",
    "rand",
    "getrandom",
];

const RULE: &str = "floors";

/// Checks every direct dependency of every member.
pub(crate) fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in workspace.members() {
        let user = own_name(&package.name).unwrap_or(&package.name);
        if BESIDE.contains(&user) {
            continue;
        }
        match floor_of(user) {
            Some(floor) => findings.extend(check_package(package, user, floor)),
            None => findings.push(Finding::at(
                &package.folder,
                RULE,
                format!("`{user}` has no floor: give it one in xtask/src/floors.rs and ARCHITECTURE.md"),
            )),
        }
    }
    findings.extend(absent(workspace));
    findings
}

/// Compares the drawing under `## Floors` with the table here.
pub(crate) fn check_drawing(architecture: &str) -> Vec<Finding> {
    let drawn = drawn_floors(architecture);
    let told: Vec<_> = FLOORS
        .iter()
        .map(|floor| {
            let mut crates: Vec<_> = floor.crates.iter().map(|name| (*name).to_owned()).collect();
            let mut arrows: Vec<_> = floor
                .arrows
                .iter()
                .map(|(a, b)| ((*a).into(), (*b).into()))
                .collect();
            crates.sort();
            arrows.sort();
            (floor.level, crates, arrows)
        })
        .collect();
    if drawn == told {
        return Vec::new();
    }
    let text = format!("the drawing of the floors says {drawn:?}, xtask/src/floors.rs says {told:?}");
    vec![Finding::at("ARCHITECTURE.md", RULE, text)]
}

/// The floor on which a crate stands; `None` for crates beside the floors and unknown ones.
pub(crate) fn level_of(package: &str) -> Option<usize> {
    floor_of(own_name(package)?).map(|floor| floor.level)
}

fn check_package(package: &Package, user: &str, floor: &Floor) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut report = |text: String| findings.push(Finding::at(&package.folder, RULE, text));
    for dependency in &package.dependencies {
        let name = dependency.name.as_str();
        let used = own_name(name);
        if used.is_some_and(|used| NEVER.contains(&(user, used))) {
            report(format!("`{user}` names `{name}`, which it may not even in tests"));
        }
        if let Some((_, owner)) = OWNED
            .iter()
            .find(|(owned, owner)| is_of(name, owned) && *owner != user)
        {
            report(format!("`{user}` uses `{name}`, which only `{owner}` may name"));
        }
        if dependency.dev {
            continue;
        }
        if used.is_some_and(|used| BESIDE.contains(&used)) {
            report(format!("`{user}` uses `{name}`, which stands beside the floors"));
        }
        if floor.level < 3 && MOVING.contains(&name) {
            report(format!(
                "`{user}` (floor {}) uses `{name}`: bytes move from floor 3 up",
                floor.level
            ));
        }
        if let Some(problem) = used.and_then(|used| forbidden_arrow(user, floor, used)) {
            report(problem);
        }
    }
    findings
}

fn forbidden_arrow(user: &str, floor: &Floor, used: &str) -> Option<String> {
    let below = floor_of(used)?;
    if below.level < floor.level || floor.arrows.contains(&(used, user)) {
        return None;
    }
    let (from, to) = (floor.level, below.level);
    Some(format!(
        "`{user}` (floor {from}) uses `{used}` (floor {to}): only lower floors, or an arrow drawn"
    ))
}

/// Crates of the table that the workspace does not have: a table that is not true any more.
fn absent(workspace: &Workspace) -> Vec<Finding> {
    let present: Vec<&str> = workspace
        .members()
        .filter_map(|package| own_name(&package.name))
        .collect();
    let named = FLOORS.iter().flat_map(|floor| floor.crates).chain(BESIDE);
    named
        .filter(|name| !present.contains(name))
        .map(|name| {
            Finding::at(
                "xtask/src/floors.rs",
                RULE,
                format!("`{name}` is not in the workspace"),
            )
        })
        .collect()
}

fn floor_of(name: &str) -> Option<&'static Floor> {
    FLOORS.iter().find(|floor| floor.crates.contains(&name))
}

/// The name in the tables here of one of our packages; `http` from elsewhere is not our `castile-http`.
fn own_name(package: &str) -> Option<&str> {
    let plain = (package == "castile" || BESIDE.contains(&package)).then_some(package);
    package.strip_prefix("castile-").or(plain)
}

/// True for `pyo3` itself and for its parts such as `pyo3-ffi`.
fn is_of(package: &str, family: &str) -> bool {
    package
        .strip_prefix(family)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

type Drawn = (usize, Vec<String>, Vec<(String, String)>);

/// Reads lines such as `1 meaning   plan <- contract` from the first fenced block under `## Floors`.
fn drawn_floors(architecture: &str) -> Vec<Drawn> {
    let mut lines = architecture.lines().skip_while(|line| line.trim() != "## Floors");
    let block = lines.by_ref().skip_while(|line| !line.starts_with("```")).skip(1);
    let mut floors: Vec<Drawn> = block
        .take_while(|line| !line.starts_with("```"))
        .filter_map(drawn_floor)
        .collect();
    floors.sort();
    floors
}

fn drawn_floor(line: &str) -> Option<Drawn> {
    let mut words = line.split_whitespace();
    let level = words.next()?.parse().ok()?;
    let words: Vec<&str> = words.skip(1).collect();
    let mut crates: Vec<String> = words
        .iter()
        .filter(|w| **w != "<-")
        .map(|w| (*w).to_owned())
        .collect();
    let mut arrows: Vec<(String, String)> = words
        .windows(3)
        .filter(|three| three[1] == "<-")
        .map(|three| (three[0].to_owned(), three[2].to_owned()))
        .collect();
    crates.sort();
    crates.dedup();
    arrows.sort();
    Some((level, crates, arrows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::member;

    fn full(name: &str) -> Package {
        let plain = name == "castile" || BESIDE.contains(&name);
        member(
            &if plain {
                name.to_owned()
            } else {
                format!("castile-{name}")
            },
            &[],
        )
    }

    fn findings(changed: Package) -> Vec<String> {
        let names = FLOORS.iter().flat_map(|floor| floor.crates).chain(BESIDE);
        let mut packages: Vec<Package> = names
            .filter(|name| Some(**name) != own_name(&changed.name))
            .map(|name| full(name))
            .collect();
        packages.push(changed);
        check(&Workspace { packages })
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn lower_floors_and_drawn_arrows_are_fine() {
        assert_eq!(
            findings(member(
                "castile-codec",
                &["castile-plan", "castile-xml", "memchr"]
            )),
            [""; 0]
        );
        assert_eq!(findings(member("castile-contract", &["castile-plan"])), [""; 0]);
        assert_eq!(
            findings(member("castile-python", &["castile-endpoint", "pyo3", "numpy"])),
            [""; 0]
        );
    }

    #[test]
    fn an_upward_arrow_is_found() {
        let found = findings(member("castile-xml", &["castile-plan"]));
        assert_eq!(found.len(), 1);
        assert!(
            found[0].contains("`xml` (floor 0) uses `plan` (floor 1)"),
            "{found:?}"
        );
    }

    #[test]
    fn an_arrow_against_the_drawing_is_found() {
        assert_eq!(findings(member("castile-plan", &["castile-contract"])).len(), 1);
        assert_eq!(findings(member("castile-xml", &["castile-lexical"])).len(), 1);
    }

    #[test]
    fn the_codec_cannot_name_the_contract_not_even_in_tests() {
        assert_eq!(findings(member("castile-codec", &["castile-contract"])).len(), 1);
        assert_eq!(
            findings(member("castile-codec", &["dev:castile-contract"])).len(),
            1
        );
    }

    #[test]
    fn only_python_names_pyo3_and_numpy() {
        for package in ["pyo3", "pyo3-ffi", "numpy"] {
            assert_eq!(
                findings(member("castile-endpoint", &[package])).len(),
                1,
                "{package}"
            );
        }
        assert_eq!(findings(member("castile-endpoint", &["pyo3000"])), [""; 0]);
    }

    #[test]
    fn async_and_randomness_start_at_floor_three() {
        assert_eq!(findings(member("castile-codec", &["tokio"])).len(), 1);
        assert_eq!(findings(member("castile-codec", &["dev:tokio"])), [""; 0]);
        assert_eq!(
            findings(member("castile-http", &["tokio", "getrandom", "http"])),
            [""; 0]
        );
    }

    #[test]
    fn a_crate_without_a_floor_and_a_floor_without_its_crate_are_found() {
        assert_eq!(findings(member("castile-attic", &[])).len(), 1);
        let packages = vec![member("castile-codec", &[])];
        let missing = FLOORS.iter().map(|floor| floor.crates.len()).sum::<usize>() + BESIDE.len() - 1;
        assert_eq!(check(&Workspace { packages }).len(), missing);
    }

    #[test]
    fn product_crates_do_not_use_tools() {
        assert_eq!(findings(member("castile-cli", &["xtask"])).len(), 1);
        assert_eq!(findings(member("castile-cli", &["dev:xtask"])), [""; 0]);
    }

    #[test]
    fn a_drawing_that_differs_is_found() {
        let mut drawing = String::from("## Floors\n\ntext\n\n```\n");
        for floor in FLOORS.iter().rev() {
            let alone = floor
                .crates
                .iter()
                .filter(|c| !floor.arrows.iter().any(|(a, b)| a == *c || b == *c));
            let arrows = floor.arrows.iter().map(|(a, b)| format!("{a} <- {b}"));
            let words: Vec<String> = arrows.chain(alone.map(|name| (*name).to_owned())).collect();
            drawing += &format!("{} name   {}\n", floor.level, words.join("   "));
        }
        drawing += "```\n";
        assert_eq!(check_drawing(&drawing), []);
        assert_eq!(
            check_drawing(&drawing.replace("plan <- contract", "plan   contract")).len(),
            1
        );
        assert_eq!(check_drawing("nothing drawn").len(), 1);
    }
}
