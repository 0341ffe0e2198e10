//! Values in batches of records: numbers in packed rows, texts beside them.

/// A number that a packed row can hold, in native byte order, or a text beside it.
pub trait Cell: Sized {
    /// Bytes of one value in the row.
    const BYTES: usize;
    /// Texts of one value beside the row: none or one.
    const TEXTS: usize;

    /// Writes the number at `at` of the row, or appends the text. What does not fit is not written:
    /// rows have their layout's length.
    fn write<'s>(&'s self, row: &mut [u8], at: usize, texts: &mut Vec<&'s str>);

    /// The number at `at` of the row, or text `k`; `None` past the end.
    fn read(row: &[u8], at: usize, texts: &[&str], k: usize) -> Option<Self>;
}

macro_rules! cells {
    ($($type:ty)*) => {
        $(impl Cell for $type {
            const BYTES: usize = size_of::<$type>();
            const TEXTS: usize = 0;

            #[inline(always)]
            fn write<'s>(&'s self, row: &mut [u8], at: usize, _texts: &mut Vec<&'s str>) {
                if let Some(room) = row.get_mut(at..).and_then(|r| r.first_chunk_mut()) {
                    *room = self.to_ne_bytes();
                }
            }

            #[inline(always)]
            fn read(row: &[u8], at: usize, _texts: &[&str], _k: usize) -> Option<Self> {
                Some(Self::from_ne_bytes(*row.get(at..)?.first_chunk()?))
            }
        })*
    };
}

cells! { i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }

impl Cell for bool {
    const BYTES: usize = 1;
    const TEXTS: usize = 0;

    #[inline(always)]
    fn write<'s>(&'s self, row: &mut [u8], at: usize, _texts: &mut Vec<&'s str>) {
        if let Some(room) = row.get_mut(at) {
            *room = u8::from(*self);
        }
    }

    #[inline(always)]
    fn read(row: &[u8], at: usize, _texts: &[&str], _k: usize) -> Option<Self> {
        row.get(at).map(|byte| *byte != 0)
    }
}

impl Cell for String {
    const BYTES: usize = 0;
    const TEXTS: usize = 1;

    #[inline(always)]
    fn write<'s>(&'s self, _row: &mut [u8], _at: usize, texts: &mut Vec<&'s str>) {
        texts.push(self);
    }

    #[inline(always)]
    fn read(_row: &[u8], _at: usize, texts: &[&str], k: usize) -> Option<Self> {
        texts.get(k).map(|text| (*text).to_owned())
    }
}
