//! `agent:` which agent a case asks, and `agents:` those that `arraign.yaml` describes for all suites.
//!
//! ```yaml
//! agent: support
//! agent: {command: [python, agent.py], env: [OPENAI_API_KEY], cwd: agents, timeout: 30s, output_limit: 1000000}
//! agent: {acp: [npx, -y, "@agentclientprotocol/claude-agent-acp"], permissions: {allow: [read, edit]}}
//! agent: {http: {url: "https://agents.example.com/ask", headers: {authorization: "Bearer ${AGENT_KEY}"}}, timeout: 30s}
//! ```

mod acp;
mod command;
mod http;
mod model;

pub(super) use command::{CommandWords, VariableName};
pub(super) use model::WrittenModel;

use std::num::NonZeroUsize;

use serde::Deserialize;

use self::acp::{WrittenPermissions, build_permissions};
use self::command::AgentWords;
use self::http::WrittenHttp;
use crate::JsonSchema;
use crate::case::{
    AcpAgent, AgentDescription, AgentFrom, AgentUse, Case, CommandLine, Described, HttpCall, InputGlob,
    NamedAgent, RunSelection, TraceFrom,
};
use crate::check::{InputMatch, find_reader};
use crate::outcome::suggest_feature;
use crate::pattern::{PathPattern, is_glob};
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Build, Checked, MappingOr, Node, OneOrMany, OrderedMap, Placed, TimeLimit, read_all};

/// An agent: its name, or its description.
pub(super) type WrittenAgent = MappingOr<WrittenDescription, Placed<String>>;

/// An agent: a program or a server.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "described_agent")]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenDescription {
    /// The program and its arguments. There is no shell.
    command: Option<Checked<AgentWords>>,
    /// A program that speaks the Agent Client Protocol, and its arguments. There is no shell.
    acp: Option<Placed<Checked<AgentWords>>>,
    /// What an agent over `acp` may do: `allow`, `deny`, or lists of kinds of calls and names of tools. Default: `deny`.
    permissions: Option<Placed<WrittenPermissions>>,
    /// The names of the environment variables that the program receives.
    env: Option<Placed<Vec<VariableName>>>,
    /// The working folder of the program, relative to the package.
    cwd: Option<Placed<String>>,
    /// The server: its URL, or a request.
    http: Option<Placed<Checked<WrittenHttp>>>,
    /// Globs of the files that the agent depends on, such as prompts, relative to the package. A recording is stale if one
    /// of them changes.
    #[serde(default)]
    inputs: OneOrMany<Checked<WrittenInput>>,
    /// `true`: the agent runs in every mode, and the requests to its model are recorded and replayed.
    model: Option<Checked<WrittenModel>>,
    /// Which texts of the user in a run are compared with the input of its case, if neither the case nor its suite says it.
    input_match: Option<InputMatch>,
    /// The time limit of a run. Default: 5 minutes.
    timeout: Option<TimeLimit>,
    /// The maximum output in bytes. Default: 16 MiB.
    output_limit: Option<NonZeroUsize>,
    /// The trace format of the output. Default: detected.
    format: Option<Placed<String>>,
}

/// Builds the agent of a case. The case must have an input. A `trace` next to `agent` is the file to record the run to.
pub(super) fn build_agent_use(
    written: Placed<WrittenAgent>,
    node: Node<'_>,
    case: &Case,
    errors: &mut LoadErrors,
) -> Option<AgentUse> {
    let place = written.place().clone();
    let from = errors.take(build_agent(written.into_value(), &place, &case.readers.names()))?;
    if let Some(error) = node.get("trace").and_then(|trace| not_a_recording_error(trace, case)) {
        errors.push(error);
    }
    if case.input.is_none() && case.turns.is_empty() && errors.is_empty() {
        let error = LoadError::new(place.clone(), "the case has no `input` to ask its `agent`");
        errors.push(error.help("give it an `input`, or `turns`"));
    }
    Some(AgentUse { place, from })
}

/// Returns why `trace` cannot name the file in which the agent's run is recorded.
fn not_a_recording_error(trace: Node<'_>, case: &Case) -> Option<LoadError> {
    // With an agent, `trace` says where its run is recorded, so it must be one file.
    let several = case.repeat.as_ref().is_some_and(|(runs, _)| *runs > 1);
    let problem = match &case.trace {
        TraceFrom::Inline(_) => "the case contains its trace: its `agent` would never run",
        TraceFrom::File(_) if several => "`repeat` records several files: `trace` cannot name them",
        TraceFrom::File(file)
            if file.is_harbor_job
                || is_glob(&file.path)
                || file.runs != RunSelection::All
                || file.format.is_some() =>
        {
            "beside an `agent`, `trace` is the one file that its run is recorded in"
        }
        TraceFrom::File(_) | TraceFrom::Lookup => return None,
    };
    Some(trace.error(problem).help("take `trace` out, or `agent`"))
}

fn build_agent(written: WrittenAgent, place: &Place, readers: &[&str]) -> Result<AgentFrom, LoadErrors> {
    require_feature(place, "agent", "live", cfg!(feature = "live"))?;
    match written {
        MappingOr::Short(name) if name.trim().is_empty() => {
            Err(name.error(format!("`agent` is an agent's name, {FORMS}")).into())
        }
        MappingOr::Short(name) => Ok(AgentFrom::Named(name.into_value())),
        MappingOr::Mapping(written) => Ok(AgentFrom::Here(Box::new(written.build(place, readers)?))),
    }
}

