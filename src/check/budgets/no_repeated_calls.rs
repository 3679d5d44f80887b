//! `no_repeated_calls`: no call repeats an earlier one that succeeded.
//!
//! Two calls are the same if tool and arguments are. A retry after a failure repeats nothing.
//!
//! <!-- settings -->
//!
//! `write` names the tools that change something, as in [`effects`](effects.md). A call after a successful one of these
//! tools repeats no call before it: with `no_repeated_calls: {write: ["update_*"]}`, an agent may read an order again after
//! `update_order`. The same write twice in a row is still a repeat. If the write in between failed, looks like a failure,
//! or is of one turn with one of the two calls, nobody knows whether something had changed, and the check is undecided.
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/no_repeated_calls/fail-the-same-search-twice.yaml")]
//! ```

use serde::Deserialize;

use super::call_rule::{CallCheck, CallDoubt, CallFinding, CallRule, refuse_false, yes};
use crate::JsonSchema;
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::{CallSuccess, Known, is_same_turn};
use crate::outcome::Violation;
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::trace::{Arguments, Call};
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
        let mut found = Vec::with_capacity(calls.len());
        // The calls that a later one may repeat.
        let mut originals = Vec::with_capacity(calls.len());
        for (at, call) in calls.iter().enumerate() {
            let finding = self.judge_call(call, &calls[..at], &originals, success);
            // A repeat is reported against the first call. Where calls change something, each call may be the first after
            // a change. A failed call may be repeated.
            let is_first = !matches!(finding, CallFinding::Violated(_)) || !self.write.is_empty();
            originals.push(is_first && success.happened(call) != Known::No);
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
    /// Compares a call with the calls before it, of which `originals` says which ones it may repeat.
    ///
    /// Goes back from the call, and collects the changes between the call and each earlier one. A change that surely happened
    /// separates the two, unless it is of one turn with one of them: the calls of a turn have no order. Other changes
    /// leave open whether the call is a repeat.
    fn judge_call<'c>(
        &self,
        call: &'c Call,
        earlier: &'c [Call],
        originals: &[bool],
        success: CallSuccess,
    ) -> CallFinding<'c> {
        let mut sure_change: Option<&Call> = None;
        let mut open_change = None;
        let mut original = None;
        let mut doubt = None;
        for (other, is_original) in earlier.iter().zip(originals).rev() {
            let of_one_turn = sure_change.filter(|change| is_same_turn(change, other));
            let is_separate = sure_change.is_some() && of_one_turn.is_none();
            if *is_original && !is_separate && is_same_tool(call, other) {
                let order = of_one_turn.map(|change| CallDoubt::Order { change, other });
                match (is_repeat(call, other, success), order.or(open_change)) {
                    (Ok(false), _) => {}
                    (Ok(true), None) => original = Some(other),
                    (Ok(true), Some(open)) | (Err(open), _) => doubt = doubt.or(Some(open)),
                }
            }
            if !self.write.iter().any(|tool| tool.matches(other)) {
                continue;
            }
            let open = match success.happened(other) {
                Known::Yes if is_same_turn(other, call) => CallDoubt::Order { change: other, other: call },
                // No call further back is of one turn with both changes.
                Known::Yes if is_separate => break,
                Known::Yes => {
                    sure_change = Some(other);
                    continue;
                }
                Known::No => CallDoubt::Change(other),
                Known::Unknown => CallDoubt::Success(other),
            };
            open_change = open_change.or(Some(open));
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

fn is_same_tool(one: &Call, other: &Call) -> bool {
    one.name == other.name && one.server == other.server
}

/// Whether a call of the same tool repeats a call that did not fail.
fn is_repeat<'c>(call: &'c Call, original: &'c Call, success: CallSuccess) -> Result<bool, CallDoubt<'c>> {
    if let Some(unrecorded) = [call, original].into_iter().find(|one| one.arguments == Arguments::Unrecorded)
    {
        return Err(CallDoubt::Arguments(unrecorded));
    }
    if call.arguments != original.arguments {
        return Ok(false);
    }
    match success.happened(original) {
        Known::Unknown => Err(CallDoubt::Success(original)),
        Known::Yes | Known::No => Ok(true),
    }
}
