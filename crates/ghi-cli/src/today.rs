//! The day that it is.

use ghi_server::Clock;
use jiff::civil::Date;

/// The UTC day by the system's clock.
pub(crate) fn today() -> Date {
    Clock::system().now().date()
}
