//! What was given to values, by the types of the contract.
//!
//! Here are records by name, lists and XML; [`super::simple`] has the simple values.

use std::sync::Arc;

use castile_plan::{Complex, ComplexId, Field, FieldKind, TypeId, Types};
use castile_value::{Record, Value};

use super::Given;
use super::json::TYPE_KEY;
use super::simple::{anything, simple, utf8};
use crate::failure::Failure;

/// What is wrong with what was given, and at which field.
#[derive(Debug)]
pub(super) struct Wrong {
    path: Vec<String>,
    text: String,
}

impl Wrong {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Wrong {
            path: Vec::new(),
            text: text.into(),
        }
    }

    fn within(mut self, step: impl Into<String>) -> Self {
        self.path.push(step.into());
        self
    }
}

impl From<Wrong> for Failure {
    fn from(wrong: Wrong) -> Self {
        let path = wrong
            .path
            .iter()
            .rev()
            .fold(String::new(), |path, step| match step.strip_prefix('[') {
                Some(_) => path + step,
                None if path.is_empty() => step.clone(),
                None => path + "." + step,
            });
        let failure = Failure::caller(wrong.text);
        if path.is_empty() {
            failure
        } else {
            failure.within(path)
        }
    }
}

/// The arguments of a message, or its headers: an object of the fields of `id`. Anything but an
/// object is the value of the only argument, when there is one.
///
/// # Errors
/// A name that the type has not, or a value that cannot be one of its type.
pub(crate) fn arguments(types: &Types, id: ComplexId, given: Given) -> Result<Value, Failure> {
    let complex = types.complex(id);
    let given = match (given, &complex.fields[..]) {
        (Given::Null, _) => Given::Map(Vec::new()),
        (given @ Given::Map(_), _) => given,
        (given, [only]) => Given::Map(vec![(only.name.to_string(), given)]),
        (given, _) => {
            let why = format!(
                "{} given where an object of {} belongs",
                given.kind(),
                names(complex)
            );
            return Err(Failure::caller(why));
        }
    };
    Ok(record(types, id, given)?)
}

/// The results of a message, as `castile call` prints them: an object of the fields of `id`, or the
/// value of the only one, even when that is an object itself.
///
/// # Errors
/// As [`arguments`].
pub(crate) fn result(types: &Types, id: ComplexId, given: Given) -> Result<Value, Failure> {
    let given = match (given, &types.complex(id).fields[..]) {
        (Given::Map(fields), [only]) if !fields.iter().any(|(name, _)| *name == *only.name) => {
            Given::Map(vec![(only.name.to_string(), Given::Map(fields))])
        }
        (given, _) => given,
    };
    arguments(types, id, given)
}

/// A record of a type, or of the derived type that the object names.
pub(super) fn record(types: &Types, declared: ComplexId, given: Given) -> Result<Value, Wrong> {
    let Given::Map(mut fields) = given else {
        return Err(Wrong::new(format!(
            "{} given where an object belongs",
            given.kind()
        )));
    };
    let id = match fields.iter().position(|(name, _)| name == TYPE_KEY) {
        Some(at) => own_type(types, declared, &fields.remove(at).1)?,
        None => declared,
    };
    let complex = types.complex(id);
    let mut record = Record::new(Arc::clone(types.shape(id)));
    for (name, given) in fields {
        let Some(field) = complex.field(&name) else {
            return Err(unknown(complex, &name));
        };
        let value = field_value(types, field, given).map_err(|e| e.within(&*name))?;
        // The shape has the names of the fields.
        let _ = record.set(&name, value);
    }
    Ok(Value::Record(record))
}

/// The derived type that an object names.
fn own_type(types: &Types, declared: ComplexId, given: &Given) -> Result<ComplexId, Wrong> {
    let Given::Text(name) = given else {
        return Err(Wrong::new(format!("{TYPE_KEY} must be the name of a type")));
    };
    let derived = |ty: TypeId| types.is_derived(ty, TypeId::Complex(declared));
    if let Some(TypeId::Complex(id)) = types.type_by_clark(name).filter(|ty| derived(*ty)) {
        return Ok(id);
    }
    let ids = (0..types.complex.len() as u32)
        .map(ComplexId)
        .filter(|id| derived(TypeId::Complex(*id)));
    let named: Vec<(ComplexId, String)> = ids
        .filter_map(|id| Some((id, types.clark(types.complex(id).name.as_ref()?))))
        .collect();
    let local = |clark: &str| clark.rsplit('}').next() == Some(name);
    let mut same = named.iter().filter(|(_, clark)| local(clark));
    if let (Some((id, _)), None) = (same.next(), same.next()) {
        return Ok(*id);
    }
    let known: Vec<&str> = named.iter().take(12).map(|(_, clark)| &**clark).collect();
    let why = format!(
        "{name:?} is no type derived from {}: ",
        types.complex(declared).label
    );
    Err(Wrong::new(
        why + &if known.is_empty() {
            "there is none".into()
        } else {
            known.join(", ")
        },
    ))
}

