//! Replies made of what the request brought.

use castile_plan::{ComplexId, Field, TypeId, Types};
use castile_value::{Record, Value};

/// Records nested deeper than this are not looked through.
const DEPTH_MAX: u32 = 4;

/// The reply's record with the values of the request's where these fit: a field of the same name
/// and type; else the only field of the same type; else, in a record, its fields in the same way.
/// What fits nothing stays as it is in the sample.
pub(super) fn fill(types: &Types, reply: (ComplexId, Record), request: (ComplexId, &Record)) -> Record {
    level(types, reply, request, 0)
}

fn level(
    types: &Types,
    (reply, mut sample): (ComplexId, Record),
    (request, given): (ComplexId, &Record),
    depth: u32,
) -> Record {
    let (to, from) = (&types.complex(reply).fields, &types.complex(request).fields);
    for (field, value) in to.iter().zip(sample.values_mut()) {
        let found = named(from, given, field).or_else(|| alone(to, from, given, field));
        match found {
            Some(Value::Absent) if field.required => {}
            Some(found) => *value = found.clone(),
            None => descend(types, field, value, (from, given), (request, depth)),
        }
    }
    sample
}

fn alike(a: &Field, b: &Field) -> bool {
    a.ty == b.ty && a.many == b.many && !matches!(a.ty, TypeId::Unsupported(_))
}

/// The value of the field that has the name and the type.
fn named<'v>(from: &[Field], given: &'v Record, field: &Field) -> Option<&'v Value> {
    let mut fields = from.iter().zip(given.values());
    fields
        .find(|(f, _)| f.name == field.name && alike(f, field))
        .map(|(_, value)| value)
}

/// The value of the only field of the type, when the reply has one of it too.
fn alone<'v>(to: &[Field], from: &[Field], given: &'v Record, field: &Field) -> Option<&'v Value> {
    if to.iter().filter(|f| alike(f, field)).count() != 1 {
        return None;
    }
    let mut fields = from.iter().zip(given.values()).filter(|(f, _)| alike(f, field));
    let (_, value) = fields.next()?;
    fields.next().is_none().then_some(value)
}

/// Fills a record of the reply from the record of the same name, else from the level above it.
fn descend(
    types: &Types,
    field: &Field,
    value: &mut Value,
    (from, given): (&[Field], &Record),
    (request, depth): (ComplexId, u32),
) {
    let (TypeId::Complex(id), Value::Record(inner)) = (field.ty, &mut *value) else {
        return;
    };
    if depth >= DEPTH_MAX || **inner.shape() != **types.shape(id) {
        return;
    }
    let mut same = from
        .iter()
        .zip(given.values())
        .filter(|(f, _)| f.name == field.name);
    let source = match same.next() {
        Some((
            Field {
                ty: TypeId::Complex(other),
                ..
            },
            Value::Record(record),
        )) if **record.shape() == **types.shape(*other) => (*other, record),
        _ => (request, given),
    };
    *value = Value::Record(level(types, (id, inner.clone()), source, depth + 1));
}
