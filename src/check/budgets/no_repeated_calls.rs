//! `no_repeated_calls`: no call repeats an earlier one that succeeded.
//!
//! Two calls are the same if tool and arguments are. A retry after a failure repeats nothing.
//!
//! <!-- settings -->
//!
//! `write` names the tools that change something, as in [`effects`](effects.md). A call after a successful one of these
//! tools repeats no call before it: with `no_repeated_calls: {write: ["update_*"]}`, an agent may read an order again after
//! `update_order`. The same write twice in a row is still a repeat. If the write in between failed, looks like a failure, or
//! may have run at the same time as one of the two calls (it is of the same turn, or of another agent), nobody knows whether
//! something had changed, and the check is undecided.
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/no_repeated_calls/fail-the-same-search-twice.yaml")]
//! ```

use std::collections::HashMap;

use serde::Deserialize;

use super::call_rule::{CallCheck, CallDoubt, CallFinding, CallRule, refuse_false, yes};
use crate::JsonSchema;
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::{CallSuccess, Known, is_same_turn};
use crate::json::Json;
use crate::outcome::Violation;
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::trace::{Arguments, Call, ToolServer};
use crate::yaml::Placed;

pub(crate) const KIND: CheckKind = CheckKind::built::<NoRepeatedCallsSettings>(
    "no_repeated_calls",
    "no call repeats an earlier one that succeeded",
)
.shorthand("required");

/// Settings of `no_repeated_calls`.
#[derive(Deserialize, JsonSchema)]
struct NoRepeatedCallsSettings {
    /// `true`. To require nothing, omit the check.
    #[serde(rename = "required", default = "yes", deserialize_with = "refuse_false")]
    _required: bool,
    /// The tools to except: names and globs.
    #[serde(default)]
    except: Vec<ToolPattern>,
    /// The tools that change something: names and globs. A call after one of theirs repeats none before it.
    #[schemars(length(min = 1))]
    write: Option<Placed<Vec<ToolPattern>>>,
}

impl BuildCheck for NoRepeatedCallsSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let Self { except, write, .. } = settings.into_value();
        if let Some(write) = write.as_ref().filter(|write| write.is_empty()) {
            return Err(write.error("`write` is empty: name the tools that change something").into());
        }
        let write = write.map(Placed::into_value).unwrap_or_default();
        Ok(Box::new(CallCheck { except, rule: NoRepeatedCalls { write } }))
    }
}

/// Forbids repeated calls.
struct NoRepeatedCalls {
    /// The tools that change something.
    write: Vec<ToolPattern>,
}

impl CallRule for NoRepeatedCalls {
    fn find<'c>(&self, calls: &'c [Call], success: CallSuccess) -> Vec<CallFinding<'c>> {
        let mut run = WrittenRun { calls, success, writes: Vec::new() };
        let mut tools: HashMap<(&str, &ToolServer), ToolCalls> = HashMap::new();
        let mut found = Vec::with_capacity(calls.len());
        for (at, call) in calls.iter().enumerate() {
            let tool = tools.entry((&call.name, &call.server)).or_default();
            let finding = self.judge_call(at, tool, &run);
            // A repeat is reported against the first call. Where calls change something, each call may be the first after
            // a change. A failed call may be repeated.
            let is_original = !matches!(finding, CallFinding::Violated(_)) || !self.write.is_empty();
            if is_original && success.happened(call) != Known::No {
                tool.keep(at, &run, !self.write.is_empty());
            }
            if self.write.iter().any(|tool| tool.matches(call)) {
                run.writes.push(at);
            }
            found.push(finding);
        }
        found
    }

    // What a call is, it stays. But a write that the trace lacks allows a repeat.
    fn is_settled(&self) -> bool {
        self.write.is_empty()
    }

    fn tools(&self) -> &[ToolPattern] {
        &self.write
    }

    fn build_counterexample(&self, call: Call) -> Vec<Call> {
        vec![call.clone(), call]
    }
}

impl NoRepeatedCalls {
    /// Compares a call with the earlier calls of its tool.
    fn judge_call<'c>(&self, at: usize, tool: &ToolCalls<'c>, run: &WrittenRun<'c>) -> CallFinding<'c> {
        let call = &run.calls[at];
        let mut original: Option<&Call> = None;
        let mut doubt = None;
        for earlier in tool.list_originals(call) {
            let other = &run.calls[earlier];
            let unrecorded = [call, other].into_iter().find(|one| one.arguments == Arguments::Unrecorded);
            match run.find_change(earlier, at) {
                Change::Sure => {}
                Change::Open(open) => doubt = doubt.or(Some(open)),
                Change::None if unrecorded.is_some() => {
                    doubt = doubt.or(unrecorded.map(CallDoubt::Arguments));
                }
                Change::None if run.success.happened(other) == Known::Unknown => {
                    doubt = doubt.or(Some(CallDoubt::Success(other)));
                }
                Change::None => original = original.or(Some(other)),
            }
        }
        match (original, doubt) {
            (Some(original), _) => CallFinding::Violated(Box::new(self.describe_repeat(call, original))),
            (None, Some(doubt)) => CallFinding::Unknown(doubt),
            (None, None) => CallFinding::Holds,
        }
    }

