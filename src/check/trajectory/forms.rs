//! The settings of the checks of expected calls, for their schema.
#![expect(dead_code, reason = "describes settings that are read by hand, with their places")]

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::bfcl::MatchRules;
use super::run_calls::WantedStatus;
use super::settings::TrajectoryMode;
use crate::check::arguments::ArgumentsMode;
use crate::check::arguments::forms::WrittenArguments;
use crate::check::support::forms::Texts;
use crate::check::support::occurrence::OccurrenceForm;

/// Settings of `calls`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CallsForm {
    /// The expected calls.
    list: Vec<EntryForm>,
    /// How the calls of the run relate to the list.
    mode: Option<TrajectoryMode>,
    /// How the arguments of all calls relate to the written ones. Default: `superset` in the short form, `exact` in
    /// the long form.
    args: Option<ArgumentsMode>,
    /// Globs over the paths of arguments that never matter: `timestamp`, `*.request_id`, `get_order.trace_id`.
    ignore: Option<Texts>,
    /// The values of omitted arguments, by tool: `{search: {limit: 10}}`.
    defaults: Option<BTreeMap<String, Map<String, Value>>>,
    /// How the expected calls end. With `any`, calls that failed are extra calls too.
    status: Option<WantedStatus>,
    /// The rules of another tool.
    r#match: Option<MatchRules>,
    /// The declared functions, with `match: bfcl`: `[{name, parameters: {properties, required}}]`.
    functions: Option<Vec<Map<String, Value>>>,
}

/// Settings of `effects`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct EffectsForm {
    /// The tools that change the world: names and globs.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    write: Vec<String>,
    /// The calls of these tools, in any order. An empty list expects none.
    calls: Vec<EntryForm>,
    /// How the arguments of all calls relate to the written ones. Default: `superset` in the short form, `exact` in
    /// the long form.
    args: Option<ArgumentsMode>,
    /// Globs over the paths of arguments that never matter.
    ignore: Option<Texts>,
    /// The values of omitted arguments, by tool.
    defaults: Option<BTreeMap<String, Map<String, Value>>>,
    /// How the expected calls end. With `any`, calls that failed count too.
    status: Option<WantedStatus>,
}

/// An expected call: a tool's name, its long form, alternatives, a group, or `TOOL: ARGUMENTS`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, rename = "expected_call"))]
enum EntryForm {
    Name(String),
    Long(LongEntryForm),
    Alternatives(AlternativesForm),
    Group(GroupForm),
    Short(BTreeMap<String, Option<WrittenArguments>>),
}

#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields, rename = "long_expected_call")
)]
struct LongEntryForm {
    /// The tool: a name, `server:tool`, or a glob.
    tool: String,
    /// The arguments, by name.
    args: Option<WrittenArguments>,
    /// How the arguments relate to the written ones. Default: `exact`.
    args_mode: Option<ArgumentsMode>,
    /// How the call ends.
    status: Option<WantedStatus>,
    /// How often the call is made.
    times: Option<TimesForm>,
    /// `true`: the call need not be made.
    optional: Option<bool>,
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields, inline))]
struct AlternativesForm {
    /// One of these calls is made.
    any_of: Vec<EntryForm>,
    /// How often one of them is made.
    times: Option<TimesForm>,
    /// `true`: none of them need be made.
    optional: Option<bool>,
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields, inline))]
struct GroupForm {
    /// These calls are made, in any order.
    unordered: Vec<EntryForm>,
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, rename = "times"))]
enum TimesForm {
    Exactly(usize),
    Bounds(TimesBounds),
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields, inline))]
struct TimesBounds {
    /// The least number of calls.
    at_least: Option<usize>,
    /// The greatest number of calls.
    at_most: Option<usize>,
}

/// Settings of `call`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CallForm {
    /// The tool: a name, `server:tool`, or a glob.
    tool: String,
    /// The arguments, by name.
    args: Option<WrittenArguments>,
    /// How the arguments relate to the written ones. Default: `superset`.
    args_mode: Option<ArgumentsMode>,
    /// Globs over the paths of arguments that never matter.
    ignore: Option<Texts>,
    /// How the call ends.
    status: Option<WantedStatus>,
    /// Which of the tool's calls with this status must have the arguments. Default: `any`.
    occurrence: Option<OccurrenceForm>,
    /// How many calls have this status and these arguments.
    times: Option<TimesForm>,
}

/// Settings of `tool_called`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ToolCalledForm {
    /// The tool: a name, `server:tool`, or a glob.
    tool: String,
    /// The arguments, by name.
    args: Option<WrittenArguments>,
    /// How the arguments relate to the written ones. Default: `superset`.
    args_mode: Option<ArgumentsMode>,
    /// Globs over the paths of arguments that never matter.
    ignore: Option<Texts>,
    /// How the call ends. Default: `ok`.
    status: Option<WantedStatus>,
}

/// Settings of `not_called`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct NotCalledForm {
    /// The tool: a name, `server:tool`, or a glob.
    tool: String,
    /// The forbidden arguments, by name. Default: any.
    args: Option<WrittenArguments>,
    /// How the arguments relate to the written ones. Default: `superset`.
    args_mode: Option<ArgumentsMode>,
    /// Globs over the paths of arguments that never matter.
    ignore: Option<Texts>,
    /// The forbidden calls: `any` (an attempt counts), `ok`, `error`. Default: `any`.
    status: Option<WantedStatus>,
}
