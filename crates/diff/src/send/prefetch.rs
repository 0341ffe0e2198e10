//! Bytes that will be written soon, brought near before.

/// Asks the processor to have the line of a byte at hand. It changes nothing but when memory is fetched:
/// a store to memory that is in no cache waits long, hundreds of them one after the other, and asked for
/// ahead they come together, while other work goes on.
#[inline(always)]
pub(crate) fn prefetch<T: ?Sized>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads and writes nothing that a program could see, whatever the address, and
        // every x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