fn field_value(types: &Types, field: &Field, given: Given) -> Result<Value, Wrong> {
    let one = |given: Given| match &field.kind {
        FieldKind::AnyAttribute(_) => attributes(given),
        FieldKind::Any(_) => element(types, given),
        FieldKind::Group if field.is_substitution() => substitute(types, field, given),
        _ => value(types, field.ty, given),
    };
    match given {
        // Items of a list type are no items of the field.
        Given::List(items) if field.many => numbered(items, one),
        Given::Null if field.many => Ok(Value::Absent),
        given if field.many => Ok(Value::List(vec![one(given)?])),
        given => one(given),
    }
}

/// A list whose mistakes are numbered.
pub(super) fn numbered(
    items: Vec<Given>,
    one: impl Fn(Given) -> Result<Value, Wrong>,
) -> Result<Value, Wrong> {
    let items = items.into_iter().enumerate();
    let items = items.map(|(i, item)| one(item).map_err(|e| e.within(format!("[{i}]"))));
    Ok(Value::List(items.collect::<Result<_, _>>()?))
}

/// Attributes of a wildcard: text by name.
fn attributes(given: Given) -> Result<Value, Wrong> {
    let Given::Map(fields) = given else {
        return Err(Wrong::new(
            "attributes are an object of text by name, {namespace}local",
        ));
    };
    let text = |(name, given): (String, Given)| match given {
        Given::Text(text) | Given::Number(text) => Ok((name, Value::Text(text))),
        Given::Bool(v) => Ok((name, Value::Text(v.to_string()))),
        other => Err(Wrong::new(format!("{} given where text belongs", other.kind())).within(name)),
    };
    Ok(Value::Map(
        fields.into_iter().map(text).collect::<Result<_, _>>()?,
    ))
}

/// An element of a substitution group: an object that names it, or a value of the head.
fn substitute(types: &Types, field: &Field, given: Given) -> Result<Value, Wrong> {
    let members = match field.ty {
        TypeId::Complex(id) => types.complex(id),
        _ => return value(types, field.ty, given),
    };
    let named = match &given {
        Given::Map(fields) => fields.iter().any(|(name, _)| members.field(name).is_some()),
        Given::Null => true,
        _ => false,
    };
    match members.fields.iter().find(|member| member.wire == field.wire) {
        Some(head) if !named => {
            let value = field_value(types, head, given)?;
            Ok(Value::Map(vec![(head.name.to_string(), value)]))
        }
        _ => value(types, field.ty, given),
    }
}

/// An element of a wildcard: XML, or an object of one value called `{namespace}local`.
fn element(types: &Types, given: Given) -> Result<Value, Wrong> {
    match given {
        Given::Map(fields) if fields.len() == 1 => {
            let entry = |(name, given): (String, Given)| {
                let id = types
                    .parse_clark(&name)
                    .and_then(|name| types.element_named(&name));
                let Some(id) = id else {
                    let why = format!("the contract has no global element {name:?}; give it as XML");
                    return Err(Wrong::new(why));
                };
                let value = field_value(types, &types.global(id).field, given);
                Ok((name.clone(), value.map_err(|e| e.within(name))?))
            };
            Ok(Value::Map(
                fields.into_iter().map(entry).collect::<Result<_, _>>()?,
            ))
        }
        Given::Null => Ok(Value::Absent),
        Given::Text(text) => Ok(Value::Xml(text)),
        Given::File(path, bytes) => Ok(Value::Xml(utf8(&path, bytes)?)),
        other => Err(Wrong::new(format!(
            "{} given where an XML element belongs, as text",
            other.kind()
        ))),
    }
}

fn value(types: &Types, ty: TypeId, given: Given) -> Result<Value, Wrong> {
    if let Some(number) = super::shared::reference(&given) {
        return Ok(Value::Ref(number));
    }
    match (ty, given) {
        (_, Given::Null) => Ok(Value::Nil),
        (TypeId::Complex(id), given) => complex(types, id, given),
        (TypeId::Simple(id), given) => simple(types, id, given),
        (TypeId::Any, given) => anything(types, given),
        // The codec says what is not supported.
        (TypeId::Unsupported(_), _) => Ok(Value::Text(String::new())),
    }
}

fn complex(types: &Types, id: ComplexId, given: Given) -> Result<Value, Wrong> {
    match given {
        given @ Given::Map(_) => record(types, id, given),
        // The codec takes a scalar for simple content and a list for a type that only holds one.
        Given::List(items) => match &types.complex(id).fields[..] {
            [only] if only.many => field_value(types, only, Given::List(items)),
            _ => Err(Wrong::new(format!(
                "a list given where an object of {} belongs",
                names(types.complex(id))
            ))),
        },
        Given::Text(text) if types.mixed_field(id).is_some() && text.trim_start().starts_with('<') => {
            Ok(Value::Xml(text))
        }
        given => match types.text_field(id).or(types.mixed_field(id)) {
            Some((_, text)) => simple(types, text, given),
            None if matches!(&given, Given::Text(t) if t.is_empty()) => {
                record(types, id, Given::Map(Vec::new()))
            }
            None => {
                let names = names(types.complex(id));
                Err(Wrong::new(format!(
                    "{} given where an object of {names} belongs",
                    given.kind()
                )))
            }
        },
    }
}

