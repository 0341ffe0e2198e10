//! The name that was probably meant: [`near`].

/// The name that is like `name` but for a letter or two that were left out, put in, exchanged or swapped, or
/// for the case of its letters; the nearest if there are several.
///
/// ```
/// assert_eq!(castile_contract::near("Stpo", ["Start", "Stop"]), Some("Stop"));
/// assert_eq!(castile_contract::near("Fetch", ["Start", "Stop"]), None);
/// ```
pub fn near<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let wanted = letters(name);
    // One letter in five may be wrong, and one always.
    let distance_max = 1 + wanted.len() / 5;
    let distances = known
        .into_iter()
        .map(|known| (distance(&wanted, &letters(known)), known));
    let nearest = distances.min_by_key(|(distance, _)| *distance)?;
    (nearest.0 <= distance_max && nearest.0 < wanted.len()).then_some(nearest.1)
}

/// Longer names are compared by their beginnings.
const LETTERS_MAX: usize = 100;

fn letters(name: &str) -> Vec<char> {
    name.chars()
        .flat_map(char::to_lowercase)
        .take(LETTERS_MAX)
        .collect()
}

/// The least number of letters to leave out, put in, exchange, or swap with their neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (above[j] + usize::from(x != y))
                .min(above[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_names_are_not() {
        let known = ["GetNodes", "GetNode", "Stop", "echoVoid"];
        for (name, expected) in [
            ("getnodes", Some("GetNodes")),
            ("GetNods", Some("GetNodes")),
            ("GteNode", Some("GetNode")),
            ("ecoVoid", Some("echoVoid")),
            ("Stpo", Some("Stop")),
            ("", None),
            ("S", None),
            ("Go", None),
            ("SetNodeTimes", None),
        ] {
            assert_eq!(near(name, known), expected, "{name}");
        }
        assert_eq!(near("a", []), None);
    }
}
