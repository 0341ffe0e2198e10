//! What the interop suites' services do: give back what they are given.

use castile_codec::Fault;
use castile_endpoint::{Answer, Call, Handler, Nothing, Trouble};
use castile_plan::{ComplexId, Field, TypeId, Types};
use castile_value::{Graph, Record, Value, ValueSink};

/// Answers every operation with its arguments: each result is the argument of the same place or type;
/// a struct is made of arguments, and arguments of a struct, by the types of their fields.
pub(crate) struct Echo;

impl Handler for Echo {
    fn handle(&self, call: Call<'_>) -> Result<Answer, Trouble> {
        let types = call.service().types().clone();
        let Some((header, args)) = call.arguments() else {
            return Ok(Answer::default());
        };
        let mut header_sink = ValueSink::new(types.shape(header).clone());
        let mut sink = ValueSink::new(types.shape(args).clone());
        let replier = call.decode(&mut header_sink, &mut sink)?;
        let given = sink.finish_graph();
        let Some((_, result)) = replier.result() else {
            return Ok(Answer::default());
        };
        let mut leaves = Vec::new();
        let tree = given.clone().into_tree(100_000);
        let source = tree.as_ref().unwrap_or(&given.root);
        flatten(&types, args, source, &mut leaves);
        let root = made(&types, result, args, source, &mut leaves);
        let reply = Graph {
            root,
            objects: given.objects,
        };
        replier
            .reply(&Nothing, &reply)
            .map_err(|e| Trouble::from(Fault::new(castile_codec::Code::Receiver, e.to_string())))
    }
}

/// The values of a record that are no structs, with their types.
fn flatten(types: &Types, id: ComplexId, record: &Record, out: &mut Vec<(TypeId, Value)>) {
    for (field, value) in types.complex(id).fields.iter().zip(record.values()) {
        match (field.ty, value) {
            (_, Value::Absent) => {}
            (TypeId::Complex(inner), Value::Record(record)) if types.complex(inner).array.is_none() => {
                flatten(types, inner, record, out);
            }
            (ty, value) => out.push((ty, value.clone())),
        }
    }
}

fn made(
    types: &Types,
    id: ComplexId,
    args: ComplexId,
    given: &Record,
    leaves: &mut Vec<(TypeId, Value)>,
) -> Record {
    let from = &types.complex(args).fields;
    let fields = &types.complex(id).fields;
    let mut record = Record::new(types.shape(id).clone());
    for (i, (field, slot)) in fields.iter().zip(record.values_mut()).enumerate() {
        let same = |f: &Field| f.ty == field.ty;
        let by_place = from.get(i).filter(|f| same(f)).map(|_| i);
        let by_type = by_place.or_else(|| from.iter().position(same));
        *slot = match (by_type, field.ty) {
            (Some(at), _) => given.values().get(at).cloned().unwrap_or_default(),
            (None, TypeId::Complex(inner)) if types.complex(inner).array.is_none() => {
                Value::Record(made(types, inner, args, given, leaves))
            }
            (None, ty) => match leaves.iter().position(|(leaf, _)| *leaf == ty) {
                Some(at) => leaves.remove(at).1,
                None => Value::Absent,
            },
        };
    }
    record
}
