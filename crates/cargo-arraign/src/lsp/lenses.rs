//! The lenses of each case: Run, Debug trace, Record.

use lsp_types::{CodeLens, Command};

use super::commands::{ACCEPT, DEBUG, RECORD, RUN};
use super::document::OpenDocument;
use super::last_run::LastRun;
use super::outline::{OutlinedCase, outline_cases};
use super::position::find_range;

use arraign::json::json;

/// Lists the lenses of a file. Their arguments are the file and the name of the trial, for clients that run it themselves.
pub(super) fn list_lenses(document: &OpenDocument, last_run: &LastRun) -> Vec<CodeLens> {
    let cases = outline_cases(document);
    cases.iter().flat_map(|case| list_case_lenses(document, case, last_run)).collect()
}

fn list_case_lenses(document: &OpenDocument, case: &OutlinedCase, last_run: &LastRun) -> Vec<CodeLens> {
    let range = find_range(&document.text, case.head.0, case.head.1);
    let mut verdicts =
        last_run.verdicts_of(&document.path).iter().filter(|verdict| verdict.name == case.name);
    let has_pending = case.has_snapshot
        && verdicts.any(|verdict| verdict.snapshot_diff.is_some() && !verdict.shares_snapshot);
    let record = case.has_agent.then_some(("Record", RECORD));
    let accept = has_pending.then_some(("Accept snapshot", ACCEPT));
    let titles = [Some(("Run", RUN)), Some(("Debug trace", DEBUG)), record, accept];
    let commands = titles.into_iter().flatten().map(|(title, command)| Command {
        title: title.to_owned(),
        command: command.to_owned(),
        arguments: Some(vec![json!({"uri": document.uri, "name": case.name}).into()]),
    });
    commands.map(|command| CodeLens { range, command: Some(command), data: None }).collect()
}
