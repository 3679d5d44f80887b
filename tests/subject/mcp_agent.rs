//! Agents and a server that speak MCP: what the claims about mock tools run.
//!
//! `subject --mcp [trace|twice] CALL...` calls tools at `ARRAIGN_MCP_URL` by the official client; a `CALL` is `tool={...}`,
//! or `raw:BODY`, which is sent as it stands; with `at-once`, all of these are sent at the same time.
//! `subject --mcp-server` is a server on its standard streams. `subject --mcp-world` is the program behind a mock tool: it adds to
//! the total of its state, and notes each of its starts in the file `asked`.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientJsonRpcMessage, ContentBlock, ErrorData,
    InitializeResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt as _};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use serde_json::{Value, json};

type Headers = HashMap<hyper::header::HeaderName, hyper::header::HeaderValue>;
type Failed = StreamableHttpError<Infallible>;
type Events = futures_core::stream::BoxStream<'static, Result<sse_stream::Sse, sse_stream::Error>>;

/// The argument that makes this program an agent with tools.
pub(crate) const AGENT: &str = "--mcp";

/// The argument that makes this program a server.
pub(crate) const SERVER: &str = "--mcp-server";

/// The argument that makes this program one that answers a call of a mock tool.
pub(crate) const WORLD: &str = "--mcp-world";

/// HTTP for the official client, in the standard library.
#[derive(Clone)]
struct PlainHttp;

impl StreamableHttpClient for PlainHttp {
    type Error = Infallible;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        _session: Option<Arc<str>>,
        _auth: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        // The server may be served by the threads of this runtime.
        let sent = tokio::task::spawn_blocking(move || post(&uri, &json!(message).to_string(), &headers));
        let (status, body) = sent.await??;
        match status {
            202 => Ok(StreamableHttpPostResponse::Accepted),
            _ => Ok(StreamableHttpPostResponse::Json(serde_json::from_str(&body)?, None)),
        }
    }

    async fn delete_session(
        &self,
        _uri: Arc<str>,
        _session: Arc<str>,
        _auth: Option<String>,
        _headers: Headers,
    ) -> Result<(), Failed> {
        Err(StreamableHttpError::ServerDoesNotSupportDeleteSession)
    }

    async fn get_stream(
        &self,
        _uri: Arc<str>,
        _session: Option<Arc<str>>,
        _last: Option<String>,
        _auth: Option<String>,
        _headers: Headers,
    ) -> Result<Events, Failed> {
        Err(StreamableHttpError::ServerDoesNotSupportSse)
    }
}

/// Sends a message and returns the status and the body of the response.
pub(crate) fn post(url: &str, body: &str, headers: &Headers) -> Result<(u16, String), std::io::Error> {
    let rest = url.strip_prefix("http://").unwrap_or(url);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host)?;
    let more = headers.iter();
    let more = more.map(|(name, value)| format!("{name}: {}\r\n", value.to_str().unwrap_or_default()));
    let more: Vec<String> = more.collect();
    let head = format!(
        "POST /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: {}\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{}\r\n{body}", more.concat()).as_bytes())?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    let status = response.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    Ok((status, response.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default()))
}

/// Runs the agent that the arguments describe. It prints the last result, or with `trace` the calls that it made.
#[expect(clippy::print_stdout, reason = "an agent prints its answer")]
pub(crate) fn run_agent(arguments: &[String]) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let url = std::env::var("ARRAIGN_MCP_URL").expect("the address of the mock tools");
    if arguments.iter().any(|word| word == "hostile") {
        send_hostile_messages(&url).expect("the server answers, or ends the connection");
    }
    // What the official client would not send.
    let bodies: Vec<&str> = arguments.iter().filter_map(|word| word.strip_prefix("raw:")).collect();
    if arguments.iter().any(|word| word == "at-once") {
        std::thread::scope(|scope| {
            for body in &bodies {
                scope.spawn(|| post(&url, body, &Headers::new()).expect("the server answers"));
            }
        });
    } else {
        for body in bodies {
            post(&url, body, &Headers::new()).expect("the server answers");
        }
    }
    let is_call = |word: &&str| word.contains('=') && !word.starts_with("raw:");
    let calls: Vec<&str> = arguments.iter().map(String::as_str).filter(is_call).collect();
    match runtime.block_on(call_tools(&url, &calls)) {
        Ok(results) if arguments.iter().any(|word| word == "trace") => {
            let calls = calls.iter().zip(&results).map(|(call, result)| {
                let (name, arguments) = split_call(call);
                json!({"name": format!("mcp__own__{name}"), "arguments": arguments, "result": result})
            });
            let answer = format!("done: {}", results.join(" "));
            println!("{}", json!({"calls": calls.collect::<Vec<_>>(), "answer": answer}));
            ExitCode::SUCCESS
        }
        Ok(results) => {
            println!("I found: {}", results.last().map(String::as_str).unwrap_or_default());
            ExitCode::SUCCESS
        }
        Err(problem) => {
            println!("I could not: {problem}");
            ExitCode::SUCCESS
        }
    }
}

