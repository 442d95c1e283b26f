//! Where documents come from: the engine in this program, or a deployment of the API.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ghi_client::{Client, Resource};
use ghi_contract::{History, REGION_ID_MAX, paths};
use ghi_display::{Range, kind_of_data, known_ids};
use ghi_engine::{Model, NoFigures, Provenance, RecentDays, Registry, Scope, visible};
use ghi_server::{
    Clock, DateRange, Documents, Inputs, Moment, cost_curve_table, document_json, economics_table,
    explanation_csv, explanation_json,
};
use jiff::ToSpan;
use jiff::civil::Date;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::flag_values::moment;
use crate::inputs;

/// How long a deployment may take for all documents of a command, or of a call of a tool.
const TIME_MAX: Duration = Duration::from_secs(50);

/// How many bytes of documents are cached for calls that follow.
const CACHE_BYTES: usize = 1 << 20;

/// Where a deployment of this project explains its figures; the contract has no such document.
pub(crate) const EXPLAIN_JSON: &str = "/export/explain.json";

/// The same as CSV.
const EXPLAIN_CSV: &str = "/export/explain.csv";

/// The cost curve of a deployment of this project.
pub(crate) const COST_CURVE_CSV: &str = "/export/cost-curve.csv";

/// The price beside the cost, in a deployment of this project.
pub(crate) const ECONOMICS_CSV: &str = "/export/economics.csv";

/// The longest date of a deployment that a message repeats, characters.
const DATE_MAX: usize = 10;

/// The flags that say where documents come from.
#[derive(clap::Args)]
pub(crate) struct SourceArgs {
    /// Ask the deployment at this base address, such as http://127.0.0.1:8000, instead of the engine
    /// in this program
    #[arg(long, value_name = "BASE", global = true)]
    url: Option<String>,

    /// Stop the clock at this UTC time, such as 2026-11-15T12:00:00Z; a day is its midnight
    #[arg(long, env = "GHI_AT", value_name = "TIMESTAMP", global = true)]
    #[arg(value_parser = moment)]
    at: Option<Moment>,

    /// The network that this TOML file describes, instead of the built-in one
    #[arg(long, env = "GHI_INPUTS", value_name = "FILE", global = true)]
    inputs: Option<PathBuf>,
}

/// Gives up on a deployment that keeps a command waiting.
pub(crate) async fn in_time<T>(
    documents: impl Future<Output = Result<T, String>>,
) -> Result<T, String> {
    let too_late = || Err(format!("no answer within {} s", TIME_MAX.as_secs()));
    timeout(TIME_MAX, documents).await.unwrap_or_else(|_| too_late())
}

/// Parses a document that a deployment sent, or the engine made.
pub(crate) fn parse_document<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("not a valid document: {error}"))
}

/// Where documents come from.
pub(crate) enum DocumentSource {
    /// The engine in this program.
    Embedded {
        model: Arc<Model>,
        clock: Clock,
    },
    Deployment(Client),
}

impl DocumentSource {
    /// The source that the command line names.
    pub(crate) fn open(args: &SourceArgs) -> Result<Self, String> {
        let Some(url) = &args.url else {
            let inputs = args.inputs.as_deref().map_or_else(|| Ok(Inputs::default()), inputs::read);
            let clock = args.at.map_or_else(Clock::system, Clock::at);
            return Ok(Self::Embedded { model: Arc::new(Model::new(inputs?)), clock });
        };
        if args.at.is_some() || args.inputs.is_some() {
            return Err("--url names a deployment with a clock and inputs of its own: leave out --at and --inputs, and unset GHI_AT and GHI_INPUTS".into());
        }
        let client = Client::builder(url).map_err(|invalid| format!("--url {invalid}"))?;
        Ok(Self::Deployment(client.cache_bytes(CACHE_BYTES).build()))
    }

