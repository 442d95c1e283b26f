//! What a link to the dashboard says where it is pasted: what its view shows.

use ghi_display::{Amount, Delta, grouped};
use ghi_engine::{Decimal, NoFigures, RegionIndex};

use crate::edition::Edition;
use crate::routes::blocks::calculation::Calculation;
use crate::routes::blocks::comparison::Comparison;
use crate::routes::blocks::history::History;
use crate::routes::blocks::regions_shown::found;
use crate::routes::preview::{Preview, short};
use crate::routes::view::View;

/// How many regions that were searched for are named.
const REGIONS_NAMED: usize = 3;

/// What a link to a view says: what it shows that others do not: a result of the calculator, a comparison, a search, or
/// the movement of a scope over a range.
pub(crate) fn preview(
    edition: &Edition,
    view: &View,
    history: &History<'_>,
    comparison: &Comparison<'_>,
    calculation: &Calculation<'_>,
) -> Result<Preview, NoFigures> {
    let today = edition.days().today()?;
    let date = short(today.date);
    if !view.what_if.is_none() {
        return Ok(of_calculation(calculation, today.global.avg_usd, &date));
    }
    if let Some(preview) = comparison.preview(&date) {
        return Ok(preview);
    }
    if !view.find.is_empty() {
        return of_search(edition, &view.find);
    }
    if (view.range, view.scope) != (View::DEFAULT.range, View::DEFAULT.scope) {
        return Ok(history.preview("Every day, beside other regions."));
    }
    let [min, avg, max] = [today.global.min_usd, today.global.avg_usd, today.global.max_usd]
        .map(|cost| Amount(cost).rounded());
    let date = today.date.strftime("%-d %B %Y");
    Ok(Preview {
        title: format!("Cost of mining one coin: ${avg} on {date}"),
        description: format!(
            "${avg} on average worldwide, from ${min} to ${max}, on {date}. By region, with \
             history and forecast."
        ),
        names: Vec::new(),
    })
}

fn of_calculation(calculation: &Calculation<'_>, worldwide: Decimal, date: &str) -> Preview {
    let with = calculation.changed();
    let (title, costs) = match calculation.cost {
        Some(cost) => {
            let percent = Delta { from: worldwide, to: cost }.difference();
            let cost = Amount(cost).rounded();
            let title =
                format!("What if: ${cost} to mine one coin, {percent} from worldwide, {date}");
            (title, format!("mining one coin costs ${cost}"))
        }
        None => (
            format!("What if: no figure with these numbers, {date}"),
            "mining one coin costs more than a figure can be".into(),
        ),
    };
    let description = format!(
        "With {with}, and otherwise the numbers of {date} ({}), {costs}. The worldwide average is ${}.",
        calculation.name,
        Amount(worldwide).rounded()
    );
    Preview { title, description, names: Vec::new() }
}

fn of_search(edition: &Edition, text: &str) -> Result<Preview, NoFigures> {
    let (registry, today) = (edition.model().registry(), edition.days().today()?);
    let (regions, date) = (found(registry, text), short(today.date));
    let average = |region: &RegionIndex| today.regions[region.get()].avg_usd;
    let all = grouped(registry.regions().len() as u64);
    let count = grouped(regions.len() as u64);
    let lowest = regions.iter().map(average).min();
    let title = match (lowest, regions.iter().map(average).max()) {
        (Some(lowest), Some(highest)) if lowest < highest => format!(
            "Regions with “{text}”: from ${} to ${} on {date}",
            Amount(lowest).rounded(),
            Amount(highest).rounded()
        ),
        (Some(cost), _) => format!("Regions with “{text}”: ${} on {date}", Amount(cost).rounded()),
        _ => format!("Regions with “{text}”: none on {date}"),
    };
    let named = regions
        .iter()
        .take(REGIONS_NAMED)
        .map(|region| format!("{} ${}", registry[*region].name, Amount(average(region)).rounded()));
    let mut named = named.collect::<Vec<_>>().join(", ");
    if regions.len() > REGIONS_NAMED {
        named.push_str(" and more");
    }
    let costs = if named.is_empty() { String::new() } else { format!(": {named}") };
    let description = format!("{count} of {all} regions match “{text}” on {date}{costs}.");
    Ok(Preview { title, description, names: vec![text.into()] })
}
