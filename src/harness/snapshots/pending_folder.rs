//! The folder of insta's pending snapshots: beside the accepted ones, or below `INSTA_PENDING_DIR` with their paths in the
//! workspace (for Bazel, which does not let tests write to the sources).

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folder of the pending snapshots for `folder`, a folder of the package in `base`.
pub fn pending_folder(base: &Path, folder: &Path) -> PathBuf {
    let pending_root = env::var_os("INSTA_PENDING_DIR").filter(|root| !root.is_empty());
    folder_below(pending_root, base, folder).unwrap_or_else(|| folder.to_owned())
}

fn folder_below(pending_root: Option<OsString>, base: &Path, folder: &Path) -> Option<PathBuf> {
    let below = folder.strip_prefix(find_workspace(base)).ok()?;
    Some(base.join(pending_root?).join(below))
}

/// Returns the workspace that insta's paths are relative to: the runner's variable, or the nearest folder above with a
/// `[workspace]`, or the package.
pub(super) fn find_workspace(base: &Path) -> PathBuf {
    let from_runner = ["INSTA_WORKSPACE_ROOT", "NEXTEST_WORKSPACE_ROOT"].iter().find_map(env::var_os);
    from_runner.map_or_else(
        || base.ancestors().find(|folder| is_workspace(folder)).unwrap_or(base).to_owned(),
        PathBuf::from,
    )
}

fn is_workspace(folder: &Path) -> bool {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    manifest.lines().any(|line| line.trim() == "[workspace]")
}
