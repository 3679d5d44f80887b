//! The settings of the checks of expected calls, for their schema.
#![expect(dead_code, reason = "describes settings that are read by hand, with their places")]

use crate::json::JsonMap;
use std::collections::BTreeMap;

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
    /// How the arguments of all calls relate to the expected ones. Default: `superset` in the short form, `exact` in
    /// the long form.
    args: Option<ArgumentsMode>,
    /// Globs over the paths of arguments that are not compared: `timestamp`, `*.request_id`, `get_order.trace_id`.
    ignore: Option<Texts>,
    /// The default values of arguments, by tool: `{search: {limit: 10}}`.
    defaults: Option<BTreeMap<String, JsonMap>>,
    /// How the expected calls end. With `any`, failed calls are extra calls, too.
    status: Option<WantedStatus>,
    /// Uses the rules of another tool.
    r#match: Option<MatchRules>,
    /// The declared functions, with `match: bfcl`: `[{name, parameters: {properties, required}}]`.
    functions: Option<Vec<JsonMap>>,
}

/// Settings of `effects`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct EffectsForm {
    /// The tools that change something: names and globs.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    write: Vec<String>,
    /// The expected calls of these tools, in any order. An empty list expects none.
    calls: Vec<EntryForm>,
    /// How the arguments of all calls relate to the expected ones. Default: `superset` in the short form, `exact` in
    /// the long form.
    args: Option<ArgumentsMode>,
    /// Globs over the paths of arguments that are not compared.
    ignore: Option<Texts>,
    /// The default values of arguments, by tool.
    defaults: Option<BTreeMap<String, JsonMap>>,
    /// How the expected calls end. With `any`, failed calls count, too.
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
    /// How the arguments relate to the expected ones. Default: `exact`.
    args_mode: Option<ArgumentsMode>,
    /// How the call ends.
    status: Option<WantedStatus>,
    /// How often the call is made.
    times: Option<TimesForm>,
    /// `true`: the call may be missing.
    optional: Option<bool>,
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields, inline))]
struct AlternativesForm {
    /// One of these calls is made.
    any_of: Vec<EntryForm>,
    /// How often one of them is made.
    times: Option<TimesForm>,
    /// `true`: all of them may be missing.
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
    /// The minimum number of calls.
    at_least: Option<usize>,
    /// The maximum number of calls.
    at_most: Option<usize>,
}

/// Settings of `call`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CallForm {
    /// The tool: a name, `server:tool`, or a glob.
    tool: String,
    /// The arguments, by name.
    args: Option<WrittenArguments>,
    /// How the arguments relate to the expected ones. Default: `superset`.
    args_mode: Option<ArgumentsMode>,
    /// Globs over the paths of arguments that are not compared.
    ignore: Option<Texts>,
    /// How the call ends.
    status: Option<WantedStatus>,
    /// Which of the tool's calls with this status must have the arguments. Default: `any`.
    occurrence: Option<OccurrenceForm>,
    /// The number of calls with this status and these arguments.
    times: Option<TimesForm>,
}

/// Settings of `tool_called`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ToolCalledForm {
    /// The tool: a name, `server:tool`, or a glob.
    tool: String,
    /// The arguments, by name.
    args: Option<WrittenArguments>,
    /// How the arguments relate to the expected ones. Default: `superset`.
    args_mode: Option<ArgumentsMode>,
    /// Globs over the paths of arguments that are not compared.
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
    /// How the arguments relate to the expected ones. Default: `superset`.
    args_mode: Option<ArgumentsMode>,
    /// Globs over the paths of arguments that are not compared.
    ignore: Option<Texts>,
    /// The forbidden calls: `any` (an attempt counts), `ok`, `error`. Default: `any`.
    status: Option<WantedStatus>,
}
