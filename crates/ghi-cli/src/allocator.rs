//! The memory allocator, which returns free memory to the system.
//!
//! The system's allocator retains most of the memory that a burst of connections used, and more after every
//! burst.

use libmimalloc_sys::{mi_option_set_default, mi_option_t};
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// `mi_option_purge_delay` of `mimalloc.h`, which the bindings omit: how long free memory is
/// retained, in milliseconds.
const PURGE_DELAY: mi_option_t = 15;

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
