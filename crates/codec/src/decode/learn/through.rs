//! Following a record whose parts come and go.

use castile_value::deep;

use super::follow::Walk;
use super::grow::Stand;
use super::joints::{Comes, name_of};
use super::parts::{Behind, Part, Parts};
use super::track::Step;

/// Leaves that were passed, and how many children of each there were.
type Passed = Vec<(u32, u32)>;

impl Walk<'_, '_, '_> {
    /// Where a record ends that is made up of these parts.
    pub(super) fn parts(&mut self, parts: &Parts, at: usize) -> Option<usize> {
        self.through(parts, Stand::Known(Behind::Nothing), &mut Vec::new(), at)
    }

    /// Any way to the end of a record from here.
    fn through(
        &mut self,
        parts: &Parts,
        mut stand: Stand,
        passed: &mut Passed,
        mut at: usize,
    ) -> Option<usize> {
        loop {
            let known = self.next(parts, stand);
            let mut met = None;
            for (place, &number) in known.iter().enumerate() {
                let part = parts.get(number)?;
                match &part.ways[..] {
                    // Which leaf an element belongs to is certain: where this part fits, no other does.
                    [way] if parts.is_certain(known, place) => met = self.way(parts, (number, 0, way), at),
                    ways => {
                        if let Some(end) = self.any_way(parts, number, ways, passed, at)? {
                            return Some(end);
                        }
                    }
                }
                if met.is_some() {
                    stand = Stand::Known(Behind::Part(number));
                    break;
                }
            }
            at = match met {
                Some(end) => end,
                None => {
                    let (new, end) = self.new_part(parts, stand, passed, at)?;
                    stand = Stand::New(new);
                    end
                }
            };
            if self.has_ended(parts, stand) {
                return Some(at);
            }
            if self.growing.is_some() {
                passed.extend(self.leaf(parts, stand));
            }
        }
    }

    /// The same behind each of several ways that a part may go, until one leads to the end. Nothing: none does, and no other
    /// may be tried.
    #[expect(
        clippy::option_option,
        reason = "none of them, and the end of all trying, are not the same"
    )]
    fn any_way(
        &mut self,
        parts: &Parts,
        number: u32,
        ways: &[Vec<Step>],
        passed: &mut Passed,
        at: usize,
    ) -> Option<Option<usize>> {
        let (marks, taken_over, before) = (self.found.lengths(), self.taken_over, passed.len());
        let stand = Stand::Known(Behind::Part(number));
        for (i, way) in ways.iter().enumerate() {
            let Some(end) = self.way(parts, (number, i as u32, way), at) else {
                continue;
            };
            if self.has_ended(parts, stand) {
                return Some(Some(end));
            }
            passed.extend(self.leaf(parts, stand));
            let end = deep(|| self.through(parts, stand, passed, end));
            passed.truncate(before);
            // An array that was taken over from this message cannot be compared with it again.
            if end.is_some() || self.taken_over != taken_over {
                return end.map(Some);
            }
            self.found.truncate(marks);
        }
        Some(None)
    }

    /// Where a part ends that goes one way.
    fn way(&mut self, parts: &Parts, (number, i, way): (u32, u32, &[Step]), at: usize) -> Option<usize> {
        let rest = self.ground.input.as_bytes().get(at..)?;
        if !may_begin(way, rest) {
            return None;
        }
        let marks = self.found.lengths();
        self.found.counts.extend([number, i]);
        let end = deep(|| self.steps(way, at)).filter(|&end| {
            let part = parts.get(number).filter(|part| part.coming.is_end());
            part.is_none_or(|part| self.ends(parts, part, end))
        });
        if end.is_none() {
            self.found.truncate(marks);
        }
        end
    }

    /// What may come behind this.
    fn next<'p>(&self, parts: &'p Parts, stand: Stand) -> &'p [u32] {
        match stand {
            Stand::Known(behind) => parts.next(behind),
            // What may stand behind a part is the same wherever that was met.
            Stand::New(i) => match self.found.new.get(i).and_then(|new| parts.find(new.part()?)) {
                Some(part) => parts.next(Behind::Part(part)),
                None => &[],
            },
        }
    }

    fn has_ended(&self, parts: &Parts, stand: Stand) -> bool {
        match stand {
            Stand::Known(Behind::Nothing) => false,
            Stand::Known(Behind::Part(part)) => parts.get(part).is_none_or(|part| part.coming.is_end()),
            Stand::New(i) => self.found.new.get(i).is_none_or(|new| new.is_end()),
        }
    }

    /// The leaf that was passed last, and how many children of it there were.
    fn leaf(&self, parts: &Parts, stand: Stand) -> Option<(u32, u32)> {
        let part = match stand {
            Stand::Known(Behind::Nothing) => return None,
            Stand::Known(Behind::Part(part)) => parts.get(part)?,
            Stand::New(i) => self.found.new.get(i)?.part()?,
        };
        Some((part.coming.leaf()?, part.count))
    }

    /// Whether a record has ended where this end of it does.
    fn ends(&self, parts: &Parts, end: &Part, at: usize) -> bool {
        let rest = self.ground.input.as_bytes().get(at..).unwrap_or_default();
        let ended = match end.coming.what {
            Comes::EndTag => rest.starts_with(b"</"),
            // Of a graph that is a part of a record.
            Comes::Other if end.coming.tag.is_empty() => true,
            _ if end.coming.tag.ends_with(b">") => rest.starts_with(&end.coming.tag),
            _ => name_of(rest) == &*end.coming.tag && !declares(rest),
        };
        ended && rest.starts_with(&parts.behind)
    }
}

/// Whether the tag that some bytes begin with declares a prefix.
fn declares(bytes: &[u8]) -> bool {
    let end = memchr::memchr(b'>', bytes).unwrap_or(bytes.len());
    let tag = bytes.get(..end).unwrap_or_default();
    memchr::memmem::find(tag, b"xmlns").is_some()
}

/// Whether the first few bytes are those that the steps begin with.
fn may_begin(steps: &[Step], rest: &[u8]) -> bool {
    match steps.iter().find(|step| !matches!(step, Step::Tell(_))) {
        Some(Step::Constant(bytes)) => match (bytes.first_chunk::<8>(), rest.first_chunk::<8>()) {
            (Some(expected), Some(found)) => expected == found,
            _ => rest.starts_with(bytes),
        },
        _ => true,
    }
}
