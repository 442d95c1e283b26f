//! The methods of the Model Context Protocol that a server with tools has.

use std::sync::Arc;

use jsonrpsee_types::{ErrorCode, ErrorObject};
use serde_json::{Map, Value, json};

use crate::mcp::message::{Asked as Request, answer, refusal};
use crate::mcp::schemas::Schemas;
use crate::mcp::tool::{Asked, Tool};
use crate::source::Source;
use ghi_engine::visible;

/// What assistants should know of all tools.
const INSTRUCTIONS: &str = "The Global HashCost Index: what it costs, in USD, to mine one coin of a proof-of-work currency, as minimum, average and maximum, worldwide (global) and by region. The figures are synthetic, those of a sandbox: say so, and do not present them as market data. Begin with snapshot for today's costs; regions lists the ids that other tools take; explain shows how a cost follows from difficulty, hardware and electricity. Days and times are UTC.";

/// The revisions of the protocol that begin with initialize, the latest last. One between them, 2025-03-26, has
/// batches, which were taken out again; who asks for it gets the one before.
const WITH_INITIALIZE: [&str; 3] = ["2024-11-05", "2025-06-18", "2025-11-25"];

/// The revision in which each request names its revision, and nothing is agreed on before.
const WITHOUT_INITIALIZE: &str = "2026-07-28";

/// Where a request names its revision, and a server itself.
const REVISION_OF_REQUEST: &str = "io.modelcontextprotocol/protocolVersion";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The code for a revision that is not known here.
const UNSUPPORTED_REVISION: i32 = -32022;

/// The longest name of a method that a message repeats, characters.
const METHOD_MAX: usize = 64;

/// The index as tools.
pub(super) struct Index {
    source: Source,
    tools: Value,
}

impl Index {
    pub(super) fn new(source: Source) -> Result<Self, String> {
        let schemas = match source {
            Source::Embedded(_) => Schemas::of_this_server()?,
            Source::Deployment(_) => Schemas::of_any_deployment()?,
        };
        let tools = Tool::ALL.iter().map(|tool| tool.described(&schemas));
        let tools = tools.collect::<Result<Value, _>>()?;
        Ok(Self { source, tools })
    }

    /// The line that answers a request.
    pub(super) async fn answer(self: Arc<Self>, request: Request) -> String {
        let result = self.result(&request).await;
        answer(&request.id, result)
    }

    async fn result(&self, request: &Request) -> Result<Value, ErrorObject<'static>> {
        let params = request.params.as_ref();
        let params = params.ok_or_else(|| invalid("params must be an object"))?;
        let revision = revision_of(params)?;
        let mut result = match &*request.method {
            "initialize" => self.initialized(params),
            "server/discover" => self.discovered(),
            "ping" => json!({}),
            "tools/list" => json!({"tools": self.tools}),
            "tools/call" => self.called(params).await?,
            method => {
                let said = format!("there is no method '{}'", visible(method, METHOD_MAX));
                return Err(refusal(ErrorCode::MethodNotFound, said));
            }
        };
        if revision == Some(WITHOUT_INITIALIZE) {
            result["resultType"] = "complete".into();
            if matches!(&*request.method, "server/discover" | "tools/list") {
                // It is asked for again at no cost.
                result["ttlMs"] = 0.into();
                result["cacheScope"] = "private".into();
            }
        }
        Ok(result)
    }

    /// The latest revision of the protocol that is no later than the one that is asked for: dates are in order
    /// as texts are.
    fn initialized(&self, params: &Map<String, Value>) -> Value {
        let asked = params.get("protocolVersion").and_then(Value::as_str);
        let [.., latest] = WITH_INITIALIZE;
        let known =
            WITH_INITIALIZE.into_iter().rfind(|known| asked.is_some_and(|asked| *known <= asked));
        json!({
            "protocolVersion": known.unwrap_or(latest),
            "capabilities": {"tools": {}},
            "serverInfo": server_info(),
            "instructions": self.instructions(),
        })
    }

    fn discovered(&self) -> Value {
        json!({
            "supportedVersions": revisions(),
            "capabilities": {"tools": {}},
            "instructions": self.instructions(),
            "_meta": {SERVER_INFO: server_info()},
        })
    }

    fn instructions(&self) -> String {
        format!("{INSTRUCTIONS} Source: {}.", self.source.name())
    }

    async fn called(&self, params: &Map<String, Value>) -> Result<Value, ErrorObject<'static>> {
        let name = params.get("name").and_then(Value::as_str);
        let tool = Tool::find(name.ok_or_else(|| invalid("name is missing: that of a tool"))?);
        let tool = tool.map_err(invalid)?;
        let none = Map::new();
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => &none,
            Some(Value::Object(arguments)) => arguments,
            Some(_) => return Err(invalid("arguments must be an object")),
        };
        Ok(match self.document(tool, arguments).await {
            Ok((text, document)) => json!({
                // The document as it was sent, for those that read text.
                "content": [{"type": "text", "text": text}],
                "structuredContent": document,
                "isError": false,
            }),
            // The assistant reads it, and can ask again.
            Err(message) => json!({
                "content": [{"type": "text", "text": message}],
                "isError": true,
            }),
        })
    }

    /// What the tool gives, as text and as an object.
    async fn document(
        &self,
        tool: Tool,
        arguments: &Map<String, Value>,
    ) -> Result<(String, Value), String> {
        let mut text = match tool.asked(arguments)? {
            Asked::Document(resource) => self.source.json(&resource).await?,
            Asked::Explanation { region_id, date } => {
                self.source.explanation_json(&region_id, date).await?
            }
        };
        text.truncate(text.trim_end().len());
        let document = serde_json::from_str(&text).ok().filter(Value::is_object);
        let no_document = || format!("the answer of {} is no document", self.source.name());
        Ok((text, document.ok_or_else(no_document)?))
    }
}

fn revisions() -> Vec<&'static str> {
    WITH_INITIALIZE.into_iter().chain([WITHOUT_INITIALIZE]).collect()
}

/// The revision that a request names itself.
fn revision_of(params: &Map<String, Value>) -> Result<Option<&'static str>, ErrorObject<'static>> {
    let Some(asked) = params.get("_meta").and_then(|meta| meta.get(REVISION_OF_REQUEST)) else {
        return Ok(None);
    };
    let known = revisions().into_iter().find(|known| asked == known);
    known.map(Some).ok_or_else(|| {
        let said =
            format!("this revision of the protocol is not known here; {WITHOUT_INITIALIZE} is");
        let data = json!({"requested": asked, "supported": revisions()});
        ErrorObject::owned(UNSUPPORTED_REVISION, said, Some(data))
    })
}

fn server_info() -> Value {
    let title = "Global HashCost Index (sandbox)";
    json!({"name": "ghi", "title": title, "version": env!("CARGO_PKG_VERSION")})
}

fn invalid(message: impl Into<String>) -> ErrorObject<'static> {
    refusal(ErrorCode::InvalidParams, message)
}
