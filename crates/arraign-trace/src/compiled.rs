//! A cache of the patterns that were compiled in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Compiled patterns by their text. The texts come from the user's files, which bound the size of the cache.
pub struct Compiled<T>(Mutex<Option<HashMap<String, Arc<T>>>>);

impl<T> Compiled<T> {
    /// Returns an empty cache.
    pub const fn empty() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns the compiled form of `text`, and calls `compile` only the first time.
    pub fn get<E>(&self, text: &str, compile: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        // A panic in another thread leaves the table whole: a form is inserted only when it is complete.
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let table = table.get_or_insert_with(HashMap::new);
        if let Some(known) = table.get(text) {
            return Ok(Arc::clone(known));
        }
        let compiled = Arc::new(compile()?);
        table.insert(text.to_owned(), Arc::clone(&compiled));
        Ok(compiled)
    }
}
