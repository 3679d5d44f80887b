//! The files that a run without a workspace changed, as far as its trace tells.

use crate::check::find_edits;
use crate::check::support::settled::{advise_on_calls, explain_bad_end};
use crate::check::support::traced_edits::{TracedChange, TracedEdits};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Violation};
use crate::pattern::PathPattern;
use crate::workspace::WORKSPACE_PATH;

/// The changes of a run that arraign did not record.
pub(super) struct TracedFiles {
    pub(super) changes: Vec<TracedChange>,
    /// Why there may be others.
    doubt: Option<CannotDecide>,
}

/// How a path and a pattern agree. Nobody knows the folder to which an absolute path is relative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    Yes,
    No,
    Maybe,
}

impl TracedFiles {
    /// Returns what the trace tells of the files. `None` for a run that arraign recorded: its changes belong beside its
    /// recording.
    pub(super) fn of(evidence: &Evidence<'_>) -> Option<Self> {
        let trace = &evidence.trace;
        if trace.recorded.is_some() {
            return None;
        }
        let TracedEdits { changes, unknown } = find_edits(trace);
        let unrecorded = trace
            .calls_unrecorded
            .as_ref()
            .map(|reason| CannotDecide::missing(reason.to_string()).help(advise_on_calls(reason, trace)));
        let unknown = unknown.map(|call| {
            CannotDecide::missing(format!("nobody knows which files were changed by {call}"))
                .help("record the agent in a `workspace`: the files themselves are then compared")
        });
        let bad_end = if evidence.judges_end { None } else { explain_bad_end(trace) };
        Some(Self { changes, doubt: unrecorded.or(unknown).or(bad_end) })
    }

    /// Returns an error if there may be other changes than those that are known.
    pub(super) fn require_all(self) -> Result<(), CannotDecide> {
        self.doubt.map_or(Ok(()), Err)
    }
}

/// Explains that a change may not have been made, or may be of another file.
pub(super) fn explain_doubt(change: &TracedChange, what: &str) -> CannotDecide {
    let TracedChange { path, call, .. } = change;
    CannotDecide::missing(format!("call {call} may have changed `{path}`, {what}"))
        .help("record the agent in a `workspace`: the files themselves are then compared")
}

/// Returns a violation with this message about the call that made a change.
pub(super) fn violation_of(change: &TracedChange, message: String, evidence: &Evidence<'_>) -> Violation {
    match evidence.trace.calls.iter().find(|call| call.index == change.call) {
        Some(call) => Violation::of_call(call, message),
        None => Violation::new(message),
    }
}

/// Compares a path with a pattern.
pub(super) fn compare(pattern: &PathPattern, path: &str) -> Agreement {
    let Some(relative) = find_relative(path) else {
        let may_match = list_suffixes(path).any(|suffix| pattern.matches(suffix));
        return if may_match { Agreement::Maybe } else { Agreement::No };
    };
    if pattern.matches(relative) { Agreement::Yes } else { Agreement::No }
}

/// Whether all absolute paths are allowed, if they are those of one folder.
pub(super) fn fit_one_folder<'p>(paths: impl Iterator<Item = &'p str> + Clone, only: &[PathPattern]) -> bool {
    let mut absolute = paths.filter(|path| find_relative(path).is_none());
    let Some(first) = absolute.clone().next() else { return true };
    let is_allowed = |relative: &str| only.iter().any(|pattern| pattern.matches(relative));
    list_suffixes(first).any(|suffix| {
        let folder = &first[..first.len() - suffix.len()];
        absolute.clone().all(|path| path.strip_prefix(folder).is_some_and(is_allowed))
    }) && absolute.next().is_some()
}

/// Returns the path in the folder of the run. `None` for a path that begins elsewhere.
fn find_relative(path: &str) -> Option<&str> {
    let path = path.strip_prefix(WORKSPACE_PATH).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path);
    let path = path.strip_prefix("./").unwrap_or(path);
    let is_absolute = path.starts_with(['/', '\\', '~', '$']) || path.get(1..2) == Some(":");
    let leaves = path.split(['/', '\\']).any(|part| part == "..");
    (!is_absolute && !leaves).then_some(path)
}

/// Lists the ends of a path, each behind a slash.
fn list_suffixes(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[at + 1..]).filter(|suffix| !suffix.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> PathPattern {
        PathPattern::new(text).expect("a pattern")
    }

    #[test]
    fn a_path_of_an_unknown_folder_agrees_perhaps() {
        let src = pattern("src/**");
        for (path, agreement) in [
            ("src/a.rs", Agreement::Yes),
            ("./src/a.rs", Agreement::Yes),
            ("/workspace/src/a.rs", Agreement::Yes),
            ("lib/src/a.rs", Agreement::No),
            ("/home/me/shop/src/a.rs", Agreement::Maybe),
            ("../src/a.rs", Agreement::Maybe),
            ("/home/me/shop/ci.yml", Agreement::No),
        ] {
            assert_eq!(compare(&src, path), agreement, "{path}");
        }
    }

    #[test]
    fn absolute_paths_are_those_of_one_folder() {
        let only = [pattern("src/**"), pattern("README.md")];
        let fits = |paths: &[&str]| fit_one_folder(paths.iter().copied(), &only);
        assert!(fits(&["/p/src/a", "/p/README.md", "src/b"]) && fits(&[]));
        assert!(!fits(&["/p/src/a", "/q/src/a"]) && !fits(&["/p/src/a", "/p/ci.yml"]));
    }
}
