//! Objects that stand in several places, which SOAP encoding has, as JSON: a place holds `{"$ref": 0}`, and
//! `"$objects"` beside the other fields of the outermost object is the list of what the numbers mean. So
//! a circle is no trouble, and what was printed can be given back.

use castile_plan::{TypeId, Types};
use castile_value::Value;
use serde_json::{Map, Value as Json};

use super::typed::{Wrong, record};
use super::{Given, json, simple};
use crate::failure::Failure;

/// The key of a reference, whose value is the number of an object.
pub(crate) const REF_KEY: &str = "$ref";

/// The key of the list of objects.
const OBJECTS_KEY: &str = "$objects";

/// The key of what has no field beside which the objects could stand.
const VALUE_KEY: &str = "$value";

/// What is shown, with the objects that it refers to.
pub(crate) fn with_objects(types: &Types, shown: Json, objects: &[Value]) -> Json {
    if objects.is_empty() {
        return shown;
    }
    let mut object = match shown {
        Json::Object(fields) if !fields.contains_key(REF_KEY) => fields,
        other => Map::from_iter([(VALUE_KEY.to_owned(), other)]),
    };
    let list = objects.iter().map(|value| json::field(types, None, value));
    object.insert(OBJECTS_KEY.into(), list.collect());
    Json::Object(object)
}

/// Takes the objects out of what was given.
///
/// # Errors
/// If they are no list, or one of them cannot be a value.
pub(crate) fn take_objects(types: &Types, given: &mut Given) -> Result<Vec<Value>, Failure> {
    let Given::Map(fields) = given else {
        return Ok(Vec::new());
    };
    let Some(at) = fields.iter().position(|(name, _)| name == OBJECTS_KEY) else {
        return Ok(Vec::new());
    };
    let (_, objects) = fields.remove(at);
    if let [(name, _)] = &fields[..]
        && name == VALUE_KEY
    {
        let (_, value) = fields.remove(0);
        *given = value;
    }
    let Given::List(objects) = objects else {
        return Err(Failure::caller(format!("{OBJECTS_KEY:?} is a list of objects")));
    };
    let objects = objects.into_iter().map(|object| loose(types, object));
    Ok(objects.collect::<Result<_, _>>()?)
}

/// The number of an object, where a reference was given.
pub(super) fn reference(given: &Given) -> Option<u32> {
    match given {
        Given::Map(fields) => match &fields[..] {
            [(name, Given::Number(number))] if name == REF_KEY => number.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// An object by the type that it names; without one its fields are taken by name.
fn loose(types: &Types, given: Given) -> Result<Value, Wrong> {
    match given {
        Given::Map(mut fields) => {
            if let Some(number) = reference(&Given::Map(fields.clone())) {
                return Ok(Value::Ref(number));
            }
            let at = fields.iter().position(|(name, _)| name == json::TYPE_KEY);
            if let Some((_, Given::Text(name))) = at.map(|at| fields.remove(at)) {
                return match types.type_by_clark(&name) {
                    Some(TypeId::Complex(id)) => record(types, id, Given::Map(fields)),
                    _ => Err(Wrong::new(format!("the contract has no type {name:?}"))),
                };
            }
            let fields = fields
                .into_iter()
                .map(|(name, given)| Ok((name, loose(types, given)?)));
            Ok(Value::Map(fields.collect::<Result<_, Wrong>>()?))
        }
        Given::List(items) => {
            let items = items.into_iter().map(|item| loose(types, item));
            Ok(Value::List(items.collect::<Result<_, _>>()?))
        }
        given => simple::anything(types, given),
    }
}
