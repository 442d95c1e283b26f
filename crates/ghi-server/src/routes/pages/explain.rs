//! The page that shows how the costs of a day are calculated.

use askama::Template;
use ghi_display::{
    Amount, Percent, STEPS, by_size, grouped, long_date, name_of, short_date as short,
};
use ghi_engine::{
    CostChange, CostKind, Explanation, FactorChange, Model, NoFigures, RegionIndex, Registry,
    Scope, UsdChange,
};
use jiff::ToSpan;
use jiff::civil::Date;

use crate::edition::DailyFile;
use crate::http::caching::{Representation, daily_headers};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::files::explain_files::{ExplainedDays, explained};
use crate::routes::pages::blocks::why::factor_label;
use crate::routes::pages::frame::{Frame, Preview};
use crate::routes::pages::general::{HTML, page, rendered};

/// The number of days over which the change is explained by default.
const DEFAULT_SINCE_DAYS: i64 = 30;

pub(crate) fn explain(context: &Context<'_>) -> HandlerResult {
    Ok(page(explained(context, DailyFile::Explain, page_of)?))
}

fn page_of(model: &Model, site: &Site, days: ExplainedDays) -> Result<Representation, NoFigures> {
    let (scope, date, since) = days;
    let explanation = &model.explain(scope, date)?;
    let change = match since {
        Some(since) => Some(model.change(scope, since, date)?),
        None => model.change(scope, date.saturating_sub(DEFAULT_SINCE_DAYS.days()), date).ok(),
    };
    let region_id = scope.region_id(model.registry());
    let since = since.map(|since| format!("&since={since}")).unwrap_or_default();
    let query = format!("region_id={region_id}&date={date}{since}");
    let html = rendered(&Explain {
        frame: frame(model, explanation, &query, site)?,
        model,
        registry: model.registry(),
        region_id,
        name: name_of(scope, model),
        query,
        date,
        regions: by_size(model, &explanation.day),
        average: Amount(explanation.costs.avg_usd),
        explanation,
        is_worldwide: scope == Scope::Global,
        change,
    });
    Ok(Representation::new(daily_headers(site, HTML), html))
}

#[derive(Template)]
#[template(path = "explain.html")]
struct Explain<'a> {
    frame: Frame<'a>,
    model: &'a Model,
    registry: &'a Registry,
    region_id: &'a str,
    name: &'a str,
    /// This page's query, with `since` only if it was requested.
    query: String,
    date: Date,
    /// The largest first.
    regions: Vec<RegionIndex>,
    average: Amount,
    explanation: &'a Explanation,
    is_worldwide: bool,
    /// Why the average changed, if the other day has data.
    change: Option<CostChange>,
}

/// Returns the name of a factor, with the unit of its values.
fn factor_with_unit(part: &FactorChange) -> String {
    match factor_label(part.factor) {
        (label, "") => label.into(),
        (label, unit) => format!("{label}, {unit}"),
    }
}

/// Writes an effect with its sign: `+1.25%`, `0%`.
fn signed_percent(percent: f64) -> String {
    if percent == 0.0 { "0%".into() } else { format!("{percent:+}%").replace('-', "−") }
}

/// Writes a change with its sign: `+1,275.07`.
fn signed_usd(change: UsdChange) -> String {
    let sign = if change.count() > 0 { "+" } else { "" };
    format!("{sign}{}", grouped(change)).replace('-', "−")
}

fn frame<'a>(
    model: &Model,
    explanation: &Explanation,
    query: &str,
    site: &'a Site,
) -> Result<Frame<'a>, NoFigures> {
    let (name, date) = (name_of(explanation.scope, model), explanation.day.date);
    let average = Amount(explanation.costs.avg_usd);
    let preview = Preview {
        title: format!("{name}: ${} on {}, step by step", average.rounded(), short(date)),
        description: format!(
            "{name} on {}: mining one {} costs {average} USD on average. The full calculation \
             from difficulty, reward, efficiency and electricity.",
            long_date(date),
            model.coin().name
        ),
        names: vec![name.into()],
    };
    let provenance = model.provenance(explanation.scope, date)?;
    let path = format!("{}?{query}", paths::EXPLAIN);
    Ok(Frame::of_figures(site, &path, preview, model, &provenance))
}
