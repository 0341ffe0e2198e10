//! Arrays of numbers: [`Column`] borrows one, [`ColumnBuf`] owns one.

use std::ops::Range;

use crate::{Changes, DType, Scalar};

/// A borrowed array of numbers that may stand in a larger layout: value `i` lies at byte
/// `i * stride` of `data`. The four things of the design (pointer, stride, dtype, length), with the
/// pointer as a slice, so that reading out of bounds cannot be written down.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    data: &'a [u8],
    stride: usize,
    dtype: DType,
    len: usize,
    changes: Option<&'a Changes>,
}

impl<'a> Column<'a> {
    /// A column of `len` values of `dtype`, `stride` bytes apart, in native byte order.
    /// `None` when `data` is too short for that or the stride is smaller than a value.
    pub fn new(data: &'a [u8], stride: usize, dtype: DType, len: usize) -> Option<Self> {
        let needed = match len {
            0 => 0,
            n => (n - 1).checked_mul(stride)?.checked_add(dtype.size())?,
        };
        let fits = data.len() >= needed && (stride >= dtype.size() || len <= 1);
        fits.then_some(Column {
            data,
            stride,
            dtype,
            len,
            changes: None,
        })
    }

    /// The column with what its owner says of its changes; ignored when that speaks of another
    /// number of values.
    #[must_use]
    pub fn with_changes(self, changes: &'a Changes) -> Self {
        Column {
            changes: Some(changes).filter(|changes| changes.len() == self.len),
            ..self
        }
    }

    /// What the owner says of its changes; `None`: nothing, so it has to be compared.
    pub fn changes(&self) -> Option<&'a Changes> {
        self.changes
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Machine type of the values.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Bytes from one value to the next.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The bytes in which the values lie, first value first.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Value `i`, or `None` past the end.
    pub fn get(&self, i: usize) -> Option<Scalar<'static>> {
        (i < self.len).then(|| self.read(i))
    }

    fn read(&self, i: usize) -> Scalar<'static> {
        match self.dtype {
            DType::Bool => Scalar::Bool(self.bytes::<1>(i)[0] != 0),
            DType::I8 => Scalar::Int(i8::from_ne_bytes(self.bytes(i)).into()),
            DType::U8 => Scalar::Int(self.bytes::<1>(i)[0].into()),
            DType::I16 => Scalar::Int(i16::from_ne_bytes(self.bytes(i)).into()),
            DType::U16 => Scalar::Int(u16::from_ne_bytes(self.bytes(i)).into()),
            DType::I32 => Scalar::Int(i32::from_ne_bytes(self.bytes(i)).into()),
            DType::U32 => Scalar::Int(u32::from_ne_bytes(self.bytes(i)).into()),
            DType::I64 => Scalar::Int(i64::from_ne_bytes(self.bytes(i))),
            DType::U64 => Scalar::UInt(u64::from_ne_bytes(self.bytes(i))),
            DType::F32 => Scalar::Float(f32::from_ne_bytes(self.bytes(i))),
            DType::F64 => Scalar::Double(f64::from_ne_bytes(self.bytes(i))),
        }
    }

    /// The `N` bytes of value `i`. Callers keep `i` below `len` and `N` at the dtype's size.
    #[inline(always)]
    pub fn bytes<const N: usize>(&self, i: usize) -> [u8; N] {
        let at = i * self.stride;
        *self.data[at..at + N]
            .first_chunk()
            .expect("the slice has this length")
    }

    /// The `N` bytes of each value of `rows`. Callers keep `rows` within `len` and `N` at the dtype's size.
    #[inline(always)]
    pub fn each<const N: usize>(&self, rows: Range<usize>) -> impl Iterator<Item = [u8; N]> + 'a {
        let data = self.data.get(rows.start * self.stride..).unwrap_or_default();
        let values = data.chunks(self.stride.max(1)).take(rows.len());
        values.map_while(|value| value.first_chunk().copied())
    }

    /// The values of a column of doubles; empty for another dtype.
    pub fn f64s(&self) -> impl Iterator<Item = f64> + 'a {
        let column = *self;
        let len = if self.dtype == DType::F64 { self.len } else { 0 };
        (0..len).map(move |i| f64::from_ne_bytes(column.bytes(i)))
    }
}

