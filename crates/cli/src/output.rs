//! Standard output.

use std::io::Write;

use crate::failure::Failure;

/// Prints to standard output; a reader that went away is no error of ours. `styled` text loses its
/// styles where nobody sees them.
///
/// # Errors
/// The output cannot be written.
pub(crate) fn print(bytes: &[u8], styled: bool) -> Result<(), Failure> {
    let written = if styled {
        let mut out = anstream::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush())
    } else {
        let mut out = std::io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush())
    };
    match written {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::caller(format!("standard output: {e}")))
        }
        _ => Ok(()),
    }
}
