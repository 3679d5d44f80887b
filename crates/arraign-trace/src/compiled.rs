//! A cache of the patterns that were compiled in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The most patterns that are kept. A language server sees a new pattern with each key that is pressed, and one that is
/// searched with takes up to three megabytes.
const MAX_KEPT: usize = 512;

/// Compiled patterns by their text.
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
        // The user's files have far fewer, so what is dropped is hardly ever needed again.
        if table.len() >= MAX_KEPT {
            table.clear();
        }
        table.insert(text.to_owned(), Arc::clone(&compiled));
        Ok(compiled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_compiled_once_and_not_all_are_kept() {
        let cache = Compiled::empty();
        let compile =
            |number: usize| cache.get(&number.to_string(), || Ok::<_, ()>(number)).expect("it compiles");
        let first = compile(0);
        assert!(Arc::ptr_eq(&first, &compile(0)));
        (1..=MAX_KEPT).for_each(|number| drop(compile(number)));
        assert!(!Arc::ptr_eq(&first, &compile(0)));
        let kept = cache.0.lock().expect("the table").as_ref().map_or(0, HashMap::len);
        assert!(kept < MAX_KEPT, "{kept}");
    }
}
