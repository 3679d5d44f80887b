//! The keys of suites and cases: which are known, and which are one key by two names.

mod case;
mod rules;
#[cfg(feature = "schema")]
mod table;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::json::Json;
use crate::place::{LoadError, LoadErrors, Place};
use crate::vocabulary::VOCABULARIES;
use crate::yaml::{Node, did_you_mean, list_keys, nearest};
pub(super) use case::{CaseKeys, WrittenIgnore, WrittenSnapshot};
use rules::ALIASES;
pub(super) use rules::{Combination, METRIC_SETTINGS, RULES, SHARED_BY_SUITE};
#[cfg(feature = "schema")]
pub(super) use table::{SUITE, SuiteKey, TABLES, WORKSPACE};

/// The names of a suite's list of cases.
pub(super) const TESTS: &[&str] = &["tests", "cases", "scenarios"];

/// Returns the key of a suite's cases. A text under `cases` is the file with the rows of a single case.
pub(super) fn find_tests(root: Node<'_>) -> Option<&'static str> {
    let is_list = |key: &str| root.get(key).is_some_and(|cases| key != "cases" || cases.as_str().is_none());
    TESTS.iter().copied().find(|key| is_list(key))
}

/// Keys of a suite that are only text.
pub(super) const SUITE_TEXTS: &[&str] = &["version", "description"];

/// The keys that belong to the case itself, with their other names. The settings of a metric are at the same level.
pub(super) fn common() -> &'static [&'static str] {
    // Asked for each key of each case, and the same each time.
    static KEYS: LazyLock<&[&str]> = LazyLock::new(list_keys::<CaseKeys>);
    &KEYS
}

/// Returns how a default under `name` and the value of a case become one.
pub(super) fn find_combination(name: &str) -> Combination {
    let mut rules = RULES.iter().chain(METRIC_SETTINGS);
    rules.find(|(key, _)| *key == name).map_or(Combination::Replace, |(_, combination)| *combination)
}

/// Whether two keys of a case mean the same.
pub(super) fn same(one: &str, other: &str) -> bool {
    one == other || ALIASES.contains(&(one, other)) || ALIASES.contains(&(other, one))
}

/// Whether a mapping, or each mapping of a list, has keys and none that a case has or that nearly is one.
pub(super) fn is_stray(root: Node<'_>) -> bool {
    let is_of_cases = |name: &str| {
        let known = || common().iter().chain(TESTS).copied();
        known().any(|key| key == name)
            || VOCABULARIES.iter().any(|vocabulary| vocabulary.key == name)
            || nearest(name, known()).is_some()
    };
    let has_foreign_keys = |node: Node<'_>| {
        let mut keys = node.entries().into_iter().flatten().map(|(key, _)| &key.name).peekable();
        keys.peek().is_some() && !keys.any(|name| is_of_cases(name))
    };
    match root.list() {
        Some(mut rows) => rows.len() > 0 && rows.all(has_foreign_keys),
        None => has_foreign_keys(root),
    }
}

/// `test:` for `tests:`: a list under a key that nearly is the one of a suite's cases.
pub(super) fn slip_in_tests(root: Node<'_>) -> Option<LoadError> {
    // The settings of a metric are next to the keys of a case: with a metric, an unknown list may be a setting.
    if root.get("metric").is_some() {
        return None;
    }
    let mut lists =
        root.entries()?.filter(|(key, node)| node.list().is_some() && !common().contains(&key.name.as_str()));
    lists.find_map(|(key, _)| {
        let near = nearest(&key.name, TESTS.iter().copied())?;
        let error = LoadError::new(root.key_place(&key.name), format!("unknown key `{}`", key.name));
        Some(error.help(format!("did you mean `{near}`?")))
    })
}

/// Checks the keys of `defaults` or of an included file: those of a case, and with a `metric` also its settings.
pub(super) fn check_defaults(defaults: Node<'_>, what: &str) -> Result<(), LoadErrors> {
    let Some(entries) = defaults.entries() else {
        let problem = format!("{what} is a mapping of a case's keys, not {}", defaults.describe());
        return Err(defaults.error(problem).into());
    };
    let beside_metric = defaults.get("metric").is_some();
    let mut errors = LoadErrors::new();
    for (key, node) in entries {
        let name = key.name.as_str();
        if name == "id" || name == "name" {
            errors.push(node.error("every case has its own `id`: it cannot be a default"));
        } else if name == "cases" || name == "each" {
            errors.push(node.error(format!("`{name}` belongs to a case: rows cannot be a default")));
        } else if !common().contains(&name) && !beside_metric {
            // Beside a `metric`, unknown keys are its settings, which the metric checks itself.
            let place = defaults.key_place(name);
            let error = LoadError::new(place, format!("unknown key `{name}`"));
            errors.push(error.help_if(did_you_mean(name, common())));
        }
    }
    errors.or(())
}

/// A case's id, as it is written, and its place.
pub(super) fn id_of(case: Node<'_>) -> Option<(String, Place)> {
    let node = case.get("id").or_else(|| case.get("name"))?;
    match node.to_json() {
        Json::String(id) => Some((id.into_string(), node.place())),
        Json::Number(id) => Some((id.to_string(), node.place())),
        _ => None,
    }
}

/// Refuses an id that two cases have.
pub(super) fn refuse_duplicate_ids(ids: Vec<(String, Place)>) -> Result<(), LoadErrors> {
    let mut seen: HashMap<String, Place> = HashMap::with_capacity(ids.len());
    let mut errors = LoadErrors::new();
    for (id, place) in ids {
        if let Some(first) = seen.get(&id) {
            let problem = format!("duplicate id `{id}`: line {} has it already", first.line());
            errors.push(LoadError::new(place, problem).help("give each case of a file its own id"));
        } else {
            seen.insert(id, place);
        }
    }
    errors.or(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::VOCABULARIES;

    #[test]
    fn every_key_of_a_vocabulary_is_a_cases_own() {
        let keys =
            VOCABULARIES.iter().flat_map(|vocabulary| vocabulary.other_keys.iter().chain([&vocabulary.key]));
        let foreign: Vec<&&str> = keys.filter(|key| !common().contains(key)).collect();
        assert!(foreign.is_empty(), "a metric would take {foreign:?} for a setting of its own");
    }
}
