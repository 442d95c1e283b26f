//! How costs are calculated, on a page of its own, and why the average moved, also as a block of the dashboard.

use std::cmp::Reverse;

use askama::Template;
use ghi_display::{
    Delta, STEPS, by_size, day_before, grouped, long_date, name_of, rounded, short_date,
    signed_percent, step_values,
};
use ghi_engine::{
    CostCase, CostChange, CostFactor, CostKind, Decimal, Explanation, FactorChange, Model,
    NoFigures, RegionIndex, Scope, UsdChange,
};
use jiff::ToSpan;
use jiff::civil::Date;

use crate::edition::DailyFile;
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::files::explain_files::{ExplainedDays, explained};
use crate::routes::pages::general::{Frame, Preview, daily_page, page};
use crate::routes::pages::view::PageInput;

const DEFAULT_SINCE_DAYS: i64 = 30;

pub(crate) fn explain(context: &Context<'_>) -> HandlerResult {
    let response = explained(context, DailyFile::Explain, |model, site, days| {
        Ok(daily_page(site, &ExplainPage::new(model, site, days)?))
    })?;
    Ok(page(response))
}

#[derive(Template)]
#[template(path = "explain.html")]
struct ExplainPage<'a> {
    frame: Frame<'a>,
    model: &'a Model,
    region_id: &'a str,
    name: &'a str,
    /// This page's query, with `since` only if it was requested.
    query: String,
    /// The largest first.
    regions: Vec<RegionIndex>,
    explanation: Explanation,
    values: Vec<[String; STEPS.len()]>,
    /// Why the average changed, if the other day has data.
    change: Option<CostChange>,
}

impl<'a> ExplainPage<'a> {
    fn new(model: &'a Model, site: &'a Site, days: ExplainedDays) -> Result<Self, NoFigures> {
        let (scope, date, since) = days;
        let explanation = model.explain(scope, date)?;
        let change = match since {
            Some(since) => Some(model.change(scope, since, date)?),
            None => model.change(scope, date.saturating_sub(DEFAULT_SINCE_DAYS.days()), date).ok(),
        };
        let (region_id, name) = (scope.region_id(model.registry()), name_of(scope, model));
        let since = since.map(|since| format!("&since={since}")).unwrap_or_default();
        let query = format!("region_id={region_id}&date={date}{since}");
        let average = explanation.costs.avg_usd;
        let value = |case: &CostCase| step_values(&explanation, case);
        let preview = Preview {
            title: format!("{name}: ${} on {}, step by step", rounded(average), short_date(date)),
            description: format!(
                "{name} on {}: mining one {} costs {} USD on average. The full calculation from \
                 difficulty, reward, efficiency and electricity.",
                long_date(date),
                model.coin().name,
                grouped(average)
            ),
        };
        let path = format!("{}?{query}", paths::EXPLAIN);
        Ok(Self {
            frame: Frame::of_figures(site, &path, preview, model, (scope, date))?,
            model,
            region_id,
            name,
            query,
            regions: by_size(model, &explanation.day),
            values: explanation.cases.iter().map(value).collect(),
            explanation,
            change,
        })
    }
}

/// Returns the name of a factor, and its unit as it follows the name.
fn factor_label(factor: CostFactor) -> (&'static str, &'static str) {
    match factor {
        CostFactor::Difficulty => ("Difficulty", ""),
        CostFactor::BlockReward => ("Block reward", ", coins"),
        CostFactor::Efficiency => ("Efficiency", ", J/TH"),
        CostFactor::Electricity => ("Electricity", ", USD/kWh"),
        CostFactor::Overhead => ("Overhead", ""),
        CostFactor::Shares => ("Hashrate shares", ""),
    }
}

/// Writes an effect with its sign and all digits: `+1.25%`, `0%`.
fn exact_percent(percent: f64) -> String {
    if percent == 0.0 { "0%".into() } else { format!("{percent:+}%").replace('-', "−") }
}

/// Writes a change with its sign: `+1,275.07`.
fn signed_usd(change: UsdChange) -> String {
    let sign = if change.count() > 0 { "+" } else { "" };
    format!("{sign}{}", grouped(change)).replace('-', "−")
}

/// Why the average moved over the chosen range, by factor.
#[derive(Template)]
#[template(path = "blocks/why.html")]
pub(crate) struct WhyBlock<'a> {
    input: PageInput<'a>,
    since: Date,
    sentence: String,
    /// The position of zero in percent of the width.
    zero: f64,
    /// Largest effect first.
    bars: Vec<FactorBar>,
}

struct FactorBar {
    label: &'static str,
    plain: UsdChange,
    usd: String,
    effect: String,
    /// This and the next are in percent of the width.
    from: f64,
    width: f64,
}

impl<'a> WhyBlock<'a> {
    /// Splits the change since a day. Returns `None` if that day is today.
    pub(crate) fn new(input: &PageInput<'a>, since: Date) -> Result<Option<Self>, NoFigures> {
        let PageInput { model, view, .. } = *input;
        let today = input.today.date;
        if since == today {
            return Ok(None);
        }
        let change = model.change(view.scope, since, today)?;
        let mut moved = change.factors;
        moved.retain(|part| part.change_usd.count() != 0);
        moved.sort_by_key(|part| Reverse(part.change_usd.count().abs()));
        let total = Delta { from: change.from_usd, to: change.to_usd };
        // Zero is in the middle, unless all bars have the same direction.
        let has = |is_drop| moved.iter().any(|part| (part.change_usd.count() < 0) == is_drop);
        let [zero, longest] = match (has(true), has(false)) {
            (true, true) => [50.0, 50.0],
            (true, false) => [100.0, 100.0],
            (false, _) => [0.0, 100.0],
        };
        let largest = moved.first().map_or(1, |part| part.change_usd.count().abs()) as f64;
        let bar = |part: &FactorChange| {
            let count = part.change_usd.count() as f64;
            let width = (10.0 * longest * count / largest).round() / 10.0;
            // Rounded like the total. A part can be larger than both costs.
            let larger = total.from.max(total.to).count() + part.change_usd.count().unsigned_abs();
            let [from, to] = [larger, larger.saturating_add_signed(part.change_usd.count())]
                .map(|count| Decimal::new(count, total.from.decimals()));
            FactorBar {
                label: factor_label(part.factor).0,
                plain: part.change_usd,
                usd: Delta { from, to }.usd(),
                effect: signed_percent(part.change_pct, 1),
                from: zero + width.min(0.0),
                width: width.abs().max(0.3),
            }
        };
        let bars: Vec<FactorBar> = moved.iter().map(bar).collect();
        let date = day_before(since, today);
        let start = match view.scope {
            Scope::Global => format!("Since {date}"),
            scope => format!("{} since {date}", name_of(scope, model)),
        };
        let parts = bars.iter().enumerate().map(|(index, bar)| match index {
            0 => format!("{} {}", bar.label, bar.effect),
            _ => format!(", {} {}", bar.label, bar.effect).to_lowercase(),
        });
        let sentence = match bars.is_empty() {
            true => format!("Unchanged since {date}."),
            false => format!("{start}: {}. {}.", total.difference(), parts.collect::<String>()),
        };
        Ok(Some(Self { input: *input, since, zero, sentence, bars }))
    }
}
