//! Forms of the key `mocks`.

use crate::json::Json;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

use crate::check::arguments::forms::WrittenArguments;
use crate::check::support::forms::{Texts, Time};

/// The tools that an MCP server of arraign's own offers.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields, rename = "mocks"))]
pub(crate) struct Mocks {
    /// The name of the server in the trace. Default: `mocks`.
    name: Option<String>,
    /// The answers of each tool.
    tools: Option<BTreeMap<String, Answers>>,
    /// The answer to all other calls. Default: `refuse`, an error that fails the trial.
    otherwise: Option<Otherwise>,
    /// Tools that are offered. To call one is a violation.
    decoys: Option<Texts>,
    /// The descriptions and schemas of the tools: what a server answers to `tools/list`, or the file with it.
    definitions: Option<Json>,
    /// An existing MCP server. Its answers are recorded, and replayed later.
    server: Option<RecordedServer>,
}

/// One answer, or several: the first that applies is given.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, inline))]
enum Answers {
    Many(Vec<Answer>),
    One(Answer),
}

/// What a tool answers.
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields, rename = "mock_answer")
)]
struct Answer {
    /// The arguments to which the answer applies. Default: all.
    when: Option<WrittenArguments>,
    /// How often the answer is given. Default: always.
    times: Option<NonZeroU32>,
    /// A text, or a value that is sent as JSON.
    #[cfg_attr(feature = "schema", schemars(rename = "return"))]
    returned: Option<Json>,
    /// Blocks of content in the form of MCP, or texts.
    content: Option<Json>,
    /// Whether the tool says that it failed.
    failed: Option<bool>,
    /// How long the answer takes.
    delay: Option<Time>,
}

/// `refuse`, or an answer.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, inline))]
enum Otherwise {
    Refuse(Refuse),
    Answer(Answer),
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename_all = "snake_case", inline))]
enum Refuse {
    Refuse,
}

/// An MCP server that speaks over its standard streams.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields, inline))]
struct RecordedServer {
    /// The program and its arguments. There is no shell.
    command: Texts,
    /// The variables that the program sees, by name.
    env: Option<Vec<String>>,
    /// The working folder of the program, relative to the package's.
    cwd: Option<String>,
}
