//! Explanations as files.

use ghi_contract::GLOBAL;
use ghi_contract::explanation::{
    ExplainedCapital, ExplainedChange, ExplainedCosts, ExplainedMining, ExplainedPart,
    ExplainedScenario, ExplanationDocument,
};
use ghi_display::{STEPS, WORLDWIDE, step_values};
use ghi_engine::{
    CapitalCost, CostCase, CostChange, CostKind, CostSteps, Costs, Decimal, DisplayNumber,
    ENGINE_SANDBOX_VERSION, Explanation, FactorChange, Model, NoFigures, RegionContribution,
    RegisteredRegion, Registry, Scope, WHOLE_NETWORK_PCT,
};
use jiff::civil::Date;

use crate::edition::DailyFile;
use crate::http::caching::{Representation, daily_api_headers};
use crate::http::problem::Problem;
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::files::csv::{file, joined, quoted, table};
use crate::routes::parameters::{date, named_date, scope};

/// How costs are calculated, as a table.
///
/// For a region, one row each for minimum, average and maximum, with every step of the calculation. For
/// the worldwide figures, one row per region with its contribution to the average, and a last row with the
/// sum. If the inputs give a price for machines, the last columns are the capital cost, which is the cost of
/// the machines per coin, and the full cost, which includes it.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::EXPLAIN_CSV, tag = "Charts and files"))]
pub(crate) fn explain_csv(context: &Context<'_>) -> HandlerResult {
    explained(context, DailyFile::ExplainCsv, |model, site, days| {
        let (scope, date, _) = days;
        let name = format!("ghi-explain-{}-{date}.csv", scope.region_id(model.registry()));
        let explanation = model.explain(scope, date)?;
        let table = match scope {
            Scope::Global => worldwide(&explanation, model.registry()),
            Scope::Region(_) => of_region(&explanation, model.registry()),
        };
        Ok(file(site, &name, table))
    })
}

/// How costs are calculated, as JSON.
///
/// Every step from the difficulty to the published costs with its numbers, and each region's contribution
/// to the worldwide average. With `since`, also the change in the average since that day, split into its
/// factors by the logarithmic mean Divisia index.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::EXPLAIN_JSON, tag = "Charts and files",
    responses((status = 200, body = ghi_contract::explanation::ExplanationDocument))))]
pub(crate) fn explain_json(context: &Context<'_>) -> HandlerResult {
    explained(context, DailyFile::ExplainJson, |model, site, days| {
        let json = explanation_json(model, days)?;
        Ok(Representation::new(daily_api_headers(site, "application/json"), json))
    })
}

/// The scope and the date of an explanation, and the day from which a change is explained.
pub(crate) type ExplainedDays = (Scope, Date, Option<Date>);

/// Responds with the explanation that a request selects. Today's is cached as a file.
pub(crate) fn explained(
    context: &Context<'_>,
    file: fn(Scope) -> DailyFile,
    render: fn(&Model, &Site, ExplainedDays) -> Result<Representation, NoFigures>,
) -> HandlerResult {
    let query = &context.query;
    let date = date(query)?.unwrap_or(context.today());
    let since = named_date(query, "since", "")?;
    if since.is_some_and(|since| since > date) {
        return Err(Problem::invalid_parameter("since must not be after date."));
    }
    let scope = scope(query, context.registry())?;
    let is_cached = date == context.today() && since.is_none();
    let file = is_cached.then(|| file(scope));
    let days = (scope, date, since);
    context.daily_file(file, "", |edition, site| render(edition.model(), site, days))
}

/// The columns of a worldwide explanation, without those that require `[capital]`.
const WORLDWIDE_COLUMNS: &str = "date,region_id,name,hashrate_share_pct,min_cost_usd,avg_cost_usd,\
                                 max_cost_usd,contribution_usd,fingerprint";

/// Returns the end of the header, and of the row of a cost, if the inputs have `[capital]`.
fn capital_end(explanation: &Explanation, cost: Option<Decimal>) -> String {
    match (explanation.capital, cost) {
        (None, _) => String::new(),
        (Some(_), None) => ",capital_usd,full_cost_usd".into(),
        (Some(capital), Some(cost)) => {
            format!(",{},{}", capital.capital_usd, capital.full_cost_usd(cost))
        }
    }
}

fn of_region(explanation: &Explanation, registry: &Registry) -> Vec<u8> {
    let (date, fingerprint) = (explanation.day.date, &explanation.fingerprint);
    let row = |case: &CostCase| {
        let (id, bound) = (&registry[case.region].id, case.kind.name());
        let (steps, daily) = (joined(step_values(explanation, case)), case.usd_per_ph_and_day);
        let end = capital_end(explanation, Some(case.steps.cost_usd));
        format!("{date},{id},{bound},{steps},{daily},{fingerprint}{end}")
    };
    let (steps, end) = (joined(STEPS.map(|[column, ..]| column)), capital_end(explanation, None));
    let columns = format!("date,region_id,bound,{steps},usd_per_ph_and_day,fingerprint{end}");
    table(&columns, explanation.cases.iter().map(row))
}

