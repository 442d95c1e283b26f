//! Where documents come from: the engine in this program, or a deployment of the API.

use std::path::PathBuf;
use std::time::Duration;

use ghi_client::{Client, Resource};
use ghi_contract::{History, REGION_ID_MAX, paths};
use ghi_display::{kind_of_data, known_ids};
use ghi_engine::{Model, NoFigures, RecentDays, Registry, Scope, visible};
use ghi_server::{Clock, DateRange, Documents, Inputs, Moment, document_json, explanation_json};
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

/// The UTC day by the system's clock.
pub(crate) fn today() -> Date {
    Clock::system().now().date()
}

/// Where documents come from.
pub(crate) enum DocumentSource {
    /// The engine in this program.
    Embedded {
        model: Box<Model>,
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
            return Ok(Self::Embedded { model: Box::new(Model::new(inputs?)), clock });
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
    pub(crate) fn kind_of_data(&self) -> &'static str {
        match self {
            Self::Embedded { model, .. } => kind_of_data(model),
            Self::Deployment(_) => "Sandbox data",
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

    /// How the figures of a day follow from the inputs; today without a date.
    pub(crate) async fn explanation_json(
        &self,
        region_id: &str,
        date: Option<Date>,
    ) -> Result<String, String> {
        let client = match self {
            Self::Embedded { model, clock } => {
                let scope = find_scope(region_id, model.registry())?;
                let date = date.unwrap_or_else(|| clock.now().date());
                let explanation = model.explain(scope, date).map_err(|error| error.to_string())?;
                return Ok(explanation_json(&explanation, model.registry()));
            }
            Self::Deployment(client) => client,
        };
        let target = Resource::History(region_id.into()).target();
        let mut target = target.replacen(paths::HISTORY, EXPLAIN_JSON, 1);
        if let Some(date) = date {
            target += &format!("&date={date}");
        }
        client.text_at(&target).await.map_err(|error| match (error.status(), error.code()) {
            (Some(404), code) if code != Some("unknown_region") => format!(
                "{} has no explanation at {EXPLAIN_JSON}, which is not part of the contract",
                client.base_url()
            ),
            _ => error.to_string(),
        })
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
