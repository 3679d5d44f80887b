//! The mock tools of a run in another process, for a client that starts its server and does not speak HTTP.

use std::time::Duration;

use tokio::task::spawn_blocking;

use super::inspect::TELL;
use crate::http::{HttpClient, HttpLimits, HttpRequest};
use crate::json::{Json, json};

/// Any delay of a mock tool is shorter.
const LONGEST_ANSWER: Duration = Duration::from_hours(1);

/// The version of the protocol in which requests need no session.
const PROTOCOL_VERSION: &str = "2025-06-18";

/// The mock tools at an address.
pub struct RemoteMocks {
    url: String,
    client: HttpClient,
}

impl RemoteMocks {
    /// The mock tools of the run with this address.
    pub fn new(url: String) -> Self {
        Self { url, client: HttpClient::default() }
    }

    pub(super) async fn find_instructions(&self) -> Result<Option<String>, Json> {
        let client = json!({"name": "arraign", "version": env!("CARGO_PKG_VERSION")});
        let parameters =
            json!({"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": client});
        let info = self.ask("initialize", parameters).await?;
        Ok(info["instructions"].as_str().map(str::to_owned))
    }

    /// Tells the mock tools of a message as the client wrote it. It is answered here.
    pub(super) async fn tell(&self, text: &str) {
        drop(self.ask(TELL, json!({"text": text})).await);
    }

    /// Sends one request and returns its result. The error is one of the protocol.
    pub(super) async fn ask(&self, method: &str, parameters: Json) -> Result<Json, Json> {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters});
        let request = HttpRequest::post(self.url.clone(), message)
            .with_header("accept", "application/json, text/event-stream")
            .with_header("mcp-protocol-version", PROTOCOL_VERSION);
        let client = self.client.clone();
        // A call is never repeated: it may have happened, and the script would count it twice.
        let limits = HttpLimits { total: LONGEST_ANSWER, retries: 0, ..HttpLimits::default() };
        let sent = spawn_blocking(move || {
            let response = client.send_request(&request, &limits).map_err(|error| error.to_string())?;
            response.parse_json::<Json>().map_err(|problem| problem.to_string())
        });
        let answered = sent.await.unwrap_or_else(|died| Err(died.to_string()));
        let mut answer = answered.map_err(|problem| json!({"code": -32603, "message": problem}))?;
        if answer["error"].is_object() { Err(answer["error"].take()) } else { Ok(answer["result"].take()) }
    }
}
