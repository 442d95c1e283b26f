//! The parameters of the API, parsed into types that cannot be invalid.

use ghi_contract::{ForecastDays, HISTORY_DAYS, paths};
use ghi_display::{Range, known_ids};
use ghi_engine::{Decimal, Model, NoFigures, RegionIndex, Registry, Scope, parse_date};
use jiff::ToSpan;
use jiff::civil::Date;
use percent_encoding::percent_decode;

use crate::edition::Theme;
use crate::http::problem::{Code, Problem};
use crate::http::query::Query;

/// Parses a parameter. Returns `None` if it is not given, or left empty in a form.
pub(crate) fn parsed<T>(
    query: &Query<'_>,
    name: &'static str,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, Problem> {
    let text = query.get(name)?.filter(|text| !(query.is_form && text.is_empty()));
    text.map(parse).transpose().map_err(Problem::invalid_parameter)
}

pub(crate) fn scope(query: &Query<'_>, registry: &Registry) -> Result<Scope, Problem> {
    let Some(id) = query.get("region_id")? else { return Ok(Scope::Global) };
    let unknown = || unknown_region("this region_id", "global or ", registry);
    Scope::find(id, registry).ok_or_else(unknown)
}

pub(crate) fn unknown_region(given: &str, choices: &str, registry: &Registry) -> Problem {
    let (path, ids) = (paths::REGIONS, known_ids(registry));
    let detail = format!("No region has {given}. Use {choices}an id listed at {path}: {ids}.");
    Problem::new(Code::UnknownRegion, detail)
}

/// Parses `{id}` in the path, percent-encoded as received.
pub(crate) fn region_of_path(encoded: &str, registry: &Registry) -> Result<RegionIndex, Problem> {
    let decoded = || percent_decode(encoded.as_bytes()).decode_utf8().ok();
    let region = registry.find(encoded).or_else(|| registry.find(&decoded()?));
    region.ok_or_else(|| unknown_region("this id", "", registry))
}

pub(crate) fn range(query: &Query<'_>) -> Result<Option<Range>, Problem> {
    parsed(query, "range", |text| {
        let range = Range::ALL.into_iter().find(|range| range.name() == text);
        let known = || Range::ALL.map(Range::name).join(", ");
        range.ok_or_else(|| format!("range must be one of {}.", known()))
    })
}

pub(crate) fn forecast_days(query: &Query<'_>) -> Result<ForecastDays, Problem> {
    let days = parsed(query, "forecast_days", |text| {
        let default = ForecastDays::DEFAULT;
        text.parse()
            .map_err(|invalid| format!("forecast_days {invalid}; the default is {default}."))
    });
    Ok(days?.unwrap_or_default())
}

/// Parses `date`, `range`, or `from` and `to`. Returns `None` if none of them is given.
pub(crate) fn date_range(query: &Query<'_>, today: Date) -> Result<Option<DateRange>, Problem> {
    let (from, to) = (named_date(query, "from", "")?, named_date(query, "to", "")?);
    let has_ends = from.is_some() || to.is_some();
    let range = match (date(query)?, range(query)?) {
        (None, None) => DateRange::new(from, to, today),
        (Some(date), None) if !has_ends => Ok(Some(DateRange { first: date, last: date })),
        (None, Some(range)) if !has_ends => Ok(Some(DateRange::up_to(today, range.days()))),
        _ => Err(r#""date", "range", and "from" with "to" cannot be combined."#),
    };
    range.map_err(Problem::invalid_parameter)
}

const FIRST: Date = Date::constant(1, 1, 1);

const BACKWARDS: &str = r#""from" must not be after "to"."#;
const TOO_LONG: &str =
    r#""from" and "to" must span at most 11,000 days; without "to", the range ends today."#;

/// A range of 1 to 11,000 days, including its first and last day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DateRange {
    pub(crate) first: Date,
    pub(crate) last: Date,
}

impl DateRange {
    /// Creates a range from its first and last day, which default to six days before the last, and to today.
    pub(crate) fn new(
        from: Option<Date>,
        to: Option<Date>,
        today: Date,
    ) -> Result<Option<Self>, &'static str> {
        let range = match (from, to) {
            (None, None) => return Ok(None),
            (None, Some(to)) => Self::week_up_to(to),
            (Some(first), last) => Self { first, last: last.unwrap_or(today) },
        };
        match (range.last - range.first).get_days() {
            ..0 => Err(BACKWARDS),
            0..11_000 => Ok(Some(range)),
            _ => Err(TOO_LONG),
        }
    }

    pub(crate) fn week_up_to(last: Date) -> Self {
        Self::up_to(last, HISTORY_DAYS as u16)
    }

    /// Returns the range of this many days up to a date; fewer if the calendar begins later.
    pub(crate) fn up_to(last: Date, days: u16) -> Self {
        let before = (i64::from(days) - 1).days();
        Self { first: last.saturating_sub(before).max(FIRST), last }
    }

    /// Limits the range to its first and last day with data.
    pub(crate) fn within(self, model: &Model) -> Result<Self, NoFigures> {
        let (first, last) = model.overlap(self.first, self.last)?;
        Ok(Self { first, last })
    }

    /// Returns the day after a date in the range, or `None` after the last.
    pub(crate) fn day_after(self, date: Date) -> Option<Date> {
        date.tomorrow().ok().filter(|next| *next <= self.last)
    }
}

