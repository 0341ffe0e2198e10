//! Which fields of a type are alternatives of one another, and so become an enum.

use castile_plan::{Complex, ComplexId, Field, FieldKind, Particle, Types};

/// How the fields of a complex type are told in Rust.
#[derive(Debug, PartialEq)]
pub(super) enum Layout {
    /// A struct.
    Struct(Vec<Member>),
    /// The type is a choice and nothing else: an enum, one variant a field.
    Choice,
}

/// A member of a struct.
#[derive(Debug, PartialEq)]
pub(super) enum Member {
    /// One field.
    Field(u32),
    /// A choice of fields.
    Choice {
        /// Whether there may be none of them.
        optional: bool,
        fields: Vec<u32>,
    },
}

pub(super) fn layout(types: &Types, id: ComplexId) -> Layout {
    let complex = types.complex(id);
    let choices = match types.shares_fields(id) {
        true => Vec::new(),
        false => choices(complex),
    };
    if let [(fields, false)] = &choices[..]
        && fields.len() == complex.fields.len()
        && !complex.is_abstract
    {
        return Layout::Choice;
    }
    let mut members = Vec::new();
    let mut choices = choices.into_iter().peekable();
    for field in 0..complex.fields.len() as u32 {
        match choices.peek() {
            Some((fields, _)) if fields.contains(&field) => {
                if fields.last() == Some(&field)
                    && let Some((fields, optional)) = choices.next()
                {
                    members.push(Member::Choice { optional, fields });
                }
            }
            _ => members.push(Member::Field(field)),
        }
    }
    Layout::Struct(members)
}

/// The choices whose alternatives are all single fields, in order, each with whether it may be empty.
fn choices(complex: &Complex) -> Vec<(Vec<u32>, bool)> {
    let mut found = Vec::new();
    // The end of the outermost optional group or choice that is open.
    let mut optional_until = 0;
    for (i, particle) in complex.content.iter().enumerate() {
        let at = i as u32;
        match *particle {
            Particle::Choice { optional, end } => {
                let inside = complex.content.get(i + 1..end as usize).unwrap_or_default();
                if let Some(fields) = alternatives(complex, inside) {
                    let nullable = inside
                        .iter()
                        .any(|p| matches!(p, Particle::Leaf { occurs, .. } if occurs.min == 0));
                    found.push((fields, optional || nullable || at < optional_until));
                }
                optional_until = optional_until.max(end);
            }
            Particle::Sequence { optional: true, end } | Particle::All { optional: true, end } => {
                optional_until = optional_until.max(end);
            }
            _ => {}
        }
    }
    found
}

/// The fields of these particles, if they are two or more single leaves of consecutive fields.
fn alternatives(complex: &Complex, inside: &[Particle]) -> Option<Vec<u32>> {
    let field = |particle: &Particle| match particle {
        Particle::Leaf { field, .. } => Some(*field).filter(|&f| may_choose(complex.fields.get(f as usize))),
        _ => None,
    };
    let fields: Vec<u32> = inside.iter().map(field).collect::<Option<_>>()?;
    let consecutive = fields.windows(2).all(|w| w[0] + 1 == w[1]);
    (fields.len() > 1 && consecutive).then_some(fields)
}

fn may_choose(field: Option<&Field>) -> bool {
    field.is_some_and(|f| matches!(f.kind, FieldKind::Element | FieldKind::Any(_) | FieldKind::Group))
}
