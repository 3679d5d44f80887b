//! Snapshots of violations, pinned with insta: `INSTA_UPDATE`, `cargo insta test`, `review` and `accept` behave as
//! its users know them.
//!
//! `evals/<folder>/snapshots/<file stem>.<case id>.snap` holds the violations and scores of a case that says
//! `snapshot: true`: no times, no absolute paths, no line of the case's file. Whether they are equal is decided
//! here; insta writes, prints and reviews.

use std::path::{Path, PathBuf};

use crate::case::Case;
use crate::outcome::Status;
use crate::suite::escape_component;
use crate::verdict::Verdict;

/// Where a case's snapshot lies.
pub(super) struct SnapshotFile {
    folder: PathBuf,
    name: String,
}

impl SnapshotFile {
    /// The snapshot of the case `id` of the file at `path`.
    pub(super) fn of(path: &Path, id: Option<&str>, run: Option<&str>) -> Self {
        let folder = path.parent().unwrap_or(path).join("snapshots");
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let parts = [Some(&*stem), id, run];
        let name: Vec<String> = parts.into_iter().flatten().map(escape_component).collect();
        Self { folder, name: name.join(".") }
    }

    /// Its path.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.snap", self.name))
    }

    /// What it is called while its change is pending.
    #[cfg(feature = "snapshots")]
    pub(super) fn pending_name(&self) -> String {
        format!("{}.snap.new", self.name)
    }
}

/// Holds the violations of a case that says `snapshot: true` against the pinned ones; true when they differ and
/// insta is told to let that pass.
pub(super) fn hold_against(
    verdict: &mut Verdict,
    case: &Case,
    path: &Path,
    base: &Path,
    quiet: bool,
) -> bool {
    let as_expected = match case.expect_verdict {
        Some(expected) => verdict.status == expected,
        None => matches!(verdict.status, Status::Pass | Status::Fail),
    };
    if case.snapshot.is_none() || !as_expected {
        return false;
    }
    let run = verdict.name.rsplit("::").next().filter(|last| Some(*last) != case.id.as_deref());
    let run = run.filter(|last| last.starts_with("run_"));
    let file = SnapshotFile::of(path, case.id.as_deref(), run);
    pinned::compare(verdict, case, &file, path, base, quiet)
}

#[cfg(not(feature = "snapshots"))]
mod pinned {
    use super::{Case, Path, SnapshotFile, Status, Verdict};

    pub(super) fn compare(
        verdict: &mut Verdict,
        _case: &Case,
        _file: &SnapshotFile,
        _path: &Path,
        _base: &Path,
        _quiet: bool,
    ) -> bool {
        verdict.status = Status::Error;
        verdict.passed = false;
        let (message, at) =
            ("`snapshot: true` needs arraign's feature `snapshots`".to_owned(), verdict.case.clone());
        verdict.errors.push(crate::verdict::TrialError { message, at });
        false
    }
}

#[cfg(feature = "snapshots")]
mod pinned {

    use insta::_macro_support::{SerializationFormat, SnapshotValue, assert_snapshot, serialize_value};
    use serde::Serialize;

    use super::{Case, Path, SnapshotFile, Status, Verdict};
    use crate::harness::panics;
    use crate::harness::pending::{self, Origin};
    use crate::harness::pending_folder::{pending_folder, workspace_of};
    use crate::outcome::LocatedViolation;
    use crate::verdict::{Finding, TrialError};

    pub(super) fn compare(
        verdict: &mut Verdict,
        case: &Case,
        file: &SnapshotFile,
        path: &Path,
        base: &Path,
        quiet: bool,
    ) -> bool {
        let content = serialize_value(&Pinned::of(verdict), SerializationFormat::Yaml);
        let before = pinned_text(&file.path());
        let tolerated = if quiet && before.as_deref() != Some(content.trim()) {
            kept_silently(verdict, case, file, path, base, &content)
        } else {
            accepted_by_insta(verdict, case, file, path, base, &content)
        };
        let now = pinned_text(&file.path());
        verdict.passed = now.as_deref() == Some(content.trim());
        if !verdict.passed {
            verdict.snapshot_diff = Some(diff(before.as_deref().unwrap_or_default(), content.trim()));
        }
        tolerated && !verdict.passed
    }

    /// The text of a snapshot file, if it is one.
    fn pinned_text(path: &Path) -> Option<String> {
        let snapshot = insta::Snapshot::from_file(path).ok()?;
        snapshot.as_text().map(|text| text.to_string().trim().to_owned())
    }

