//! What an item holds, as bytes: [`Printer`]. Two items at one place of a message that print alike are written alike.
//!
//! ```text
//!   record     kind, type, each field
//!   map        kind, its own name, number of entries, each name and value
//!   list       kind, number of items, each item
//!   text       kind, bytes, text
//!   number     kind, bits
//! ```
//!
//! Nothing is said of the order in which things are written, of choices or defaults: the encoder knows nothing of a
//! value but what is here, so it does the same with the same.

use castile_plan::{ComplexId, Field, TypeId, Types};
use castile_value::{Column, Item, Items, QName, Record, Scalar, Source, Table, Value, deep};

use super::super::keep::Apart;

/// Bytes of what one item holds; one that holds more is not printed.
const PRINT_BYTES_MAX: usize = 64 << 10;

/// Goes through values until it has seen all, or nobody wants more.
pub(super) struct Printer<'t, T> {
    types: &'t Types,
    apart: Apart,
    tape: T,
}

/// Where what is printed goes.
pub(super) trait Tape {
    /// Takes so many bytes more; `false`: no more are wanted.
    fn put<const N: usize>(&mut self, bytes: [u8; N]) -> bool;

    /// As [`Tape::put`].
    fn text(&mut self, text: &[u8]) -> bool;
}

/// Appends it.
pub(super) struct Append<'o> {
    out: &'o mut Vec<u8>,
    most: usize,
}

/// Compares it with what was printed.
pub(super) struct Compare<'p> {
    rest: &'p [u8],
}

impl Tape for Append<'_> {
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) -> bool {
        self.out.extend_from_slice(&bytes);
        self.out.len() <= self.most
    }

    #[inline(always)]
    fn text(&mut self, text: &[u8]) -> bool {
        self.out.extend_from_slice(text);
        self.out.len() <= self.most
    }
}

