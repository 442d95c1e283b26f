//! Memory, asked for before it is needed: where there is none later, the process would abort.

use std::hint::black_box;
use std::io;

/// One mebibyte, bytes.
const MIB: usize = 1024 * 1024;

/// Fails where this process cannot have so many bytes of memory, as under `ulimit -v`.
///
/// ```
/// assert!(ghi_server::check_memory(1024).is_ok());
/// let error = ghi_server::check_memory(usize::MAX / 4).unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::OutOfMemory);
/// ```
pub fn check_memory(bytes: usize) -> io::Result<()> {
    let mut room = Vec::<u8>::new();
    let is_there = room.try_reserve_exact(bytes).is_ok();
    // What nobody looks at, the compiler would not ask for.
    black_box(&mut room);
    if is_there {
        return Ok(());
    }
    let mebibytes = bytes.div_ceil(MIB);
    let message = format!(
        "there is not enough memory, {mebibytes} MiB are needed; raise the limit (ulimit -v)"
    );
    Err(io::Error::new(io::ErrorKind::OutOfMemory, message))
}
