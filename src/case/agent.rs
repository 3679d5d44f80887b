//! The agent of a case: registered under a name, a command, or a server.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use serde::Deserialize;

use super::{AcpAgent, Template, VariableText};
use crate::JsonSchema;
use crate::check::InputMatch;
use crate::json::{Json, json};
use crate::pattern::{JsonPath, PathPattern};
use crate::place::Place;

/// The limits on the agents of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub struct AgentLimits {
    /// How many run at the same time. Default: 16.
    pub at_once: Option<NonZeroUsize>,
    /// How many begin in a minute, in all shards together.
    pub per_minute: Option<NonZeroU32>,
    /// What they may cost together, in US dollars, in all shards.
    #[schemars(extend("exclusiveMinimum" = 0))]
    #[serde(default, deserialize_with = "read_budget")]
    pub budget_usd: Option<f64>,
    /// The number of jobs that share `per_minute` and `budget_usd`: each takes its part. Default: the shards of `ARRAIGN_SHARD`.
    pub of: Option<NonZeroU32>,
}

fn read_budget<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    match Option::<f64>::deserialize(deserializer)? {
        Some(usd) if !(usd.is_finite() && usd > 0.0) => {
            Err(serde::de::Error::custom("`budget_usd` is a number above 0"))
        }
        usd => Ok(usd),
    }
}

impl AgentLimits {
    /// Returns these limits, completed by the limits of `other`.
    pub fn or(self, other: Self) -> Self {
        Self {
            at_once: self.at_once.or(other.at_once),
            per_minute: self.per_minute.or(other.per_minute),
            budget_usd: self.budget_usd.or(other.budget_usd),
            of: self.of.or(other.of),
        }
    }

    /// Returns the number of jobs that share these limits.
    pub fn count_jobs(self) -> u32 {
        self.of.map_or(1, NonZeroU32::get)
    }

    /// Returns these limits for one of `shards` jobs that divide the trials, unless they name the number of jobs.
    pub fn for_shards(self, shards: Option<NonZeroU32>) -> Result<Self, AgentLimitsError> {
        match (self.of, shards) {
            (Some(jobs), Some(shards)) if jobs < shards => {
                Err(AgentLimitsError::FewerJobsThanShards { jobs, shards })
            }
            (of, shards) => Ok(Self { of: of.or(shards), ..self }),
        }
    }
}

/// Why limits cannot be divided among jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgentLimitsError {
    /// The limits name fewer jobs than the run has shards.
    #[error(
        "`of: {jobs}` of `agent_limits` is less than the {shards} shards of ARRAIGN_SHARD: it is the number of all jobs that \
         share the limits"
    )]
    FewerJobsThanShards {
        /// The value of `of`.
        jobs: NonZeroU32,
        /// The number of shards.
        shards: NonZeroU32,
    },
}

/// The agent of a case, and its place.
#[derive(Debug, Clone)]
pub struct AgentUse {
    /// The place of the agent's name.
    pub place: Place,
    /// The agent.
    pub from: AgentFrom,
}

/// The agent that a case selects.
#[derive(Debug, Clone)]
pub enum AgentFrom {
    /// An agent that the harness or `arraign.yaml` names.
    Named(String),
    /// An agent that is described in the case.
    Here(Box<AgentDescription>),
}

/// An agent described in a file.
#[derive(Debug, Clone)]
pub struct AgentDescription {
    /// How the agent is asked.
    pub described: Described,
    /// The files that the agent depends on.
    pub inputs: Vec<InputGlob>,
    /// How the agent's model is recorded. `None` if the agent's runs are recorded.
    pub model: Option<ModelSettings>,
    /// How the inputs of its runs are compared.
    pub input_match: Option<InputMatch>,
}

/// How the requests of an agent to its model are recorded and found again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelSettings {
    /// The addresses of providers that are not the usual ones, by the name of the provider.
    pub upstream: BTreeMap<String, String>,
    /// JSON pointers to the parts of a request that are not compared.
    pub ignore: Vec<String>,
    /// Regular expressions of the parts of texts that are not compared.
    pub ignore_text: Vec<String>,
    /// Whether the last of several equal requests has its reply again and again.
    pub reuse: bool,
}

impl ModelSettings {
    /// Returns the settings for a fingerprint of the agent.
    pub fn define(&self) -> Json {
        json!({"upstream": self.upstream, "ignore": self.ignore, "ignore_text": self.ignore_text, "reuse": self.reuse})
    }
}

