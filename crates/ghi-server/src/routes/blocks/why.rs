//! Why the average moved over the chosen range, by factor.

use askama::Template;
use ghi_display::{Delta, day_before, name_of, signed_percent};
use ghi_engine::{CostFactor, Decimal, FactorChange, NoFigures, Scope, UsdChange};
use jiff::civil::Date;

use crate::edition::Edition;
use crate::http::site::Site;
use crate::routes::view::View;

/// The change in a scope's average, as a sentence and as bars.
#[derive(Template)]
#[template(path = "blocks/why.html")]
pub(crate) struct WhyBlock<'a> {
    prefix: &'a str,
    region_id: &'a str,
    since: Date,
    sentence: String,
    /// Largest effect first.
    bars: Vec<FactorBar>,
    /// The position of zero in percent.
    zero: f64,
}

/// A factor's effect on the average.
struct FactorBar {
    label: &'static str,
    /// The effect as published.
    plain: String,
    usd: String,
    effect: String,
    /// This and the next are in percent of the width.
    from: f64,
    width: f64,
}

impl<'a> WhyBlock<'a> {
    /// Splits the change since a day. Returns `None` if that day is today.
    pub(crate) fn new(
        edition: &'a Edition,
        view: &View,
        since: Date,
        site: &'a Site,
    ) -> Result<Option<Self>, NoFigures> {
        let (model, today) = (edition.model(), edition.days().today()?.date);
        if since == today {
            return Ok(None);
        }
        let change = model.change(view.scope, since, today)?;
        let moved = change.factors.iter().filter(|part| part.change_usd.count() != 0);
        let mut moved: Vec<&FactorChange> = moved.collect();
        moved.sort_by_key(|part| std::cmp::Reverse(part.change_usd.count().abs()));
        let counts = || moved.iter().map(|part| part.change_usd.count() as f64);
        let [low, high] = [counts().fold(0.0, f64::min), counts().fold(0.0, f64::max)];
        let at = |count: f64| (1_000.0 * (count - low) / (high - low).max(1.0)).round() / 10.0;
        let total = Delta { from: change.from_usd, to: change.to_usd };
        // A single part is the total, and is rounded like it.
        let effect = |part: &FactorChange| match moved.len() {
            1 => total.difference(),
            _ => signed_percent(part.change_pct, 1),
        };
        let bar = |part: &&FactorChange| {
            let count = part.change_usd.count() as f64;
            FactorBar {
                label: factor_label(part.factor).0,
                plain: part.change_usd.to_string(),
                usd: usd_of_part(part.change_usd, &total),
                effect: effect(part),
                from: at(count.min(0.0)),
                width: (at(count.max(0.0)) - at(count.min(0.0))).max(0.3),
            }
        };
        let parts =
            moved.iter().map(|part| format!("{} {}", factor_label(part.factor).0, effect(part)));
        let mut parts: Vec<String> = parts.collect();
        for part in parts.iter_mut().skip(1) {
            *part = part.to_lowercase();
        }
        let end = if parts.is_empty() { "".into() } else { format!(" {}.", parts.join(", ")) };
        let (date, total) = (day_before(since, today), total.difference());
        Ok(Some(Self {
            prefix: site.prefix(),
            region_id: view.scope.region_id(model.registry()),
            since,
            sentence: match view.scope {
                Scope::Global => format!("Since {date}: {total}.{end}"),
                scope => format!("{} since {date}: {total}.{end}", name_of(scope, model)),
            },
            bars: moved.iter().map(bar).collect(),
            zero: at(0.0),
        }))
    }
}

/// Formats a part of a change like the total. A part can be larger than both costs.
fn usd_of_part(part: UsdChange, total: &Delta) -> String {
    let larger = total.from.max(total.to).count() + part.count().unsigned_abs();
    let [from, to] = [larger, larger.saturating_add_signed(part.count())]
        .map(|count| Decimal::new(count, total.from.decimals()));
    Delta { from, to }.usd()
}

/// Returns the name of a factor, and the unit of its values.
pub(crate) fn factor_label(factor: CostFactor) -> (&'static str, &'static str) {
    match factor {
        CostFactor::Difficulty => ("Difficulty", ""),
        CostFactor::BlockReward => ("Block reward", "coins"),
        CostFactor::Efficiency => ("Efficiency", "J/TH"),
        CostFactor::Electricity => ("Electricity", "USD/kWh"),
        CostFactor::Overhead => ("Overhead", ""),
        CostFactor::Shares => ("Hashrate shares", ""),
    }
}
