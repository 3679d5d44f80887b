//! `readers`: the formats that a suite, or `arraign.yaml`, declares.

use arraign_trace::reader::{ReaderDeclaration, ReaderSet};

use crate::check::support::reading::require_entries;
use crate::place::LoadErrors;
use crate::yaml::Node;

/// The readers in `before`, and those that `node` declares beside or instead of them.
pub(crate) fn parse_readers(node: Node<'_>, before: &ReaderSet) -> Result<ReaderSet, LoadErrors> {
    let help = "write `readers: {NAME: {when: {path: ..., equals: ...}, steps: ..., call: {...}}}`";
    let entries = require_entries(node, "`readers` is a mapping of names to readers");
    let entries = entries.map_err(|error| error.help(help))?;
    let (mut errors, mut readers) = (LoadErrors::new(), before.clone());
    for (name, declared) in entries {
        if let Some(declaration) = errors.take(declared.decode_all::<ReaderDeclaration>()) {
            readers.declare(&name.name, declaration);
        }
    }
    errors.or(readers)
}
