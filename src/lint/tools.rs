//! `unnoticed_tool`, `unnoticed_argument`: tools in traces for which no case would notice other calls or arguments.
//!
//! The question is answered by trying. Each tool and argument of a recorded run is changed in several ways (the probes), and
//! the case is evaluated on each changed copy. If every verdict equals the one on the unchanged run, in status, number of
//! violations and score, the case does not notice the change. A remark is made if this is so for all cases. Probes cost an
//! evaluation each, so their number is limited, and a probe that was not made counts as noticed.

use std::collections::{BTreeMap, BTreeSet};

use super::probe::{ARGUMENT_PROBES, TOOL_PROBES, change_argument};
use super::{LintRemark, quote_names};
use crate::case::Case;
use crate::engine::evaluate_recorded;
use crate::json::{Json, JsonText};
use crate::outcome::Status;
use crate::place::Location;
use crate::reader::to_native;
use crate::suite::RecordedEvidence;
use crate::trace::Trace;
use crate::verdict::Verdict;

/// The largest number of runs of one case that are probed: further runs rarely add anything.
const MAX_RUNS: usize = 5;
/// The largest number of probes of one run.
const MAX_PROBES: usize = 2_000;
/// The largest number of calls in all probes of one run.
const MAX_PROBED_CALLS: usize = 50_000;
/// The largest size of a probed run, in bytes: each probe evaluates the case on all of it.
const MAX_RUN_BYTES: usize = 1 << 20;

/// The tools in traces, by name.
#[derive(Default)]
pub(super) struct ToolNotices(BTreeMap<String, ToolNotice>);

struct ToolNotice {
    /// The first case with a call of the tool.
    at: Location,
    noticed: bool,
    /// The arguments, and whether a case notices changes of each.
    arguments: BTreeMap<String, bool>,
}

impl ToolNotices {
    pub(super) fn add_case(&mut self, case: &Case, name: &str, recorded: RecordedEvidence) {
        let mut baseline = recorded.baseline;
        for run in recorded.runs.into_iter().take(MAX_RUNS) {
            if to_native(&run.trace).len() > MAX_RUN_BYTES {
                continue;
            }
            // Each run is probed on its own, because unchanged runs beside it could hide a change, as in a median.
            let trace = run.trace.clone();
            let mut alone = RecordedEvidence { runs: vec![run], baseline };
            self.probe_run(&trace, ProbeSession::new(case, name, &mut alone));
            baseline = alone.baseline;
        }
    }

    fn probe_run(&mut self, run: &Trace, mut session: ProbeSession<'_>) {
        let at = session.case.trace_place().locate();
        for (name, arguments) in list_called_tools(run) {
            let tool = self.0.entry(name.to_owned()).or_insert_with(|| ToolNotice::new(at.clone()));
            for argument in arguments {
                // What another case has noticed before needs no more probes; `||` and `any` stop at the first success.
                let noticed = tool.arguments.entry(argument.to_owned()).or_default();
                *noticed = *noticed
                    || ARGUMENT_PROBES
                        .iter()
                        .any(|probe| session.notices_change(|| change_argument(run, name, argument, *probe)));
                // A tool whose argument matters is noticed itself.
                tool.noticed |= *noticed;
            }
            tool.noticed =
                tool.noticed || TOOL_PROBES.iter().any(|probe| session.notices_change(|| probe(run, name)));
        }
    }

    pub(super) fn into_remarks(self) -> impl Iterator<Item = LintRemark> {
        self.0.into_iter().filter_map(|(name, tool)| tool.into_remark(&name))
    }
}

/// Lists the tools that a run calls, and the arguments of each.
fn list_called_tools(run: &Trace) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut tools: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for call in &run.calls {
        let passed = call.arguments.json().and_then(Json::as_object);
        let names = passed.into_iter().flat_map(|passed| passed.keys().map(JsonText::as_str));
        tools.entry(&call.name).or_default().extend(names);
    }
    tools
}

impl ToolNotice {
    fn new(at: Location) -> Self {
        Self { at, noticed: false, arguments: BTreeMap::new() }
    }

    fn into_remark(self, name: &str) -> Option<LintRemark> {
        let unnoticed = self.arguments.iter().filter(|(_, noticed)| !**noticed).map(|(name, _)| name);
        let unnoticed: Vec<&String> = unnoticed.collect();
        let (lint, message, help) = if !self.noticed {
            let message = format!("no case would notice other calls of `{name}`, or none");
            ("unnoticed_tool", message, "add a check of its calls, arguments or results")
        } else if unnoticed.is_empty() {
            return None;
        } else {
            let message =
                format!("no case would notice other values of {} of `{name}`", quote_names(unnoticed));
            ("unnoticed_argument", message, "constrain them with `args_valid` or `tool_input`")
        };
        Some(LintRemark { lint, at: self.at, message, help })
    }
}

/// Evaluates a case on changed copies of one run.
struct ProbeSession<'c> {
    case: &'c Case,
    name: &'c str,
    alone: &'c mut RecordedEvidence,
    /// The verdict on the unchanged run.
    unchanged: VerdictDigest,
    /// The number of probes that remain.
    left: usize,
}

impl<'c> ProbeSession<'c> {
    fn new(case: &'c Case, name: &'c str, alone: &'c mut RecordedEvidence) -> Self {
        let calls: usize = alone.runs.iter().map(|run| run.trace.calls.len()).sum();
        // Each probe evaluates all calls again, so cases with many calls get fewer probes.
        let left = MAX_PROBES.min(MAX_PROBED_CALLS / calls.max(1));
        let unchanged = VerdictDigest::from_verdict(&evaluate_recorded(case, name, alone));
        Self { case, name, alone, unchanged, left }
    }

    /// Whether the case gives another verdict on `probe`. Once the budget is spent every change counts as noticed, so
    /// that untested changes cause no remarks.
    fn notices_change(&mut self, probe: impl FnOnce() -> Trace) -> bool {
        if self.left == 0 {
            return true;
        }
        self.left -= 1;
        // Each probe replaces the one run, which is not restored: the next probe is made of the recorded one.
        if let [only] = self.alone.runs.as_mut_slice() {
            only.trace = probe();
        }
        VerdictDigest::from_verdict(&evaluate_recorded(self.case, self.name, self.alone)) != self.unchanged
    }
}

/// The parts of a verdict in which a change is noticed.
#[derive(PartialEq)]
struct VerdictDigest {
    passed: bool,
    score: f64,
    findings: Vec<(Status, usize, f64)>,
}

impl VerdictDigest {
    fn from_verdict(verdict: &Verdict) -> Self {
        let findings = verdict.findings.iter();
        let findings = findings.map(|found| (found.status, found.violations.len(), found.score.get()));
        Self { passed: verdict.passed, score: verdict.score.get(), findings: findings.collect() }
    }
}
