//! The page of a region: its costs today, its history, and what sets it apart.

use askama::Template;
use ghi_contract::paths as contract;
use ghi_display::{Amount, Delta, Percent, Quantity, range_bar, signed_percent};
use ghi_engine::{
    Day, DisplayNumber, MeanMiner, Model, NoFigures, RegionIndex, RegisteredRegion, Scope,
};

use crate::edition::{DailyFile, Edition, Range};
use crate::http::caching::{Cacheable, Representation};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::blocks::get_data::GetData;
use crate::routes::blocks::history::{History, Place};
use crate::routes::context::{Context, HandlerResult};
use crate::routes::frame::Frame;
use crate::routes::pages::{HTML, page, problem_page};
use crate::routes::parameters::{range, region_of_path};
use crate::routes::rank::rank;
use crate::routes::view::{DEFAULT_RANGE, View};

/// A region. A browser gets a page about what was wrong.
pub(crate) fn region(context: &Context<'_>) -> HandlerResult {
    of_today(context).or_else(|problem| problem_page(context, problem))
}

fn of_today(context: &Context<'_>) -> HandlerResult {
    let region = region_of_path(context.path_parameter("id"), context.registry())?;
    let range = range(&context.query)?.unwrap_or(DEFAULT_RANGE);
    let file = DailyFile::Region(region, range);
    let make = |edition: &Edition| {
        let html = RegionPage::new(edition, region, range, context.site)?.render();
        let html = html.expect("writing to a string does not fail");
        Ok(Representation::new(Cacheable::daily(context.site, HTML), html))
    };
    Ok(page(context.daily_file(file, &[], make)?))
}

#[derive(Template)]
#[template(path = "region.html")]
struct RegionPage<'a> {
    frame: Frame<'a>,
    has_series: bool,
    id: &'a str,
    name: &'a str,
    date: String,
    iso_date: String,
    average: Amount,
    average_rounded: String,
    /// Where there are figures of that day.
    since_yesterday: Option<Delta>,
    since_week_ago: Option<Delta>,
    range_bar: String,
    minimum: Amount,
    minimum_rounded: String,
    maximum: Amount,
    maximum_rounded: String,
    rank: String,
    share: Percent,
    worldwide_rounded: String,
    difference: Delta,
    history: History<'a>,
    apart: [Apart; 3],
    get_figures: GetData,
    get_derivation: GetData,
}

/// A number of the region beside the same worldwide, and what it does to the cost.
struct Apart {
    label: &'static str,
    unit: &'static str,
    own: Quantity,
    worldwide: Quantity,
    effect: String,
}

impl<'a> RegionPage<'a> {
    fn new(
        edition: &'a Edition,
        region: RegionIndex,
        range: Range,
        site: &'a Site,
    ) -> Result<Self, NoFigures> {
        let (model, days) = (edition.model(), edition.days());
        let today = days.today()?;
        let RegisteredRegion { id, name } = &model.registry()[region];
        let (scope, costs) = (Scope::Region(region), today.regions[region.get()]);
        let since =
            |day: &Day| Delta { from: day.regions[region.get()].avg_usd, to: costs.avg_usd };
        let view = View { range, scope, ..View::DEFAULT };
        let miners = [model.mean_miner(scope, today)?, model.mean_miner(Scope::Global, today)?];
        let date = today.date.strftime("%-d %B %Y").to_string();
        let history = History::new(edition, &view, site, Place::RegionPage)?;
        Ok(Self {
            frame: frame(model, today, region, &history, range, site),
            has_series: model.has_series(),
            id,
            name,
            iso_date: today.date.to_string(),
            date,
            average: Amount(costs.avg_usd),
            average_rounded: Amount(costs.avg_usd).rounded(),
            since_yesterday: days.yesterday().ok().map(since),
            since_week_ago: days.week_ago().ok().map(since),
            range_bar: range_bar(&costs),
            minimum: Amount(costs.min_usd),
            minimum_rounded: Amount(costs.min_usd).rounded(),
            maximum: Amount(costs.max_usd),
            maximum_rounded: Amount(costs.max_usd).rounded(),
            rank: rank(region, today),
            share: Percent(today.hashrate_shares_pct[region.get()]),
            worldwide_rounded: Amount(today.global.avg_usd).rounded(),
            difference: Delta { from: today.global.avg_usd, to: costs.avg_usd },
            history,
            apart: apart(&miners),
            get_figures: GetData::new(
                site,
                "the region",
                Some(contract::REGION_DETAIL.replace("{id}", id)),
                None,
                None,
            ),
            get_derivation: GetData::of_derivation(site, "what sets it apart", id),
        })
    }
}

/// What asks for a range, after the path.
fn query(range: Range) -> String {
    match range {
        DEFAULT_RANGE => String::new(),
        range => format!("?range={}", range.name()),
    }
}

fn frame<'a>(
    model: &Model,
    today: &Day,
    region: RegionIndex,
    history: &History<'_>,
    range: Range,
    site: &'a Site,
) -> Frame<'a> {
    let RegisteredRegion { id, name } = &model.registry()[region];
    let path = paths::REGION.replace("{id}", id) + &query(range);
    let mut preview = history.preview("Rank, and what sets it apart from worldwide.");
    if range == DEFAULT_RANGE {
        let average = Amount(today.regions[region.get()].avg_usd).rounded();
        let date = today.date.strftime("%-d %B %Y");
        preview.title = format!("{name}: ${average} to mine one coin on {date}");
        preview.names = vec![name.clone()];
    }
    Frame::of_figures(site, &path, preview, model)
}

/// What the cost of a region is made of, beside worldwide. The effects multiply to the difference of
/// the averages.
fn apart([own, worldwide]: &[MeanMiner; 2]) -> [Apart; 3] {
    let row = |label, unit, pick: fn(&MeanMiner) -> DisplayNumber| Apart {
        label,
        unit,
        own: pick(own).into(),
        worldwide: pick(worldwide).into(),
        effect: signed_percent(100.0 * (pick(own).value() / pick(worldwide).value() - 1.0), 1),
    };
    [
        row("Efficiency", "J/TH", |miner| miner.efficiency_j_per_th),
        row("Electricity", "USD/kWh", |miner| miner.electricity_usd_per_kwh),
        row("Overhead", "", |miner| miner.overhead),
    ]
}