    fn describe_repeat(&self, call: &Call, original: &Call) -> Violation {
        let message = format!("call {} of `{}` repeats call {}", call.index, call.name, original.index);
        let violation =
            Violation { calls: vec![original.index, call.index], ..Violation::of_call(call, message) }
                .expected("each call once, with these arguments", call.arguments.to_text());
        // Without a call in between, nothing can have changed.
        if self.write.is_empty() && original.index + 1 < call.index {
            return violation.help(
                "have the agent use the result that it has, name the tools that change something: `{write: [TOOL]}`, or \
                 except the tool: `{except: [TOOL]}`",
            );
        }
        violation.help("have the agent use the result that it has, or except the tool: `{except: [TOOL]}`")
    }
}

/// Whether something changed between two calls.
enum Change<'c> {
    None,
    Sure,
    /// It is not known.
    Open(CallDoubt<'c>),
}

/// The calls of a run, and those of them that change something.
struct WrittenRun<'c> {
    calls: &'c [Call],
    success: CallSuccess,
    /// The places of the calls that change something, in their order.
    writes: Vec<usize>,
}

impl<'c> WrittenRun<'c> {
    /// Finds out whether something changed between two calls. A change that happened at the same time as one of them, or
    /// that failed, may have changed something in between or not.
    fn find_change(&self, earlier: usize, later: usize) -> Change<'c> {
        let first = self.writes.partition_point(|write| *write <= earlier);
        let mut open = None;
        for write in self.writes[first..].iter().rev() {
            let change = &self.calls[*write];
            let beside = [earlier, later]
                .map(|at| &self.calls[at])
                .into_iter()
                .find(|other| may_overlap(change, other));
            let doubt = match (self.success.happened(change), beside) {
                (Known::Yes, None) => return Change::Sure,
                (Known::Yes, Some(other)) => CallDoubt::Order { change, other },
                (Known::No, _) => CallDoubt::Change(change),
                (Known::Unknown, _) => CallDoubt::Success(change),
            };
            open = open.or(Some(doubt));
        }
        open.map_or(Change::None, Change::Open)
    }
}

/// Whether two calls may be made at the same time: they are of one turn, or of different agents.
fn may_overlap(one: &Call, other: &Call) -> bool {
    is_same_turn(one, other) || one.agent_path != other.agent_path
}

/// The calls of one tool that a later call may repeat, by their arguments.
#[derive(Default)]
struct ToolCalls<'c> {
    recorded: HashMap<RecordedArguments<'c>, Originals<'c>>,
    unrecorded: Originals<'c>,
}

/// Arguments that a trace records.
#[derive(PartialEq, Eq, Hash)]
enum RecordedArguments<'c> {
    Json(&'c Json),
    /// Text that is not JSON.
    Broken(&'c str),
}

impl<'c> ToolCalls<'c> {
    /// Keeps a call that a later one may repeat.
    fn keep(&mut self, at: usize, run: &WrittenRun<'c>, is_latest_kept: bool) {
        let call = &run.calls[at];
        let originals = match record_arguments(call) {
            Some(arguments) => self.recorded.entry(arguments).or_default(),
            None => &mut self.unrecorded,
        };
        let is_sure = run.success.happened(call) == Known::Yes;
        originals.keep(&call.agent_path, is_sure, at, is_latest_kept);
    }

    /// Lists the calls that `call` may repeat, in their order.
    fn list_originals(&self, call: &'c Call) -> Vec<usize> {
        let same = match record_arguments(call) {
            Some(arguments) => self.recorded.get(&arguments).into_iter().collect(),
            None => self.recorded.values().collect::<Vec<_>>(),
        };
        let mut places: Vec<usize> =
            same.into_iter().chain([&self.unrecorded]).flat_map(Originals::list).collect();
        places.sort_unstable();
        places
    }
}

/// Returns the arguments of a call; `None` if the trace does not record them.
fn record_arguments(call: &Call) -> Option<RecordedArguments<'_>> {
    match &call.arguments {
        Arguments::Json(json) => Some(RecordedArguments::Json(json)),
        Arguments::Broken { raw, .. } => Some(RecordedArguments::Broken(raw)),
        Arguments::Unrecorded => None,
    }
}

/// Equal calls: of each agent, one that succeeded and one that may have failed. What lies between a later call and the latest
/// of them also lies between it and the earlier ones of the same agent.
#[derive(Default)]
struct Originals<'c> {
    by_agent: Vec<(&'c [String], bool, usize)>,
}

impl<'c> Originals<'c> {
    fn keep(&mut self, agent: &'c [String], is_sure: bool, at: usize, is_latest_kept: bool) {
        let known = self.by_agent.iter_mut().find(|(path, sure, _)| *path == agent && *sure == is_sure);
        match known {
            Some((_, _, place)) if is_latest_kept => *place = at,
            Some(_) => {}
            None => self.by_agent.push((agent, is_sure, at)),
        }
    }

    fn list(&self) -> impl Iterator<Item = usize> + '_ {
        self.by_agent.iter().map(|(_, _, at)| *at)
    }
}
