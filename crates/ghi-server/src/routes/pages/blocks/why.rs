//! Why the average moved over the chosen range, by factor.

use askama::Template;
use ghi_display::{Delta, day_before, name_of, signed_percent};
use ghi_engine::{CostFactor, Decimal, FactorChange, NoFigures, Scope, UsdChange};
use jiff::civil::Date;

use crate::edition::Edition;
use crate::http::site::Site;
use crate::routes::pages::view::View;

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

struct FactorBar {
    label: &'static str,
    /// The effect as published.
    plain: UsdChange,
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
        let mut moved = change.factors;
        moved.retain(|part| part.change_usd.count() != 0);
        moved.sort_by_key(|part| std::cmp::Reverse(part.change_usd.count().abs()));
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
            FactorBar {
                label: factor_label(part.factor).0,
                plain: part.change_usd,
                usd: usd_of_part(part.change_usd, &total),
                // A single part is the total, and is rounded like it.
                effect: match moved.len() {
                    1 => total.difference(),
                    _ => signed_percent(part.change_pct, 1),
                },
                from: zero + width.min(0.0),
                width: width.abs().max(0.3),
            }
        };
        let bars: Vec<FactorBar> = moved.iter().map(bar).collect();
        let parts: Vec<String> =
            bars.iter().map(|bar| format!("{} {}", bar.label, bar.effect)).collect();
        let date = day_before(since, today);
        let start = match view.scope {
            Scope::Global => format!("Since {date}"),
            scope => format!("{} since {date}", name_of(scope, model)),
        };
        let sentence = match &*parts {
            [] => format!("Unchanged since {date}."),
            [first, rest @ ..] => {
                let rest: String =
                    rest.iter().map(|part| format!(", {}", part.to_lowercase())).collect();
                format!("{start}: {}. {first}{rest}.", total.difference())
            }
        };
        let region_id = view.scope.region_id(model.registry());
        Ok(Some(Self { prefix: site.prefix(), region_id, since, zero, sentence, bars }))
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
