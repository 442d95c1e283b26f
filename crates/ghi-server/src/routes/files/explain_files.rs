//! Explanations as files.

use ghi_contract::GLOBAL;
use ghi_display::{STEPS, WORLDWIDE};
use ghi_engine::{
    CostCase, Costs, Decimal, Explanation, Model, NoFigures, RegisteredRegion, Registry, Scope,
    WHOLE_NETWORK_PCT,
};

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Representation, daily_api_headers};
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::files::csv::{csv_table, file_headers};
use crate::routes::files::explanation_document::explanation_json;
use crate::routes::parameters::ExplainedDays;

/// How costs are calculated, as a table.
///
/// For a region, one row each for minimum, average and maximum, with every step of the calculation. For
/// the worldwide figures, one row per region with its contribution to the average, and a last row with the
/// sum. If the inputs give a price for machines, the last columns are the capital cost, which is the cost of
/// the machines per coin, and the full cost, which includes it.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::EXPLAIN_CSV, tag = "Charts and files",
    params(("region_id" = Option<String>, Query), ("date" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn explain_csv(context: &Context<'_>) -> HandlerResult {
    ExplanationFile::Csv.respond(context)
}

/// How costs are calculated, as JSON.
///
/// Every step from the difficulty to the published costs with its numbers, and each region's contribution
/// to the worldwide average. With `since`, also the change in the average since that day, split into its
/// factors by the logarithmic mean Divisia index.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::EXPLAIN_JSON, tag = "Charts and files",
    params(("region_id" = Option<String>, Query), ("date" = Option<String>, Query), ("since" = Option<String>, Query)),
    responses((status = 200, body = ghi_contract::explanation::ExplanationDocument))))]
pub(crate) fn explain_json(context: &Context<'_>) -> HandlerResult {
    ExplanationFile::Json.respond(context)
}

/// The form of an explanation.
#[derive(Clone, Copy)]
pub(crate) enum ExplanationFile {
    Csv,
    Json,
}

impl ExplanationFile {
    /// Sends today's file, which is cached, or another day's.
    fn respond(self, context: &Context<'_>) -> HandlerResult {
        let today = context.today();
        let days = ExplainedDays::parse(&context.query, context.registry(), today)?;
        let render = |edition: &Edition, site: &Site| self.render(edition.model(), site, days);
        if days.date != today || days.since.is_some() {
            return Ok(context.daily(&render(context.edition(), context.site)?));
        }
        let file = match self {
            Self::Csv => DailyFile::ExplainCsv(days.scope),
            Self::Json => DailyFile::ExplainJson(days.scope),
        };
        context.daily_file(file, "", render)
    }

    fn render(
        self,
        model: &Model,
        site: &Site,
        days: ExplainedDays,
    ) -> Result<Representation, NoFigures> {
        let ExplainedDays { scope, date, since } = days;
        let (headers, text) = match self {
            Self::Csv => {
                let region_id = scope.region_id(model.registry());
                let name = format!("ghi-explain-{region_id}-{date}.csv");
                let csv = explanation_csv(&model.explain(scope, date)?, model.registry());
                (file_headers(site, &name), csv)
            }
            Self::Json => {
                let json = explanation_json(model, scope, date, since)?;
                (daily_api_headers(site, "application/json"), json.into_bytes())
            }
        };
        Ok(Representation::new(headers, text))
    }
}

/// The columns of a worldwide explanation, without those that require `[capital]`.
const WORLDWIDE_COLUMNS: &str = "date,region_id,name,hashrate_share_pct,min_cost_usd,avg_cost_usd,\
                                 max_cost_usd,contribution_usd,fingerprint";

/// Returns an explanation as the CSV that `/export/explain.csv` sends. Its regions are those of the registry.
fn explanation_csv(explanation: &Explanation, registry: &Registry) -> Vec<u8> {
    match explanation.scope {
        Scope::Global => worldwide(explanation, registry),
        Scope::Region(_) => of_region(explanation, registry),
    }
}

/// Returns the columns that explanations have in addition if the inputs have `[capital]`.
fn capital_columns(explanation: &Explanation) -> impl Iterator<Item = &'static str> {
    explanation.capital.into_iter().flat_map(|_| ["capital_usd", "full_cost_usd"])
}

/// Returns the cells of a cost in these columns.
fn capital_cells(explanation: &Explanation, cost: Decimal) -> impl Iterator<Item = String> {
    let capital = explanation.capital.into_iter();
    let costs = capital.flat_map(move |capital| [capital.capital_usd, capital.full_cost_usd(cost)]);
    costs.map(|cost| cost.to_string())
}

fn of_region(explanation: &Explanation, registry: &Registry) -> Vec<u8> {
    let fields = STEPS.iter().map(|step| step.field);
    let columns = ["date", "region_id", "bound"].into_iter().chain(fields);
    let columns = columns.chain(["usd_per_ph_and_day", "fingerprint"]);
    let columns: Vec<&str> = columns.chain(capital_columns(explanation)).collect();
    let row = |case: &CostCase| -> Vec<String> {
        let region_id = registry[case.region].id.clone();
        let first = [explanation.day.date.to_string(), region_id, case.kind.name().into()];
        let steps = STEPS.iter().map(|step| (step.value)(explanation, case));
        let last = [case.usd_per_ph_and_day.to_string(), explanation.fingerprint.to_string()];
        let capital = capital_cells(explanation, case.steps.cost_usd);
        first.into_iter().chain(steps).chain(last).chain(capital).collect()
    };
    csv_table(&columns, explanation.cases.iter().map(row))
}

fn worldwide(explanation: &Explanation, registry: &Registry) -> Vec<u8> {
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
        .into_iter()
        .chain(capital_cells(explanation, costs.avg_usd))
    };
    let regions = explanation.contributions.iter().map(|part| {
        let RegisteredRegion { id, name } = &registry[part.region];
        row(id, name, part.hashrate_share_pct, &part.costs, part.contribution_usd)
    });
    let (costs, sum) = (&explanation.costs, explanation.sum_usd());
    let sum = row(GLOBAL, WORLDWIDE, WHOLE_NETWORK_PCT, costs, sum);
    let columns: Vec<&str> =
        WORLDWIDE_COLUMNS.split(',').chain(capital_columns(explanation)).collect();
    csv_table(&columns, regions.chain([sum]))
}
