//! The mutants of a run as JSON and as SARIF.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde_json::{Value, json};

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

/// Renders all mutants as one JSON document.
pub fn render_mutation_json(report: &MutationReport, traces: &[TraceMutation<'_>]) -> String {
    let traces: Vec<Value> = traces.iter().map(describe_trace).collect();
    render_safe_json(&json!({"version": VERSION, "cases": report.cases, "traces": traces}))
}

fn describe_trace(trace: &TraceMutation<'_>) -> Value {
    let survivors: Vec<&str> = trace.survivors.iter().map(|(_, mutant)| mutant.id.as_str()).collect();
    json!({
        "trace": trace.trace,
        "cases": trace.cases,
        "mutants": trace.count_mutants(),
        "killed": trace.killed,
        "ignored": trace.ignored,
        "survivors": survivors,
    })
}

/// Renders the survivors as SARIF notes at their cases.
pub fn render_mutation_sarif(traces: &[TraceMutation<'_>]) -> String {
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
