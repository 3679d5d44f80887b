//! Files: opened inside the eval root only, parsed once a process, written whole.
//!
//! [`arraign_trace::source`] opens them. This module remembers what was parsed, and writes.

mod inside;
mod ledger;
mod whole;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use arraign_trace::source::{DEFAULT_SIZE_LIMIT, FileOpener, Opened, ReadError, ReadProblem};
pub use ledger::Ledger;
pub use whole::{Folder, write_whole};

use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::Document;

type Cache<K, V> = Mutex<HashMap<K, V>>;
type Compiled = Cache<(TypeId, PathBuf), Arc<dyn Any + Send + Sync>>;

/// The files of one package: what may be opened, and what has been parsed already.
#[derive(Debug)]
pub struct Files {
    opener: FileOpener,
    documents: Cache<PathBuf, Arc<Document>>,
    compiled: Compiled,
}

/// Opens files as its [`FileOpener`] does.
impl Deref for Files {
    type Target = FileOpener;

    fn deref(&self) -> &FileOpener {
        &self.opener
    }
}

impl Files {
    /// Files under `root`, named relative to `base`.
    pub fn new(base: impl Into<PathBuf>, root: impl Into<PathBuf>) -> Self {
        let opener = FileOpener::new(base, root);
        Self { opener, documents: Mutex::default(), compiled: Mutex::default() }
    }

    /// Admits another folder beside the eval root.
    pub fn allow_root(self, root: impl Into<PathBuf>) -> Self {
        Self { opener: self.opener.allow_root(root), ..self }
    }

    /// The largest file that is read, in bytes.
    pub fn with_size_limit(self, bytes: u64) -> Self {
        Self { opener: self.opener.with_size_limit(bytes), ..self }
    }

    /// The one document of a file that cases share (a policy), parsed once a process.
    pub fn document(&self, path: &Path) -> Result<Arc<Document>, LoadErrors> {
        if let Some(known) = lock(&self.documents).get(path) {
            return Ok(Arc::clone(known));
        }
        let source = self.source(path)?;
        let mut documents = Document::parse(&source)?;
        if documents.len() != 1 {
            let problem = format!("one document is expected here, {} are in the file", documents.len());
            return Err(LoadError::new(Place::of_file(source.name()), problem).into());
        }
        let document = Arc::new(documents.remove(0));
        lock(&self.documents).insert(path.to_owned(), Arc::clone(&document));
        Ok(document)
    }

    /// Whether the file at `path` was read as a document that cases share.
    pub fn has_read(&self, path: &Path) -> bool {
        lock(&self.documents).contains_key(path)
    }

    /// What `compile` makes of the file at `path`, made once a process.
    pub fn compiled<T: Any + Send + Sync>(
        &self,
        path: &Path,
        compile: impl FnOnce() -> Result<T, LoadErrors>,
    ) -> Result<Arc<T>, LoadErrors> {
        let key = (TypeId::of::<T>(), path.to_owned());
        let known = lock(&self.compiled).get(&key).map(Arc::clone);
        if let Some(known) = known.and_then(|known| known.downcast().ok()) {
            return Ok(known);
        }
        let made = Arc::new(compile()?);
        lock(&self.compiled).insert(key, Arc::clone(&made) as _);
        Ok(made)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