pub(crate) fn date(query: &Query<'_>) -> Result<Option<Date>, Problem> {
    named_date(query, "date", "; the default is today (UTC)")
}

/// Parses a date. `default` is the end of the error message for an invalid date.
pub(crate) fn named_date(
    query: &Query<'_>,
    name: &'static str,
    default: &str,
) -> Result<Option<Date>, Problem> {
    parsed(query, name, |text| {
        parse_date(text).map_err(|invalid| format!("{name} {invalid}{default}."))
    })
}

pub(crate) fn price(query: &Query<'_>, model: &Model) -> Result<Option<Decimal>, Problem> {
    let variable = model.readers_price();
    parsed(query, variable.name, |text| match text.parse() {
        Ok(price) if variable.takes(price) => Ok(model.usd(price)),
        _ => Err(format!("{variable}; the default is the market price, if there is one.")),
    })
}

/// Parses the order of the cost curve. Returns whether it is by cost instead of by region.
pub(crate) fn is_by_cost(query: &Query<'_>) -> Result<Option<bool>, Problem> {
    parsed(query, "order", |text| match text {
        "region" => Ok(false),
        "cost" => Ok(true),
        _ => Err("order must be region or cost; the default is region.".into()),
    })
}

/// The values of the parameter `theme`, the default first.
pub(crate) const THEMES: [&str; 3] = ["auto", "light", "dark"];

pub(crate) fn theme(query: &Query<'_>) -> Result<Theme, Problem> {
    match query.get("theme")? {
        None | Some("auto") => Ok(Theme::Auto),
        Some("light") => Ok(Theme::Light),
        Some("dark") => Ok(Theme::Dark),
        Some(_) => Err(Problem::invalid_parameter(
            "theme must be auto, light or dark; the default is auto.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    const TODAY: Date = date(2026, 11, 15);

    #[track_caller]
    fn check(from: &str, to: &str, expected: Result<Option<[&str; 2]>, &str>) {
        let [from, to] = [from, to].map(|text| (text != "-").then(|| text.parse().unwrap()));
        let range = DateRange::new(from, to, TODAY);
        let dates = range.map(|range| range.map(|r| [r.first, r.last].map(|d| d.to_string())));
        let expected = expected.map(|range| range.map(|dates| dates.map(String::from)));
        assert_eq!(dates, expected, "{from:?} to {to:?}");
    }

    #[test]
    fn a_range_defaults_to_the_week_up_to_today() {
        check("-", "-", Ok(None));
        check("2026-11-01", "-", Ok(Some(["2026-11-01", "2026-11-15"])));
        check("2026-11-15", "-", Ok(Some(["2026-11-15", "2026-11-15"])));
        check("-", "2026-11-03", Ok(Some(["2026-10-28", "2026-11-03"])));
        check("-", "2030-01-01", Ok(Some(["2029-12-26", "2030-01-01"])));
        check("-", "0001-01-03", Ok(Some(["0001-01-01", "0001-01-03"])));
        check("2030-01-01", "2030-01-01", Ok(Some(["2030-01-01", "2030-01-01"])));
    }

    #[test]
    fn an_invalid_range_is_rejected() {
        check("2026-11-16", "-", Err(BACKWARDS));
        check("2026-11-16", "2026-11-15", Err(BACKWARDS));
        check("1996-10-04", "-", Ok(Some(["1996-10-04", "2026-11-15"])));
        check("1996-10-03", "-", Err(TOO_LONG));
        check("0001-01-01", "9999-12-31", Err(TOO_LONG));
    }

    proptest! {
        #[test]
        fn a_range_has_each_of_its_days_once(start in -700_000_i32..2_900_000, length in 1_i32..=11_000) {
            let first = date(1970, 1, 1).saturating_add(start.days()).max(FIRST);
            let last = first.saturating_add((length - 1).days());
            let range = DateRange::new(Some(first), Some(last), TODAY).unwrap().unwrap();
            let next = |date: &Date| range.day_after(*date);
            let days: Vec<Date> = std::iter::successors(Some(range.first), next).collect();
            prop_assert_eq!(days.len(), usize::try_from(length).unwrap());
            prop_assert_eq!((days[0], days[days.len() - 1]), (first, last));
            prop_assert!(days.is_sorted() && days.len() <= 11_000);
        }
    }
}
