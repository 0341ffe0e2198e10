//! The content of a complex type as people see it: fields, and which of them exclude each other.

use castile_plan::{Complex, Field, FieldKind, Occurs, Particle};

/// A line or block of an outline.
#[derive(Debug, PartialEq)]
pub(super) enum Row<'t> {
    /// A field and how often it stands.
    Field(&'t Field, Occurs),
    /// One of several.
    Choice(Occurs, Vec<Row<'t>>),
    /// Some that come together or not at all.
    Together(Vec<Row<'t>>),
}

/// The outline of a type: attributes and text first, then the content in document order.
pub(super) fn outline(complex: &Complex) -> Vec<Row<'_>> {
    let outside = complex.fields.iter().filter(|f| !is_content(f));
    let occurs = |f: &Field| Occurs {
        min: u32::from(f.required),
        max: 1,
    };
    let mut rows: Vec<Row<'_>> = outside.map(|f| Row::Field(f, occurs(f))).collect();
    if !complex.content.is_empty() {
        particle(complex, 0, true, &mut rows);
    }
    rows
}

fn is_content(field: &Field) -> bool {
    matches!(
        field.kind,
        FieldKind::Element | FieldKind::Any(_) | FieldKind::Group
    )
}

/// Adds the rows of particle `i`; gives the index after its last descendant. `plain`: a sequence
/// here is nothing but its parts.
fn particle<'t>(complex: &'t Complex, i: usize, plain: bool, rows: &mut Vec<Row<'t>>) -> usize {
    let Some(&particle) = complex.content.get(i) else {
        return i + 1;
    };
    match particle {
        Particle::Leaf { field, occurs } => {
            if let Some(field) = complex.fields.get(field as usize) {
                rows.push(Row::Field(field, occurs));
            }
            i + 1
        }
        Particle::Sequence { optional, end } | Particle::All { optional, end } => {
            let end = end as usize;
            if plain && !optional {
                children(complex, i, end, true, rows);
            } else {
                let mut inner = Vec::new();
                children(complex, i, end, true, &mut inner);
                // A lone part needs no block around it, unless it is needed only with the block.
                match (inner.len(), optional) {
                    (0, _) => {}
                    (1, false) => rows.append(&mut inner),
                    _ => rows.push(Row::Together(inner)),
                }
            }
            end
        }
        Particle::Choice { optional, end } => {
            let mut inner = Vec::new();
            children(complex, i, end as usize, false, &mut inner);
            rows.push(Row::Choice(
                Occurs {
                    min: u32::from(!optional),
                    max: 1,
                },
                inner,
            ));
            end as usize
        }
    }
}

fn children<'t>(complex: &'t Complex, i: usize, end: usize, plain: bool, rows: &mut Vec<Row<'t>>) {
    let mut at = i + 1;
    while at < end {
        at = particle(complex, at, plain, rows);
    }
}
