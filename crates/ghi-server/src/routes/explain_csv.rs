//! Where figures come from, as a CSV table.

use std::sync::Arc;

use ghi_contract::GLOBAL;
use ghi_display::{STEPS, WORLDWIDE};
use ghi_engine::{
    CostCase, Costs, Decimal, ENGINE_SANDBOX_VERSION, Explanation, Model, Registry, Scope,
    WHOLE_NETWORK_PCT,
};
use jiff::civil::Date;

use crate::edition::{DailyFile, Edition};
use crate::http::caching::Representation;
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::csv::{file, file_headers, written};
use crate::routes::daily_rows::line;
use crate::routes::explain::{explained, warm_today};
use crate::routes::parameters::{date, scope};

/// Where figures come from, as a table.
///
/// Of a region, a row for each of minimum, average and maximum with every step of its derivation.
/// Worldwide, a row a region with its contribution to the global average, and their sum last.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::EXPLAIN_CSV, tag = "Charts and files",
    params(("region_id" = Option<String>, Query), ("date" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn explain_csv(context: &Context<'_>) -> HandlerResult {
    let (scope, date) = (scope(&context.query, context.registry())?, date(&context.query)?);
    match date.filter(|date| *date != context.today()) {
        // With many regions that takes long, and nobody made it ahead.
        Some(date) if scope == Scope::Global => {
            let model = Arc::clone(context.model());
            model.check(date)?;
            let name = file_name(scope, date, &model);
            let fingerprint = model.fingerprint().to_string();
            let made_of = [&*name, ENGINE_SANDBOX_VERSION, &fingerprint];
            let headers = file_headers(context.site, &name);
            context.streamed(headers, &made_of, worldwide_lines(model, date))
        }
        date => explained(context, DailyFile::ExplainCsv, date, table),
    }
}

/// Makes the table that takes long with many regions.
pub(crate) fn warm(edition: &Edition, site: &Site) {
    warm_today(edition, site, DailyFile::ExplainCsv, table);
}

fn table(model: &Model, site: &Site, explanation: &Explanation) -> Representation {
    let text = explanation_csv(explanation, model.registry());
    file(site, &file_name(explanation.scope, explanation.day.date, model), text.into())
}

fn file_name(scope: Scope, date: Date, model: &Model) -> String {
    format!("ghi-explain-{}-{date}.csv", scope.region_id(model.registry()))
}

const WORLDWIDE_COLUMNS: [&str; 9] = [
    "date",
    "region_id",
    "name",
    "hashrate_share_pct",
    "min_cost_usd",
    "avg_cost_usd",
    "max_cost_usd",
    "contribution_usd",
    "fingerprint",
];

/// An explanation as the CSV that `/export/explain.csv` sends, whose regions are those of the registry.
///
/// ```
/// use ghi_engine::{Inputs, Model, Scope};
/// use ghi_server::explanation_csv;
///
/// let model = Model::new(Inputs::default());
/// let explanation = model.explain(Scope::Global, "2026-11-15".parse().unwrap())?;
/// let csv = explanation_csv(&explanation, model.registry());
/// assert!(csv.starts_with("date,region_id,name,hashrate_share_pct,"));
/// # Ok::<(), ghi_engine::NoFigures>(())
/// ```
pub fn explanation_csv(explanation: &Explanation, registry: &Registry) -> String {
    let text = match explanation.scope {
        Scope::Global => worldwide(explanation, registry),
        Scope::Region(_) => of_region(explanation, registry),
    };
    String::from_utf8(text).expect("what is written of texts is text")
}

fn of_region(explanation: &Explanation, registry: &Registry) -> Vec<u8> {
    let fields = STEPS.iter().map(|step| step.field);
    let columns = ["date", "region_id", "bound"].into_iter().chain(fields);
    let columns: Vec<&str> = columns.chain(["usd_per_ph_and_day", "fingerprint"]).collect();
    let row = |case: &CostCase| -> Vec<String> {
        let region_id = registry[case.region].id.clone();
        let first = [explanation.day.date.to_string(), region_id, case.kind.name().into()];
        let steps = STEPS.iter().map(|step| step.value(explanation, case).plain().into());
        let last = [case.usd_per_ph_and_day.to_string(), explanation.fingerprint.to_string()];
        first.into_iter().chain(steps).chain(last).collect()
    };
    written(&columns, explanation.cases.iter().map(row))
}

fn worldwide(explanation: &Explanation, registry: &Registry) -> Vec<u8> {
    let rows = (0..).map_while(|index| worldwide_row(explanation, registry, index));
    written(&WORLDWIDE_COLUMNS, rows)
}

/// The row of a region, or of their sum behind the last of them.
fn worldwide_row(
    explanation: &Explanation,
    registry: &Registry,
    index: usize,
) -> Option<[String; WORLDWIDE_COLUMNS.len()]> {
    let row = |id: &str, name: &str, share: Decimal, costs: &Costs, contribution: Decimal| {
        [
            explanation.day.date.to_string(),
            id.into(),
            name.into(),
            share.to_string(),
            costs.min_usd.to_string(),
            costs.avg_usd.to_string(),
            costs.max_usd.to_string(),
            contribution.to_string(),
            explanation.fingerprint.to_string(),
        ]
    };
    if let Some(part) = explanation.contributions.get(index) {
        let region = &registry[part.region];
        let share = part.hashrate_share_pct;
        return Some(row(&region.id, &region.name, share, &part.costs, part.contribution_usd));
    }
    let (costs, sum) = (&explanation.costs, explanation.sum_usd());
    let is_sum = index == explanation.contributions.len();
    is_sum.then(|| row(GLOBAL, WORLDWIDE, WHOLE_NETWORK_PCT, costs, sum))
}

/// The same table of a day that the model covers, line by line.
fn worldwide_lines(model: Arc<Model>, date: Date) -> impl Iterator<Item = Vec<u8>> + Send {
    let rows = std::iter::once_with(move || {
        let explanation = model.explain(Scope::Global, date).expect("the model covers the day");
        let row = move |index| worldwide_row(&explanation, model.registry(), index).map(line);
        (0..).map_while(row)
    });
    std::iter::once_with(|| line(WORLDWIDE_COLUMNS)).chain(rows.flatten())
}
