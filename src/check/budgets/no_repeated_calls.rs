//! `no_repeated_calls`: no call repeats an earlier one that succeeded.
//!
//! Two calls are the same if tool and arguments are. A retry after a failure repeats nothing.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/no_repeated_calls/fail-the-same-search-twice.yaml")]
//! ```

use super::call_rule::{CallFinding, CallFindings, CallRule, Exceptions};
use crate::check::CheckKind;
use crate::evidence::{CallSuccess, Known, require_arguments};
use crate::outcome::{CannotDecide, Violation};
use crate::trace::{Arguments, Call};

pub(crate) const KIND: CheckKind = CheckKind::with::<Exceptions>(
    "no_repeated_calls",
    "no call repeats an earlier one that succeeded",
    |node, _| Ok(node.decode_all::<Exceptions>()?.build_check(&RULE)),
)
.shorthand("required");

const RULE: CallRule = CallRule { find: find_repeats, build_counterexample: |call| vec![call.clone(), call] };

fn find_repeats(calls: &[&Call], success: CallSuccess) -> CallFindings {
    let mut found = Vec::with_capacity(calls.len());
    let mut earlier = Vec::new();
    for call in calls {
        let original = find_original(call, &earlier)?;
        // Only the first success is kept: a later repeat is reported against it, and a failed call may be
        // repeated.
        if original.is_none() && success.happened(call) != Known::No {
            earlier.push(*call);
        }
        found.push(match original {
            None => CallFinding::Holds,
            Some(original) if success.happened(original) == Known::Unknown => {
                CallFinding::Unknown(original.index)
            }
            Some(original) => CallFinding::Violated(Box::new(describe_repeat(call, original))),
        });
    }
    Ok(found)
}

/// The first call that `call` repeats.
fn find_original<'c>(call: &Call, earlier: &[&'c Call]) -> Result<Option<&'c Call>, CannotDecide> {
    let mut same_tool = earlier.iter().filter(|other| is_same_tool(call, other)).peekable();
    if same_tool.peek().is_some() {
        require_arguments(call)?;
    }
    Ok(same_tool.find(|other| has_same_arguments(call, other)).copied())
}

fn is_same_tool(one: &Call, other: &Call) -> bool {
    one.name == other.name && one.server == other.server
}

fn has_same_arguments(one: &Call, other: &Call) -> bool {
    match (&one.arguments, &other.arguments) {
        (Arguments::Json(one), Arguments::Json(other)) => one == other,
        (one, other) => one == other,
    }
}

fn describe_repeat(call: &Call, original: &Call) -> Violation {
    let message = format!("call {} of `{}` repeats call {}", call.index, call.name, original.index);
    Violation { calls: vec![original.index, call.index], ..Violation::of_call(call, message) }
        .expected("each call once, with these arguments", call.arguments.to_text())
        .help("have the agent use the result that it has, or except the tool: `{except: [TOOL]}`")
}
