//! Random values for the types of a table: [`Sampler`].

use std::sync::Arc;

use castile_plan::{ComplexId, Field, FieldKind, Particle, TypeId, Types, Wildcard};
use castile_value::{ColumnBuf, DType, Record, Rows, Value};

use crate::Rng;
use crate::scalars::scalar;

/// How much of what may be left out is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Only what must be there.
    Least,
    /// Each once in two times.
    Random,
    /// Everything, lists with three items; of choices one alternative.
    Most,
}

/// Records deeper than this are left empty.
const DEPTH_MAX: u32 = 100;

/// Elements beyond so many are left out, of schemas that demand more than anybody can send.
const ELEMENTS_MAX: usize = 100_000;

/// Makes values that a strict encoder takes and a decoder gives back.
#[derive(Clone, Debug)]
pub struct Sampler<'t> {
    types: &'t Types,
    rng: Rng,
    effort: Effort,
    /// Records open at once, beyond which only what must be there is made.
    depth_max: u32,
    depth: u32,
    /// Elements made of the value at hand.
    elements: usize,
    branch: Option<usize>,
}

impl<'t> Sampler<'t> {
    /// A sampler of random effort.
    pub fn new(types: &'t Types, rng: Rng) -> Self {
        Sampler {
            types,
            rng,
            effort: Effort::Random,
            depth_max: 3,
            depth: 0,
            elements: 0,
            branch: None,
        }
    }

    /// How much is there.
    #[must_use]
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// Takes alternative `branch`, modulo their number, of every choice, so that all are tried.
    #[must_use]
    pub fn branch(mut self, branch: usize) -> Self {
        self.branch = Some(branch);
        self
    }

    /// A value of a complex type.
    pub fn record(&mut self, id: ComplexId) -> Record {
        let mut record = Record::new(self.types.shape(id).clone());
        if self.depth == 0 {
            self.elements = 0;
        }
        self.depth += 1;
        for (i, field) in self.types.complex(id).fields.iter().enumerate() {
            record.values_mut()[i] = self.apart(field);
        }
        if !self.types.complex(id).content.is_empty() {
            let mut lists: Vec<Vec<Value>> = vec![Vec::new(); record.values().len()];
            self.particle(id, 0, &mut lists);
            for (i, list) in lists.into_iter().enumerate().filter(|(_, list)| !list.is_empty()) {
                let field = &self.types.complex(id).fields[i];
                record.values_mut()[i] = self.gathered(field, list);
            }
        }
        self.depth -= 1;
        record
    }

    /// Whether something that may be left out is there.
    fn wanted(&mut self) -> bool {
        match self.effort {
            _ if self.depth > self.depth_max => false,
            Effort::Least => false,
            Effort::Random => self.rng.once_in(2),
            Effort::Most => true,
        }
    }

    /// Attributes and text.
    fn apart(&mut self, field: &Field) -> Value {
        match (&field.kind, field.ty) {
            (FieldKind::Attribute, TypeId::Simple(id))
                if field.required || field.default.is_some() || self.wanted() =>
            {
                scalar(self.types, id, &mut self.rng)
            }
            (FieldKind::Text, TypeId::Simple(id)) => self.simple(field, id),
            (FieldKind::AnyAttribute(wildcard), _) if self.wanted() => {
                let uri = self.admitted(wildcard);
                let name = if uri.is_empty() {
                    "wild".to_owned()
                } else {
                    format!("{{{uri}}}wild")
                };
                Value::Map(vec![(name, Value::Text("a\t\"<&'\n".into()))])
            }
            _ => Value::Absent,
        }
    }

