//! `DeepEval`: datasets of goldens as JSON, JSON Lines or CSV.
//!
//! A dataset contains expectations, but not the metrics that check them. Expected tools become required tools, and
//! expected answers become questions to a judge.

mod csv;
mod golden;

use std::path::Path;
use std::sync::Arc;

use arraign::__internals::place::{LoadErrors, Place, Source, Span};
use arraign::__internals::yaml::{Document, Node};

use super::draft::{ImportInput, ImportedFiles, SuiteDraft, parse_documents};
use super::source_dir::has_extension;

pub(super) fn import(input: &ImportInput) -> Result<ImportedFiles, LoadErrors> {
    let mut draft = SuiteDraft::new(input, "deepeval");
    if has_extension(Path::new(input.source.name()), &["csv"]) {
        for (place, row) in csv::parse_rows(&input.source)? {
            // Each row is read as JSON of its own, so that both forms of a dataset take the same way.
            let source = Source::new(input.source.name(), row.to_string());
            for document in Document::parse(&source)? {
                golden::import_golden(document.root(), Some(&place), &mut draft);
            }
        }
        return Ok(draft.finish());
    }
    for document in parse_documents(&input.source)? {
        let root = document.root();
        for node in root.get("goldens").unwrap_or(root).one_or_many() {
            if !["input", "scenario"].iter().any(|key| node.get(key).is_some()) {
                return Err(node.error("expected a DeepEval golden with `input` or `scenario`").into());
            }
            golden::import_golden(node, None, &mut draft);
        }
    }
    Ok(draft.finish())
}

/// Returns the position of a node: in the file itself, or in a row of the table.
fn locate_node(node: Node<'_>, row: Option<&Place>) -> Place {
    row.cloned().unwrap_or_else(|| node.place())
}

/// Returns the position of a byte range of the file.
fn locate_bytes(source: &Arc<Source>, start: usize, end: usize) -> Place {
    Place::new(source, Span { start: to_offset(start), end: to_offset(end) })
}

fn to_offset(byte: usize) -> u32 {
    u32::try_from(byte).unwrap_or(u32::MAX)
}
