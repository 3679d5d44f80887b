//! `agent:` which agent a case asks, and `agents:` those that `arraign.yaml` describes for all suites.
//!
//! ```yaml
//! agent: support
//! agent: {command: [python, agent.py], env: [OPENAI_API_KEY], cwd: agents, timeout: 30s, output_limit: 1000000}
//! agent: {http: {url: "https://agents.example.com/ask", headers: {authorization: "Bearer ${AGENT_KEY}"}}, timeout: 30s}
//! ```

mod command;
mod http;
mod model;

pub(super) use command::{parse_variables, parse_words};

use crate::case::{
    AgentDescription, AgentFrom, AgentUse, Case, Described, InputGlob, NamedAgent, RunSelection, TraceFrom,
};
use crate::check::InputMatch;
use crate::pattern::is_glob;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, Value, read_all};

/// Reads the agent of a case. The case must have an input. A `trace` next to `agent` is the file to record the run to.
pub(super) fn parse_agent_use(fields: &mut Fields<'_>, case: &Case) -> Option<AgentUse> {
    let (node, trace) = (fields.node("agent")?, fields.node("trace"));
    let from = fields.take(parse_agent(node, &case.readers.names()))?;
    let no_recording = trace.and_then(|trace| not_a_recording_error(trace, case));
    fields.take(no_recording.map_or(Ok(()), Err));
    if case.input.is_none() && case.turns.is_empty() && fields.errors.is_empty() {
        let error = node.error("the case has no `input` to ask its `agent`");
        fields.errors.push(error.help("give it an `input`, or `turns`"));
    }
    Some(AgentUse { place: node.place(), from })
}

/// Returns why `trace` cannot name the file in which the agent's run is recorded.
fn not_a_recording_error(trace: Node<'_>, case: &Case) -> Option<LoadError> {
    // With an agent, `trace` says where its run is recorded, so it must be one file.
    let several = case.repeat.as_ref().is_some_and(|(runs, _)| *runs > 1);
    let problem = match &case.trace {
        TraceFrom::Inline(_) => "the case contains its trace: its `agent` would never run",
        TraceFrom::File(_) if several => "`repeat` records several files: `trace` cannot name them",
        TraceFrom::File(file)
            if is_glob(&file.path) || file.runs != RunSelection::All || file.format.is_some() =>
        {
            "beside an `agent`, `trace` is the one file that its run is recorded in"
        }
        TraceFrom::File(_) | TraceFrom::Lookup => return None,
    };
    Some(trace.error(problem).help("take `trace` out, or `agent`"))
}

/// A name, or `{command: [...], ...}`, or `{http: {...}, ...}`.
fn parse_agent(node: Node<'_>, readers: &[&str]) -> Result<AgentFrom, LoadErrors> {
    feature_error(node, "agent", ("live", cfg!(feature = "live")))?;
    match node.value() {
        Value::String(name) if !name.trim().is_empty() => Ok(AgentFrom::Named(name.to_string())),
        Value::Map(_) => {
            parse_description(node, readers).map(|description| AgentFrom::Here(Box::new(description)))
        }
        _ => Err(node.error(format!("`agent` is an agent's name, {FORMS}")).into()),
    }
}

/// The agents that `arraign.yaml` describes, by name.
pub(super) fn parse_named_agents(node: Node<'_>, readers: &[&str]) -> Result<Vec<NamedAgent>, LoadErrors> {
    feature_error(node, "agents", ("live", cfg!(feature = "live")))?;
    let Some(entries) = node.entries() else {
        return Err(node.error(format!("`agents` is a mapping of names to agents: {FORMS}")).into());
    };
    read_all(entries.map(|(key, node)| {
        let description = parse_description(node, readers)?;
        Ok::<_, LoadErrors>(NamedAgent { name: key.name.to_string(), place: node.place(), description })
    }))
}

/// The kinds of values under `agent`.
const FORMS: &str = "`{command: [program, argument]}`, or `{http: {url: ...}}`";

fn parse_description(node: Node<'_>, readers: &[&str]) -> Result<AgentDescription, LoadErrors> {
    let mut errors = LoadErrors::new();
    let described = errors.take(parse_described(node, readers));
    let inputs = node.get("inputs").map(Node::one_or_many).unwrap_or_default();
    let inputs = errors.take(read_all(inputs.into_iter().map(parse_input))).unwrap_or_default();
    let model = node.get("model").and_then(|node| errors.take(model::parse_model(node))).flatten();
    let input_match = node.get("input_match").and_then(|node| errors.take(InputMatch::parse(node)));
    errors.or_some(described.map(|described| AgentDescription { described, inputs, model, input_match }))
}

/// Marks the keys as known that [`parse_description`] reads for both kinds of agents.
fn mark_common_keys(fields: &mut Fields<'_>) {
    fields.node("inputs");
    fields.node("model");
    fields.node("input_match");
}

fn parse_input(node: Node<'_>) -> Result<InputGlob, LoadError> {
    let pattern: String = node.decode()?;
    match check_pattern(&pattern) {
        Ok(()) => Ok(InputGlob { pattern, place: Some(node.place()) }),
        Err(problem) => Err(node
            .error(format!("`{pattern}` {problem}"))
            .help("`inputs` are globs of files, relative to the package: `prompts/**`")),
    }
}

#[cfg(feature = "live")]
fn check_pattern(pattern: &str) -> Result<(), String> {
    crate::source::check_input_pattern(pattern)
}

/// Accepts any pattern: without the feature `live`, a file with agents is refused as a whole.
#[cfg(not(feature = "live"))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature as with agents")]
fn check_pattern(_pattern: &str) -> Result<(), String> {
    Ok(())
}

fn parse_described(node: Node<'_>, readers: &[&str]) -> Result<Described, LoadErrors> {
    match (node.get("command"), node.get("http")) {
        (Some(_), Some(http)) => {
            let error = http.error("an agent is a `command`, or it is asked over `http`");
            Err(error.help("take one of them out").into())
        }
        (None, Some(http)) => {
            feature_error(http, "http", ("http", cfg!(feature = "http")))?;
            http::parse_http_call(node, readers).map(|call| Described::Http(Box::new(call)))
        }
        (_, None) => command::parse_command_line(node, readers).map(Described::Command),
    }
}

pub(super) fn feature_error(
    node: Node<'_>,
    key: &str,
    (feature, has_it): (&str, bool),
) -> Result<(), LoadError> {
    if has_it {
        return Ok(());
    }
    let error = node.error(format!("`{key}` needs arraign's feature `{feature}`"));
    Err(error.help(format!("in Cargo.toml: `arraign = {{ version = \"..\", features = [\"{feature}\"] }}`")))
}

fn parse_bytes(node: Node<'_>) -> Result<usize, LoadError> {
    let bytes = node.decode::<usize>().ok().filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| node.error("`output_limit` is a number of bytes"))
}
