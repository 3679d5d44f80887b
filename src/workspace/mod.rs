//! The files of an agent's workspace as facts: what was there before the agent began, and what it changed.
//!
//! Nothing here opens a file. `agent::workspace` copies a template, runs the agent and collects the facts, a recording
//! keeps them beside its trace, and checks read them as evidence.

#[cfg(feature = "live")]
mod lines;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

#[cfg(feature = "live")]
pub use lines::count_lines;

use crate::pattern::PathPattern;

/// The path of the workspace in traces, recordings and messages: the real one is another in each run.
pub const WORKSPACE_PATH: &str = "/workspace";

/// The path of the scratch home in traces, recordings and messages.
pub const HOME_PATH: &str = "/home";

/// The scratch folders of a run, and the names that they have in traces and recordings.
#[cfg(feature = "live")]
#[derive(Debug, Clone, Default)]
pub struct PathNames(Vec<(String, &'static str)>);

#[cfg(feature = "live")]
impl PathNames {
    /// The folders of a run. A home that is the user's own has no name.
    pub fn new(workspace: &std::path::Path, home: Option<&std::path::Path>) -> Self {
        let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
        let home = home.map(|home| (text(home), HOME_PATH));
        Self(std::iter::once((text(workspace), WORKSPACE_PATH)).chain(home).collect())
    }

    /// Replaces the paths of the folders in a text by their names.
    pub fn rewrite(&self, text: &str) -> String {
        let mut rewritten = text.to_owned();
        for (path, name) in &self.0 {
            // As a system writes the path, with the slashes of another one, and as texts of JSON escape both.
            let spellings =
                [path.replace('\\', "\\\\"), path.clone(), path.replace('\\', "/"), path.replace('/', "\\/")];
            for spelling in spellings {
                if rewritten.contains(&spelling) {
                    rewritten = rewritten.replace(&spelling, name);
                }
            }
            // Claude Code names the folder of a project's sessions so: `-tmp-arraign-7Gvuo4-workspace`.
            let folder: String =
                path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
            if rewritten.contains(&folder) {
                rewritten = rewritten.replace(&folder, &name.replace('/', "-"));
            }
        }
        rewritten
    }

    /// Replaces `/workspace` in a recorded text by the path of the folder. The name of the home is no rare path, and stays.
    pub fn restore(&self, text: &str) -> String {
        self.0.first().map_or_else(|| text.to_owned(), |(path, name)| restore_path(text, name, path))
    }

    /// Replaces `/workspace` in a recorded text of JSON, as [`Self::restore`] does.
    pub fn restore_json(&self, text: &str) -> String {
        let restored =
            self.0.first().map(|(path, name)| restore_path(text, name, &path.replace('\\', "\\\\")));
        restored.unwrap_or_else(|| text.to_owned())
    }
}

/// Replaces a name by a path. A name that is only a part of another one stays.
#[cfg(feature = "live")]
fn restore_path(text: &str, name: &str, path: &str) -> String {
    let mut restored = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let before = &rest[..at];
        let after = &rest[at + name.len()..];
        let is_whole = !before.ends_with(|letter: char| letter.is_alphanumeric() || "/._-".contains(letter))
            && !after.starts_with(|letter: char| letter.is_alphanumeric() || "._-".contains(letter));
        restored.push_str(before);
        restored.push_str(if is_whole { path } else { name });
        rest = after;
    }
    restored.push_str(rest);
    restored
}

/// The largest text of a changed file that a recording contains.
pub const MAX_KEPT_TEXT: usize = 1 << 20;

/// The files of a folder, by their paths with `/`. Folders are not listed, as in git.
pub type FileTree = BTreeMap<String, FileEntry>;

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileEntry {
    /// A file.
    File {
        /// The hash of its bytes.
        hash: String,
        /// Its size in bytes.
        size: u64,
        /// Whether its owner may execute it. Always false on Windows.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        executable: bool,
    },
    /// A symbolic link. It is not followed.
    Link {
        /// The text of the link.
        target: String,
        /// Whether the link leads out of the workspace.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        leaves: bool,
    },
    /// Something else, such as a pipe or a socket. It is not opened.
    Special,
    /// A file that cannot be read.
    Unreadable,
}

/// A difference between the files before and after the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// The path.
    pub path: String,
    /// What is at the path after the run. `None`: it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<FileEntry>,
    /// The number of added lines.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub added: u64,
    /// The number of removed lines.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub removed: u64,
    /// Whether one side is no text. Such a file counts as one line.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub binary: bool,
    /// Why the content after the run is not kept, if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl ChangedFile {
    /// Returns the number of changed lines. A binary file counts as one.
    pub fn count_lines(&self) -> u64 {
        if self.binary { 1 } else { self.added + self.removed }
    }

    /// Describes the change in a few words, such as `modified, +3 -1`.
    pub fn describe(&self, before: &FileTree) -> String {
        let what = match (before.get(&self.path), &self.after) {
            (None, _) => "added",
            (_, None) => "deleted",
            (Some(FileEntry::File { hash: old, .. }), Some(FileEntry::File { hash, .. })) if old == hash => {
                return "mode changed".to_owned();
            }
            _ => "modified",
        };
        if self.binary {
            format!("{what}, binary")
        } else {
            format!("{what}, +{} -{}", self.added, self.removed)
        }
    }
}

