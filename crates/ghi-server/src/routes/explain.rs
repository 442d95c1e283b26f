//! The page that shows where the figures of a day come from.

use askama::Template;
use ghi_contract::{GLOBAL, REGION_ID_MAX, REGION_ID_PATTERN};
use ghi_display::{
    Amount, DerivationStep, Percent, Quantity, STEPS, name_of, short_date as short, shown_regions,
};
use ghi_engine::{
    CostKind, Decimal, Explanation, Model, NoFigures, RegionContribution, RegionIndex, Scope,
};
use jiff::civil::Date;

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Cacheable, Representation};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::frame::{Frame, Preview};
use crate::routes::pages::{HTML, page, problem_page};
use crate::routes::parameters::{date_of_form, scope};

/// The derivation of the figures of a day. A browser gets a page about what was wrong.
pub(crate) fn explain(context: &Context<'_>) -> HandlerResult {
    let answer = date_of_form(&context.query)
        .and_then(|date| explained(context, DailyFile::Explain, date, page_of))
        .map(page);
    answer.or_else(|problem| problem_page(context, problem))
}

/// The response with what is made of the explanation that is asked for: of today once a day, of
/// another day with each request.
pub(crate) fn explained(
    context: &Context<'_>,
    file: fn(Scope) -> DailyFile,
    date: Option<Date>,
    make: fn(&Model, &Site, &Explanation) -> Representation,
) -> HandlerResult {
    let scope = scope(&context.query, context.registry())?;
    let (edition, today) = (context.edition(), context.today());
    let make = |date| {
        let explanation = edition.model().explain(scope, date)?;
        Ok(make(edition.model(), context.site, &explanation))
    };
    match date.filter(|date| *date != today) {
        None => {
            let cached = edition.files.try_get(file(scope), || make(today));
            cached.map(|content| context.daily(&content, &[]))
        }
        Some(date) => make(date).map(|content| context.daily(&content, &[])),
    }
}

/// Makes the page that most people ask for.
pub(crate) fn warm(edition: &Edition, site: &Site) {
    warm_today(edition, site, DailyFile::Explain, page_of);
}

/// Makes what is kept of today, worldwide.
pub(crate) fn warm_today(
    edition: &Edition,
    site: &Site,
    file: fn(Scope) -> DailyFile,
    make: fn(&Model, &Site, &Explanation) -> Representation,
) {
    let make = || {
        let today = edition.days().today()?.date;
        let explanation = edition.model().explain(Scope::Global, today)?;
        Ok::<_, NoFigures>(make(edition.model(), site, &explanation))
    };
    edition.files.warm(file(Scope::Global), make);
}

fn page_of(model: &Model, site: &Site, explanation: &Explanation) -> Representation {
    let html = Explain::new(model, explanation, site).render();
    let html = html.expect("writing to a string does not fail");
    Representation::new(Cacheable::daily(site, HTML), html)
}

#[derive(Template)]
#[template(path = "explain.html")]
struct Explain<'a> {
    frame: Frame<'a>,
    date: String,
    iso_date: String,
    first_date: String,
    last_date: String,
    has_series: bool,
    region_id: &'a str,
    name: &'a str,
    choices: Vec<Named<'a>>,
    hidden_regions: usize,
    region_id_pattern: &'static str,
    region_id_max: usize,
    average: Amount,
    /// Worldwide, how the average follows from the regions.
    mean: Option<Mean<'a>>,
    columns: Vec<CaseColumn<'a>>,
    steps: Vec<StepRow>,
    per_ph_and_day: Quantity,
    hashrate_eh: Quantity,
    power_gw: Quantity,
    energy_twh_per_year: Quantity,
    changes: Vec<Change>,
}

/// A scope by its id and its name.
struct Named<'a> {
    id: &'a str,
    name: &'a str,
}

/// The average as the sum of what regions contribute.
struct Mean<'a> {
    parts: Vec<PartRow<'a>>,
    /// What the regions that are not shown contribute, if there are any.
    others: Option<Others>,
    sum: Amount,
    decimals: u8,
}

struct PartRow<'a> {
    region: Named<'a>,
    share: Percent,
    average: Amount,
    contribution: Amount,
}

struct Others {
    count: usize,
    share: Percent,
    contribution: Amount,
}

/// A cost that is derived.
struct CaseColumn<'a> {
    label: &'static str,
    /// Worldwide, the region that sets it.
    region: Option<Named<'a>>,
}

/// A step of the derivation.
struct StepRow {
    label: &'static str,
    unit: &'static str,
    how: String,
    /// One for all columns, or one for each.
    values: Vec<Quantity>,
}

/// What 1 % more of an input does.
struct Change {
    input: &'static str,
    /// With its sign.
    percent: String,
    average: Amount,
}