/// Sends what no client sends, and hangs up during a call.
fn send_hostile_messages(url: &str) -> Result<(), std::io::Error> {
    let deep = "[".repeat(100_000);
    let large = format!("{{\"jsonrpc\": \"{}\"}}", "x".repeat(17 << 20));
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{}}}"#;
    for body in ["", "no json", "[]", "{}", deep.as_str(), r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#] {
        let (status, answer) = post(url, body, &Headers::new())?;
        assert!((200..500).contains(&status), "{status}: {answer}");
    }
    // A server may end the connection before it has read all of a message.
    if let Ok((status, _)) = post(url, &large, &Headers::new()) {
        assert!(status == 413 || status == 0, "{status}");
    }
    let other = url.replace("/mcp", "x/mcp");
    assert_eq!(post(&other, call, &Headers::new())?.0, 404);
    let (host, path) = url.trim_start_matches("http://").split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host)?;
    write!(
        stream,
        "POST /{path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: {}\r\n\r\n{call}",
        call.len()
    )?;
    std::thread::sleep(std::time::Duration::from_millis(500));
    Ok(())
}

fn split_call(call: &str) -> (&str, Value) {
    let (name, arguments) = call.split_once('=').expect("a call");
    (name, serde_json::from_str(arguments).expect("JSON"))
}

/// Lists the tools, and calls them by the official client. `list={}` returns their names.
pub(crate) async fn call_tools(url: &str, calls: &[&str]) -> Result<Vec<String>, String> {
    let settings = StreamableHttpClientTransportConfig::with_uri(url);
    let transport = StreamableHttpClientTransport::with_client(PlainHttp, settings);
    let client = ().serve(transport).await.map_err(|error| error.to_string())?;
    let listed = client.list_all_tools().await.map_err(|error| error.to_string())?;
    let mut results = Vec::new();
    for call in calls {
        let (name, arguments) = split_call(call);
        if name == "list" {
            results.push(json!(listed).to_string());
            continue;
        }
        let mut parameters = CallToolRequestParams::new(name.to_owned());
        parameters.arguments = arguments.as_object().cloned();
        let result = client.call_tool(parameters).await.map_err(|error| error.to_string())?;
        let texts = result.content.iter().filter_map(|block| Some(block.as_text()?.text.clone()));
        let failed = if result.is_error == Some(true) { "failed: " } else { "" };
        results.push(format!("{failed}{}", texts.collect::<Vec<_>>().join("\n")));
    }
    Ok(results)
}

/// Answers the call of `add`, `look`, `get_key` or `get_time` on standard input.
#[expect(clippy::print_stdout, reason = "a program prints its answer")]
pub(crate) fn run_world() -> ExitCode {
    let mut asked = std::fs::OpenOptions::new().create(true).append(true).open("asked").expect("a file");
    writeln!(asked, "asked").expect("a file");
    let mut line = String::new();
    std::io::stdin().read_to_string(&mut line).expect("a line");
    let input: Value = serde_json::from_str(&line).expect("JSON");
    let mut state = input["state"].clone();
    let total = state["total"].as_u64().expect("a total");
    let answer = match input["call"]["name"].as_str().expect("a name") {
        "add" => match input["call"]["arguments"]["n"].as_u64() {
            Some(n) => {
                state["total"] = json!(total + n);
                json!({"total": total + n})
            }
            None => json!("no number"),
        },
        "look" => json!(total),
        "get_key" => json!(std::env::var("SHOP_KEY").unwrap_or_default()),
        "get_time" => input["now"].clone(),
        name => panic!("no tool {name}"),
    };
    let failed = answer == "no number";
    println!("{}", json!({"state": state, "answer": answer, "failed": failed}));
    ExitCode::SUCCESS
}

/// A server with a tool that answers otherwise each time, and one that tells what it was started with.
struct TickingServer(AtomicU32);

impl ServerHandler for TickingServer {
    fn get_info(&self) -> ServerConfig {
        let mut info = InitializeResult::new(ServerCapabilities::builder().enable_tools().build());
        info.instructions = Some("Be kind.".to_owned());
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = Arc::new(json!({"type": "object"}).as_object().cloned().unwrap_or_default());
        let tools = ["tick", "get_key"].map(|name| Tool::new(name, "A tool.", Arc::clone(&schema)));
        Ok(ListToolsResult::with_all_items(tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = match request.name.as_ref() {
            "tick" => format!("{}-{}", std::process::id(), self.0.fetch_add(1, Ordering::SeqCst)),
            "get_key" => std::env::var("SHOP_KEY").unwrap_or_default(),
            name => return Err(ErrorData::invalid_params(format!("no tool {name}"), None)),
        };
        Ok(CallToolResponse::Complete(CallToolResult::success(vec![ContentBlock::text(text)])))
    }
}

/// Serves on the standard streams until they are closed.
pub(crate) fn run_server() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let ended = runtime.block_on(async {
        let streams = (tokio::io::stdin(), tokio::io::stdout());
        let service = TickingServer(AtomicU32::default()).serve(streams).await.map_err(drop)?;
        service.waiting().await.map(drop).map_err(drop)
    });
    runtime.shutdown_background();
    if ended.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
