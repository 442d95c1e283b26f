//! A small page of today's figures, for frames in other pages.

use askama::Template;
use ghi_contract::GLOBAL;
use ghi_engine::{Costs, Day, Decimal, NoFigures, Scope};
use jiff::civil::Date;

use crate::charts::amounts::{Rounded, Trend};
use crate::charts::name_of;
use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Cacheable, Representation};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Answer, Context};
use crate::routes::frame::Frame;
use crate::routes::pages::{HTML, problem_page, with_policies};
use crate::routes::parameters::{Theme, scope};
use crate::routes::preview::{Preview, short};

/// What the card may load and do: look like itself, wherever it is shown.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; \
                      frame-ancestors *; base-uri 'none'; object-src 'none'";

/// The card of a scope. A browser gets a page about what was wrong.
pub(crate) fn card(context: &Context<'_>) -> Answer {
    of_today(context).or_else(|problem| problem_page(context, problem))
}

fn of_today(context: &Context<'_>) -> Answer {
    let scope = scope(&context.query, context.registry())?;
    let theme = Theme::parse(&context.query)?.name();
    let file = DailyFile { path: paths::CARD, scope, variant: theme };
    let response = context.daily_file(file, &[], |edition| {
        let html = Card::new(edition, context.site, scope, theme)?.render();
        let html = html.expect("writing to a string does not fail");
        Ok(Representation::new(Cacheable::daily(context.site, HTML), html))
    })?;
    Ok(with_policies(response, POLICY))
}

#[derive(Template)]
#[template(path = "card.html")]
struct Card<'a> {
    frame: Frame<'a>,
    theme: &'static str,
    name: &'a str,
    date: String,
    iso_date: Date,
    costs: Costs,
    /// Since yesterday and in a week, where there are figures of those days.
    trends: Vec<String>,
    dashboard_url: String,
    host: Option<&'a str>,
}

impl<'a> Card<'a> {
    fn new(
        edition: &'a Edition,
        site: &'a Site,
        scope: Scope,
        theme: &'static str,
    ) -> Result<Self, NoFigures> {
        let (model, days) = (edition.model(), edition.days());
        let today = days.today()?;
        let (name, costs) = (name_of(scope, model), scope.costs(today));
        let trend = |day: Result<&Day, NoFigures>, since: &str| {
            let from = scope.costs(day.ok()?).avg_usd;
            Some(format!("{} {since}", Trend { from, to: costs.avg_usd }))
        };
        let trends =
            [trend(days.yesterday(), "since yesterday"), trend(days.week_ago(), "in 7 days")];
        let query = match scope.region_id(model.registry()) {
            GLOBAL => String::new(),
            id => format!("?region_id={id}"),
        };
        let date = short(today.date);
        let [min, avg, max] = [costs.min_usd, costs.avg_usd, costs.max_usd].map(Rounded);
        let title = format!("{name}: ${avg} to mine one coin on {date}");
        let description =
            format!("{name} on {date}: mining one coin costs ${avg}, from ${min} to ${max}.");
        let preview = Preview { title, description, names: vec![name.into()] };
        Ok(Self {
            frame: Frame::of_figures(site, &format!("{}{query}", paths::CARD), preview, model),
            theme,
            name,
            date,
            iso_date: today.date,
            costs,
            trends: trends.into_iter().flatten().collect(),
            dashboard_url: site.url(&format!("{}{query}", paths::DASHBOARD)),
            host: site.host(),
        })
    }

    fn dollars(&self, figure: &Decimal) -> String {
        format!("${}", Rounded(*figure))
    }
}
