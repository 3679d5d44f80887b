//! `agent:` which agent a case asks, and `agents:` those that `arraign.yaml` describes for all suites.
//!
//! ```yaml
//! agent: support
//! agent: {command: [python, agent.py], env: [OPENAI_API_KEY], cwd: agents, timeout: 30s, output_limit: 1000000}
//! ```

use super::case::timeout;
use super::trace::reader_name;
use crate::case::{AgentFrom, AgentUse, Case, CommandLine, NamedAgent, Runs, TraceFrom};
use crate::pattern::is_glob;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, Value};

/// The agent of a case, which has something to ask it. A `trace` beside it is where its run is recorded.
pub(super) fn of_case(fields: &mut Fields<'_>, case: &Case) -> Option<AgentUse> {
    let (node, trace) = (fields.node("agent")?, fields.node("trace"));
    let from = fields.take(agent(node))?;
    let no_recording = trace.and_then(|trace| not_a_recording(trace, case));
    fields.take(no_recording.map_or(Ok(()), Err));
    if case.input.is_none() && fields.errors.is_empty() {
        let error = node.error("the case has no `input` to ask its `agent`");
        fields.errors.push(error.help("give it an `input`"));
    }
    Some(AgentUse { place: node.place(), from })
}

/// Why `trace` cannot say where the agent's run is recorded.
fn not_a_recording(trace: Node<'_>, case: &Case) -> Option<LoadError> {
    let several = case.repeat.as_ref().is_some_and(|(runs, _)| *runs > 1);
    let problem = match &case.trace {
        TraceFrom::Inline(_) => "the trace stands here: the case's `agent` would never run",
        TraceFrom::File(_) if several => "`repeat` records several files: `trace` cannot name them",
        TraceFrom::File(file) if is_glob(&file.path) || file.runs != Runs::All || file.format.is_some() => {
            "beside an `agent`, `trace` is the one file that its run is recorded in"
        }
        TraceFrom::File(_) | TraceFrom::Lookup => return None,
    };
    Some(trace.error(problem).help("take `trace` out, or `agent`"))
}

/// A name, or `{command: [...], ...}`.
fn agent(node: Node<'_>) -> Result<AgentFrom, LoadErrors> {
    needs_feature(node, "agent")?;
    match node.value() {
        Value::String(name) if !name.trim().is_empty() => Ok(AgentFrom::Named(name.clone())),
        Value::Map(_) => command_line(node).map(AgentFrom::Command),
        _ => Err(node.error("`agent` is an agent's name, or `{command: [program, argument]}`").into()),
    }
}

/// The agents that `arraign.yaml` describes, by name.
pub(super) fn named_agents(node: Node<'_>) -> Result<Vec<NamedAgent>, LoadErrors> {
    needs_feature(node, "agents")?;
    let Some(entries) = node.entries() else {
        return Err(node.error("`agents` is a mapping of names to `{command: [program, argument]}`").into());
    };
    let mut errors = LoadErrors::new();
    let described = entries.filter_map(|(key, node)| {
        let command = errors.take(command_line(node))?;
        Some(NamedAgent { name: key.name.clone(), place: node.place(), command })
    });
    let described = described.collect();
    errors.or(described)
}

fn needs_feature(node: Node<'_>, key: &str) -> Result<(), LoadError> {
    if cfg!(feature = "live") {
        return Ok(());
    }
    let error = node.error(format!("`{key}` needs arraign's feature `live`"));
    Err(error.help("in Cargo.toml: `arraign = { version = \"..\", features = [\"live\"] }`"))
}

fn command_line(node: Node<'_>) -> Result<CommandLine, LoadErrors> {
    let mut fields = Fields::of(node, "an agent")?;
    if let Some(http) = fields.node("http") {
        let error = http.error("agents behind HTTP are not supported by this version of arraign");
        fields.errors.push(error.help("ask it from a program of yours: `command: [...]`"));
    }
    let words = fields.node("command").and_then(|node| fields.take(words(node)));
    if words.is_none() && fields.errors.is_empty() {
        fields.missing(&["command"], node.error("an agent here needs its `command: [program, argument]`"));
    }
    let command = CommandLine {
        env: fields.node("env").and_then(|node| fields.take(variables(node))).unwrap_or_default(),
        cwd: fields.optional("cwd"),
        timeout: fields.node("timeout").and_then(|node| fields.take(timeout(node))),
        output_limit: fields.node("output_limit").and_then(|node| fields.take(bytes(node))),
        format: fields.node("format").and_then(|node| fields.take(reader_name(node))),
        ..CommandLine::default()
    };
    let whole = words.map(|(program, arguments)| CommandLine { program, arguments, ..command });
    fields.finish_some(whole)
}

/// The program and its arguments; a number is the text that it is written as.
fn words(node: Node<'_>) -> Result<(String, Vec<String>), LoadErrors> {
    let Some(list) = node.list() else {
        let error = node.error("`command` is a list: the program, then its arguments");
        return Err(error.help("there is no shell; for one, write `[sh, -c, \"...\"]`").into());
    };
    let mut errors = LoadErrors::new();
    let mut words = list.filter_map(|node| errors.take(word(node))).collect::<Vec<_>>().into_iter();
    let program = words.next().filter(|program| !program.is_empty());
    if program.is_none() && errors.is_empty() {
        errors.push(node.error("`command` names no program"));
    }
    errors.or_some(program.map(|program| (program, words.collect())))
}

fn word(node: Node<'_>) -> Result<String, LoadError> {
    let text = match node.value() {
        Value::Int(number) => number.to_string(),
        _ => node.decode::<String>()?,
    };
    if text.contains('\0') { Err(node.error("no argument can hold a null character")) } else { Ok(text) }
}

/// Names of variables, never their values: those would stand in the repository.
fn variables(node: Node<'_>) -> Result<Vec<String>, LoadErrors> {
    let Some(list) = node.list() else {
        return Err(node.error("`env` is a list of names of variables").into());
    };
    let mut errors = LoadErrors::new();
    let names = list.filter_map(|node| errors.take(variable(node))).collect();
    errors.or(names)
}

fn variable(node: Node<'_>) -> Result<String, LoadError> {
    let name: String = node.decode()?;
    if name.is_empty() || name.contains(['=', '\0']) {
        let error = node.error("this is no name of a variable");
        return Err(error.help("values come from the environment of the test"));
    }
    Ok(name)
}

fn bytes(node: Node<'_>) -> Result<usize, LoadError> {
    let bytes = node.decode::<usize>().ok().filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| node.error("`output_limit` is a number of bytes"))
}
