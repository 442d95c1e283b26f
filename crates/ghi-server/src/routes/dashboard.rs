//! The page that shows the index of today at one look.

use std::sync::Arc;

use askama::Template;
use ghi_contract::{ForecastDays, GLOBAL, REGION_ID_MAX, REGION_ID_PATTERN};
use ghi_engine::{Costs, Day, Decimal, NoFigures, Scope};
use jiff::civil::Date;

use crate::charts::amounts::{Amount, Change, Percent, Span, grouped};
use crate::charts::{self, Form, History, Line, Role, finding, name_of, shown_regions};
use crate::clock::{Clock, Moment, Speed};
use crate::edition::{DailyFile, Edition, Range};
use crate::http::caching::{Cacheable, Representation};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Answer, Context};
use crate::routes::frame::Frame;
use crate::routes::pages::{HTML, page, problem_page};
use crate::routes::parameters::scope;

/// The dashboard, with the week of the whole network or of a chosen region. A browser
/// gets a page about what was wrong.
pub(crate) fn dashboard(context: &Context<'_>) -> Answer {
    of_today(context).or_else(|problem| problem_page(context, problem))
}

fn of_today(context: &Context<'_>) -> Answer {
    let scope = scope(&context.query, context.registry())?;
    let reading = Reading::at(context.now()?.moment(), context.clock).render();
    let reading = reading.expect("writing to a string does not fail");
    let response = context.daily_file(file(scope), reading.as_bytes(), |edition| {
        page_of_day(edition, context.site, scope)
    })?;
    Ok(page(response))
}

/// Makes the page that most people ask for.
pub(crate) fn prepare(edition: &Edition, site: &Site) {
    let scope = Scope::Global;
    edition.files.prepare(file(scope), || page_of_day(edition, site, scope));
}

fn file(scope: Scope) -> DailyFile {
    DailyFile { path: paths::DASHBOARD, scope, variant: "" }
}

/// The page, with a slot for the sentence that changes from minute to minute.
fn page_of_day(edition: &Edition, site: &Site, scope: Scope) -> Result<Representation, NoFigures> {
    let html = Dashboard::new(edition, scope, site)?.render();
    let html = html.expect("writing to a string does not fail");
    let (before, after) = html.split_once(READING).unwrap_or((&html, ""));
    let headers = Arc::new(Cacheable::daily(site, HTML));
    Ok(Representation::with_visible_slot(headers, before.to_owned() + after, before.len()))
}

/// Stands in the page of the day where [`Reading`] goes in with each request. No name of a region
/// has such a character.
const READING: &str = "\0";

/// The sentence of the page that changes from minute to minute.
#[derive(Template)]
#[template(path = "reading.html")]
struct Reading {
    time: String,
    iso_moment: String,
    age: Span,
    next: String,
}

impl Reading {
    fn at(moment: Moment, clock: &Clock) -> Self {
        let iso_moment = moment.to_string();
        Self {
            time: iso_moment["YYYY-MM-DDT".len()..][.."HH:MM".len()].into(),
            iso_moment: format!("{}Z", &iso_moment[.."YYYY-MM-DDTHH:MM".len()]),
            age: Span { seconds: moment.second_of_day() },
            next: next(moment, clock),
        }
    }
}

/// When the next figures come, in real time.
fn next(moment: Moment, clock: &Clock) -> String {
    if clock.is_stopped() {
        return "no others come while the clock is stopped".into();
    }
    let (remaining, speed) = (moment.seconds_to_midnight(), clock.speed());
    let seconds = remaining / speed.get();
    match seconds {
        _ if speed == Speed::REAL => format!("the next come in {}", Span { seconds }),
        0 => "the next come in less than 1 s of real time".into(),
        1..60 => format!("the next come in {seconds} s of real time"),
        _ => format!("the next come in {} of real time", Span { seconds }),
    }
}

#[derive(Template)]
#[template(path = "dashboard.html")]
struct Dashboard<'a> {
    frame: Frame<'a>,
    date: String,
    iso_date: String,
    reading: &'static str,
    week_ago: String,
    has_series: bool,
    headline: Headline,
    scope: Choice<'a>,
    scopes: Vec<Choice<'a>>,
    hidden_regions: usize,
    region_id_pattern: &'static str,
    region_id_max: usize,
    history_wide: String,
    history_narrow: String,
    week: Vec<WeekRow>,
    regions_wide: String,
    regions_narrow: String,
    regions: Vec<RegionRow<'a>>,
    hashrate: Amount,
    difficulty: u64,
    difficulty_grouped: String,
    fee: Amount,
    forecast_days: u16,
    forecast: Amount,
    forecast_change: Change,
}

/// The large figures.
struct Headline {
    minimum: Figure,
    average: Figure,
    maximum: Figure,
}

impl Headline {
    fn figures(&self) -> [&Figure; 3] {
        [&self.minimum, &self.average, &self.maximum]
    }
}

