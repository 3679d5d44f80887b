//! `readers`: the formats that a suite, or `arraign.yaml`, declares.

use std::collections::BTreeMap;
use std::sync::Arc;

use arraign_trace::reader::{ReaderDeclaration, ReaderSet};

use crate::check::support::reading::require_entries;
use crate::check::tables::failed_when::FailedWhen;
use crate::check::tables::shipped::{Framework, ShippedReaders};
use crate::place::{LoadError, LoadErrors, Source};
use crate::yaml::{Document, Node, Placed, Value, suggest_or_list};
#[cfg(feature = "schema")]
use crate::yaml::{ListOr, MappingOr};

/// The largest number of readers that a mapping declares. Each is asked about each trace file whose format is not named, and
/// a project has a handful.
const MAX_READERS: usize = 250;

/// Which results are failures in the formats of declared readers, by the name of the reader.
pub type ReaderFailures = BTreeMap<String, Arc<FailedWhen>>;

/// The readers of a suite, and what those that are declared say of results.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeclaredReaders {
    pub(crate) readers: ReaderSet,
    pub(crate) failures: ReaderFailures,
}

/// What `readers` is: declarations by their names, or a list of these and of frameworks whose readers are shipped. It is the
/// published schema; [`parse_readers`] reads it.
#[cfg(feature = "schema")]
pub(crate) type WrittenReaders =
    ListOr<MappingOr<BTreeMap<String, ReaderDeclaration>, Framework>, BTreeMap<String, ReaderDeclaration>>;

/// Reads the readers that a file declares. Documents build on each other, as a suite builds on `arraign.yaml`.
pub(crate) fn declare_in(source: &Arc<Source>) -> Result<DeclaredReaders, LoadErrors> {
    let mut declared = DeclaredReaders::default();
    let mut errors = LoadErrors::new();
    for document in Document::parse(source)? {
        let Some(node) = document.root().get("readers") else { continue };
        declared = errors.take(parse_readers(node, declared.clone())).unwrap_or(declared);
    }
    errors.or(declared)
}

/// The readers that come with arraign for a framework.
pub fn load_shipped_readers(shipped: &ShippedReaders) -> Result<ReaderSet, LoadErrors> {
    declare_in(&shipped.source()).map(|declared| declared.readers)
}

/// The readers in `before`, and those that `node` declares or names beside or instead of them.
pub(crate) fn parse_readers(node: Node<'_>, before: DeclaredReaders) -> Result<DeclaredReaders, LoadErrors> {
    let Some(items) = node.list() else { return parse_declarations(node, before) };
    let mut errors = LoadErrors::new();
    let mut found = before;
    for item in items {
        let read = match item.value() {
            Value::Map(_) => parse_declarations(item, found.clone()),
            _ => add_shipped(item, found.clone()),
        };
        found = errors.take(read).unwrap_or(found);
    }
    errors.or(found)
}

/// Adds the readers that come with arraign for the framework that an item names.
fn add_shipped(item: Node<'_>, before: DeclaredReaders) -> Result<DeclaredReaders, LoadErrors> {
    let framework: Framework = item.decode()?;
    let mut readers = before;
    for document in Document::parse(&framework.readers().source())? {
        if let Some(node) = document.root().get("readers") {
            readers = parse_declarations(node, readers)?;
        }
    }
    Ok(readers)
}

fn parse_declarations(node: Node<'_>, before: DeclaredReaders) -> Result<DeclaredReaders, LoadErrors> {
    let help = "write `readers: {NAME: {when: {path: ..., equals: ...}, steps: ..., call: {...}}}`, or `readers: [agno]` for \
                readers that come with arraign";
    let entries = require_entries(node, "`readers` is a mapping of names to readers");
    let entries = entries.map_err(|error| error.help(help))?;
    if node.entries().map_or(0, Iterator::count) > MAX_READERS {
        let problem = format!("`readers` declares more than {MAX_READERS} readers");
        return Err(node.error(problem).help("declare those that the traces need").into());
    }
    let mut errors = LoadErrors::new();
    let DeclaredReaders { mut readers, mut failures } = before;
    for (name, declared) in entries {
        if let Some(declaration) = errors.take(declared.decode_all::<ReaderDeclaration>()) {
            readers.declare(&name.name, declaration);
        }
        // A reader that is declared anew says it anew.
        failures.remove(&*name.name);
        if let Some(rules) = declared.get("failed_when").and_then(|node| errors.take(FailedWhen::read(node)))
        {
            failures.insert(name.name.to_string(), Arc::new(rules));
        }
    }
    errors.or(DeclaredReaders { readers, failures })
}

/// Returns the name of one of the `known` readers.
pub(crate) fn find_reader(name: &Placed<String>, known: &[&str]) -> Result<String, LoadError> {
    if known.contains(&name.as_str()) {
        return Ok((**name).clone());
    }
    Err(name.error(format!("no reader is called `{}`", **name)).help(suggest_or_list(name, known)))
}

/// Parses the name of one of the `known` readers.
pub(crate) fn parse_reader_name(node: Node<'_>, known: &[&str]) -> Result<String, LoadError> {
    find_reader(&node.decode()?, known)
}
