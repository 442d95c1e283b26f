//! The parameters of the API, parsed into types that cannot be invalid.

use ghi_contract::{ForecastDays, GLOBAL, paths};
use ghi_display::{Range, WORLDWIDE, known_ids};
use ghi_engine::{Decimal, Economics, Model, RegionIndex, Registry, Scope, parse_date};
use hyper::HeaderMap;
use jiff::civil::Date;
use percent_encoding::percent_decode;

use crate::config::SnapshotForm;
use crate::edition::Theme;
use crate::http::prefer::preference;
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::routes::date_range::DateRange;

/// Parses the parameter `region_id`.
pub(crate) fn scope(query: &Query<'_>, registry: &Registry) -> Result<Scope, Problem> {
    let Some(id) = query.get("region_id")? else { return Ok(Scope::Global) };
    Scope::find(&id, registry).ok_or_else(|| {
        Problem::unknown_region(format!(
            "No region has this region_id. Use {GLOBAL} or an id listed at {}: {}.",
            paths::REGIONS,
            known_ids(registry)
        ))
    })
}

/// Finds a scope by its id, or by a name that no other region has. Names are case-insensitive.
pub(crate) fn named_scope(text: &str, registry: &Registry) -> Option<Scope> {
    let by_name = || registry.find_by_name(text).map(Scope::Region);
    let worldwide = || (text.to_lowercase() == WORLDWIDE.to_lowercase()).then_some(Scope::Global);
    Scope::find(text, registry).or_else(by_name).or_else(worldwide)
}

/// Returns the problem for a parameter that does not name a region.
pub(crate) fn unknown_region_of(parameter: &str, registry: &Registry) -> Problem {
    Problem::unknown_region(format!(
        "No region has this id or name in {parameter}. Use {GLOBAL}, a name, or an id listed at {}: {}.",
        paths::REGIONS,
        known_ids(registry)
    ))
}

/// Parses `{id}` in the path, percent-encoded as received.
pub(crate) fn region_of_path(encoded: &str, registry: &Registry) -> Result<RegionIndex, Problem> {
    let decoded = || percent_decode(encoded.as_bytes()).decode_utf8().ok();
    let region = registry.find(encoded).or_else(|| registry.find(&decoded()?));
    region.ok_or_else(|| {
        Problem::unknown_region(format!(
            "No region has this id. Use an id listed at {}: {}.",
            paths::REGIONS,
            known_ids(registry)
        ))
    })
}

/// Parses the parameter `range`. Returns `None` if it is not given.
pub(crate) fn range(query: &Query<'_>) -> Result<Option<Range>, Problem> {
    let Some(text) = query.get("range")? else { return Ok(None) };
    let range = Range::ALL.into_iter().find(|range| range.name() == text);
    let known = || Range::ALL.map(Range::name).join(", ");
    range
        .map(Some)
        .ok_or_else(|| Problem::invalid_parameter(format!("range must be one of {}.", known())))
}

/// Parses the parameter `forecast_days`.
pub(crate) fn forecast_days(query: &Query<'_>) -> Result<ForecastDays, Problem> {
    match query.get("forecast_days")? {
        None => Ok(ForecastDays::default()),
        Some(text) => text.parse().map_err(|invalid| {
            Problem::invalid_parameter(format!(
                "forecast_days {invalid}; the default is {}.",
                ForecastDays::DEFAULT
            ))
        }),
    }
}

/// Parses `date`, `range`, or `from` and `to`. Returns `None` if none of them is given.
pub(crate) fn date_range(query: &Query<'_>, today: Date) -> Result<Option<DateRange>, Problem> {
    let (from, to) = (query.get("from")?, query.get("to")?);
    let has_ends = from.is_some() || to.is_some();
    match (date(query)?, range(query)?) {
        (None, None) => {}
        (Some(date), None) if !has_ends => return Ok(Some(DateRange::of_day(date))),
        (None, Some(range)) if !has_ends => {
            return Ok(Some(DateRange::up_to(today, range.days())));
        }
        (None, Some(_)) => {
            return Err(Problem::invalid_parameter(
                r#""range" ends today and cannot be combined with "from" or "to"."#,
            ));
        }
        (Some(_), _) => {
            return Err(Problem::invalid_parameter(
                r#""date" is a single day and cannot be combined with "range", "from" or "to"."#,
            ));
        }
    }
    DateRange::parse(from.as_deref(), to.as_deref(), today)
        .map_err(|invalid| Problem::invalid_parameter(invalid.to_string()))
}

