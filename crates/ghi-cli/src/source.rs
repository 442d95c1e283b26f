//! The source of documents: the built-in engine, or a server.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ghi_client::{Client, Resource};
use ghi_contract::{GLOBAL, History, REGION_ID_MAX, paths};
use ghi_display::{Range, grouped, kind_of_data, known_ids};
use ghi_engine::{Coin, Model, NoFigures, Provenance, RecentDays, Registry, Scope, visible};
use ghi_server::{
    Clock, DateRange, Documents, Inputs, InvalidDateRange, Moment, cost_curve_table, document_json,
    economics_table, explanation_csv, explanation_json,
};
use jiff::ToSpan;
use jiff::civil::Date;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::flag_values::moment;
use crate::inputs;

/// The maximum time for all documents of a command or a tool call.
const TIME_MAX: Duration = Duration::from_secs(50);

/// The maximum size of cached documents in bytes.
const CACHE_BYTES: usize = 1 << 20;

/// The paths of explanations and tables on this project's servers. They are not part of the contract.
pub(crate) const EXPLAIN_JSON: &str = "/export/explain.json";
pub(crate) const EXPLAIN_CSV: &str = "/export/explain.csv";
pub(crate) const COST_CURVE_CSV: &str = "/export/cost-curve.csv";
pub(crate) const ECONOMICS_CSV: &str = "/export/economics.csv";

/// The maximum number of characters of a date from a server in a message.
const DATE_MAX: usize = 10;

/// The flags that select the source of documents.
#[derive(clap::Args)]
pub(crate) struct SourceArgs {
    /// Query the server at this base URL, such as http://127.0.0.1:8000, instead of the
    /// built-in engine
    #[arg(long, value_name = "BASE", global = true)]
    url: Option<String>,

    /// Stop the clock at this UTC time, such as 2026-11-15T12:00:00Z; a date means its midnight
    #[arg(long, env = "GHI_AT", value_name = "TIMESTAMP", global = true)]
    #[arg(value_parser = moment)]
    at: Option<Moment>,

    /// Use the network described in this TOML file instead of the built-in one
    #[arg(long, env = "GHI_INPUTS", value_name = "FILE", global = true)]
    inputs: Option<PathBuf>,
}

/// Fails if a server takes too long.
pub(crate) async fn in_time<T>(
    documents: impl Future<Output = Result<T, String>>,
) -> Result<T, String> {
    let too_late = || Err(format!("no response within {} s", TIME_MAX.as_secs()));
    timeout(TIME_MAX, documents).await.unwrap_or_else(|_| too_late())
}

/// Parses a document from a server or the engine.
pub(crate) fn parse_document<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("not a valid document: {error}"))
}

/// The source of documents.
pub(crate) enum DocumentSource {
    /// The built-in engine.
    Embedded {
        model: Arc<Model>,
        clock: Clock,
    },
    Deployment(Client),
}

impl DocumentSource {
    /// Opens the source selected by the flags.
    pub(crate) fn open(args: &SourceArgs) -> Result<Self, String> {
        let Some(url) = &args.url else {
            let inputs = args.inputs.as_deref().map_or_else(|| Ok(Inputs::default()), inputs::read);
            let clock = args.at.map_or_else(Clock::system, Clock::at);
            return Ok(Self::Embedded { model: Arc::new(Model::new(inputs?)), clock });
        };
        if args.at.is_some() || args.inputs.is_some() {
            return Err("--url cannot be combined with --at or --inputs, because the server has its own clock and inputs; remove them, and unset GHI_AT and GHI_INPUTS".into());
        }
        let client = Client::builder(url).map_err(|invalid| format!("--url {invalid}"))?;
        Ok(Self::Deployment(client.cache_bytes(CACHE_BYTES).build()))
    }

