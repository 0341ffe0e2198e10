//! Elements that are all written alike: [`Form`]. A record of one has elements only, in one order, each a plain value, a
//! record of a form, or several of either. What does not change from one to the next is found once: tags, types, whether
//! names are in scope.
//!
//! ```text
//!   <item> <name> text </name> <place> <x> 1 </x> <y> 2 </y> </place> <tag> text </tag> <tag> text </tag> </item>
//!          required            required                               any number
//! ```
//!
//! Whatever is unlike (a nil, another type, a name out of place that the type has not) is left to who writes any value.

use std::sync::Arc;

use castile_message::{Marks, Version};
use castile_plan::{Complex, ComplexId, Field, FieldKind, Occurs, Particle, Tags, TypeId};
use castile_value::{Item, Items, Record, Shape, Source, Value};
use castile_xml::{Constant, NUMBER, Room};

use super::Encoder;
use super::dynamic::{Given, append, put};
use super::encoded::{Encoding, Place, Shared};
use super::items::Kernel;
use super::keep::Apart;
use super::packed::append_text;

/// Records in one another, the elements of a form, and the items of a list within it: with more, little is gained.
const LEVELS_MAX: u32 = 8;
const PARTS_MAX: usize = 256;
const INNER_MAX: usize = 256;

/// An element, and how what stands in it is written.
pub(super) struct Form<'t> {
    open: Constant,
    /// Bytes of `open` before the type: where it may say that its text is shared.
    name: usize,
    close: Constant,
    inner: Inner<'t>,
    /// From these sizes on values are not written so, for they are kept by themselves.
    apart: Apart,
}

enum Inner<'t> {
    Value(Kernel),
    Record(&'t Arc<Shape>, Vec<Part<'t>>),
}

/// A field of a record.
struct Part<'t> {
    index: usize,
    name: &'t str,
    occurs: Occurs,
    many: bool,
    form: Form<'t>,
}

/// Writes elements of a form. What says that it wrote none may have written a part.
pub(super) struct Pen<'o, 'e> {
    room: Room<'o>,
    /// Who knows the texts that were written before.
    sharing: Option<&'o mut Encoding<'e>>,
}

impl<'e, M: Marks> Encoder<'e, M> {
    /// The form of a field's elements, those of its list; `None` when they can be too different.
    pub(super) fn form(&self, f: &Field, tags: &Tags) -> Option<Form<'e>> {
        let mut parts_left = PARTS_MAX;
        let has = !self.says_type && self.has_form(f, 0, &mut parts_left);
        has.then(|| self.form_of(f, &tags.open, tags)).flatten()
    }

    /// Whether a field's elements have a form. Nothing is made before that is known: lists may be short and many.
    fn has_form(&self, f: &Field, level: u32, parts_left: &mut usize) -> bool {
        let Some(left) = parts_left.checked_sub(1) else {
            return false;
        };
        *parts_left = left;
        let types = self.types;
        let can_be = f.kind == FieldKind::Element && level <= LEVELS_MAX && self.may_nest(level);
        can_be
            && match f.ty {
                TypeId::Simple(_) => self.kernel(f).is_some(),
                TypeId::Complex(id) => {
                    let fields = &types.complex(id).fields;
                    let mut leaves = types.leaves(id).iter();
                    self.is_uniform(f)
                        && is_sequence(types.complex(id))
                        && !types.shares_fields(id)
                        && !fields.iter().any(|inner| inner.ty == f.ty)
                        && leaves
                            .all(|leaf| self.has_form(&fields[leaf.field as usize], level + 1, parts_left))
                }
                _ => false,
            }
    }

    fn form_of(&self, f: &Field, open: &[u8], tags: &Tags) -> Option<Form<'e>> {
        let inner = match f.ty {
            TypeId::Complex(id) => Inner::Record(self.types.shape(id), self.parts(id)?),
            _ => Inner::Value(self.kernel(f)?),
        };
        let all = Apart {
            values: INNER_MAX,
            bytes: usize::MAX,
        };
        let kept = self.keep.as_ref().map_or(all, |keep| keep.apart());
        Some(Form {
            open: Constant::new(&[open, b">"].concat()),
            name: tags.open.len(),
            close: Constant::new(&tags.close),
            inner,
            apart: Apart {
                values: kept.values.min(INNER_MAX),
                ..kept
            },
        })
    }

    fn parts(&self, id: ComplexId) -> Option<Vec<Part<'e>>> {
        let types = self.types;
        let parts = types.leaves(id).iter().map(|leaf| {
            let index = leaf.field as usize;
            let (field, tags) = (&types.complex(id).fields[index], &types.tags(id)[index]);
            // An array says the type for all its items.
            let open = match self.encoding.is_some() && !field.many {
                true => &tags.typed,
                false => &tags.open,
            };
            Some(Part {
                index,
                name: &field.name,
                occurs: leaf.occurs,
                many: field.many,
                form: self.form_of(field, open, tags)?,
            })
        });
        parts.collect()
    }
}

