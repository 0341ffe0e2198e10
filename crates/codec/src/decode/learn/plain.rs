//! A path as it is followed: what every message has stands in one row.
//!
//! Parts that come in every way through a record are taken out of its graph, and constants that follow each other are
//! one. What is left between two such parts is a smaller graph.

use super::joints::{Comes, Coming};
use super::parts::{Behind, Numbered, Part, Parts};
use super::track::{Items, Several, Step};

/// The steps of a path.
pub(super) fn plain(path: &[Step]) -> Vec<Step> {
    let mut steps = Vec::with_capacity(path.len());
    for step in path {
        match step {
            Step::Parts(parts) => parts.plain(&mut steps),
            Step::Items(several) => push(
                Step::Items(Several {
                    shapes: all_plain(&several.shapes),
                    ..several.clone()
                }),
                &mut steps,
            ),
            Step::Alike(items) => push(
                Step::Alike(Items {
                    several: None,
                    ..items.clone()
                }),
                &mut steps,
            ),
            other => push(other.clone(), &mut steps),
        }
    }
    steps
}

fn all_plain(paths: &[Vec<Step>]) -> Vec<Vec<Step>> {
    paths.iter().map(|path| plain(path)).collect()
}

/// Adds a step; constants that follow each other are one, and what is told between them is told all the same.
fn push(step: Step, steps: &mut Vec<Step>) {
    let Step::Constant(bytes) = &step else {
        return steps.push(step);
    };
    let last = steps.iter().rposition(|step| !matches!(step, Step::Tell(_)));
    let joined = match last.and_then(|at| steps.get(at)) {
        Some(Step::Constant(before)) => Some([&**before, &**bytes].concat()),
        _ => None,
    };
    match last.zip(joined) {
        Some((at, joined)) => {
            steps.remove(at);
            steps.push(Step::Constant(joined.into()));
        }
        None => steps.push(step),
    }
}

impl Parts {
    /// The same as steps: the parts that are always there, and the graphs between them.
    fn plain(&self, steps: &mut Vec<Step>) {
        let mut from = &self.first;
        for number in self.always() {
            let Some((part, [way])) = self.get(number).map(|part| (part, &part.ways[..])) else {
                continue;
            };
            let way = plain(way);
            if from[..] != [number] {
                steps.push(Step::Parts(self.between(from, Some(number), &way)));
            }
            way.into_iter().for_each(|step| push(step, steps));
            from = &part.next;
        }
        if !from.is_empty() {
            steps.push(Step::Parts(self.between(from, None, &[])));
        }
    }

    /// The parts with one way that no message is without, in order.
    fn always(&self) -> Vec<u32> {
        let Some(one) = self.to_end(None) else {
            return Vec::new();
        };
        let single = |part: &&u32| self.get(**part).is_some_and(|part| part.ways.len() == 1);
        let must = |part: &&u32| self.to_end(Some(**part)).is_none();
        one.iter().filter(single).filter(must).copied().collect()
    }

    /// A way to the end that passes a part by.
    fn to_end(&self, without: Option<u32>) -> Option<Vec<u32>> {
        let mut met = vec![false; self.all.len()];
        // Where each was come to from.
        let mut before = vec![Behind::Nothing; self.all.len()];
        let mut open: Vec<(Behind, u32)> = Vec::new();
        open.extend(self.first.iter().map(|&part| (Behind::Nothing, part)));
        while let Some((behind, number)) = open.pop() {
            let part = self.get(number)?;
            if Some(number) == without || std::mem::replace(met.get_mut(number as usize)?, true) {
                continue;
            }
            *before.get_mut(number as usize)? = behind;
            if part.coming.is_end() {
                let mut way = vec![number];
                let mut at = behind;
                while let Behind::Part(part) = at {
                    way.push(part);
                    at = *before.get(part as usize)?;
                }
                way.reverse();
                return Some(way);
            }
            open.extend(part.next.iter().map(|&next| (Behind::Part(number), next)));
        }
        None
    }

