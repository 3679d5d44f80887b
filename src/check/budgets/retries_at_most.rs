//! `retries_at_most`: the run retries failed calls at most this many times.
//!
//! A retry is a call of a tool whose call before it, by the same agent, failed. The arguments may differ. Where the format
//! does not record which calls failed, the check is undecided if more retries than allowed are possible.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/retries_at_most/fail-one-too-many.yaml")]
//! ```

use std::collections::HashMap;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::messages::run_of;
use crate::check::{Check, CheckKind};
use crate::evidence::{CallSuccess, Evidence, Known};
use crate::outcome::{CannotDecide, Outcome, Violation};
use crate::trace::{Arguments, Call, CallStatus, ToolServer};

pub(crate) const KIND: CheckKind =
    CheckKind::of::<RetriesAtMost>("retries_at_most", "the run retries failed calls at most this many times")
        .shorthand("retries");

/// A limit above this has no counterexample: a trace of so many calls is not worth building.
const LARGEST_EXAMPLE: usize = 10_000;

/// Settings of `retries_at_most`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RetriesAtMost {
    /// The maximum number of retries in the run.
    retries: usize,
}

/// The calls that follow one of their tool.
#[derive(Default)]
struct Retries<'t> {
    /// The calls that repeat a failed one.
    sure: Vec<&'t Call>,
    /// The calls before them of which it is not known whether they failed.
    doubtful: Vec<&'t Call>,
}

fn find_retries(calls: &[Call], success: CallSuccess) -> Retries<'_> {
    let mut last: HashMap<(&str, &ToolServer, &[String]), &Call> = HashMap::new();
    let mut retries = Retries::default();
    for call in calls {
        // A retry is by the same agent, of the same tool on the same server. Its arguments may have been corrected.
        let key = (call.name.as_str(), &call.server, call.agent_path.as_slice());
        let Some(before) = last.insert(key, call) else { continue };
        match success.worked(before) {
            Known::Yes => {}
            Known::No => retries.sure.push(call),
            Known::Unknown => retries.doubtful.push(before),
        }
    }
    retries
}

fn build_failed_call(turn: usize) -> Call {
    let mut call = Call::new("x", Arguments::none(), turn);
    call.status = CallStatus::Error;
    call
}

impl Check for RetriesAtMost {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let success = CallSuccess::of(&evidence.trace);
        let Retries { sure, doubtful } = find_retries(&evidence.trace.calls, success);
        let violation = (sure.len() > self.retries).then(|| self.describe_excess(&sure));
        if violation.is_none()
            && sure.len() + doubtful.len() > self.retries
            && let Some(call) = doubtful.first()
        {
            return Err(success.explain_doubt(call));
        }
        let label = format!("at most {} retries", self.retries);
        let note = format!("{} were made", sure.len());
        Ok(Outcome::of_limit(label, note, violation).stat("calls_checked", evidence.trace.calls.len()))
    }

    // Further calls take no retry away.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let is_small = self.retries < LARGEST_EXAMPLE;
        is_small.then(|| run_of((0..self.retries + 2).map(build_failed_call).collect()).into())
    }
}

impl RetriesAtMost {
    fn describe_excess(&self, retries: &[&Call]) -> Violation {
        let made = retries.len();
        let most = self.retries;
        let times = if made == 1 { "1 retry".to_owned() } else { format!("{made} retries") };
        Violation {
            call: retries.first().map(|call| call.index),
            // One call has its own field; the list is for several.
            calls: if made > 1 { retries.iter().map(|call| call.index).collect() } else { Vec::new() },
            ..Violation::new(format!("the run made {times}, more than {most}"))
        }
        .value(made)
        .constraint(format!("retries_at_most: {most}"))
        .at("/retries")
        .help("look at why the calls failed, or raise the limit")
    }
}
