//! `files`: files exist, are absent, or were not changed.
//!
//! <!-- settings -->
//!
//! The check looks at the [workspace](../workspaces.md) as the agent left it. Globs are matched against paths: `*` stays in a
//! folder, `**/*.orig` finds a file in any folder, and a path without wildcards is a file or everything below a folder. Files that
//! the `.gitignore` of the workspace ignores are seen by patterns that name them or their folder (`dist/app.js`, `target/**`), and
//! not by others (`**/*.js`).
//!
//! A run without a workspace leaves `exists` and `absent` undecided. For `unchanged`, the edits in the trace are the changes of a
//! run that arraign did not record, as [`changes`](changes.md) says.
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/files/fail-a-test-was-edited.yaml")]
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;

use super::traced::{Agreement, TracedFiles, compare, explain_doubt, violation_of};
use super::{find_facts, list_paths};
use crate::JsonSchema;
use crate::check::support::traced_edits::TracedChange;
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Item, Outcome, Violation};
use crate::pattern::PathPattern;
use crate::place::LoadErrors;
use crate::workspace::{FileEntry, FileTree, WorkspaceFacts, WorkspaceNeeds};
use crate::yaml::{OneOrMany, Placed};

pub(crate) const KIND: CheckKind =
    CheckKind::built::<FilesSettings>("files", "files exist, are absent, or were not changed").of_the_end();

/// Settings of `files`.
#[derive(Deserialize, JsonSchema)]
struct FilesSettings {
    /// Globs, each of which matches at least one file.
    #[serde(default)]
    exists: OneOrMany<PathPattern>,
    /// Globs that match no file.
    #[serde(default)]
    absent: OneOrMany<PathPattern>,
    /// Globs of files that the agent neither added, nor deleted, nor changed.
    #[serde(default)]
    unchanged: OneOrMany<PathPattern>,
}

struct Files {
    exists: Vec<PathPattern>,
    absent: Vec<PathPattern>,
    unchanged: Vec<PathPattern>,
}

impl BuildCheck for FilesSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        if settings.exists.0.is_empty() && settings.absent.0.is_empty() && settings.unchanged.0.is_empty() {
            let error = settings.error("`files` checks nothing without `exists`, `absent` or `unchanged`");
            return Err(error.into());
        }
        let Self { exists, absent, unchanged } = settings.into_value();
        Ok(Box::new(Files { exists: exists.0, absent: absent.0, unchanged: unchanged.0 }))
    }
}

impl Check for Files {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        if let (None, Some(files)) = (&evidence.workspace, TracedFiles::of(evidence))
            && !self.unchanged.is_empty()
        {
            return self.check_traced(files, evidence);
        }
        let facts = find_facts(evidence)?;
        let mut items = Vec::new();
        let mut violations = Vec::new();
        for (index, pattern) in self.exists.iter().enumerate() {
            let exists = facts.list_after().any(|path| facts.is_seen_by(pattern, path));
            items.push(Item::tested(format!("`{}` exists", pattern.as_str()), exists));
            if !exists {
                violations.push(describe_lack(pattern, facts).at(format!("/exists/{index}")));
            }
        }
        for (index, pattern) in self.absent.iter().enumerate() {
            let found: Vec<&str> =
                facts.list_after().filter(|path| facts.is_seen_by(pattern, path)).collect();
            items.push(Item::tested(format!("`{}` is absent", pattern.as_str()), found.is_empty()));
            if !found.is_empty() {
                violations.push(describe_presence(pattern, &found, facts).at(format!("/absent/{index}")));
            }
        }
        for (index, pattern) in self.unchanged.iter().enumerate() {
            let changes = facts.changes.iter().filter(|change| facts.is_seen_by(pattern, &change.path));
            let found: Vec<Violation> = changes
                .map(|change| {
                    let what = change.describe(&facts.before);
                    Violation::new(format!("`{}` changed ({what})", change.path))
                        .at(format!("/unchanged/{index}"))
                        .expected(
                            format!("`{}` as it was", pattern.as_str()),
                            format!("`{}`: {what}", change.path),
                        )
                        .help("tell the agent not to touch it, or take it out of `unchanged`")
                })
                .collect();
            items.push(Item::tested(format!("`{}` is unchanged", pattern.as_str()), found.is_empty()));
            violations.extend(found);
        }
        Ok(Outcome::of_items(items, violations))
    }

    /// A workspace without files, or one with a new file that a pattern forbids.
    fn counterexample(&self) -> Option<Evidence<'static>> {
        if !self.exists.is_empty() {
            return Some(WorkspaceFacts::default().into());
        }
        let forbidden = self.absent.iter().chain(&self.unchanged);
        let names = forbidden.flat_map(|pattern| {
            let fixed = pattern.fixed_part();
            let below = format!("{fixed}/x").trim_start_matches('/').to_owned();
            [pattern.as_str().replace("**/", "").replace(['*', '?'], "x"), fixed.to_owned(), below]
        });
        names.filter(|name| !name.is_empty()).find_map(|name| {
            let after: FileTree = BTreeMap::from([(name, FileEntry::Special)]);
            let evidence: Evidence<'static> = WorkspaceFacts::compare(FileTree::new(), &after, |_| {}).into();
            self.refuses(&evidence).then_some(evidence)
        })
    }

    fn workspace_needs(&self) -> WorkspaceNeeds {
        WorkspaceNeeds { looks_at_files: true, is_needed: self.unchanged.is_empty(), contents: Vec::new() }
    }
}