/// Parses the parameter `date`, if it is given.
pub(crate) fn date(query: &Query<'_>) -> Result<Option<Date>, Problem> {
    let Some(text) = query.get("date")? else { return Ok(None) };
    let date = parse_date(&text).map_err(|invalid| {
        Problem::invalid_parameter(format!("date {invalid}; the default is today (UTC)."))
    })?;
    Ok(Some(date))
}

/// Parses the parameter `since`, if it is given.
pub(crate) fn since(query: &Query<'_>) -> Result<Option<Date>, Problem> {
    let Some(text) = query.get("since")? else { return Ok(None) };
    let since = parse_date(&text)
        .map_err(|invalid| Problem::invalid_parameter(format!("since {invalid}.")))?;
    Ok(Some(since))
}

/// Parses the parameter `price`, if it is given.
pub(crate) fn price(query: &Query<'_>, model: &Model) -> Result<Option<Decimal>, Problem> {
    let Some(text) = query.get(Economics::PRICE.name)? else { return Ok(None) };
    let price = model.readers_price(text.parse().unwrap_or(f64::NAN));
    price.map(Some).map_err(|invalid| {
        Problem::invalid_parameter(format!("{invalid}; the default is the market price."))
    })
}

/// Parses the parameter `price` from a form, which sends an empty parameter for an empty field.
pub(crate) fn price_of_form(query: &Query<'_>, model: &Model) -> Result<Option<Decimal>, Problem> {
    let is_empty = query.get(Economics::PRICE.name)?.is_none_or(|text| text.is_empty());
    if is_empty { Ok(None) } else { price(query, model) }
}

/// The scope and the days of an explanation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExplainedDays {
    pub(crate) scope: Scope,
    pub(crate) date: Date,
    /// The day from which a change is explained.
    pub(crate) since: Option<Date>,
}

impl ExplainedDays {
    /// Parses `region_id`, `date` and `since`. An empty date of a form counts as not given.
    pub(crate) fn parse(
        query: &Query<'_>,
        registry: &Registry,
        today: Date,
        is_form: bool,
    ) -> Result<Self, Problem> {
        let is_given = |name| {
            let text = query.get(name)?;
            Ok::<_, Problem>(text.is_some_and(|text| !(is_form && text.is_empty())))
        };
        let date = if is_given("date")? { date(query)? } else { None };
        let since = if is_given("since")? { since(query)? } else { None };
        Ok(Self { scope: scope(query, registry)?, date: date.unwrap_or(today), since })
    }
}

/// Returns the form of the snapshot that the request prefers, and the preference to confirm in the
/// response.
pub(crate) fn preferred_form(headers: &HeaderMap) -> Option<(SnapshotForm, &'static str)> {
    match &*preference(headers, "return")? {
        "minimal" => Some((SnapshotForm::Reduced, "return=minimal")),
        "representation" => Some((SnapshotForm::Full, "return=representation")),
        _ => None,
    }
}

/// The values of the parameter `range`.
#[cfg(feature = "internals")]
pub const RANGES: [&str; 6] = {
    let [week, month, quarter, year, five_years, all] = Range::ALL;
    [week.name(), month.name(), quarter.name(), year.name(), five_years.name(), all.name()]
};

/// The values of the parameter `theme`, the default first.
#[cfg(feature = "internals")]
pub const THEMES: [&str; 3] = ["auto", "light", "dark"];

/// Parses the parameter `theme`.
pub(crate) fn theme(query: &Query<'_>) -> Result<Theme, Problem> {
    match query.get("theme")?.as_deref() {
        None | Some("auto") => Ok(Theme::Auto),
        Some("light") => Ok(Theme::Light),
        Some("dark") => Ok(Theme::Dark),
        Some(_) => Err(Problem::invalid_parameter(
            "theme must be auto, light or dark; the default is auto.",
        )),
    }
}
