//! The preview of a link to the dashboard, which depends on the view.

use ghi_display::{Amount, grouped, long_date, short_date};
use ghi_engine::{Costs, NoFigures, RegionIndex};

use crate::edition::Edition;
use crate::routes::blocks::comparison::ComparisonBlock;
use crate::routes::blocks::curve::CurveBlock;
use crate::routes::blocks::history::HistoryBlock;
use crate::routes::blocks::regions::found;
use crate::routes::frame::Preview;
use crate::routes::view::View;

/// Returns the preview of a view: the reader's place on the cost curve, a comparison, a search, a scope's
/// history, or otherwise today's costs.
pub(crate) fn preview(
    edition: &Edition,
    view: &View,
    history: &HistoryBlock<'_>,
    comparison: &ComparisonBlock<'_>,
    curve: &CurveBlock<'_>,
) -> Result<Preview, NoFigures> {
    let today = edition.days().today()?;
    let Costs { min_usd, avg_usd, max_usd } = today.global;
    let (date, coin) = (short_date(today.date), &*edition.model().coin().name);
    if let Some(finding) = curve.finding(view) {
        return Ok(Preview {
            title: format!("{finding}, {date}"),
            description: format!("{finding}, on {date}. See the cost curve and every region."),
            names: Vec::new(),
        });
    }
    if let Some(preview) = comparison.preview(&date) {
        return Ok(preview);
    }
    if !view.find.is_empty() {
        return of_search(edition, &view.find, &date);
    }
    if (view.range, view.scope) != (View::DEFAULT.range, View::DEFAULT.scope) {
        return Ok(history.preview("See every day, and other regions."));
    }
    let [min, avg, max] = [min_usd, avg_usd, max_usd].map(|cost| Amount(cost).rounded());
    let date = long_date(today.date);
    Ok(Preview {
        title: format!("Cost of mining one {coin}: ${avg} on {date}"),
        description: format!(
            "${avg} on average worldwide, from ${min} to ${max}, on {date}. By region, with \
             history and forecast."
        ),
        names: Vec::new(),
    })
}

fn of_search(edition: &Edition, text: &str, date: &str) -> Result<Preview, NoFigures> {
    let (registry, today) = (edition.model().registry(), edition.days().today()?);
    let regions = found(registry, text);
    let average = |region: &RegionIndex| today.regions[region.get()].avg_usd;
    let [lowest, highest] = [regions.iter().map(average).min(), regions.iter().map(average).max()]
        .map(|cost| cost.map(|cost| Amount(cost).rounded()));
    let costs = match (lowest, highest) {
        (Some(lowest), Some(highest)) if lowest != highest => {
            format!("from ${lowest} to ${highest}")
        }
        (Some(cost), _) => format!("${cost}"),
        (None, _) => "none".into(),
    };
    let [count, all] = [regions.len(), registry.regions().len()].map(grouped);
    Ok(Preview {
        title: format!("Regions with “{text}”: {costs} on {date}"),
        description: format!("{count} of {all} regions match “{text}” on {date}: {costs}."),
        names: vec![text.into()],
    })
}