/// What is known of the files of a run's workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceFacts {
    /// The files before the agent began, after `setup`.
    pub before: FileTree,
    /// The changes, by path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ChangedFile>,
    /// The topmost paths, before and after the run, that the `.gitignore` files of the baseline ignore.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub ignored: BTreeSet<String>,
    /// Remarks for people, such as links that lead out of the workspace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The contents that are known: those of changed files, and those that checks read.
    #[serde(skip)]
    pub contents: BTreeMap<String, FileContent>,
}

/// The content of a file after the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    /// Its text.
    Text(String),
    /// It is not known, for this reason.
    Omitted(String),
}

impl WorkspaceFacts {
    /// Returns what is at a path after the run.
    pub fn find_after(&self, path: &str) -> Option<&FileEntry> {
        match self.changes.binary_search_by(|change| change.path.as_str().cmp(path)) {
            Ok(at) => self.changes[at].after.as_ref(),
            Err(_) => self.before.get(path),
        }
    }

    /// Lists the paths after the run.
    pub fn list_after(&self) -> impl Iterator<Item = &str> {
        let kept = self.before.keys().map(String::as_str).filter(|path| self.find_after(path).is_some());
        let added = self.changes.iter().filter(|change| change.after.is_some());
        kept.chain(added.map(|change| change.path.as_str()).filter(|path| !self.before.contains_key(*path)))
    }

    /// Returns the topmost ignored path at or above `path`.
    pub fn find_ignored(&self, path: &str) -> Option<&str> {
        find_at_or_above(&self.ignored, path)
    }

    /// Whether `pattern` looks at `path`: it matches, and it names the ignored folder or file that the path is in, if any.
    pub fn is_seen_by(&self, pattern: &PathPattern, path: &str) -> bool {
        pattern.matches(path)
            && self.find_ignored(path).is_none_or(|ignored| {
                let named = pattern.fixed_part();
                named == ignored || named.strip_prefix(ignored).is_some_and(|rest| rest.starts_with('/'))
            })
    }

    /// Lists the changes of files that are not ignored.
    pub fn list_changes(&self) -> impl Iterator<Item = &ChangedFile> {
        self.changes.iter().filter(|change| self.find_ignored(&change.path).is_none())
    }

    /// Counts the changes of ignored files.
    pub fn count_ignored_changes(&self) -> usize {
        self.changes.len() - self.list_changes().count()
    }

    /// Adds the changes from `before` to `after`. Lines are counted by `count`, and are 0 where it says nothing.
    pub fn compare(before: FileTree, after: &FileTree, mut describe: impl FnMut(&mut ChangedFile)) -> Self {
        let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let differing = paths.into_iter().filter(|path| before.get(*path) != after.get(*path));
        let changes = differing.map(|path| {
            let mut change = ChangedFile {
                path: path.clone(),
                after: after.get(path).cloned(),
                added: 0,
                removed: 0,
                binary: false,
                omitted: None,
            };
            describe(&mut change);
            change
        });
        Self { changes: changes.collect(), before, ..Self::default() }
    }
}

/// Returns the topmost of `paths` that is `path` or a folder above it.
pub fn find_at_or_above<'p>(paths: &'p BTreeSet<String>, path: &str) -> Option<&'p str> {
    let mut ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.find_map(|end| paths.get(&path[..end]).map(String::as_str))
}

