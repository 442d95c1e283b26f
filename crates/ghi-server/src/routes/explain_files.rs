//! Explanations as files.

use std::sync::Arc;

use bytes::Bytes;
use ghi_engine::{ENGINE_SANDBOX_VERSION, Explanation, Registry, Scope};
use jiff::civil::Date;

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Cacheable, Representation};
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::csv::file_headers;
use crate::routes::explain::{explained, warm_today};
use crate::routes::explain_csv::explanation_csv;
use crate::routes::explanation_document::explanation_json;
use crate::routes::parameters::{date, scope};

/// How much of a file is sent at a time, bytes.
const PIECE_BYTES: usize = 16 * 1024;

/// How costs are calculated, as a table.
///
/// For a region, one row each for minimum, average and maximum, with every step of the calculation.
/// Worldwide, one row per region with its contribution to the global average, and a last row with the sum.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::EXPLAIN_CSV, tag = "Charts and files",
    params(("region_id" = Option<String>, Query), ("date" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn explain_csv(context: &Context<'_>) -> HandlerResult {
    ExplanationFile::Csv.respond(context)
}

/// How costs are calculated, as JSON.
///
/// Every step from the difficulty to the published costs with its numbers, what each region adds to
/// the global average, and what 1% more of each input does.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::EXPLAIN_JSON, tag = "Charts and files",
    params(("region_id" = Option<String>, Query), ("date" = Option<String>, Query)),
    responses((status = 200, body = crate::routes::explanation_document::ExplanationDocument))))]
pub(crate) fn explain_json(context: &Context<'_>) -> HandlerResult {
    ExplanationFile::Json.respond(context)
}

/// Renders the files, which is slow with many regions.
pub(crate) fn warm(edition: &Edition, site: &Site) {
    for file in [ExplanationFile::Csv, ExplanationFile::Json] {
        let registry = edition.model().registry();
        warm_today(edition, file.key(Scope::Global), |explanation| {
            file.representation(explanation, registry, site)
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

    fn name(self, region_id: &str, date: Date) -> String {
        let ending = if matches!(self, Self::Csv) { "csv" } else { "json" };
        format!("ghi-explain-{region_id}-{date}.{ending}")
    }

    fn headers(self, site: &Site, name: &str) -> Cacheable {
        match self {
            Self::Csv => file_headers(site, name),
            Self::Json => Cacheable::daily_api(site, "application/json"),
        }
    }

    fn text(self, explanation: &Explanation, registry: &Registry) -> String {
        match self {
            Self::Csv => explanation_csv(explanation, registry),
            Self::Json => explanation_json(explanation, registry),
        }
    }

    fn representation(
        self,
        explanation: &Explanation,
        registry: &Registry,
        site: &Site,
    ) -> Representation {
        let name = self.name(explanation.scope.region_id(registry), explanation.day.date);
        Representation::new(self.headers(site, &name), self.text(explanation, registry))
    }

    fn respond(self, context: &Context<'_>) -> HandlerResult {
        let (scope, date) = (scope(&context.query, context.registry())?, date(&context.query)?);
        let Some(date) = date.filter(|date| *date != context.today() && scope == Scope::Global)
        else {
            return explained(context, scope, date, self.key(scope), |explanation| {
                self.representation(explanation, context.registry(), context.site)
            });
        };
        // With many regions that takes long, and nobody made it ahead.
        let model = Arc::clone(context.model());
        model.coverage().check(date)?;
        let name = self.name(scope.region_id(model.registry()), date);
        let fingerprint = model.fingerprint().to_string();
        let made_of = [&*name, ENGINE_SANDBOX_VERSION, &fingerprint];
        let pieces = std::iter::once_with(move || {
            let explanation = model.explain(scope, date).expect("the model covers the day");
            let text = Bytes::from(self.text(&explanation, model.registry()));
            let starts = (0..text.len()).step_by(PIECE_BYTES);
            starts.map(move |start| text[start..text.len().min(start + PIECE_BYTES)].to_vec())
        });
        context.streamed(self.headers(context.site, &name), &made_of, pieces.flatten())
    }
}