impl AgentDescription {
    /// Returns the names of the environment variables that the agent gets.
    pub fn variables(&self) -> Vec<&str> {
        match &self.described {
            Described::Command(line) => line.env.iter().map(String::as_str).collect(),
            Described::Acp(agent) => agent.line.env.iter().map(String::as_str).collect(),
            Described::Http(call) => {
                let headers = call.headers.iter().map(|(_, value)| value);
                std::iter::once(&call.url).chain(headers).flat_map(VariableText::names).collect()
            }
        }
    }
}

/// A glob of files that an agent depends on, relative to the package.
#[derive(Debug, Clone)]
pub struct InputGlob {
    /// The glob.
    pub pattern: PathPattern,
    /// The place of the glob; `None` for an agent of the test target.
    pub place: Option<Place>,
}

/// How an agent of a file is asked.
#[derive(Debug, Clone)]
pub enum Described {
    /// A process.
    Command(CommandLine),
    /// A process that speaks the Agent Client Protocol.
    Acp(Box<AcpAgent>),
    /// A server.
    Http(Box<HttpCall>),
}

/// An agent described in `arraign.yaml`.
#[derive(Debug, Clone)]
pub struct NamedAgent {
    /// The name for cases.
    pub name: String,
    /// The place of the description.
    pub place: Place,
    /// The description.
    pub description: AgentDescription,
}

/// An agent as a process: it reads its input on standard input and writes its trace on standard output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The program.
    pub program: String,
    /// The arguments. No shell is involved.
    pub arguments: Vec<String>,
    /// The variables that the process inherits in addition to `PATH` and `HOME`.
    pub env: Vec<String>,
    /// The working folder, relative to the package's folder, which is the default.
    pub cwd: Option<String>,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// The largest size of the output, in bytes.
    pub output_limit: Option<usize>,
    /// The format of the output, if it is not detected.
    pub format: Option<String>,
}

/// An agent as a server.
#[derive(Debug, Clone, Default)]
pub struct HttpCall {
    /// The URL. `${NAME}` is an environment variable, `{{query}}` a part of the input.
    pub url: VariableText,
    /// The method.
    pub method: HttpMethod,
    /// The headers; `${NAME}` is an environment variable.
    pub headers: Vec<(String, VariableText)>,
    /// The body. The default is the input that a command reads.
    pub body: Option<Template>,
    /// The path of the trace in the response; the default is the whole response.
    pub trace: Option<JsonPath>,
    /// The path of the agent's answer in the response.
    pub answer: Option<JsonPath>,
    /// The number of retries after a temporary failure.
    pub retries: Option<u32>,
    /// The time limit of all attempts together.
    pub timeout: Option<Duration>,
    /// The largest size of the response, in bytes.
    pub output_limit: Option<usize>,
    /// The format of the response, if it is not detected.
    pub format: Option<String>,
}

impl Described {
    /// Returns the display name of the agent: its program or its host.
    pub fn display_name(&self) -> &str {
        match self {
            Self::Command(line) => &line.program,
            Self::Acp(agent) => &agent.line.program,
            Self::Http(call) => call.host(),
        }
    }

    /// Returns the settings that decide what the agent does, for its fingerprint. Variables are named, not resolved.
    pub fn define(&self) -> Json {
        match self {
            Self::Command(line) => json!({
                "program": line.program,
                "arguments": line.arguments,
                "env": line.env,
                "cwd": line.cwd,
                "format": line.format,
            }),
            Self::Acp(agent) => json!({
                "acp": agent.line.program,
                "arguments": agent.line.arguments,
                "env": agent.line.env,
                "permissions": agent.permissions.define(),
            }),
            Self::Http(call) => json!({
                "url": call.url.as_str(),
                "method": call.method.name(),
                "headers": call.headers.iter().map(|(name, value)| json!([name, value.as_str()])).collect::<Vec<_>>(),
                "body": call.body.as_ref().map(Template::as_value),
                "trace": call.trace.as_ref().map(JsonPath::as_str),
                "answer": call.answer.as_ref().map(JsonPath::as_str),
                "format": call.format,
            }),
        }
    }
}

impl HttpCall {
    /// Returns the host as written in the file.
    pub fn host(&self) -> &str {
        let url = self.url.as_str();
        let behind = url.split_once("://").map_or(url, |(_, behind)| behind);
        let authority = behind.split(['/', '?', '#']).next().unwrap_or_default();
        authority.rsplit('@').next().unwrap_or_default()
    }
}

/// The HTTP method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HttpMethod {
    /// `GET`, without a body.
    Get,
    /// `POST`.
    #[default]
    Post,
    /// `PUT`.
    Put,
    /// `PATCH`.
    Patch,
}

impl HttpMethod {
    /// All methods.
    pub const ALL: [Self; 4] = [Self::Get, Self::Post, Self::Put, Self::Patch];

    /// Returns the method as written in a request.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
        }
    }
}
