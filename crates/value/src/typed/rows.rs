//! Numbers in packed rows.

/// A number that a packed row can hold, in native byte order.
pub trait Cell: Copy {
    /// Bytes of one value.
    const BYTES: usize;

    /// Writes the value at `at` and gives the place after it. What does not fit is not written:
    /// rows have their layout's length.
    fn write(self, row: &mut [u8], at: usize) -> usize;

    /// The value at `at`; `None` past the end of the row.
    fn read(row: &[u8], at: usize) -> Option<Self>;
}

macro_rules! cells {
    ($($type:ty)*) => {
        $(impl Cell for $type {
            const BYTES: usize = size_of::<$type>();

            #[inline(always)]
            fn write(self, row: &mut [u8], at: usize) -> usize {
                if let Some(room) = row.get_mut(at..).and_then(|r| r.first_chunk_mut()) {
                    *room = self.to_ne_bytes();
                }
                at + Self::BYTES
            }

            #[inline(always)]
            fn read(row: &[u8], at: usize) -> Option<Self> {
                Some(Self::from_ne_bytes(*row.get(at..)?.first_chunk()?))
            }
        })*
    };
}

cells! { i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }

impl Cell for bool {
    const BYTES: usize = 1;

    #[inline(always)]
    fn write(self, row: &mut [u8], at: usize) -> usize {
        u8::from(self).write(row, at)
    }

    #[inline(always)]
    fn read(row: &[u8], at: usize) -> Option<Self> {
        u8::read(row, at).map(|byte| byte != 0)
    }
}
