//! Reads the runs of a document, whichever way its declaration names them.

use super::declaration::DeclarationFields;
use super::document::DeclaredDocument;
use super::nested_runs;
use super::prepare::prepare_document;
use super::run::RunReader;
use super::selections::{SelectedAs, Selections};
use super::unread_parts::add_unread_parts;
use crate::reader::error::DecodeError;
use crate::trace::Trace;

/// Reads the runs of a document.
pub(super) fn read_document(
    fields: &DeclarationFields,
    mut document: DeclaredDocument<'_>,
    selections: &mut Selections,
) -> Result<Vec<Trace>, DecodeError> {
    prepare_document(fields, &mut document.value);
    // From here on the document must not change: values are known by their addresses.
    let document = document;
    if let Some(rule) = &fields.inside {
        return nested_runs::read_runs(fields, rule, &document, selections);
    }
    let runs = match &fields.runs {
        Some(runs) => selections.select_nodes(runs, &document.value, SelectedAs::Run),
        None => vec![&document.value],
    };
    let mut read = Vec::with_capacity(runs.len());
    for run in runs {
        read.push(RunReader::new(fields, &document, selections).read(run)?);
    }
    selections.close();
    Ok(add_unread_parts(fields, &document, selections, read))
}