fn worldwide(explanation: &Explanation, registry: &Registry) -> Vec<u8> {
    let (date, fingerprint) = (explanation.day.date, &explanation.fingerprint);
    let row = |id: &str, name: &str, share: Decimal, costs: &Costs, part: Decimal| {
        let (name, Costs { min_usd, avg_usd, max_usd }) = (quoted(name), costs);
        let end = capital_end(explanation, Some(*avg_usd));
        format!(
            "{date},{id},{name},{share},{min_usd},{avg_usd},{max_usd},{part},{fingerprint}{end}"
        )
    };
    let regions = explanation.contributions.iter().map(|part| {
        let RegisteredRegion { id, name } = &registry[part.region];
        row(id, name, part.hashrate_share_pct, &part.costs, part.contribution_usd)
    });
    let (costs, sum) = (&explanation.costs, explanation.sum_usd());
    let sum = row(GLOBAL, WORLDWIDE, WHOLE_NETWORK_PCT, costs, sum);
    let columns = format!("{WORLDWIDE_COLUMNS}{}", capital_end(explanation, None));
    table(&columns, regions.chain([sum]))
}

fn explanation_json(
    model: &Model,
    (scope, date, since): ExplainedDays,
) -> Result<String, NoFigures> {
    let explanation = model.explain(scope, date)?;
    let change = since.map(|since| model.change(scope, since, date)).transpose()?;
    let document = document(&explanation, model.registry(), change.as_ref());
    Ok(serde_json::to_string_pretty(&document).expect("numbers and texts are plain JSON") + "\n")
}

fn document(
    explanation: &Explanation,
    registry: &Registry,
    change: Option<&CostChange>,
) -> ExplanationDocument {
    let (mining, miner) = (&explanation.mining, &explanation.mean_miner);
    let scenario = |case: &CostCase| {
        let region_id = &registry[case.region].id;
        explained_scenario(region_id, case.kind, &case.steps, case.usd_per_ph_and_day)
    };
    let mean_miner =
        || explained_scenario(GLOBAL, CostKind::Avg, &miner.steps, mining.usd_per_ph_and_day);
    let part = |part: &RegionContribution| ExplainedPart {
        region_id: registry[part.region].id.clone(),
        name: registry[part.region].name.clone(),
        hashrate_share_pct: part.hashrate_share_pct.to_f64(),
        costs: explained_costs(&part.costs),
        contribution_usd: part.contribution_usd.to_f64(),
    };
    let capital = |capital: CapitalCost| ExplainedCapital {
        usd_per_th: capital.usd_per_th,
        years: capital.years,
        capital_usd: capital.capital_usd.to_f64(),
        full_cost_usd: capital.full_cost_usd(explanation.costs.avg_usd).to_f64(),
    };
    let factor = |change: &FactorChange| ExplainedChange {
        factor: change.factor.name().into(),
        from: change.from,
        to: change.to,
        change_pct: change.change_pct,
        change_usd: change.change_usd.to_f64(),
    };
    ExplanationDocument {
        date: explanation.day.date.to_string(),
        region_id: explanation.scope.region_id(registry).into(),
        fingerprint: explanation.fingerprint.clone(),
        engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
        costs: explained_costs(&explanation.costs),
        difficulty: miner.difficulty as f64,
        hashes_per_difficulty: miner.hashes_per_difficulty.value(),
        block_reward_coins: miner.block_reward_coins.value(),
        hashes_per_coin: explanation.hashes_per_coin.value(),
        overhead: miner.steps.overhead.value(),
        scenarios: explanation.cases.iter().map(scenario).collect(),
        parts: explanation.contributions.iter().map(part).collect(),
        sum_of_contributions_usd: explanation.sum_usd().to_f64(),
        mining: ExplainedMining {
            hashrate_eh: mining.hashrate_eh.value(),
            power_gw: mining.power_gw.value(),
            energy_twh_per_year: mining.energy_twh_per_year.value(),
            usd_per_ph_and_day: mining.usd_per_ph_and_day.value(),
        },
        mean_miner: (explanation.scope == Scope::Global).then(mean_miner),
        capital: explanation.capital.map(capital),
        since: change.map(|change| change.since.to_string()),
        changes: change.map(|change| change.factors.iter().map(factor).collect()),
        total_change_usd: change.map(|change| change.total_usd.to_f64()),
    }
}

fn explained_scenario(
    region_id: &str,
    kind: CostKind,
    steps: &CostSteps,
    usd_per_ph_and_day: DisplayNumber,
) -> ExplainedScenario {
    ExplainedScenario {
        region_id: region_id.into(),
        bound: kind.name().into(),
        efficiency_j_per_th: steps.efficiency_j_per_th.value(),
        energy_kwh_per_coin: steps.energy_kwh_per_coin.value(),
        electricity_usd_per_kwh: steps.electricity_usd_per_kwh.value(),
        energy_usd_per_coin: steps.energy_usd_per_coin.value(),
        overhead: steps.overhead.value(),
        cost_usd: steps.cost_usd.to_f64(),
        usd_per_ph_and_day: usd_per_ph_and_day.value(),
    }
}

fn explained_costs(costs: &Costs) -> ExplainedCosts {
    let [min, avg, max] = [costs.min_usd, costs.avg_usd, costs.max_usd].map(Decimal::to_f64);
    ExplainedCosts { min_cost_usd: min, avg_cost_usd: avg, max_cost_usd: max }
}
