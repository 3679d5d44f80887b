//! Scratch folders: made for one run, and removed after it, whatever the agent left in them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::source::lock;

/// The scratch folders of this process that are to be removed.
static SCRATCH_FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A folder that is removed on drop.
#[derive(Debug)]
pub(super) struct ScratchFolder {
    root: PathBuf,
    is_kept: bool,
}

impl ScratchFolder {
    /// Makes a folder in the folder for temporary files. A kept folder stays.
    pub(super) fn create(is_kept: bool) -> io::Result<Self> {
        let made = tempfile::Builder::new().prefix("arraign-").tempdir()?;
        // The agent is told the real path: a link on the way to it would give the workspace two names.
        let root = made.path().canonicalize()?;
        let _ = made.keep();
        if !is_kept {
            lock(&SCRATCH_FOLDERS).push(root.clone());
        }
        Ok(Self { root, is_kept })
    }

    pub(super) fn path(&self) -> &Path {
        &self.root
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if !self.is_kept {
            remove_tree(&self.root);
            lock(&SCRATCH_FOLDERS).retain(|folder| *folder != self.root);
        }
    }
}

/// Removes the scratch folders of all runs: the process is about to exit.
pub(in crate::agent) fn remove_all() {
    for folder in std::mem::take(&mut *lock(&SCRATCH_FOLDERS)) {
        remove_tree(&folder);
    }
}

/// Removes a folder and everything in it. Links are removed, and not followed. A folder that its owner may not write, such as
/// those of some package managers, is made writable first.
fn remove_tree(folder: &Path) {
    if fs::remove_dir_all(folder).is_err() {
        make_writable(folder);
        let _ = fs::remove_dir_all(folder);
    }
}

#[cfg(unix)]
fn make_writable(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;

    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        // The kind of the entry itself: what a link leads to is not of this folder.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_writable(&entry.path());
        }
    }
}

#[cfg(not(unix))]
#[expect(clippy::permissions_set_readonly_false, reason = "on Windows, the flag is that of one file")]
fn make_writable(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if let Ok(metadata) = entry.metadata() {
            let mut permissions = metadata.permissions();
            permissions.set_readonly(false);
            let _ = fs::set_permissions(entry.path(), permissions);
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_writable(&entry.path());
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_scratch_folder_goes_with_all_that_is_in_it_and_nothing_else() {
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("keep"), "x").expect("a file");
        let scratch = ScratchFolder::create(false).expect("a scratch folder");
        let root = scratch.path().to_owned();
        let locked = root.join("locked");
        fs::create_dir(&locked).expect("a folder");
        fs::write(locked.join("file"), "x").expect("a file");
        symlink(outside.path(), root.join("out")).expect("a link");
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o500)).expect("no writing");
        drop(scratch);
        assert!(!root.exists() && outside.path().join("keep").exists());
    }
}
