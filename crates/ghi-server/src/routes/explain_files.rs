//! Explanations as files.

use std::sync::Arc;

use ghi_engine::{Model, NoFigures, Scope};

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Cacheable, Representation};
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::csv::file_headers;
use crate::routes::explain_csv::explanation_csv;
use crate::routes::explanation_document::explanation_json;
use crate::routes::parameters::ExplainedDays;

/// How costs are calculated, as a table.
///
/// For a region, one row each for minimum, average and maximum, with every step of the calculation. For
/// the worldwide figures, one row per region with its contribution to the average, and a last row with the
/// sum. If the inputs have `[capital]`, the last columns are the capital cost and the full cost.
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
    responses((status = 200, body = crate::routes::explanation_document::ExplanationDocument))))]
pub(crate) fn explain_json(context: &Context<'_>) -> HandlerResult {
    ExplanationFile::Json.respond(context)
}

/// Renders the files, which is slow with many regions.
pub(crate) fn warm(edition: &Edition, site: &Site) {
    for file in [ExplanationFile::Csv, ExplanationFile::Json] {
        edition.files.warm(file.key(Scope::Global), || {
            let today = edition.days().today()?.date;
            let days = ExplainedDays { scope: Scope::Global, date: today, since: None };
            file.representation(edition.model(), site, days)
        });
    }
}

#[derive(Clone, Copy)]
enum ExplanationFile {
    Csv,
    Json,
}

impl ExplanationFile {
    fn key(self, scope: Scope) -> DailyFile {
        match self {
            Self::Csv => DailyFile::ExplainCsv(scope),
            Self::Json => DailyFile::ExplainJson(scope),
        }
    }

    fn name(self, model: &Model, ExplainedDays { scope, date, since }: ExplainedDays) -> String {
        let region_id = scope.region_id(model.registry());
        let since = since.map(|since| format!("-since-{since}")).unwrap_or_default();
        let ending = if matches!(self, Self::Csv) { "csv" } else { "json" };
        format!("ghi-explain-{region_id}-{date}{since}.{ending}")
    }

    fn headers(self, site: &Site, name: &str) -> Cacheable {
        match self {
            Self::Csv => file_headers(site, name),
            Self::Json => Cacheable::daily_api(site, "application/json"),
        }
    }

    fn text(self, model: &Model, days: ExplainedDays) -> Result<Vec<u8>, NoFigures> {
        let ExplainedDays { scope, date, since } = days;
        let text = match self {
            Self::Csv => explanation_csv(&model.explain(scope, date)?, model.registry()),
            Self::Json => explanation_json(model, scope, date, since)?,
        };
        Ok(text.into_bytes())
    }

    fn representation(
        self,
        model: &Model,
        site: &Site,
        days: ExplainedDays,
    ) -> Result<Representation, NoFigures> {
        let headers = self.headers(site, &self.name(model, days));
        Ok(Representation::new(headers, self.text(model, days)?))
    }

    /// Sends today's file, which is cached, or another day's. Another day's worldwide file is streamed,
    /// because it is slow to generate with many regions.
    fn respond(self, context: &Context<'_>) -> HandlerResult {
        let today = context.today();
        let days = ExplainedDays::parse(&context.query, context.registry(), today, false)?;
        let ExplainedDays { scope, date, since } = days;
        let model = Arc::clone(context.model());
        let make = || self.representation(context.model(), context.site, days);
        if date == today && since.is_none() {
            return context.daily_file(self.key(scope), &[], |_| make());
        }
        if scope != Scope::Global {
            return Ok(context.daily(&make()?, &[]));
        }
        [Some(date), since].into_iter().flatten().try_for_each(|date| model.check(date))?;
        let name = self.name(&model, days);
        let headers = self.headers(context.site, &name);
        context.streamed_file(headers, &name, move || self.text(&model, days))
    }
}
