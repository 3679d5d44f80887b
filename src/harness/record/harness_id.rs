//! The identity of a harness: its place in the repository, which distinguishes it from other harnesses.

use std::env;
use std::path::{Component, Path, PathBuf};

use crate::harness::settings::own_target;
use crate::source::find_repository;

/// The place of a harness in its repository.
#[derive(Debug, Clone)]
pub(crate) struct HarnessId {
    /// The harness's name: the folder of its cases, and the test target if that is called differently (`evals@live`),
    /// because two targets may run the same cases.
    pub(crate) harness: String,
    /// The folder of the cases, relative to the root of the repository: `evals`, `crates/shop/evals`.
    pub(crate) cases: String,
    /// The package's folder, relative to that root: empty, or with a `/` at the end.
    pub(crate) package: String,
}

impl HarnessId {
    /// Returns the identity of this program's harness for the cases below `folder` of the package at `base`.
    pub(crate) fn locate(base: &Path, folder: &Path) -> Self {
        Self::in_target(base, folder, own_target().as_deref())
    }

    fn in_target(base: &Path, folder: &Path, target: Option<&str>) -> Self {
        let root = find_root(base);
        let cases = with_slashes(&relative_to(&base.join(folder), &root));
        let package = with_slashes(&relative_to(base, &root));
        let cases = if cases.is_empty() { ".".to_owned() } else { cases };
        // Two targets may run the same cases; the usual one is named after the folder and needs no suffix.
        let different_target = target.filter(|target| cases.rsplit('/').next() != Some(*target));
        Self {
            harness: different_target.map_or_else(|| cases.clone(), |target| format!("{cases}@{target}")),
            cases,
            package: if package.is_empty() { package } else { format!("{package}/") },
        }
    }
}

/// Returns the root of the repository around `base`. Without `.git`, as in an archive of the sources, it is nextest's
/// workspace, or else `base`.
fn find_root(base: &Path) -> PathBuf {
    if let Some(repository) = find_repository(base) {
        return repository.to_owned();
    }
    let workspace =
        env::var_os("NEXTEST_WORKSPACE_ROOT").and_then(|root| Path::new(&root).canonicalize().ok());
    // The variable may be left over from another project.
    workspace.filter(|workspace| base.starts_with(workspace)).unwrap_or_else(|| base.to_owned())
}

/// Returns `path` relative to `root`, or the whole path if it is outside of `root`.
fn relative_to(path: &Path, root: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    // Only the text is normalized: the folder of cases can be a link, and its name must stay the one that users wrote.
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = normal.pop(),
            part => normal.push(part),
        }
    }
    normal.strip_prefix(root).map_or(normal.clone(), Path::to_owned)
}

fn with_slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harness_is_known_by_its_folder_in_the_repository() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let root = dir.path();
        let package = dir.path().join("crates/shop");
        std::fs::create_dir_all(root.join(".git")).expect("a repository");
        std::fs::create_dir_all(&package).expect("a package");
        let known = |base: &Path, folder: &str| {
            let id = HarnessId::in_target(base, Path::new(folder), Some("evals"));
            (id.harness, id.package)
        };
        assert_eq!(known(root, "evals"), ("evals".to_owned(), String::new()));
        assert_eq!(known(&package, "./evals"), ("crates/shop/evals".to_owned(), "crates/shop/".to_owned()));
        assert_eq!(known(&package, "../evals").0, "crates/evals");
        let elsewhere = root.with_file_name("elsewhere");
        let absolute = elsewhere.join("evals").to_string_lossy().replace('\\', "/");
        assert_eq!(known(&package, &absolute).0, absolute);
        assert_eq!(known(root, ".").0, ".@evals");
        assert_eq!(HarnessId::in_target(root, Path::new("evals"), Some("live")).harness, "evals@live");
    }
}
