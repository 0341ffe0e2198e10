//! Values of flat records, in batches and as text.

use castile_lexical as lexical;
use castile_xml::like::{after_space, number, plain_text};
use castile_xml::{Limits, NUMBER, character_data};

use super::{CellIn, CellOut};
use crate::DType;

/// A number that a packed row can hold, in native byte order, or a text beside it.
pub trait Cell: Sized {
    /// The machine type of a number; `None`: a text.
    const DTYPE: Option<DType>;

    /// Writes the number at `at` of the row, or appends the text; gives the place after the number. What does
    /// not fit is not written: rows have their layout's length.
    fn write<'s>(&'s self, row: &mut [u8], at: usize, texts: &mut Vec<&'s str>) -> usize;

    /// Takes the number at the start of the row or the first text off; `None` past the end.
    fn read(row: &mut &[u8], texts: &mut &[&str]) -> Option<Self>;

    /// The most bytes that [`Cell::put`] needs for the value.
    fn bytes(&self) -> usize;

    /// Writes the value at `at` and what comes after it; gives where that ends. `None` when it is not within its
    /// bounds, or a text that has to be looked at more closely.
    fn put(&self, cell: &CellOut<'_>, out: &mut [u8], at: usize) -> Option<usize>;

    /// Appends the value, escaped, and what comes after it; `false` when it cannot stand there.
    fn append(&self, cell: &CellOut<'_>, out: &mut Vec<u8>) -> bool;

    /// The value at `at` and where it ends; `None` when it has to be looked at more closely.
    fn get(text: &str, at: usize, cell: &CellIn<'_>) -> Option<(Self, usize)>;
}

/// What stands before a value, and then the value.
#[doc(hidden)]
#[inline(always)]
pub fn next_cell<C: Cell>(text: &str, at: usize, cell: &CellIn<'_>) -> Option<(C, usize)> {
    C::get(text, after_space(text.as_bytes(), at, cell.before)?, cell)
}

/// The machine type of a field.
#[doc(hidden)]
pub const fn dtype_of<T, C: Cell>(_field: fn(&T) -> &C) -> Option<DType> {
    C::DTYPE
}

macro_rules! cells {
    ($($type:ty, $dtype:ident, $write:expr, $read:expr, $fits:expr;)*) => {
        $(impl Cell for $type {
            const DTYPE: Option<DType> = Some(DType::$dtype);

            #[inline(always)]
            fn write<'s>(&'s self, row: &mut [u8], at: usize, _texts: &mut Vec<&'s str>) -> usize {
                if let Some(room) = row.get_mut(at..).and_then(|r| r.first_chunk_mut()) {
                    *room = self.to_ne_bytes();
                }
                at + size_of::<$type>()
            }

            #[inline(always)]
            fn read(row: &mut &[u8], _texts: &mut &[&str]) -> Option<Self> {
                let (value, rest) = row.split_first_chunk()?;
                *row = rest;
                Some(Self::from_ne_bytes(*value))
            }

            numbers! { $type, $write, $read, $fits }
        })*
    };
}

/// How a number is text.
macro_rules! numbers {
    ($type:ty, $write:expr, $read:expr, $fits:expr) => {
        #[inline(always)]
        fn bytes(&self) -> usize {
            NUMBER
        }

        #[inline(always)]
        fn put(&self, cell: &CellOut<'_>, out: &mut [u8], at: usize) -> Option<usize> {
            let fits: fn($type, (i64, i64)) -> bool = $fits;
            if cell.bounds.is_some_and(|bounds| !fits(*self, bounds)) {
                return None;
            }
            Some(
                cell.after
                    .put_after(out, at, |out| $write((*self).into(), out)),
            )
        }

        fn append(&self, cell: &CellOut<'_>, out: &mut Vec<u8>) -> bool {
            let start = out.len();
            out.resize(start + NUMBER + cell.after.room(), 0);
            let end = self.put(cell, out, start);
            out.truncate(end.unwrap_or(start));
            end.is_some()
        }

        #[inline(always)]
        fn get(text: &str, at: usize, cell: &CellIn<'_>) -> Option<(Self, usize)> {
            let fits: fn($type, (i64, i64)) -> bool = $fits;
            let (value, end) = number(text.as_bytes(), at, $read)?;
            let value = <$type>::try_from(value).ok()?;
            if cell.bounds.is_some_and(|bounds| !fits(value, bounds)) {
                return None;
            }
            Some((value, end))
        }
    };
}

cells! {
    i8, I8, lexical::write_i64, lexical::prefix_i64, within;
    u8, U8, lexical::write_i64, lexical::prefix_i64, within;
    i16, I16, lexical::write_i64, lexical::prefix_i64, within;
    u16, U16, lexical::write_i64, lexical::prefix_i64, within;
    i32, I32, lexical::write_i32, lexical::prefix_i32, within;
    u32, U32, lexical::write_i64, lexical::prefix_i64, within;
    i64, I64, lexical::write_i64, lexical::prefix_i64, within;
    u64, U64, lexical::write_u64, lexical::prefix_u64, |_, _| false;
    f32, F32, lexical::write_f32, lexical::prefix_f32, |_, _| false;
    f64, F64, lexical::write_f64, lexical::prefix_f64, |_, _| false;
}

/// Whether an integer lies within its bounds. Other numbers have none here: who knows some looks at them one by one.
#[inline(always)]
fn within<T: Into<i64>>(v: T, (least, greatest): (i64, i64)) -> bool {
    (least..=greatest).contains(&v.into())
}

impl Cell for bool {
    const DTYPE: Option<DType> = Some(DType::Bool);

    #[inline(always)]
    fn write<'s>(&'s self, row: &mut [u8], at: usize, _texts: &mut Vec<&'s str>) -> usize {
        if let Some(room) = row.get_mut(at) {
            *room = u8::from(*self);
        }
        at + 1
    }

    #[inline(always)]
    fn read(row: &mut &[u8], _texts: &mut &[&str]) -> Option<Self> {
        let (byte, rest) = row.split_first()?;
        *row = rest;
        Some(*byte != 0)
    }

    numbers! { bool, lexical::write_bool, lexical::prefix_bool, |_, _| false }
}

impl Cell for String {
    const DTYPE: Option<DType> = None;

