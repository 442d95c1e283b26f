//! The page that shows how the costs of a day are calculated.

use askama::Template;
use ghi_display::{
    Amount, Percent, Quantity, STEPS, by_size, grouped, long_date, name_of, short_date as short,
};
use ghi_engine::{
    CapitalCost, Coin, CostChange, CostKind, Coverage, Explanation, FactorChange, Model, NoFigures,
    RegionContribution, Registry, Scope, UsdChange,
};
use jiff::ToSpan;
use jiff::civil::Date;

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Representation, daily_headers};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::pages::blocks::why::factor_label;
use crate::routes::pages::frame::{Frame, Preview};
use crate::routes::pages::general::{HTML, page, rendered};
use crate::routes::parameters::ExplainedDays;

/// The number of days over which the change is explained by default.
const DEFAULT_SINCE_DAYS: i64 = 30;

/// Serves the calculation of the costs of a day.
pub(crate) fn explain(context: &Context<'_>) -> HandlerResult {
    let days = ExplainedDays::parse(&context.query, context.registry(), context.today())?;
    if days.date == context.today() && days.since.is_none() {
        let file = DailyFile::Explain(days.scope);
        let render = |edition: &Edition, site: &Site| page_of(edition.model(), site, days);
        return Ok(page(context.daily_file(file, "", render)?));
    }
    Ok(page(context.daily(&page_of(context.model(), context.site, days)?)))
}

/// Renders the page of any day.
pub(crate) fn page_of(
    model: &Model,
    site: &Site,
    days: ExplainedDays,
) -> Result<Representation, NoFigures> {
    let ExplainedDays { scope, date, since } = days;
    let explanation = model.explain(scope, date)?;
    let change = match since {
        Some(since) => Some(model.change(scope, since, date)?),
        None => model.change(scope, date.saturating_sub(DEFAULT_SINCE_DAYS.days()), date).ok(),
    };
    let html = rendered(&Explain::new(model, &explanation, (since, change.as_ref()), site)?);
    Ok(Representation::new(daily_headers(site, HTML), html))
}

#[derive(Template)]
#[template(path = "explain.html")]
struct Explain<'a> {
    frame: Frame<'a>,
    date: String,
    iso_date: String,
    coverage: Coverage,
    registry: &'a Registry,
    region_id: &'a str,
    name: &'a str,
    coin: &'a Coin,
    /// This page's query, with `since` only if it was requested.
    query: String,
    /// The ids and names of the scopes to choose from.
    choices: Vec<(&'a str, &'a str)>,
    average: Amount,
    explanation: &'a Explanation,
    /// The regions' contributions to the average, the largest region first; only for worldwide costs.
    mean: Option<Vec<&'a RegionContribution>>,
    /// Why the average changed, if the other day has data.
    change: Option<ChangeTable>,
    /// The capital cost and the full cost, if the inputs have `[capital]`.
    capital: Option<[Amount; 2]>,
}

/// Why the average changed since another day.
struct ChangeTable {
    since: String,
    iso_since: String,
    from: Amount,
    total: String,
    rows: Vec<ChangeRow>,
}

/// A factor's effect on the average.
struct ChangeRow {
    label: String,
    /// Its values on both days, if they are the same in all regions.
    values: Option<[String; 2]>,
    effect: String,
    usd: String,
}

impl<'a> Explain<'a> {
    fn new(
        model: &'a Model,
        explanation: &'a Explanation,
        (since, change): (Option<Date>, Option<&CostChange>),
        site: &'a Site,
    ) -> Result<Self, NoFigures> {
        let registry = model.registry();
        let Explanation { scope, day, .. } = explanation;
        let regions = by_size(model, day);
        let scopes = regions.iter().copied().map(Scope::Region);
        let choices = std::iter::once(Scope::Global).chain(scopes);
        let average = explanation.costs.avg_usd;
        let with_capital = |capital: CapitalCost| {
            [capital.capital_usd, capital.full_cost_usd(average)].map(Amount)
        };
        let since = since.map(|since| format!("&since={since}")).unwrap_or_default();
        let region_id = scope.region_id(registry);
        let query = format!("region_id={region_id}&date={}{since}", day.date);
        Ok(Self {
            frame: frame(model, explanation, &query, site)?,
            date: long_date(day.date),
            iso_date: day.date.to_string(),
            coverage: model.coverage(),
            registry,
            region_id,
            name: name_of(*scope, model),
            coin: model.coin(),
            query,
            choices: choices.map(|one| (one.region_id(registry), name_of(one, model))).collect(),
            average: Amount(average),
            explanation,
            mean: (*scope == Scope::Global).then(|| {
                regions.iter().map(|region| &explanation.contributions[region.get()]).collect()
            }),
            change: change.map(ChangeTable::new),
            capital: explanation.capital.map(with_capital),
        })
    }

    /// Converts a number for the template.
    fn quantity(&self, number: impl Into<Quantity>) -> Quantity {
        number.into()
    }

    fn label(&self, kind: CostKind) -> &'static str {
        match kind {
            CostKind::Min => "Minimum",
            CostKind::Avg => "Average",
            CostKind::Max => "Maximum",
        }
    }
}

impl ChangeTable {
    fn new(change: &CostChange) -> Self {
        let row = |part: &FactorChange| ChangeRow {
            label: match factor_label(part.factor) {
                (label, "") => label.into(),
                (label, unit) => format!("{label}, {unit}"),
            },
            values: part.from.zip(part.to).map(|(from, to)| [from, to].map(grouped)),
            effect: match part.change_pct {
                0.0 => "0%".into(),
                percent => signed(format!("{percent:+}%")),
            },
            usd: signed(signed_usd(part.change_usd)),
        };
        Self {
            since: long_date(change.since),
            iso_since: change.since.to_string(),
            from: Amount(change.from_usd),
            total: signed(signed_usd(change.total_usd)),
            rows: change.factors.iter().map(row).collect(),
        }
    }
}

/// Writes a change with its sign: `+1,275.07`.
fn signed_usd(change: UsdChange) -> String {
    let sign = if change.count() > 0 { "+" } else { "" };
    format!("{sign}{}", grouped(change))
}

/// Replaces the hyphen of a negative number with a minus sign.
fn signed(number: String) -> String {
    number.replace('-', "−")
}

fn frame<'a>(
    model: &Model,
    explanation: &Explanation,
    query: &str,
    site: &'a Site,
) -> Result<Frame<'a>, NoFigures> {
    let (name, date) = (name_of(explanation.scope, model), explanation.day.date);
    let path = format!("{}?{query}", paths::EXPLAIN);
    let (written, average) = (long_date(date), explanation.costs.avg_usd);
    let title = format!("{name}: ${} on {}, step by step", Amount(average).rounded(), short(date));
    let average = Amount(average);
    let description = format!(
        "{name} on {written}: mining one {} costs {average} USD on average. The full calculation \
         from difficulty, reward, efficiency and electricity.",
        model.coin().name
    );
    let preview = Preview { title, description, names: vec![name.into()] };
    let provenance = model.provenance(explanation.scope, date)?;
    Ok(Frame::of_figures(site, &path, preview, model, &provenance))
}
