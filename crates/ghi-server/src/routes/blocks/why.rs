//! Why the average moved over the chosen range, by factor.

use askama::Template;
use ghi_display::{Delta, day_before, name_of, signed_percent};
use ghi_engine::{CostFactor, Decimal, FactorChange, NoFigures, Scope};
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
    /// In percent of the width.
    from: f64,
    width: f64,
}

impl<'a> WhyBlock<'a> {
    /// Splits the change since a day. None on that day.
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
        let part_of = |part: &FactorChange| {
            let count = change.from_usd.count().saturating_add_signed(part.change_usd.count());
            Decimal::new(count, change.from_usd.decimals())
        };
        let bar = |part: &&FactorChange| {
            let count = part.change_usd.count() as f64;
            FactorBar {
                label: label(part.factor),
                plain: part.change_usd.to_string(),
                usd: Delta { from: change.from_usd, to: part_of(part) }.usd(),
                effect: signed_percent(part.change_pct, 1),
                from: at(count.min(0.0)),
                width: (at(count.max(0.0)) - at(count.min(0.0))).max(0.3),
            }
        };
        let total = Delta { from: change.from_usd, to: change.to_usd }.difference();
        let parts = moved.iter().map(|part| {
            format!("{} {}", label(part.factor).to_lowercase(), signed_percent(part.change_pct, 1))
        });
        let parts = parts.collect::<Vec<_>>().join(", ");
        let end = match parts.split_at_checked(1) {
            Some((first, rest)) => format!(" {}{rest}.", first.to_uppercase()),
            None => String::new(),
        };
        let date = day_before(since, today);
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

fn label(factor: CostFactor) -> &'static str {
    match factor {
        CostFactor::Difficulty => "Difficulty",
        CostFactor::BlockReward => "Block reward",
        CostFactor::Efficiency => "Efficiency",
        CostFactor::Electricity => "Electricity",
        CostFactor::Overhead => "Overhead",
        CostFactor::Shares => "Hashrate shares",
    }
}
