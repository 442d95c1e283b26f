//! Why the average moved over the chosen range, by factor.

use askama::Template;
use ghi_display::{Delta, day_before, name_of, signed_percent};
use ghi_engine::{CostFactor, Decimal, FactorChange, NoFigures, Scope, UsdChange};
use jiff::civil::Date;

use crate::edition::Edition;
use crate::http::site::Site;
use crate::routes::pages::view::View;

/// The change in a scope's average, as a sentence and as bars.
#[derive(Template)]
#[template(path = "blocks/why.html")]
pub(crate) struct WhyBlock<'a> {
    prefix: &'a str,
    region_id: &'a str,
    since: Date,
    sentence: String,
    /// The position of zero in percent of the width.
    zero: f64,
    /// Largest effect first.
    bars: Vec<FactorBar>,
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
        let largest = moved.first().map_or(1, |part| part.change_usd.count().unsigned_abs()) as f64;
        let total = Delta { from: change.from_usd, to: change.to_usd };
        // A single part is the total, and is rounded like it.
        let effect = |part: &FactorChange| match moved.len() {
            1 => total.difference(),
            _ => signed_percent(part.change_pct, 1),
        };
        // Zero is in the middle, unless all bars have the same direction.
        let has = |is_drop| moved.iter().any(|part| (part.change_usd.count() < 0) == is_drop);
        let zero = match (has(true), has(false)) {
            (true, true) => 50.0,
            (true, false) => 100.0,
            (false, _) => 0.0,
        };
        let bar = |part: &&FactorChange| {
            let size = if zero == 50.0 { 500.0 } else { 1_000.0 };
            let width = (size * part.change_usd.count() as f64 / largest).round() / 10.0;
            FactorBar {
                label: factor_label(part.factor).0,
                plain: part.change_usd.to_string(),
                usd: usd_of_part(part.change_usd, &total),
                effect: effect(part),
                from: zero + width.min(0.0),
                width: width.abs().max(0.3),
            }
        };
        let parts =
            moved.iter().map(|part| format!("{} {}", factor_label(part.factor).0, effect(part)));
        let mut parts: Vec<String> = parts.collect();
        for part in parts.iter_mut().skip(1) {
            *part = part.to_lowercase();
        }
        let (date, parts) = (day_before(since, today), parts.join(", "));
        let sentence = match (view.scope, &*parts) {
            (_, "") => format!("Unchanged since {date}."),
            (Scope::Global, _) => format!("Since {date}: {}. {parts}.", total.difference()),
            (scope, _) => {
                let (name, total) = (name_of(scope, model), total.difference());
                format!("{name} since {date}: {total}. {parts}.")
            }
        };
        Ok(Some(Self {
            prefix: site.prefix(),
            region_id: view.scope.region_id(model.registry()),
            since,
            zero,
            sentence,
            bars: moved.iter().map(bar).collect(),
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
