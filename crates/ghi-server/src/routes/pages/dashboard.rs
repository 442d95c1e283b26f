//! The dashboard: today's costs, with blocks about the cost curve, the history, the regions and the network.

use askama::Template;
use ghi_contract::paths as contract;
use ghi_display::{
    Delta, Range, day_before, duration, hashprice, long_date, rounded, share_in_words, short_date,
    sparkline, with_prefix,
};
use ghi_engine::{
    CostLevels, Costs, Decimal, Economics, NetworkState, NoFigures, Provenance, Scope,
};

use crate::clock::{Clock, Moment};
use crate::edition::{DailyFile, Edition};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::pages::curve::CurveBlock;
use crate::routes::pages::explain::WhyBlock;
use crate::routes::pages::general::{
    Frame, GetData, Preview, daily_page, error_page, page, takes_pages,
};
use crate::routes::pages::history::{ComparisonBlock, HistoryBlock};
use crate::routes::pages::regions::RegionsBlock;
use crate::routes::pages::view::{InvalidChoice, PageInput, View};

pub(crate) fn dashboard(context: &Context<'_>) -> HandlerResult {
    let (view, mut invalid) = View::parse(&context.query, context.model());
    if let Err(problem) = context.query.check_names(context.parameters) {
        let given = String::new();
        invalid.insert(0, InvalidChoice { field: "parameter", problem, given });
    }
    let notice = freshness_notice(context.day.moment, context.clock);
    if !invalid.is_empty() && !takes_pages(context.headers) {
        return Err(invalid.remove(0).problem.varying_by_accept());
    }
    let input = || PageInput::new(context.edition(), context.site, &view, &invalid);
    if let Some(choice) = invalid.first() {
        // The rest of the page stays, and the error is shown next to the field.
        let html = Dashboard::new(&input()?, &notice)?;
        return Ok(error_page(context.site, context.headers, &choice.problem, &html));
    }
    let View { range, scope, .. } = view;
    // Views with more than a range and a scope aren't cached, because there are too many.
    let is_cached = view == (View { range, scope, ..View::DEFAULT });
    let file = is_cached.then_some(DailyFile::Dashboard(scope, range));
    let render =
        |_: &Edition, site: &Site| Ok(daily_page(site, &Dashboard::new(&input()?, &notice)?));
    Ok(page(context.daily_file(file, &notice, render)?))
}

/// Says when the data is next updated, in real time. A stopped clock has a notice of its own.
fn freshness_notice(moment: Moment, clock: &Clock) -> String {
    if clock.is_stopped() {
        return String::new();
    }
    // Rounded up to whole minutes.
    let seconds = moment.seconds_to_midnight().div_ceil(clock.speed());
    let next = duration(seconds.next_multiple_of(60));
    let end = if clock.speed() == 1 { "" } else { " of real time" };
    format!("Updated daily at 00:00 UTC. Next update in {next}{end}.")
}

#[derive(Template)]
#[template(path = "dashboard.html")]
struct Dashboard<'a> {
    frame: Frame<'a>,
    input: PageInput<'a>,
    /// When the data is next updated, unless the clock is stopped.
    notice: &'a str,
    /// Changes in the average, each with the day from which it is measured, such as `yesterday`.
    changes: Vec<(Delta, String)>,
    /// Invalid choices that have no form field.
    invalid: Vec<&'a InvalidChoice>,
    levels: CostLevels,
    get_today: GetData<'a>,
    curve: CurveBlock<'a>,
    why: Option<WhyBlock<'a>>,
    history: HistoryBlock<'a>,
    regions: RegionsBlock<'a>,
    comparison: ComparisonBlock<'a>,
    network: NetworkBlock<'a>,
}