    #[inline(always)]
    fn write<'s>(&'s self, _row: &mut [u8], at: usize, texts: &mut Vec<&'s str>) -> usize {
        texts.push(self);
        at
    }

    #[inline(always)]
    fn read(_row: &mut &[u8], texts: &mut &[&str]) -> Option<Self> {
        let (text, rest) = texts.split_first()?;
        *texts = rest;
        Some((*text).to_owned())
    }

    #[inline(always)]
    fn bytes(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn put(&self, cell: &CellOut<'_>, out: &mut [u8], at: usize) -> Option<usize> {
        cell.after.put_after_text(self, out, at)
    }

    fn append(&self, cell: &CellOut<'_>, out: &mut Vec<u8>) -> bool {
        let good = castile_xml::check_text(self).is_ok();
        if good {
            castile_xml::escape_text(self, out);
            out.extend_from_slice(cell.after.bytes());
        }
        good
    }

    #[inline(always)]
    fn get(text: &str, at: usize, _cell: &CellIn<'_>) -> Option<(Self, usize)> {
        match plain_text(text.as_bytes().get(at..)?) {
            Some(length) => Some((text.get(at..at + length)?.to_owned(), at + length)),
            None => unusual_text(text, at),
        }
    }
}

/// Text with references in it, say.
#[cold]
fn unusual_text(text: &str, at: usize) -> Option<(String, usize)> {
    let (found, end) = character_data(text, at, &Limits::default()).ok()?;
    Some((found.into_owned(), end))
}
