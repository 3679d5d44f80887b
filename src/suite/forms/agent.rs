//! Forms of the key `agent`.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde_json::Value;

use super::Label;
use crate::check::support::forms::{Texts, Time};

/// An agent: by its name, or described.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, rename = "agent"))]
pub(crate) enum Agent {
    Named(String),
    Described(Box<DescribedAgent>),
}

/// An agent that is a program or a server.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, rename = "described_agent"))]
pub(crate) struct DescribedAgent {
    /// The program and its arguments. There is no shell.
    command: Option<Texts>,
    /// The variables that the program sees, by name.
    env: Option<Vec<String>>,
    /// The working folder of the program, relative to the package's.
    cwd: Option<String>,
    /// The server: its URL, or how the server is asked.
    http: Option<Http>,
    /// The files that the agent depends on, such as prompts, as globs relative to the package. A recording is stale when
    /// one of them changes.
    inputs: Option<Texts>,
    /// Whether the agent runs in every mode, and the requests to its model are recorded and replayed.
    model: Option<Model>,
    /// How long the agent may take. Default: 5 minutes.
    timeout: Option<Time>,
    /// How many bytes the agent may write. Default: 16 MiB.
    output_limit: Option<NonZeroU64>,
    /// The reader of the agent's output. Default: detected.
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
    /// The addresses of providers that are not the usual ones.
    upstream: Option<Upstreams>,
    /// JSON pointers to the parts of a request that are not compared.
    ignore: Option<Texts>,
    /// Regular expressions of the parts of texts that are not compared, such as times.
    ignore_text: Option<Texts>,
    /// Whether the last of several equal requests has its reply again and again.
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
    /// An endpoint on Azure. There is no usual one.
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

/// How a server is asked.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
struct HttpRequest {
    /// The URL.
    url: String,
    /// The method. Default: `POST`.
    method: Option<HttpMethod>,
    /// The headers. `${NAME}` is a variable.
    headers: Option<BTreeMap<String, Label>>,
    /// The body, as JSON. `{{input}}` stands for the input of the case.
    body: Option<Value>,
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