impl<'a> Dashboard<'a> {
    fn new(input: &PageInput<'a>, notice: &'a str) -> Result<Self, NoFigures> {
        let PageInput { edition, model, registry, today, site, view, invalid } = *input;
        let path = format!("{}{}", paths::DASHBOARD, view.query(registry));
        let history = HistoryBlock::new(input, false)?;
        let curve = CurveBlock::new(input)?;
        let yesterday = edition.days().days_ago(1).ok().map(|day| (day.global, "yesterday".into()));
        // The day before the last 30 days.
        let month_ago = edition.past(Scope::Global, Range::Month)?.before();
        let month_ago = month_ago.map(|(date, costs)| (costs, day_before(date, today.date)));
        let change = |(from, since): (Costs, String)| {
            (Delta { from: from.avg_usd, to: today.global.avg_usd }, since)
        };
        let View { price, is_by_cost, .. } = *view;
        let of_curve = View { price, is_by_cost, ..View::DEFAULT }.query(registry);
        let files = vec![
            ("JSON", contract::SNAPSHOT.into()),
            ("CSV", paths::SNAPSHOT_CSV.into()),
            ("SVG", format!("{}{of_curve}", paths::COST_CURVE_CHART)),
        ];
        let without_field =
            |choice: &&InvalidChoice| choice.field != "compare" && !curve.has_field(choice.field);
        let comparison = ComparisonBlock::new(input)?;
        let preview = preview(input, &curve, &comparison, &history);
        Ok(Self {
            frame: Frame::of_figures(site, &path, preview, model, (Scope::Global, today.date))?,
            input: *input,
            notice,
            changes: yesterday.into_iter().chain(month_ago).map(change).collect(),
            invalid: invalid.iter().filter(without_field).collect(),
            levels: model.levels(today)?,
            get_today: GetData { site, of: "today's costs", files },
            why: WhyBlock::new(input, history.chart.own.past.base().0)?,
            history,
            regions: RegionsBlock::new(input, curve.cost)?,
            comparison,
            network: NetworkBlock::new(input)?,
            curve,
        })
    }
}

/// Returns the preview of a link: the reader's place on the cost curve, a comparison, a history, or today's costs.
fn preview(
    input: &PageInput<'_>,
    curve: &CurveBlock<'_>,
    comparison: &ComparisonBlock<'_>,
    history: &HistoryBlock<'_>,
) -> Preview {
    let PageInput { model, today, view, .. } = *input;
    let Costs { min_usd, avg_usd, max_usd } = today.global;
    let date = short_date(today.date);
    let finding = curve.finding().or(comparison.heading());
    if let Some(finding) = finding {
        let description = format!("{finding}, on {date}. See the cost curve and every region.");
        return Preview { title: format!("{finding}, {date}"), description };
    }
    if (view.range, view.scope) != (View::DEFAULT.range, View::DEFAULT.scope) {
        return history.preview("See daily costs and other regions.");
    }
    let [min, avg, max] = [min_usd, avg_usd, max_usd].map(rounded);
    let (date, coin) = (long_date(today.date), &*model.coin().name);
    Preview {
        title: format!("Cost of mining one {coin}: ${avg} on {date}"),
        description: format!(
            "Worldwide on {date}: average ${avg}, minimum ${min}, maximum ${max}. By region, with \
         history and forecast."
        ),
    }
}

/// The network and, if there is a price, mining margins, each with its last 30 days.
#[derive(Template)]
#[template(path = "blocks/network.html")]
struct NetworkBlock<'a> {
    input: PageInput<'a>,
    economics: Vec<FigureTile>,
    network: Vec<FigureTile>,
    has_synthetic_price: bool,
    /// A sentence about the next retarget. Empty if every block adjusts the difficulty.
    retarget: String,
}

struct FigureTile {
    label: &'static str,
    plain: Decimal,
    text: String,
    unit: String,
    sparkline: String,
}

