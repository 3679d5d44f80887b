//! Questions to git.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Returns a command of git in `folder`, which is given nothing to read.
pub(crate) fn git_command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).stdin(Stdio::null());
    command
}

/// Runs git in `folder`.
pub(crate) fn run_git<'a>(
    folder: &Path,
    arguments: impl IntoIterator<Item = &'a OsStr>,
) -> io::Result<Output> {
    git_command(folder).args(arguments).output()
}

/// Returns the id of an object; `None` if the repository does not have it, or if there is no git.
pub(crate) fn find_object(folder: &Path, name: &OsStr) -> Option<String> {
    let found =
        run_git(folder, ["rev-parse".as_ref(), "--verify".as_ref(), "--quiet".as_ref(), name]).ok()?;
    let id = String::from_utf8(found.stdout).ok()?;
    found.status.success().then(|| id.trim().to_owned())
}
