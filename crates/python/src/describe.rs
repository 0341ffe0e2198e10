//! What a contract offers, for signatures, help and completion.

use castile_contract::{FaultDecl, Operation};
use castile_plan::{ComplexId, Field, SimpleId, Style, TypeId, Types, Variety};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::sink::Classes;

/// One operation, as a user sees it.
#[pyclass(module = "castile._castile", frozen, get_all)]
pub(crate) struct OperationFace {
    name: String,
    doc: Option<String>,
    one_way: bool,
    /// Why it cannot be called.
    unsupported: Option<String>,
    soap_action: String,
    /// The WS-Addressing action of the request.
    action: String,
    /// Whether the reply's elements are the results themselves, and not wrapped in one.
    bare: bool,
    /// Whether the contract names header blocks of the reply.
    has_reply_headers: bool,
    parameters: Vec<ParameterFace>,
    results: Vec<ParameterFace>,
    headers: Vec<ParameterFace>,
    faults: Vec<FaultFace>,
    /// The body element of the request, and of the reply, where one stands there.
    input: Option<BodyFace>,
    output: Option<BodyFace>,
}

/// A declared fault: its name, its element in the detail, `{namespace}local`, and the type of that.
#[pyclass(module = "castile._castile", frozen, get_all)]
#[derive(Clone)]
pub(crate) struct FaultFace {
    name: String,
    element: String,
    type_name: String,
}

/// A body element: its name, `{namespace}local`, and the number of its type.
#[pyclass(module = "castile._castile", frozen, get_all)]
#[derive(Clone)]
pub(crate) struct BodyFace {
    name: String,
    complex: u32,
}

impl OperationFace {
    /// The operation's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// One parameter, result or header.
#[pyclass(module = "castile._castile", frozen, get_all)]
#[derive(Clone)]
pub(crate) struct ParameterFace {
    name: String,
    /// As messages call it, such as `xsd:double`.
    type_name: String,
    many: bool,
    required: bool,
    /// The texts that may stand there, where its type lists them.
    values: Vec<String>,
    doc: Option<String>,
}

/// All operations of a port.
pub(crate) fn describe(types: &Types, operations: &[Operation]) -> Vec<OperationFace> {
    operations
        .iter()
        .map(|operation| face(types, operation))
        .collect()
}

fn face(types: &Types, operation: &Operation) -> OperationFace {
    let input = operation.input.as_ref();
    let output = operation.output.as_ref();
    let parameters = input.map(|plan| inner(types, plan.body).unwrap_or(plan.body));
    let results = output.map(|plan| match plan.style {
        Style::Wrapped => inner(types, plan.body).unwrap_or(plan.body),
        Style::Bare => plan.body,
    });
    OperationFace {
        name: operation.name.clone(),
        doc: operation.doc.clone(),
        one_way: operation.one_way,
        unsupported: operation.unsupported.clone(),
        soap_action: operation.soap_action.clone(),
        action: operation.input_action.clone(),
        bare: output.is_some_and(|plan| plan.style == Style::Bare),
        has_reply_headers: output.is_some_and(|plan| !faces(types, plan.header).is_empty()),
        parameters: parameters.map_or(Vec::new(), |id| faces(types, id)),
        results: results.map_or(Vec::new(), |id| faces(types, id)),
        headers: input.map_or(Vec::new(), |plan| faces(types, plan.header)),
        faults: operation
            .faults
            .iter()
            .map(|f| fault(types, operation, f))
            .collect(),
        input: input.and_then(|plan| body(types, plan.body)),
        output: output.and_then(|plan| body(types, plan.body)),
    }
}

fn fault(types: &Types, operation: &Operation, declared: &FaultDecl) -> FaultFace {
    let field = operation.fault_field(types, declared);
    FaultFace {
        name: declared.name.clone(),
        element: declared.element.clone(),
        type_name: field.map_or(String::new(), |field| types.type_label(field.ty)),
    }
}

fn body(types: &Types, body: ComplexId) -> Option<BodyFace> {
    let complex = inner(types, body)?.0;
    let name = types.clark(&types.complex(body).fields.first()?.wire);
    Some(BodyFace { name, complex })
}

/// The type of the one body element, when its fields are the arguments.
fn inner(types: &Types, body: ComplexId) -> Option<ComplexId> {
    match &types.complex(body).fields[..] {
        [
            Field {
                ty: TypeId::Complex(id),
                many: false,
                ..
            },
        ] => Some(*id),
        _ => None,
    }
}

fn faces(types: &Types, id: ComplexId) -> Vec<ParameterFace> {
    let complex = types.complex(id);
    let face = |&i: &usize| {
        let field = &complex.fields[i];
        ParameterFace {
            name: field.name.to_string(),
            type_name: types.type_label(field.ty),
            many: field.many,
            required: field.required,
            values: listed(types, field.ty),
            doc: field.doc.as_deref().map(str::to_owned),
        }
    };
    // Blocks that a header may have besides those of the contract need no mention.
    let named = |&i: &usize| &*complex.fields[i].name != castile_contract::HEADER_ANY;
    complex
        .positional()
        .into_iter()
        .filter(named)
        .map(|i| face(&i))
        .collect()
}

/// The texts of the enumeration that a type is or is derived from.
fn listed(types: &Types, ty: TypeId) -> Vec<String> {
    let TypeId::Simple(id) = ty else {
        return Vec::new();
    };
    let bases = std::iter::successors(Some(types.simple(id)), |simple| {
        simple.base.map(|id| types.simple(id))
    });
    let mut texts = bases.map(|simple| &simple.facets.enumeration);
    let texts = texts.find(|texts| !texts.is_empty());
    texts.map_or_else(Vec::new, |texts| {
        texts.iter().map(|text| text.to_string()).collect()
    })
}

/// The class of a complex type by its name; the listed texts of a simple one.
pub(crate) fn type_named<'py>(
    py: Python<'py>,
    types: &Types,
    classes: &Classes,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let found = types.type_by_clark(name).or_else(|| by_local_name(types, name));
    match found {
        Some(TypeId::Complex(id)) => Ok(classes.python(py, id)?.into_any()),
        Some(TypeId::Simple(id)) if !types.simple(id).facets.enumeration.is_empty() => {
            let texts = PyList::new(py, types.simple(id).facets.enumeration.iter().map(|t| &**t))?;
            py.import("castile._records")?
                .call_method1("enumeration_class", (name, texts))
        }
        Some(other) => {
            let text = format!(
                "{} has no class: its values are plain ones",
                types.type_label(other)
            );
            Err(no_such_type(py, &text)?)
        }
        None => {
            let names = type_names(types);
            let locals = names
                .iter()
                .map(|name| name.rsplit_once('}').map_or(&**name, |(_, local)| local));
            let near = castile_contract::near(name, locals);
            let near = near.map_or(String::new(), |near| format!("did you mean {near:?}? "));
            let text = format!("the contract has no type {name:?}; {near}client.types lists them");
            Err(no_such_type(py, &text)?)
        }
    }
}

