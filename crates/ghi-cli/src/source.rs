//! The source of documents: the built-in engine, or a server.

use std::path::PathBuf;
use std::time::Duration;

use ghi_client::{Client, Resource, Settings, with_query};
use ghi_contract::{History, Metadata, ProblemDocument};
use ghi_display::{kind_of_data, outlook_in_words};
use ghi_engine::{Coin, Provenance, Scope};
use ghi_server::{Clock, Config, InProcess, Inputs, Moment, document_json};
use hyper::Request;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::flag_values::moment;
use crate::inputs;

/// The maximum time for all documents of a command or a tool call.
const TIME_MAX: Duration = Duration::from_secs(50);

const CACHE_BYTES: usize = 1 << 20;

/// The paths of explanations and tables on this project's servers. They are not part of the contract.
pub(crate) const EXPLAIN_JSON: &str = "/export/explain.json";
pub(crate) const EXPLAIN_CSV: &str = "/export/explain.csv";
pub(crate) const COST_CURVE_CSV: &str = "/export/cost-curve.csv";
pub(crate) const ECONOMICS_CSV: &str = "/export/economics.csv";
pub(crate) const FORECAST_CSV: &str = "/export/forecast.csv";
pub(crate) const FORECAST_SCORE_CSV: &str = "/export/forecast-score.csv";
pub(crate) const SNAPSHOT_CSV: &str = "/export/snapshot.csv";
const HISTORY_CSV: &str = "/export/history.csv";

#[derive(clap::Args)]
pub(crate) struct SourceArgs {
    /// Query the server at this base URL, such as http://127.0.0.1:8000, instead of the
    /// built-in engine
    #[arg(long, value_name = "BASE", global = true)]
    url: Option<String>,

    #[command(flatten)]
    embedded: EmbeddedArgs,
}

#[derive(clap::Args)]
pub(crate) struct EmbeddedArgs {
    /// Stop the clock at this UTC time, such as 2026-11-15T12:00:00Z; a date means 00:00 UTC on that day
    #[arg(long, env = "GHI_AT", value_name = "TIMESTAMP", global = true, value_parser = moment)]
    at: Option<Moment>,

    /// Use the network described in this TOML file instead of the built-in one
    #[arg(long, env = "GHI_INPUTS", value_name = "FILE", global = true)]
    inputs: Option<PathBuf>,
}

impl EmbeddedArgs {
    pub(crate) fn read(&self) -> Result<(Inputs, Clock), String> {
        let inputs = self.inputs.as_deref().map_or_else(|| Ok(Inputs::default()), inputs::read)?;
        Ok((inputs, self.at.map_or_else(Clock::system, Clock::at)))
    }
}

pub(crate) async fn in_time<T>(
    documents: impl Future<Output = Result<T, String>>,
) -> Result<T, String> {
    let too_late = |_| format!("no response within {} s", TIME_MAX.as_secs());
    timeout(TIME_MAX, documents).await.map_err(too_late).flatten()
}

pub(crate) fn parse_document<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("not a valid document: {error}"))
}

/// The memory of one JSON value in bytes, estimated from `[0]` and `{"":0}` in a list, which take the most.
const VALUE_BYTES: usize = 256;

/// Estimates the memory of a document with its values, or of a table with its cells, in bytes.
pub(crate) fn estimated_memory(text: &[u8]) -> usize {
    // Every value but the first follows one of these bytes.
    let values = text.iter().filter(|byte| b",[{\n".contains(byte)).count();
    text.len() + values * VALUE_BYTES
}

/// Rejects a document or a table whose values would take more memory than this, in bytes.
pub(crate) fn verify_memory(text: &str, max: usize) -> Result<(), String> {
    match estimated_memory(text.as_bytes()) <= max {
        true => Ok(()),
        false => Err("the document has too many values".into()),
    }
}

pub(crate) enum DocumentSource {
    Embedded { server: InProcess, clock: Clock },
    Deployment(Client),
}

