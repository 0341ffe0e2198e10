//! Lists whose items are asked for one by one, and written by their [`Form`] if they have one.

use std::ops::Range;

use castile_message::Marks;
use castile_plan::{Builtin, Field, FieldKind, NsIx, Range as Bounds, Tags, TypeId};
use castile_value::{Item, Items, Value};

use super::Encoder;
use super::form::{Form, Pen};
use crate::error::Error;
use crate::scalar::{builtin, range};

/// Items for which finding out pays.
const ITEMS_MIN: usize = 4;

/// Bytes that are written before anybody is asked whether they are enough.
const RUN_BYTES: usize = 16 << 10;

/// Items that are not of their form before it is given up, when most are not.
const UNLIKE_MIN: usize = 8;

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

    /// The same where it lies, when it is a dynamic value.
    fn value(&self, i: usize) -> Option<&'i Value> {
        let at = self.index(i);
        self.items.values(at..at + 1)?.first()
    }
}

impl<'e, M: Marks> Encoder<'e, M> {
    /// Writes each item with its tags.
    pub(super) fn items(&mut self, f: &Field, tags: &Tags, items: &dyn Items) -> Result<(), Error> {
        let done = self.some_at_a_time(f, tags, items)?;
        if done == 0 && self.keeps_items(f, tags, items) {
            return Ok(());
        }
        let rest = Rest::of(items, done..items.len(), None);
        self.each(f, tags, &rest, |_| {})
    }

    /// Writes items one by one, and tells `note` where each ends.
    pub(super) fn each(
        &mut self,
        f: &Field,
        tags: &Tags,
        items: &Rest<'_>,
        mut note: impl FnMut(usize),
    ) -> Result<(), Error> {
        let mut form = match items.len() >= ITEMS_MIN && !M::ACTIVE {
            true => self.form(f, tags),
            false => None,
        };
        let (mut at, mut unlike) = (0, 0);
        while at < items.len() {
            let other;
            (at, other) = match &form {
                Some(form) => self.run(form, items, at, &mut note),
                None => (at, Some(items.item(at))),
            };
            if let Some(item) = other {
                self.repeated(f, tags, item)
                    .map_err(|e| e.within(format!("[{}]", items.index(at) + 1)))?;
                note(self.out.len());
                (at, unlike) = (at + 1, unlike + 1);
                form = form.filter(|_| unlike < UNLIKE_MIN || 2 * unlike < at);
            }
            self.drained()?;
        }
        Ok(())
    }

    /// Writes items of a form until many bytes are written, or one is not of it, which it gives: it is asked for once.
    /// The number is that of the next.
    fn run<'i>(
        &mut self,
        form: &Form<'_>,
        items: &Rest<'i>,
        mut at: usize,
        note: &mut impl FnMut(usize),
    ) -> (usize, Option<Item<'i>>) {
        let start = self.out.len();
        let sharing = self.encoding.as_deref_mut().filter(|_| self.options.share_texts);
        let (mut end, mut pen) = (start, Pen::new(self.out, sharing));
        let mut other = None;
        while at < items.len() && end - start < RUN_BYTES {
            let place = pen.place();
            let (written, item) = match items.value(at) {
                Some(value) => (pen.value(form, value), None),
                None => {
                    let item = items.item(at);
                    (pen.item(form, &item), Some(item))
                }
            };
            if !written {
                pen.go_back(place);
                other = item.or_else(|| Some(items.item(at)));
                break;
            }
            (at, end) = (at + 1, pen.at());
            note(end);
        }
        pen.finish();
        self.out.truncate(end);
        (at, other)
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

    /// Whether each element of the field has the same tags, and any value of its type.
    pub(super) fn is_uniform(&self, f: &Field) -> bool {
        let declared = |ns: NsIx| ns == NsIx::NONE || self.declared.contains(&ns);
        let typed = || self.types.announced(f.ty).is_none_or(|name| declared(name.ns));
        declared(f.wire.ns)
            && (self.encoding.is_none() || typed())
            && (f.fixed.is_none() || !self.options.strict)
    }
}
