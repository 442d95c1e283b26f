//! The day that it is.

use ghi_server::Clock;
use jiff::civil::Date;

/// That the system's clock cannot be used.
pub(crate) const NO_TIME: &str = "the system's clock stands outside 1970 to 9999; set it right";

/// The UTC day by the system's clock.
pub(crate) fn today() -> Result<Date, String> {
    let now = Clock::system().now();
    now.map(|moment| moment.date()).ok_or_else(|| NO_TIME.into())
}
