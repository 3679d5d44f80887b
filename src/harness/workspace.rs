//! The package's place in its workspace. A compiler names files from the root of the workspace, and terminals and IDEs
//! resolve `file:line:column` from there. A test target does not know it: cargo starts it in the folder of its package.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::settings::{own_target, read_variable};
use crate::verdict::Rerun;

/// The variable that cargo and nextest set to the package's folder.
pub(super) const MANIFEST_DIR: &str = "CARGO_MANIFEST_DIR";

/// Returns the package's folder below the root of its workspace: empty, or with a `/` at the end. Empty as well if cargo did
/// not start this process, because it then runs in the folder where its user is.
pub(super) fn find_folder(base: &Path) -> String {
    if read_variable(MANIFEST_DIR).is_none() {
        return String::new();
    }
    // Links are resolved on both sides, or the one would not begin with the other.
    let base = base.canonicalize().unwrap_or_else(|_| base.to_owned());
    let folder = find_workspace(&base).and_then(|root| base.strip_prefix(root).ok().map(Path::to_owned));
    let folder = folder.unwrap_or_default().to_string_lossy().replace('\\', "/");
    if folder.is_empty() { folder } else { format!("{folder}/") }
}

/// Returns the command that runs one trial of this program. In a member of a workspace it names the package, because other
/// members may have a test target of the same name.
pub(super) fn make_rerun(folder: &str) -> Rerun {
    let Some(target) = own_target() else { return Rerun::default() };
    let package = read_variable("CARGO_PKG_NAME").filter(|_| !folder.is_empty());
    Rerun::of_target(package.as_deref(), &target)
}

/// Returns the root of the workspace around the package at `base`: what nextest says, the folder whose target folder contains
/// this program, or the nearest folder above whose manifest has a workspace.
fn find_workspace(base: &Path) -> Option<PathBuf> {
    let nextest = env::var_os("NEXTEST_WORKSPACE_ROOT").and_then(|root| Path::new(&root).canonicalize().ok());
    // A package that its workspace excludes has a target folder of its own.
    let root = nextest.or_else(find_target_parent).filter(|root| base.starts_with(root));
    root.or_else(|| base.ancestors().find(|folder| has_workspace(folder)).map(Path::to_owned))
}

/// Returns the folder above the target folder of this program (`target/<profile>/deps/<program>`), if it has a manifest.
fn find_target_parent() -> Option<PathBuf> {
    let program = env::current_exe().ok()?.canonicalize().ok()?;
    let deps = program.ancestors().find(|folder| folder.ends_with("deps"))?;
    // From `target/<profile>/deps` three steps up: the profile, the target folder, and the folder that contains it.
    let parent = deps.ancestors().nth(3)?;
    parent.join("Cargo.toml").is_file().then(|| parent.to_owned())
}

/// Whether the manifest in `folder` has a workspace.
fn has_workspace(folder: &Path) -> bool {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let mut tables = manifest.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    tables.any(|line| line == "[workspace]" || line.starts_with("[workspace."))
}