macro_rules! column_buf {
    ($($variant:ident, $t:ty, $dtype:ident;)*) => {
        /// An owned array of numbers: what a decoder fills and a user keeps.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)] // one variant a dtype
        pub enum ColumnBuf { $($variant(Vec<$t>),)* }

        impl ColumnBuf {
            /// An empty column of `dtype`.
            pub fn new(dtype: DType) -> Self {
                match dtype { $(DType::$dtype => ColumnBuf::$variant(Vec::new()),)* }
            }

            /// Number of values.
            pub fn len(&self) -> usize {
                match self { $(ColumnBuf::$variant(v) => v.len(),)* }
            }

            /// Machine type of the values.
            pub fn dtype(&self) -> DType {
                match self { $(ColumnBuf::$variant(_) => DType::$dtype,)* }
            }

            /// Appends the values of another column, unless it is of another type.
            pub fn append(&mut self, other: ColumnBuf) {
                match (self, other) {
                    $((ColumnBuf::$variant(values), ColumnBuf::$variant(mut more)) => values.append(&mut more),)*
                    (_, _) => debug_assert!(false, "columns of two types"),
                }
            }

            /// Appends values that lie packed in native byte order; what is left of a value at the end is
            /// left out.
            pub fn extend_from_packed(&mut self, packed: &[u8]) {
                match self {
                    $(ColumnBuf::$variant(values) => {
                        let (chunks, _) = packed.as_chunks::<{ DType::$dtype.size() }>();
                        values.extend(chunks.iter().map(|bytes| <$t as Packed<_>>::of(*bytes)));
                    })*
                }
            }

            /// Overwrites values from number `first` on with some that lie packed in native byte order. Those beyond
            /// the end are left out.
            pub fn set_packed(&mut self, first: usize, packed: &[u8]) {
                match self {
                    $(ColumnBuf::$variant(values) => {
                        let (chunks, _) = packed.as_chunks::<{ DType::$dtype.size() }>();
                        let places = values.get_mut(first..).unwrap_or_default();
                        places.iter_mut().zip(chunks).for_each(|(place, bytes)| *place = <$t as Packed<_>>::of(*bytes));
                    })*
                }
            }

            /// Removes all values and keeps the memory.
            pub fn clear(&mut self) {
                match self { $(ColumnBuf::$variant(v) => v.clear(),)* }
            }
        }

        $(impl From<Vec<$t>> for ColumnBuf {
            fn from(v: Vec<$t>) -> Self { ColumnBuf::$variant(v) }
        })*
    };
}

/// A number from its bytes in native order.
trait Packed<const N: usize> {
    fn of(bytes: [u8; N]) -> Self;
}

impl Packed<1> for bool {
    fn of([byte]: [u8; 1]) -> bool {
        byte != 0
    }
}

macro_rules! packed {
    ($($t:ty)*) => {$(
        impl Packed<{ size_of::<$t>() }> for $t {
            fn of(bytes: [u8; size_of::<$t>()]) -> $t {
                <$t>::from_ne_bytes(bytes)
            }
        }
    )*};
}

packed! { i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }

column_buf! {
    Bool, bool, Bool;
    I8, i8, I8;
    U8, u8, U8;
    I16, i16, I16;
    U16, u16, U16;
    I32, i32, I32;
    U32, u32, U32;
    I64, i64, I64;
    U64, u64, U64;
    F32, f32, F32;
    F64, f64, F64;
}

impl ColumnBuf {
    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The column as a borrowed one, without copying.
    pub fn view(&self) -> Column<'_> {
        use bytemuck::cast_slice;
        let dtype = self.dtype();
        let data: &[u8] = match self {
            ColumnBuf::Bool(v) => cast_slice(v),
            ColumnBuf::I8(v) => cast_slice(v),
            ColumnBuf::U8(v) => v,
            ColumnBuf::I16(v) => cast_slice(v),
            ColumnBuf::U16(v) => cast_slice(v),
            ColumnBuf::I32(v) => cast_slice(v),
            ColumnBuf::U32(v) => cast_slice(v),
            ColumnBuf::I64(v) => cast_slice(v),
            ColumnBuf::U64(v) => cast_slice(v),
            ColumnBuf::F32(v) => cast_slice(v),
            ColumnBuf::F64(v) => cast_slice(v),
        };
        Column {
            data,
            stride: dtype.size(),
            dtype,
            len: self.len(),
            changes: None,
        }
    }

    /// Value `i`, or `None` past the end.
    pub fn get(&self, i: usize) -> Option<Scalar<'static>> {
        self.view().get(i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_does_not_fit_is_refused() {
        let bytes = [0u8; 15];
        assert!(Column::new(&bytes, 8, DType::F64, 2).is_none());
        assert!(Column::new(&bytes, 7, DType::F64, 2).is_none());
        assert!(Column::new(&bytes, 8, DType::F64, 1).is_some());
        assert!(Column::new(&[], 8, DType::F64, 0).is_some());
        assert!(Column::new(&bytes, usize::MAX, DType::F64, 3).is_none());
    }

    #[test]
    fn packed_values_are_appended() {
        let mut column = ColumnBuf::from(vec![1.5]);
        let packed: Vec<u8> = [2.5f64, -0.0].iter().flat_map(|v| v.to_ne_bytes()).collect();
        column.extend_from_packed(&packed);
        column.extend_from_packed(&packed[..15]);
        assert_eq!(column, ColumnBuf::from(vec![1.5, 2.5, -0.0, 2.5]));
        column.set_packed(2, &packed);
        column.set_packed(0, &packed[..15]);
        column.set_packed(9, &packed);
        assert_eq!(column, ColumnBuf::from(vec![2.5, 2.5, 2.5, -0.0]));
        let mut flags = ColumnBuf::new(DType::Bool);
        flags.extend_from_packed(&[0, 1]);
        assert_eq!(flags, ColumnBuf::from(vec![false, true]));
    }

    #[test]
    fn strided_values_are_read_where_they_lie() {
        let mut bytes = Vec::new();
        for (x, v) in [(1i32, 0.5f64), (2, -0.0)] {
            bytes.extend(x.to_ne_bytes());
            bytes.extend(v.to_ne_bytes());
        }
        let x = Column::new(&bytes, 12, DType::I32, 2).unwrap();
        let v = Column::new(&bytes[4..], 12, DType::F64, 2).unwrap();
        assert_eq!(x.get(1), Some(Scalar::Int(2)));
        assert_eq!(
            v.f64s().map(f64::to_bits).collect::<Vec<_>>(),
            [0.5f64.to_bits(), (-0.0f64).to_bits()]
        );
        assert_eq!(v.get(2), None);
    }
}
