//! Dates and durations as people read them.

use jiff::civil::Date;

/// Returns a date in full: `16 November 2026`.
pub fn long_date(date: Date) -> String {
    date.strftime("%-d %B %Y").to_string()
}

/// Returns a date for titles and tables: `16 Nov 2026`.
pub fn short_date(date: Date) -> String {
    date.strftime("%-d %b %Y").to_string()
}

/// Returns the period from one day to another: `19 Aug to 16 Nov 2026`.
pub(crate) fn period(first: Date, last: Date) -> String {
    if first == last {
        return short_date(last);
    }
    let format = if first.year() == last.year() { "%-d %b" } else { "%-d %b %Y" };
    format!("{} to {}", first.strftime(format), short_date(last))
}

/// Returns a day before `today`, with its year if that differs: `18 October`, `18 Oct 2025`.
pub fn day_before(date: Date, today: Date) -> String {
    let format = if date.year() == today.year() { "%-d %B" } else { "%-d %b %Y" };
    date.strftime(format).to_string()
}

/// Returns a duration in hours and minutes: `12 h 5 min`.
pub fn duration(seconds: u64) -> String {
    let minutes = seconds / 60;
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_period_names_a_year_once_if_it_can() {
        let last = date(2026, 11, 16);
        assert_eq!(period(date(2026, 8, 19), last), "19 Aug to 16 Nov 2026");
        assert_eq!(period(date(2025, 11, 17), last), "17 Nov 2025 to 16 Nov 2026");
        assert_eq!(period(last, last), "16 Nov 2026");
    }

    #[test]
    fn a_duration_is_in_whole_minutes() {
        assert_eq!([59, 3_599, 43_500].map(duration), ["0 min", "59 min", "12 h 5 min"]);
    }
}
