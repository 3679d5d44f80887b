//! `no_failed_calls`: every call of the run succeeds.
//!
//! A call without a result fails as well, if the run records results. Where the format does not record which calls failed,
//! or a result looks like a failure, the check is undecided: [`failed_when`](../calls.md#failed-calls-do-not-count) says
//! which results are failures.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/no_failed_calls/fail-a-refusal.yaml")]
//! ```

use super::call_rule::{CallFinding, CallRule, Exceptions};
use crate::check::CheckKind;
use crate::evidence::Known;
use crate::outcome::Violation;
use crate::trace::{Call, CallStatus};

pub(crate) const KIND: CheckKind =
    CheckKind::with::<Exceptions>("no_failed_calls", "every call of the run succeeds", |node, _| {
        Ok(node.decode_all::<Exceptions>()?.build_check(&RULE))
    })
    .shorthand("required");

const RULE: CallRule = CallRule {
    find: |calls, success| {
        let findings = calls.iter().map(|call| match success.worked(call) {
            Known::Yes => CallFinding::Holds,
            Known::Unknown => CallFinding::Unknown(call.index),
            Known::No => {
                let failure = success.describe_failure(call).unwrap_or_default();
                CallFinding::Violated(Box::new(describe_failed(call, &failure)))
            }
        });
        Ok(findings.collect())
    },
    build_counterexample: |call| vec![Call { status: CallStatus::Error, ..call }],
};

fn describe_failed(call: &Call, failure: &str) -> Violation {
    Violation::of_call(call, format!("call {} of `{}` {failure}", call.index, call.name))
        .help("repair the call, or except its tool: `{except: [TOOL]}`")
}
