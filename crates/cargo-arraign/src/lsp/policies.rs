//! The policies that a file of cases names, and the tools in them.

use std::path::PathBuf;

use arraign::__internals::place::Span;
use arraign::__internals::yaml::{Document, Node, Value as YamlValue};

use super::document::OpenDocument;

/// A policy that the file names.
pub(super) struct NamedPolicy {
    /// The name of the file in the case.
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// The tools, and the bytes that name them.
    pub(super) tools: Vec<(String, Span)>,
}

/// Lists the policies that the file names.
pub(super) fn list_policies(document: &OpenDocument) -> Vec<NamedPolicy> {
    let files = document.project.open_files();
    let folder = document.path.parent().unwrap_or(&document.path);
    let names = document.text.lines().filter_map(|line| line.split_once("policy:")).map(|(_, name)| name);
    let names =
        names.map(|name| name.split(['#', ',', '}']).next().unwrap_or(name).trim().trim_matches(['"', '\'']));
    let found = names.filter(|name| !name.is_empty()).filter_map(|name| {
        let path = files.resolve(folder, name).ok()?;
        let tools = list_tools(&*files.document(&path).ok()?);
        Some(NamedPolicy { name: name.to_owned(), path, tools })
    });
    found.collect()
}

/// The tools in the shapes of policies: keys of `tools`, keys of `schemas`, or the keys of the root.
fn list_tools(policy: &Document) -> Vec<(String, Span)> {
    let root = policy.root();
    let keyed = [root.get("schemas"), root.get("tools")].into_iter().flatten();
    let maps: Vec<Node<'_>> = if root.get("tools").is_some() || root.get("schemas").is_some() {
        keyed.collect()
    } else {
        vec![root]
    };
    let entries = maps.into_iter().flat_map(|map| map.entries().into_iter().flatten());
    let tools = entries
        .filter(|(key, value)| matches!(value.value(), YamlValue::Map(_)) && !key.name.starts_with('$'));
    tools.map(|(key, _)| (key.name.to_string(), key.span)).collect()
}