impl<'a> Explain<'a> {
    fn new(model: &'a Model, explanation: &Explanation, site: &'a Site) -> Self {
        let registry = model.registry();
        let named =
            |region: RegionIndex| Named { id: &registry[region].id, name: &registry[region].name };
        let Explanation { scope, day, mining, .. } = explanation;
        let (shown, hidden_regions) = shown_regions(model, day);
        let is_global = *scope == Scope::Global;
        let worldwide = Named { id: GLOBAL, name: name_of(Scope::Global, model) };
        Self {
            frame: frame(model, explanation, site),
            date: written_date(day.date),
            iso_date: day.date.to_string(),
            first_date: model.coverage().first().to_string(),
            last_date: model.coverage().last().to_string(),
            has_series: model.has_series(),
            region_id: scope.region_id(registry),
            name: name_of(*scope, model),
            choices: std::iter::once(worldwide).chain(shown.iter().copied().map(named)).collect(),
            hidden_regions,
            region_id_pattern: REGION_ID_PATTERN,
            region_id_max: REGION_ID_MAX,
            average: Amount(explanation.costs.avg_usd),
            mean: is_global.then(|| mean(explanation, shown, named)),
            columns: explanation
                .cases
                .iter()
                .map(|case| CaseColumn {
                    label: label(case.kind),
                    region: is_global.then(|| named(case.region)),
                })
                .collect(),
            steps: steps(explanation),
            per_ph_and_day: mining.usd_per_ph_and_day.into(),
            hashrate_eh: mining.hashrate_eh.into(),
            power_gw: mining.power_gw.into(),
            energy_twh_per_year: mining.energy_twh_per_year.into(),
            changes: explanation
                .sensitivities
                .iter()
                .map(|one| Change {
                    input: input_name(one.input),
                    percent: format!("{:+} %", one.change_pct).replace('-', "−"),
                    average: Amount(one.avg_usd),
                })
                .collect(),
        }
    }
}

fn written_date(date: Date) -> String {
    date.strftime("%-d %B %Y").to_string()
}

fn frame<'a>(model: &Model, explanation: &Explanation, site: &'a Site) -> Frame<'a> {
    let (name, date) = (name_of(explanation.scope, model), explanation.day.date);
    let region_id = explanation.scope.region_id(model.registry());
    let path = format!("{}?region_id={region_id}&date={date}", paths::EXPLAIN);
    let (written, average) = (written_date(date), explanation.costs.avg_usd);
    let title = format!("{name}: ${} on {}, step by step", Amount(average).rounded(), short(date));
    let average = Amount(average);
    let description = format!(
        "{name} on {written}: mining one coin costs {average} USD on average. How this follows from \
         difficulty, reward, efficiency and electricity, with every number filled in."
    );
    let preview = Preview { title, description, names: vec![name.into()] };
    Frame::of_figures(site, &path, preview, model)
}

fn label(kind: CostKind) -> &'static str {
    match kind {
        CostKind::Min => "Minimum",
        CostKind::Avg => "Average",
        CostKind::Max => "Maximum",
    }
}

/// The input of a field, for people.
fn input_name(field: &'static str) -> &'static str {
    match field {
        "difficulty" => "Difficulty",
        "efficiency_j_per_th" => "Efficiency, J/TH",
        "electricity_usd_per_kwh" => "Electricity, USD/kWh",
        "overhead" => "Overhead",
        "block_reward_coins" => "Block reward",
        other => other,
    }
}

/// The largest regions and those that set minimum and maximum, with the rest in one row, so that the
/// rows sum up to what stands below them.
fn mean<'a>(
    explanation: &Explanation,
    mut shown: Vec<RegionIndex>,
    named: impl Fn(RegionIndex) -> Named<'a>,
) -> Mean<'a> {
    for case in &explanation.cases {
        if !shown.contains(&case.region) {
            shown.push(case.region);
        }
    }
    let row = |part: &RegionContribution| PartRow {
        region: named(part.region),
        share: Percent(part.hashrate_share_pct),
        average: Amount(part.costs.avg_usd),
        contribution: Amount(part.contribution_usd),
    };
    let part = |region: &RegionIndex| &explanation.contributions[region.get()];
    let rest = |of: fn(&RegionContribution) -> Decimal| {
        let sum = |parts: &mut dyn Iterator<Item = &RegionContribution>| {
            parts.map(|part| of(part).count()).sum::<u64>()
        };
        let all = sum(&mut explanation.contributions.iter());
        let decimals = of(part(&shown[0])).decimals();
        Decimal::new(all - sum(&mut shown.iter().map(part)), decimals)
    };
    let count = explanation.contributions.len() - shown.len();
    Mean {
        parts: shown.iter().map(|region| row(part(region))).collect(),
        others: (count > 0).then(|| Others {
            count,
            share: Percent(rest(|part| part.hashrate_share_pct)),
            contribution: Amount(rest(|part| part.contribution_usd)),
        }),
        sum: Amount(explanation.sum_usd()),
        decimals: explanation.costs.avg_usd.decimals(),
    }
}

/// Each step with its numbers.
fn steps(explanation: &Explanation) -> Vec<StepRow> {
    let row = |step: &DerivationStep| {
        let columns = if step.is_shared() { 1 } else { explanation.cases.len() };
        let cases = explanation.cases.iter().take(columns);
        StepRow {
            label: step.label,
            unit: step.unit,
            how: step.how(explanation),
            values: cases.map(|case| step.value(explanation, case)).collect(),
        }
    };
    STEPS.iter().map(row).collect()
}
