//! Agents as servers: the case's input in a request, a trace in the response.

mod answer;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::error::refuse_secrets;
use super::in_process::GRACE_PERIOD;
use super::{AgentEnvironment, AgentFailure, AgentInput, AgentProblem, AgentTask, OUTPUT_LIMIT};
use crate::case::{HttpCall, HttpMethod, Template};
use crate::http::{HttpClient, HttpLimits, HttpRequest};
use crate::json::{self, Json, json};
use crate::reader::to_native;
use crate::secrets::{Secrets, names_a_secret};
use crate::trace::Trace;

/// The client, shared so that connections are reused.
static CLIENT: LazyLock<HttpClient> = LazyLock::new(HttpClient::default);

/// Runs the agent `call` of `task`, within its limit.
pub(super) async fn ask_server(
    call: &Arc<HttpCall>,
    task: &AgentTask,
    input: &AgentInput,
    environment: &AgentEnvironment,
) -> Result<Trace, AgentProblem> {
    let request = build_request(call, input, environment).map_err(AgentProblem::NotAsked)?;
    let limit = task.find_limit();
    let readers = task.readers.clone();
    let limits = request_limits(call, limit);
    let query = input.query.clone();
    let call = Arc::clone(call);
    let work = spawn_blocking(move || {
        let sent = CLIENT.send_request(&request, &limits);
        let response = sent.map_err(|error| AgentProblem::Unanswered(error.into()))?;
        refuse_secrets(&response.body, request.secrets())?;
        let trace = answer::read_response(&call, &response, query, &readers)?;
        // A reader joins what a stream sends in pieces, so what would be recorded is searched as well.
        refuse_secrets(&to_native(&trace), request.secrets()).map(|()| trace)
    });
    // The request has its own limit. This one ends a thread that hangs in spite of it.
    match timeout(limit + GRACE_PERIOD, work).await {
        Err(_) => Err(AgentProblem::OutOfTime(limit)),
        Ok(Ok(answer)) => answer,
        Ok(Err(died)) => Err(AgentProblem::Panicked(died.to_string())),
    }
}

/// Collects the secrets of the request. A request that cannot be built has none.
pub(super) fn collect_secrets(
    call: &HttpCall,
    input: &AgentInput,
    environment: &AgentEnvironment,
) -> Secrets {
    build_request(call, input, environment).map(|request| request.secrets().clone()).unwrap_or_default()
}

fn request_limits(call: &HttpCall, total: Duration) -> HttpLimits {
    let defaults = HttpLimits::default();
    HttpLimits {
        total,
        response_bytes: call.output_limit.unwrap_or(OUTPUT_LIMIT),
        retries: call.retries.unwrap_or(defaults.retries),
        ..defaults
    }
}

/// Builds the request. The error names the variable that cannot be filled in.
fn build_request(
    call: &HttpCall,
    input: &AgentInput,
    environment: &AgentEnvironment,
) -> Result<HttpRequest, AgentFailure> {
    let template_variables = build_variables(input)?;
    let variable = |name: &str| (environment.variable)(name)?.into_string().ok();
    // Environment variables first, then the variables of the case: text of a case cannot name an environment variable.
    let url = call.url.fill(variable)?;
    let body = match &call.body {
        Some(template) => Some(template.fill(&template_variables)?),
        None if call.method == HttpMethod::Get => None,
        None => Some(default_body(template_variables.clone())),
    };
    let address = Template::fill_text(&url.text, &template_variables, percent_encode)?;
    let mut request = HttpRequest::new(call.method.name(), address, body);
    let mut variables = url.variables;
    let mut headers = Vec::new();
    for (name, value) in &call.headers {
        let value = value.fill(variable)?;
        variables.extend(value.variables);
        headers.push((name.as_str(), Template::fill_variant(&value.text, &template_variables)?));
    }
    // Before the headers, so that a key is masked with the variable's name and not with the header's.
    for (name, value) in variables.iter().filter(|(name, _)| names_a_secret(name)) {
        request = request.with_secret(name, value);
    }
    Ok(headers.into_iter().fold(request, |request, (name, value)| request.with_header(name, value)))
}

/// Returns what a command reads on standard input.
fn default_body(mut variables: Json) -> Json {
    if let Some(names) = variables.as_object_mut() {
        names.remove("model");
        names.remove("mcp_url");
        names.remove("variant");
        // Of a single turn, the input says it all.
        if !names.contains_key("turn") {
            names.remove("conversation");
            names.remove("session");
        }
    }
    variables
}

/// Returns the variables of a template. An input without a text has no `query`.
fn build_variables(input: &AgentInput) -> Result<Json, json::JsonError> {
    let mut variables = json::to_json(input)?;
    let asked = json!({"role": "user", "content": input.query});
    variables["conversation"] = input.said.iter().cloned().chain([asked]).collect();
    variables["session"] = input.session.as_str().into();
    // A template that uses `{{query}}` then says so, and does not send an empty text.
    if let Some(names) = variables.as_object_mut().filter(|_| input.query.is_empty()) {
        names.remove("query");
    }
    variables["variant"] = json::to_json(&input.variant.values)?;
    if let Some(model) = &input.model {
        variables["model"] = json::to_json(model)?;
    }
    if let Some(url) = &input.mcp_url {
        variables["mcp_url"] = url.as_str().into();
    }
    Ok(variables)
}

/// Percent-encodes a text for a URL.
fn percent_encode(text: &str) -> String {
    let encoded = text.bytes().map(|byte| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    encoded.collect()
}
