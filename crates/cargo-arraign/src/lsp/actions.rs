//! Quick fixes: the name that a mistake suggests, and a snapshot that a run left pending.

use std::collections::HashMap;

use arraign::LoadError;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Command, Range, TextEdit, Uri, WorkspaceEdit,
};
use serde_json::json;

use super::commands::ACCEPT;
use super::document::OpenDocument;
use super::last_run::LastRun;
use super::outline::outline_cases;
use super::position::find_range;

/// Lists the actions for a range of an open file.
pub(super) fn list_actions(
    document: &OpenDocument,
    last_run: &LastRun,
    range: Range,
) -> Vec<CodeActionOrCommand> {
    let name = document.project.name(&document.path);
    let own = document.mistakes.iter().filter(|error| error.place.file() == name);
    let fixes = own.filter_map(|error| suggest_fix(document, error, range));
    let accepted = list_accepts(document, last_run, range);
    fixes.map(CodeActionOrCommand::CodeAction).chain(accepted).collect()
}

/// Replaces the text of a mistake by the suggestion in its help.
fn suggest_fix(document: &OpenDocument, error: &LoadError, range: Range) -> Option<CodeAction> {
    // The suggestion is in the text of the help, which is the same in the terminal.
    let (_, rest) = error.help.as_deref()?.split_once("did you mean `")?;
    let (suggestion, _) = rest.split_once('`')?;
    let span = error.place.span();
    let (start, end) = (span.start as usize, span.end as usize);
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

#[expect(clippy::mutable_key_type, reason = "lsp-types prescribes this map, and no URI is changed")]
fn edit_text(uri: Uri, edit: TextEdit) -> WorkspaceEdit {
    let changes = HashMap::from([(uri, vec![edit])]);
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

/// Accepts the pending snapshots of the cases in the range.
fn list_accepts(document: &OpenDocument, last_run: &LastRun, range: Range) -> Vec<CodeActionOrCommand> {
    let cases = outline_cases(document).into_iter().filter(|case| {
        let own = find_range(&document.text, case.extent.0, case.extent.1);
        // A cursor is an empty range, so touching the case is enough.
        own.start <= range.end && range.start <= own.end
    });
    let pending = |name: &str| {
        let mut verdicts = last_run.verdicts_of(&document.path).iter();
        verdicts.any(|verdict| verdict.name == name && verdict.snapshot_diff.is_some())
    };
    let names = cases.map(|case| case.name).filter(|name| pending(name));
    let commands = names.map(|name| Command {
        title: format!("Accept the snapshot of `{name}`"),
        command: ACCEPT.to_owned(),
        arguments: Some(vec![json!({"uri": document.uri, "name": name})]),
    });
    commands.map(CodeActionOrCommand::Command).collect()
}
