//! The state behind mock tools: a value in the case, or the file with it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::check::Scope;
use crate::check::world::SharedState;
use crate::json::{self, Json};
use crate::place::LoadErrors;
use crate::source::fingerprint_bytes;
use crate::yaml::{Document, Node};

/// The form of a state: any JSON. A text is the name of a file.
pub(super) type InitialStateForm = Json;

/// A state, and the path and the fingerprint of its file.
pub(super) type ReadState = (Arc<SharedState>, Option<(PathBuf, String)>);

/// A file with a state, which cases share.
struct StateFile {
    state: Arc<SharedState>,
    fingerprint: String,
}

/// Reads the state at `node`.
pub(super) fn read_state(node: Node<'_>, scope: &Scope<'_>) -> Result<ReadState, LoadErrors> {
    if node.as_str().is_none() {
        return Ok((Arc::new(SharedState::new(node.to_json())), None));
    }
    let path = scope.path(node)?;
    let read = scope.files.compiled(&path, || {
        let source = scope.files.source(&path)?;
        // A large file of JSON is read without places, unless it has a mistake to point at.
        let value = match json::parse(source.text()) {
            Ok(value) => value,
            Err(_) => match Document::parse(&source)?.as_slice() {
                [document] => document.root().to_json(),
                documents => {
                    let problem = format!("expected one document, found {}", documents.len());
                    let place = crate::place::Place::of_file(source.name());
                    return Err(crate::place::LoadError::new(place, problem).into());
                }
            },
        };
        let fingerprint = fingerprint_bytes(source.text().as_bytes());
        Ok(StateFile { state: Arc::new(SharedState::new(value)), fingerprint })
    });
    let file = read.map_err(|errors| scope.blame(node, &path, errors))?;
    Ok((Arc::clone(&file.state), Some((path, file.fingerprint.clone()))))
}
