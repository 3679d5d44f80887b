//! `retries_at_most`: the run retries failed calls at most this many times.
//!
//! A retry is a call of a tool whose call before it, by the same agent, failed. The arguments may differ.
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

use crate::check::support::call_success::RunSuccess;
use crate::check::support::named_tools::run_of;
use crate::check::{Check, Kind};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit, Violation};
use crate::trace::{Arguments, Call, CallStatus, ToolServer};

pub(crate) const KIND: Kind =
    Kind::of::<RetriesAtMost>("retries_at_most", "the run retries failed calls at most this many times")
        .shorthand("retries");

/// A limit above this has no counterexample: a trace of so many calls is not worth building.
const LARGEST_EXAMPLE: usize = 10_000;

/// Settings of `retries_at_most`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct RetriesAtMost {
    /// The maximum number of retries in the run.
    retries: usize,
}

/// The calls that repeat a failed one.
fn find_retries(calls: &[Call]) -> Vec<&Call> {
    let success = RunSuccess::of(calls);
    let mut last_failed: HashMap<(&str, &ToolServer, &[String]), bool> = HashMap::new();
    let mut retries = Vec::new();
    for call in calls {
        // A retry is by the same agent, of the same tool on the same server. Its arguments may have been corrected.
        let key = (call.name.as_str(), &call.server, call.agent_path.as_slice());
        if last_failed.insert(key, !success.includes(call)) == Some(true) {
            retries.push(call);
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
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let retries = find_retries(&evidence.trace.calls);
        let violation = (retries.len() > self.retries).then(|| self.describe_excess(&retries));
        let (label, note) =
            (format!("at most {} retries", self.retries), format!("{} were made", retries.len()));
        Ok(Outcome::of_limit(label, note, violation).stat("calls_checked", evidence.trace.calls.len()))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let is_small = self.retries < LARGEST_EXAMPLE;
        is_small.then(|| run_of((0..self.retries + 2).map(build_failed_call).collect()).into())
    }
}

impl RetriesAtMost {
    fn describe_excess(&self, retries: &[&Call]) -> Violation {
        let (made, most) = (retries.len(), self.retries);
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
