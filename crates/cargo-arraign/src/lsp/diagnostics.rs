//! Diagnostics: the mistakes of the present text, and the verdicts of the last run.

use std::fs;
use std::path::{Path, PathBuf};

use arraign::verdict::{Finding, Location, RunSummary};
use arraign::{LoadError, Verdict, Violation};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location as LspLocation, NumberOrString,
    Range,
};

use super::definition::find_string;
use super::document::OpenDocument;
use super::last_run::LastRun;
use super::position::{find_range, line_start, location_range, path_to_uri};
use super::project::EvalProject;

const SOURCE: &str = "arraign";

/// The diagnostics of a file.
pub(super) type FileDiagnostics = (PathBuf, Vec<Diagnostic>);

/// Lists the diagnostics of an open file, and those of other files that its cases read, such as policies.
pub(super) fn list_diagnostics(document: &OpenDocument, last_run: &LastRun) -> Vec<FileDiagnostics> {
    let own_name = document.project.name(&document.path);
    let mut own = list_verdict_diagnostics(document, last_run);
    let mut others: Vec<FileDiagnostics> = Vec::new();
    for error in document.mistakes.iter().chain(&document.quarantine_mistakes) {
        if error.place.file() == own_name {
            own.push(describe_mistake(error, &document.text));
            continue;
        }
        let Some(path) = document.project.find_named(error.place.file()) else { continue };
        // Another file is not open, so its text is the one on disk.
        let text = fs::read_to_string(&path).unwrap_or_default();
        others.push((path, vec![describe_mistake(error, &text)]));
    }
    others.insert(0, (document.path.clone(), own));
    others
}

/// Describes a mistake at its place in `text`.
fn describe_mistake(error: &LoadError, text: &str) -> Diagnostic {
    let span = error.place.span();
    let help = error.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    Diagnostic {
        range: find_range(text, span.start as usize, span.end as usize),
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some(SOURCE.to_owned()),
        message: format!("{}{help}", error.problem),
        ..Diagnostic::default()
    }
}

/// Lists what the last run says of the cases in the file. A trial that passed as expected says nothing.
fn list_verdict_diagnostics(document: &OpenDocument, last_run: &LastRun) -> Vec<Diagnostic> {
    let lines: Vec<&str> = document.text.lines().collect();
    let verdicts = last_run.verdicts_of(&document.path).iter().filter(|verdict| !verdict.passed);
    verdicts.flat_map(|verdict| describe_verdict(verdict, &lines, &document.project)).collect()
}

fn describe_verdict(verdict: &Verdict, lines: &[&str], project: &EvalProject) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for finding in &verdict.findings {
        // A call that a violation names is a call of the run that the finding is about.
        let run = verdict.runs.get(finding.run);
        let violations = finding.violations.iter().map(|violation| {
            let related = list_related(violation, run, project);
            let help = violation.suggestion.as_deref();
            place_diagnostic(lines, &violation.at, &violation.message, help, &finding.check, related)
        });
        found.extend(violations.flatten());
        found.extend(describe_undecided(finding, lines));
    }
    let errors = verdict.errors.iter();
    found.extend(
        errors.filter_map(|error| {
            place_diagnostic(lines, &error.at, &error.message, None, "error", Vec::new())
        }),
    );
    if let Some(diff) = &verdict.snapshot_diff {
        let message = format!("the violations differ from the snapshot\n{diff}");
        found.extend(place_diagnostic(lines, &verdict.case, &message, None, "snapshot", Vec::new()));
    }
    // All rows of a dataset share the lines of one case, so each message names its row.
    if let Some(row) = &verdict.row {
        for diagnostic in &mut found {
            name_row(diagnostic, &verdict.name, row, project);
        }
    }
    found
}

/// Names the row of a diagnostic: the rows of a case share its lines.
fn name_row(diagnostic: &mut Diagnostic, trial: &str, row: &Location, project: &EvalProject) {
    diagnostic.message = format!("`{trial}`: {}", diagnostic.message);
    let uri = project.find_named(&row.file).and_then(|path| path_to_uri(&path));
    diagnostic.related_information.get_or_insert_default().extend(uri.map(|uri| {
        let location = LspLocation::new(uri, location_range(row));
        DiagnosticRelatedInformation { location, message: "the row".to_owned() }
    }));
}

fn describe_undecided(finding: &Finding, lines: &[&str]) -> Option<Diagnostic> {
    let message = format!("undecided: {}", finding.unfit.as_deref()?);
    let help = finding.help.as_deref();
    let diagnostic = place_diagnostic(lines, &finding.at, &message, help, &finding.check, Vec::new())?;
    Some(Diagnostic { severity: Some(DiagnosticSeverity::WARNING), ..diagnostic })
}

/// Builds a diagnostic of a run. `None` if the line of the run is not in the present text any more.
fn place_diagnostic(
    lines: &[&str],
    at: &Location,
    message: &str,
    help: Option<&str>,
    code: &str,
    related: Vec<DiagnosticRelatedInformation>,
) -> Option<Diagnostic> {
    let help = help.map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    Some(Diagnostic {
        range: find_present_range(lines, at)?,
        severity: Some(DiagnosticSeverity::ERROR),
        code: Some(NumberOrString::String(code.to_owned())),
        source: Some(SOURCE.to_owned()),
        message: format!("{message}{help}"),
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    })
}

/// Returns the range of a place of the last run in the present text. A line that has moved is found by its text, if only one
/// line has this text.
fn find_present_range(lines: &[&str], at: &Location) -> Option<Range> {
    let is_same = |line: &&str| if at.skipped > 0 { line.contains(&at.text) } else { *line == at.text };
    let mut places = lines.iter().enumerate().filter(|(_, line)| is_same(line)).map(|(index, _)| index + 1);
    let line = match lines.get(at.line.checked_sub(1)?).filter(|line| is_same(line)) {
        Some(_) => at.line,
        // Two equal lines would be a guess, and a mark at a wrong place is worse than none.
        None => places.next().filter(|_| places.next().is_none())?,
    };
    let mut moved = at.clone();
    moved.line = line;
    Some(location_range(&moved))
}

/// Lists the call of the trace and the line of the policy that a violation is about.
fn list_related(
    violation: &Violation<Location>,
    run: Option<&RunSummary>,
    project: &EvalProject,
) -> Vec<DiagnosticRelatedInformation> {
    let policy = violation.policy_at.as_ref().and_then(|at| {
        let uri = path_to_uri(&project.find_named(&at.file)?)?;
        let message = violation.constraint.clone().unwrap_or_else(|| "the policy".to_owned());
        Some(DiagnosticRelatedInformation { location: LspLocation::new(uri, location_range(at)), message })
    });
    let call = violation.call.zip(run).and_then(|(number, run)| {
        let call = run.calls.iter().find(|call| call.index == number)?;
        let path = project.find_named(run.file.as_deref()?)?;
        let range = locate_call(&path, violation.call_id.as_deref());
        let message = format!("call {number}: `{}` {}", call.name, call.arguments);
        Some(DiagnosticRelatedInformation { location: LspLocation::new(path_to_uri(&path)?, range), message })
    });
    call.into_iter().chain(policy).collect()
}

/// Returns the place of a call in its trace, if the trace contains the id of the call; else the beginning of the file.
fn locate_call(path: &Path, call_id: Option<&str>) -> Range {
    let text = fs::read_to_string(path).unwrap_or_default();
    let found = call_id.and_then(|id| find_string(&text, id));
    found.map_or_else(|| line_start(1), |(start, end)| find_range(&text, start, end))
}
