//! Lists whose items are asked for one by one: texts, and records of single values. What does not
//! change from item to item is found once: tags, types, whether names are in scope.

use std::ops::Range;

use castile_lexical as lexical;
use castile_message::Marks;
use castile_plan::{Builtin, Field, FieldKind, NsIx, Occurs, Range as Bounds, Tags, TypeId};
use castile_value::{Item, Items, Scalar, Source};

use super::Encoder;
use crate::error::Error;
use crate::scalar::{builtin, range};

/// Items for which finding out pays.
const ITEMS_MIN: usize = 4;

/// An element whose value is written without looking at its type again.
struct Cell<'t> {
    /// Start tag.
    open: Vec<u8>,
    close: &'t [u8],
    kernel: Kernel,
}

/// A field of a record.
struct Step<'t> {
    index: usize,
    name: &'t str,
    cell: Cell<'t>,
    occurs: Occurs,
}

/// How a value is written when it is of the kind that the type suggests.
#[derive(Clone, Copy)]
pub(super) enum Kernel {
    Text,
    Double,
    Float,
    Bool,
    Int { least: i64, greatest: i64 },
}

/// The items of a list that are to be written.
pub(super) struct Rest<'i> {
    pub(super) items: &'i dyn Items,
    range: Range<usize>,
    /// Not all of the range, but those with these numbers in it.
    which: Option<&'i [usize]>,
}

impl<'i> Rest<'i> {
    pub(super) fn of(items: &'i dyn Items, range: Range<usize>, which: Option<&'i [usize]>) -> Self {
        Rest { items, range, which }
    }

    pub(super) fn len(&self) -> usize {
        self.which.map_or(self.range.len(), <[usize]>::len)
    }

    /// The number of an item in the whole list.
    pub(super) fn index(&self, i: usize) -> usize {
        self.range.start + self.which.map_or(i, |which| which[i])
    }

    fn item(&self, i: usize) -> Item<'i> {
        self.items.item(self.index(i))
    }
}

impl<'e, M: Marks> Encoder<'e, M> {
    /// Writes each item with its tags.
    pub(super) fn items(&mut self, f: &Field, tags: &Tags, items: &dyn Items) -> Result<(), Error> {
        let done = if self.shares_texts() {
            0
        } else {
            self.some_at_a_time(f, tags, items)?
        };
        if done == 0 && self.keeps_items(f, tags, items) {
            return Ok(());
        }
        let rest = Rest::of(items, done..items.len(), None);
        self.each(f, tags, &rest, Self::drained)
    }

