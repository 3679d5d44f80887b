//! `changes`: the agent changes only these files, and not too much.
//!
//! <!-- settings -->
//!
//! A change is a file that the agent added, deleted, wrote or made executable, compared with its [workspace](../workspaces.md)
//! after `setup`. Lines are counted as `git diff --no-renames --minimal --numstat` counts them, with additions and deletions
//! added up: a renamed file is a deletion and an addition, and a file that is no text counts as one line. Files that the
//! `.gitignore` of the workspace ignores do not count, unless a pattern of `only` names their folder; the verdict says how many
//! there are. An agent that edits `.gitignore` hides nothing, and `.git` is never compared.
//!
//! Of a run that arraign did not record, such as a transcript of Claude Code, the edits in the trace are the changes: those that
//! editors made, and those of shell commands such as `sed -i`. A command of which nobody knows what it writes leaves the check
//! undecided, and the message names it. So does a limit of lines, and an edit of which the trace does not say that it worked.
//! Absolute paths may be those of any folder, if one folder contains them all. Without an edit, nothing changed.
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/changes/fail-another-file.yaml")]
//! ```

use serde::Deserialize;

use super::traced::{Agreement, TracedFiles, compare, explain_doubt, fit_one_folder, violation_of};
use super::{find_facts, list_paths};
use crate::JsonSchema;
use crate::check::support::traced_edits::TracedChange;
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Item, Outcome, Violation, count_noun};
use crate::pattern::PathPattern;
use crate::place::LoadErrors;
use crate::workspace::{ChangedFile, FileEntry, FileTree, WorkspaceFacts, WorkspaceNeeds};
use crate::yaml::{OneOrMany, Placed};

pub(crate) const KIND: CheckKind =
    CheckKind::built::<ChangesSettings>("changes", "the agent changes only these files, and not too much")
        .shorthand("only")
        .of_the_end();

/// Settings of `changes`.
#[derive(Deserialize, JsonSchema)]
struct ChangesSettings {
    /// Globs of the files that may change. `*` stays in a folder, and `**` does not; a path without wildcards is a file, or
    /// everything below a folder.
    #[serde(default)]
    only: Option<OneOrMany<PathPattern>>,
    /// The most changed files and lines.
    #[serde(default)]
    at_most: Option<ChangeLimits>,
}

/// The most changed files and lines.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
struct ChangeLimits {
    /// The most changed files.
    files: Option<u64>,
    /// The most changed lines: added and removed ones together.
    lines: Option<u64>,
}

struct Changes {
    only: Option<Vec<PathPattern>>,
    limits: Option<ChangeLimits>,
}

impl BuildCheck for ChangesSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let has_limit = settings.at_most.is_some_and(|most| most.files.is_some() || most.lines.is_some());
        if settings.only.is_none() && !has_limit {
            let error = settings.error("`changes` checks nothing without `only` or `at_most`");
            return Err(error.help("`only: [src/**]`, or `at_most: {files: 3, lines: 80}`").into());
        }
        let Self { only, at_most: limits } = settings.into_value();
        Ok(Box::new(Changes { only: only.map(|only| only.0), limits }))
    }
}

impl Check for Changes {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        if let (None, Some(files)) = (&evidence.workspace, TracedFiles::of(evidence)) {
            return self.check_traced(files, evidence);
        }
        let facts = find_facts(evidence)?;
        let counted: Vec<&ChangedFile> =
            facts.changes.iter().filter(|change| self.counts(facts, &change.path)).collect();
        let files = u64::try_from(counted.len()).unwrap_or(u64::MAX);
        let lines = counted.iter().map(|change| change.count_lines()).fold(0, u64::saturating_add);
        let mut violations = Vec::new();
        let mut items = Vec::new();
        if let Some(only) = &self.only {
            let foreign: Vec<&&ChangedFile> = counted
                .iter()
                .filter(|change| !only.iter().any(|pattern| pattern.matches(&change.path)))
                .collect();
            items.push(Item::tested("only these files change", foreign.is_empty()));
            violations.extend(foreign.iter().map(|change| describe_foreign(change, &facts.before, only)));
        }
        let limits = self.limits.unwrap_or(ChangeLimits { files: None, lines: None });
        for (most, found, noun, at) in
            [(limits.files, files, "file", "/at_most/files"), (limits.lines, lines, "line", "/at_most/lines")]
        {
            let Some(most) = most else { continue };
            items.push(Item::tested(format!("at most {} changed", count(most, noun)), found <= most));
            if found > most {
                violations.push(describe_excess(most, found, noun, &counted).at(at));
            }
        }
        let ignored = facts.count_ignored_changes();
        if ignored > 0 {
            let note = format!("{} that `.gitignore` ignores changed as well", count_noun(ignored, "file"));
            items.push(Item::tested("ignored files", true).note(note));
        }
        let outcome = Outcome::of_items(items, violations);
        let as_size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        Ok(outcome.stat("changed_files", as_size(files)).stat("changed_lines", as_size(lines)))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let most = self.limits.and_then(|limits| limits.files).unwrap_or(0);
        let lines = self.limits.and_then(|limits| limits.lines).unwrap_or(0);
        let added = lines.saturating_add(1);
        let count =
            if self.limits.is_some_and(|limits| limits.files.is_some()) { most.min(9999) + 1 } else { 1 };
        let names = (0..count).map(|number| format!("arraign-{number:04}.unknown"));
        let after: FileTree = names.map(|name| (name, FileEntry::Special)).collect();
        let facts = WorkspaceFacts::compare(FileTree::new(), &after, |change| change.added = added);
        let evidence = facts.into();
        self.refuses(&evidence).then_some(evidence)
    }

    fn workspace_needs(&self) -> WorkspaceNeeds {
        WorkspaceNeeds { looks_at_files: true, ..WorkspaceNeeds::default() }
    }
}

