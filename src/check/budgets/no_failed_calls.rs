//! `no_failed_calls`: every call of the run succeeds.
//!
//! A call without a result fails as well, if the run records results.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/no_failed_calls/fail-a-refusal.yaml")]
//! ```

use super::call_rule::{CallRule, Exceptions, read_call_check};
use crate::check::Kind;
use crate::outcome::Violation;
use crate::trace::{Call, CallStatus};

pub(crate) const KIND: Kind =
    Kind::with::<Exceptions>("no_failed_calls", "every call of the run succeeds", |node, _| {
        read_call_check(node, &RULE)
    })
    .shorthand("required");

const RULE: CallRule = CallRule {
    find: |calls, success| {
        let failures = calls.iter().map(|call| Some(describe_failed(call, &success.describe_failure(call)?)));
        Ok(failures.collect())
    },
    build_counterexample: |call| vec![Call { status: CallStatus::Error, ..call }],
};

fn describe_failed(call: &Call, failure: &str) -> Violation {
    Violation::of_call(call, format!("call {} of `{}` {failure}", call.index, call.name))
        .help("repair the call, or except its tool: `{except: [TOOL]}`")
}
