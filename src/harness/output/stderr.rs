//! What the harness says itself, on standard error: standard output belongs to the trials, and may be a stream of
//! events.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use crate::harness::settings;
use crate::judge::JudgeUsage;
use crate::place::LoadErrors;
use crate::report::plain::escape_line;
use crate::report::terminal;
use crate::suite::ReportFormat;
use crate::verdict::quoted;

/// The run itself is wrong.
const WRONG_RUN: u8 = 2;

/// The remarks after a run.
pub(in crate::harness) fn note_skipped(skipped: usize) {
    for variable in settings::unknown_variables() {
        note(&variable);
    }
    if skipped > 0 {
        note(&format!("skipped for their tier or tags: {}", count_cases(skipped)));
    }
}

/// The one format that is rendered by a feature alone.
pub(in crate::harness) fn note_unsupported_reports(
    formats: impl Iterator<Item = ReportFormat>,
    store: &Path,
) {
    note_not_rendered("without the feature `html` of arraign", formats, store);
}

/// Each process of nextest's knows one trial.
pub(in crate::harness) fn note_reports_under_nextest(formats: &[ReportFormat], store: &Path) {
    note_not_rendered("under nextest", formats.iter().copied(), store);
}

fn note_not_rendered(by: &str, formats: impl Iterator<Item = ReportFormat>, store: &Path) {
    let names: Vec<&str> = formats.map(ReportFormat::name).collect();
    if !names.is_empty() {
        let (told, formats, command) = (names.join(", "), names.join(","), report_of(store));
        note(&format!(
            "reports not rendered {by}: {told}; `{command} --format {formats}` renders them from the verdicts there"
        ));
    }
}

/// Trials that failed to leave a verdict are in no report.
pub(in crate::harness) fn note_missing_verdicts(count: usize) {
    if count > 0 {
        note(&format!("the reports lack {}, which left no verdict", count_cases(count)));
    }
}

/// Each process of nextest's would write the file anew, with its one trial in it.
pub(in crate::harness) fn note_summary_under_nextest(path: &Path, store: &Path) {
    let (shown, word) = (path.display(), quoted(&path.to_string_lossy()));
    note(&format!(
        "{shown} is not written (ARRAIGN_OUTPUT_JSON): under nextest each trial is a process of its own; `{} --summary \
         {word}` writes it",
        report_of(store)
    ));
}

/// The command that renders the reports of the run whose verdicts are in `store`.
fn report_of(store: &Path) -> String {
    format!("cargo arraign report --run {}", quoted(&store.to_string_lossy()))
}

/// Snapshots that no case asks for, by the names that users know them by.
pub(in crate::harness) fn note_orphans(names: &[String]) {
    for name in names {
        let name = escape_line(name);
        note(&format!(
            "the snapshot `{name}` belongs to no case with `snapshot: true`; delete it, or bring its case back"
        ));
    }
}

/// Recorded opinions that no case asks for, by the names that users know their files by.
pub(in crate::harness) fn note_stale_cassettes(names: &[String]) {
    for name in names {
        let name = escape_line(name);
        note(&format!("the recorded opinion `{name}` answers what no case asks any more; delete it"));
    }
}

/// What the judge has cost.
pub(in crate::harness) fn note_judge_costs(spent: JudgeUsage) {
    if spent.requests > 0 {
        note(&format!("the judge was asked: {spent}"));
    }
}

/// `1 case`, `2 cases`.
pub(in crate::harness) fn count_cases(count: usize) -> String {
    if count == 1 { "1 case".to_owned() } else { format!("{count} cases") }
}

/// The run cannot begin.
pub(in crate::harness) fn usage_error(problems: &[String]) -> ExitCode {
    exit_with(problems, WRONG_RUN)
}

/// Files of cases are wrong: all that is wrong in all of them.
pub(in crate::harness) fn report_load_errors(errors: &LoadErrors) -> ExitCode {
    for error in errors {
        eprint(&terminal::render_load_error(error));
    }
    let count = errors.iter().count();
    let noun = if count == 1 { "mistake" } else { "mistakes" };
    usage_error(&[format!("{count} {noun} in the eval files; no trial was run")])
}

/// Ends with `code`.
pub(in crate::harness) fn exit_with(problems: &[String], code: u8) -> ExitCode {
    for problem in problems {
        eprint(&format!("error: {problem}"));
    }
    ExitCode::from(code)
}

fn note(text: &str) {
    eprint(&format!("arraign: {text}"));
}

/// After the trials' own lines; where those are JSON events, beside them.
pub(in crate::harness) fn print_block(json: bool, text: &str) {
    let _ = if json { writeln!(io::stderr(), "{text}") } else { writeln!(io::stdout(), "{text}") };
}

/// Nobody may be listening any more.
pub(in crate::harness) fn eprint(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
