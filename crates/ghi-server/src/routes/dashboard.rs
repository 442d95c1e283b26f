//! The dashboard: today's costs, their history, the regions, the calculation and the forecast.

use std::sync::Arc;

use askama::Template;
use ghi_contract::{ForecastDays, paths as contract};
use ghi_display::{Amount, Delta, duration, extremes, long_date, range_bar};
use ghi_engine::{Costs, Day, Decimal, NoFigures, Scope};

use crate::clock::{Clock, Moment, Speed};
use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Cacheable, Representation};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::blocks::calculation::CalculationBlock;
use crate::routes::blocks::comparison::ComparisonBlock;
use crate::routes::blocks::get_data::GetData;
use crate::routes::blocks::history::HistoryBlock;
use crate::routes::blocks::regions::RegionsBlock;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::dashboard_preview::preview;
use crate::routes::frame::Frame;
use crate::routes::pages::{HTML, page, problem_page, rendered};
use crate::routes::view::View;

/// Serves the dashboard with the reader's choices. Browsers receive errors as pages.
pub(crate) fn dashboard(context: &Context<'_>) -> HandlerResult {
    of_today(context).or_else(|problem| problem_page(context, problem))
}

fn of_today(context: &Context<'_>) -> HandlerResult {
    let view = View::parse(&context.query, context.registry())?;
    let notice = freshness_notice(context.day.moment(), context.clock);
    let make = |edition: &Edition| page_of_day(edition, context.site, &view);
    let response = match file(&view) {
        Some(file) => context.daily_file(file, notice.as_bytes(), make)?,
        None => context.daily(&make(context.edition())?, notice.as_bytes()),
    };
    Ok(page(response))
}

/// Renders the page that most people open.
pub(crate) fn warm(edition: &Edition, site: &Site) {
    let view = View::DEFAULT;
    if let Some(file) = file(&view) {
        edition.files.warm(file, || page_of_day(edition, site, &view));
    }
}

/// Returns the cache key of a page. Views with more than a range and a scope aren't cached, because there
/// are too many.
fn file(view: &View) -> Option<DailyFile> {
    let View { range, scope, .. } = *view;
    let is_cached = *view == View { range, scope, ..View::DEFAULT };
    is_cached.then_some(DailyFile::Dashboard(scope, range))
}

/// Renders the page, with a slot for the freshness notice.
fn page_of_day(edition: &Edition, site: &Site, view: &View) -> Result<Representation, NoFigures> {
    let html = rendered(&Dashboard::new(edition, view, site)?);
    let (before, after) = html.split_once(NOTICE_SLOT).unwrap_or((&html, ""));
    let headers = Arc::new(Cacheable::daily(site, HTML));
    Ok(Representation::with_visible_slot(headers, before.to_owned() + after, before.len()))
}

/// Marks the place of the freshness notice. No region's name contains this character.
const NOTICE_SLOT: &str = "\0";

/// Returns the sentence that changes from minute to minute: when the data is next updated, in real time.
fn freshness_notice(moment: Moment, clock: &Clock) -> String {
    if clock.is_stopped() {
        return "<p>The clock is stopped, so the data won't change.</p>".into();
    }
    let (remaining, speed) = (moment.seconds_to_midnight(), clock.speed());
    let next = match remaining / speed.get() {
        // Rounded up to whole minutes.
        seconds if speed == Speed::REAL => duration(seconds.next_multiple_of(60)),
        0 => "less than 1 s of real time".into(),
        seconds @ 1..60 => format!("{seconds} s of real time"),
        seconds => format!("{} of real time", duration(seconds)),
    };
    format!("<p>Updated daily at 00:00 UTC. Next update in {next}.</p>")
}

#[derive(Template)]
#[template(path = "dashboard.html")]
struct Dashboard<'a> {
    frame: Frame<'a>,
    has_series: bool,
    date: String,
    iso_date: String,
    /// Minimum, average, maximum.
    costs: [Amount; 3],
    /// The regions with the lowest minimum and the highest maximum.
    extremes: [&'a str; 2],
    /// Changes of the average, and since when.
    changes: Vec<(Delta, String)>,
    range_bar: String,
    get_today: GetData,
    history: HistoryBlock<'a>,
    regions: RegionsBlock<'a>,
    comparison: ComparisonBlock<'a>,
    calculation: CalculationBlock<'a>,
    hashrate: Amount,
    difficulty: Amount,
    fee: Amount,
    get_network: GetData,
    forecast_days: u16,
    /// The change from today's average.
    forecast: Delta,
    get_forecast: GetData,
}

impl<'a> Dashboard<'a> {
    fn new(edition: &'a Edition, view: &View, site: &'a Site) -> Result<Self, NoFigures> {
        let (model, days) = (edition.model(), edition.days());
        let today = days.today()?;
        let Costs { min_usd, avg_usd, max_usd } = today.global;
        let path = format!("{}{}", paths::DASHBOARD, view.query(model.registry()));
        let history = HistoryBlock::new(edition, view, site, false)?;
        let comparison = ComparisonBlock::new(edition, view, site)?;
        let calculation = CalculationBlock::new(edition, view, site)?;
        let provenance = model.provenance(Scope::Global, today.date)?;
        let preview = preview(edition, view, &history, &comparison, &calculation)?;
        let since =
            |day: &Day, since: String| (Delta { from: day.global.avg_usd, to: avg_usd }, since);
        let yesterday = days.yesterday().ok().map(|day| since(day, "since yesterday".into()));
        let week_ago = days.week_ago().ok();
        let week_ago =
            week_ago.map(|day| since(day, day.date.strftime("since %-d %b").to_string()));
        let network_csv = format!("{}?range=90d", paths::NETWORK_CSV);
        let document = |of, json, csv: Option<&str>| GetData::document(site, of, json, csv, None);
        Ok(Self {
            frame: Frame::of_figures(site, &path, preview, model, &provenance),
            has_series: model.has_series(),
            date: long_date(today.date),
            iso_date: today.date.to_string(),
            costs: [min_usd, avg_usd, max_usd].map(Amount),
            extremes: extremes(model, today).map(|region| &*model.registry()[region].name),
            changes: yesterday.into_iter().chain(week_ago).collect(),
            range_bar: range_bar(&today.global),
            get_today: document("today's costs", contract::SNAPSHOT, Some(paths::SNAPSHOT_CSV)),
            history,
            regions: RegionsBlock::new(edition, view, calculation.yours(), site)?,
            comparison,
            calculation,
            hashrate: Amount(today.network.hashrate_eh),
            difficulty: Amount(Decimal::new(today.network.difficulty, 0)),
            fee: Amount(today.network.avg_fee_usd),
            get_network: document("the network", contract::NETWORK, Some(&network_csv)),
            forecast_days: ForecastDays::DEFAULT,
            forecast: Delta { from: avg_usd, to: model.forecast_avg_usd(today) },
            get_forecast: document("the forecast", contract::FORECAST, None),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_update_is_in_real_time() {
        let noon: Moment = "2026-11-15T12:00:00Z".parse().unwrap();
        for (speed, next) in
            [(1, "12 h 0 min"), (2, "6 h 0 min of real time"), (1440, "30 s of real time")]
        {
            let clock = Clock::running(noon, Speed::new(speed).unwrap());
            let notice = format!("<p>Updated daily at 00:00 UTC. Next update in {next}.</p>");
            assert_eq!(freshness_notice(noon, &clock), notice);
        }
        let fastest = Clock::running(noon, Speed::MAX);
        assert!(freshness_notice(noon, &fastest).contains("less than 1 s of real time"));
    }
}
