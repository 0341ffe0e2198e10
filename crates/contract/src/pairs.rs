//! Operations of a schema that no WSDL describes: pairs of global elements.
//!
//! Protocols such as CWMP (TR-069) publish a schema only. Of it, an element `X` and an element
//! `XResponse` are the request and the reply of an operation `X`; elements named `Fault`, or with a name
//! that ends so, are details of faults. What neither pairs nor is a fault belongs to headers, or stands
//! inside others.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use castile_plan::{ElementId, FieldKind, NsIx, Occurs, Plan, Style, TypeId};

use crate::compile::{Compiler, Compositor, Leaf, Model};
use crate::contract::{Addressing, Binding, BodyStyle, FaultDecl, Operation, Protocol};
use crate::wsdl::{block, open_block};

/// The binding that the element pairs of the entry's namespace make, called `name`; `None` when there
/// are no pairs.
pub(crate) fn compile(compiler: &mut Compiler<'_>, name: &str) -> Option<Binding> {
    let target = compiler.documents.schemas.first()?.target;
    let elements = Elements::new(compiler, target);
    if elements.pairs.is_empty() {
        return None;
    }
    let faults: Vec<Leaf> = elements.faults.iter().map(|&id| leaf(compiler, id)).collect();
    let detail = block(compiler, "fault detail", faults);
    let operations = elements
        .pairs
        .iter()
        .map(|&pair| operation(compiler, pair, detail, &elements.faults))
        .collect();
    let namespace = compiler.documents.names.uri(target).to_owned();
    Some(Binding {
        port_type: compiler.documents.names.clark(target, name),
        name: name.to_owned(),
        namespace,
        protocol: Protocol::Soap11,
        transport: "http://schemas.xmlsoap.org/soap/http".into(),
        operations,
        addressing: Addressing::Unsaid,
    })
}

/// What the elements of one namespace are for.
struct Elements {
    /// Requests and replies, in the order of the requests.
    pairs: Vec<(ElementId, ElementId)>,
    faults: Vec<ElementId>,
}

impl Elements {
    fn new(compiler: &mut Compiler<'_>, target: crate::names::Ns) -> Elements {
        let ns: NsIx = compiler.ns(target);
        let types = &compiler.types;
        let all = types.elements.iter().enumerate();
        let own: Vec<(ElementId, &str)> = all
            .filter(|(_, e)| e.name.ns == ns && !e.is_abstract)
            .map(|(i, e)| (ElementId(i as u32), &*e.name.local))
            .collect();
        let by_name: HashMap<&str, ElementId> = own.iter().map(|&(id, name)| (name, id)).collect();
        let mut pairs = Vec::new();
        let mut replies = HashSet::new();
        for &(id, name) in &own {
            if let Some(&reply) = by_name.get(&*format!("{name}Response")) {
                pairs.push((id, reply));
                replies.insert(reply);
            }
        }
        // `X`, `XResponse` and `XResponseResponse`: the middle one is a reply.
        pairs.retain(|(request, _)| !replies.contains(request));
        let faults = own.iter().filter(|(_, name)| name.ends_with("Fault"));
        let faults = faults.map(|&(id, _)| id).collect();
        Elements { pairs, faults }
    }
}

fn operation(
    compiler: &mut Compiler<'_>,
    (request, reply): (ElementId, ElementId),
    detail: castile_plan::ComplexId,
    faults: &[ElementId],
) -> Operation {
    let element = &compiler.types.elements[request.index()];
    let (name, doc) = (element.name.local.to_string(), element.doc.clone());
    let plans = plan(compiler, request, &format!("{name} request"))
        .and_then(|input| Ok((input, plan(compiler, reply, &format!("{name} response"))?)));
    let (input, output, unsupported) = match plans {
        Ok((input, output)) => (Some(input), Some(output), None),
        Err(why) => (None, None, Some(why)),
    };
    let types = &compiler.types;
    let declared = |&id: &ElementId| {
        let wire = &types.elements[id.index()].name;
        let field = types.complex(detail).fields.iter().position(|f| f.wire == *wire);
        FaultDecl {
            name: wire.local.to_string(),
            element: types.clark(wire),
            id: Some(id),
            field: field.map(|i| i as u32),
            action: String::new(),
        }
    };
    Operation {
        name,
        soap_action: String::new(),
        one_way: false,
        style: BodyStyle::Document,
        input,
        output,
        faults: faults.iter().map(declared).collect(),
        detail,
        unsupported,
        doc: doc.map(Into::into),
        input_action: String::new(),
        output_action: String::new(),
    }
}

/// The plan of a message whose body is one element.
fn plan(compiler: &mut Compiler<'_>, element: ElementId, label: &str) -> Result<Plan, String> {
    let leaf = leaf(compiler, element);
    if let TypeId::Unsupported(i) = leaf.ty {
        return Err(compiler.types.unsupported[i as usize].to_string());
    }
    let style = match leaf.ty {
        TypeId::Complex(_) => Style::Wrapped,
        _ => Style::Bare,
    };
    let header = open_block(compiler, label, Vec::new());
    let items = vec![Rc::new(Model::Leaf(leaf.into(), Occurs::ONE))];
    let model = Model::group(Compositor::Sequence, Occurs::ONE, items, None);
    let body = compiler.flatten_model(model.as_deref(), label, |_| {});
    let body = compiler.synthetic(body);
    Ok(Plan::new(&compiler.types, label, style, header, body))
}

fn leaf(compiler: &Compiler<'_>, id: ElementId) -> Leaf {
    let element = &compiler.types.elements[id.index()];
    Leaf {
        wire: element.name.clone(),
        kind: FieldKind::Element,
        ty: element.ty,
        nillable: element.nillable,
        default: element.default.clone(),
        fixed: element.fixed.clone(),
        doc: element.doc.clone(),
    }
}
