//! Where rows came and went: what of an array of another length is the last one.

use std::ops::Range;

/// Old rows that new ones replace; either may be none.
pub(crate) type Edit = (Range<usize>, Range<usize>);

/// Rows searched for the place where both go on alike.
const REACH: usize = 4096;
/// Rows that must be alike there.
const SURE: usize = 4;
/// Searches that may fail before the rest is taken as changed in place.
const FAILURES: usize = 32;

/// What to replace so that `old` rows become as many as there are `new` ones, ascending. Rows that
/// stay may have changed in place. `alike` tells how many rows from one old and one new row on are
/// equal, up to a number given.
///
/// Any answer is right; a good one keeps most rows.
pub(crate) fn edits(old: usize, new: usize, alike: impl Fn(usize, usize, usize) -> usize) -> Vec<Edit> {
    let mut edits = Vec::new();
    let (mut i, mut j, mut failures) = (0, 0, 0);
    while i < old && j < new {
        let run = alike(i, j, usize::MAX);
        i += run;
        j += run;
        if i == old || j == new {
            break;
        }
        let goes_on = |i: usize, j: usize| {
            let sure = SURE.min(old.saturating_sub(i)).min(new.saturating_sub(j));
            sure > 0 && alike(i, j, sure) == sure
        };
        if goes_on(i + 1, j + 1) {
            (i, j) = (i + 1, j + 1);
        } else if let Some((gone, came)) = (1..REACH).find_map(|n| {
            let gone = goes_on(i + n, j).then_some((n, 0));
            gone.or_else(|| goes_on(i, j + n).then_some((0, n)))
        }) {
            edits.push((i..i + gone, j..j + came));
            (i, j) = (i + gone, j + came);
        } else {
            failures += 1;
            if failures == FAILURES {
                break;
            }
            (i, j) = (i + 1, j + 1);
        }
    }
    let rest = (old - i).min(new - j);
    if old - i != new - j {
        edits.push((i + rest..old, j + rest..new));
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(old: &[u32], new: &[u32]) -> Vec<Edit> {
        edits(old.len(), new.len(), |i, j, most| {
            let pairs = old[i..].iter().zip(&new[j..]).take(most);
            pairs.take_while(|(a, b)| a == b).count()
        })
    }

    /// The edits turn the one into the other, but for rows changed in place.
    fn check(old: &[u32], new: &[u32]) -> Vec<Edit> {
        let edits = of(old, new);
        let mut made = old.to_vec();
        for (gone, came) in edits.iter().rev() {
            made.splice(gone.clone(), new[came.clone()].iter().copied());
        }
        assert_eq!(made.len(), new.len());
        edits
    }

    #[test]
    fn rows_that_came_and_went_are_found() {
        let old: Vec<u32> = (0..1000).collect();
        let mut new = old.clone();
        new.drain(500..600);
        new.push(7);
        assert_eq!(check(&old, &new), [(500..600, 500..500), (1000..1000, 900..901)]);
        new.splice(20..20, [1, 2, 3]);
        new[300] = 9;
        assert_eq!(
            check(&old, &new),
            [(20..20, 20..23), (500..600, 503..503), (1000..1000, 903..904)]
        );
        assert_eq!(check(&old, &old), []);
        assert_eq!(check(&old, &[]), [(0..1000, 0..0)]);
        assert_eq!(check(&[], &old), [(0..0, 0..1000)]);
    }

    #[test]
    fn arrays_that_have_nothing_in_common_are_cut_at_the_end() {
        let old: Vec<u32> = (0..10_000).collect();
        let new: Vec<u32> = (20_000..29_000).collect();
        assert_eq!(check(&old, &new), [(9000..10_000, 9000..9000)]);
        let many = vec![1; 5000];
        assert_eq!(check(&many[..4000], &many), [(4000..4000, 4000..5000)]);
    }
}
