//! SOAP encoding over a tree: references are looked up, accessors found by name, arrays read by order.
//! Objects that stand in several places are given once for each; a cycle is refused.

use castile_plan::{ComplexId, FieldKind};
use castile_value::{Grid, Record, Value};

use super::tree::{Child, Node};
use super::{Reference, Refusal};

const ENCODINGS: [&str; 2] = [
    "http://schemas.xmlsoap.org/soap/encoding/",
    "http://www.w3.org/2003/05/soap-encoding",
];

/// References to references, and arrays and structs within one another, end here.
const STEPS_MAX: usize = 16;

impl Reference<'_> {
    /// The first element of the body is the value; what follows is referred to.
    pub(super) fn encoded_body(
        &self,
        id: ComplexId,
        body: &Node,
        record: &mut Record,
    ) -> Result<(), Refusal> {
        let first = body.elements()?.into_iter().next().ok_or("an empty body")?;
        let field = self
            .types
            .complex(id)
            .fields
            .first()
            .ok_or("a body without a field")?;
        record.values_mut()[0] = self.element(field, first)?;
        Ok(())
    }

    /// The element that a reference means, or the element itself.
    pub(super) fn referred<'n>(&'n self, node: &'n Node) -> Result<&'n Node, Refusal> {
        let Some(root) = self.encoded else { return Ok(node) };
        let mut at = node;
        for _ in 0..STEPS_MAX {
            let id = at
                .attribute("", "href")
                .or_else(|| at.attribute(ENCODINGS[1], "ref"));
            let Some(id) = id else { return Ok(at) };
            let id = id.trim_start_matches('#');
            at = with_id(root, id).ok_or_else(|| format!("no element has the id {id}"))?;
        }
        Err("references to references".into())
    }

    /// A struct: each child is the field of its local name.
    pub(super) fn accessors(
        &self,
        id: ComplexId,
        nodes: &[&Node],
        record: &mut Record,
    ) -> Result<(), Refusal> {
        for (i, field) in self.types.complex(id).fields.iter().enumerate() {
            let element = field.kind == FieldKind::Element;
            let same = nodes
                .iter()
                .filter(|node| element && *field.wire.local == *node.local);
            let mut values: Vec<Value> = same
                .map(|node| self.element(field, node))
                .collect::<Result<_, _>>()?;
            if field.many && !values.is_empty() {
                record.values_mut()[i] = Value::List(values);
            } else if let Some(value) = values.pop() {
                record.values_mut()[i] = value;
            }
        }
        Ok(())
    }

    /// An array, every item of which is there.
    pub(super) fn array(&self, id: ComplexId, node: &Node) -> Result<Value, Refusal> {
        let field = self
            .types
            .complex(id)
            .fields
            .first()
            .ok_or("an array of nothing")?;
        let items = node.elements()?;
        let items: Vec<Value> = items
            .into_iter()
            .map(|item| self.element(field, item))
            .collect::<Result<_, _>>()?;
        let sizes = sizes(node)?;
        if sizes.len() < 2 {
            return Ok(Value::List(items));
        }
        Grid::new(sizes, Value::List(items))
            .map(Value::Grid)
            .map_err(|_| "an array with another number of items than it says".into())
    }
}

fn sizes(node: &Node) -> Result<Vec<usize>, Refusal> {
    let text = match node.attribute(ENCODINGS[0], "arrayType") {
        Some(text) => text
            .rsplit_once('[')
            .map_or("", |(_, sizes)| sizes)
            .trim_end_matches(']'),
        None => node.attribute(ENCODINGS[1], "arraySize").unwrap_or_default(),
    };
    let sizes = text.split([',', ' ']).filter(|size| !size.is_empty());
    sizes
        .map(|size| size.parse().map_err(|_| format!("{text:?} is no size")))
        .collect()
}

fn with_id<'n>(node: &'n Node, id: &str) -> Option<&'n Node> {
    if [("", "id"), (ENCODINGS[1], "id")]
        .iter()
        .any(|(uri, local)| node.attribute(uri, local) == Some(id))
    {
        return Some(node);
    }
    node.children.iter().find_map(|child| match child {
        Child::Element(element) => with_id(element, id),
        Child::Text(_) => None,
    })
}
