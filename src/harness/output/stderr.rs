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
pub(in crate::harness) fn summarize(skipped: usize) {
    for variable in settings::unknown_variables() {
        remark(&variable);
    }
    if skipped > 0 {
        remark(&format!("skipped for their tier or tags: {}", cases(skipped)));
    }
}

/// The one format that is rendered by a feature alone.
pub(in crate::harness) fn no_such_reports(formats: impl Iterator<Item = ReportFormat>, store: &Path) {
    not_rendered("without the feature `html` of arraign", formats, store);
}

/// Each process of nextest's knows one trial.
pub(in crate::harness) fn no_reports_under_nextest(formats: &[ReportFormat], store: &Path) {
    not_rendered("under nextest", formats.iter().copied(), store);
}

fn not_rendered(by: &str, formats: impl Iterator<Item = ReportFormat>, store: &Path) {
    let names: Vec<&str> = formats.map(ReportFormat::name).collect();
    if !names.is_empty() {
        let (told, formats, command) = (names.join(", "), names.join(","), report_of(store));
        remark(&format!(
            "reports not rendered {by}: {told}; `{command} --format {formats}` renders them from the verdicts there"
        ));
    }
}

/// Trials that failed to leave a verdict are in no report.
pub(in crate::harness) fn verdicts_missing(count: usize) {
    if count > 0 {
        remark(&format!("the reports lack {}, which left no verdict", cases(count)));
    }
}

/// Each process of nextest's would write the file anew, with its one trial in it.
pub(in crate::harness) fn no_summary_under_nextest(path: &Path, store: &Path) {
    let (shown, word) = (path.display(), quoted(&path.to_string_lossy()));
    remark(&format!(
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
pub(in crate::harness) fn orphans(names: &[String]) {
    for name in names {
        let name = escape_line(name);
        remark(&format!(
            "the snapshot `{name}` belongs to no case with `snapshot: true`; delete it, or bring its case back"
        ));
    }
}

/// Recorded opinions that no case asks for, by the names that users know their files by.
pub(in crate::harness) fn stale_cassettes(names: &[String]) {
    for name in names {
        let name = escape_line(name);
        remark(&format!("the recorded opinion `{name}` answers what no case asks any more; delete it"));
    }
}

/// What the judge has cost.
pub(in crate::harness) fn spent(spent: JudgeUsage) {
    if spent.requests > 0 {
        remark(&format!("the judge was asked: {spent}"));
    }
}

/// `1 case`, `2 cases`.
pub(in crate::harness) fn cases(count: usize) -> String {
    if count == 1 { "1 case".to_owned() } else { format!("{count} cases") }
}

/// The run cannot begin.
pub(in crate::harness) fn wrong(problems: &[String]) -> ExitCode {
    complain(problems, WRONG_RUN)
}

/// Files of cases are wrong: all that is wrong in all of them.
pub(in crate::harness) fn wrong_files(errors: &LoadErrors) -> ExitCode {
    for error in errors {
        say(&terminal::render_load_error(error));
    }
    let count = errors.iter().count();
    let noun = if count == 1 { "mistake" } else { "mistakes" };
    wrong(&[format!("{count} {noun} in the eval files; no trial was run")])
}

/// Ends with `code`.
pub(in crate::harness) fn complain(problems: &[String], code: u8) -> ExitCode {
    for problem in problems {
        say(&format!("error: {problem}"));
    }
    ExitCode::from(code)
}

fn remark(text: &str) {
    say(&format!("arraign: {text}"));
}

/// After the trials' own lines; where those are JSON events, beside them.
pub(in crate::harness) fn print(json: bool, text: &str) {
    let _ = if json { writeln!(io::stderr(), "{text}") } else { writeln!(io::stdout(), "{text}") };
}

/// Nobody may be listening any more.
pub(in crate::harness) fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
