//! Sample values for any type: what a mock server answers, what an example shows, and what tests
//! send through the codec when nobody wrote a value.
//!
//! Deterministic: the same table and options give the same values. Facets are respected where that
//! is possible without solving puzzles (several patterns at once are one), recursion ends as soon
//! as the schema lets it, and what cannot be finite is left out.

mod heights;
mod pattern;
mod scalar;

use std::cell::Cell;
use std::sync::Arc;

use castile_plan::{ComplexId, Field, FieldKind, NsIx, Particle, Process, TypeId, Types, Wildcard};
use castile_value::{Record, Value};

use heights::Heights;

/// How much a sample has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Only what must be there.
    Required,
    /// Everything that may be there, as deep as the options say.
    Everything,
}

/// What samples are like.
#[derive(Clone, Copy, Debug)]
pub struct SampleOptions {
    /// How much they have. Default: everything.
    pub fill: Fill,
    /// Values of a field that repeats, where the schema allows so many. Default 2.
    pub items: u32,
    /// Which branch of choices, which value of enumerations and, when odd, whether derived types
    /// stand for declared ones. Default 0: the first, and no derived types.
    pub variant: u32,
    /// Records nested deeper than this have only what they must. Default 5.
    pub depth_max: u32,
    /// So many values in, records have only what they must. Default 2000.
    pub values_max: u32,
}

impl Default for SampleOptions {
    fn default() -> Self {
        SampleOptions {
            fill: Fill::Everything,
            items: 2,
            variant: 0,
            depth_max: 5,
            values_max: 2000,
        }
    }
}

/// The namespace of elements and attributes that samples make up for wildcards.
const NAMESPACE: &str = "urn:castile:sample";

/// Most values of a field that must repeat; a schema that wants more gets no sample.
const REPEATS_MAX: u32 = 10_000;

/// So many times `values_max` a sample ends without a value: the schema wants too much.
const EXCESS: u32 = 50;

/// Makes samples over one table.
pub struct Sampler<'t> {
    types: &'t Types,
    options: SampleOptions,
    heights: Heights,
}

/// One sample being made.
struct Making {
    /// Values so far: numbers count up with it.
    values: Cell<u32>,
}

impl<'t> Sampler<'t> {
    /// A sampler; looks through the whole table once.
    pub fn new(types: &'t Types, options: SampleOptions) -> Self {
        Sampler {
            types,
            options,
            heights: Heights::new(types),
        }
    }

    /// A record of a type; `None` when it cannot be finite, or uses what is not supported where it
    /// must.
    pub fn record(&self, id: ComplexId) -> Option<Record> {
        let making = Making { values: Cell::new(0) };
        self.heights.complex(id)?;
        self.fields(id, 0, &making)
    }

    /// Whether only what must be there is made now.
    fn lean(&self, depth: u32, making: &Making) -> bool {
        self.options.fill == Fill::Required || self.exhausted(depth, making)
    }

    fn exhausted(&self, depth: u32, making: &Making) -> bool {
        depth > self.options.depth_max || making.values.get() > self.options.values_max
    }

    fn fields(&self, id: ComplexId, depth: u32, making: &Making) -> Option<Record> {
        if making.values.get() > self.options.values_max.saturating_mul(EXCESS) {
            return None;
        }
        let complex = self.types.complex(id);
        let mut found: Vec<Vec<Value>> = vec![Vec::new(); complex.fields.len()];
        for (field, values) in complex.fields.iter().zip(&mut found) {
            let given = field.default.is_some() || field.fixed.is_some();
            if field.required || given || !self.lean(depth, making) {
                values.extend(self.outside(field, making));
            }
        }
        if !complex.content.is_empty() {
            self.particle(id, 0, depth, making, &mut found)?;
        }
        let mut record = Record::new(Arc::clone(self.types.shape(id)));
        for ((slot, field), mut values) in record.values_mut().iter_mut().zip(&complex.fields).zip(found) {
            *slot = match field.many {
                true if values.is_empty() => Value::Absent,
                true => Value::List(values),
                false => values.pop().unwrap_or_default(),
            };
        }
        Some(record)
    }

