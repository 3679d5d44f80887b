//! Where the files of a run are on this machine.

use std::env;
use std::path::{Path, PathBuf};

use arraign::__internals::harness::runs::StoredRun;
use arraign::__internals::source::Files;

use crate::stop::Stop;

/// The root of the repository that a run is of; where there is none, of its package. Nothing outside is read or written,
/// whatever a verdict file says: it may come from another machine.
pub(super) struct Repository(Files);

impl Repository {
    /// The one around the current folder, which must hold the cases of the run.
    pub(super) fn of(run: &StoredRun) -> Result<Self, Stop> {
        let here = env::current_dir()?;
        let root = here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&here);
        let repository = Self(Files::new(root, root));
        let missing = run.beginnings().iter().find(|one| !repository.path("", &one.cases).is_dir());
        match missing {
            None => Ok(repository),
            Some(one) => Err(Stop::new(format!(
                "the run is of the cases in `{}`, which is not in {}; go to the package that the run is of",
                one.cases,
                root.display()
            ))),
        }
    }

    /// A file of the package in `folder`.
    pub(super) fn path(&self, folder: &str, file: &str) -> PathBuf {
        self.0.root().join(folder).join(file)
    }

    /// A path as its owner knows it.
    pub(super) fn shown(&self, path: &Path) -> String {
        self.0.name(path)
    }

    /// The text of a file.
    pub(super) fn read(&self, path: &Path) -> Result<String, String> {
        self.inside(path)?;
        self.0.read(path, str::to_owned).map_err(|error| error.to_string())
    }

    /// Writes a file, all of it or nothing.
    pub(super) fn write(&self, path: &Path, text: &str) -> Result<(), Stop> {
        self.inside(path).map_err(Stop::new)?;
        Ok(self.0.write(path, text.as_bytes())?)
    }

    fn inside(&self, path: &Path) -> Result<(), String> {
        let resolved = self.0.resolve(self.0.root(), &path.to_string_lossy());
        let root = self.0.root().display();
        resolved.map(drop).map_err(|_| format!("`{}` lies outside of {root}", path.display()))
    }
}
