//! Documents as tables for people.

use ghi_client::AnySnapshot;
use ghi_contract::{GLOBAL, History, Metadata, RegionDetail, Regions};
use ghi_engine::visible;

use crate::show::costs::{Costs, rows};
use crate::show::document::Document;
use crate::show::figures::{decimals, own_decimals, readable};
use crate::source::Source;
use crate::text_table::{aligned, aligned_with_names, row};

/// What stands for a figure that a document leaves out.
const NOTHING: &str = "–";

/// What stands for the table of a history without points.
const NO_POINTS: &str = "The history has no points.\n";

/// The longest text of a document that is shown, characters.
const TEXT_MAX: usize = 200;

/// The table of a document under its heading, for a terminal of a width.
pub(crate) fn table(document: &Document, source: &Source, width: Option<usize>) -> String {
    let rows = match document {
        Document::Snapshot(snapshot) => aligned_with_names(snapshot_rows(snapshot), width),
        Document::Regions(regions) => aligned_with_names(region_rows(regions), width),
        Document::Region(region) => aligned_with_names(detail_rows(region), width),
        Document::History(history) if history.points.is_empty() => NO_POINTS.into(),
        Document::History(history) => aligned(&history_rows(history)),
        Document::Network(network) => aligned(&[
            row(["hashrate, EH/s", &figure(network.hashrate_eh)]),
            row(["difficulty", &readable(network.difficulty, own_decimals(network.difficulty))]),
            row(["mean fee, USD", &figure(network.avg_fee_usd)]),
        ]),
        Document::Forecast(forecast) => aligned(&[
            row(["horizon, days", &forecast.forecast_days.to_string()]),
            row(["average, USD", &figure(forecast.predicted_avg_cost_usd)]),
        ]),
        Document::Indicator(indicator) => {
            let costs = Costs {
                min: indicator.min_cost_usd,
                avg: indicator.avg_cost_usd,
                max: indicator.max_cost_usd,
            };
            let header = row(["day", "min", "avg", "max"]);
            aligned(&[header, cost_row(&text(&indicator.date), costs, costs.decimals())])
        }
        Document::Metadata(metadata) => aligned_with_names(metadata_rows(metadata), None),
    };
    format!("{}\n{rows}", heading(document, source))
}

/// What a document is, of when and from where, in two lines.
pub(crate) fn heading(document: &Document, source: &Source) -> String {
    let date = text(document.date());
    let costs = "Cost of mining one coin, USD";
    let what = match document {
        Document::Snapshot(_) => format!("{costs}, {date}"),
        Document::Regions(regions) => match regions.regions.len() {
            1 => "1 region".into(),
            count => format!("{count} regions"),
        },
        Document::Region(region) => format!("{costs}, {}, {date}", text(&region.region_id)),
        Document::History(history) => {
            let days = history.points.first().zip(history.points.last());
            let days = days
                .map(|(first, last)| format!(", {} to {}", text(&first.date), text(&last.date)));
            format!("{costs}, {}{}", text(&history.region_id), days.unwrap_or_default())
        }
        Document::Network(_) => format!("Network, {date}"),
        Document::Forecast(_) => "Forecast of the average cost of mining one coin".into(),
        Document::Indicator(_) => format!("{costs}, {GLOBAL}, API 1.0"),
        Document::Metadata(_) => "Service".into(),
    };
    let timestamp = text(document.timestamp_utc());
    let seconds = timestamp.split('.').next().unwrap_or_default().trim_end_matches('Z');
    format!("{what}\n{}, {}, {seconds}Z\n", source.kind_of_data(), source.name())
}

fn snapshot_rows(snapshot: &AnySnapshot) -> Vec<Vec<String>> {
    let all = rows(snapshot);
    let decimals = decimals(all.iter().flat_map(|(_, _, costs)| costs.iter().flatten().copied()));
    let mut rows = vec![row(["region", "min", "avg", "max", "name"])];
    rows.extend(all.into_iter().map(|(id, name, costs)| {
        let cost = |cost: Option<f64>| cost.map_or(NOTHING.into(), |cost| readable(cost, decimals));
        let [min, avg, max] = costs.map(cost);
        vec![text(id), min, avg, max, text(name)]
    }));
    rows
}

fn region_rows(regions: &Regions) -> Vec<Vec<String>> {
    let mut rows = vec![row(["region", "name"])];
    rows.extend(regions.regions.iter().map(|region| vec![text(&region.id), text(&region.name)]));
    rows
}

fn detail_rows(region: &RegionDetail) -> Vec<Vec<String>> {
    let costs =
        Costs { min: region.min_cost_usd, avg: region.avg_cost_usd, max: region.max_cost_usd };
    let mut cells = cost_row(&text(&region.region_id), costs, costs.decimals());
    cells.extend([figure(region.hashrate_share_pct), text(&region.name)]);
    vec![row(["region", "min", "avg", "max", "hashrate share, %", "name"]), cells]
}

fn history_rows(history: &History) -> Vec<Vec<String>> {
    let points: Vec<_> =
        history.points.iter().map(|point| (&*point.date, Costs::from(point))).collect();
    let decimals = decimals(points.iter().flat_map(|(_, costs)| costs.each()));
    let mut rows = vec![row(["day", "min", "avg", "max"])];
    rows.extend(points.iter().map(|(date, costs)| cost_row(&text(date), *costs, decimals)));
    rows
}

fn metadata_rows(metadata: &Metadata) -> Vec<Vec<String>> {
    let mut rows = vec![
        row(["environment", &text(&metadata.environment)]),
        row(["engine", &text(&metadata.engine_sandbox_version)]),
        row(["current API", &text(&metadata.api_current)]),
        row(["supported APIs", &text(&metadata.api_supported.join(", "))]),
    ];
    let mut name = "endpoints";
    for endpoint in &metadata.available_endpoints {
        rows.push(row([name, &text(endpoint)]));
        name = "";
    }
    rows
}

fn cost_row(name: &str, costs: Costs, decimals: usize) -> Vec<String> {
    let figures = costs.each().map(|cost| readable(cost, decimals));
    std::iter::once(name.to_owned()).chain(figures).collect()
}

/// A figure that stands alone.
fn figure(figure: f64) -> String {
    readable(figure, decimals([figure]))
}

/// A text of somebody else, as a terminal may show it.
fn text(text: &str) -> String {
    visible(text, TEXT_MAX)
}