struct Figure {
    class: &'static str,
    label: &'static str,
    value: Amount,
    /// Where there are figures of that day.
    since_yesterday: Option<Change>,
    since_week_ago: Option<Change>,
}

/// A scope that the week can be shown of.
struct Choice<'a> {
    region_id: &'a str,
    name: &'a str,
}

impl Choice<'_> {
    /// What asks for it, after a path.
    fn query(&self) -> String {
        match self.region_id {
            GLOBAL => String::new(),
            id => format!("?region_id={id}"),
        }
    }
}

struct WeekRow {
    date: String,
    iso_date: Date,
    min: Amount,
    avg: Amount,
    max: Amount,
}

struct RegionRow<'a> {
    id: &'a str,
    name: &'a str,
    share: Percent,
    min: Amount,
    avg: Amount,
    max: Amount,
}

impl<'a> Dashboard<'a> {
    fn new(edition: &'a Edition, scope: Scope, site: &'a Site) -> Result<Self, NoFigures> {
        let (model, days) = (edition.model(), edition.days());
        let today = days.today()?;
        let figure = |class, label, pick: fn(&Costs) -> Decimal| {
            let value = pick(&today.global);
            let since = |day: &Day| Change { from: pick(&day.global), to: value };
            Figure {
                class,
                label,
                value: Amount(value),
                since_yesterday: days.yesterday().ok().map(since),
                since_week_ago: days.week_ago().ok().map(since),
            }
        };
        let choice = |scope: Scope| Choice {
            region_id: scope.region_id(model.registry()),
            name: name_of(scope, model),
        };
        let (shown, hidden_regions) = shown_regions(model, today);
        let mut scopes = vec![Scope::Global];
        scopes.extend(shown.iter().map(|region| Scope::Region(*region)));
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
        let past = edition.past(scope, Range::Week)?;
        let days_shown = &past.days;
        let name = name_of(scope, model);
        let role = if scope == Scope::Global { Role::Worldwide } else { Role::Chosen };
        let heading = finding(name, Range::Week, &past);
        let lines = vec![Line { name, days: days_shown, role }];
        let history = History { heading: &heading, lines, forecast: None };
        let regions_chart =
            |form| charts::regions("Cost of one coin by region", today, model, &shown, form);
        let rows = days_shown.iter().map(|(date, costs)| WeekRow {
            date: date.strftime("%a %-d %b").to_string(),
            iso_date: *date,
            min: Amount(costs.min_usd),
            avg: Amount(costs.avg_usd),
            max: Amount(costs.max_usd),
        });
        let regions = shown.iter().map(|index| {
            let region = &model.registry()[*index];
            let costs = today.regions[index.get()];
            RegionRow {
                id: &region.id,
                name: &region.name,
                share: Percent(today.hashrate_shares_pct[index.get()]),
                min: Amount(costs.min_usd),
                avg: Amount(costs.avg_usd),
                max: Amount(costs.max_usd),
            }
        });
        let forecast = model.forecast_avg_usd(today);
        let path = format!("{}{}", paths::DASHBOARD, choice(scope).query());
        let date = today.date.strftime("%-d %B %Y").to_string();
        let [min, avg, max] =
            [today.global.min_usd, today.global.avg_usd, today.global.max_usd].map(Amount);
        let title = format!("Cost of mining one coin: {avg} USD on {date}");
        let description = format!(
            "Mining one coin cost {avg} USD worldwide on {date}, from {min} to {max}. History, \
             regions and forecast."
        );
        Ok(Self {
            frame: Frame::new(site, &path, title, description)
                .with_fingerprint(model.fingerprint().to_string()),
            date,
            iso_date: today.date.to_string(),
            reading: READING,
            week_ago: days
                .week_ago()
                .map_or_else(|_| String::new(), |day| day.date.strftime("%-d %b").to_string()),
            has_series: model.has_series(),
            headline: Headline {
                minimum: figure("minimum", "Minimum", |costs| costs.min_usd),
                average: figure("average", "Average", |costs| costs.avg_usd),
                maximum: figure("maximum", "Maximum", |costs| costs.max_usd),
            },
            scope: choice(scope),
            scopes: scopes.into_iter().map(choice).collect(),
            hidden_regions,
            region_id_pattern: REGION_ID_PATTERN,
            region_id_max: REGION_ID_MAX,
            history_wide: charts::history(&history, Form::Wide),
            history_narrow: charts::history(&history, Form::Narrow),
            week: rows.collect(),
            regions_wide: regions_chart(Form::Wide),
            regions_narrow: regions_chart(Form::Narrow),
            regions: regions.collect(),
            hashrate: Amount(today.network.hashrate_eh),
            difficulty: today.network.difficulty,
            difficulty_grouped: grouped(today.network.difficulty),
            fee: Amount(today.network.avg_fee_usd),
            forecast_days: ForecastDays::DEFAULT,
            forecast: Amount(forecast),
            forecast_change: Change { from: today.global.avg_usd, to: forecast },
        })
    }
}