    /// Its name for people.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Embedded { .. } => "embedded engine",
            Self::Deployment(client) => client.base_url(),
        }
    }

    /// What people are told of its data. The contract says no more of a deployment's than that they are
    /// a sandbox's.
    pub(crate) fn kind_of_data(&self) -> String {
        match self {
            Self::Embedded { model, clock } => {
                let provenance = model.provenance(Scope::Global, clock.now().date());
                kind_of_data(&provenance.unwrap_or(Provenance::OperatorData))
            }
            Self::Deployment(_) => "Sandbox data".into(),
        }
    }

    /// A document as a server sends it.
    pub(crate) async fn json(&self, resource: &Resource) -> Result<String, String> {
        match self {
            Self::Embedded { model, clock } => embedded_json(model, clock.now(), resource),
            Self::Deployment(client) => {
                client.text(resource).await.map_err(|error| error.to_string())
            }
        }
    }

    /// The history with the days from a first to a last. Without either, the days that the history has.
    pub(crate) async fn history_json(
        &self,
        region_id: &str,
        from: Option<Date>,
        to: Option<Date>,
    ) -> Result<String, String> {
        let resource = Resource::History(region_id.into());
        if from.is_none() && to.is_none() {
            return self.json(&resource).await;
        }
        match self {
            Self::Embedded { model, clock } => {
                let scope = find_scope(region_id, model.registry())?;
                let now = clock.now();
                let range = DateRange::new(from, to, now.date())
                    .map_err(|invalid| format!("--from and --to: {invalid}"))?;
                let Some(range) = range else { return self.json(&resource).await };
                let days = RecentDays::up_to(now.date(), model);
                let documents = Documents::new(model, &days, now);
                with_figures(documents.history_between(scope, range.first(), range.last()))
            }
            Self::Deployment(client) => {
                let text = self.json(&resource).await?;
                between(&text, from, to).map_err(|why| format!("{} {why}", client.base_url()))
            }
        }
    }

    /// How the costs of a day are calculated, today without a date; and why the average changed since another
    /// day, if one is given.
    pub(crate) async fn explanation_json(
        &self,
        region_id: &str,
        date: Option<Date>,
        since: Option<Date>,
    ) -> Result<String, String> {
        match self {
            Self::Embedded { model, clock } => {
                let scope = find_scope(region_id, model.registry())?;
                let date = date.unwrap_or_else(|| clock.now().date());
                explanation_json(model, scope, date, since).map_err(|error| error.to_string())
            }
            Self::Deployment(client) => {
                let target = explanation_target(EXPLAIN_JSON, region_id, date, since);
                client
                    .text_at(&target)
                    .await
                    .map_err(|error| not_there(client, EXPLAIN_JSON, &error))
            }
        }
    }

    /// The same as CSV.
    pub(crate) async fn explanation_csv(
        &self,
        region_id: &str,
        date: Option<Date>,
    ) -> Result<String, String> {
        match self {
            Self::Embedded { model, clock } => {
                let scope = find_scope(region_id, model.registry())?;
                let explanation = model.explain(scope, date.unwrap_or_else(|| clock.now().date()));
                let explanation = explanation.map_err(|error| error.to_string())?;
                Ok(explanation_csv(&explanation, model.registry()))
            }
            Self::Deployment(client) => {
                let target = explanation_target(EXPLAIN_CSV, region_id, date, None);
                client
                    .file_at(&target)
                    .await
                    .map_err(|error| not_there(client, EXPLAIN_CSV, &error))
            }
        }
    }

    /// A table as a server sends it.
    pub(crate) async fn table(&self, request: &TableRequest) -> Result<String, String> {
        match self {
            Self::Embedded { model, clock } => request.embedded(model, clock.now().date()),
            Self::Deployment(client) => {
                let (path, target) = request.target();
                client.file_at(&target).await.map_err(|error| not_there(client, path, &error))
            }
        }
    }
}

/// A table that is not part of the contract.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct TableRequest {
    /// Whether it is the price beside the cost, by day, and not the cost curve of a day.
    pub(crate) is_economics: bool,
    pub(crate) date: Option<Date>,
    pub(crate) range: Option<Range>,
    pub(crate) from: Option<Date>,
    pub(crate) to: Option<Date>,
    /// The reader's price, USD.
    pub(crate) price: Option<f64>,
}

impl TableRequest {
    /// The path of the table, and the path with its query.
    fn target(&self) -> (&'static str, String) {
        let path = if self.is_economics { ECONOMICS_CSV } else { COST_CURVE_CSV };
        let dates = [("date", self.date), ("from", self.from), ("to", self.to)];
        let dates = dates.into_iter().filter_map(|(name, date)| Some(format!("{name}={}", date?)));
        let range = self.range.map(|range| format!("range={}", range.name()));
        let price = self.price.map(|price| format!("price={price}"));
        let query: Vec<String> = dates.chain(range).chain(price).collect();
        (path, if query.is_empty() { path.into() } else { format!("{path}?{}", query.join("&")) })
    }

