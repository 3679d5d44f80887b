//! The folder of a harness: where it is, and the `arraign.yaml` in it.

use std::env;
use std::path::{Path, PathBuf};

use super::Harness;
use super::workspace::MANIFEST_DIR;
use crate::place::{LoadError, LoadErrors};
use crate::source::{DEFAULT_SIZE_LIMIT, Files, find_repository};
use crate::suite::{Workspace, workspace};
use crate::yaml::Placed;

impl Harness {
    /// Returns the package's folder and the files of the eval root.
    ///
    /// Both are found at run time and not compiled in, because a checkout can be moved or remapped after the build.
    pub(super) fn find_files(&self) -> Result<(PathBuf, Files), String> {
        let bases = self.candidate_bases();
        let Some((_, base)) = bases.iter().find(|(_, base)| base.join(&self.folder).is_dir()) else {
            return Err(self.missing_folder_error(&bases));
        };
        let base = base.canonicalize().unwrap_or_else(|_| base.clone());
        let root = base.join(&self.folder);
        // Roots are given relative to the package, as the folder is.
        let roots = self.allowed_roots.iter().map(|root| base.join(root));
        let files = roots.fold(
            Files::new(&base, root).with_size_limit(self.size_limit.unwrap_or(DEFAULT_SIZE_LIMIT)),
            Files::allow_root,
        );
        Ok((base, files))
    }

    /// Returns the content of `arraign.yaml`, and the files with the roots and the size limit that it sets.
    pub(super) fn read_workspace(&self, files: Files) -> Result<(Files, Workspace), LoadErrors> {
        let common = workspace(&files, &self.kinds)?;
        let limit = self.size_limit.or(common.size_limit).unwrap_or(DEFAULT_SIZE_LIMIT);
        let mut files = files.with_size_limit(limit);
        // Every process of a run comes here, and hardly any has a root to look for.
        if common.roots.is_empty() {
            return Ok((files, common));
        }
        let border = find_border(files.base());
        let mut errors = LoadErrors::new();
        for root in &common.roots {
            files = match errors.take(check_root(root, &files, &border)) {
                Some(folder) => files.allow_root(folder),
                None => files,
            };
        }
        errors.or((files, common))
    }

    /// Returns the folders in which the package may be, each with the setting that it comes from.
    fn candidate_bases(&self) -> Vec<(&'static str, PathBuf)> {
        if let Some(base) = &self.base {
            return vec![("Harness::at", base.clone())];
        }
        // Cargo sets the variable for its own tests; a program that is started by hand has the current folder.
        let manifest = env::var_os(MANIFEST_DIR).filter(|folder| !folder.is_empty());
        let manifest = manifest.map(|folder| (MANIFEST_DIR, folder.into()));
        let current = env::current_dir().ok().map(|folder| ("the current folder", folder));
        manifest.into_iter().chain(current).collect()
    }

    fn missing_folder_error(&self, bases: &[(&str, PathBuf)]) -> String {
        let mut tried: Vec<String> =
            bases.iter().map(|(name, base)| format!("in {} ({name})", base.display())).collect();
        if self.base.is_none() && !bases.iter().any(|(name, _)| *name == MANIFEST_DIR) {
            tried.push(format!("by {MANIFEST_DIR}, which is not set"));
        }
        let help = "create it, or set the package's folder with `Harness::at`";
        format!("no folder `{}` {}; {help}", self.folder.display(), tried.join(", nor "))
    }
}

/// Returns the folder that roots stay within: the repository of the package in `base`, or the package itself outside of one.
fn find_border(base: &Path) -> PathBuf {
    let border = find_repository(base).unwrap_or(base);
    border.canonicalize().unwrap_or_else(|_| border.to_owned())
}

/// Returns the folder that a root of `arraign.yaml` means. A file of the repository must not open the rest of the machine to
/// whoever may change it: outside of the repository, the command line or the harness allows a folder.
fn check_root(root: &Placed<String>, files: &Files, border: &Path) -> Result<PathBuf, LoadError> {
    let written = files.root().join(root.as_str());
    let folder = written.canonicalize().ok().filter(|folder| folder.is_dir());
    let folder = folder.ok_or_else(|| root.error(format!("no folder `{}`", root.as_str())))?;
    if folder.starts_with(border) || files.is_inside(&folder) {
        return Ok(folder);
    }
    let problem = format!("`{}` is outside of the repository `{}`", root.as_str(), border.display());
    Err(root
        .error(problem)
        .help("`cargo arraign run --allow-root FOLDER` and `Harness::allow_root` allow such folders"))
}
