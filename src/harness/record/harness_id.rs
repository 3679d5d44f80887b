//! Where a harness stands: what tells it apart from the others of a repository.

use std::env;
use std::path::{Component, Path, PathBuf};

use crate::harness::settings::own_target;

/// The place of a harness in its repository.
#[derive(Debug, Clone)]
pub(in crate::harness) struct HarnessId {
    /// What it is called: the folder of its cases. Where its test target has another name than that folder, both, since
    /// two targets may run the same cases: `evals@live`.
    pub(in crate::harness) harness: String,
    /// The folder of its cases, from the root of the repository: `evals`, `crates/shop/evals`.
    pub(in crate::harness) cases: String,
    /// The package's folder below that root: empty, or with a `/` at its end.
    pub(in crate::harness) package: String,
}

impl HarnessId {
    /// That of the harness over the cases below `folder` of the package at `base`.
    pub(in crate::harness) fn locate(base: &Path, folder: &Path) -> Self {
        Self::in_target(base, folder, own_target().as_deref())
    }

    fn in_target(base: &Path, folder: &Path, target: Option<&str>) -> Self {
        let root = find_repository(base);
        let cases = with_slashes(&relative_to(&base.join(folder), &root));
        let package = with_slashes(&relative_to(base, &root));
        let cases = if cases.is_empty() { ".".to_owned() } else { cases };
        let other = target.filter(|target| cases.rsplit('/').next() != Some(*target));
        Self {
            harness: other.map_or_else(|| cases.clone(), |target| format!("{cases}@{target}")),
            cases,
            package: if package.is_empty() { package } else { format!("{package}/") },
        }
    }
}

/// The root of the repository around `base`. A checkout may come without its history: nextest knows the workspace.
fn find_repository(base: &Path) -> PathBuf {
    let repository = base.ancestors().find(|folder| folder.join(".git").exists());
    let workspace = || Path::new(&env::var_os("NEXTEST_WORKSPACE_ROOT")?).canonicalize().ok();
    let around = || workspace().filter(|workspace| base.starts_with(workspace));
    repository.map(Path::to_owned).or_else(around).unwrap_or_else(|| base.to_owned())
}

/// `path` from `root`; outside of it, the whole path.
fn relative_to(path: &Path, root: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
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
        let (root, package) = (dir.path(), dir.path().join("crates/shop"));
        std::fs::create_dir_all(root.join(".git")).expect("a repository");
        std::fs::create_dir_all(&package).expect("a package");
        let known = |base: &Path, folder: &str| {
            let home = HarnessId::in_target(base, Path::new(folder), Some("evals"));
            (home.harness, home.package)
        };
        assert_eq!(known(root, "evals"), ("evals".to_owned(), String::new()));
        assert_eq!(known(&package, "./evals"), ("crates/shop/evals".to_owned(), "crates/shop/".to_owned()));
        assert_eq!(known(&package, "../evals").0, "crates/evals");
        assert_eq!(known(&package, "/elsewhere/evals").0, "/elsewhere/evals");
        assert_eq!(known(root, ".").0, ".@evals");
        assert_eq!(HarnessId::in_target(root, Path::new("evals"), Some("live")).harness, "evals@live");
    }
}
