//! Compares the violations of a trial with its snapshot.
//!
//! A snapshot is a file of insta's: a header between two lines `---`, then the text. This crate reads and writes such
//! files itself and does not depend on insta. insta's macros record the Rust line that calls them, where a review
//! should show the line of the YAML case, and cargo takes a single version 1.x of insta: the user's.

use std::fs;
use std::io;
use std::path::Path;

use serde::Serialize;

use super::SnapshotFile;
use super::pending::{SnapshotUpdate, SnapshotWriter, passes_by_force};
use super::pinned_yaml::render_yaml;
use crate::case::Case;
use crate::outcome::{LocatedViolation, Status};
use crate::verdict::{Finding, TrialError, Verdict};

/// Settles whether the verdict passes: if its violations are the pinned ones. Returns whether a change may pass all
/// the same.
pub(super) fn compare(
    verdict: &mut Verdict,
    case: &Case,
    file: &SnapshotFile,
    case_file: &Path,
    base: &Path,
) -> bool {
    let text = PinnedVerdict::of(verdict).render();
    let before = read_pinned(&file.path());
    let is_unchanged = before.as_deref() == Some(text.trim());
    let writer = SnapshotWriter::new(file, case, case_file, base, &verdict.name);
    let written = write(&writer, &text, is_unchanged);
    verdict.passed = is_unchanged || matches!(written, Ok(SnapshotUpdate::InPlace));
    if !verdict.passed {
        verdict.snapshot_diff = Some(render_diff(before.as_deref(), text.trim()));
    }
    let Err(error) = written else { return !verdict.passed && passes_by_force() };
    let message = format!("the snapshot cannot be written: {error}");
    verdict.errors.push(TrialError { message, at: verdict.case.clone() });
    false
}

fn write(writer: &SnapshotWriter, text: &str, is_unchanged: bool) -> io::Result<SnapshotUpdate> {
    writer.note_reference()?;
    if !is_unchanged {
        return writer.write_changed(text);
    }
    writer.confirm(text)?;
    Ok(SnapshotUpdate::Nowhere)
}

/// The pinned text without the blank lines around it.
fn read_pinned(path: &Path) -> Option<String> {
    let file = fs::read_to_string(path).ok()?.replace("\r\n", "\n");
    snapshot_text(&file).map(|text| text.trim().to_owned())
}

/// Returns the text below the header of a snapshot file; `None` if the header is not complete.
pub fn snapshot_text(file: &str) -> Option<&str> {
    let (_, rest) = file.strip_prefix("---")?.split_once("\n---")?;
    rest.split_once('\n').map(|(_, text)| text)
}

/// The changed lines, with two lines around them.
fn render_diff(before: Option<&str>, after: &str) -> String {
    let Some(before) = before.filter(|before| !before.is_empty()) else {
        return format!("there is none yet; it would be\n{after}");
    };
    let diff = similar::TextDiff::from_lines(before, after);
    let mut shown = diff.unified_diff();
    shown.context_radius(2).header("pinned", "now").missing_newline_hint(false).to_string()
}

/// The part of a verdict that a snapshot holds.
#[derive(Serialize)]
struct PinnedVerdict<'v> {
    status: Status,
    score: f64,
    findings: Vec<PinnedFinding<'v>>,
}

#[derive(Serialize)]
struct PinnedFinding<'v> {
    check: &'v str,
    status: Status,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    unfit: Option<&'v str>,
    violations: Vec<PinnedViolation<'v>>,
}

/// A violation without its place in the case's file: a comment above a case changes nothing about it.
#[derive(Serialize)]
struct PinnedViolation<'v> {
    message: &'v str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<usize>,
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    calls: &'v [usize],
    #[serde(skip_serializing_if = "Option::is_none")]
    argument: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<&'v str>,
}

impl<'v> PinnedVerdict<'v> {
    fn of(verdict: &'v Verdict) -> Self {
        let findings = verdict.findings.iter().map(pin_finding).collect();
        Self { status: verdict.status, score: round(verdict.score.get()), findings }
    }

    fn render(&self) -> String {
        // Only a map whose keys are no texts could fail to become JSON.
        render_yaml(&serde_json::to_value(self).unwrap_or_default())
    }
}

fn pin_finding(finding: &Finding) -> PinnedFinding<'_> {
    PinnedFinding {
        check: &finding.check,
        status: finding.status,
        score: round(finding.score.get()),
        unfit: finding.unfit.as_deref(),
        violations: finding.violations.iter().map(pin_violation).collect(),
    }
}

fn pin_violation(violation: &LocatedViolation) -> PinnedViolation<'_> {
    PinnedViolation {
        message: &violation.message,
        rule: violation.rule,
        tool: violation.tool.as_deref(),
        call: violation.call,
        calls: &violation.calls,
        argument: violation.argument.as_deref(),
        value: violation.value.as_ref().map(round_numbers),
        constraint: violation.constraint.as_deref(),
        policy: violation.policy.as_deref(),
        policy_line: violation.policy_line,
        expected: violation.expected.as_deref(),
        actual: violation.actual.as_deref(),
    }
}

/// Six places: the rest differs between machines.
fn round(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

fn round_numbers(value: &serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or(serde_json::Value::Null, |number| round(number).into())
        }
        serde_json::Value::Array(items) => items.iter().map(round_numbers).collect(),
        serde_json::Value::Object(entries) => {
            entries.iter().map(|(key, value)| (key.clone(), round_numbers(value))).collect()
        }
        other => other.clone(),
    }
}
