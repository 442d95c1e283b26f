//! The `ghi` command, as a library: Cargo compiles a library while `ghi-server` is still being optimized,
//! but a binary only afterwards.

mod arguments;
mod flag_values;
mod serve;
mod serve_flags;
mod show;
mod explain;
mod diff;
mod release;
mod fixtures;
mod check;
mod health;
mod inputs;
mod collect;
mod mcp;
mod reference;
mod source;
mod text_table;
mod log;
mod signals;
mod output;

use std::process::ExitCode;

use libmimalloc_sys::{mi_option_set_default, mi_option_t};
use mimalloc::MiMalloc;

/// The system's allocator would retain most of the memory that a burst of connections used.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// `mi_option_purge_delay` of `mimalloc.h`: how long free memory is retained, in milliseconds.
const PURGE_DELAY: mi_option_t = 15;

/// Runs the command that the arguments of this process name.
#[must_use]
pub fn main() -> ExitCode {
    purge_immediately();
    let done = match arguments::parse() {
        arguments::Command::Serve(args) => serve::run(args),
        arguments::Command::Show(args) => show::run(&args),
        arguments::Command::Explain(args) => explain::run(&args),
        arguments::Command::Release(args) => release::run(&args),
        arguments::Command::Diff(args) => diff::run(&args),
        arguments::Command::Fixtures(args) => fixtures::run(&args),
        arguments::Command::Check(args) => check::run(&args),
        arguments::Command::Health(args) => health::run(&args),
        arguments::Command::Inputs(args) => inputs::run(&args),
        arguments::Command::Collect(args) => collect::run(&args),
        arguments::Command::Mcp(args) => mcp::run(&args),
        arguments::Command::Openapi(args) => reference::openapi(&args),
        arguments::Command::Completions(args) => reference::complete(&args, arguments::command()),
        arguments::Command::Man(args) => reference::manual(&args, arguments::command()),
    };
    done.unwrap_or_else(|message| {
        output::print_error(&message);
        ExitCode::from(2)
    })
}

/// Returns memory to the system as soon as it is free. By default that happens a second later, during
/// an allocation, and an idle server makes none. `MIMALLOC_PURGE_DELAY` takes precedence.
#[expect(unsafe_code, reason = "only the C interface and the environment can set the option")]
pub(crate) fn purge_immediately() {
    // SAFETY: mimalloc ignores an option that it doesn't have. It stores the value without a lock, so
    // no other thread may allocate at the same time: `main` calls this before it starts any.
    unsafe { mi_option_set_default(PURGE_DELAY, 0) }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    /// The resident memory of this process, in MiB.
    fn resident_mib() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() / 1024
    }

    #[test]
    fn free_memory_is_returned_to_the_system_immediately() {
        purge_immediately();
        let before = resident_mib();
        let blocks: Vec<Vec<u8>> = (0..4096).map(|_| vec![1; 64 * 1024]).collect();
        let taken = resident_mib();
        assert!(taken >= before + 200, "{before} MiB, then {taken} MiB");
        drop(blocks);
        let left = resident_mib();
        // Other tests in this process allocate and free memory at the same time.
        assert!(left + 150 < taken, "{taken} MiB, then {left} MiB");
    }
}
