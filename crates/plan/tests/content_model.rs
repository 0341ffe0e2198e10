//! Which leaf may follow which, against a matcher that tries everything.

use castile_plan::{
    Builtin, Complex, ComplexId, Derivation, Field, FieldKind, NsIx, Occurs, Particle, QName, TypeId, Types,
};
use proptest::prelude::*;

/// A content model as a tree; a leaf is the next number in document order.
#[derive(Clone, Debug)]
enum Tree {
    Leaf(u32, u32),
    Group(Kind, bool, Vec<Tree>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Sequence,
    Choice,
    All,
}

fn leaf() -> impl Strategy<Value = Tree> {
    (0u32..3, 0u32..3).prop_map(|(min, more)| Tree::Leaf(min, (min + more).max(1)))
}

fn tree() -> impl Strategy<Value = Tree> {
    let inner = leaf().prop_recursive(4, 12, 4, |inner| {
        let kind = prop_oneof![Just(Kind::Sequence), Just(Kind::Choice)];
        (kind, any::<bool>(), prop::collection::vec(inner, 0..4))
            .prop_map(|(k, o, items)| Tree::Group(k, o, items))
    });
    let items = prop::collection::vec(inner.clone(), 1..4);
    // XSD has elements only in an `all`; groups there come out of extensions that it forbids.
    let part = prop_oneof![3 => (0u32..2).prop_map(|min| Tree::Leaf(min, 1)), 1 => inner.clone()];
    let all = prop::collection::vec(part, 1..5);
    prop_oneof![
        4 => items.prop_map(|items| Tree::Group(Kind::Sequence, false, items)),
        1 => (any::<bool>(), all).prop_map(|(optional, items)| Tree::Group(Kind::All, optional, items)),
    ]
}

fn flatten(tree: &Tree, content: &mut Vec<Particle>, leaves: &mut u32) {
    match tree {
        Tree::Leaf(min, max) => {
            content.push(Particle::Leaf {
                field: *leaves,
                occurs: Occurs { min: *min, max: *max },
            });
            *leaves += 1;
        }
        Tree::Group(kind, optional, items) => {
            let at = content.len();
            content.push(Particle::Leaf {
                field: 0,
                occurs: Occurs::ONE,
            });
            items.iter().for_each(|item| flatten(item, content, leaves));
            let (optional, end) = (*optional, content.len() as u32);
            content[at] = match kind {
                Kind::Sequence => Particle::Sequence { optional, end },
                Kind::Choice => Particle::Choice { optional, end },
                Kind::All => Particle::All { optional, end },
            };
        }
    }
}

fn table(tree: &Tree) -> Types {
    let (mut content, mut leaves) = (Vec::new(), 0);
    flatten(tree, &mut content, &mut leaves);
    let field = |i: u32| Field {
        name: format!("f{i}").into(),
        wire: QName::new(NsIx::NONE, format!("f{i}")),
        kind: FieldKind::Element,
        ty: TypeId::Simple(Builtin::String.into()),
        many: true,
        required: false,
        nillable: false,
        default: None,
        fixed: None,
        doc: None,
    };
    let mut types = Types::new();
    types.complex.push(Complex {
        name: None,
        label: "t".into(),
        base: None,
        derivation: Derivation::None,
        is_abstract: false,
        fields: (0..leaves).map(field).collect(),
        content,
        array: None,
        doc: None,
    });
    types.seal().expect("a tree is a good table");
    types
}

/// The places at which a match of `tree`, begun at `at`, can end. `first` is its first leaf.
fn ends(tree: &Tree, first: u32, text: &[u32], at: usize) -> Vec<usize> {
    match tree {
        Tree::Leaf(min, max) => {
            let run = text[at..]
                .iter()
                .take_while(|&&l| l == first)
                .count()
                .min(*max as usize);
            (*min as usize..=run).map(|n| at + n).collect()
        }
        Tree::Group(kind, optional, items) => {
            let starts = starts(items, first);
            let mut found = match kind {
                Kind::Sequence => items.iter().zip(&starts).fold(vec![at], |ats, (item, &s)| {
                    let mut next: Vec<usize> = ats.iter().flat_map(|&a| ends(item, s, text, a)).collect();
                    next.sort_unstable();
                    next.dedup();
                    next
                }),
                Kind::Choice => items
                    .iter()
                    .zip(&starts)
                    .flat_map(|(item, &s)| ends(item, s, text, at))
                    .collect(),
                Kind::All => {
                    let mut found = Vec::new();
                    each_order(&mut (0..items.len()).collect(), 0, &mut |order| {
                        let ends = order.iter().fold(vec![at], |ats, &i| {
                            ats.iter()
                                .flat_map(|&a| ends(&items[i], starts[i], text, a))
                                .collect()
                        });
                        found.extend(ends);
                    });
                    found
                }
            };
            if *optional {
                found.push(at);
            }
            found.sort_unstable();
            found.dedup();
            found
        }
    }
}

fn each_order(items: &mut Vec<usize>, from: usize, each: &mut dyn FnMut(&[usize])) {
    if from == items.len() {
        return each(items);
    }
    for i in from..items.len() {
        items.swap(from, i);
        each_order(items, from + 1, each);
        items.swap(from, i);
    }
}

fn starts(items: &[Tree], first: u32) -> Vec<u32> {
    let mut at = first;
    let next = |item| {
        let start = at;
        at += size(item);
        start
    };
    items.iter().map(next).collect()
}

fn size(tree: &Tree) -> u32 {
    match tree {
        Tree::Leaf(..) => 1,
        Tree::Group(_, _, items) => items.iter().map(size).sum(),
    }
}

/// Walks as a reader does.
fn walks(types: &Types, text: &[u32]) -> bool {
    let id = ComplexId(0);
    let leaves = types.leaves(id);
    let mut counts = vec![0; leaves.len()];
    let mut after = None;
    for &next in text {
        if counts[next as usize] >= leaves[next as usize].occurs.max {
            return false;
        }
        if after != Some(next) {
            let may = types.may_follow(id, &counts, after, next).is_ok();
            let satisfied = |a: u32| counts[a as usize] >= leaves[a as usize].occurs.min;
            if after.is_some_and(|a| a + 1 == next && leaves[a as usize].leads_on && satisfied(a)) {
                assert!(may, "leads_on promises too much");
            }
            if !may {
                return false;
            }
        }
        counts[next as usize] += 1;
        after = Some(next);
    }
    types.may_end(id, &counts, after).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn walking_accepts_exactly_the_language(
        tree in tree(),
        texts in prop::collection::vec(prop::collection::vec(0u32..6, 0..6), 40),
        sorted in prop::collection::vec(prop::collection::vec(0u32..12, 0..8), 40),
    ) {
        let types = table(&tree);
        let leaves = size(&tree);
        let sorted = sorted.into_iter().map(|mut text| { text.sort_unstable(); text });
        for text in texts.into_iter().chain(sorted) {
            let text: Vec<u32> = text.into_iter().filter(|&l| l < leaves).collect();
            let expected = ends(&tree, 0, &text, 0).contains(&text.len());
            prop_assert_eq!(walks(&types, &text), expected, "{:?} in {:?}", text, tree);
        }
    }
}
