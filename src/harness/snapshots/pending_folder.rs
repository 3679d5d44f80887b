//! Where insta keeps pending snapshots: beside the pinned ones, or in the folder that `INSTA_PENDING_DIR` names (for
//! Bazel, whose sources cannot be written to), under their paths in the workspace.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the pending snapshots of `folder` are, a folder of the package in `base`.
pub fn pending_folder(base: &Path, folder: &Path) -> PathBuf {
    let named = env::var_os("INSTA_PENDING_DIR").filter(|named| !named.is_empty());
    placed(named, base, folder).unwrap_or_else(|| folder.to_owned())
}

fn placed(named: Option<OsString>, base: &Path, folder: &Path) -> Option<PathBuf> {
    let below = folder.strip_prefix(workspace_of(base)).ok()?;
    Some(base.join(named?).join(below))
}

/// The workspace that insta's paths are relative to: what the runner says, else the nearest manifest above that has a
/// `[workspace]`, else the package.
pub(super) fn workspace_of(base: &Path) -> PathBuf {
    let said = ["INSTA_WORKSPACE_ROOT", "NEXTEST_WORKSPACE_ROOT"].iter().find_map(env::var_os);
    let has_workspace = |folder: &&Path| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        manifest.lines().any(|line| line.trim() == "[workspace]")
    };
    let found = said.map(PathBuf::from).or_else(|| base.ancestors().find(has_workspace).map(Path::to_owned));
    found.unwrap_or_else(|| base.to_owned())
}