    fn embedded(&self, model: &Arc<Model>, today: Date) -> Result<String, String> {
        let table = if self.is_economics {
            if self.price.is_none() && !model.has_price() {
                return Err("the inputs have no market price; give one with --price".into());
            }
            let days_ago = |range: Range| i64::from(range.days()) - 1;
            let first = self.range.map(|range| today.saturating_sub(days_ago(range).days()));
            let (from, to) = (self.date.or(self.from).or(first), self.date.or(self.to));
            // Without any of them, the week up to today.
            let to = if from.is_none() { to.or(Some(today)) } else { to };
            let range = DateRange::new(from, to, today).map_err(|invalid| invalid.to_string())?;
            let range = range.ok_or("--from or --to is missing")?;
            economics_table(model, range, self.price)
        } else {
            let day = model.day(self.date.unwrap_or(today));
            day.and_then(|day| cost_curve_table(model, &day))
        };
        let table = table.map_err(|error| error.to_string())?;
        String::from_utf8(table).map_err(|error| error.to_string())
    }
}

fn explanation_target(
    path: &str,
    region_id: &str,
    date: Option<Date>,
    since: Option<Date>,
) -> String {
    let target = Resource::History(region_id.into()).target();
    let mut target = target.replacen(paths::HISTORY, path, 1);
    for (name, date) in [("date", date), ("since", since)] {
        target += &date.map(|date| format!("&{name}={date}")).unwrap_or_default();
    }
    target
}

/// What is wrong with a path that is not part of the contract.
fn not_there(client: &Client, path: &str, error: &ghi_client::Error) -> String {
    match (error.status(), error.code()) {
        (Some(404), Some("unknown_region" | "no_price")) => error.to_string(),
        (Some(404), _) => {
            let thing = if path.contains("explain") { "explanation" } else { "table" };
            format!(
                "{} has no {thing} at {path}, which is not part of the contract",
                client.base_url()
            )
        }
        _ => error.to_string(),
    }
}

fn embedded_json(model: &Model, now: Moment, resource: &Resource) -> Result<String, String> {
    let days = RecentDays::up_to(now.date(), model);
    let documents = Documents::new(model, &days, now);
    let registry = model.registry();
    match resource {
        Resource::Metadata => Ok(document_json(&documents.metadata())),
        Resource::Regions => Ok(document_json(&documents.regions())),
        Resource::RegionDetail(id) => {
            let region = registry.find(id);
            let region = region.ok_or_else(|| unknown_region(id, "", registry))?;
            with_figures(documents.region_detail(region))
        }
        Resource::Snapshot => with_figures(documents.snapshot()),
        Resource::History(id) => with_figures(documents.history(find_scope(id, registry)?)),
        Resource::Network => with_figures(documents.network()),
        Resource::Forecast(days) => with_figures(documents.forecast(*days)),
        Resource::Indicator => with_figures(documents.indicator()),
    }
}

fn with_figures(document: Result<impl Serialize, NoFigures>) -> Result<String, String> {
    document.map(|document| document_json(&document)).map_err(|no_figures| no_figures.to_string())
}

/// The points of a deployment's history from a first day to a last, which must be among them.
fn between(history: &str, from: Option<Date>, to: Option<Date>) -> Result<String, String> {
    let mut history: History = serde_json::from_str(history).map_err(|error| error.to_string())?;
    let dates = history.points.iter().map(|point| point.date.clone());
    let (Some(first), Some(last)) = (dates.clone().min(), dates.max()) else {
        return Err("has a history without points".into());
    };
    let from = from.map_or_else(|| first.clone(), |date| date.to_string());
    let to = to.map_or_else(|| last.clone(), |date| date.to_string());
    if from > to || from < first || to > last {
        let [first, last] = [first, last].map(|date| visible(&date, DATE_MAX));
        return Err(format!(
            "has the days {first} to {last}; --from and --to must lie within, --from not after --to"
        ));
    }
    history.points.retain(|point| from <= point.date && point.date <= to);
    Ok(document_json(&history))
}

/// The region with this id, or worldwide.
pub(crate) fn find_scope(id: &str, registry: &Registry) -> Result<Scope, String> {
    Scope::find(id, registry).ok_or_else(|| unknown_region(id, "global, or ", registry))
}

fn unknown_region(id: &str, others: &str, registry: &Registry) -> String {
    let (id, known) = (visible(id, REGION_ID_MAX), known_ids(registry));
    format!("no region has the id '{id}'; it takes {others}one of {known}")
}
