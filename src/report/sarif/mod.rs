//! SARIF 2.1.0, for code scanning. Each violation is one result, placed at the setting in the case that was violated.
//!
//! Violations that only cost points, that a case expects, that a snapshot pins, or of a quarantined case, are notes. An undecided check is an
//! open result; an error is a notification of the tool. The limits of GitHub are kept.

mod fingerprint;
mod location;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use self::fingerprint::Fingerprints;
use self::location::{locate_file, locate_region};
use self::words::{build_message, build_rule, drop_empty};
use super::plain::{escape_line, render_safe_json};
use super::quarantine::render_entry;
use super::{FormatEntry, ReportBuilder, RunInfo, score};
use crate::json::{Json, json};
use crate::outcome::{LocatedViolation, Status};
use crate::place::Location;
use crate::suite::ReportFormat;
use crate::verdict::{Finding, Verdict};

pub(super) const FORMAT: FormatEntry = FormatEntry {
    format: ReportFormat::Sarif,
    file: "report.sarif",
    begin: |run| Box::new(SarifReport::new(run)),
};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The largest number of results that GitHub shows; the most severe are kept.
const MAX_RESULTS: usize = 5000;
/// The largest number of notifications.
const MAX_NOTIFICATIONS: usize = 1000;
/// The fingerprint key that GitHub reads.
const GITHUB_KEY: &str = "primaryLocationLineHash";
/// The fingerprint key for all other tools.
const OWN_KEY: &str = "arraign/v1";

/// The levels, the most severe first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
enum SarifLevel {
    Error,
    Warning,
    /// The level of a result that is not a failure.
    None,
    Note,
}

struct SarifReport<'r> {
    run: &'r RunInfo,
    fingerprints: Fingerprints,
    /// The results by level, the most severe first.
    results: BTreeMap<SarifLevel, Vec<Json>>,
    notifications: Vec<Json>,
    successful: bool,
    left_out: usize,
}

impl ReportBuilder for SarifReport<'_> {
    fn add_verdict(&mut self, verdict: &Verdict) {
        for error in &verdict.errors {
            self.add_notification(verdict, &error.message, &error.at);
        }
        self.add_mismatch(verdict);
        for finding in &verdict.findings {
            for violation in &finding.violations {
                self.add_violation(verdict, finding, violation);
            }
            self.add_undecided(verdict, finding);
        }
    }

    fn finish(mut self: Box<Self>) -> String {
        let results = std::mem::take(&mut self.results);
        let mut results: Vec<Json> = results.into_values().flatten().collect();
        self.left_out += results.len().saturating_sub(MAX_RESULTS);
        results.truncate(MAX_RESULTS);
        self.add_truncation_notice();
        // GitHub resolves `ruleIndex` before `ruleId`, so both must point to the same rule.
        let ids: BTreeSet<String> = results.iter().map(|result| rule_id(result).to_owned()).collect();
        // A set is sorted, so the index of a rule is found by binary search.
        let ids: Vec<String> = ids.into_iter().collect();
        for result in &mut results {
            let index = ids.binary_search_by(|id| id.as_str().cmp(rule_id(result))).unwrap_or_default();
            result["ruleIndex"] = index.into();
        }
        let rules: Vec<Json> = ids.iter().map(|id| build_rule(self.run, id)).collect();
        render_safe_json(&json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "arraign", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules,
                }},
                "automationDetails": {"id": format!("arraign/{}", escape_line(&self.run.id))},
                "invocations": [{
                    "executionSuccessful": self.successful,
                    "startTimeUtc": format!("{}Z", self.run.started_utc()),
                    "toolExecutionNotifications": self.notifications,
                }],
                "columnKind": "utf16CodeUnits",
                "results": results,
            }],
        })) + "\n"
    }
}

impl<'r> SarifReport<'r> {
    fn new(run: &'r RunInfo) -> Self {
        Self {
            run,
            fingerprints: Fingerprints::default(),
            results: BTreeMap::new(),
            notifications: Vec::new(),
            successful: true,
            left_out: 0,
        }
    }

    /// Adds a result for a mismatch that no finding reports: a changed snapshot, or a verdict other than the expected
    /// one.
    fn add_mismatch(&mut self, verdict: &Verdict) {
        let (id, text) = match &verdict.snapshot_diff {
            Some(diff) => ("snapshot", format!("the violations differ from the snapshot\n{diff}")),
            None if !verdict.passed && verdict.expected != Status::Pass => {
                let status = verdict.status;
                let expected = verdict.expected;
                ("expect_verdict", format!("the verdict is `{status}`, but the case expects `{expected}`"))
            }
            None => return,
        };
        let level = if verdict.is_quarantined() { SarifLevel::Note } else { SarifLevel::Error };
        let claim = ResultClaim { id, level, message: text, at: &verdict.case };
        self.push_result(verdict, &claim, None);
    }

    fn add_violation(&mut self, verdict: &Verdict, finding: &Finding, violation: &LocatedViolation) {
        // Code scanning fails a pull request on errors only, so everything that does not fail the trial is a note.
        let is_green = verdict.passed || verdict.is_quarantined();
        let is_note = is_green || verdict.snapshot_diff.is_some() || score::costs_only_points(finding);
        let level = if is_note { SarifLevel::Note } else { SarifLevel::Error };
        let help = violation.suggestion.as_deref().map_or_else(String::new, |help| format!("\nhelp: {help}"));
        let text = format!("{}{help}", escape_line(&violation.message));
        let claim = ResultClaim { id: &finding.check, level, message: text, at: &violation.at };
        self.push_result(verdict, &claim, Some((finding, violation)));
    }

