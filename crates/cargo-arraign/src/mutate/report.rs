//! The mutants of a run as JSON and as SARIF.

use std::collections::BTreeMap;
use std::time::SystemTime;

use arraign::__internals::mutate::TraceMutation;
use arraign::__internals::report::plain::render_safe_json;
use arraign::__internals::report::{FormatEntry, RunInfo};
use arraign::__internals::score::Effect;
use arraign::__internals::suite::ReportFormat;
use arraign::__internals::yaml::render_flow;
use arraign::json::{Json, json};
use arraign::verdict::{CaseMutation, Finding, MutantFate, MutantResult, Verdict};
use arraign::{Status, Violation};

use crate::mutants::MutationReport;

/// The version of the JSON document.
const VERSION: u32 = 1;

/// The name of the rule that a survivor breaks.
const RULE: &str = "surviving_mutant";

/// Renders all mutants as one JSON document. An interrupted run has `untried`: the number of cases that were not tried.
pub(super) fn render_mutation_json(report: &MutationReport, traces: &[TraceMutation<'_>]) -> String {
    let traces: Vec<Json> = traces.iter().map(describe_trace).collect();
    let mut document = json!({"version": VERSION, "cases": report.cases, "traces": traces});
    if report.untried > 0 {
        document["untried"] = json!(report.untried);
    }
    render_safe_json(&document)
}

fn describe_trace(trace: &TraceMutation<'_>) -> Json {
    let survivors: Vec<&str> = trace.survivors.iter().map(|(_, mutant)| mutant.id.as_str()).collect();
    json!({
        "trace": trace.trace,
        "cases": trace.cases,
        "mutants": trace.count_mutants(),
        "killed": trace.killed,
        "undecided": trace.count_undecided(),
        "ignored": trace.ignored,
        "survivors": survivors,
    })
}

/// Renders the survivors as SARIF notes at their cases.
pub(super) fn render_mutation_sarif(traces: &[TraceMutation<'_>]) -> String {
    let summary = "some check notices the change of the run".to_owned();
    let rules = BTreeMap::from([(RULE.to_owned(), summary)]);
    let info = RunInfo { rules, ..RunInfo::new("mutation", SystemTime::now()) };
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
        MutantFate::Survived { addition: Some(addition), .. } => {
            violation.help(format!("add to `expect`: {}", render_flow(addition)))
        }
        _ => violation,
    };
    let mut verdict = Verdict::empty(&case.name, case.at.clone());
    verdict.status = Status::Fail;
    let mut finding = Finding::empty_at(RULE, case.at.clone());
    (finding.status, finding.effect) = (Status::Fail, Effect::Points);
    finding.violations.push(violation.resolve(case.at.clone()));
    verdict.findings.push(finding);
    verdict
}
