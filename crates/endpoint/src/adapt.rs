//! Between arguments, which users see, and bodies, which messages have.
//!
//! When a body is one element of a complex type, its fields are the arguments; so it is for
//! document/literal wrapped and rpc/literal, and for a bare message of one such element.

use std::sync::Arc;

use castile_codec::{DecodeOptions, Intake};
use castile_plan::{ComplexId, Plan, Style, Types};
use castile_value::typed::LinesIn;
use castile_value::{
    ColumnBuf, DType, GraphSink, Item, Items, Packed, RowLayout, Rows, Scalar, Shape, Sink, Slot, Source,
};

/// The complex type whose fields are the arguments of a message, and whether it is that of the one
/// body element (else it is the body itself).
pub(crate) fn arguments(types: &Types, plan: &Plan) -> (ComplexId, bool) {
    plan.values(types)
}

/// The same for the results of a reply, which are the elements of a bare body.
pub(crate) fn results(types: &Types, plan: &Plan) -> (ComplexId, bool) {
    match plan.style {
        Style::Wrapped => arguments(types, plan),
        Style::Bare => (plan.body, false),
    }
}

/// Has `read` tell a message to sinks for its header and for its values, which are those of [`arguments`] or
/// [`results`].
pub(crate) fn decode_values<T>(
    types: &Types,
    plan: &Plan,
    options: &DecodeOptions,
    (id, nested): (ComplexId, bool),
    (header, values): (&mut dyn Sink, &mut dyn Sink),
    read: impl FnOnce(Intake<'_>) -> T,
) -> T {
    let mut inside;
    let body: &mut dyn Sink = match nested {
        true => {
            inside = Inside::new(values, types.shape(id).clone());
            &mut inside
        }
        false => values,
    };
    read(Intake {
        types,
        plan,
        options,
        header,
        body,
    })
}

/// Whether the header type has a block of this name.
pub(crate) fn names_header(types: &Types, header: ComplexId, name: &castile_codec::Name) -> bool {
    let same =
        |f: &castile_plan::Field| *f.wire.local == *name.local && types.uri(f.wire.ns) == name.namespace;
    types.complex(header).fields.iter().any(same)
}

/// A body of one element whose fields are the arguments.
pub(crate) struct Body<'a>(pub(crate) &'a dyn Source);

impl Source for Body<'_> {
    fn field(&self, _index: usize, _name: &str) -> Item<'_> {
        Item::Record(self.0)
    }

    fn object(&self, number: u32) -> Item<'_> {
        self.0.object(number)
    }
}

/// No values at all.
pub struct Nothing;

impl Source for Nothing {
    fn field(&self, _index: usize, _name: &str) -> Item<'_> {
        Item::Absent
    }
}

/// Header values by the names of the contract, and further blocks as XML.
pub struct Headers<'a> {
    /// The blocks that the contract names, by its field names.
    pub typed: &'a dyn Source,
    /// Further blocks, each one namespace-complete XML element.
    pub raw: &'a [String],
}

impl Source for Headers<'_> {
    fn field(&self, index: usize, name: &str) -> Item<'_> {
        if name == castile_contract::HEADER_ANY && !self.raw.is_empty() {
            return Item::Items(self);
        }
        self.typed.field(index, name)
    }

    fn unknown_name(&self, shape: &Shape) -> Option<String> {
        self.typed.unknown_name(shape)
    }
}

impl Items for Headers<'_> {
    fn len(&self) -> usize {
        self.raw.len()
    }

    fn item(&self, i: usize) -> Item<'_> {
        self.raw.get(i).map_or(Item::Absent, |xml| Item::Xml(xml))
    }
}

/// Passes the fields of the one body element on as if they were the body.
struct Inside<'s> {
    sink: &'s mut dyn Sink,
    /// The declared type of the element.
    shape: Arc<Shape>,
    depth: u32,
    /// Where the fields of the type that came lie in the declared one, when it is another.
    places: Option<Vec<Option<u32>>>,
    /// The element is read; what comes now are objects that it refers to.
    done: bool,
}

