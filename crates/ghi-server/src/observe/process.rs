//! The process as the operating system reports it, with metric names that exporters share.

use std::fs;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{Resource, getrlimit};

/// The number of log lines dropped because they could not be written in time. The program that writes the log counts them.
pub static LOG_LINES_DROPPED: AtomicU64 = AtomicU64::new(0);

/// Registers the metrics of this process, those from `/proc` only if it exists.
pub(crate) fn register(registry: &mut Registry) {
    let help = "Log lines dropped because they could not be written in time";
    let dropped = LOG_LINES_DROPPED.load(Ordering::Relaxed);
    registry.register("ghi_log_lines_dropped", help, ConstCounter::new(dropped));
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = |field: usize| Some(stat_field(&stat, field)? / clock_ticks_per_second() as f64);
    if let (Some(user), Some(system)) = (ticks(14), ticks(15)) {
        let help = "CPU time, user and system";
        registry.register("process_cpu_seconds", help, ConstCounter::new(user + system));
    }
    let resident = stat_field(&stat, 24).map(|pages| pages * page_size() as f64);
    let limit = getrlimit(Resource::Nofile).current.map(|limit| limit as f64);
    for (name, help, value) in [
        ("process_resident_memory_bytes", "Resident memory size", resident),
        ("process_virtual_memory_bytes", "Virtual memory size", stat_field(&stat, 23)),
        ("process_threads", "Threads", stat_field(&stat, 20)),
        ("process_start_time_seconds", "Start time of the process, as Unix time", *START_SECONDS),
        ("process_open_fds", "Open file descriptors", open_descriptors().map(|count| count as f64)),
        ("process_max_fds", "Limit on open file descriptors", limit),
    ] {
        if let Some(value) = value {
            registry.register(name, help, ConstGauge::new(value));
        }
    }
}

/// The start time of the process, in seconds since 1970. It is read only once: it never changes, and `/proc/stat`
/// is long on machines with many cores.
static START_SECONDS: LazyLock<Option<f64>> = LazyLock::new(|| {
    let system = fs::read_to_string("/proc/stat").ok()?;
    let boot = system.lines().find_map(|line| line.strip_prefix("btime "))?;
    let process = fs::read_to_string("/proc/self/stat").ok()?;
    let ticks = stat_field(&process, 22)?;
    Some(boot.trim().parse::<f64>().ok()? + ticks / clock_ticks_per_second() as f64)
});

/// Returns a field of `/proc/self/stat` from the third on, numbered as in the manual page.
fn stat_field(stat: &str, number: usize) -> Option<f64> {
    // The second field is the program's name in parentheses, and may contain any character.
    let (_, from_third) = stat.rsplit_once(") ")?;
    from_third.split_ascii_whitespace().nth(number - 3)?.parse().ok()
}

/// Returns the number of open file descriptors, without the one used to list them.
fn open_descriptors() -> Option<u64> {
    Some(fs::read_dir("/proc/self/fd").ok()?.count() as u64 - 1)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::*;

    #[test]
    fn fields_are_counted_after_the_program_name_whatever_it_contains() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 99 0 0 0 150 50 0 0 20 0 3 0 1234 8192 2 184467";
        let fields = [14, 15, 20, 22, 23, 24].map(|number| stat_field(stat, number).unwrap());
        assert_eq!(fields, [150.0, 50.0, 3.0, 1234.0, 8192.0, 2.0]);
        for broken in ["", "7 (a)", "7 (a) S 1 2", "7 (a) S 1 7 7 0 -1 4 9 0 0 0 x 5 0 0 2 0 3 0 1"]
        {
            assert_eq!(stat_field(broken, 14), None, "{broken}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_a_start_time_and_uses_resources() {
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let [threads, all, resident] = [20, 23, 24].map(|field| stat_field(&stat, field).unwrap());
        assert!(threads >= 1.0, "{stat}");
        let resident_bytes = resident * page_size() as f64;
        assert!(resident_bytes > 100_000.0 && all >= resident_bytes, "{stat}");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
        let age = now - START_SECONDS.unwrap();
        assert!((-2.0..3600.0).contains(&age), "{age}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn open_descriptors_are_counted() {
        let hundred: Vec<File> = (0..100).map(|_| File::open("/proc/self/stat").unwrap()).collect();
        // Tests running in parallel have some open as well.
        assert!((100..10_000).contains(&open_descriptors().unwrap()));
        drop(hundred);
    }
}