    fn particle(&mut self, id: ComplexId, i: usize, out: &mut [Vec<Value>]) {
        let content = &self.types.complex(id).content;
        match content[i] {
            Particle::Leaf { field, occurs } => {
                let more = match self.effort {
                    _ if self.depth > self.depth_max => 0,
                    Effort::Least => 0,
                    Effort::Random => self.rng.below(4),
                    Effort::Most => 3,
                };
                let count = (occurs.min as usize).max(more).min(occurs.max as usize);
                for _ in 0..count {
                    self.elements += 1;
                    if self.elements > ELEMENTS_MAX {
                        return;
                    }
                    let value = self.element(&self.types.complex(id).fields[field as usize]);
                    out[field as usize].push(value);
                }
            }
            Particle::Sequence { optional, end } | Particle::All { optional, end } => {
                if !optional || self.wanted() {
                    for child in children(content, i, end) {
                        self.particle(id, child, out);
                    }
                }
            }
            Particle::Choice { optional, end } => {
                if !optional || self.wanted() {
                    let children: Vec<usize> = children(content, i, end).collect();
                    let chosen = self.branch.unwrap_or_else(|| self.rng.below(children.len()));
                    if let Some(&child) = children.get(chosen % children.len().max(1)) {
                        self.particle(id, child, out);
                    }
                }
            }
        }
    }

    fn element(&mut self, field: &Field) -> Value {
        if field.nillable && field.kind == FieldKind::Element {
            let deep = self.depth > self.depth_max + 2;
            if deep || self.effort == Effort::Random && self.rng.once_in(5) {
                return Value::Nil;
            }
        }
        match (&field.kind, field.ty) {
            (FieldKind::Any(wildcard), _) => Value::Xml(self.xml(wildcard)),
            (_, TypeId::Simple(id)) => self.simple(field, id),
            (_, TypeId::Complex(id)) => Value::Record(self.typed(id)),
            _ => self.any(),
        }
    }

    /// A record of the type or of one derived from it.
    fn typed(&mut self, declared: ComplexId) -> Record {
        let types = self.types;
        if self.depth > DEPTH_MAX {
            // A schema whose values have no end.
            return Record::new(types.shape(declared).clone());
        }
        let fits = |&(i, c): &(usize, &castile_plan::Complex)| {
            let id = TypeId::Complex(ComplexId(i as u32));
            !c.is_abstract
                && (id == TypeId::Complex(declared)
                    || c.name.is_some() && types.is_derived(id, TypeId::Complex(declared)))
        };
        let wanted =
            types.complex(declared).is_abstract || self.effort == Effort::Random && self.rng.once_in(3);
        let candidates: Vec<usize> = match wanted {
            true => types
                .complex
                .iter()
                .enumerate()
                .filter(fits)
                .map(|(i, _)| i)
                .collect(),
            false => Vec::new(),
        };
        let chosen = candidates.get(self.rng.below(candidates.len())).copied();
        self.record(chosen.map_or(declared, |i| ComplexId(i as u32)))
    }

    /// An empty element has its default, so a value whose text is empty is none for it.
    fn simple(&mut self, field: &Field, id: castile_plan::SimpleId) -> Value {
        for _ in 0..200 {
            let value = scalar(self.types, id, &mut self.rng);
            let empty = match &value {
                Value::Text(text) => text.is_empty(),
                Value::Bytes(bytes) => bytes.is_empty(),
                Value::List(items) => items.is_empty(),
                Value::Column(items) => items.is_empty(),
                _ => false,
            };
            if !empty || field.default.is_none() && field.fixed.is_none() {
                return value;
            }
        }
        Value::Text("value".into())
    }

    /// A value of `anyType`.
    fn any(&mut self) -> Value {
        match self.rng.below(5) {
            0 => Value::Text("any <text>".into()),
            1 => Value::Int(-7),
            2 => Value::Double(0.5),
            3 => Value::Bool(true),
            _ => Value::Decimal(castile_lexical::Decimal::parse("1.25").expect("a good decimal")),
        }
    }