impl Changes {
    /// Holds the edits of a trace against the settings.
    fn check_traced(&self, files: TracedFiles, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let mut paths: Vec<&str> = files.changes.iter().map(|change| change.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut items = Vec::new();
        let mut violations = Vec::new();
        let mut doubt = None;
        if let Some(only) = &self.only {
            for change in &files.changes {
                let agreements = || only.iter().map(|pattern| compare(pattern, &change.path));
                if agreements().any(|agreement| agreement != Agreement::No) {
                    continue;
                }
                let allowed = list_paths(only.iter().map(PathPattern::as_str));
                let TracedChange { path, call, is_certain } = change;
                if *is_certain {
                    let message = format!("call {call} changed `{path}`, and only {allowed} may");
                    let violation = violation_of(change, message, evidence);
                    violations.push(violation.at("/only").help(EDIT_HELP));
                } else {
                    doubt.get_or_insert(explain_doubt(change, &format!("and only {allowed} may change")));
                }
            }
            if violations.is_empty() && doubt.is_none() && !fit_one_folder(paths.iter().copied(), only) {
                let why = "the changed files have absolute paths, and no one folder contains them all in places that may change";
                doubt = Some(CannotDecide::missing(why));
            }
            items.push(Item::tested("only these files change", violations.is_empty()));
        }
        let limits = self.limits.unwrap_or(ChangeLimits { files: None, lines: None });
        if let Some(most) = limits.files {
            let certain = files.changes.iter().filter(|change| change.is_certain);
            let mut certain: Vec<&str> = certain.map(|change| change.path.as_str()).collect();
            certain.sort_unstable();
            certain.dedup();
            let found = u64::try_from(certain.len()).unwrap_or(u64::MAX);
            items.push(Item::tested(format!("at most {} changed", count(most, "file")), found <= most));
            if found > most {
                let message = format!(
                    "{} changed, and at most {most} may: {}",
                    count(found, "file"),
                    list_paths(certain.iter().copied())
                );
                violations.push(Violation::new(message).at("/at_most/files").help(EDIT_HELP));
            } else if u64::try_from(paths.len()).unwrap_or(u64::MAX) > most {
                doubt.get_or_insert(CannotDecide::missing(
                    "some of the edits may have failed or been taken back",
                ));
            }
        }
        if limits.lines.is_some() && !files.changes.is_empty() {
            doubt.get_or_insert(
                CannotDecide::missing(
                    "the number of changed lines is not known: the run was not made in a workspace",
                )
                .help("record the agent in a `workspace`"),
            );
        }
        if violations.is_empty() {
            doubt.map_or(Ok(()), Err)?;
            files.require_all()?;
        }
        Ok(Outcome::of_items(items, violations))
    }

    /// Whether a changed file counts: it is not ignored, or a pattern names the ignored folder.
    fn counts(&self, facts: &WorkspaceFacts, path: &str) -> bool {
        facts.find_ignored(path).is_none()
            || self.only.iter().flatten().any(|pattern| facts.is_seen_by(pattern, path))
    }
}

/// What to do about an edit of a trace.
const EDIT_HELP: &str = "tell the agent which files it may change, or add the file to `only`";

fn count(number: u64, noun: &str) -> String {
    count_noun(usize::try_from(number).unwrap_or(usize::MAX), noun)
}

fn describe_foreign(change: &ChangedFile, before: &FileTree, only: &[PathPattern]) -> Violation {
    let allowed = list_paths(only.iter().map(PathPattern::as_str));
    let what = change.describe(before);
    Violation::new(format!("`{}` changed ({what}), and only {allowed} may", change.path))
        .at("/only")
        .expected(format!("changes of {allowed} alone"), format!("`{}`: {what}", change.path))
        .help("tell the agent which files it may change, or add the file to `only`")
}

fn describe_excess(most: u64, found: u64, noun: &str, changes: &[&ChangedFile]) -> Violation {
    let paths = list_paths(changes.iter().map(|change| change.path.as_str()));
    Violation::new(format!("{} changed, and at most {most} may: {paths}", count(found, noun)))
        .expected(format!("at most {}", count(most, noun)), count(found, noun))
        .help("make the agent change less, or raise the limit")
}
