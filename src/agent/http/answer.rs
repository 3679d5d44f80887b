//! Parses a server's response into a run.

use crate::agent::AgentProblem;
use crate::agent::into_trace::{answer_only_trace, read_single_run};
use crate::case::HttpCall;
use crate::http::HttpResponse;
use crate::json::Json;
use crate::pattern::JsonPath;
use crate::reader::ReaderSet;
use crate::trace::Trace;
use crate::yaml::render_plain;

/// Parses the run in `response`.
pub(super) fn read_response(
    call: &HttpCall,
    response: &HttpResponse,
    query: String,
    readers: &ReaderSet,
) -> Result<Trace, AgentProblem> {
    let read = parse_run(call, response, query, readers);
    read.map_err(|problem| problem.quoting("it answered", &response.body))
}

fn parse_run(
    call: &HttpCall,
    response: &HttpResponse,
    query: String,
    readers: &ReaderSet,
) -> Result<Trace, AgentProblem> {
    let format = call.format.as_deref();
    if call.trace.is_none() && call.answer.is_none() {
        if format.is_none() && is_prose(response) {
            return Ok(answer_only_trace(query, response.body.clone()));
        }
        return read_single_run(&response.body, format, readers);
    }
    let value: Json = response.parse_json().map_err(|problem| AgentProblem::Nonsense(problem.to_string()))?;
    let answer = call.answer.as_ref().map(|path| select_text(path, &value)).transpose()?;
    match (&call.trace, answer) {
        (None, answer) => Ok(answer_only_trace(query, answer.unwrap_or_default())),
        (Some(path), answer) => {
            let trace = read_single_run(&select_text(path, &value)?, format, readers)?;
            // The answer that the user's path selects is worth more than that of the trace.
            Ok(Trace { answer: answer.or(trace.answer.clone()), ..trace })
        }
    }
}

/// Whether the response is plain text by its media type and is not JSON.
fn is_prose(response: &HttpResponse) -> bool {
    let is_json = response.body.trim_start().starts_with(['{', '[']);
    response.media_type.as_deref() == Some("text/plain") && !is_json
}

/// Selects the values at `path`: texts as they are, other values as JSON, each on its own line.
fn select_text(path: &JsonPath, value: &Json) -> Result<String, AgentProblem> {
    // A null is what a server writes where there is no answer.
    let found: Vec<&Json> = path.select(value).into_iter().filter(|value| !value.is_null()).collect();
    if found.is_empty() {
        return Err(AgentProblem::Nonsense(format!("no value at `{}`", path.as_str())));
    }
    let texts = found.into_iter().map(render_plain);
    Ok(texts.collect::<Vec<_>>().join("\n"))
}