impl Files {
    /// Holds the edits of a trace against `unchanged`. Which files exist is not known.
    fn check_traced(&self, files: TracedFiles, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let mut items = Vec::new();
        let mut violations = Vec::new();
        let mut doubt = None;
        for (index, pattern) in self.unchanged.iter().enumerate() {
            let before = violations.len();
            for change in &files.changes {
                let TracedChange { path, call, is_certain } = change;
                match compare(pattern, path) {
                    Agreement::No => {}
                    Agreement::Yes if *is_certain => {
                        let message = format!("call {call} changed `{path}`");
                        let violation = violation_of(change, message, evidence);
                        let expected = format!("`{}` as it was", pattern.as_str());
                        violations.push(
                            violation
                                .at(format!("/unchanged/{index}"))
                                .expected(expected, format!("`{path}`: changed"))
                                .help("tell the agent not to touch it, or take it out of `unchanged`"),
                        );
                    }
                    Agreement::Yes | Agreement::Maybe => {
                        let what = format!("which may be one of `{}`", pattern.as_str());
                        doubt.get_or_insert(explain_doubt(change, &what));
                    }
                }
            }
            let is_unchanged = violations.len() == before;
            items.push(Item::tested(format!("`{}` is unchanged", pattern.as_str()), is_unchanged));
        }
        if violations.is_empty() {
            doubt.map_or(Ok(()), Err)?;
            files.require_all()?;
            if !self.exists.is_empty() || !self.absent.is_empty() {
                find_facts(evidence)?;
            }
        }
        Ok(Outcome::of_items(items, violations))
    }
}

fn describe_lack(pattern: &PathPattern, facts: &WorkspaceFacts) -> Violation {
    let text = pattern.as_str();
    let deleted = facts.changes.iter().find(|change| change.after.is_none() && pattern.matches(&change.path));
    let hidden = facts.list_after().find(|path| pattern.matches(path));
    let help = match (deleted, hidden) {
        (_, Some(ignored)) => {
            format!(
                "`{ignored}` matches, but `.gitignore` ignores it: a pattern that names its folder sees it"
            )
        }
        (Some(change), _) => format!("the agent deleted `{}`", change.path),
        (None, None) if facts.list_after().next().is_none() => "the workspace is empty".to_owned(),
        (None, None) => {
            format!("changed files: {}", list_paths(facts.changes.iter().map(|change| change.path.as_str())))
        }
    };
    Violation::new(format!("`{text}` does not exist"))
        .expected(format!("a file that `{text}` matches"), "none")
        .help(help)
}

fn describe_presence(pattern: &PathPattern, found: &[&str], facts: &WorkspaceFacts) -> Violation {
    let text = pattern.as_str();
    let paths = list_paths(found.iter().copied());
    let help = if found.iter().all(|path| facts.before.contains_key(*path)) {
        "it was there before the agent began"
    } else {
        "the agent left it: make it clean up, or change the pattern"
    };
    let message =
        if found == [text] { format!("`{text}` exists") } else { format!("`{text}` matches {paths}") };
    Violation::new(message).expected(format!("no file that `{text}` matches"), paths).help(help)
}
