//! What two attribute wildcards admit together (XSD part 1, 3.10.6).

use castile_plan::{NsIx, Wildcard};

/// What either admits, for an extension; the contents are asked for as `a` says.
pub(super) fn union(a: Wildcard, b: &Wildcard) -> Wildcard {
    let (namespaces, other_than) = match (&a.namespaces, a.other_than, &b.namespaces, b.other_than) {
        (None, None, ..) | (.., None, None) => (None, None),
        (_, Some(x), _, Some(y)) if x == y => (None, Some(x)),
        // All but two namespaces and none is nearly all but none.
        (_, Some(_), _, Some(_)) => (None, Some(NsIx::NONE)),
        (Some(list), None, _, Some(not)) | (_, Some(not), Some(list), None) => {
            let (own, none) = (list.contains(&not), list.contains(&NsIx::NONE));
            match (own, none) {
                (true, true) => (None, None),
                (true, false) => (None, Some(NsIx::NONE)),
                // Not to be said in XSD 1.0; what is admitted too much harms nobody.
                (false, true) => (None, None),
                (false, false) => (None, Some(not)),
            }
        }
        (Some(x), None, Some(y), None) => (Some(joined(x, y)), None),
    };
    Wildcard {
        namespaces,
        other_than,
        process: a.process,
    }
}

/// What both admit, for several in one type; the contents are asked for as `a` says.
pub(super) fn intersection(a: Wildcard, b: &Wildcard) -> Wildcard {
    let (namespaces, other_than) = match (&a.namespaces, a.other_than, &b.namespaces, b.other_than) {
        (None, None, namespaces, other) | (namespaces, other, None, None) => (namespaces.clone(), other),
        (_, Some(x), _, Some(y)) if x == y || y == NsIx::NONE => (None, Some(x)),
        (_, Some(_), _, Some(y)) => (None, Some(y)),
        (Some(list), None, _, Some(_)) => (Some(admitted(list, b)), None),
        (_, Some(_), Some(list), None) => (Some(admitted(list, &a)), None),
        (Some(list), None, Some(_), None) => (Some(admitted(list, b)), None),
    };
    Wildcard {
        namespaces,
        other_than,
        process: a.process,
    }
}

fn admitted(list: &[NsIx], by: &Wildcard) -> Vec<NsIx> {
    list.iter().copied().filter(|&ns| by.admits(Some(ns))).collect()
}

fn joined(a: &[NsIx], b: &[NsIx]) -> Vec<NsIx> {
    let new = b.iter().filter(|ns| !a.contains(ns));
    a.iter().chain(new).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use castile_plan::Process;

    const A: NsIx = NsIx(4);
    const B: NsIx = NsIx(5);

    fn any() -> Wildcard {
        Wildcard {
            namespaces: None,
            other_than: None,
            process: Process::Strict,
        }
    }

    fn list(namespaces: &[NsIx]) -> Wildcard {
        Wildcard {
            namespaces: Some(namespaces.to_vec()),
            ..any()
        }
    }

    fn other(than: NsIx) -> Wildcard {
        Wildcard {
            other_than: Some(than),
            ..any()
        }
    }

    #[test]
    fn together_they_admit_what_sets_of_names_say() {
        let all = [
            any(),
            list(&[]),
            list(&[A]),
            list(&[A, NsIx::NONE]),
            list(&[B]),
            other(A),
            other(B),
        ];
        for a in &all {
            for b in &all {
                for ns in [None, Some(NsIx::NONE), Some(A), Some(B)] {
                    let (in_a, in_b) = (a.admits(ns), b.admits(ns));
                    let either = union(a.clone(), b).admits(ns);
                    assert!(either || !(in_a || in_b), "{a:?} or {b:?}: {ns:?}");
                    let both = intersection(a.clone(), b).admits(ns);
                    assert!(both || !(in_a && in_b), "{a:?} and {b:?}: {ns:?}");
                    let expressible = a.other_than.is_none() || b.other_than.is_none();
                    assert!(!expressible || !both || (in_a && in_b), "{a:?} and {b:?}: {ns:?}");
                }
            }
        }
        assert_eq!(union(list(&[A]), &list(&[B])), list(&[A, B]));
        assert_eq!(union(other(A), &list(&[B])), other(A));
        assert!(!union(other(A), &other(A)).admits(Some(A)));
    }
}