impl Tape for Compare<'_> {
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) -> bool {
        match self.rest.split_first_chunk() {
            Some((was, rest)) if *was == bytes => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    #[inline(always)]
    fn text(&mut self, text: &[u8]) -> bool {
        match self.rest.split_at_checked(text.len()) {
            Some((was, rest)) if was == text => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }
}

/// What a value is.
#[derive(Clone, Copy)]
enum Kind {
    Absent,
    Nil,
    False,
    True,
    Int,
    UInt,
    Float,
    Double,
    Decimal,
    Text,
    Bytes,
    DateTime,
    Duration,
    QName,
    Scalars,
    Numbers,
    Column,
    Table,
    Record,
    Map,
    Items,
    Xml,
}

/// Appends what an item of a list holds; `false`, and perhaps a part is appended, when it cannot be printed.
pub(super) fn print(types: &Types, apart: Apart, ty: TypeId, item: Printed<'_>, out: &mut Vec<u8>) -> bool {
    let most = out.len().saturating_add(PRINT_BYTES_MAX);
    let tape = Append { out, most };
    Printer { types, apart, tape }.printed(ty, item)
}

/// Whether an item holds what was printed.
pub(super) fn is_printed(types: &Types, apart: Apart, ty: TypeId, item: Printed<'_>, print: &[u8]) -> bool {
    let tape = Compare { rest: print };
    let mut printer = Printer { types, apart, tape };
    printer.printed(ty, item) && printer.tape.rest.is_empty()
}

/// An item of a list.
pub(super) enum Printed<'i> {
    /// A dynamic value, which is looked into where it lies.
    Value(&'i Value),
    /// Any other.
    Item(Item<'i>),
}

impl<T: Tape> Printer<'_, T> {
    fn printed(&mut self, ty: TypeId, item: Printed<'_>) -> bool {
        match item {
            Printed::Value(value) => self.value(ty, value),
            Printed::Item(item) => self.item(ty, &item),
        }
    }

    fn value(&mut self, ty: TypeId, value: &Value) -> bool {
        match value {
            // What records mostly hold.
            Value::Text(text) => self.text(Kind::Text, text.as_bytes()),
            Value::Int(v) => self.word(Kind::Int, v.to_le_bytes()),
            Value::Absent => self.kind(Kind::Absent),
            Value::Double(v) => self.word(Kind::Double, v.to_le_bytes()),
            Value::Record(record) => self.dynamic(ty, record),
            Value::Map(entries) => self.map(
                None,
                entries.iter().map(|(name, value)| (name.as_str(), value)),
                entries.len(),
            ),
            Value::List(items) => {
                self.begin(ty, items.len()) && deep(|| items.iter().all(|item| self.value(ty, item)))
            }
            Value::Shared(value) => self.value(ty, value.held()),
            other => self.item(ty, &other.item()),
        }
    }

    /// A dynamic record: of a type of the table mostly, whose number says all names.
    fn dynamic(&mut self, ty: TypeId, record: &Record) -> bool {
        let is = |id: &ComplexId| std::ptr::eq(&**self.types.shape(*id), &**record.shape());
        let declared = match ty {
            TypeId::Complex(id) => Some(id).filter(is),
            _ => None,
        };
        let own = || match self.types.type_by_clark(record.shape().name()) {
            Some(TypeId::Complex(id)) => Some(id).filter(is),
            _ => None,
        };
        match declared.or_else(own) {
            Some(id) => {
                let fields = &self.types.complex(id).fields;
                self.record(id, |this| {
                    let mut fields = fields.iter().zip(record.values());
                    fields.all(|(field, value)| this.value(hint(field), value))
                })
            }
            None => {
                let names = record.shape().fields().zip(record.values());
                self.map(Some(record.shape().name()), names, record.values().len())
            }
        }
    }

    fn map<'v>(
        &mut self,
        own: Option<&str>,
        entries: impl Iterator<Item = (&'v str, &'v Value)>,
        count: usize,
    ) -> bool {
        self.open_map(own, count)
            && deep(|| {
                let mut entries = entries;
                entries.all(|(name, value)| {
                    self.text(Kind::Text, name.as_bytes()) && self.value(TypeId::Any, value)
                })
            })
    }

    fn item(&mut self, ty: TypeId, item: &Item<'_>) -> bool {
        match item {
            Item::Absent => self.kind(Kind::Absent),
            Item::Nil => self.kind(Kind::Nil),
            Item::Scalar(scalar) => self.scalar(scalar),
            Item::Column(column) => self.column(column),
            Item::Table(table) => self.table(table),
            Item::Record(source) => self.source(ty, *source),
            Item::Items(items) => self.items(ty, *items),
            Item::Xml(text) => self.text(Kind::Xml, text.as_bytes()),
            // Streams are had once, and only SOAP encoding has the others.
            Item::Stream(_) | Item::Grid(..) | Item::Ref(_) => false,
        }
    }

    /// A record that knows all its names, or else one whose type has them.
    fn source(&mut self, ty: TypeId, source: &dyn Source) -> bool {
        if let Some(entries) = source.entries() {
            return self.open_map(source.type_name(), entries.len())
                && deep(|| {
                    entries.iter().all(|(name, item)| {
                        self.text(Kind::Text, name.as_bytes()) && self.item(TypeId::Any, item)
                    })
                });
        }
        let Some(id) = self.type_of(ty, source) else {
            return false;
        };
        let fields = &self.types.complex(id).fields;
        self.record(id, |this| {
            let mut fields = fields.iter().enumerate();
            fields.all(|(i, field)| this.item(hint(field), &source.field(i, &field.name)))
        })
    }

    /// The type of a record whose names are those of its type.
    fn type_of(&self, ty: TypeId, source: &dyn Source) -> Option<ComplexId> {
        match (ty, source.type_name()) {
            (TypeId::Complex(id), None) => Some(id),
            (TypeId::Complex(id), Some(name)) if *name == *self.types.complex(id).label => Some(id),
            (_, name) => match self.types.type_by_clark(name?)? {
                TypeId::Complex(id) => Some(id),
                _ => None,
            },
        }
    }

    fn record(&mut self, id: ComplexId, fields: impl FnOnce(&mut Self) -> bool) -> bool {
        self.length(Kind::Record, id.0 as usize) && deep(|| fields(self))
    }

    fn open_map(&mut self, own: Option<&str>, count: usize) -> bool {
        self.length(Kind::Map, count)
            && match own {
                Some(name) => self.text(Kind::Text, name.as_bytes()),
                None => self.kind(Kind::Absent),
            }
    }

    fn items(&mut self, ty: TypeId, items: &dyn Items) -> bool {
        self.begin(ty, items.len()) && deep(|| (0..items.len()).all(|i| self.item(ty, &items.item(i))))
    }

    /// A list begins; a large one is kept by itself.
    fn begin(&mut self, ty: TypeId, items: usize) -> bool {
        let each = match ty {
            TypeId::Complex(id) => self.types.complex(id).fields.len().max(1),
            _ => 1,
        };
        items.saturating_mul(each) < self.apart.values && self.length(Kind::Items, items)
    }

    fn table(&mut self, table: &Table<'_>) -> bool {
        let columns = table.columns();
        let mut named = columns.iter();
        table.len().saturating_mul(columns.len()) < self.apart.values
            && self.length(Kind::Table, columns.len())
            && named.all(|(name, column)| self.text(Kind::Text, name.as_bytes()) && self.column(column))
    }

    fn column(&mut self, column: &Column<'_>) -> bool {
        if column.len() >= self.apart.values || !self.length(Kind::Column, column.len()) {
            return false;
        }
        let each = column.dtype().size();
        let mut values = column.data().chunks(column.stride().max(1)).take(column.len());
        self.tape.put([column.dtype() as u8])
            && values.all(|value| value.get(..each).is_some_and(|value| self.tape.text(value)))
    }

    fn scalar(&mut self, scalar: &Scalar<'_>) -> bool {
        match scalar {
            Scalar::Text(text) => self.text(Kind::Text, text.as_bytes()),
            Scalar::Int(v) => self.word(Kind::Int, v.to_le_bytes()),
            Scalar::Double(v) => self.word(Kind::Double, v.to_le_bytes()),
            Scalar::Bool(false) => self.kind(Kind::False),
            Scalar::Bool(true) => self.kind(Kind::True),
            Scalar::UInt(v) => self.word(Kind::UInt, v.to_le_bytes()),
            Scalar::Float(v) => self.word(Kind::Float, u64::from(v.to_bits()).to_le_bytes()),
            Scalar::Decimal(v) => self.text(Kind::Decimal, v.as_str().as_bytes()),
            Scalar::Bytes(bytes) => self.text(Kind::Bytes, bytes),
            Scalar::DateTime(v) => {
                let [low, high] = v.zone_minutes.unwrap_or_default().to_le_bytes();
                let zone = [v.zone_minutes.is_some().into(), low, high];
                self.word(Kind::DateTime, v.year.to_le_bytes())
                    && self.tape.put(v.attoseconds.to_le_bytes())
                    && self
                        .tape
                        .put([v.kind as u8, v.month, v.day, v.hour, v.minute, v.second])
                    && self.tape.put(zone)
            }
            Scalar::Duration(v) => {
                self.word(Kind::Duration, v.months.to_le_bytes())
                    && self.tape.put(v.seconds.to_le_bytes())
                    && self.tape.put(v.attoseconds.to_le_bytes())
                    && self.tape.put([v.negative.into()])
            }
            Scalar::QName(QName { namespace, local }) => {
                self.text(Kind::QName, namespace.as_bytes()) && self.text(Kind::Text, local.as_bytes())
            }
            Scalar::List(scalars) => {
                self.length(Kind::Scalars, scalars.len()) && scalars.iter().all(|one| self.scalar(one))
            }
            Scalar::Numbers(numbers) => self.kind(Kind::Numbers) && self.column(&numbers.view()),
        }
    }

    #[inline(always)]
    fn kind(&mut self, kind: Kind) -> bool {
        self.tape.put([kind as u8])
    }

    #[inline(always)]
    fn word(&mut self, kind: Kind, [a, b, c, d, e, f, g, h]: [u8; 8]) -> bool {
        self.tape.put([kind as u8, a, b, c, d, e, f, g, h])
    }

    /// A number of what follows, or of a type.
    #[inline(always)]
    fn length(&mut self, kind: Kind, length: usize) -> bool {
        let [a, b, c, d] = (length as u32).to_le_bytes();
        self.tape.put([kind as u8, a, b, c, d])
    }

    /// A large text is kept by itself.
    #[inline(always)]
    fn text(&mut self, kind: Kind, text: &[u8]) -> bool {
        text.len() < self.apart.bytes && self.length(kind, text.len()) && self.tape.text(text)
    }
}

/// The type that records of a field are of which do not say their own. Which element of a substitution group one is for
/// would depend on more than its fields.
fn hint(field: &Field) -> TypeId {
    match field.is_substitution() {
        true => TypeId::Any,
        false => field.ty,
    }
}