/// Whether values of a type are elements in one order and nothing else.
fn is_sequence(complex: &Complex) -> bool {
    let leaf = |particle: &Particle| matches!(particle, Particle::Leaf { .. });
    matches!(complex.content.split_first(), Some((Particle::Sequence { optional: false, .. }, rest)) if rest.iter().all(leaf))
        && complex.content.len() == complex.fields.len() + 1
        && !complex.is_abstract
        && complex.array.is_none()
}

impl Part<'_> {
    /// Whether so many values may stand there, and are written here.
    fn takes(&self, count: usize) -> bool {
        let most = self.occurs.max == Occurs::UNBOUNDED || count <= self.occurs.max as usize;
        let each = match &self.form.inner {
            Inner::Value(_) => 1,
            Inner::Record(_, parts) => parts.len().max(1),
        };
        count >= self.occurs.min as usize && most && count.saturating_mul(each) < self.form.apart.values
    }
}

impl<'o, 'e> Pen<'o, 'e> {
    /// Writes behind what is in `out`.
    pub(super) fn new(out: &'o mut Vec<u8>, sharing: Option<&'o mut Encoding<'e>>) -> Self {
        let room = Room::new(out);
        Pen { room, sharing }
    }

    /// Where the next element begins.
    pub(super) fn at(&self) -> usize {
        self.room.at()
    }

    /// Where [`go_back`](Pen::go_back) goes back to.
    pub(super) fn place(&self) -> Option<Place> {
        self.sharing.as_ref().map(|encoding| encoding.place())
    }

    /// Forgets the texts that were shared since.
    pub(super) fn go_back(&mut self, place: Option<Place>) {
        if let (Some(encoding), Some(place)) = (&mut self.sharing, place) {
            encoding.go_back(place);
        }
    }

    /// Ends the output where the last element does.
    pub(super) fn finish(self) {
        self.room.finish(0);
    }

    /// Writes a dynamic value; `false` when it is not of the form.
    pub(super) fn value(&mut self, form: &Form<'_>, value: &Value) -> bool {
        match (&form.inner, value.held()) {
            (Inner::Value(kernel), value) => self.given(form, *kernel, value),
            (Inner::Record(_, parts), Value::Map(entries)) => {
                self.inside(form, |pen| pen.map(parts, entries))
            }
            (Inner::Record(shape, parts), Value::Record(record)) if record.is_of(shape) => {
                self.inside(form, |pen| pen.record(parts, record))
            }
            _ => false,
        }
    }

    /// The same for an item of any owner.
    pub(super) fn item(&mut self, form: &Form<'_>, item: &Item<'_>) -> bool {
        match (&form.inner, item) {
            (Inner::Value(kernel), Item::Scalar(scalar)) => self.given(form, *kernel, scalar),
            (Inner::Record(shape, parts), Item::Record(source)) => {
                let own = source.type_name().is_none_or(|name| name == shape.name());
                own && source.unknown_name(shape).is_none()
                    && self.inside(form, |pen| pen.source(parts, *source))
            }
            _ => false,
        }
    }

