//! `DeepEval`: datasets of goldens as JSON, JSON Lines or CSV.
//!
//! A dataset says what is expected, and not which metric looks at it: the tools are required, and what the answer
//! should say is a judge's question.

mod csv;
mod golden;

use std::path::Path;
use std::sync::Arc;

use arraign::__internals::place::{LoadErrors, Place, Source, Span};
use arraign::__internals::yaml::{Document, Node};

use super::beside::ends_in;
use super::draft::{Draft, Given, Imported, documents};

pub(super) fn import(given: &Given) -> Result<Imported, LoadErrors> {
    let mut draft = Draft::new(given, "deepeval");
    if ends_in(Path::new(given.source.name()), &["csv"]) {
        for (place, row) in csv::rows(&given.source)? {
            let source = Source::new(given.source.name(), row.to_string());
            for document in Document::parse(&source)? {
                golden::case(document.root(), Some(&place), &mut draft);
            }
        }
        return Ok(draft.finish());
    }
    for document in documents(&given.source)? {
        let root = document.root();
        for node in root.get("goldens").unwrap_or(root).one_or_many() {
            if !["input", "scenario"].iter().any(|key| node.get(key).is_some()) {
                return Err(node.error("a golden of DeepEval has an `input`, or a `scenario`").into());
            }
            golden::case(node, None, &mut draft);
        }
    }
    Ok(draft.finish())
}

/// Where a node of a golden stands: in the file itself, or in a row of it.
fn place_of(node: Node<'_>, row: Option<&Place>) -> Place {
    row.cloned().unwrap_or_else(|| node.place())
}

/// The place of bytes of the file.
fn place(source: &Arc<Source>, start: usize, end: usize) -> Place {
    let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Place::new(source, Span { start: byte(start), end: byte(end) })
}
