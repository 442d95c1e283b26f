//! The system's time, which HTTP must be able to express.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::clock::moment::END_MICROS;

/// Whether the system's time was out of range when it was last read.
static OUT_OF_RANGE: Watch = Watch(AtomicBool::new(false));

/// Returns whether the system's time is in the years 1970 to 9999, which HTTP dates can express. If it isn't, requests
/// cannot be answered: hyper formats the time for each of them, and panics. One error is logged when that begins, and
/// one when it ends.
pub fn is_system_time_in_range() -> bool {
    let time = SystemTime::now();
    let is_in_range = is_in_range(time);
    if OUT_OF_RANGE.has_changed(!is_in_range) {
        match is_in_range {
            true => tracing::error!("the system clock is back in the years 1970 to 9999"),
            false => tracing::error!(
                "the system clock is outside the years 1970 to 9999; connections are closed without a response until \
                 it is set"
            ),
        }
    }
    is_in_range
}

fn is_in_range(time: SystemTime) -> bool {
    let since_epoch = time.duration_since(UNIX_EPOCH);
    since_epoch.is_ok_and(|since_epoch| since_epoch < Duration::from_micros(END_MICROS))
}

/// A state that is reported when it changes.
struct Watch(AtomicBool);

impl Watch {
    /// Returns whether the state is new, to one of the threads that see it first.
    fn has_changed(&self, state: bool) -> bool {
        // Usually only read, because all workers share it.
        self.0.load(Ordering::Relaxed) != state && self.0.swap(state, Ordering::Relaxed) != state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_time_must_be_one_that_http_can_express() {
        let end = UNIX_EPOCH + Duration::from_micros(END_MICROS);
        let one = Duration::from_nanos(1);
        for (time, expected) in
            [(UNIX_EPOCH - one, false), (UNIX_EPOCH, true), (end - one, true), (end, false)]
        {
            assert_eq!(is_in_range(time), expected, "{time:?}");
        }
    }

    #[test]
    fn a_change_is_reported_once() {
        let watch = Watch(AtomicBool::new(false));
        let seen = [false, true, true, true, false, false].map(|state| watch.has_changed(state));
        assert_eq!(seen, [false, true, false, false, true, false]);
    }
}
