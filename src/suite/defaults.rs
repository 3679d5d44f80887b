//! The defaults of a suite, copied into each case that does not replace them.

use super::keys;
use crate::check::Registry;
use crate::place::Span;
use crate::vocabulary::VOCABULARIES;
use crate::yaml::{Key, Tree, Value};

/// Takes the cases out of a suite.
pub(super) fn take_cases(root: &mut Tree, tests: &str) -> Result<Vec<Tree>, String> {
    let Some(Value::List(cases)) = find_cases(root, tests) else {
        return Err(format!("`{tests}` is a list of cases: begin each case with `- `"));
    };
    if cases.is_empty() {
        return Err(format!("`{tests}` is empty: the suite checks nothing"));
    }
    // The cases are taken out, so that the rest can be kept as the header of the suite.
    Ok(std::mem::take(cases))
}

/// Returns the value under the key of a suite's cases.
pub(super) fn find_cases<'t>(root: &'t mut Tree, tests: &str) -> Option<&'t mut Value> {
    let Value::Map(entries) = &mut root.value else { return None };
    entries.iter_mut().find(|(key, _)| key.name == tests).map(|(_, tree)| &mut tree.value)
}

/// Collects the defaults of a suite for its cases.
pub(super) fn find_defaults(suite: &Tree) -> Vec<(Key, Tree)> {
    let Value::Map(entries) = &suite.value else { return Vec::new() };
    let mut defaults: Vec<(Key, Tree)> = Vec::new();
    for (key, tree) in entries {
        match &tree.value {
            Value::Map(shared) if key.name == "defaults" => defaults.extend(shared.iter().cloned()),
            // Some keys mean the same on a suite as on each of its cases.
            _ if keys::SHARED_BY_SUITE.contains(&key.name.as_str()) => {
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
    entries.map(|(key, tree)| (Key { span, name: key.name.clone() }, tree.map_spans(&|_| span))).collect()
}

pub(super) fn unfold(case: &mut Tree, kinds: &Registry) {
    let Value::Map(entries) = &mut case.value else { return };
    for vocabulary in VOCABULARIES {
        (vocabulary.unfold)(entries, kinds);
    }
}