/// Builds the agents that `arraign.yaml` describes, by name.
pub(super) fn build_named_agents(
    agents: Placed<OrderedMap<String, Placed<WrittenDescription>>>,
    readers: &[&str],
) -> Result<Vec<NamedAgent>, LoadErrors> {
    require_feature(agents.place(), "agents", "live", cfg!(feature = "live"))?;
    read_all(agents.into_value().0.into_iter().map(|(name, written)| {
        let place = written.place().clone();
        let description = written.into_value().build(&place, readers)?;
        Ok::<_, LoadErrors>(NamedAgent { name, place, description })
    }))
}

/// The kinds of values under `agent`.
const FORMS: &str = "`{command: [program, argument]}`, `{acp: [program, argument]}`, or `{http: {url: ...}}`";

impl WrittenDescription {
    fn build(self, place: &Place, readers: &[&str]) -> Result<AgentDescription, LoadErrors> {
        let mut errors = LoadErrors::new();
        let format = self.format.as_ref().and_then(|format| errors.take(find_reader(format, readers)));
        let output_limit = self.output_limit.map(NonZeroUsize::get);
        let timeout = self.timeout.map(|time| time.0);
        let permissions_place = self.permissions.as_ref().map(|permissions| permissions.place().clone());
        let permissions =
            self.permissions.and_then(|written| errors.take(build_permissions(written.into_value())));
        if let (Some(place), None) = (permissions_place, &self.acp) {
            let error = LoadError::new(place, "`permissions` are those of an agent over `acp`");
            errors.push(error.help("other agents ask for no permission"));
        }
        let described = match (self.command, self.http) {
            (None, None) if self.acp.is_some() => {
                let line = self.acp.map(|words| words.into_value().0).unwrap_or_default();
                let of_command =
                    [self.cwd.as_ref().map(Placed::place), self.format.as_ref().map(Placed::place)];
                for place in of_command.into_iter().flatten() {
                    let error = LoadError::new(place.clone(), "this is a setting of a `command`");
                    errors.push(error.help("an agent over `acp` works in the folder of its session, and its messages are the trace"));
                }
                let env = self.env.map(Placed::into_value).unwrap_or_default();
                let env = env.into_iter().map(|name| name.0).collect();
                let line = CommandLine { env, timeout, output_limit, ..line };
                Some(Described::Acp(Box::new(AcpAgent {
                    line,
                    permissions: permissions.unwrap_or_default(),
                })))
            }
            (command, http) if self.acp.is_some() => {
                let other = if command.is_some() { "command" } else { "http" };
                drop((command, http));
                let place = self.acp.as_ref().map_or(place, Placed::place);
                let problem = format!("an agent is asked over `acp`, or it is a `{other}`");
                errors.push(LoadError::new(place.clone(), problem).help("take one of them out"));
                None
            }
            (Some(_), Some(http)) => {
                let error = http.error("an agent is a `command`, or it is asked over `http`");
                errors.push(error.help("take one of them out"));
                None
            }
            (None, Some(http)) => {
                let of_program = [self.env.as_ref().map(Placed::place), self.cwd.as_ref().map(Placed::place)];
                for place in of_program.into_iter().flatten() {
                    let error = LoadError::new(place.clone(), "this is a setting of a `command`");
                    errors.push(error.help("a server is asked over `http`: it has its own environment"));
                }
                let call = HttpCall { timeout, output_limit, format, ..http.into_value().0 };
                Some(Described::Http(Box::new(call)))
            }
            (Some(Checked(line)), None) => {
                let env = self.env.map(Placed::into_value).unwrap_or_default();
                let env = env.into_iter().map(|name| name.0).collect();
                let cwd = self.cwd.map(Placed::into_value);
                Some(Described::Command(CommandLine { env, cwd, timeout, output_limit, format, ..line }))
            }
            (None, None) => {
                let problem = "an agent here needs its `command: [program, argument]`, its `acp: [program, argument]` or its `http: {url: ...}`";
                errors.push(LoadError::new(place.clone(), problem));
                None
            }
        };
        let inputs = self.inputs.0.into_iter().map(|input| input.0).collect();
        let model = self.model.and_then(|model| model.0);
        let input_match = self.input_match;
        errors.or_some(described.map(|described| AgentDescription { described, inputs, model, input_match }))
    }
}

/// A glob of files.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct WrittenInput(PathPattern);

impl Build for WrittenInput {
    type Built = InputGlob;

    fn build(written: Placed<Self>) -> Result<InputGlob, LoadErrors> {
        let place = Some(written.place().clone());
        Ok(InputGlob { pattern: written.into_value().0, place })
    }
}

/// Refuses the key at `place` if arraign is built without the feature that it needs.
pub(super) fn require_feature(
    place: &Place,
    key: &str,
    feature: &str,
    has_feature: bool,
) -> Result<(), LoadError> {
    if has_feature {
        return Ok(());
    }
    let error = LoadError::new(place.clone(), format!("`{key}` needs arraign's feature `{feature}`"));
    Err(error.help(suggest_feature(feature)))
}
