//! A cache of the patterns that were compiled in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The largest number of patterns that are kept, and the largest number of bytes that they take together. A language server
/// sees a new pattern with each key that is pressed, and a single pattern can take megabytes.
const MAX_KEPT: usize = 512;
const MAX_BYTES: usize = 32 << 20;

/// Compiled patterns by their text.
pub struct Compiled<T>(Mutex<Option<CompiledForms<T>>>);

struct CompiledForms<T> {
    by_text: HashMap<String, Arc<T>>,
    bytes: usize,
}

/// The compiled form of a pattern, and the number of bytes that it takes at most.
pub type SizedForm<T> = (T, usize);

impl<T> Compiled<T> {
    /// Returns an empty cache.
    pub const fn empty() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns the compiled form of `text`, and calls `compile` only the first time.
    pub fn get<E>(&self, text: &str, compile: impl FnOnce() -> Result<SizedForm<T>, E>) -> Result<Arc<T>, E> {
        // A panic in another thread leaves the table whole: a form is inserted only when it is complete.
        let mut forms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = forms.as_ref().and_then(|forms| forms.by_text.get(text)) {
            return Ok(Arc::clone(known));
        }
        let (form, bytes) = compile()?;
        let compiled = Arc::new(form);
        // The user's files have far fewer, so what is dropped is hardly ever needed again.
        let kept = forms
            .take()
            .filter(|forms| forms.by_text.len() < MAX_KEPT && forms.bytes.saturating_add(bytes) <= MAX_BYTES);
        let kept = forms.insert(kept.unwrap_or(CompiledForms { by_text: HashMap::new(), bytes: 0 }));
        kept.by_text.insert(text.to_owned(), Arc::clone(&compiled));
        kept.bytes += bytes;
        Ok(compiled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_kept(cache: &Compiled<usize>) -> usize {
        cache.0.lock().expect("the table").as_ref().map_or(0, |forms| forms.by_text.len())
    }

    #[test]
    fn a_pattern_is_compiled_once_and_not_all_are_kept() {
        let cache = Compiled::empty();
        let compile =
            |number: usize| cache.get(&number.to_string(), || Ok::<_, ()>((number, 1))).expect("it compiles");
        let first = compile(0);
        assert!(Arc::ptr_eq(&first, &compile(0)));
        (1..=MAX_KEPT).for_each(|number| drop(compile(number)));
        assert!(!Arc::ptr_eq(&first, &compile(0)));
        assert!(count_kept(&cache) < MAX_KEPT, "{}", count_kept(&cache));
    }

    #[test]
    fn large_patterns_are_dropped_before_small_ones_are_too_many() {
        let cache = Compiled::empty();
        for number in 0..40 {
            cache.get(&number.to_string(), || Ok::<_, ()>((number, MAX_BYTES / 8))).expect("it compiles");
            assert!(count_kept(&cache) <= 8, "{}", count_kept(&cache));
        }
        assert_eq!(count_kept(&cache), 8);
    }
}
