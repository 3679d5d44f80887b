//! The MCP server: over HTTP at the path of a run, or over standard streams.

use std::sync::Arc;

use http_body_util::BodyExt as _;
use hyper::Request;
use hyper::body::Incoming;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, DiscoverResult, ErrorData, Implementation,
    InitializeRequestParams, InitializeResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt as _};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use super::remote::RemoteMocks;
use super::session::{MockOutcome, MockPlan, MockSession};
use crate::port::{LoopbackPort, PathService, PortFuture, PortPath};

/// The largest message of a client.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// The path of one run's mock tools. It is closed when this is dropped.
pub struct MockLease {
    path: PortPath,
    session: Arc<MockSession>,
}

impl MockLease {
    /// Opens a path for one run of an agent.
    pub fn open_lease(port: &LoopbackPort, plan: MockPlan) -> Self {
        let session = Arc::new(MockSession::new(plan));
        let handler = MockHandler::Session(Arc::clone(&session));
        // Each request is answered by itself, so that a client that hangs up leaves nothing behind.
        let settings = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_MESSAGE_BYTES);
        let sessions = Arc::new(NeverSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(handler.clone()), sessions, settings);
        Self { path: port.open_path(Arc::new(MockPath(service))), session }
    }

    /// Returns the address of the server.
    pub fn url(&self) -> String {
        format!("{}/mcp", self.path.url())
    }

    /// Closes the path, and returns what was called.
    pub fn close(self) -> MockOutcome {
        self.session.finish()
    }
}

struct MockPath(StreamableHttpService<MockHandler, NeverSessionManager>);

impl PathService for MockPath {
    fn serve_request(self: Arc<Self>, request: Request<Incoming>) -> PortFuture {
        Box::pin(async move {
            let response = self.0.handle(request).await;
            response.map(|body| body.map_err(|never| match never {}).boxed())
        })
    }
}

/// Serves mock tools over two streams, until the client closes them. The error is a sentence.
pub async fn serve_streams(
    handler: MockHandler,
    streams: (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static),
) -> Result<(), String> {
    let service = handler.serve(streams).await.map_err(|error| error.to_string())?;
    service.waiting().await.map(drop).map_err(|error| error.to_string())
}

/// Speaks the protocol for the mock tools of a run.
#[derive(Clone)]
pub enum MockHandler {
    /// The mock tools of this process.
    Session(Arc<MockSession>),
    /// The mock tools of another process.
    Remote(Arc<RemoteMocks>),
}

impl MockHandler {
    async fn find_instructions(&self) -> Result<Option<String>, ErrorData> {
        let found = match self {
            Self::Session(session) => session.find_instructions().await,
            Self::Remote(remote) => remote.find_instructions().await,
        };
        found.map_err(read_error)
    }
}

impl ServerHandler for MockHandler {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools().build();
        let name = match self {
            Self::Session(session) => session.name(),
            Self::Remote(_) => "mocks",
        };
        let server = Implementation::new(name, env!("CARGO_PKG_VERSION"));
        InitializeResult::new(tools).with_server_info(server)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut info = self.negotiate_initialize(&request)?;
        info.instructions = self.find_instructions().await?;
        Ok(info)
    }

    async fn discover(&self, _context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        info.instructions = self.find_instructions().await?;
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = request.and_then(|page| page.cursor);
        read_answer(match self {
            Self::Session(session) => session.list_tools(cursor).await,
            Self::Remote(remote) => remote.ask("tools/list", json!({"cursor": cursor})).await,
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (name, arguments) = (request.name, request.arguments.unwrap_or_default());
        let answer = match self {
            Self::Session(session) => session.call_tool(&name, arguments).await,
            Self::Remote(remote) => {
                remote.ask("tools/call", json!({"name": name, "arguments": arguments})).await
            }
        };
        read_answer::<CallToolResult>(answer).map(CallToolResponse::Complete)
    }
}

fn read_answer<T: DeserializeOwned>(answer: Result<Value, Value>) -> Result<T, ErrorData> {
    let mut answer = answer.map_err(read_error)?;
    // Newer versions of the protocol require the field, and for older ones it is taken out again.
    if let Value::Object(fields) = &mut answer {
        fields.entry("resultType").or_insert_with(|| "complete".into());
    }
    serde_json::from_value(answer).map_err(|error| {
        ErrorData::internal_error(format!("arraign: this answer is not valid: {error}"), None)
    })
}

fn read_error(error: Value) -> ErrorData {
    let message = error.to_string();
    serde_json::from_value(error).unwrap_or_else(|_| ErrorData::internal_error(message, None))
}
