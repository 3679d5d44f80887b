//! Asks git which files are not as in the base branch.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::source::{find_object, run_git};

/// The base branch of a pull request.
pub(super) struct BaseBranch {
    /// Its name, as the user gives it.
    pub(super) name: String,
    /// What git says, which is asked once.
    changed: OnceLock<Result<ChangedFiles, BaseProblem>>,
}

/// Why files cannot be compared with the base branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BaseProblem {
    /// The repository has no commit of the given name. The text is a sentence.
    NoCommit(String),
    /// There is no git, or no repository. The text is a sentence.
    NoGit(String),
}

/// The files of a repository that the base branch does not have, has with another content, or alone has.
#[derive(Debug)]
pub(super) struct ChangedFiles {
    /// The folder of the repository, without links.
    root: PathBuf,
    /// The files, relative to the root.
    names: BTreeSet<PathBuf>,
}

impl BaseBranch {
    /// Creates the base branch called `name`. The error is a message for the user.
    pub(super) fn new(name: &str) -> Result<Self, String> {
        // git would take it for a flag.
        if name.starts_with('-') {
            return Err(format!("ARRAIGN_BASE is `{name}`: expected a branch or a commit"));
        }
        Ok(Self { name: name.to_owned(), changed: OnceLock::new() })
    }

    /// Returns the files that differ from the base branch, in the repository around `folder`.
    pub(super) fn find_changes(&self, folder: &Path) -> &Result<ChangedFiles, BaseProblem> {
        self.changed.get_or_init(|| {
            let root = run_git(folder, ["rev-parse", "--show-toplevel"].map(OsStr::new))
                .map_err(|error| BaseProblem::NoGit(format!("git does not start: {error}")))?;
            let root = String::from_utf8(root.stdout).ok().filter(|_| root.status.success());
            let Some(root) = root.and_then(|root| PathBuf::from(root.trim_end()).canonicalize().ok()) else {
                return Err(BaseProblem::NoGit("the cases are in no git repository".to_owned()));
            };
            let commit = format!("{}^{{commit}}", self.name);
            let Some(commit) = find_object(&root, commit.as_ref()) else {
                return Err(BaseProblem::NoCommit(format!("git knows no commit `{}`: fetch it", self.name)));
            };
            // The processes of a run ask at the same time, and none of them may lock the index.
            let changed = [
                "--no-optional-locks",
                "diff",
                "--name-only",
                "--no-renames",
                "--no-ext-diff",
                // A pull request may write what git ignores of a repository inside of this one.
                "--ignore-submodules=none",
                "-z",
                &commit,
                "--",
            ];
            // A file that git ignores is in no pull request.
            let new = ["--no-optional-locks", "ls-files", "--others", "--exclude-standard", "-z"];
            let names = list_names(&root, &changed).zip(list_names(&root, &new));
            let Some((changed, new)) = names else {
                return Err(BaseProblem::NoCommit(format!(
                    "git cannot compare the files with `{}`",
                    self.name
                )));
            };
            Ok(ChangedFiles { root, names: changed.into_iter().chain(new).collect() })
        })
    }
}

/// Lists the files that git prints, with a zero byte behind each. `None` if git fails.
fn list_names(root: &Path, arguments: &[&str]) -> Option<Vec<PathBuf>> {
    let output = run_git(root, arguments.iter().map(OsStr::new)).ok()?;
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(read_name);
    output.status.success().then(|| names.collect())?
}

/// Returns the name as a path. `None` for one that paths of this system cannot have.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "on other systems a path is Unicode")]
fn read_name(name: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;

    Some(OsStr::from_bytes(name).into())
}

#[cfg(not(unix))]
fn read_name(name: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(name).ok().map(PathBuf::from)
}

impl ChangedFiles {
    /// Whether the file at `path`, a file below this folder, or a link on the way to it is not as in the base branch.
    pub(super) fn contains(&self, path: &Path) -> bool {
        self.name_below(path).is_some_and(|name| self.names_any(&name)) || self.has_changed_link(path)
    }

    fn names_any(&self, name: &Path) -> bool {
        // The names of a folder's files are those that follow its own.
        let mut following = self.names.range::<Path, _>((Bound::Included(name), Bound::Unbounded));
        let has_below = following.next().is_some_and(|first| first.starts_with(name));
        // Of a repository inside of this one git names the folder alone.
        let mut above = name.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        has_below || above.any(|folder| self.names.contains(folder))
    }

    fn has_changed_link(&self, path: &Path) -> bool {
        let links = path.ancestors().filter(|part| part.is_symlink());
        let mut names = links.filter_map(|link| {
            let folder = link.parent()?.canonicalize().ok()?;
            Some(folder.strip_prefix(&self.root).ok()?.join(link.file_name()?))
        });
        names.any(|name| self.names.contains(&name))
    }

    /// Returns the first changed file whose name, relative to the folder `base` and with `/`, is meant.
    pub(super) fn find_meant(&self, base: &Path, is_meant: impl Fn(&str) -> bool) -> Option<PathBuf> {
        let below = self.name_below(base)?;
        let mut names = self.names.iter().filter_map(|name| name.strip_prefix(&below).ok());
        let meant = names.find(|name| is_meant(&name.to_string_lossy().replace('\\', "/")))?;
        Some(base.join(meant))
    }

    /// The name of a file relative to the repository, also of one that is no longer there. `None` outside of it.
    fn name_below(&self, path: &Path) -> Option<PathBuf> {
        let there = path.ancestors().find(|part| part.exists())?;
        let rest = path.strip_prefix(there).ok()?;
        let real = there.canonicalize().ok()?;
        let name = real.strip_prefix(&self.root).ok()?;
        // A path that ends in an empty part would end in a `/`.
        Some(if rest.as_os_str().is_empty() { name.to_owned() } else { name.join(rest) })
    }
}
