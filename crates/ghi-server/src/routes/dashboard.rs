//! The page that shows the index at one look, and what one wants to know next.

use std::sync::Arc;

use askama::Template;
use ghi_engine::NoFigures;

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Cacheable, Representation};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::blocks::calculation::Calculation;
use crate::routes::blocks::comparison::Comparison;
use crate::routes::blocks::history::{History, Place};
use crate::routes::blocks::network::Network;
use crate::routes::blocks::regions::Regions;
use crate::routes::blocks::today::Today;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::dashboard_preview::preview;
use crate::routes::frame::Frame;
use crate::routes::pages::{HTML, page, problem_page};
use crate::routes::reading::Reading;
use crate::routes::view::View;

/// The dashboard, with what its reader has chosen. A browser gets a page about what was wrong.
pub(crate) fn dashboard(context: &Context<'_>) -> HandlerResult {
    of_today(context).or_else(|problem| problem_page(context, problem))
}

fn of_today(context: &Context<'_>) -> HandlerResult {
    let view = View::parse(&context.query, context.registry())?;
    let reading = Reading::at(context.day.moment(), context.clock).render();
    let reading = reading.expect("writing to a string does not fail");
    let make = |edition: &Edition| page_of_day(edition, context.site, &view);
    let response = match file(&view) {
        Some(file) => context.daily_file(file, reading.as_bytes(), make)?,
        None => context.daily(&make(context.edition())?, reading.as_bytes()),
    };
    Ok(page(response))
}

/// Makes the page that most people ask for.
pub(crate) fn warm(edition: &Edition, site: &Site) {
    let view = View::DEFAULT;
    if let Some(file) = file(&view) {
        edition.files.warm(file, || page_of_day(edition, site, &view));
    }
}

/// What a page is kept as. Not every one is: there are too many things to choose.
fn file(view: &View) -> Option<DailyFile> {
    let View { range, scope, .. } = *view;
    let is_kept = *view == View { range, scope, ..View::DEFAULT };
    is_kept.then_some(DailyFile::Dashboard(scope, range))
}

/// The page, with a slot for the sentence that changes from minute to minute.
fn page_of_day(edition: &Edition, site: &Site, view: &View) -> Result<Representation, NoFigures> {
    let html = Dashboard::new(edition, view, site)?.render();
    let html = html.expect("writing to a string does not fail");
    let (before, after) = html.split_once(READING).unwrap_or((&html, ""));
    let headers = Arc::new(Cacheable::daily(site, HTML));
    Ok(Representation::with_visible_slot(headers, before.to_owned() + after, before.len()))
}

/// Stands in the page of the day where [`Reading`] goes in with each request. No name of a region
/// has such a character.
const READING: &str = "\0";

#[derive(Template)]
#[template(path = "dashboard.html")]
struct Dashboard<'a> {
    frame: Frame<'a>,
    has_series: bool,
    today: Today,
    history: History<'a>,
    regions: Regions<'a>,
    comparison: Comparison<'a>,
    calculation: Calculation<'a>,
    network: Network,
}

impl<'a> Dashboard<'a> {
    fn new(edition: &'a Edition, view: &View, site: &'a Site) -> Result<Self, NoFigures> {
        let model = edition.model();
        let path = format!("{}{}", paths::DASHBOARD, view.query(model.registry()));
        let history = History::new(edition, view, site, Place::Dashboard)?;
        let comparison = Comparison::new(edition, view, site)?;
        let calculation = Calculation::new(edition, view, site)?;
        let preview = preview(edition, view, &history, &comparison, &calculation)?;
        Ok(Self {
            frame: Frame::of_figures(site, &path, preview, model),
            has_series: model.has_series(),
            today: Today::new(edition, site, READING)?,
            history,
            regions: Regions::new(edition, view, calculation.yours(), site)?,
            comparison,
            calculation,
            network: Network::new(edition, site)?,
        })
    }
}
