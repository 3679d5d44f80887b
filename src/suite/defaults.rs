//! The defaults of a suite, copied into each case that does not replace them.

use super::combine::{ReplacedGate, combine_with_defaults};
use super::keys;
use crate::check::Registry;
use crate::place::Span;
use crate::vocabulary::VOCABULARIES;
use crate::yaml::{Key, Tree, Value};

/// Combines the suite's defaults with each case; returns the gates that each case replaces.
pub(super) fn share_defaults(
    root: &mut Tree,
    tests: &str,
    kinds: &Registry,
) -> Result<Vec<Vec<ReplacedGate>>, String> {
    let defaults = find_defaults(root);
    let Value::Map(entries) = &mut root.value else { return Err("a suite is a mapping".to_owned()) };
    let cases = entries.iter_mut().find(|(key, _)| key.name == tests).map(|(_, tree)| &mut tree.value);
    let Some(Value::List(cases)) = cases else { return Err(format!("`{tests}` is a list of cases")) };
    if cases.is_empty() {
        return Err(format!("`{tests}` is empty: the suite checks nothing"));
    }
    let replaced = cases.iter_mut().map(|case| {
        let replaced = combine_with_defaults(case, &defaults);
        unfold(case, kinds);
        replaced
    });
    Ok(replaced.collect())
}

/// Collects the defaults of a suite for its cases.
pub(super) fn find_defaults(suite: &Tree) -> Vec<(Key, Tree)> {
    let Value::Map(entries) = &suite.value else { return Vec::new() };
    let mut defaults: Vec<(Key, Tree)> = Vec::new();
    for (key, tree) in entries {
        match &tree.value {
            Value::Map(shared) if key.name == "defaults" => defaults.extend(shared.iter().cloned()),
            _ if keys::is_shared_by_suite(&key.name) => {
                defaults.push((key.clone(), tree.clone()));
            }
            _ => {}
        }
    }
    defaults
}

/// Returns `entries` with `span` as the place of all of them.
pub(super) fn find_at(span: Span, entries: &[(Key, Tree)]) -> Vec<(Key, Tree)> {
    let entries = entries.iter();
    entries.map(|(key, tree)| (Key { span, name: key.name.clone() }, rebase(span, tree))).collect()
}

fn rebase(span: Span, tree: &Tree) -> Tree {
    let value = match &tree.value {
        Value::List(trees) => Value::List(trees.iter().map(|tree| rebase(span, tree)).collect()),
        Value::Map(entries) => Value::Map(find_at(span, entries)),
        scalar => scalar.clone(),
    };
    Tree { span, value }
}

pub(super) fn unfold(case: &mut Tree, kinds: &Registry) {
    let Value::Map(entries) = &mut case.value else { return };
    for vocabulary in VOCABULARIES {
        (vocabulary.unfold)(entries, kinds);
    }
}
