//! How deep the least value of each type is, so that making a value always ends.

use std::collections::HashMap;

use castile_plan::{ComplexId, Field, FieldKind, Particle, TypeId, Types};

use super::children;

/// Of each complex type the nesting of its least value; `None`: it has no finite value.
pub(super) struct Heights {
    complex: Vec<Option<u32>>,
    /// Of each complex type the least of each particle.
    particles: Vec<Vec<Option<u32>>>,
    /// Concrete types derived from each type that has some, in the order of the table.
    derived: HashMap<ComplexId, Vec<ComplexId>>,
}

impl Heights {
    /// Looks through the table until nothing new is finite.
    pub(super) fn new(types: &Types) -> Self {
        let count = types.complex.len();
        let mut heights = Heights {
            complex: vec![None; count],
            particles: vec![Vec::new(); count],
            derived: derived(types),
        };
        let mut changed = true;
        while changed {
            changed = false;
            for i in 0..count {
                if heights.complex[i].is_none() {
                    heights.complex[i] = heights.of(types, ComplexId(i as u32));
                    changed |= heights.complex[i].is_some();
                }
            }
        }
        for (i, complex) in types.complex.iter().enumerate() {
            let id = ComplexId(i as u32);
            heights.particles[i] = (0..complex.content.len())
                .map(|p| heights.of_particle(types, id, p))
                .collect();
        }
        heights
    }

    /// The nesting of the least value of a type.
    pub(super) fn complex(&self, id: ComplexId) -> Option<u32> {
        self.complex[id.index()]
    }

    /// The same of a particle of it.
    pub(super) fn particle(&self, id: ComplexId, particle: usize) -> Option<u32> {
        self.particles[id.index()].get(particle).copied().flatten()
    }

    /// The type to make a value of: the declared one, or one derived from it where it is abstract
    /// or the caller wants one (by number, round and round).
    pub(super) fn concrete(
        &self,
        types: &Types,
        declared: ComplexId,
        wanted: Option<usize>,
    ) -> Option<ComplexId> {
        let finite = |id: &&ComplexId| self.complex(**id).is_some();
        let derived = || {
            self.derived
                .get(&declared)
                .into_iter()
                .flatten()
                .filter(finite)
                .copied()
        };
        let choose = |n: usize| derived().nth(n.checked_rem(derived().count())?);
        if types.complex(declared).is_abstract {
            return match wanted {
                Some(n) => choose(n),
                None => derived().min_by_key(|id| self.complex(*id)),
            };
        }
        Some(wanted.and_then(choose).unwrap_or(declared))
    }

    fn of(&self, types: &Types, id: ComplexId) -> Option<u32> {
        let complex = types.complex(id);
        if complex.is_abstract {
            return self
                .derived
                .get(&id)?
                .iter()
                .filter_map(|id| self.complex(*id))
                .min();
        }
        let blocked = |f: &Field| {
            let outside = matches!(f.kind, FieldKind::Attribute | FieldKind::Text);
            outside && f.required && matches!(f.ty, TypeId::Unsupported(_))
        };
        if complex.fields.iter().any(blocked) {
            return None;
        }
        let content = if complex.content.is_empty() {
            0
        } else {
            self.of_particle(types, id, 0)?
        };
        Some(content + 1)
    }

    fn of_particle(&self, types: &Types, id: ComplexId, i: usize) -> Option<u32> {
        let content = &types.complex(id).content;
        let below = || children(content, i).map(|child| self.of_particle(types, id, child));
        match *content.get(i)? {
            Particle::Leaf { occurs, .. } if occurs.min == 0 => Some(0),
            Particle::Leaf { field, .. } => {
                let field = types.complex(id).fields.get(field as usize)?;
                match field.ty {
                    _ if field.nillable => Some(0),
                    TypeId::Complex(id) => self.complex(id),
                    TypeId::Unsupported(_) => None,
                    TypeId::Simple(_) | TypeId::Any => Some(0),
                }
            }
            Particle::Sequence { optional, .. } | Particle::All { optional, .. } if optional => Some(0),
            Particle::Sequence { .. } | Particle::All { .. } => {
                below().try_fold(0, |most, height| Some(most.max(height?)))
            }
            Particle::Choice { optional: true, .. } => Some(0),
            Particle::Choice { .. } => below().flatten().min(),
        }
    }
}

/// Named concrete types under each type that they are derived from.
fn derived(types: &Types) -> HashMap<ComplexId, Vec<ComplexId>> {
    let mut derived: HashMap<ComplexId, Vec<ComplexId>> = HashMap::new();
    for (i, complex) in types.complex.iter().enumerate() {
        let id = ComplexId(i as u32);
        if complex.is_abstract || complex.name.is_none() {
            continue;
        }
        let mut at = complex.base;
        // A chain cannot be longer than the table.
        for _ in 0..types.complex.len() {
            let Some(TypeId::Complex(base)) = at else { break };
            derived.entry(base).or_default().push(id);
            at = types.complex(base).base;
        }
    }
    derived
}