    /// The value of an attribute or of the text.
    fn outside(&self, field: &Field, making: &Making) -> Option<Value> {
        match &field.kind {
            _ if field.is_nil() => None,
            FieldKind::Attribute | FieldKind::Text => match field.ty {
                TypeId::Simple(id) => self.simple(id, field, making),
                _ => None,
            },
            FieldKind::AnyAttribute(wildcard) => {
                let uri = self.admitted(wildcard)?;
                let name = if uri.is_empty() {
                    "sample".to_owned()
                } else {
                    format!("{{{uri}}}sample")
                };
                Some(Value::Map(vec![(name, "sample".into())]))
            }
            _ => None,
        }
    }

    fn particle(
        &self,
        id: ComplexId,
        i: usize,
        depth: u32,
        making: &Making,
        found: &mut [Vec<Value>],
    ) -> Option<()> {
        let content = &self.types.complex(id).content;
        match *content.get(i)? {
            Particle::Leaf { field, occurs } => {
                let f = self.types.complex(id).fields.get(field as usize)?;
                let wanted = if self.lean(depth, making) || self.undeclared(f) {
                    occurs.min
                } else {
                    self.options.items.clamp(1, occurs.max)
                };
                for n in 0..occurs.min.max(wanted) {
                    match self.content(f, depth, making) {
                        Some(value) if n < REPEATS_MAX => found.get_mut(field as usize)?.push(value),
                        _ if n < occurs.min => return None,
                        _ => break,
                    }
                }
                Some(())
            }
            Particle::Sequence { optional, .. } | Particle::All { optional, .. } => {
                let finite = || children(content, i).all(|child| self.heights.particle(id, child).is_some());
                if optional && (self.lean(depth, making) || !finite()) {
                    return Some(());
                }
                children(content, i).try_for_each(|child| self.particle(id, child, depth, making, found))
            }
            Particle::Choice { optional, .. } => {
                if optional && self.lean(depth, making) {
                    return Some(());
                }
                match self.branch(id, i, depth, making) {
                    Some(child) => self.particle(id, child, depth, making, found),
                    None => optional.then_some(()),
                }
            }
        }
    }

    /// The branch of a choice: the one of the variant while there is room, else the lowest.
    fn branch(&self, id: ComplexId, i: usize, depth: u32, making: &Making) -> Option<usize> {
        let content = &self.types.complex(id).content;
        let finite =
            children(content, i).filter_map(|child| Some((self.heights.particle(id, child)?, child)));
        let finite: Vec<(u32, usize)> = finite.collect();
        if self.exhausted(depth, making) {
            return finite.iter().min().map(|(_, child)| *child);
        }
        let at = (self.options.variant as usize).checked_rem(finite.len())?;
        finite.get(at).map(|(_, child)| *child)
    }

    /// One value of an element, a wildcard or a pass through a group.
    fn content(&self, field: &Field, depth: u32, making: &Making) -> Option<Value> {
        making.values.set(making.values.get() + 1);
        match (&field.kind, field.ty) {
            (FieldKind::Any(wildcard), _) => self.element(wildcard),
            (_, TypeId::Any) => Some(scalar::name(&field.name, making.values.get()).into()),
            (_, TypeId::Simple(id)) => self.simple(id, field, making),
            (_, TypeId::Complex(id)) => self.nested(id, field, depth, making),
            (_, TypeId::Unsupported(_)) => None,
        }
    }

    fn nested(&self, declared: ComplexId, field: &Field, depth: u32, making: &Making) -> Option<Value> {
        let height = self.heights.complex(declared);
        // A type whose parts may be nil is low, and may contain itself all the same.
        let high = height > Some(1) || field.nillable;
        if height.is_none() || (self.exhausted(depth, making) && high) {
            if field.nillable {
                return Some(Value::Nil);
            }
            height?;
        }
        let depth = depth + u32::from(field.kind != FieldKind::Group);
        let id = self
            .heights
            .concrete(self.types, declared, self.wanted_type(depth, making))?;
        let record = self.fields(id, depth, making)?;
        Some(match self.types.complex(id).array {
            Some(rank) => array(record, rank),
            None => Value::Record(record),
        })
    }

