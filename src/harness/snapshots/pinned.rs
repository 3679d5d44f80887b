//! Compares the violations of a trial with its snapshot.
//!
//! A snapshot is a file in insta's format: a header between two lines `---`, then the text. This crate reads and writes
//! such files itself and does not depend on insta, for two reasons: insta's macros record the line of their Rust call,
//! where a review should show the line of the YAML case, and cargo allows only one version 1.x of insta, the user's.

use std::fs;
use std::io;
use std::path::Path;

use super::SnapshotFile;
use super::pending::{SnapshotUpdate, SnapshotWriter, passes_by_force};
use super::pinned_yaml::render_yaml;
use crate::case::Case;
use crate::engine::MEDIAN;
use crate::json::{self, Json, json};
use crate::outcome::{LocatedViolation, Status};
use crate::verdict::{Finding, TrialError, Verdict};

/// Compares the verdict with the snapshot, and sets whether it passes. A snapshot that is that of another variant (`is_shared`) is
/// not written. Returns whether a changed snapshot still passes,
/// because `INSTA_FORCE_PASS` is set.
pub(super) fn compare(
    verdict: &mut Verdict,
    case: &Case,
    file: &SnapshotFile,
    is_shared: bool,
    case_file: &Path,
    base: &Path,
) -> bool {
    let text = render_verdict(verdict);
    let before = read_pinned(&file.path());
    let is_unchanged = before.as_deref() == Some(text.trim());
    let writer = SnapshotWriter::new(file, case, case_file, base, &verdict.name);
    let written = if is_shared {
        writer.note_reference().map(|()| SnapshotUpdate::Nowhere)
    } else {
        update_snapshot(&writer, &text, is_unchanged)
    };
    // A change that is accepted on the spot passes, as it does with insta's macros.
    verdict.passed = is_unchanged || matches!(written, Ok(SnapshotUpdate::InPlace));
    // A snapshot passes a trial that fails. The number says how many violations are accepted by it.
    if verdict.passed && verdict.status == Status::Fail {
        verdict.pinned = verdict.findings.iter().map(|finding| finding.violations.len()).sum();
    }
    if !verdict.passed {
        verdict.snapshot_diff = Some(render_diff(before.as_deref(), text.trim()));
        verdict.shares_snapshot = is_shared;
    }
    let Err(error) = written else { return !verdict.passed && passes_by_force() };
    let message = format!("cannot write the snapshot: {error}");
    verdict.errors.push(TrialError { message, at: verdict.case.clone() });
    false
}

fn update_snapshot(writer: &SnapshotWriter, text: &str, is_unchanged: bool) -> io::Result<SnapshotUpdate> {
    writer.note_reference()?;
    if !is_unchanged {
        return writer.write_changed(text);
    }
    writer.confirm(text)?;
    Ok(SnapshotUpdate::Nowhere)
}

/// Returns the snapshot's text without the blank lines around it. Git may check it out with CRLF line ends.
fn read_pinned(path: &Path) -> Option<String> {
    let file = fs::read_to_string(path).ok()?.replace("\r\n", "\n");
    snapshot_text(&file).map(|text| text.trim().to_owned())
}

/// Returns the text below the header of a snapshot file; `None` if the header is not complete.
pub fn snapshot_text(file: &str) -> Option<&str> {
    let (_, rest) = file.strip_prefix("---")?.split_once("\n---")?;
    rest.split_once('\n').map(|(_, text)| text)
}

/// Renders the changed lines with two lines of context.
fn render_diff(before: Option<&str>, after: &str) -> String {
    let Some(before) = before.filter(|before| !before.is_empty()) else {
        return format!("no snapshot yet; the new one is\n{after}");
    };
    let diff = similar::TextDiff::from_lines(before, after);
    let mut unified = diff.unified_diff();
    unified.context_radius(2).header("pinned", "now").missing_newline_hint(false).to_string()
}

/// The fields of a violation that a snapshot contains. Places are left out: a comment above a case must not change its
/// snapshot.
const PINNED_FIELDS: &[&str] = &[
    "message",
    "rule",
    "tool",
    "call",
    "calls",
    "argument",
    "value",
    "constraint",
    "policy",
    "policy_line",
    "expected",
    "actual",
];

/// Renders the part of a verdict that a snapshot contains.
fn render_verdict(verdict: &Verdict) -> String {
    render_yaml(&json!({
        "status": verdict.status, "score": round(verdict.score.get()), "findings": pin_findings(verdict),
    }))
}

/// Returns the findings of a verdict, run by run. If all runs agree, they are said once: how many runs there are is no violation.
fn pin_findings(verdict: &Verdict) -> Vec<Json> {
    let of_run = |run: usize| -> Vec<Json> {
        let own = verdict.findings.iter().filter(|finding| !finding.of_all_runs && finding.run == run);
        own.map(pin_finding).collect()
    };
    let first = of_run(0);
    if verdict.runs.is_empty() || !(1..verdict.runs.len()).all(|run| of_run(run) == first) {
        return verdict.findings.iter().map(pin_finding).collect();
    }
    // The median of runs that agree is what each of them says.
    let of_all = verdict.findings.iter().filter(|finding| finding.of_all_runs && finding.check != MEDIAN);
    first.into_iter().chain(of_all.map(pin_finding)).collect()
}

fn pin_finding(finding: &Finding) -> Json {
    let violations: Vec<Json> = finding.violations.iter().map(pin_violation).collect();
    let mut pinned = json!({
        "check": finding.check,
        "status": finding.status,
        "score": round(finding.score.get()),
        "unfit": finding.unfit,
        "violations": violations,
    });
    // An absent field is left out, so that a new one does not change old snapshots.
    pinned.as_object_mut().into_iter().for_each(|fields| fields.retain(|_, value| !value.is_null()));
    pinned
}

fn pin_violation(violation: &LocatedViolation) -> Json {
    let mut pinned = json::to_json(violation).unwrap_or_default();
    if let Json::Object(fields) = &mut pinned {
        fields.retain(|name, _| PINNED_FIELDS.contains(&name));
    }
    round_numbers(&mut pinned);
    pinned
}

/// Rounds to six decimal places, because further digits can differ between machines.
fn round(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

fn round_numbers(value: &mut Json) {
    match value {
        // A number with more digits is one that was written, not one that was computed.
        Json::Number(number) if number.is_f64() && number.fits_64_bits() => {
            *value = number.as_f64().map_or(Json::Null, |number| round(number).into());
        }
        Json::Array(items) => items.iter_mut().for_each(round_numbers),
        Json::Object(entries) => entries.values_mut().for_each(round_numbers),
        _ => {}
    }
}
