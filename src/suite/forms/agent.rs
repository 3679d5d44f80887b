//! Forms of the key `agent`.

use crate::json::Json;
use std::collections::BTreeMap;
use std::num::NonZeroU64;

#[cfg(feature = "schema")]
use schemars::JsonSchema;

use super::{InputMatch, Label};
use crate::check::support::forms::{Texts, Time};

/// An agent: its name, or its definition.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, rename = "agent"))]
pub(crate) enum Agent {
    Named(String),
    Described(Box<DescribedAgent>),
}

/// An agent: a program or a server.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, rename = "described_agent"))]
pub(crate) struct DescribedAgent {
    /// The program and its arguments. There is no shell.
    command: Option<Texts>,
    /// The names of the environment variables that the program receives.
    env: Option<Vec<String>>,
    /// The working folder of the program, relative to the package.
    cwd: Option<String>,
    /// The server: its URL, or a request.
    http: Option<Http>,
    /// Globs of the files that the agent depends on, such as prompts, relative to the package. A recording is stale if one
    /// of them changes.
    inputs: Option<Texts>,
    /// `true`: the agent runs in every mode, and the requests to its model are recorded and replayed.
    model: Option<Model>,
    /// Which texts of the user in a run are compared with the input of its case, if neither the case nor its suite says it.
    input_match: Option<InputMatch>,
    /// The time limit of a run. Default: 5 minutes.
    timeout: Option<Time>,
    /// The maximum output in bytes. Default: 16 MiB.
    output_limit: Option<NonZeroU64>,
    /// The trace format of the output. Default: detected.
    format: Option<String>,
}

/// How the requests to a model are recorded.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
enum Model {
    Flag(bool),
    Settings(ModelForm),
}

/// Where requests to a model go, and what is not compared in a replay.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
struct ModelForm {
    /// Addresses of providers, in place of the usual ones.
    upstream: Option<Upstreams>,
    /// JSON pointers to the parts of a request that are not compared.
    ignore: Option<Texts>,
    /// Regular expressions of the parts of texts that are not compared, such as times.
    ignore_text: Option<Texts>,
    /// `true`: further equal requests get the reply of the last recorded one.
    reuse: Option<bool>,
}

/// The addresses of providers.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
struct Upstreams {
    /// In place of `https://api.openai.com/v1`.
    openai: Option<String>,
    /// In place of `https://api.anthropic.com`.
    anthropic: Option<String>,
    /// In place of `https://generativelanguage.googleapis.com`.
    gemini: Option<String>,
    /// An endpoint on Azure. It has no default.
    azure: Option<String>,
    /// In place of `http://127.0.0.1:11434`.
    ollama: Option<String>,
}

/// A server.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
enum Http {
    Url(String),
    Request(HttpRequest),
}

/// A request to a server.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
struct HttpRequest {
    /// The URL.
    url: String,
    /// The method. Default: `POST`.
    method: Option<HttpMethod>,
    /// The headers. `${NAME}` is an environment variable.
    headers: Option<BTreeMap<String, Label>>,
    /// The body, as JSON. `{{input}}` is replaced by the input of the case.
    body: Option<Json>,
    /// A JSONPath to the trace in the response.
    trace: Option<String>,
    /// A JSONPath to the agent's answer in the response.
    answer: Option<String>,
    /// The number of further attempts after a 429, a 5xx or a lost connection.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 10)))]
    retries: Option<u32>,
}

/// A method of HTTP.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename_all = "UPPERCASE", inline))]
enum HttpMethod {
    Get,
    Post,
    Put,
    Patch,
}
