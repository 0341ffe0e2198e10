//! Between generated types and dynamic values, where a value's type is known only when it comes:
//! `anyType`, wildcards, details of faults.

use castile_codec::Fault;
use castile_plan::{ComplexId, TypeId, Types};
use castile_value::typed::{Builder, Fields, Mismatch, copy, copy_record};
use castile_value::{Item, Record, Source, Value};

/// A record that came as a dynamic value, as the generated type it is of.
///
/// # Errors
/// The value is no record, or one of another type.
pub fn from_value<T: Fields + Default>(value: &Value) -> Result<T, Mismatch> {
    let Value::Record(record) = value.held() else {
        return Err(Mismatch::new("the value is no record"));
    };
    let label = record.shape().name();
    let own = T::start(label).filter(|own| own.label() == label);
    let own = own.ok_or_else(|| Mismatch::new(format!("the value is a record of {label}")))?;
    let mut builder = Builder::starting(own);
    copy_record(record, record.shape(), &mut builder);
    builder.finish()
}

/// A value of a generated type as a dynamic value, such as goes into a field of `anyType`. `None` when
/// the table, which must be that of the contract the type was generated from, lacks the type.
pub fn to_value<T: Fields>(types: &Types, value: &T) -> Option<Value> {
    match types.type_by_clark(value.label())? {
        TypeId::Complex(id) => Some(Value::Record(record_of(types, id, value))),
        _ => None,
    }
}

/// The detail that an operation declares, of a fault that has it.
pub(super) fn declared<D: Fields + Default>(types: &Types, detail: ComplexId, fault: &Fault) -> Option<D> {
    let fields = &types.complex(detail).fields;
    fault.detail.iter().find_map(|entry| {
        let field = fields
            .iter()
            .find(|f| *f.wire.local == *entry.name.local && types.uri(f.wire.ns) == entry.name.namespace)?;
        let mut builder = Builder::<D>::new();
        let entry = Value::map([(field.name.to_string(), entry.value.clone())]);
        copy(&entry, types.shape(detail), &mut builder);
        builder.finish().ok()
    })
}

/// The fields of a source as a record.
pub(super) fn record_of(types: &Types, id: ComplexId, source: &dyn Source) -> Record {
    let mut record = Record::new(types.shape(id).clone());
    let fields = types.complex(id).fields.iter().enumerate();
    for (slot, (i, field)) in record.values_mut().iter_mut().zip(fields) {
        *slot = value_of(types, field.ty, source.field(i, &field.name));
    }
    record
}

fn value_of(types: &Types, ty: TypeId, item: Item<'_>) -> Value {
    match item {
        Item::Absent => Value::Absent,
        Item::Nil => Value::Nil,
        Item::Scalar(scalar) => scalar.into(),
        Item::Xml(text) => Value::Xml(text.to_owned()),
        Item::Grid(sizes, values) => {
            let values = value_of(types, ty, *values);
            castile_value::Grid::new(sizes.to_vec(), values).map_or_else(|values| values, Value::Grid)
        }
        Item::Ref(number) => Value::Ref(number),
        // What is copied is the detail of a fault.
        Item::Stream(_) => Value::Absent,
        Item::Column(column) => {
            let scalars = (0..column.len()).filter_map(|i| column.get(i));
            Value::List(scalars.map(Value::from).collect())
        }
        Item::Table(table) => {
            let row = |i| {
                table
                    .columns()
                    .iter()
                    .filter_map(move |(n, c)| Some((*n, c.get(i)?.into())))
            };
            Value::List((0..table.len()).map(|i| Value::map(row(i))).collect())
        }
        Item::Items(items) => {
            let values = (0..items.len()).map(|i| value_of(types, ty, items.item(i)));
            Value::List(values.collect())
        }
        Item::Record(source) => {
            let own = source.type_name().and_then(|name| types.type_by_clark(name));
            if let TypeId::Complex(id) = own.unwrap_or(ty) {
                return Value::Record(record_of(types, id, source));
            }
            let entries = source.entries().unwrap_or_default().into_iter();
            Value::map(entries.map(|(name, item)| (name, value_of(types, ty, item))))
        }
    }
}
