//! The keys of suites and cases: which are known, and which are one key by two names.

use std::collections::HashMap;

use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Node, did_you_mean, nearest};

/// The names of a suite's list of cases.
pub(super) const TESTS: &[&str] = &["tests", "cases", "scenarios"];

/// Keys of a suite that are only text.
pub(super) const SUITE_TEXTS: &[&str] = &["version", "description"];

/// Keys that mean the same on a suite as on each of its cases.
pub(super) const SHARED_BY_CASES: &[&str] =
    &["agent", "allow_vacuous", "require_calls", "require_exercised", "weights"];

/// Mappings of a case that add to those of its suite, key by key.
pub(super) const MERGED: &[&str] = &["thresholds", "weights"];

/// Keys of a case that this version reads.
const CASE_KEYS: &[&str] = &[
    "adapter_config",
    "agent",
    "allow_vacuous",
    "answer",
    "attack_type",
    "baseline",
    "baseline_fail_on",
    "checks",
    "criteria",
    "description",
    "eval",
    "expect",
    "expect_verdict",
    "expected",
    "expected_fields",
    "expected_tools",
    "extract",
    "field_aliases",
    "forbidden_substrings",
    "id",
    "ignore",
    "input",
    "max_unsupported",
    "metric",
    "name",
    "opinions",
    "output_assertions",
    "pass_threshold",
    "prompt",
    "refusal_expected",
    "repeat",
    "require_calls",
    "require_exercised",
    "same_turn",
    "sequence_required",
    "snapshot",
    "tags",
    "thresholds",
    "tier",
    "timeout",
    "trace",
    "turns",
    "verification",
    "weights",
];

/// Every key that belongs to the case itself: a metric's settings stand beside them.
pub(super) fn common() -> &'static [&'static str] {
    CASE_KEYS
}

/// Keys that are one key by two names.
const ALIASES: &[[&str; 2]] = &[["id", "name"], ["input", "prompt"]];

/// Whether two keys of a case mean the same.
pub(super) fn same(one: &str, other: &str) -> bool {
    one == other || ALIASES.iter().any(|pair| pair.contains(&one) && pair.contains(&other))
}

/// `test:` for `tests:`: a list under a key that nearly is the one of a suite's cases.
pub(super) fn slip_in_tests(root: Node<'_>) -> Option<LoadError> {
    let is_new = |name: &str| !common().contains(&name) && root.get("metric").is_none();
    let mut lists = root.entries()?.filter(|(key, node)| node.list().is_some() && is_new(&key.name));
    lists.find_map(|(key, _)| {
        let near = nearest(&key.name, TESTS.iter().copied())?;
        let error = LoadError::new(root.key_place(&key.name), format!("unknown key `{}`", key.name));
        Some(error.help(format!("did you mean `{near}`?")))
    })
}

/// Defaults may hold what a case may hold; the settings of a metric only beside a default `metric`.
pub(super) fn check_defaults(defaults: Node<'_>) -> Result<(), LoadErrors> {
    let Some(entries) = defaults.entries() else {
        let problem = format!("`defaults` is a mapping of a case's keys, not {}", defaults.describe());
        return Err(defaults.error(problem).into());
    };
    let beside_metric = defaults.get("metric").is_some();
    let mut errors = LoadErrors::new();
    for (key, node) in entries {
        let name = key.name.as_str();
        if name == "id" || name == "name" {
            errors.push(node.error("every case has its own `id`: it cannot be a default"));
        } else if !common().contains(&name) && !beside_metric {
            let place = defaults.key_place(name);
            let error = LoadError::new(place, format!("unknown key `{name}`"));
            errors.push(error.help_if(did_you_mean(name, CASE_KEYS)));
        }
    }
    errors.or(())
}

/// A case's id, as it is written, and its place.
pub(super) fn id_of(case: Node<'_>) -> Option<(String, Place)> {
    let node = case.get("id").or_else(|| case.get("name"))?;
    match node.to_json() {
        serde_json::Value::String(id) => Some((id, node.place())),
        serde_json::Value::Number(id) => Some((id.to_string(), node.place())),
        _ => None,
    }
}

/// One id, one case.
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
        let keys = VOCABULARIES.iter().flat_map(|vocabulary| vocabulary.also.iter().chain([&vocabulary.key]));
        let foreign: Vec<&&str> = keys.filter(|key| !common().contains(key)).collect();
        assert!(foreign.is_empty(), "a metric would take {foreign:?} for a setting of its own");
    }
}