impl DocumentSource {
    pub(crate) fn open(args: &SourceArgs) -> Result<Self, String> {
        let Some(url) = &args.url else {
            let (inputs, clock) = args.embedded.read()?;
            let config = Config { inputs, clock: clock.clone(), ..Config::default() };
            let server = InProcess::new(config);
            return Ok(Self::Embedded { server, clock });
        };
        if args.embedded.at.is_some() || args.embedded.inputs.is_some() {
            return Err("--url cannot be combined with --at or --inputs, because the server has its own clock and inputs; remove them, and unset GHI_AT and GHI_INPUTS".into());
        }
        let settings = Settings { cache_bytes: CACHE_BYTES, ..Settings::default() };
        let client = Client::with_settings(url, settings);
        Ok(Self::Deployment(client.map_err(|invalid| format!("--url {invalid}"))?))
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Embedded { .. } => "embedded engine",
            Self::Deployment(client) => client.base_url(),
        }
    }

    /// Describes a scope's data on a day, or today's without a date. By the contract, a server's data is sandbox data;
    /// whether it is synthetic is unknown.
    pub(crate) fn kind_of_data(&self, region_id: &str, date: &str) -> String {
        let Self::Embedded { server, clock } = self else { return "Sandbox data".into() };
        let model = server.model();
        let scope = Scope::find(region_id, model.registry()).unwrap_or(Scope::Global);
        let date = date.parse().unwrap_or(clock.now().date());
        let provenance = model.provenance(scope, date).unwrap_or(Provenance::OperatorData);
        kind_of_data(model.inputs().about(), &provenance)
    }

    /// Formats the two lines above the data of a scope on a day. `after` follows the name of the source.
    pub(crate) fn heading(&self, title: &str, region_id: &str, date: &str, after: &str) -> String {
        format!("{title}\n{}, {}{after}\n", self.kind_of_data(region_id, date), self.name())
    }

    /// Explains what today's forecast expects. Empty for servers, whose documents don't say.
    pub(crate) fn outlook(&self) -> String {
        let Self::Embedded { server, clock } = self else { return String::new() };
        outlook_in_words(&server.model().outlook(clock.now().date()))
    }

    /// Returns the coin. A server's documents do not name it, so it is the unnamed default.
    pub(crate) fn coin(&self) -> Coin {
        match self {
            Self::Embedded { server, .. } => server.model().coin().clone(),
            Self::Deployment(_) => Coin::default(),
        }
    }

    pub(crate) async fn json(&self, resource: &Resource) -> Result<String, String> {
        match self {
            Self::Embedded { server, .. } => respond(server, &resource.target()),
            Self::Deployment(client) => {
                client.text(resource).await.map_err(|error| error.to_string())
            }
        }
    }

    /// Returns a document or a file as a server sends it.
    pub(crate) async fn file(&self, target: &str) -> Result<String, String> {
        match self {
            Self::Embedded { server, .. } => respond(server, target),
            Self::Deployment(client) => {
                client.text_at(target).await.map_err(|error| error.to_string())
            }
        }
    }

    /// Returns the history of the requested days, or of the default days.
    pub(crate) async fn history_json(
        &self,
        region_id: &str,
        days: [(&str, Option<String>); 2],
    ) -> Result<String, String> {
        if days.iter().all(|(_, day)| day.is_none()) {
            return self.json(&Resource::History(region_id.into())).await;
        }
        let region = [("region_id", Some(region_id.to_owned()))];
        let target = with_query(HISTORY_CSV, region.into_iter().chain(days));
        let rows = self.file(&target).await?;
        let points = csv::Reader::from_reader(rows.as_bytes()).into_deserialize();
        let points = points.collect::<Result<_, csv::Error>>();
        let metadata: Metadata = parse_document(&self.json(&Resource::Metadata).await?)?;
        Ok(document_json(&History {
            version: metadata.version,
            timestamp_utc: metadata.timestamp_utc,
            engine_sandbox_version: metadata.engine_sandbox_version,
            region_id: region_id.into(),
            points: points.map_err(|error| format!("not a valid table: {error}"))?,
        }))
    }
}

/// Returns the body of a successful response, or the detail of a problem.
pub(crate) fn respond(server: &InProcess, target: &str) -> Result<String, String> {
    let request = Request::get(target).header("host", "127.0.0.1:8000").body(String::new());
    let response = server.respond(request.map_err(|error| error.to_string())?);
    let is_success = response.status().is_success();
    let body = String::from_utf8(response.into_body().into()).map_err(|error| error.to_string())?;
    if is_success {
        return Ok(body);
    }
    let ProblemDocument { code, detail, .. } = parse_document(&body)?;
    Err(match &*code {
        "no_figures" => format!("{detail} {}", inputs::MORE_DAYS),
        _ => detail,
    })
}
