//! What a server's answer says of the run.

use serde_json::Value;

use crate::agent::AgentProblem;
use crate::agent::into_trace::read_one;
use crate::case::HttpCall;
use crate::http::Response;
use crate::pattern::JsonPath;
use crate::trace::{Message, Role, Trace};

/// How much of an answer is shown that is no trace, in characters.
const SHOWN: usize = 300;

/// The run that `response` tells of.
pub(super) fn read(call: &HttpCall, response: &Response, query: String) -> Result<Trace, AgentProblem> {
    let read = run(call, response, query).and_then(ended_well);
    read.map_err(|problem| match problem {
        AgentProblem::Nonsense(why) => AgentProblem::Nonsense(format!("{why}\n{}", begins(&response.body))),
        other => other,
    })
}

fn run(call: &HttpCall, response: &Response, query: String) -> Result<Trace, AgentProblem> {
    let format = call.format.as_deref();
    if call.trace.is_none() && call.answer.is_none() {
        let prose = format.is_none() && is_prose(response);
        let said = || Ok(said(query, response.body.clone()));
        return if prose { said() } else { read_one(&response.body, format) };
    }
    let value: Value = response.json().map_err(|problem| AgentProblem::Nonsense(problem.to_string()))?;
    let answer = call.answer.as_ref().map(|path| texts(path, &value)).transpose()?;
    match (&call.trace, answer) {
        (None, answer) => Ok(said(query, answer.unwrap_or_default())),
        (Some(path), answer) => {
            let trace = read_one(&texts(path, &value)?, format)?;
            Ok(Trace { answer: answer.or(trace.answer.clone()), ..trace })
        }
    }
}

/// What readers write before the message of a run that its own format says has failed.
const FAILED: &str = "error: ";

/// A server has no exit code: that its agent broke off stands in its answer. What it did not do says nothing then.
fn ended_well(run: Trace) -> Result<Trace, AgentProblem> {
    match run.stop_reason.as_deref().and_then(|reason| reason.strip_prefix(FAILED)) {
        Some(message) => Err(AgentProblem::Failed(message.into())),
        None => Ok(run),
    }
}

/// A text that its server calls one, and that is no JSON.
fn is_prose(response: &Response) -> bool {
    let is_json = response.body.trim_start().starts_with(['{', '[']);
    response.media_type.as_deref() == Some("text/plain") && !is_json
}

/// A run of which only the answer is known: what the agent called is not, so no check may take it for nothing.
fn said(query: String, answer: String) -> Trace {
    let message = |role, text| Message { role, text, after_calls: 0 };
    let asked = (!query.is_empty()).then(|| message(Role::User, query.clone()));
    Trace {
        input: asked.is_some().then_some(query),
        messages: asked.into_iter().chain([message(Role::Assistant, answer.clone())]).collect(),
        calls_unrecorded: true,
        answer: Some(answer),
        ..Trace::default()
    }
}

/// What stands at `path`: a text as it is, anything else as JSON; several a line each.
fn texts(path: &JsonPath, value: &Value) -> Result<String, AgentProblem> {
    let found: Vec<&Value> = path.select(value).into_iter().filter(|value| !value.is_null()).collect();
    if found.is_empty() {
        return Err(AgentProblem::Nonsense(format!("nothing stands at `{}`", path.as_str())));
    }
    let text = |value: &&Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Ok(found.iter().map(text).collect::<Vec<_>>().join("\n"))
}

fn begins(body: &str) -> String {
    let end = body.char_indices().nth(SHOWN);
    match end {
        Some((end, _)) => format!("it answered: {}...", &body[..end]),
        None if body.is_empty() => "it answered with an empty body".to_owned(),
        None => format!("it answered: {body}"),
    }
}