    /// Calls insta as its macros do, with the case as the source: no `cargo metadata` child is started, and a
    /// review shows the line of the YAML case.
    fn accepted_by_insta(
        verdict: &Verdict,
        case: &Case,
        file: &SnapshotFile,
        path: &Path,
        base: &Path,
        content: &str,
    ) -> bool {
        let workspace = workspace_of(base);
        let source = path.to_string_lossy();
        let line = u32::try_from(case.place.line()).unwrap_or_default();
        let value = SnapshotValue::FileText { name: Some(file.name.as_str().into()), content };
        let assert = || assert_snapshot(value, &workspace, "arraign", "arraign", &source, line, "violations");
        let settings = settings(verdict, file, path);
        panics::quietly(|| settings.bind(assert).is_ok()).unwrap_or(false)
    }

    fn kept_silently(
        verdict: &mut Verdict,
        case: &Case,
        file: &SnapshotFile,
        path: &Path,
        base: &Path,
        content: &str,
    ) -> bool {
        let workspace = workspace_of(base);
        let source = path.strip_prefix(&workspace).unwrap_or(path);
        let description = description(verdict);
        let origin = Origin { source, line: case.place.line(), description: &description };
        let folder = pending_folder(base, &file.folder);
        pending::keep(file, &folder, content, &origin).unwrap_or_else(|error| {
            let message = format!("the snapshot cannot be written: {error}");
            verdict.errors.push(TrialError { message, at: verdict.case.clone() });
            false
        })
    }

    fn description(verdict: &Verdict) -> String {
        format!("violations of {}", verdict.name)
    }

    fn settings(verdict: &Verdict, file: &SnapshotFile, path: &Path) -> insta::Settings {
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path(&file.folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_input_file(path);
        settings.set_description(description(verdict));
        settings
    }

    /// The changed lines, with a little of what stands around them.
    fn diff(before: &str, after: &str) -> String {
        if before.is_empty() {
            return format!("there is none yet; it would be\n{after}");
        }
        let diff = similar::TextDiff::from_lines(before, after);
        let mut shown = diff.unified_diff();
        shown.context_radius(2).header("pinned", "now").missing_newline_hint(false).to_string()
    }

    /// What a snapshot holds.
    #[derive(Serialize)]
    struct Pinned<'v> {
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
        violations: Vec<PinnedBreach<'v>>,
    }

    /// A violation without its place in the case's file: a comment above a case changes nothing about it.
    #[derive(Serialize)]
    struct PinnedBreach<'v> {
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

    impl<'v> Pinned<'v> {
        fn of(verdict: &'v Verdict) -> Self {
            let findings = verdict.findings.iter().map(pinned_finding).collect();
            Self { status: verdict.status, score: rounded(verdict.score.get()), findings }
        }
    }

    fn pinned_finding(finding: &Finding) -> PinnedFinding<'_> {
        PinnedFinding {
            check: &finding.check,
            status: finding.status,
            score: rounded(finding.score.get()),
            unfit: finding.unfit.as_deref(),
            violations: finding.violations.iter().map(pinned_breach).collect(),
        }
    }

    fn pinned_breach(breach: &LocatedViolation) -> PinnedBreach<'_> {
        PinnedBreach {
            message: &breach.message,
            rule: breach.rule,
            tool: breach.tool.as_deref(),
            call: breach.call,
            calls: &breach.calls,
            argument: breach.argument.as_deref(),
            value: breach.value.as_ref().map(rounded_value),
            constraint: breach.constraint.as_deref(),
            policy: breach.policy.as_deref(),
            policy_line: breach.policy_line,
            expected: breach.expected.as_deref(),
            actual: breach.actual.as_deref(),
        }
    }

    /// Six places: the rest differs between machines.
    fn rounded(number: f64) -> f64 {
        (number * 1e6).round() / 1e6
    }

    fn rounded_value(value: &serde_json::Value) -> serde_json::Value {
        match value {
            serde_json::Value::Number(number) if number.is_f64() => {
                number.as_f64().map_or(serde_json::Value::Null, |number| rounded(number).into())
            }
            serde_json::Value::Array(items) => items.iter().map(rounded_value).collect(),
            serde_json::Value::Object(entries) => {
                entries.iter().map(|(key, value)| (key.clone(), rounded_value(value))).collect()
            }
            other => other.clone(),
        }
    }
}