impl<'a> NetworkBlock<'a> {
    fn new(input: &PageInput<'a>) -> Result<Self, NoFigures> {
        let PageInput { edition, model, today, view, .. } = *input;
        let retarget = match model.next_retarget(today) {
            Some((date, estimate)) => {
                let [from, to] = [today.network.difficulty, estimate].map(|n| Decimal::new(n, 0));
                format!(
                    "Next retarget on {}. At today's hashrate, the difficulty would be {} ({}).",
                    long_date(date),
                    with_prefix(estimate as f64),
                    Delta { from, to }.difference()
                )
            }
            None if model.has_series() && model.outlook(today.date).retarget.is_none() => {
                "The next retarget can't be estimated from the operator's data.".into()
            }
            None => String::new(),
        };
        let past = edition.past(Scope::Global, Range::Month)?;
        let dates = past.points.iter().map(|day| day.0);
        let economics = |date| {
            let day = model.day(date).ok()?;
            model.economics(&day, view.price.or(day.network.price_usd)?).ok()
        };
        let priced: Vec<Economics> = dates.clone().filter_map(economics).collect();
        let states: Vec<NetworkState> = dates.filter_map(|date| model.network(date).ok()).collect();
        // What the model adds to an operator's data is marked. On other servers, all figures have the same origin.
        let generated = match model.provenance(Scope::Global, today.date)? {
            Provenance::Mixed(generated) => generated,
            _ => Vec::new(),
        };
        Ok(Self {
            input: *input,
            economics: economics_tiles(&priced).into_iter().flatten().collect(),
            has_synthetic_price: generated.contains(&"price"),
            network: network_tiles(&states, &generated).into_iter().flatten().collect(),
            retarget,
        })
    }
}

/// Returns the tiles for the last of these days, given the names of the data that the model generates.
fn network_tiles(days: &[NetworkState], generated: &[&str]) -> [Option<FigureTile>; 3] {
    let origin = |name| if generated.contains(&name) { "synthetic".into() } else { String::new() };
    let hashrate = |eh: Decimal| (with_prefix(eh.to_f64() * 1e18) + "H/s", origin("hashrate"));
    let difficulty = |value: Decimal| (with_prefix(value.to_f64()), origin("difficulty"));
    let fee = |usd| (format!("${}", rounded(usd)), origin("fee"));
    [
        tile("Hashrate", days, |day| day.hashrate_eh, hashrate),
        tile("Difficulty", days, |day| Decimal::new(day.difficulty, 0), difficulty),
        tile("Average fee", days, |day| day.avg_fee_usd, fee),
    ]
}

fn economics_tiles(days: &[Economics]) -> [Option<FigureTile>; 3] {
    let above = |day: &Economics| Decimal::new(10_000 - day.hashrate_below_price_pct.count(), 2);
    let ratio = |value: Decimal| match value.to_f64() {
        ratio @ 0.1..1e3 => (format!("{ratio:.2}×"), String::new()),
        _ => (format!("{}×", rounded(value)), String::new()),
    };
    let percent = |value| (share_in_words(value, "100%", "0%"), "of hashrate".into());
    [
        tile("Price / cost", days, |day| day.price_to_cost, ratio),
        tile("Hashprice", days, |day| day.hashprice_usd_per_ph_day, hashprice),
        tile("Unprofitable", days, above, percent),
    ]
}

/// Returns a tile with the last day's figure, if there is one. `write` returns a figure and its unit.
fn tile<T>(
    label: &'static str,
    days: &[T],
    pick: impl Fn(&T) -> Decimal,
    write: impl Fn(Decimal) -> (String, String),
) -> Option<FigureTile> {
    let figures: Vec<Decimal> = days.iter().map(pick).collect();
    let plain = *figures.last()?;
    let (text, unit) = write(plain);
    Some(FigureTile { label, plain, text, unit, sparkline: sparkline(&figures) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_update_is_in_real_time() {
        let noon: Moment = "2026-11-15T12:00:00Z".parse().unwrap();
        for (speed, next) in
            [(1, "12 h 0 min"), (2, "6 h 0 min of real time"), (1440, "1 min of real time")]
        {
            let clock = Clock::running(noon, speed);
            let notice = format!("Updated daily at 00:00 UTC. Next update in {next}.");
            assert_eq!(freshness_notice(noon, &clock), notice);
        }
    }
}
