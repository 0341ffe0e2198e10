//! What one item teaches of the next: [`Trace`], [`Pattern`].

use std::ops::Range;

use castile_lexical as lexical;
use castile_plan::{Builtin, Range as Bounds, SimpleId, WhiteSpace};
use castile_value::typed::{CellIn, CellsIn};
use castile_value::{DType, RowLayout};

use super::super::Decoder;
use super::super::element::has_names;
use crate::scalar::{builtin, range, white_space};

/// Where the values of one item lie.
#[derive(Debug)]
pub(in super::super) struct Trace {
    values: Vec<(u32, SimpleId, Range<usize>)>,
    /// Something was met that is no plain child element with text.
    spoilt: bool,
}

/// The bytes of an item around its values.
pub(in super::super) struct Pattern<'a> {
    /// White space between an item and the next.
    pub(in super::super) gap: &'a [u8],
    /// The values, each with the bytes before it.
    pub(in super::super) values: Vec<Cell<'a>>,
    /// What comes after the last value.
    pub(in super::super) close: &'a [u8],
}

/// A value in a pattern.
pub(in super::super) struct Cell<'a> {
    pub(in super::super) before: &'a [u8],
    /// The field of the record it belongs to.
    pub(in super::super) field: u32,
    pub(in super::super) kernel: Kernel,
}

/// How a value is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Kernel {
    F64,
    F32,
    /// Doubles between bounds.
    F64In(f64, f64),
    /// Floats between bounds.
    F32In(f64, f64),
    Bool,
    U64,
    Int {
        least: i64,
        greatest: i64,
    },
    /// Text whose white space is kept, and any text will do.
    Text,
    Other(SimpleId),
    /// The value of an attribute, up to this quote.
    Attribute(SimpleId, u8),
}

impl Pattern<'_> {
    /// Whether the values are just the fields of the layout in order, and read as it holds them.
    pub(super) fn is_like(&self, layout: &RowLayout) -> bool {
        let texts = layout.texts();
        let place = |cell: &Cell<'_>| match cell.kernel {
            Kernel::Text => texts.contains(&(cell.field as usize)),
            Kernel::Other(_) | Kernel::Attribute(..) => false,
            _ => true,
        };
        let fields = 0..layout.fields().len() + texts.len();
        self.values.iter().all(place) && self.values.iter().map(|cell| cell.field as usize).eq(fields)
    }
}

impl CellsIn for Pattern<'_> {
    fn cell(&self, k: usize) -> Option<CellIn<'_>> {
        let cell = self.values.get(k)?;
        let bounds = match cell.kernel {
            Kernel::Int { least, greatest } => Some((least, greatest)),
            Kernel::F64In(..) | Kernel::F32In(..) => return None,
            _ => None,
        };
        Some(CellIn {
            before: cell.before,
            bounds,
        })
    }
}

impl<'a> Decoder<'a, '_> {
    /// Stops learning the item at hand.
    pub(in super::super) fn forget(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.spoilt = true;
        }
    }

    /// The trace of an item that begins now.
    pub(super) fn new_trace(&self) -> Trace {
        Trace {
            values: Vec::new(),
            spoilt: !self.options.techniques.arrays,
        }
    }

    /// Notes where a value lay.
    pub(in super::super) fn traced(&mut self, field: u32, id: SimpleId, span: Range<usize>) {
        let input = self.reader.input().as_bytes();
        let position = self.reader.position();
        if let Some(trace) = self.trace.as_mut().filter(|trace| !trace.spoilt) {
            // Markup inside the text, or no end tag (`<n/>`), is no place for another value.
            let raw = input.get(span.clone()).unwrap_or(b"<");
            trace.spoilt = raw.contains(&b'<') || input.get(span.end) != Some(&b'<') || position == span.end;
            trace.values.push((field, id, span));
        }
    }

    /// What the item that began at `from` and ended just now teaches. `outer` is the trace of the
    /// item around it, which cannot be plain any more.
    pub(super) fn pattern(&mut self, from: usize, outer: Option<Trace>) -> Option<Pattern<'a>> {
        let trace = std::mem::replace(&mut self.trace, outer);
        self.forget();
        let trace = trace.filter(|t| !t.spoilt && !t.values.is_empty())?;
        let input = self.reader.input().as_bytes();
        let end = self.reader.position();
        let gap = input
            .get(end..)?
            .iter()
            .take_while(|&&b| lexical::is_xml_space(b))
            .count();
        let mut values = Vec::with_capacity(trace.values.len());
        let mut at = from;
        for (field, id, span) in trace.values {
            let before = input.get(at..span.start)?;
            values.push(Cell {
                before,
                field,
                kernel: Kernel::new(self, id)?,
            });
            at = span.end;
        }
        Some(Pattern {
            gap: input.get(end..end + gap)?,
            values,
            close: input.get(at..end)?,
        })
    }
}

impl Kernel {
    /// Whether it reads a number by its bytes alone.
    #[inline(always)]
    pub(in super::super) fn is_plain_number(self) -> bool {
        !matches!(self, Kernel::Text | Kernel::Other(_) | Kernel::Attribute(..))
    }

    /// `None` for types whose text means something else elsewhere: the prefix of a name.
    pub(in super::super) fn new(decoder: &Decoder<'_, '_>, id: SimpleId) -> Option<Kernel> {
        let types = decoder.types;
        if has_names(types, id) {
            return None;
        }
        let Some(atomic) = builtin(types, id) else {
            return Some(Kernel::Other(id));
        };
        let rules = types.rules(id).filter(|_| decoder.options.strict);
        let Some(rules) = rules else {
            return Kernel::free(decoder, id, atomic);
        };
        Some(match (atomic, rules.range()) {
            (Builtin::Double, Some(Bounds::Float(least, greatest))) => Kernel::F64In(least, greatest),
            (Builtin::Float, Some(Bounds::Float(least, greatest))) => Kernel::F32In(least, greatest),
            (_, Some(Bounds::Integer(low, high))) if atomic.dtype() != Some(DType::U64) => {
                let (least, greatest) = range(atomic)?;
                Kernel::Int {
                    least: least.max(low).try_into().unwrap_or(i64::MAX),
                    greatest: greatest.min(high).try_into().unwrap_or(i64::MIN),
                }
            }
            _ => Kernel::Other(id),
        })
    }

    /// For types whose values no facet constrains.
    fn free(decoder: &Decoder<'_, '_>, id: SimpleId, atomic: Builtin) -> Option<Kernel> {
        let kept = white_space(decoder.types, id) == WhiteSpace::Preserve;
        Some(match atomic {
            Builtin::Double => Kernel::F64,
            Builtin::Float => Kernel::F32,
            Builtin::Boolean => Kernel::Bool,
            Builtin::UnsignedLong => Kernel::U64,
            _ if atomic.dtype().is_some() => {
                let (least, greatest) = range(atomic)?;
                Kernel::Int {
                    least: least.try_into().ok()?,
                    greatest: greatest.try_into().ok()?,
                }
            }
            Builtin::String if kept => Kernel::Text,
            _ => Kernel::Other(id),
        })
    }
}