    /// Writes items one by one, and calls `then` after each.
    pub(super) fn each(
        &mut self,
        f: &Field,
        tags: &Tags,
        items: &Rest<'_>,
        then: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if items.len() >= ITEMS_MIN && !M::ACTIVE && !self.shares_texts() && self.refuse_deep().is_ok() {
            if let Some(cell) = self.cell(f, tags) {
                return self.each_by(f, tags, items, |this, item| this.put_cell(&cell, item), then);
            }
            if let Some((label, steps)) = self.steps(f) {
                let cell = Cell {
                    open: open(tags),
                    close: &tags.close,
                    kernel: Kernel::Text,
                };
                let put = |this: &mut Self, item: &Item<'_>| match item {
                    Item::Record(source) => this.put_record(&cell, label, &steps, f, *source),
                    _ => false,
                };
                return self.each_by(f, tags, items, put, then);
            }
        }
        self.each_by(f, tags, items, |_, _| false, then)
    }

    /// Has each item written by `put`, or else as any value.
    fn each_by(
        &mut self,
        f: &Field,
        tags: &Tags,
        items: &Rest<'_>,
        mut put: impl FnMut(&mut Self, &Item<'_>) -> bool,
        mut then: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for i in 0..items.len() {
            let item = items.item(i);
            if !put(self, &item) {
                self.repeated(f, tags, item)
                    .map_err(|e| e.within(format!("[{}]", items.index(i) + 1)))?;
            }
            then(self)?;
        }
        Ok(())
    }

    /// How the values of an element are written, if that needs no more checks.
    pub(super) fn kernel(&self, f: &Field) -> Option<Kernel> {
        let TypeId::Simple(id) = f.ty else { return None };
        if !self.is_uniform(f) || f.kind != FieldKind::Element {
            return None;
        }
        let exact = self.options.digits.is_none();
        let rules = self.types.rules(id).filter(|_| self.options.strict);
        let (low, high) = match rules.map(castile_plan::Rules::range) {
            None => (i128::MIN, i128::MAX),
            Some(Some(Bounds::Integer(low, high))) => (low, high),
            Some(_) => return None,
        };
        Some(match builtin(self.types, id)? {
            Builtin::String => Kernel::Text,
            Builtin::Double if exact => Kernel::Double,
            Builtin::Float if exact => Kernel::Float,
            Builtin::Boolean => Kernel::Bool,
            other => {
                let (least, greatest) = range(other)?;
                let (least, greatest) = (least.max(low), greatest.min(high));
                if least > i64::MAX.into() || greatest < i64::MIN.into() {
                    return None;
                }
                let bound = |v: i128, open: i64| i64::try_from(v).unwrap_or(open);
                Kernel::Int {
                    least: bound(least, i64::MIN),
                    greatest: bound(greatest, i64::MAX),
                }
            }
        })
    }

    /// The element of such a field.
    fn cell<'t>(&self, f: &Field, tags: &'t Tags) -> Option<Cell<'t>> {
        Some(Cell {
            open: open(tags),
            close: &tags.close,
            kernel: self.kernel(f)?,
        })
    }

    /// Whether each element of the field has the same tags, and any value of its type.
    pub(super) fn is_uniform(&self, f: &Field) -> bool {
        let declared = |ns: NsIx| ns == NsIx::NONE || self.declared.contains(&ns);
        let typed = || self.types.announced(f.ty).is_none_or(|name| declared(name.ns));
        declared(f.wire.ns)
            && (self.encoding.is_none() || typed())
            && (f.fixed.is_none() || !self.options.strict)
    }

    /// The label and the fields of a type that has only single elements of simple types, in order.
    fn steps(&self, f: &Field) -> Option<(&'e str, Vec<Step<'e>>)> {
        let TypeId::Complex(id) = f.ty else { return None };
        let types = self.types;
        let complex = types.complex(id);
        if !types.is_plain(id) || !self.is_uniform(f) {
            return None;
        }
        let steps = types.leaves(id).iter().map(|leaf| {
            let index = leaf.field as usize;
            let field = &complex.fields[index];
            let mut cell = self.cell(field, &types.tags(id)[index])?;
            if self.encoding.is_some() {
                cell.open = [&types.tags(id)[index].typed, b">".as_slice()].concat();
            }
            Some(Step {
                index,
                name: &field.name,
                cell,
                occurs: leaf.occurs,
            })
        });
        Some((&complex.label, steps.collect::<Option<_>>()?))
    }

    #[inline]
    fn put_cell(&mut self, cell: &Cell<'_>, item: &Item<'_>) -> bool {
        let Item::Scalar(scalar) = item else { return false };
        let start = self.out.len();
        self.out.extend_from_slice(&cell.open);
        let done = cell.kernel.put(scalar, self.out);
        if done {
            self.out.extend_from_slice(cell.close);
        } else {
            self.out.truncate(start);
        }
        done
    }

    /// Writes a record, or nothing when some value is not of the kind that its type suggests.
    #[inline]
    fn put_record(
        &mut self,
        cell: &Cell<'_>,
        label: &str,
        steps: &[Step<'_>],
        f: &Field,
        source: &dyn Source,
    ) -> bool {
        let TypeId::Complex(id) = f.ty else { return false };
        let own = source.type_name().is_none_or(|name| name == label);
        if !own || source.unknown_name(self.types.shape(id)).is_some() {
            return false;
        }
        let start = self.out.len();
        self.out.extend_from_slice(&cell.open);
        for step in steps {
            let item = source.field(step.index, step.name);
            let left_out = matches!(item, Item::Absent) && step.occurs.min == 0;
            if !left_out && !self.put_cell(&step.cell, &item) {
                self.out.truncate(start);
                return false;
            }
        }
        self.out.extend_from_slice(cell.close);
        true
    }
}

/// A start tag without declarations.
fn open(tags: &Tags) -> Vec<u8> {
    [&tags.open, b">".as_slice()].concat()
}

impl Kernel {
    #[inline]
    fn put(self, scalar: &Scalar<'_>, out: &mut Vec<u8>) -> bool {
        match (self, scalar) {
            (Kernel::Text, Scalar::Text(text)) if is_plain(text) => out.extend_from_slice(text.as_bytes()),
            (Kernel::Double, Scalar::Double(v)) => lexical::format_f64(*v, out),
            (Kernel::Float, Scalar::Float(v)) => lexical::format_f32(*v, out),
            (Kernel::Bool, Scalar::Bool(v)) => lexical::format_bool(*v, out),
            (Kernel::Int { least, greatest }, Scalar::Int(v)) if (least..=greatest).contains(v) => {
                lexical::format_i64(*v, out);
            }
            _ => return false,
        }
        true
    }
}

/// Whether text is its own escaped form, and all of it can stand in XML.
#[inline]
fn is_plain(text: &str) -> bool {
    // U+FFFE and U+FFFF begin with 0xEF.
    let suspect = |b: u8| (b < 0x20) | (b == b'&') | (b == b'<') | (b == b'>') | (b == 0xEF);
    !text.bytes().fold(false, |any, b| any | suspect(b))
}