/// The workspace of a run: the facts, and the folders while they are there.
#[derive(Clone)]
pub struct RunWorkspace {
    /// What is known of the files.
    pub facts: Arc<WorkspaceFacts>,
    /// The folders of a run that was just made. `None` for a recorded one.
    pub folders: Option<RunFolders>,
    /// The folder in which the changes are recorded. `None` for a run that was just made.
    pub recorded: Option<PathBuf>,
}

/// The folders of a run.
#[derive(Clone)]
pub struct RunFolders {
    /// The copy, as the agent left it.
    pub workspace: PathBuf,
    /// The scratch home.
    pub home: PathBuf,
    /// Whether the folders stay (`--keep-workspace`).
    pub is_kept: bool,
    /// Removes the folders when the last owner is dropped.
    pub guard: Arc<dyn Any + Send + Sync>,
}

impl std::fmt::Debug for RunWorkspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let folder = self.folders.as_ref().map(|folders| &folders.workspace);
        let mut shown = f.debug_struct("RunWorkspace");
        shown.field("facts", &self.facts).field("folder", &folder).finish_non_exhaustive()
    }
}

/// What a check reads of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceNeeds {
    /// Whether the check looks at files.
    pub looks_at_files: bool,
    /// Whether the edits in a trace cannot take the place of the files.
    pub is_needed: bool,
    /// The files whose contents it reads.
    pub contents: Vec<String>,
}

impl WorkspaceNeeds {
    /// Adds what another check reads.
    pub fn join(mut self, other: Self) -> Self {
        self.looks_at_files |= other.looks_at_files;
        self.is_needed |= other.is_needed;
        self.contents.extend(other.contents);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(hash: &str) -> FileEntry {
        FileEntry::File { hash: hash.to_owned(), size: 1, executable: false }
    }

    fn tree(files: &[(&str, &str)]) -> FileTree {
        files.iter().map(|(path, hash)| ((*path).to_owned(), file(hash))).collect()
    }

    #[test]
    fn changes_are_additions_deletions_and_other_contents() {
        let before = tree(&[("a", "1"), ("b", "1"), ("c", "1")]);
        let facts = WorkspaceFacts::compare(before, &tree(&[("a", "1"), ("b", "2"), ("d", "1")]), |_| {});
        let changed: Vec<&str> = facts.changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(changed, ["b", "c", "d"]);
        assert_eq!(facts.list_after().collect::<Vec<_>>(), ["a", "b", "d"]);
        assert_eq!(facts.find_after("c"), None);
    }

    #[cfg(feature = "live")]
    #[test]
    fn a_scratch_folder_has_one_name_and_gets_its_path_back() {
        let names = PathNames::new("/tmp/a1/workspace".as_ref(), Some("/tmp/a1/home".as_ref()));
        let text = r#"{"a":"/tmp/a1/workspace/src","b":"in /tmp/a1/home/.x"}"#;
        let recorded = names.rewrite(text);
        assert_eq!(recorded, r#"{"a":"/workspace/src","b":"in /home/.x"}"#);
        assert_eq!(
            names.rewrite("~/.claude/projects/-tmp-a1-workspace/m"),
            "~/.claude/projects/-workspace/m"
        );
        let other = PathNames::new("/tmp/b2/workspace".as_ref(), None);
        assert_eq!(other.restore(&recorded), r#"{"a":"/tmp/b2/workspace/src","b":"in /home/.x"}"#);
        for other_path in ["/workspaces/a", "./workspace", "src/workspace", "/workspace-2"] {
            assert_eq!(other.restore(other_path), other_path);
        }
        assert_eq!(PathNames::default().restore("/workspace"), "/workspace");
    }

    #[test]
    fn an_ignored_path_is_seen_by_a_pattern_that_names_it() {
        let ignored = ["target".to_owned(), "a/.env".to_owned()].into();
        let facts = WorkspaceFacts { ignored, ..WorkspaceFacts::default() };
        let sees =
            |pattern: &str, path| facts.is_seen_by(&PathPattern::new(pattern).expect("a pattern"), path);
        assert!(!sees("**", "target/debug/x") && !sees("**/*.rs", "target/x.rs") && sees("**", "src/x.rs"));
        assert!(sees("target", "target/debug/x") && sees("target/**/x", "target/debug/x"));
        assert!(sees("a/.env", "a/.env") && !sees("a/*", "a/.env") && sees("targets/*", "targets/x"));
        assert_eq!(facts.find_ignored("target/debug/x"), Some("target"));
    }
}
