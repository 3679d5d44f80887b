//! Asks git whether a file is as in the base branch.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use crate::source::lock;
use crate::source::{find_object, run_git};

/// The base branch of a pull request.
pub(super) struct BaseBranch {
    /// Its name, as the user gives it.
    pub(super) name: String,
    /// Whether git knows the branch, which is asked once: `None` if it does.
    problem: OnceLock<Option<FileInBase>>,
    compared: Mutex<HashMap<PathBuf, FileInBase>>,
}

/// What git says about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileInBase {
    /// The file is the same in the base branch.
    Same,
    /// The base branch has another content, or no such file.
    Differs,
    /// The repository has no commit of the given name. The text is a sentence.
    NoCommit(String),
    /// There is no git, or no repository. The text is a sentence.
    NoGit(String),
}

impl BaseBranch {
    /// Creates the base branch called `name`. The error is a message for the user.
    pub(super) fn new(name: &str) -> Result<Self, String> {
        // git would take it for a flag.
        if name.starts_with('-') {
            return Err(format!("ARRAIGN_BASE is `{name}`: expected a branch or a commit"));
        }
        Ok(Self { name: name.to_owned(), problem: OnceLock::new(), compared: Mutex::default() })
    }

    /// Compares the file at `path` with that of the base branch.
    pub(super) fn compare_file(&self, path: &Path) -> FileInBase {
        if let Some(known) = lock(&self.compared).get(path) {
            return known.clone();
        }
        let (Some(folder), Some(file)) = (path.parent(), path.file_name()) else {
            return FileInBase::Differs;
        };
        let problem = self.problem.get_or_init(|| self.find_problem(folder)).clone();
        let compared = problem.unwrap_or_else(|| self.compare_in(folder, file));
        lock(&self.compared).insert(path.to_owned(), compared.clone());
        compared
    }

    /// Returns why git cannot compare files in `folder`.
    fn find_problem(&self, folder: &Path) -> Option<FileInBase> {
        let inside = match run_git(folder, ["rev-parse".as_ref(), "--is-inside-work-tree".as_ref()]) {
            Ok(output) => output.status.success(),
            Err(error) => return Some(FileInBase::NoGit(format!("git does not start: {error}"))),
        };
        if !inside {
            return Some(FileInBase::NoGit("the cases are in no git repository".to_owned()));
        }
        let commit = format!("{}^{{commit}}", self.name);
        let has_commit = find_object(folder, commit.as_ref()).is_some();
        let unknown = || FileInBase::NoCommit(format!("git knows no commit `{}`: fetch it", self.name));
        (!has_commit).then(unknown)
    }

    /// Compares the objects that git would store: like this, line endings that git converts do not count.
    fn compare_in(&self, folder: &Path, file: &OsStr) -> FileInBase {
        let mut in_base = OsString::from(format!("{}:./", self.name));
        in_base.push(file);
        let before = find_object(folder, &in_base);
        let hashed = run_git(folder, ["hash-object".as_ref(), "--".as_ref(), file]);
        let now = hashed.ok().filter(|output| output.status.success());
        let now = now.and_then(|output| String::from_utf8(output.stdout).ok());
        let now = now.map(|id| id.trim().to_owned());
        if before.is_some() && before == now { FileInBase::Same } else { FileInBase::Differs }
    }
}
