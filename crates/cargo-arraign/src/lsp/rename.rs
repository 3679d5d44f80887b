//! Rename of a case: its id, and the files that are named after it.

use std::fs;
use std::path::{Path, PathBuf};

use arraign::__internals::suite::{escape_file_name, name_recording};
use arraign::json::Json;
use lsp_types::{
    DocumentChangeOperation, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, Position,
    PrepareRenameResponse, RenameFile, ResourceOp, TextDocumentEdit, TextEdit, WorkspaceEdit,
};

use super::document::OpenDocument;
use super::outline::{OutlinedCase, outline_cases};
use super::position::{find_offset, find_range, path_to_uri};

/// Returns the id at `position`.
pub(super) fn prepare_rename(document: &OpenDocument, position: Position) -> Option<PrepareRenameResponse> {
    let case = find_id_at(document, position)?;
    let range = find_range(&document.text, case.head.0, case.head.1);
    Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder: case.id? })
}

/// Changes the id at `position` to `new_id`, and renames the files that are named after it. The error is a message.
pub(super) fn rename_case(
    document: &OpenDocument,
    position: Position,
    new_id: &str,
) -> Result<WorkspaceEdit, String> {
    let case = find_id_at(document, position).ok_or("the cursor is not on the id of a case")?;
    let old_id = case.id.clone().unwrap_or_default();
    // Two cases of one file would be one trial.
    if outline_cases(document).iter().any(|other| other.id.as_deref() == Some(new_id)) {
        return Err(format!("another case of this file has the id `{new_id}`"));
    }
    let edit = TextEdit::new(find_range(&document.text, case.head.0, case.head.1), write_scalar(new_id));
    let text_edit = TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri: document.uri.clone(), version: None },
        edits: vec![OneOf::Left(edit)],
    };
    let mut operations = vec![DocumentChangeOperation::Edit(text_edit)];
    let suffixes = document.project.list_variant_suffixes();
    for (old, new) in list_named_files(&document.path, &suffixes, &old_id, new_id) {
        if new.exists() {
            return Err(format!("{} already exists", new.display()));
        }
        let (Some(old_uri), Some(new_uri)) = (path_to_uri(&old), path_to_uri(&new)) else { continue };
        let rename = RenameFile { old_uri, new_uri, options: None, annotation_id: None };
        operations.push(DocumentChangeOperation::Op(ResourceOp::Rename(rename)));
    }
    let changes = Some(DocumentChanges::Operations(operations));
    Ok(WorkspaceEdit { document_changes: changes, ..WorkspaceEdit::default() })
}

fn find_id_at(document: &OpenDocument, position: Position) -> Option<OutlinedCase> {
    let offset = find_offset(&document.text, position);
    let mut cases = outline_cases(document).into_iter();
    cases.find(|case| case.id.is_some() && case.head.0 <= offset && offset <= case.head.1)
}

/// Writes an id as YAML, in quotes where it needs them.
fn write_scalar(id: &str) -> String {
    let begins_as_word = id.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    // YAML 1.1 reads `yes` and `off` as booleans, and so do many tools.
    let is_keyword =
        ["true", "false", "null", "yes", "no", "on", "off"].contains(&id.to_lowercase().as_str());
    if begins_as_word && !is_keyword && id.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c)) {
        return id.to_owned();
    }
    Json::from(id).to_string()
}

/// The folder of the recordings of a file of cases: `traces/<file stem>` or `cassettes/<file stem>`.
pub(super) fn locate_recordings(kind: &str, case_file: &Path) -> PathBuf {
    case_file.parent().unwrap_or(case_file).join(kind).join(case_file.file_stem().unwrap_or_default())
}

/// Lists the traces, cassettes and snapshots that are named after the case `old_id` of the file and its variants, with their new
/// names. `suffixes` are those of the variants, of which the baseline has an empty one.
fn list_named_files(
    case_file: &Path,
    suffixes: &[String],
    old_id: &str,
    new_id: &str,
) -> Vec<(PathBuf, PathBuf)> {
    let folder = case_file.parent().unwrap_or(case_file);
    let stem = case_file.file_stem().unwrap_or_default().to_string_lossy();
    let recorded = ["traces", "cassettes"].map(|kind| locate_recordings(kind, case_file));
    let mut found = Vec::new();
    for suffix in suffixes {
        let [old, new] = [old_id, new_id].map(|id| name_recording(id) + suffix);
        found.extend(recorded.iter().flat_map(|folder| list_renames(folder, &old, &new)));
        let [old, new] = [old_id, new_id].map(|id| name_snapshot(&stem, Some(id)) + suffix);
        found.extend(list_renames(&folder.join("snapshots"), &old, &new));
    }
    found.sort();
    found
}

/// The name that the snapshots of a case begin with, before a dot.
pub(super) fn name_snapshot(stem: &str, id: Option<&str>) -> String {
    let own = id.map(|id| format!(".{}", escape_file_name(id))).unwrap_or_default();
    escape_file_name(stem) + &own
}

/// Lists the entries of a folder that are called `old`, with any extension.
pub(super) fn list_renames(folder: &Path, old: &str, new: &str) -> Vec<(PathBuf, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let renames = names.filter_map(|name| {
        let rest = name.strip_prefix(old)?;
        // `a.json` and `a.run_1.snap` belong to `a`; `ab.json` does not.
        let is_own = rest.is_empty() || rest.starts_with('.');
        is_own.then(|| (folder.join(&name), folder.join(format!("{new}{rest}"))))
    });
    renames.collect()
}
