//! Quick fixes for survivors: a check that the case lacks to notice a change of its trace. A run with `ARRAIGN_MUTATE=1` finds
//! them.

use std::collections::BTreeMap;

use arraign::__internals::place::Source;
use arraign::__internals::yaml::{Document, render_entry};
use arraign::Verdict;
use arraign::json::Json;
use arraign::verdict::MutantFate;
use lsp_types::{CodeAction, CodeActionKind, TextEdit};

use super::document::{OpenDocument, edit_text};
use super::last_run::LastRun;
use super::outline::OutlinedCase;
use super::position::find_range;
use crate::case_edit::add_entries;

/// Lists the additions to a case that notice its survivors, and that it does not have yet.
pub(super) fn list_additions(
    document: &OpenDocument,
    last_run: &LastRun,
    case: &OutlinedCase,
) -> Vec<CodeAction> {
    let verdicts = last_run.verdicts_of(&document.path).iter().filter(|verdict| verdict.name == case.name);
    let mut changes: BTreeMap<String, (&Json, Vec<&str>)> = BTreeMap::new();
    // One addition often notices several survivors, and is offered once for all of them.
    for (addition, change) in verdicts.flat_map(list_survivors) {
        changes.entry(addition.to_string()).or_insert((addition, Vec::new())).1.push(change);
    }
    let actions = changes.into_values().filter_map(|(addition, changes)| {
        let edit = insert_entry(document, case, addition)?;
        let more = match changes.len() - 1 {
            0 => String::new(),
            count => format!("; and {count} more"),
        };
        Some(CodeAction {
            title: format!("Add `{}`, which notices: {}{more}", render_entry(addition), changes[0]),
            kind: Some(CodeActionKind::QUICKFIX),
            edit: Some(edit_text(document.uri.clone(), edit)),
            ..CodeAction::default()
        })
    });
    actions.collect()
}

/// The survivors of a verdict that an addition would notice, each with its change of the trace.
fn list_survivors(verdict: &Verdict) -> Vec<(&Json, &str)> {
    let mutants = verdict.mutation.iter().flat_map(|mutation| mutation.mutants());
    let additions = mutants.filter_map(|(_, mutant)| match &mutant.fate {
        MutantFate::Survived { addition: Some(addition), .. } => Some((addition, mutant.change.as_str())),
        _ => None,
    });
    additions.collect()
}

/// Inserts an entry of `expect` into the case. `None` if the case has it, or if its layout cannot be edited.
fn insert_entry(document: &OpenDocument, case: &OutlinedCase, entry: &Json) -> Option<TextEdit> {
    let before = document.text.as_str();
    let (start, end) = case.extent;
    let line = before.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    // All keys of a block begin in one column.
    let indent = " ".repeat(start - line);
    let extent = Source::new("", [&indent, before.get(start..end)?].concat());
    let own = Document::parse(&extent).unwrap_or_default();
    let expected = own.first().map(|own| own.root().to_json()["expect"].take()).unwrap_or_default();
    if expected.as_array().is_some_and(|list| list.contains(entry)) {
        return None;
    }
    let name = document.project.name(&document.path);
    let after = add_entries(&Source::new(name, before), case.head.0, std::slice::from_ref(entry)).ok()?;
    let common = before.bytes().zip(after.bytes()).take_while(|(one, other)| one == other).count();
    // An edit begins and ends between characters.
    let start = before.floor_char_boundary(common);
    let rest = before.len() - start;
    let tails = before.bytes().rev().zip(after.bytes().rev()).take(rest);
    let tail = tails.take_while(|(one, other)| one == other).count();
    let end = before.ceil_char_boundary(before.len() - tail);
    let inserted = &after[start..after.len() - (before.len() - end)];
    Some(TextEdit::new(find_range(before, start, end), inserted.to_owned()))
}