fn names(complex: &Complex) -> String {
    // What takes blocks of any name has a name that is none of XML.
    let fields = complex.fields.iter().filter(|f| !f.name.starts_with('#'));
    let names: Vec<&str> = fields.clone().take(12).map(|f| &*f.name).collect();
    let more = if fields.count() > names.len() { ", ..." } else { "" };
    if names.is_empty() {
        "no fields".into()
    } else {
        names.join(", ") + more
    }
}

fn unknown(complex: &Complex, name: &str) -> Wrong {
    let lower = name.to_lowercase();
    let near = complex.fields.iter().find(|f| f.name.to_lowercase() == lower);
    let hint = near
        .map(|f| format!(" (did you mean {}?)", f.name))
        .unwrap_or_default();
    let has = names(complex);
    Wrong::new(format!(
        "there is no {name:?} in {}{hint}: it has {has}",
        complex.label
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use castile_plan::{Builtin, Derivation, Occurs, Particle};
    use castile_value::QName;

    fn types(ty: TypeId, many: bool) -> (Types, ComplexId) {
        let mut types = Types::new();
        let field = Field {
            name: "v".into(),
            wire: castile_plan::QName::new(castile_plan::NsIx::NONE, "v"),
            kind: FieldKind::Element,
            ty,
            many,
            required: true,
            nillable: true,
            default: None,
            fixed: None,
            doc: None,
        };
        let max = if many { Occurs::UNBOUNDED } else { 1 };
        types.complex.push(Complex {
            name: None,
            label: "test".into(),
            base: None,
            derivation: Derivation::None,
            is_abstract: false,
            fields: vec![field],
            content: vec![Particle::Leaf {
                field: 0,
                occurs: Occurs { min: 1, max },
            }],
            array: None,
            doc: None,
        });
        types.seal().unwrap();
        (types, ComplexId(0))
    }

    fn convert(ty: TypeId, many: bool, json: &str) -> Result<Value, String> {
        let (types, id) = types(ty, many);
        let given = Given::parse(json, "test").unwrap();
        let value = arguments(&types, id, given).map_err(|e| e.to_string())?;
        Ok(value.get("v").cloned().unwrap_or_default())
    }

    fn simple(builtin: Builtin) -> TypeId {
        TypeId::Simple(builtin.into())
    }

    #[test]
    fn numbers_keep_their_digits() {
        let decimal = convert(simple(Builtin::Decimal), false, r#"{"v": 1.50e2}"#);
        assert_eq!(decimal, Ok("150".into()));
        let long = convert(simple(Builtin::Integer), false, "123456789012345678901234567890");
        assert_eq!(long, Ok("123456789012345678901234567890".into()));
        assert_eq!(convert(simple(Builtin::Int), false, "3.0"), Ok("3".into()));
        assert!(
            convert(simple(Builtin::Int), false, "3.5")
                .unwrap_err()
                .starts_with("v: 3.5 is no xsd:int")
        );
        assert_eq!(convert(simple(Builtin::String), false, "1.50"), Ok("1.50".into()));
    }

    #[test]
    fn one_value_of_a_repeated_field_is_a_list() {
        assert_eq!(
            convert(simple(Builtin::Int), true, r#"{"v": 1}"#),
            Ok(Value::List(vec!["1".into()]))
        );
        let nested = convert(simple(Builtin::Int), true, r#"{"v": [1, {}]}"#).unwrap_err();
        assert!(nested.starts_with("v[1]: an object given"), "{nested}");
    }

    #[test]
    fn names_are_resolved_and_mistakes_named() {
        let name = convert(simple(Builtin::QName), false, r#""xsd:int""#).unwrap();
        let uri = "http://www.w3.org/2001/XMLSchema".to_owned();
        assert_eq!(
            name,
            Value::from(QName {
                namespace: uri,
                local: "int".into()
            })
        );
        assert!(convert(simple(Builtin::QName), false, r#""x:y""#).is_err());
        let unknown = convert(simple(Builtin::Int), false, r#"{"V": 1}"#).unwrap_err();
        assert!(unknown.contains("did you mean v?"), "{unknown}");
    }

    #[test]
    fn anything_says_its_type() {
        assert_eq!(convert(TypeId::Any, false, r#"{"v": 7}"#), Ok(Value::Int(7)));
        assert_eq!(
            convert(TypeId::Any, false, r#"{"v": "<a/>"}"#),
            Ok(Value::Xml("<a/>".into()))
        );
        assert!(
            convert(TypeId::Any, false, r#"{"v": {"a": 1}}"#)
                .unwrap_err()
                .contains("@type")
        );
    }
}
