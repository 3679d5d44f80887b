//! Quick fixes: the name that a mistake suggests, a snapshot that a run left pending, and checks that a case lacks.

use arraign::LoadError;
use arraign::json::json;
use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, Command, Range, TextEdit};

use super::commands::{ACCEPT, MUTATE};
use super::document::{OpenDocument, edit_text};
use super::last_run::LastRun;
use super::outline::{OutlinedCase, outline_cases};
use super::position::{find_offset, find_range};
use super::survivors;

/// Lists the actions for a range of an open file.
pub(super) fn list_actions(
    document: &OpenDocument,
    last_run: &LastRun,
    range: Range,
) -> Vec<CodeActionOrCommand> {
    let name = document.project.name(&document.path);
    let own = document.mistakes.iter().filter(|error| error.place.file() == name);
    let fixes = own.filter_map(|error| suggest_fix(document, error, range));
    let cases = list_cases_in(document, range);
    let added = cases.iter().flat_map(|case| survivors::list_additions(document, last_run, case));
    let actions = fixes.chain(added).map(CodeActionOrCommand::CodeAction);
    let commands = cases.iter().flat_map(|case| list_commands(document, last_run, case));
    actions.chain(commands.map(CodeActionOrCommand::Command)).collect()
}

/// Replaces the text of a mistake by the suggestion in its help.
fn suggest_fix(document: &OpenDocument, error: &LoadError, range: Range) -> Option<CodeAction> {
    // The suggestion is in the text of the help, which is the same in the terminal.
    let (_, rest) = error.help.as_deref()?.split_once("did you mean `")?;
    let (suggestion, _) = rest.split_once('`')?;
    let span = error.place.span();
    let start = span.start as usize;
    let end = span.end as usize;
    let own = find_range(&document.text, start, end);
    if own.end < range.start || range.end < own.start {
        return None;
    }
    // The quotes of a text stay.
    let quotes = document.text.get(start..end)?.chars().next().filter(|c| "\"'".contains(*c));
    let quote = quotes.map(String::from).unwrap_or_default();
    let edit = TextEdit::new(own, format!("{quote}{suggestion}{quote}"));
    Some(CodeAction {
        title: format!("Replace with `{suggestion}`"),
        kind: Some(CodeActionKind::QUICKFIX),
        edit: Some(edit_text(document.uri.clone(), edit)),
        is_preferred: Some(true),
        ..CodeAction::default()
    })
}

/// The cases that have a part in the range.
fn list_cases_in(document: &OpenDocument, range: Range) -> Vec<OutlinedCase> {
    let mut cases = outline_cases(document);
    let start = find_offset(&document.text, range.start);
    let end = find_offset(&document.text, range.end);
    cases.retain(|case| case.extent.0 <= end && start <= case.extent.1);
    cases
}

/// Accepts the pending snapshot of the case, and tries which changes of its trace it notices.
fn list_commands(document: &OpenDocument, last_run: &LastRun, case: &OutlinedCase) -> Vec<Command> {
    let name = &case.name;
    let verdicts = last_run.verdicts_of(&document.path).iter();
    let mut pending = verdicts.filter(|verdict| verdict.snapshot_diff.is_some() && !verdict.shares_snapshot);
    let accept = pending.any(|verdict| verdict.name == *name);
    let accept = accept.then(|| (format!("Accept the snapshot of `{name}`"), ACCEPT));
    let mutate = (format!("Try which changes of its trace `{name}` notices"), MUTATE);
    let commands = accept.into_iter().chain([mutate]).map(|(title, command)| Command {
        title,
        command: command.to_owned(),
        arguments: Some(vec![json!({"uri": document.uri, "name": name}).into()]),
    });
    commands.collect()
}
