//! The local files of a run.

use std::env;
use std::path::{Path, PathBuf};

use arraign::__internals::harness::runs::StoredRun;
use arraign::__internals::source::{Files, find_repository};

use crate::error::CliError;

/// The root of the run's repository, or of its package. Nothing outside is read or written, whatever a verdict log
/// says, because the file can come from another machine.
pub(super) struct Repository(Files);

impl Repository {
    /// Finds the repository of the current folder, which must contain the cases of the run.
    pub(super) fn find(run: &StoredRun) -> Result<Self, CliError> {
        let here = env::current_dir()?;
        let root = find_repository(&here).unwrap_or(&here);
        let repository = Self(Files::new(root, root));
        let missing = run.manifests().iter().find(|one| !repository.join("", &one.cases).is_dir());
        match missing {
            None => Ok(repository),
            Some(one) => Err(CliError::new(format!(
                "the run belongs to the cases in `{}`, which is not a folder in {}; change to the package of the run",
                one.cases,
                root.display()
            ))),
        }
    }

    /// Returns the path of a file of the package in `folder`.
    pub(super) fn join(&self, folder: &str, file: &str) -> PathBuf {
        self.0.root().join(folder).join(file)
    }

    /// Returns a path as users write it.
    pub(super) fn display_path(&self, path: &Path) -> String {
        self.0.name(path)
    }

    /// Reads the text of a file.
    pub(super) fn read_text(&self, path: &Path) -> Result<String, String> {
        self.require_inside(path)?;
        self.0.read(path, str::to_owned).map_err(|error| error.to_string())
    }

    /// Writes a file completely or not at all.
    pub(super) fn write_text(&self, path: &Path, text: &str) -> Result<(), CliError> {
        self.require_inside(path).map_err(CliError::new)?;
        Ok(self.0.write(path, text.as_bytes())?)
    }

    fn require_inside(&self, path: &Path) -> Result<(), String> {
        let resolved = self.0.resolve(self.0.root(), &path.to_string_lossy());
        let root = self.0.root().display();
        resolved.map(drop).map_err(|_| format!("`{}` is outside of {root}", path.display()))
    }
}