    /// What lies between here and a part, which begins with these steps; `None`: the end of the record.
    fn between(&self, from: &[u32], to: Option<u32>, behind: &[Step]) -> Parts {
        let mut numbers: Vec<u32> = Vec::new();
        let mut open = from.to_vec();
        while let Some(number) = open.pop() {
            if Some(number) != to && !numbers.contains(&number) {
                numbers.push(number);
                open.extend(self.next(Behind::Part(number)));
            }
        }
        numbers.sort_unstable();
        let place = |number: &u32| match numbers.binary_search(number) {
            Ok(place) => place as u32,
            Err(_) => numbers.len() as u32,
        };
        // The part that is not among them is where they end.
        let next = |next: &[u32]| {
            let mut next: Vec<u32> = next.iter().map(place).collect();
            next.sort_by_key(|&next| next as usize == numbers.len());
            next
        };
        let part = |number: &u32| {
            let part = self.get(*number)?;
            Some(Part {
                coming: part.coming.clone(),
                count: part.count,
                ways: all_plain(&part.ways),
                next: next(&part.next),
            })
        };
        let mut all: Vec<Part> = numbers.iter().filter_map(part).collect();
        if to.is_some() {
            all.push(Part::nothing());
        }
        let behind = behind.iter().find(|step| !matches!(step, Step::Tell(_)));
        Parts {
            id: self.id,
            all,
            first: next(from),
            entrance: None,
            number: Numbered::default(),
            behind: match behind {
                Some(Step::Constant(bytes)) => bytes.clone(),
                _ => Box::default(),
            },
        }
    }
}

impl Part {
    /// An end of nothing but itself.
    fn nothing() -> Part {
        Part {
            coming: Coming {
                what: Comes::Other,
                state: Box::default(),
                tag: Box::default(),
            },
            count: 0,
            ways: vec![Vec::new()],
            next: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use castile_plan::ComplexId;

    use super::super::parts::merged;
    use super::*;

    fn constant(text: &str) -> Step {
        Step::Constant(text.as_bytes().into())
    }

    /// A record of empty elements, each named by its leaf.
    fn record(leaves: &[usize]) -> Vec<Step> {
        let part = |what, text: String| Part {
            coming: Coming {
                what,
                state: Box::default(),
                tag: Box::default(),
            },
            count: 1,
            ways: vec![vec![constant(&text)]],
            next: Vec::new(),
        };
        let parts = leaves
            .iter()
            .map(|&leaf| part(Comes::Leaf(leaf), format!("<n{leaf}/>")));
        let parts = parts.chain([part(Comes::EndTag, "\n".into())]).collect();
        vec![
            constant("<r>"),
            Step::Parts(Parts::in_order(ComplexId(0), None, parts).expect("a record")),
            constant("</r>"),
        ]
    }

    /// Steps as a text: what may be left out in brackets, with what may follow each part.
    fn shown(steps: &[Step]) -> String {
        let part = |part: &Part| {
            let ways: Vec<String> = part.ways.iter().map(|way| shown(way)).collect();
            format!("{}:{:?} ", ways.join("|"), part.next)
        };
        let step = |step: &Step| match step {
            Step::Constant(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Step::Parts(parts) => {
                let all: String = parts.all.iter().map(part).collect();
                format!(
                    "[{:?} {all}before {}]",
                    parts.first,
                    String::from_utf8_lossy(&parts.behind)
                )
            }
            _ => String::new(),
        };
        steps.iter().map(step).collect()
    }

    fn known(records: &[&[usize]]) -> String {
        let paths = records.iter().map(|leaves| record(leaves));
        let path = paths.reduce(|all, one| merged(&all, &one).expect("they are of one type"));
        shown(&plain(&path.unwrap_or_default()))
    }

    #[test]
    fn a_record_that_is_always_the_same_is_one_constant() {
        assert_eq!(known(&[&[1, 2, 3], &[1, 2, 3]]), "<r><n1/><n2/><n3/>\n</r>");
    }

    #[test]
    fn what_is_always_there_stands_between_what_is_not() {
        assert_eq!(
            known(&[&[1, 2, 3], &[1, 3], &[1, 3, 5]]),
            "<r><n1/>[[0, 1] <n2/>:[1] :[] before <n3/>]<n3/>[[0, 1] <n5/>:[1] :[] before \n]\n</r>"
        );
    }

    #[test]
    fn alternatives_never_follow_each_other() {
        assert_eq!(
            known(&[&[1, 2], &[1, 4], &[1, 2, 3]]),
            "<r><n1/>[[0, 1] <n2/>:[2, 3] <n4/>:[3] <n3/>:[3] :[] before \n]\n</r>"
        );
    }

    #[test]
    fn what_was_seen_in_two_messages_is_known_of_a_third() {
        let two: [&[usize]; 2] = [&[1, 2, 4], &[2, 3, 4]];
        let three: [&[usize]; 4] = [two[0], two[1], &[1, 2, 3, 4], &[2, 4]];
        assert_eq!(known(&two), known(&three));
    }
}
