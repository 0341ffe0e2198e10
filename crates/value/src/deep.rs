//! Recursion over values: as deep as limits allow, not as the stack does.

/// Stack that must be left for what one level of nesting needs: frames of a decoder or encoder without
/// optimisation, a sink or source below them, and code of an interpreter that these may call.
const LEFT_BYTES_MIN: usize = 256 << 10;

/// What is added when less is left. Memory comes with its first use.
const ADDED_BYTES: usize = 4 << 20;

/// Runs `f`, on another piece of stack when little is left of this one. Whatever recurses over values, or over
/// elements of a message, does so through here; so how deep they nest is a matter of limits and memory, and a thread
/// with a small stack has the same limits as any other.
///
/// ```
/// fn depth(levels: u32) -> u32 {
///     match levels {
///         0 => 0,
///         levels => castile_value::deep(|| 1 + depth(levels - 1)),
///     }
/// }
/// assert_eq!(depth(1_000_000), 1_000_000);
/// ```
#[inline]
pub fn deep<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(LEFT_BYTES_MIN, ADDED_BYTES, f)
}
