//! The mutants of a run as JSON and as SARIF.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde::Serialize;

use super::plain::render_safe_json;
use super::{FormatEntry, RunInfo};
use crate::mutate::{MutationReport, TraceMutation};
use crate::outcome::{Status, Violation};
use crate::score::Effect;
use crate::suite::ReportFormat;
use crate::verdict::{CaseMutation, Finding, MutantFate, MutantResult, Verdict};
use crate::yaml::render_flow;

/// The version of the JSON document.
const VERSION: u32 = 1;

/// The name of the rule that a survivor breaks.
const RULE: &str = "surviving_mutant";

#[derive(Serialize)]
struct MutationDocument<'d> {
    version: u32,
    /// The number of cases that were not tried, because the command was interrupted.
    #[serde(skip_serializing_if = "Option::is_none")]
    untried: Option<usize>,
    cases: &'d [CaseMutation],
    traces: Vec<TraceRecord<'d>>,
}

#[derive(Serialize)]
struct TraceRecord<'d> {
    trace: &'d str,
    cases: &'d [&'d str],
    mutants: usize,
    killed: usize,
    ignored: usize,
    survivors: Vec<&'d str>,
}

impl<'d> TraceRecord<'d> {
    fn from_trace(trace: &'d TraceMutation<'d>) -> Self {
        Self {
            trace: trace.trace,
            cases: &trace.cases,
            mutants: trace.count_mutants(),
            killed: trace.killed,
            ignored: trace.ignored,
            survivors: trace.survivors.iter().map(|(_, mutant)| mutant.id.as_str()).collect(),
        }
    }
}

/// Renders all mutants as one JSON document.
pub fn render_mutation_json(report: &MutationReport, traces: &[TraceMutation<'_>]) -> String {
    let traces = traces.iter().map(TraceRecord::from_trace).collect();
    let untried = Some(report.untried).filter(|count| *count > 0);
    render_safe_json(&MutationDocument { version: VERSION, untried, cases: &report.cases, traces })
}

/// Renders the survivors as SARIF notes at their cases.
pub fn render_mutation_sarif(traces: &[TraceMutation<'_>]) -> String {
    let summary = "some check notices the change of the run".to_owned();
    let info = RunInfo {
        id: "mutation".to_owned(),
        started: SystemTime::now(),
        folder: String::new(),
        rules: BTreeMap::from([(RULE.to_owned(), summary)]),
        skipped: Vec::new(),
        selection: crate::verdict::summary::Selection::default(),
        earlier: None,
    };
    let Some(format) = FormatEntry::find_by_name(ReportFormat::Sarif.name()) else { return String::new() };
    let mut report = (format.begin)(&info);
    for (case, mutant) in traces.iter().flat_map(|trace| &trace.survivors) {
        report.add_verdict(&build_verdict(case, mutant));
    }
    report.finish()
}

/// A survivor as a finding that costs points: it says what the case leaves open, and fails no trial.
fn build_verdict(case: &CaseMutation, mutant: &MutantResult) -> Verdict {
    let violation = Violation::new(format!("no check notices that {}", mutant.change));
    let violation = match &mutant.fate {
        MutantFate::Survived { addition: Some(addition) } => {
            violation.help(format!("add to `expect`: {}", render_flow(addition)))
        }
        _ => violation,
    };
    let mut verdict = Verdict::empty(&case.name, case.at.clone());
    verdict.status = Status::Fail;
    verdict.findings.push(Finding {
        status: Status::Fail,
        effect: Effect::Points,
        violations: vec![violation.resolve(case.at.clone())],
        ..Finding::empty_at(RULE, case.at.clone())
    });
    verdict
}
