//! The page that shows how the costs of a day are calculated.

use askama::Template;
use ghi_contract::{REGION_ID_MAX, REGION_ID_PATTERN};
use ghi_display::{
    Amount, Percent, Quantity, STEPS, long_date, name_of, short_date as short, shown_regions,
};
use ghi_engine::{
    CostKind, Coverage, Decimal, Explanation, Model, NoFigures, RegionContribution, RegionIndex,
    Registry, Scope,
};
use jiff::civil::Date;

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Cacheable, Representation};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::frame::{Frame, Preview};
use crate::routes::pages::{HTML, page, problem_page, rendered};
use crate::routes::parameters::{date_of_form, scope};

/// Serves the calculation of the costs of a day. Browsers receive errors as pages.
pub(crate) fn explain(context: &Context<'_>) -> HandlerResult {
    requested_page(context).map(page).or_else(|problem| problem_page(context, problem))
}

fn requested_page(context: &Context<'_>) -> HandlerResult {
    let (date, scope) = (date_of_form(&context.query)?, scope(&context.query, context.registry())?);
    explained(context, scope, date, DailyFile::Explain(scope), |explanation| {
        page_of(context.model(), context.site, explanation)
    })
}

/// The response with what is made of an explanation: of today once a day, of another day with each request.
pub(crate) fn explained(
    context: &Context<'_>,
    scope: Scope,
    date: Option<Date>,
    file: DailyFile,
    make: impl Fn(&Explanation) -> Representation,
) -> HandlerResult {
    let make = |date| Ok::<_, NoFigures>(make(&context.model().explain(scope, date)?));
    match date.filter(|date| *date != context.today()) {
        None => context.daily_file(file, &[], |_| make(context.today())),
        Some(date) => Ok(context.daily(&make(date)?, &[])),
    }
}

/// Renders the most requested page.
pub(crate) fn warm(edition: &Edition, site: &Site) {
    warm_today(edition, DailyFile::Explain(Scope::Global), |explanation| {
        page_of(edition.model(), site, explanation)
    });
}

/// Makes what is kept of today, worldwide.
pub(crate) fn warm_today(
    edition: &Edition,
    file: DailyFile,
    make: impl Fn(&Explanation) -> Representation,
) {
    let make = || {
        let today = edition.days().today()?.date;
        Ok::<_, NoFigures>(make(&edition.model().explain(Scope::Global, today)?))
    };
    edition.files.warm(file, make);
}

fn page_of(model: &Model, site: &Site, explanation: &Explanation) -> Representation {
    let html = rendered(&Explain::new(model, explanation, site));
    Representation::new(Cacheable::daily(site, HTML), html)
}

#[derive(Template)]
#[template(path = "explain.html")]
struct Explain<'a> {
    frame: Frame<'a>,
    date: String,
    iso_date: String,
    has_series: bool,
    coverage: Coverage,
    registry: &'a Registry,
    region_id: &'a str,
    name: &'a str,
    /// The ids and names of the scopes to choose from.
    choices: Vec<(&'a str, &'a str)>,
    hidden_regions: usize,
    average: Amount,
    explanation: &'a Explanation,
    /// How the average is calculated from the regions. Only worldwide.
    mean: Option<Mean<'a>>,
    /// For 1% more of each input, the change in percent, and the average then.
    changes: Vec<(&'static str, String, Amount)>,
}

/// The average as the sum of the regions' contributions.
struct Mean<'a> {
    parts: Vec<&'a RegionContribution>,
    /// The number of regions not shown, if there are any, their share and their contribution.
    others: Option<(usize, Percent, Amount)>,
}

impl<'a> Explain<'a> {
    fn new(model: &'a Model, explanation: &'a Explanation, site: &'a Site) -> Self {
        let registry = model.registry();
        let Explanation { scope, day, .. } = explanation;
        let (shown, hidden_regions) = shown_regions(model, day);
        let scopes = shown.iter().copied().map(Scope::Region);
        let choices = std::iter::once(Scope::Global).chain(scopes);
        let changes = explanation.sensitivities.iter().map(|one| {
            let percent = format!("{:+}%", one.change_pct).replace('-', "−");
            (input_name(one.input), percent, Amount(one.avg_usd))
        });
        Self {
            frame: frame(model, explanation, site),
            date: long_date(day.date),
            iso_date: day.date.to_string(),
            has_series: model.has_series(),
            coverage: model.coverage(),
            registry,
            region_id: scope.region_id(registry),
            name: name_of(*scope, model),
            choices: choices.map(|one| (one.region_id(registry), name_of(one, model))).collect(),
            hidden_regions,
            average: Amount(explanation.costs.avg_usd),
            explanation,
            mean: (*scope == Scope::Global).then(|| mean(explanation, shown)),
            changes: changes.collect(),
        }
    }

    /// Converts a number for the template.
    fn quantity(&self, number: impl Into<Quantity>) -> Quantity {
        number.into()
    }

    fn label(&self, kind: CostKind) -> &'static str {
        match kind {
            CostKind::Min => "Minimum",
            CostKind::Avg => "Average",
            CostKind::Max => "Maximum",
        }
    }
}

fn frame<'a>(model: &Model, explanation: &Explanation, site: &'a Site) -> Frame<'a> {
    let (name, date) = (name_of(explanation.scope, model), explanation.day.date);
    let region_id = explanation.scope.region_id(model.registry());
    let path = format!("{}?region_id={region_id}&date={date}", paths::EXPLAIN);
    let (written, average) = (long_date(date), explanation.costs.avg_usd);
    let title = format!("{name}: ${} on {}, step by step", Amount(average).rounded(), short(date));
    let average = Amount(average);
    let description = format!(
        "{name} on {written}: mining one coin costs {average} USD on average. How this follows from \
         difficulty, reward, efficiency and electricity, with every number filled in."
    );
    let preview = Preview { title, description, names: vec![name.into()] };
    Frame::of_figures(site, &path, preview, model)
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
fn mean(explanation: &Explanation, mut shown: Vec<RegionIndex>) -> Mean<'_> {
    for case in &explanation.cases {
        if !shown.contains(&case.region) {
            shown.push(case.region);
        }
    }
    let all = &explanation.contributions;
    let parts: Vec<_> = shown.iter().map(|region| &all[region.get()]).collect();
    let rest = |of: fn(&RegionContribution) -> Decimal| {
        let whole: u64 = all.iter().map(|part| of(part).count()).sum();
        let of_parts: u64 = parts.iter().map(|part| of(part).count()).sum();
        Decimal::new(whole - of_parts, of(parts[0]).decimals())
    };
    let count = all.len() - parts.len();
    let share = Percent(rest(|part| part.hashrate_share_pct));
    let contribution = Amount(rest(|part| part.contribution_usd));
    Mean { parts, others: (count > 0).then_some((count, share, contribution)) }
}
