//! `readers`: the formats that a suite, or `arraign.yaml`, declares.

use std::collections::BTreeMap;
use std::sync::Arc;

use arraign_trace::reader::{ReaderDeclaration, ReaderSet};

use crate::check::support::reading::require_entries;
use crate::check::tables::failed_when::FailedWhen;
use crate::place::LoadErrors;
use crate::yaml::Node;

/// Reads the `failed_when` of each reader that `node` declares, beside those in `before`.
pub(crate) fn parse_reader_failures(
    node: Node<'_>,
    before: &ReaderFailures,
) -> Result<ReaderFailures, LoadErrors> {
    let mut errors = LoadErrors::new();
    let mut failures = before.clone();
    for (name, declared) in node.entries().into_iter().flatten() {
        let Some(rules) = declared.get("failed_when") else { continue };
        if let Some(rules) = errors.take(FailedWhen::read(rules)) {
            failures.insert(name.name.to_string(), Arc::new(rules));
        }
    }
    errors.or(failures)
}

/// Which results are failures in the formats of declared readers, by the name of the reader.
pub type ReaderFailures = BTreeMap<String, Arc<FailedWhen>>;

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
