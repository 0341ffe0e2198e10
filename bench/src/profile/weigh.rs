//! Paper 002, section 3.2: how often each package was met at each depth of the stack.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Stacks;
use super::package::{of, waits};

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Weights {
    /// Samples that worked, and that waited.
    pub(super) work: u64,
    pub(super) waiting: u64,
    /// The heaviest first, by what they did themselves.
    pub(super) packages: Vec<Package>,
    /// Samples by depth (from 1, the outermost), package and kind.
    pub(super) cells: Vec<Cell>,
}

/// One package.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Package {
    pub(super) name: String,
    /// Samples whose innermost frame is of it.
    pub(super) exclusive: u64,
    /// Samples with any frame of it.
    pub(super) inclusive: u64,
}

/// One package at one depth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Cell {
    depth: usize,
    package: String,
    exclusive: u64,
    inclusive: u64,
}

/// How many of the innermost frames say whether a stack waits: what the system calls wait in is wrapped.
const INNERMOST: usize = 3;

pub(super) fn weigh(stacks: &Stacks) -> Weights {
    let mut weights = Weights::default();
    let mut packages: BTreeMap<String, Package> = BTreeMap::new();
    let mut cells: BTreeMap<(usize, String), (u64, u64)> = BTreeMap::new();
    for (frames, count) in &stacks.stacks {
        if waits(&frames[frames.len().saturating_sub(INNERMOST)..]) {
            weights.waiting += count;
            continue;
        }
        weights.work += count;
        let names: Vec<String> = frames.iter().map(|frame| of(frame)).collect();
        for name in names.iter().collect::<BTreeSet<_>>() {
            packages.entry(name.clone()).or_default().inclusive += count;
        }
        for (index, name) in names.iter().enumerate() {
            cells.entry((index + 1, name.clone())).or_default().1 += count;
        }
        if let Some(last) = names.last() {
            packages.entry(last.clone()).or_default().exclusive += count;
            cells.entry((names.len(), last.clone())).or_default().0 += count;
        }
    }
    weights.packages = packages
        .into_iter()
        .map(|(name, package)| Package { name, ..package })
        .collect();
    weights
        .packages
        .sort_by_key(|p| (std::cmp::Reverse((p.exclusive, p.inclusive)), p.name.clone()));
    weights.cells = cells
        .into_iter()
        .map(|((depth, package), (exclusive, inclusive))| Cell {
            depth,
            package,
            exclusive,
            inclusive,
        })
        .collect();
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's toy (its figures 5 and 6): six samples, three stacks, all of which end in lib3 at depth 6.
    #[test]
    fn the_papers_example_weighs_what_it_says() {
        let text = "a.A.m;lib1.X.a;lib2.Y.b;lib2.Y.c;lib3.S.d;lib3.Signal.travel 3\n\
                    a.A.m;lib1.X.a;lib2.Y.b;lib2.Y.c;lib2.Y.e;lib3.Pressure.foo 1\n\
                    a.A.m;lib1.X.a;lib1.X.f;lib2.Y.c;lib3.S.d;lib3.Signal.travel 2\n\
                    a.A.m;java.net.P.socketAccept 9\n";
        let weights = weigh(&Stacks::parse(text).expect("stacks"));
        assert_eq!((weights.work, weights.waiting), (6, 9));
        let lib3 = &weights.packages[0];
        assert_eq!((&*lib3.name, lib3.exclusive, lib3.inclusive), ("lib3", 6, 6));
        let at = |depth: usize, package: &str| {
            let cell = weights
                .cells
                .iter()
                .find(|c| c.depth == depth && c.package == package);
            cell.map(|c| (c.exclusive, c.inclusive))
        };
        assert_eq!(at(6, "lib3"), Some((6, 6)));
        assert_eq!(at(5, "lib3"), Some((0, 5)));
        assert_eq!(at(3, "lib2"), Some((0, 4)));
        assert_eq!(at(7, "lib3"), None);
    }
}
