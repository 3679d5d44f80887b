//! CTRF, the Common Test Report Format: JSON that actions and dashboards for any test runner read.
//!
//! The format has no verdict `undecided`: such a trial is `failed`, and `rawStatus` is its verdict. A
//! quarantined failure is `other`, with the tag `quarantined`.

use std::time::UNIX_EPOCH;

use super::plain::escape_json;
use super::terminal::{find_first_place, render_headline, render_red_trial};
use super::{FormatEntry, ReportBuilder, RunInfo, SkippedTrial, TrialResult};
use crate::json::{Json, json};
use crate::suite::ReportFormat;
use crate::verdict::Verdict;

pub(super) const FORMAT: FormatEntry = FormatEntry {
    format: ReportFormat::Ctrf,
    file: "report.ctrf.json",
    begin: |run| {
        Box::new(CtrfReport { run, tests: Vec::new(), passed: 0, quarantined: 0, milliseconds: 0.0 })
    },
};

struct CtrfReport<'r> {
    run: &'r RunInfo,
    tests: Vec<Json>,
    passed: usize,
    quarantined: usize,
    milliseconds: f64,
}

impl ReportBuilder for CtrfReport<'_> {
    fn add_verdict(&mut self, verdict: &Verdict) {
        self.passed += usize::from(verdict.passed);
        self.quarantined += usize::from(verdict.is_quarantined());
        self.milliseconds += verdict.duration_ms;
        self.tests.push(render_test(self.run, verdict));
    }

    fn finish(mut self: Box<Self>) -> String {
        let ran = self.tests.len();
        let skipped = self.run.skipped.len();
        let run = self.run;
        // Counted before: `failed` is what ran and did not pass, and the skipped trials are in the same list.
        self.tests.extend(run.skipped.iter().map(|trial| render_skipped(run, trial)));
        let start = run.started.duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_millis());
        let start = u64::try_from(start).unwrap_or(u64::MAX);
        let report = json!({
            "reportFormat": "CTRF",
            "specVersion": "0.0.0",
            "results": {
                "tool": {"name": "arraign", "version": env!("CARGO_PKG_VERSION")},
                "summary": {
                    "tests": self.tests.len(), "passed": self.passed,
                    "failed": ran - self.passed - self.quarantined,
                    "skipped": skipped, "pending": 0, "other": self.quarantined,
                    "start": start, "stop": start.saturating_add(round_milliseconds(self.milliseconds)),
                },
                "tests": self.tests,
            },
        });
        escape_json(&report.to_string()) + "\n"
    }
}

fn render_test(run: &RunInfo, verdict: &Verdict) -> Json {
    let at = find_first_place(verdict);
    let mut tags = verdict.tags.clone();
    tags.extend(verdict.is_quarantined().then(|| "quarantined".to_owned()));
    let mut test = json!({
        "name": verdict.name,
        "status": match TrialResult::from_verdict(verdict) {
            TrialResult::Passed => "passed",
            TrialResult::Quarantined => "other",
            TrialResult::Failed | TrialResult::Undecided | TrialResult::Error => "failed",
        },
        "rawStatus": TrialResult::from_verdict(verdict).as_str(),
        "duration": round_milliseconds(verdict.duration_ms),
        "suite": verdict.suite,
        "filePath": run.below_repository(&at.file),
        "line": at.line,
        "tags": tags,
        "extra": {"score": verdict.score, "tier": verdict.tier},
    });
    // A passed test has no message: viewers show one as a failure.
    if !verdict.passed {
        test["message"] = render_headline(verdict).into();
        test["trace"] = render_red_trial(verdict).into();
    }
    if !verdict.earlier_attempts.is_empty() {
        test["retries"] = verdict.earlier_attempts.len().into();
        // A trial that passed only when it was repeated.
        test["flaky"] = verdict.passed.into();
    }
    test
}

fn render_skipped(run: &RunInfo, trial: &SkippedTrial) -> Json {
    let mut test = json!({
        "name": trial.name, "status": "skipped", "duration": 0, "filePath": run.below_repository(&trial.file),
    });
    if let Some(reason) = &trial.reason {
        test["message"] = reason.as_str().into();
    }
    test
}

/// The format has whole milliseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "durations are small and not negative"
)]
fn round_milliseconds(milliseconds: f64) -> u64 {
    milliseconds.round() as u64
}
