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

use serde::Deserialize;

use super::call_rule::{CallCheck, CallDoubt, CallFinding, CallRule, refuse_false, yes};
use crate::JsonSchema;
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::{CallSuccess, Known};
use crate::outcome::Violation;
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::trace::{Call, CallStatus};
use crate::yaml::Placed;

pub(crate) const KIND: CheckKind =
    CheckKind::built::<NoFailedCallsSettings>("no_failed_calls", "every call of the run succeeds")
        .shorthand("required");

/// Settings of `no_failed_calls`.
#[derive(Deserialize, JsonSchema)]
struct NoFailedCallsSettings {
    /// `true`. To require nothing, omit the check.
    #[serde(rename = "required", default = "yes", deserialize_with = "refuse_false")]
    _required: bool,
    /// The tools to except: names and globs.
    #[serde(default)]
    except: Vec<ToolPattern>,
}

impl BuildCheck for NoFailedCallsSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        Ok(Box::new(CallCheck { except: settings.into_value().except, rule: NoFailedCalls }))
    }
}

/// Forbids failed calls.
struct NoFailedCalls;

impl CallRule for NoFailedCalls {
    fn find<'c>(&self, calls: &'c [Call], success: CallSuccess) -> Vec<CallFinding<'c>> {
        let findings = calls.iter().map(|call| match success.worked(call) {
            Known::Yes => CallFinding::Holds,
            Known::Unknown => CallFinding::Unknown(CallDoubt::Success(call)),
            Known::No => {
                let failure = success.describe_failure(call).unwrap_or_default();
                CallFinding::Violated(Box::new(describe_failed(call, &failure)))
            }
        });
        findings.collect()
    }

    fn build_counterexample(&self, call: Call) -> Vec<Call> {
        vec![Call { status: CallStatus::Error, ..call }]
    }
}

fn describe_failed(call: &Call, failure: &str) -> Violation {
    Violation::of_call(call, format!("call {} of `{}` {failure}", call.index, call.name))
        .help("repair the call, or except its tool: `{except: [TOOL]}`")
}
