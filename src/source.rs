//! Files: opened only inside the eval root, parsed once in a process, and written as a whole.
//!
//! [`arraign_trace::source`] opens the files. This module caches parsed files, and writes.

mod fingerprint;
mod git;
#[cfg(feature = "live")]
mod inputs;
mod inside;
mod line_log;
#[cfg(feature = "live")]
mod watch;
mod whole;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use arraign_trace::source::{
    DEFAULT_SIZE_LIMIT, FileOpener, NearFile, Opened, ReadError, ReadProblem, find_writer, open_regular,
    temporary_path,
};
#[cfg(feature = "live")]
pub(crate) use fingerprint::FingerprintWriter;
pub(crate) use fingerprint::TextHash;
pub use fingerprint::fingerprint_bytes;
#[cfg(feature = "live")]
pub(crate) use git::git_command;
pub(crate) use git::{find_object, run_git};
#[cfg(feature = "live")]
pub use inputs::{FileFingerprints, InputError, InputHasher};
pub use line_log::LineLog;
#[cfg(feature = "live")]
pub use watch::PackageFiles;
pub use whole::{write_lasting, write_whole, write_with_folder};

use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::Document;

type Cache<K, V> = Mutex<HashMap<K, V>>;
type Compiled = Cache<(TypeId, PathBuf), Arc<dyn Any + Send + Sync>>;

/// The files of one package: the opener, and the files that have been parsed.
#[derive(Debug)]
pub struct Files {
    opener: FileOpener,
    documents: Cache<PathBuf, Arc<Document>>,
    compiled: Compiled,
}

/// Opens files like the inner [`FileOpener`].
impl Deref for Files {
    type Target = FileOpener;

    fn deref(&self) -> &FileOpener {
        &self.opener
    }
}

impl Files {
    /// The files under `root`, which are named relative to `base`.
    pub fn new(base: impl Into<PathBuf>, root: impl Into<PathBuf>) -> Self {
        let opener = FileOpener::new(base, root);
        Self { opener, documents: Mutex::default(), compiled: Mutex::default() }
    }

    /// Allows files of another folder beside the eval root.
    pub fn allow_root(self, root: impl Into<PathBuf>) -> Self {
        Self { opener: self.opener.allow_root(root), ..self }
    }

    /// Sets the largest size of a file, in bytes.
    pub fn with_size_limit(self, bytes: u64) -> Self {
        Self { opener: self.opener.with_size_limit(bytes), ..self }
    }

    /// Returns the same files, without the parsed documents, and with a log of what is opened.
    pub fn logging(&self) -> Self {
        Self { opener: self.opener.logging(), documents: Mutex::default(), compiled: Mutex::default() }
    }

    /// Returns the only document of a file that cases share, such as a policy. The file is parsed once in a process.
    pub fn document(&self, path: &Path) -> Result<Arc<Document>, LoadErrors> {
        if let Some(known) = lock(&self.documents).get(path) {
            return Ok(Arc::clone(known));
        }
        let source = self.source(path)?;
        let mut documents = Document::parse(&source)?;
        if documents.len() != 1 {
            let problem = format!("expected one document, found {}", documents.len());
            return Err(LoadError::new(Place::of_file(source.name()), problem).into());
        }
        let document = Arc::new(documents.remove(0));
        // Another thread may have parsed the file meanwhile. Both documents are equal, so either may stay.
        lock(&self.documents).insert(path.to_owned(), Arc::clone(&document));
        Ok(document)
    }

    /// Whether the file at `path` was read as a document that cases share.
    pub fn has_read(&self, path: &Path) -> bool {
        lock(&self.documents).contains_key(path)
    }

    /// Returns the result of `compile` for the file at `path`, computed once in a process.
    pub fn compiled<T: Any + Send + Sync>(
        &self,
        path: &Path,
        compile: impl FnOnce() -> Result<T, LoadErrors>,
    ) -> Result<Arc<T>, LoadErrors> {
        // The lock is not held while `compile` runs, because it may read other files of the cache. Two threads can therefore
        // compile the same file; both results are equal.
        let key = (TypeId::of::<T>(), path.to_owned());
        let known = lock(&self.compiled).get(&key).map(Arc::clone);
        if let Some(known) = known.and_then(|known| known.downcast().ok()) {
            return Ok(known);
        }
        let compiled = Arc::new(compile()?);
        lock(&self.compiled).insert(key, Arc::clone(&compiled) as _);
        Ok(compiled)
    }
}

/// Returns the root of the git repository around `folder`. In a work tree and in a submodule, `.git` is a file.
pub fn find_repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| above.join(".git").exists())
}

/// Locks a mutex, also after a panic of another thread: each guarded value is valid after every statement.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