    fn xml(&mut self, wildcard: &Wildcard) -> String {
        let uri = self.admitted(wildcard);
        let (prefix, declares) = match &*uri {
            "" => (String::new(), String::new()),
            uri => ("w:".to_owned(), format!(" xmlns:w='{uri}'")),
        };
        match self.rng.below(3) {
            0 => format!("<{prefix}wild{declares} a=\"1\">t<{prefix}in/>&amp;</{prefix}wild>"),
            1 => format!("<{prefix}wild{declares}><![CDATA[<]]><in/></{prefix}wild>"),
            _ => format!("<{prefix}wild{declares}/>"),
        }
    }

    /// A namespace that the wildcard admits.
    fn admitted(&mut self, wildcard: &Wildcard) -> String {
        match &wildcard.namespaces {
            Some(list) => list
                .first()
                .map_or(String::new(), |&ns| self.types.uri(ns).to_owned()),
            None => "urn:wild".to_owned(),
        }
    }

    /// Many values as a decoder gives them.
    fn gathered(&mut self, field: &Field, mut list: Vec<Value>) -> Value {
        if !field.many {
            return list.pop().unwrap_or_default();
        }
        if let TypeId::Simple(id) = field.ty
            && let Some(dtype) = self.types.dtype(id)
            && !list.contains(&Value::Nil)
        {
            return Value::Column(column(dtype, &list));
        }
        if let TypeId::Complex(id) = field.ty
            && let Some(layout) = self.types.row_layout(id)
            && list
                .iter()
                .all(|v| matches!(v, Value::Record(r) if Arc::ptr_eq(r.shape(), layout.shape())))
        {
            let mut rows = Rows::new(layout.clone());
            for value in &list {
                rows.push(&row(value, layout));
            }
            return rows.into();
        }
        Value::List(list)
    }
}

fn children(content: &[Particle], i: usize, end: u32) -> impl Iterator<Item = usize> + '_ {
    let next = move |&at: &usize| {
        Some(match content[at] {
            Particle::Leaf { .. } => at + 1,
            Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => {
                end as usize
            }
        })
        .filter(|&n| n < end as usize)
    };
    std::iter::successors(Some(i + 1).filter(|&c| c < end as usize), next)
}

/// The numbers as a column.
///
/// # Panics
/// When they are not of the machine type.
pub(crate) fn column(dtype: DType, values: &[Value]) -> ColumnBuf {
    let mut column = ColumnBuf::new(dtype);
    for value in values {
        match (&mut column, value) {
            (ColumnBuf::Bool(c), Value::Bool(v)) => c.push(*v),
            (ColumnBuf::I8(c), Value::Int(v)) => c.push(*v as i8),
            (ColumnBuf::U8(c), Value::Int(v)) => c.push(*v as u8),
            (ColumnBuf::I16(c), Value::Int(v)) => c.push(*v as i16),
            (ColumnBuf::U16(c), Value::Int(v)) => c.push(*v as u16),
            (ColumnBuf::I32(c), Value::Int(v)) => c.push(*v as i32),
            (ColumnBuf::U32(c), Value::Int(v)) => c.push(*v as u32),
            (ColumnBuf::I64(c), Value::Int(v)) => c.push(*v),
            (ColumnBuf::U64(c), Value::Int(v)) => c.push(*v as u64),
            (ColumnBuf::U64(c), Value::UInt(v)) => c.push(*v),
            (ColumnBuf::F32(c), Value::Float(v)) => c.push(*v),
            (ColumnBuf::F64(c), Value::Double(v)) => c.push(*v),
            (column, value) => panic!("{value:?} in a column of {:?}", column.dtype()),
        }
    }
    column
}

/// The bytes of a flat record.
fn row(value: &Value, layout: &castile_value::RowLayout) -> Vec<u8> {
    let mut bytes = Vec::new();
    for field in layout.fields() {
        let one = column(
            field.dtype,
            &[value.get(&field.name).cloned().unwrap_or_default()],
        );
        bytes.extend_from_slice(one.view().data());
    }
    bytes
}
