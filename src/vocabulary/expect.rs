//! `expect:` the native list: each entry is one check under its own name.
//!
//! ```yaml
//! expect:
//!   - tool_blocklist: ["admin_*"]
//!   - sequence_valid: {rules: [{type: require, tool: authenticate}]}
//! ```

use super::{CaseNode, Vocabulary, wrap};
use crate::case::{Expectation, LoweredBlock};
use crate::check::{CheckKind, Registry};
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Key, Node, Tree, Value, read_all};

pub(super) const VOCABULARY: Vocabulary =
    Vocabulary { key: "expect", unfold, lower, settings_beside: false, other_keys: &[] };

/// Rewrites `- tool_blocklist: [rm]` as `- tool_blocklist: {blocklist: [rm]}`, and copies the keys that the case sets for
/// all its checks (`same_turn: allow`) to each check that has them.
fn unfold(case: &mut [(Key, Tree)], kinds: &Registry) {
    let Some(at) = case.iter().position(|(key, _)| key.name == "expect") else { return };
    let shared: Vec<(Key, Tree)> = case
        .iter()
        .filter(|(key, _)| kinds.iter().any(|kind| kind.case_keys.contains(&key.name.as_str())))
        .cloned()
        .collect();
    let (_, block) = &mut case[at];
    unfold_entries(block, &shared, kinds);
}

/// Unfolds each entry of a list of checks, also inside checks that hold further ones.
pub(super) fn unfold_entries(list: &mut Tree, shared: &[(Key, Tree)], kinds: &Registry) {
    let Value::List(entries) = &mut list.value else { return };
    // Anything that is not a mapping is left as it is: the error is reported when the entry is read.
    for entry in entries {
        let Value::Map(named) = &mut entry.value else { continue };
        for (key, settings) in named {
            let Some(kind) = kinds.find(&key.name) else { continue };
            unfold_settings(kind, settings, shared);
            if let (true, Value::Map(inner)) = (kind.holds_checks, &mut settings.value) {
                let lists = inner.iter_mut().filter(|(key, _)| key.name == "checks");
                lists.for_each(|(_, list)| unfold_entries(list, shared, kinds));
            }
        }
    }
}

fn unfold_settings(kind: &CheckKind, settings: &mut Tree, shared: &[(Key, Tree)]) {
    if let (Some(setting), false) = (kind.shorthand, matches!(settings.value, Value::Map(_))) {
        wrap(settings, setting);
    }
    let Value::Map(entries) = &mut settings.value else { return };
    for (key, tree) in shared.iter().filter(|(key, _)| kind.case_keys.contains(&key.name.as_str())) {
        // A setting that is written for the check itself wins over the one of the case.
        if !entries.iter().any(|(known, _)| known.name == key.name) {
            entries.push((key.clone(), tree.clone()));
        }
    }
}

fn lower(case: &CaseNode<'_>) -> Result<LoweredBlock, LoadErrors> {
    let Some(block) = case.node.get("expect") else { return Ok(LoweredBlock::default()) };
    let entries = case.entries(block, "`expect` is a list of checks")?;
    let entries = entries.into_iter().enumerate();
    read_all(entries.map(|(index, entry)| lower_expectation(case, index, entry))).map(LoweredBlock::from)
}

fn lower_expectation(case: &CaseNode<'_>, index: usize, entry: Node<'_>) -> Result<Expectation, LoadErrors> {
    let named: Vec<_> = entry.entries().into_iter().flatten().collect();
    let [(key, settings)] = named.as_slice() else {
        let error = entry.error("an entry of `expect` is one check with its settings");
        return Err(error.help(advise_on_entry(case, entry)).into());
    };
    let place = Place::new(entry.source(), key.span);
    let Some(kind) = case.scope.kinds.find(&key.name) else {
        let error = LoadError::new(place, format!("unknown check `{}`", key.name));
        return Err(error.help(case.scope.kinds.help(&key.name)).into());
    };
    let pointer = format!("/expect/{index}/{}", key.name);
    Expectation::read(kind, place, case.settings(&pointer), *settings, case.scope)
}

/// Returns what to write in place of an entry that is not one check with its settings.
fn advise_on_entry(case: &CaseNode<'_>, entry: Node<'_>) -> String {
    let known = |name: &str| case.scope.kinds.find(name).is_some();
    if entry.entries().is_some() {
        return "begin each check with a `- ` of its own".to_owned();
    }
    let text = entry.as_str().unwrap_or_default();
    if known(text) {
        return format!("write `- {text}: VALUE`: the check, a colon and its settings");
    }
    if text.split_once(": ").is_some_and(|(name, _)| known(name)) {
        return format!("write it without quotes: `- {text}`");
    }
    if let Some((name, settings)) = text.split_once(' ').filter(|(name, _)| known(name)) {
        return format!("write a colon behind its name: `- {name}: {settings}`");
    }
    "write `- check_name: {setting: value}`".to_owned()
}
