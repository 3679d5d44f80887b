//! The MCP server: over HTTP at the path of a run, or over standard streams.

use std::sync::Arc;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, StatusCode};
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
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, duplex};

use super::inspect::{Inspected, find_told, inspect_message};
use super::remote::RemoteMocks;
use super::session::{MockOutcome, MockPlan, MockSession};
use crate::json::{self, Json, json};
use crate::port::{LoopbackPort, PathService, PortFuture, PortPath, PortResponse};

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
        let path = MockPath { service, session: Arc::clone(&session) };
        Self { path: port.open_path(Arc::new(path)), session }
    }

    /// Returns the address of the server.
    pub fn url(&self) -> String {
        format!("{}/mcp", self.path.url())
    }

    /// Whether a client has asked what the server offers.
    pub fn was_reached(&self) -> bool {
        self.session.was_reached()
    }

    /// Closes the path, and returns what was called.
    pub fn close(self) -> MockOutcome {
        self.session.finish()
    }
}

struct MockPath {
    service: StreamableHttpService<MockHandler, NeverSessionManager>,
    session: Arc<MockSession>,
}

impl PathService for MockPath {
    fn serve_request(self: Arc<Self>, request: Request<Incoming>) -> PortFuture {
        Box::pin(async move {
            let (head, body) = request.into_parts();
            // The protocol refuses a call that it cannot read before any tool hears of it, so each message is read here first.
            let body = match Limited::new(body, MAX_MESSAGE_BYTES).collect().await {
                Ok(body) => body.to_bytes(),
                Err(_) => return refuse_message(),
            };
            let text = String::from_utf8_lossy(&body);
            if let Some(told) = find_told(&text) {
                self.session.note_message(&told);
                return answer_json(&json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
            }
            match inspect_message(&text) {
                Inspected::Readable => {}
                Inspected::Fault(problem) => self.session.note_fault(problem),
                Inspected::Unusable(call) => {
                    let id = call.id.clone();
                    let error = self.session.refuse_call(call);
                    return answer_json(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
                }
            }
            let response = self.service.handle(Request::from_parts(head, Full::new(body))).await;
            response.map(|body| body.map_err(|never| match never {}).boxed())
        })
    }
}

fn answer_json(message: &Json) -> PortResponse {
    let body = Full::new(Bytes::from(message.to_string()));
    let mut response = Response::new(body.map_err(|never| match never {}).boxed());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Refuses a message that is too long.
fn refuse_message() -> PortResponse {
    let body = Full::new(Bytes::from_static(b"the message is too long"));
    let mut response = Response::new(body.map_err(|never| match never {}).boxed());
    *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
    response
}

/// Serves mock tools over two streams, until the client closes them. The error is a sentence.
pub async fn serve_streams(
    handler: MockHandler,
    streams: (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static),
) -> Result<(), String> {
    let (input, output) = streams;
    let (mut inspected, read) = duplex(MAX_MESSAGE_BYTES);
    let watcher = handler.clone();
    // Each line is a message, and is inspected before the protocol reads it.
    let copying = tokio::spawn(async move {
        let mut lines = BufReader::new(input).split(b'\n');
        while let Ok(Some(mut line)) = lines.next_segment().await {
            watcher.note_message(&String::from_utf8_lossy(&line)).await;
            line.push(b'\n');
            if inspected.write_all(&line).await.is_err() {
                break;
            }
        }
    });
    let service = handler.serve((read, output)).await.map_err(|error| error.to_string())?;
    let ended = service.waiting().await.map(drop).map_err(|error| error.to_string());
    copying.abort();
    ended
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
    /// Notes a message that calls a tool and that the protocol refuses.
    async fn note_message(&self, text: &str) {
        match self {
            Self::Session(session) => session.note_message(text),
            Self::Remote(remote) if inspect_message(text) != Inspected::Readable => remote.tell(text).await,
            Self::Remote(_) => {}
        }
    }

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
        let name = request.name;
        let arguments = request.arguments.unwrap_or_default();
        let answer = match self {
            Self::Session(session) => session.call_tool(&name, arguments.into()).await,
            Self::Remote(remote) => {
                remote.ask("tools/call", json!({"name": name, "arguments": arguments})).await
            }
        };
        read_answer::<CallToolResult>(answer).map(CallToolResponse::Complete)
    }
}

fn read_answer<T: DeserializeOwned>(answer: Result<Json, Json>) -> Result<T, ErrorData> {
    let mut answer = answer.map_err(read_error)?;
    // Newer versions of the protocol require the field, and for older ones it is taken out again.
    if let Json::Object(fields) = &mut answer {
        fields.get_or_insert_with("resultType", || "complete".into());
    }
    json::from_json(answer).map_err(|error| {
        ErrorData::internal_error(format!("arraign: this answer is not valid: {error}"), None)
    })
}

fn read_error(error: Json) -> ErrorData {
    let message = error.to_string();
    json::from_json(error).unwrap_or_else(|_| ErrorData::internal_error(message, None))
}