    /// Returns a name to display.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Embedded { .. } => "embedded engine",
            Self::Deployment(client) => client.base_url(),
        }
    }

    /// Describes a scope's data on a day. By the contract, a server's data is sandbox data; whether it is
    /// synthetic is unknown.
    pub(crate) fn kind_of_data(&self, region_id: &str, date: &str) -> String {
        let Self::Embedded { model, .. } = self else { return "Sandbox data".into() };
        let provenance = || {
            let scope = Scope::find(region_id, model.registry())?;
            model.provenance(scope, date.parse().ok()?).ok()
        };
        kind_of_data(&provenance().unwrap_or(Provenance::OperatorData))
    }

    /// Returns the coin. A server's documents do not name it, so it is the unnamed default.
    pub(crate) fn coin(&self) -> Coin {
        match self {
            Self::Embedded { model, .. } => model.coin().clone(),
            Self::Deployment(_) => Coin::default(),
        }
    }

    /// Describes the data of today.
    pub(crate) fn kind_of_data_today(&self) -> String {
        let today = match self {
            Self::Embedded { clock, .. } => clock.now().date().to_string(),
            Self::Deployment(_) => String::new(),
        };
        self.kind_of_data(GLOBAL, &today)
    }

    /// Returns a document as a server sends it.
    pub(crate) async fn json(&self, resource: &Resource) -> Result<String, String> {
        match self {
            Self::Embedded { model, clock } => embedded_json(model, clock.now(), resource),
            Self::Deployment(client) => {
                client.text(resource).await.map_err(|error| error.to_string())
            }
        }
    }

    /// Returns the history of the requested days, or of the default days.
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
                let range = DateRange::new(from, to, now.date()).map_err(invalid_range)?;
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

    /// Returns the explanation of a day's costs, today by default, as the file at this path. With `since`, the
    /// JSON includes the change since that day.
    pub(crate) async fn explanation(
        &self,
        path: &'static str,
        region_id: &str,
        date: Option<Date>,
        since: Option<Date>,
    ) -> Result<String, String> {
        match self {
            Self::Embedded { model, clock } => {
                let (scope, registry) =
                    (find_scope(region_id, model.registry())?, model.registry());
                let date = date.unwrap_or_else(|| clock.now().date());
                let text = match path {
                    EXPLAIN_CSV => {
                        model.explain(scope, date).map(|it| explanation_csv(&it, registry))
                    }
                    _ => explanation_json(model, scope, date, since),
                };
                text.map_err(|error| inputs::no_data(&error))
            }
            Self::Deployment(client) => {
                let target = explanation_target(path, region_id, date, since);
                let text = match path {
                    EXPLAIN_CSV => client.file_at(&target).await,
                    _ => client.text_at(&target).await,
                };
                text.map_err(|error| unavailable(client, path, &error))
            }
        }
    }

    /// Returns a table as a server sends it.
    pub(crate) async fn table(&self, request: &TableRequest) -> Result<String, String> {
        match self {
            Self::Embedded { model, clock } => request.embedded(model, clock.now().date()),
            Self::Deployment(client) => {
                let (path, target) = request.target();
                client.file_at(&target).await.map_err(|error| unavailable(client, path, &error))
            }
        }
    }
}

/// A table that is not part of the contract.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct TableRequest {
    /// Whether it is the economics by day. Otherwise it is the cost curve of a day.
    pub(crate) is_economics: bool,
    pub(crate) date: Option<Date>,
    pub(crate) range: Option<Range>,
    pub(crate) from: Option<Date>,
    pub(crate) to: Option<Date>,
    /// The reader's price in USD.
    pub(crate) price: Option<f64>,
}

impl TableRequest {
    /// Returns the path of the table, without and with its query.
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
            let price = self.price.map(|price| model.readers_price(price)).transpose()?;
            let days_ago = |range: Range| i64::from(range.days()) - 1;
            let first = self.range.map(|range| today.saturating_sub(days_ago(range).days()));
            let (from, to) = (self.date.or(self.from).or(first), self.date.or(self.to));
            // The default is the last seven days.
            let to = if from.is_none() { to.or(Some(today)) } else { to };
            let range = DateRange::new(from, to, today).map_err(|invalid| invalid.to_string())?;
            let range = range.ok_or("a date is missing")?;
            let table = economics_table(model, range, price).map_err(|error| error.to_string())?;
            Ok(table.ok_or("there is no market price for these days; specify a price")?)
        } else {
            let day = model.day(self.date.unwrap_or(today));
            day.and_then(|day| cost_curve_table(model, &day))
        };
        let table = table.map_err(|error: NoFigures| inputs::no_data(&error))?;
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

/// Describes an error of a path that is not part of the contract.
fn unavailable(client: &Client, path: &str, error: &ghi_client::Error) -> String {
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
    document.map(|document| document_json(&document)).map_err(|error| inputs::no_data(&error))
}

/// Returns the points of a server's history between two days, which must be among its dates.
fn between(history: &str, from: Option<Date>, to: Option<Date>) -> Result<String, String> {
    let mut history: History = serde_json::from_str(history).map_err(|error| error.to_string())?;
    let dates = history.points.iter().map(|point| point.date.clone());
    let (Some(first), Some(last)) = (dates.clone().min(), dates.max()) else {
        return Err("returned a history without points".into());
    };
    let from = from.map_or_else(|| first.clone(), |date| date.to_string());
    let to = to.map_or_else(|| last.clone(), |date| date.to_string());
    if from > to || from < first || to > last {
        let [first, last] = [first, last].map(|date| visible(&date, DATE_MAX));
        return Err(format!(
            "has data from {first} to {last}; --from and --to must be within that range, and --from not after --to"
        ));
    }
    history.points.retain(|point| from <= point.date && point.date <= to);
    Ok(document_json(&history))
}

/// Describes an invalid range by its flags.
fn invalid_range(invalid: InvalidDateRange) -> String {
    match invalid {
        InvalidDateRange::Backwards => "--from must not be after --to".into(),
        InvalidDateRange::AfterToday => "--from is after today; set --to as well".into(),
        InvalidDateRange::TooLong => {
            format!("--from and --to must span at most {} days", grouped(DateRange::MAX_DAYS))
        }
        invalid => format!("--from and --to: {invalid}"),
    }
}

/// Finds the region with this id, or worldwide.
pub(crate) fn find_scope(id: &str, registry: &Registry) -> Result<Scope, String> {
    Scope::find(id, registry).ok_or_else(|| unknown_region(id, "global, or ", registry))
}

fn unknown_region(id: &str, others: &str, registry: &Registry) -> String {
    let (id, known) = (visible(id, REGION_ID_MAX), known_ids(registry));
    format!("unknown region '{id}'; expected {others}one of {known}")
}