    fn inside(&mut self, form: &Form<'_>, write: impl FnOnce(&mut Self) -> bool) -> bool {
        self.constant(&form.open) && write(self) && self.constant(&form.close)
    }

    fn constant(&mut self, bytes: &Constant) -> bool {
        self.room.write(bytes.room(), |out| Some(bytes.put(out, 0)))
    }

    /// Writes the entries of a map, which mostly stand in the order of the fields.
    fn map(&mut self, parts: &[Part<'_>], entries: &[(String, Value)]) -> bool {
        let (mut next, mut used) = (0, 0);
        let written = parts.iter().all(|part| {
            let is_named = |(name, _): &(String, Value)| *name == *part.name;
            let place = match entries.get(next) {
                Some(entry) if is_named(entry) => Some(next),
                _ => entries.iter().position(is_named),
            };
            let Some((at, (_, value))) = place.and_then(|at| Some((at, entries.get(at)?))) else {
                return part.occurs.min == 0;
            };
            (next, used) = (at + 1, used + 1);
            self.part(part, value)
        });
        // A name that stands there twice, or that the type has not.
        written && used == entries.len()
    }

    fn record(&mut self, parts: &[Part<'_>], record: &Record) -> bool {
        let values = record.values();
        parts
            .iter()
            .all(|part| values.get(part.index).is_some_and(|value| self.part(part, value)))
    }

    fn part(&mut self, part: &Part<'_>, value: &Value) -> bool {
        match value.held() {
            Value::Absent => part.occurs.min == 0,
            Value::List(values) if part.many => {
                part.takes(values.len()) && values.iter().all(|value| self.value(&part.form, value))
            }
            value => !part.many && self.value(&part.form, value),
        }
    }

    fn source(&mut self, parts: &[Part<'_>], source: &dyn Source) -> bool {
        parts
            .iter()
            .all(|part| match source.field(part.index, part.name) {
                Item::Absent => part.occurs.min == 0,
                // The others may show something else when they are asked again.
                Item::Items(items) if part.many && items.is_at_rest() => {
                    part.takes(items.len()) && self.items(&part.form, items)
                }
                item => !part.many && self.item(&part.form, &item),
            })
    }

    fn items(&mut self, form: &Form<'_>, items: &dyn Items) -> bool {
        match items.values(0..items.len()) {
            Some(values) => values.iter().all(|value| self.value(form, value)),
            None => (0..items.len()).all(|i| self.item(form, &items.item(i))),
        }
    }

    /// Writes an element with a value in it.
    #[inline]
    fn given(&mut self, form: &Form<'_>, kernel: Kernel, value: &impl Given) -> bool {
        let Form { open, close, .. } = form;
        let text = value.text().map_or(0, str::len);
        if text >= form.apart.bytes {
            return false;
        }
        if let (Some(encoding), Kernel::Text, Some(text)) = (&mut self.sharing, kernel, value.text()) {
            let (shared, version) = (encoding.share(text), encoding.version);
            if shared != Shared::Never {
                return self.shared(form, shared, version, text);
            }
        }
        let bytes = open.room() + text + NUMBER + close.room();
        let written = self.room.write(bytes, |out| {
            let at = open.put(out, 0);
            put(kernel, value, close, out, at)
        });
        written
            || self.room.append(|out| {
                out.extend_from_slice(open.bytes());
                append(kernel, value, close, out)
            })
    }

    /// Writes an element with a text that others may refer to, or one that refers to another.
    fn shared(&mut self, form: &Form<'_>, shared: Shared, version: Version, text: &str) -> bool {
        let (name, open) = form.open.bytes().split_at(form.name);
        self.room.append(|out| {
            out.extend_from_slice(name);
            shared.put(version, out);
            if let Shared::Before(..) = shared {
                out.extend_from_slice(b"/>");
                return true;
            }
            out.extend_from_slice(open);
            append_text(text, &form.close, out)
        })
    }
}