impl<'s> Inside<'s> {
    fn new(sink: &'s mut dyn Sink, shape: Arc<Shape>) -> Self {
        Inside {
            sink,
            shape,
            depth: 0,
            places: None,
            done: false,
        }
    }

    /// Where a value goes; `None` for the element itself and for fields that only a derived type has.
    fn place(&self, at: Slot) -> Option<Slot> {
        match (self.depth, &self.places) {
            _ if self.done => Some(at),
            (0, _) => None,
            (1, Some(places)) => Some(Slot {
                field: (*places.get(at.field as usize)?)?,
                ..at
            }),
            _ => Some(at),
        }
    }
}

impl Sink for Inside<'_> {
    fn scalar(&mut self, at: Slot, value: Scalar<'_>) {
        if let Some(at) = self.place(at) {
            self.sink.scalar(at, value);
        }
    }

    fn nil(&mut self, at: Slot) {
        if let Some(at) = self.place(at) {
            self.sink.nil(at);
        }
    }

    fn xml(&mut self, at: Slot, text: String) {
        if let Some(at) = self.place(at) {
            self.sink.xml(at, text);
        }
    }

    fn attribute(&mut self, at: Slot, name: String, value: &str) {
        if let Some(at) = self.place(at) {
            self.sink.attribute(at, name, value);
        }
    }

    fn open(&mut self, at: Slot, shape: &Arc<Shape>) {
        match self.place(at) {
            Some(at) => self.sink.open(at, shape),
            None if self.depth == 0 && !Arc::ptr_eq(shape, &self.shape) => {
                let place = |name: &str| self.shape.index(name).map(|i| i as u32);
                self.places = Some(shape.fields().map(place).collect());
            }
            None => {}
        }
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 || self.done {
            self.sink.close();
        }
        self.done |= self.depth == 0;
    }

    fn record(&mut self, at: Slot, shape: &Arc<Shape>, values: &mut Vec<(u32, Scalar<'_>)>) {
        // The element itself does not repeat, so what comes whole lies inside it.
        match self.place(at) {
            Some(at) => self.sink.record(at, shape, values),
            None => values.clear(),
        }
    }

    fn packed(&mut self, at: Slot, packed: &Packed<'_>) {
        if let Some(at) = self.place(at) {
            self.sink.packed(at, packed);
        }
    }

    fn read_lines(&mut self, at: Slot, lines: &LinesIn<'_>) -> Option<(u32, usize)> {
        let at = self.place(at)?;
        self.sink.read_lines(at, lines)
    }

    fn texts(&mut self, at: Slot, texts: &[&str]) {
        if let Some(at) = self.place(at) {
            self.sink.texts(at, texts);
        }
    }

    fn column(&mut self, at: Slot, dtype: DType) -> Option<&mut ColumnBuf> {
        let at = self.place(at)?;
        self.sink.column(at, dtype)
    }

    fn rows(&mut self, at: Slot, layout: &Arc<RowLayout>) -> Option<&mut Rows> {
        let at = self.place(at)?;
        self.sink.rows(at, layout)
    }

    fn given_column(&mut self, at: Slot, dtype: DType) -> Option<&mut ColumnBuf> {
        let at = self.place(at)?;
        self.sink.given_column(at, dtype)
    }

    fn given_rows(&mut self, at: Slot, layout: &Arc<RowLayout>) -> Option<&mut Rows> {
        let at = self.place(at)?;
        self.sink.given_rows(at, layout)
    }

    fn graph(&mut self) -> Option<&mut dyn GraphSink> {
        self.sink.graph().is_some().then_some(self)
    }
}

impl GraphSink for Inside<'_> {
    fn array(&mut self, at: Slot, shape: Option<&Arc<Shape>>, sizes: &[usize]) {
        if let (Some(at), Some(graph)) = (self.place(at), self.sink.graph()) {
            graph.array(at, shape, sizes);
        }
        self.depth += 1;
    }

    fn object(&mut self, number: u32) {
        self.depth += 1;
        if let Some(graph) = self.sink.graph() {
            graph.object(number);
        }
    }

    fn reference(&mut self, at: Slot, number: u32) {
        if let (Some(at), Some(graph)) = (self.place(at), self.sink.graph()) {
            graph.reference(at, number);
        }
    }
}