fn no_such_type(py: Python<'_>, text: &str) -> PyResult<PyErr> {
    let class = py.import("castile._errors")?.getattr("NoSuchType")?;
    Ok(PyErr::from_value(class.call1((text,))?))
}

/// Users may leave the namespace out where the local name says enough.
fn by_local_name(types: &Types, local: &str) -> Option<TypeId> {
    let named = |name: &Option<castile_plan::QName>| name.as_ref().is_some_and(|n| *n.local == *local);
    let complex = types.complex.iter().enumerate().filter(|(_, c)| named(&c.name));
    let complex = complex.map(|(i, _)| TypeId::Complex(ComplexId(i as u32)));
    let simple = types
        .simple
        .iter()
        .enumerate()
        .filter(|(_, s)| named(&s.name) && !is_builtin(s));
    let simple = simple.map(|(i, _)| TypeId::Simple(SimpleId(i as u32)));
    let mut all = complex.chain(simple);
    match (all.next(), all.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

fn is_builtin(simple: &castile_plan::Simple) -> bool {
    simple.name.as_ref().is_some_and(|name| name.ns == Types::XSD)
}

/// The names of all named complex types and enumerations.
pub(crate) fn type_names(types: &Types) -> Vec<String> {
    let complex = types.complex.iter().filter_map(|c| c.name.as_ref());
    let listed = |s: &&castile_plan::Simple| {
        !s.facets.enumeration.is_empty() && matches!(s.variety, Variety::Atomic(_))
    };
    let simple = types.simple.iter().filter(listed).filter_map(|s| s.name.as_ref());
    complex.chain(simple).map(|name| types.clark(name)).collect()
}
