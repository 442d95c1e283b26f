//! The parameters of the API, parsed into types that cannot be invalid.

use ghi_contract::{ForecastDays, paths};
use ghi_display::{Range, WORLDWIDE, known_ids, name_of};
use ghi_engine::{Decimal, Model, RegionIndex, Registry, Scope, parse_date};
use hyper::HeaderMap;
use jiff::civil::Date;
use percent_encoding::percent_decode;

use crate::config::SnapshotForm;
use crate::edition::Theme;
use crate::http::prefer::preference;
use crate::http::problem::{Code, Problem};
use crate::http::query::Query;
use crate::routes::files::date_range::DateRange;

/// How many names are suggested, for texts of how many bytes, and how similar they must be, from 0 to 1.
const SUGGESTIONS: usize = 3;
const SUGGESTED_FOR_MAX: usize = 100;
const SIMILARITY_MIN: f64 = 0.75;

/// Parses a parameter. Returns `None` if it is not given, or left empty in a form.
pub(crate) fn parsed<T>(
    query: &Query<'_>,
    name: &'static str,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, Problem> {
    let text = query.get(name)?.filter(|text| !(query.is_form && text.is_empty()));
    text.map(parse).transpose().map_err(Problem::invalid_parameter)
}

/// Parses the parameter `region_id`.
pub(crate) fn scope(query: &Query<'_>, registry: &Registry) -> Result<Scope, Problem> {
    let Some(id) = query.get("region_id")? else { return Ok(Scope::Global) };
    let unknown = || unknown_region("this region_id", "global or ", registry);
    Scope::find(id, registry).ok_or_else(unknown)
}

/// Finds a scope by its id, or by a name that no other region has. Names are case-insensitive.
pub(crate) fn named_scope(text: &str, registry: &Registry) -> Option<Scope> {
    let by_name = || registry.find_by_name(text).map(Scope::Region);
    let worldwide = || (text.to_lowercase() == WORLDWIDE.to_lowercase()).then_some(Scope::Global);
    Scope::find(text, registry).or_else(by_name).or_else(worldwide)
}

/// Returns up to three scopes whose names or ids resemble a text, the most similar first.
pub(crate) fn similar_scopes(text: &str, model: &Model) -> impl Iterator<Item = Scope> {
    let (registry, text) = (model.registry(), text.trim().to_lowercase());
    let scopes = std::iter::once(Scope::Global).chain(registry.indices().map(Scope::Region));
    // Comparing a long text would take long.
    let scopes = scopes.filter(|_| text.len() <= SUGGESTED_FOR_MAX);
    let similar = scopes.map(|scope| {
        let names = [name_of(scope, model), scope.region_id(registry)];
        let similar = names.map(|name| strsim::jaro_winkler(&name.to_lowercase(), &text));
        (similar[0].max(similar[1]), scope)
    });
    let mut similar: Vec<_> = similar.filter(|(how, _)| *how >= SIMILARITY_MIN).collect();
    similar.sort_by(|one, other| other.0.total_cmp(&one.0));
    similar.into_iter().take(SUGGESTIONS).map(|(_, scope)| scope)
}

/// Returns the problem for an id or a name that no region has.
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

/// Parses the parameter `range`. Returns `None` if it is not given.
pub(crate) fn range(query: &Query<'_>) -> Result<Option<Range>, Problem> {
    parsed(query, "range", |text| {
        let range = Range::ALL.into_iter().find(|range| range.name() == text);
        let known = || Range::ALL.map(Range::name).join(", ");
        range.ok_or_else(|| format!("range must be one of {}.", known()))
    })
}

/// Parses the parameter `forecast_days`.
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
        (None, None) => return DateRange::new(from, to, today).map_err(Problem::invalid_parameter),
        (Some(date), None) if !has_ends => DateRange { first: date, last: date },
        (None, Some(range)) if !has_ends => DateRange::up_to(today, range.days()),
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
    };
    Ok(Some(range))
}

/// Parses the parameter `date`, if it is given.
pub(crate) fn date(query: &Query<'_>) -> Result<Option<Date>, Problem> {
    named_date(query, "date", "; the default is today (UTC)")
}

/// Parses a date. `default` is the end of the error message for an invalid date.
fn named_date(
    query: &Query<'_>,
    name: &'static str,
    default: &str,
) -> Result<Option<Date>, Problem> {
    parsed(query, name, |text| {
        parse_date(text).map_err(|invalid| format!("{name} {invalid}{default}."))
    })
}

/// Parses the parameter `price`, if it is given.
pub(crate) fn price(query: &Query<'_>, model: &Model) -> Result<Option<Decimal>, Problem> {
    let variable = model.readers_price();
    parsed(query, variable.name, |text| match text.parse() {
        Ok(price) if variable.takes(price) => Ok(model.usd(price)),
        _ => Err(format!("{variable}; the default is the market price, if there is one.")),
    })
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
    /// Parses `region_id`, `date` and `since`.
    pub(crate) fn parse(
        query: &Query<'_>,
        registry: &Registry,
        today: Date,
    ) -> Result<Self, Problem> {
        let date = date(query)?.unwrap_or(today);
        let since = named_date(query, "since", "")?;
        if since.is_some_and(|since| since > date) {
            return Err(Problem::invalid_parameter("since must not be after date."));
        }
        Ok(Self { scope: scope(query, registry)?, date, since })
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
    match query.get("theme")? {
        None | Some("auto") => Ok(Theme::Auto),
        Some("light") => Ok(Theme::Light),
        Some("dark") => Ok(Theme::Dark),
        Some(_) => Err(Problem::invalid_parameter(
            "theme must be auto, light or dark; the default is auto.",
        )),
    }
}
