//! The variable table of a track (paper 001): what may differ between messages that are like it, for people to
//! read.

use std::fmt;
use std::sync::Arc;

use castile_plan::{TypeId, Types};
use castile_value::{Shape, Slot};

use super::notes::{Fixed, Kind};
use super::parts::Parts;
use super::track::{Items, Step, Track};
use crate::decode::repeat::Kernel;

/// One value, or the same value of all items of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// How many bytes of constants stand before it, one item of each repetition counted.
    pub place: usize,
    /// The records that it lies in, outermost first, with a slash between two.
    pub parent: String,
    /// Its field there.
    pub name: String,
    /// Its type, as the text is read.
    pub ty: String,
    /// How it reaches the sink: `scalar`, `record`, `column`, `rows` or `xml`.
    pub setter: &'static str,
    /// Whether there may be several.
    pub repeats: bool,
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let repeats = if self.repeats { "*" } else { "" };
        write!(
            f,
            "{:>6}  {}/{}{repeats}  {}  {}",
            self.place, self.parent, self.name, self.ty, self.setter
        )
    }
}

impl Track {
    /// The table of its variables, in the order of the message. `body` is the record type of the plan's body.
    pub fn variables(&self, types: &Types, body: &Arc<Shape>) -> Vec<Variable> {
        let mut table = Table {
            types,
            open: vec![(String::new(), Some(body.clone()))],
            place: 0,
            repeats: false,
            rows: Vec::new(),
        };
        table.steps(&self.steps);
        table.rows
    }
}

struct Table<'t> {
    types: &'t Types,
    /// The open records by name, with their shapes.
    open: Vec<(String, Option<Arc<Shape>>)>,
    place: usize,
    repeats: bool,
    rows: Vec<Variable>,
}

impl Table<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Constant(bytes) => self.place += bytes.len(),
                Step::Tell(fixed) => self.tell(fixed),
                Step::Value(slot, kernel) => {
                    let name = self.field(slot.field);
                    self.add(name, *kernel, "scalar", slot.many);
                }
                Step::Wild(slot, wild) => {
                    let (name, place) = (self.field(slot.field), self.place);
                    self.push(name, "XML".into(), "xml", slot.many);
                    self.place = place + wild.bytes();
                }
                Step::Alike(items) => self.items(items),
                Step::Parts(parts) => self.parts(parts),
                Step::Items(several) => {
                    let outer = std::mem::replace(&mut self.repeats, true);
                    several.shapes.iter().for_each(|shape| self.steps(shape));
                    self.repeats = outer;
                }
            }
        }
    }

    fn parts(&mut self, parts: &Parts) {
        for way in parts.all.iter().flat_map(|part| &part.ways) {
            self.steps(way);
        }
    }

    fn tell(&mut self, fixed: &Fixed) {
        match fixed {
            Fixed::Open(slot, shape) => self.enter(*slot, Some(shape)),
            Fixed::Array(slot, shape, _) => self.enter(*slot, shape.as_ref()),
            Fixed::Object(number) => self.open.push((format!("object {number}"), None)),
            Fixed::Close => drop(self.open.pop()),
            _ => {}
        }
    }

    fn enter(&mut self, slot: Slot, shape: Option<&Arc<Shape>>) {
        self.open.push((self.field(slot.field), shape.cloned()));
    }

    fn items(&mut self, items: &Items) {
        let (shape, setter) = match &items.kind {
            Kind::Scalars => (None, "scalar"),
            Kind::Column(_) => (None, "column"),
            Kind::Records(shape, _) => (Some(shape), "record"),
            Kind::Rows(layout) => (Some(layout.0.shape()), "rows"),
        };
        if shape.is_some() {
            self.enter(items.slot, shape);
        }
        for (before, field, kernel) in &items.cells {
            self.place += before.len();
            let field = if shape.is_some() { *field } else { items.slot.field };
            self.add(self.field(field), *kernel, setter, true);
        }
        self.place += items.close.len();
        if shape.is_some() {
            self.open.pop();
        }
    }

    /// The name of a field of the innermost record.
    fn field(&self, field: u32) -> String {
        let shape = self.open.last().and_then(|(_, shape)| shape.as_ref());
        let name = shape.and_then(|shape| shape.fields().nth(field as usize));
        name.map_or_else(|| format!("field {field}"), str::to_owned)
    }

    fn add(&mut self, name: String, kernel: Kernel, setter: &'static str, many: bool) {
        self.push(name, self.label(kernel), setter, many);
    }

    fn push(&mut self, name: String, ty: String, setter: &'static str, many: bool) {
        let parents: Vec<&str> = self.open.iter().map(|(name, _)| &**name).collect();
        let row = Variable {
            place: self.place,
            parent: parents.join("/"),
            name,
            ty,
            setter,
            repeats: many || self.repeats,
        };
        self.rows.push(row);
    }

    fn label(&self, kernel: Kernel) -> String {
        match kernel {
            Kernel::F64 => "double".into(),
            Kernel::F32 => "float".into(),
            Kernel::F64In(least, greatest) => format!("double from {least} to {greatest}"),
            Kernel::F32In(least, greatest) => format!("float from {least} to {greatest}"),
            Kernel::Bool => "boolean".into(),
            Kernel::U64 => "unsignedLong".into(),
            Kernel::Int { least, greatest } => format!("integer from {least} to {greatest}"),
            Kernel::Text => "string".into(),
            Kernel::Other(id) | Kernel::Attribute(id, _) => self.types.type_label(TypeId::Simple(id)),
        }
    }
}