    fn add_undecided(&mut self, verdict: &Verdict, finding: &Finding) {
        let Some(unfit) = &finding.unfit else { return };
        // An error is no result of the check, so it is a notification of the tool.
        if finding.status == Status::Error {
            return self.add_notification(verdict, &format!("{}: {unfit}", finding.check), &finding.at);
        }
        let message = format!("undecided: {unfit}");
        let claim = ResultClaim { id: &finding.check, level: SarifLevel::None, message, at: &finding.at };
        self.push_result(verdict, &claim, None);
    }

    fn push_result(
        &mut self,
        verdict: &Verdict,
        claim: &ResultClaim<'_>,
        of: Option<(&Finding, &LocatedViolation)>,
    ) {
        let violation = of.map(|(_, violation)| violation);
        let fingerprint = self.fingerprints.compute_fingerprint(verdict, claim.id, violation);
        let same_level = self.results.entry(claim.level).or_default();
        // More than `MAX_RESULTS` of one level can never be written, whatever the other levels have. The fingerprint is
        // computed before, because it counts equal results and must not depend on the limit.
        if same_level.len() == MAX_RESULTS {
            self.left_out += 1;
            return;
        }
        let related =
            of.map(|(finding, violation)| list_related_locations(self.run, verdict, finding, violation));
        let suppressions = find_suppression(verdict, of.map(|(finding, _)| finding));
        same_level.push(drop_empty(json!({
            "ruleId": escape_line(claim.id),
            "ruleIndex": 0,
            "kind": if claim.level == SarifLevel::None { "open" } else { "fail" },
            "level": claim.level,
            "message": build_message(&claim.message),
            "locations": [{"physicalLocation": locate_region(self.run, claim.at)}],
            "relatedLocations": related,
            "partialFingerprints": {OWN_KEY: fingerprint, GITHUB_KEY: fingerprint},
            "suppressions": suppressions,
            "properties": build_properties(verdict, of),
        })));
    }

    fn add_notification(&mut self, verdict: &Verdict, text: &str, at: &Location) {
        let level = if verdict.passed { SarifLevel::Note } else { SarifLevel::Error };
        // The tool was successful only if no trial broke off.
        self.successful &= verdict.passed;
        if self.notifications.len() == MAX_NOTIFICATIONS {
            self.left_out += 1;
            return;
        }
        self.notifications.push(json!({
            "level": level,
            "message": build_message(&format!("{}: {text}", verdict.name)),
            "locations": [{"physicalLocation": locate_region(self.run, at)}],
        }));
    }

    fn add_truncation_notice(&mut self) {
        if self.left_out == 0 {
            return;
        }
        let text = format!(
            "{} more results are not in this report: code scanning shows no more than {MAX_RESULTS}; all of them are \
             in the verdict logs",
            self.left_out
        );
        self.notifications.push(json!({"level": SarifLevel::Warning, "message": build_message(&text)}));
    }
}

/// The rule, the message and the place of a result.
struct ResultClaim<'c> {
    id: &'c str,
    level: SarifLevel,
    message: String,
    at: &'c Location,
}

/// Lists the related locations: the constraint in a policy, the case if the setting is outside of it, and the trace.
fn list_related_locations(
    run: &RunInfo,
    verdict: &Verdict,
    finding: &Finding,
    violation: &LocatedViolation,
) -> Vec<Json> {
    let constraint = violation.constraint.as_deref().unwrap_or("the constraint");
    let policy = violation.policy_at.as_ref().map(|at| (at, constraint));
    let case = violation.shared.then_some((&verdict.case, "the case"));
    let marked =
        policy.into_iter().chain(case).map(|(at, says)| (locate_region(run, at), build_message(says)));
    let traced = verdict.runs.get(finding.run).filter(|_| !finding.of_all_runs);
    let trace = traced.and_then(|traced| traced.file.as_deref()).map(|file| {
        let call = violation.call.map_or_else(String::new, |call| format!(", call {call}"));
        (locate_file(run, file), build_message(&format!("the trace{call}")))
    });
    // The ids number the related locations, so that viewers and messages can refer to them.
    let numbered = (1..).zip(marked.chain(trace));
    let located =
        numbered.map(|(id, (place, says))| json!({"id": id, "physicalLocation": place, "message": says}));
    located.collect()
}

/// Returns a suppression for a violation in a trial that passes nevertheless, unless the violation only costs points, and for
/// every failure of a quarantined case.
fn find_suppression(verdict: &Verdict, finding: Option<&Finding>) -> Option<Json> {
    let justification = match render_entry(verdict) {
        Some(entry) if verdict.is_quarantined() => format!("quarantined {}", escape_line(&entry)),
        _ if verdict.passed && finding.is_some_and(|finding| !score::costs_only_points(finding)) => {
            "the case expects it, or its snapshot contains it".to_owned()
        }
        _ => return None,
    };
    Some(json!([{"kind": "external", "status": "accepted", "justification": justification}]))
}

/// Returns the properties of a result for scripts that read the log.
fn build_properties(verdict: &Verdict, of: Option<(&Finding, &LocatedViolation)>) -> Json {
    let violation = of.map(|(_, violation)| violation);
    drop_empty(json!({
        "trial": escape_line(&verdict.name),
        "status": super::TrialResult::from_verdict(verdict).as_str(),
        "run": of.filter(|_| verdict.runs.len() > 1).map(|(finding, _)| finding.run + 1),
        "call": violation.and_then(|violation| violation.call),
        "tool": violation.and_then(|violation| violation.tool.as_deref()).map(escape_line),
    }))
}

fn rule_id(result: &Json) -> &str {
    result["ruleId"].as_str().unwrap_or_default()
}
