//! The allocator of the process: one that gives back what is free.
//!
//! The system's allocator keeps most of what a crowd of connections took, and more with every crowd.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// How long free memory is kept, milliseconds. mimalloc reads it before anything of ours runs.
const PURGE_DELAY: &str = "MIMALLOC_PURGE_DELAY";

/// Has memory given back as soon as it is free, rather than a second later and not before the next
/// occasion, which an idle server does not have. The only way to say so without unsafe code is the
/// environment: unless that says something already, the process replaces itself, with the same id.
/// Where that cannot be done, it goes on as it is.
pub(crate) fn give_back_at_once() {
    let (None, Ok(program)) = (env::var_os(PURGE_DELAY), env::current_exe()) else { return };
    let mut line = env::args_os();
    let Some(name) = line.next() else { return };
    // What runs may be a loader that was given the program, and takes other arguments.
    if program.file_name() == Path::new(&name).file_name() {
        _ = Command::new(program).arg0(name).args(line).env(PURGE_DELAY, "0").exec();
    }
}
