//! `unnoticed_tool`, `unnoticed_argument`: tools that traces call, and no case would notice if the calls were others.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::probe::{ARGUMENT_PROBES, ArgumentProbe, TOOL_PROBES, with_argument};
use super::{Remark, quoted};
use crate::case::Case;
use crate::engine::evaluate_recorded;
use crate::outcome::Status;
use crate::place::Location;
use crate::reader::to_native;
use crate::suite::{Recorded, Run};
use crate::trace::Trace;
use crate::verdict::Verdict;

/// How many runs of one case are probed: more of them seldom tell more.
const RUNS: usize = 5;
/// How many probes are made of one run, ...
const PROBES: usize = 2_000;
/// ... how many calls they may have together, ...
const CALLS: usize = 50_000;
/// ... and how many bytes a run may have to be probed: each probe holds the case against all of it.
const BYTES: usize = 1 << 20;

/// The tools that traces call, by name.
#[derive(Default)]
pub(super) struct Tools(BTreeMap<String, Tool>);

struct Tool {
    /// The first case that has a call of it.
    at: Location,
    noticed: bool,
    /// Each argument, and whether a case notices it.
    arguments: BTreeMap<String, bool>,
}

impl Tools {
    pub(super) fn add(&mut self, case: &Case, name: &str, recorded: Recorded) {
        let mut baseline = recorded.baseline;
        let is_small = |run: &Run| to_native(&run.trace).len() <= BYTES;
        for run in recorded.runs.into_iter().take(RUNS).filter(is_small) {
            let trace = run.trace.clone();
            let mut alone = Recorded { runs: vec![run], baseline };
            self.probe(&trace, Held::of(case, name, &mut alone));
            baseline = alone.baseline;
        }
    }

    fn probe(&mut self, run: &Trace, mut held: Held<'_>) {
        let at = held.case.trace_place().locate();
        for (name, arguments) in called(run) {
            let tool = self.0.entry(name.to_owned()).or_insert_with(|| Tool::first_called(at.clone()));
            for argument in arguments {
                let noticed = tool.arguments.entry(argument.to_owned()).or_default();
                let mut others = ARGUMENT_PROBES.iter();
                let other =
                    |other: &ArgumentProbe| held.notices(|| with_argument(run, name, argument, *other));
                *noticed = *noticed || others.any(other);
                tool.noticed |= *noticed;
            }
            let mut others = TOOL_PROBES.iter();
            tool.noticed = tool.noticed || others.any(|probe| held.notices(|| probe(run, name)));
        }
    }

    pub(super) fn remarks(self) -> impl Iterator<Item = Remark> {
        self.0.into_iter().filter_map(|(name, tool)| tool.remark(&name))
    }
}

/// The tools that a run calls, and the arguments that it passes to each.
fn called(run: &Trace) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut tools: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for call in &run.calls {
        let passed = call.arguments.json().and_then(Value::as_object);
        let names = passed.into_iter().flat_map(|passed| passed.keys().map(String::as_str));
        tools.entry(&call.name).or_default().extend(names);
    }
    tools
}

impl Tool {
    fn first_called(at: Location) -> Self {
        Self { at, noticed: false, arguments: BTreeMap::new() }
    }

    fn remark(self, name: &str) -> Option<Remark> {
        let unnoticed = self.arguments.iter().filter(|(_, noticed)| !**noticed).map(|(name, _)| name);
        let unnoticed: Vec<&String> = unnoticed.collect();
        let (lint, message, help) = if !self.noticed {
            let message = format!("no case would notice other calls of `{name}`, or none");
            ("unnoticed_tool", message, "add a check that asks for its calls, arguments or results")
        } else if unnoticed.is_empty() {
            return None;
        } else {
            let message = format!("no case would notice other values of {} of `{name}`", quoted(unnoticed));
            ("unnoticed_argument", message, "constrain them with `args_valid` or `tool_input`")
        };
        Some(Remark { lint, at: self.at, message, help })
    }
}

/// A case that is held against one run, changed again and again.
struct Held<'c> {
    case: &'c Case,
    name: &'c str,
    alone: &'c mut Recorded,
    /// What it says of the run as it is.
    unchanged: Said,
    /// How many probes are left.
    left: usize,
}

impl<'c> Held<'c> {
    fn of(case: &'c Case, name: &'c str, alone: &'c mut Recorded) -> Self {
        let calls: usize = alone.runs.iter().map(|run| run.trace.calls.len()).sum();
        let left = PROBES.min(CALLS / calls.max(1));
        let unchanged = Said::of(&evaluate_recorded(case, name, alone));
        Self { case, name, alone, unchanged, left }
    }

    /// Whether the case says something else of `probe`. What is not tried is not remarked upon.
    fn notices(&mut self, probe: impl FnOnce() -> Trace) -> bool {
        if self.left == 0 {
            return true;
        }
        self.left -= 1;
        if let [only] = self.alone.runs.as_mut_slice() {
            only.trace = probe();
        }
        Said::of(&evaluate_recorded(self.case, self.name, self.alone)) != self.unchanged
    }
}

/// What a case says of a run, as far as a change of it is noticed.
#[derive(PartialEq)]
struct Said {
    passed: bool,
    score: f64,
    findings: Vec<(Status, usize, f64)>,
}

impl Said {
    fn of(verdict: &Verdict) -> Self {
        let findings = verdict.findings.iter();
        let findings = findings.map(|found| (found.status, found.violations.len(), found.score.get()));
        Self { passed: verdict.passed, score: verdict.score.get(), findings: findings.collect() }
    }
}