    /// Which derived type is to stand for a declared one, if any.
    fn wanted_type(&self, depth: u32, making: &Making) -> Option<usize> {
        let odd = self.options.variant % 2 == 1;
        (odd && !self.exhausted(depth, making)).then_some(self.options.variant as usize / 2)
    }

    fn simple(&self, id: castile_plan::SimpleId, field: &Field, making: &Making) -> Option<Value> {
        let number = making.values.get();
        if let Some(text) = field.fixed.as_ref().or(field.default.as_ref()) {
            return scalar::parse(self.types, id, text);
        }
        scalar::scalar(
            self.types,
            id,
            scalar::Wish {
                name: &field.name,
                number,
                variant: self.options.variant,
            },
        )
    }

    /// An element that a wildcard admits: a declared one where the schema asks for it and has one.
    fn element(&self, wildcard: &Wildcard) -> Option<Value> {
        self.declared(wildcard)
            .or_else(|| Some(Value::Xml(xml(self.admitted(wildcard)?, "sample", "sample"))))
    }

    /// A global element that a strict wildcard admits.
    fn declared(&self, wildcard: &Wildcard) -> Option<Value> {
        let types = self.types;
        if wildcard.process != Process::Strict {
            return None;
        }
        let mut fitting = types
            .elements
            .iter()
            .filter(|e| !e.is_abstract && wildcard.admits(Some(e.name.ns)));
        fitting.find_map(|element| {
            let TypeId::Simple(id) = element.ty else {
                return None;
            };
            let wish = scalar::Wish {
                name: &element.name.local,
                number: 1,
                variant: 0,
            };
            let value = scalar::scalar(types, id, wish)?;
            let id = types.element_named(&element.name)?;
            let mut named = Record::new(Arc::clone(&types.global(id).shape));
            *named.values_mut().first_mut()? = value;
            Some(Value::Record(named))
        })
    }

    /// Whether the field asks for a declared element and there is none that is simple.
    fn undeclared(&self, field: &Field) -> bool {
        match &field.kind {
            FieldKind::Any(w) => w.process == Process::Strict && self.declared(w).is_none(),
            _ => false,
        }
    }

    /// A namespace that a wildcard admits.
    fn admitted(&self, wildcard: &Wildcard) -> Option<&str> {
        match &wildcard.namespaces {
            Some(list) if wildcard.other_than.is_none() => {
                let ns: &NsIx = list.first()?;
                Some(self.types.uri(*ns))
            }
            _ => Some(NAMESPACE),
        }
    }
}

/// The items of an array of SOAP encoding; with several dimensions, all but the last have one item.
fn array(record: Record, rank: u32) -> Value {
    let items = record
        .into_values()
        .into_iter()
        .next()
        .unwrap_or_default()
        .into_list();
    if rank < 2 {
        return Value::List(items);
    }
    let mut sizes = vec![1; rank as usize];
    sizes[rank as usize - 1] = items.len();
    castile_value::Grid::new(sizes, Value::List(items)).map_or_else(|items| items, Value::Grid)
}

fn xml(uri: &str, local: &str, text: &str) -> String {
    let mut out = Vec::new();
    let prefix = if uri.is_empty() { "" } else { "w:" };
    out.extend_from_slice(format!("<{prefix}{local}").as_bytes());
    if !uri.is_empty() {
        out.extend_from_slice(b" xmlns:w=\"");
        castile_xml::escape_attribute(uri, &mut out);
        out.push(b'"');
    }
    out.push(b'>');
    castile_xml::escape_text(text, &mut out);
    out.extend_from_slice(format!("</{prefix}{local}>").as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

/// The index after the last descendant of particle `i`.
fn end(content: &[Particle], i: usize) -> usize {
    match content[i] {
        Particle::Leaf { .. } => i + 1,
        Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => {
            end as usize
        }
    }
}

/// The children of particle `i`, which is one of `content`.
fn children(content: &[Particle], i: usize) -> impl Iterator<Item = usize> + '_ {
    let stop = end(content, i);
    let next = move |&at: &usize| Some(end(content, at)).filter(|&n| n < stop);
    std::iter::successors(Some(i + 1).filter(|&c| c < stop), next)
}
