//! An existing MCP server whose answers are recorded and replayed. It is started when the first request is forwarded.

use std::any::Any;
use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, PaginatedRequestParams};
use rmcp::service::{RoleClient, RunningService, ServiceError, ServiceExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::OnceCell;

use crate::json::{self, Json, json};
use crate::model::{PortAnswer, PortOutcome, PortSession, RecordedReply, RecordedRequest, SessionPlan};

/// The name of the protocol in cassettes.
const PROTOCOL: &str = "mcp";

/// The status of a reply that is a result.
const RESULT: u16 = 200;

/// The status of a reply that is an error of the protocol.
const ERROR: u16 = 400;

/// Starts a server. The error is a sentence.
pub type StartServer = Arc<dyn Fn() -> Result<ServerProcess, String> + Send + Sync>;

/// A server that runs until this is dropped.
pub struct ServerProcess {
    /// The standard input of the process.
    pub stdin: ChildStdin,
    /// The standard output of the process.
    pub stdout: ChildStdout,
    /// Ends the process when it is dropped.
    pub guard: Box<dyn Any + Send + Sync>,
}

/// How the requests to a recorded server are answered.
#[derive(Clone)]
pub struct ServerPlan {
    /// The recorded exchanges, and whether requests are forwarded.
    pub session: SessionPlan,
    /// Starts the server.
    pub start: StartServer,
}

/// A recorded server in one run.
pub(super) struct RecordedServer {
    session: PortSession,
    start: StartServer,
    running: OnceCell<Result<RunningServer, String>>,
}

struct RunningServer {
    client: RunningService<RoleClient, ()>,
    _guard: Box<dyn Any + Send + Sync>,
}

impl RecordedServer {
    pub(super) fn new(plan: ServerPlan) -> Self {
        Self { session: PortSession::new(plan.session), start: plan.start, running: OnceCell::new() }
    }

    /// Answers a request from the cassette, or forwards it. The error is one of the server, or a sentence about why there is
    /// no answer.
    pub(super) async fn exchange(
        &self,
        method: &str,
        path: &str,
        body: Json,
    ) -> Result<Json, Result<Json, String>> {
        let to = PROTOCOL.to_owned();
        let method = method.to_owned();
        let path = path.to_owned();
        let request = RecordedRequest { to, method, path, body };
        let number = match self.session.answer(&request) {
            PortAnswer::Recorded(exchange) => return read_reply(&exchange.response),
            // The outcome of the session has it as a miss.
            PortAnswer::Refused(message) => {
                return Err(Ok(json!({"code": -32602, "message": format!("arraign: {message}")})));
            }
            PortAnswer::Forward(number) => number,
        };
        let reply = self.forward_request(&request).await.map_err(Err)?;
        let body = read_reply(&reply);
        self.session.keep_reply(number, request, Some(reply));
        body
    }

    pub(super) fn finish(&self) -> PortOutcome {
        self.session.finish()
    }

    async fn forward_request(&self, request: &RecordedRequest) -> Result<RecordedReply, String> {
        let running = self.running.get_or_init(|| self.start_server()).await;
        let client = running.as_ref().map(|running| &running.client).map_err(Clone::clone)?;
        let answer = match request.method.as_str() {
            "initialize" => {
                let info = client.peer_info();
                Ok(json!({"instructions": info.and_then(|info| info.instructions.clone())}))
            }
            "tools/list" => {
                let page = json::from_json::<PaginatedRequestParams>(request.body.clone()).ok();
                client.list_tools(page).await.map(|listed| json!(listed))
            }
            _ => {
                let mut parameters = CallToolRequestParams::new(request.path.clone());
                parameters.arguments = request.body.as_object().map(serde_json::Map::from);
                client.call_tool(parameters).await.map(|result| json!(result))
            }
        };
        let (status, body) = match answer {
            Ok(result) => (RESULT, result),
            // An error of the protocol is an answer, and is recorded like one.
            Err(ServiceError::McpError(error)) => (ERROR, json!(error)),
            Err(error) => return Err(format!("the server gave no answer to {}: {error}", request.method)),
        };
        Ok(RecordedReply { status, body: Some(body), ..RecordedReply::default() })
    }

    async fn start_server(&self) -> Result<RunningServer, String> {
        let ServerProcess { stdin, stdout, guard } = (self.start)()?;
        let client = ().serve((stdout, stdin)).await;
        let client = client.map_err(|error| format!("the server could not be asked: {error}"))?;
        Ok(RunningServer { client, _guard: guard })
    }
}

fn read_reply(reply: &RecordedReply) -> Result<Json, Result<Json, String>> {
    let body = reply.body.clone().unwrap_or_default();
    if reply.status == RESULT { Ok(body) } else { Err(Ok(body)) }
}
