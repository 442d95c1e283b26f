//! The process as the operating system reports it, with metric names that exporters share.

use std::fs;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{Resource, getrlimit};

/// The number of log lines dropped because they could not be written in time. The program that writes the
/// log counts them.
pub static LOG_LINES_DROPPED: AtomicU64 = AtomicU64::new(0);

/// Registers the metrics of this process. Metrics that come from `/proc` are omitted if it does not exist.
pub(crate) fn register(registry: &mut Registry) {
    let help = "Log lines dropped because they could not be written in time";
    let dropped = LOG_LINES_DROPPED.load(Ordering::Relaxed);
    registry.register("ghi_log_lines_dropped", help, ConstCounter::new(dropped));
    let limit = getrlimit(Resource::Nofile).current.map(|limit| limit as f64);
    let mut gauges = vec![
        ("process_start_time_seconds", "Start time of the process, as Unix time", *START_SECONDS),
        ("process_open_fds", "Open file descriptors", open_descriptors().map(|count| count as f64)),
        ("process_max_fds", "Limit on open file descriptors", limit),
    ];
    if let Some(usage) = Usage::read() {
        let help = "CPU time, user and system";
        registry.register("process_cpu_seconds", help, ConstCounter::new(usage.cpu_seconds));
        let [resident, all] = [usage.resident_bytes, usage.virtual_bytes].map(|bytes| bytes as f64);
        gauges.extend([
            ("process_resident_memory_bytes", "Resident memory size", Some(resident)),
            ("process_virtual_memory_bytes", "Virtual memory size", Some(all)),
            ("process_threads", "Threads", Some(usage.threads as f64)),
        ]);
    }
    for (name, help, value) in gauges {
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
    Some(boot.trim().parse::<f64>().ok()? + Usage::read()?.start_after_boot_seconds)
});

/// The contents of `/proc/self/stat`.
#[derive(Debug, PartialEq)]
struct Usage {
    cpu_seconds: f64,
    threads: u64,
    start_after_boot_seconds: f64,
    virtual_bytes: u64,
    resident_bytes: u64,
}

impl Usage {
    fn read() -> Option<Self> {
        let stat = fs::read_to_string("/proc/self/stat").ok()?;
        Self::parse(&stat, clock_ticks_per_second(), page_size() as u64)
    }

    fn parse(stat: &str, ticks_per_second: u64, page_bytes: u64) -> Option<Self> {
        // The second field is the program's name in parentheses, and may contain any character.
        let (_, from_third) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = from_third.split_ascii_whitespace().collect();
        // Numbered as in the manual page.
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        let seconds = |ticks: u64| ticks as f64 / ticks_per_second as f64;
        Some(Self {
            cpu_seconds: seconds(field(14)? + field(15)?),
            threads: field(20)?,
            start_after_boot_seconds: seconds(field(22)?),
            virtual_bytes: field(23)?,
            resident_bytes: field(24)? * page_bytes,
        })
    }
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
    fn usage_is_parsed_after_the_program_name_whatever_it_contains() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 99 0 0 0 150 50 0 0 20 0 3 0 1234 8192 2 184467";
        let expected = Usage {
            cpu_seconds: 2.0,
            threads: 3,
            start_after_boot_seconds: 12.34,
            virtual_bytes: 8192,
            resident_bytes: 8192,
        };
        assert_eq!(Usage::parse(stat, 100, 4096), Some(expected));
        for broken in
            ["", "7 (a)", "7 (a) S 1 2", "7 (a) S 1 7 7 0 -1 4 9 0 0 0 x 5 0 0 2 0 3 0 1 8 2"]
        {
            assert_eq!(Usage::parse(broken, 100, 4096), None, "{broken}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_a_start_time_and_uses_resources() {
        let usage = Usage::read().unwrap();
        assert!(usage.threads >= 1, "{usage:?}");
        assert!(usage.resident_bytes > 100_000 && usage.virtual_bytes >= usage.resident_bytes);
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
