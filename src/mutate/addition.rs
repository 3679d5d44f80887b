//! The smallest addition to a case that kills a mutant, found by trying: an entry of `expect` counts only if the run passes
//! it and the mutant does not.

use std::collections::HashMap;
use std::sync::Arc;

use super::mutant::Mutant;
use super::proposal::propose_checks;
use crate::case::Case;
use crate::engine::{MutantEvaluator, MutantVerdict};
use crate::json::{Json, json};
use crate::secrets::SecretMasker;
use crate::suite::{Library, RecordedRun, Suite};

/// The largest size of an addition in bytes, as JSON.
const MAX_ADDITION_BYTES: usize = 400;

/// Finds additions for the mutants of one run.
pub struct AdditionFinder<'f> {
    library: Library<'f>,
    run: &'f RecordedRun,
    masker: &'f SecretMasker,
    /// The entries that were tried, as JSON. `None` for one that does not load, or that the run itself does not pass.
    tried: HashMap<String, Option<Arc<Case>>>,
}

impl<'f> AdditionFinder<'f> {
    /// Creates a finder for the mutants of `run`.
    pub fn new(library: Library<'f>, run: &'f RecordedRun, masker: &'f SecretMasker) -> Self {
        Self { library, run, masker, tried: HashMap::new() }
    }

    /// Returns the first proposed entry that the mutant violates.
    pub(super) fn find_addition(&mut self, mutant: &Mutant, changed: &RecordedRun) -> Option<Json> {
        let proposed = propose_checks(&self.run.trace, mutant);
        let short = proposed.into_iter().filter(|entry| entry.to_string().len() <= MAX_ADDITION_BYTES);
        short.into_iter().find(|entry| {
            let case = self.load_entry(entry);
            let verdict = case.map(|case| self.evaluate_entry(&case, changed));
            matches!(verdict, Some(MutantVerdict::Violated(_)))
        })
    }

    /// Loads an entry as a case of its own, which the run must pass.
    pub fn load_entry(&mut self, entry: &Json) -> Option<Arc<Case>> {
        let text = entry.to_string();
        if let Some(known) = self.tried.get(&text) {
            return known.clone();
        }
        // A masked value would not hold, and an unmasked one must not be shown.
        let shows_secret = self.masker.mask_json(entry.clone()) != *entry;
        let case = if shows_secret { None } else { self.parse_entry(entry) };
        let case = case.filter(|case| self.evaluate_entry(case, self.run) == MutantVerdict::Passed);
        self.tried.insert(text, case.clone());
        case
    }

    /// Evaluates an entry, as a case of its own, on a run.
    pub fn evaluate_entry(&self, case: &Case, run: &RecordedRun) -> MutantVerdict {
        MutantEvaluator::new(case, self.run, None, None).evaluate(run)
    }

    fn parse_entry(&self, entry: &Json) -> Option<Arc<Case>> {
        // JSON is YAML, so the entry is read as if the user had written it.
        let text = json!({"trace": {"calls": []}, "expect": [entry]}).to_string();
        let path = self.library.files.root().join("addition.yaml");
        let suite = Suite::parse(&path, &text, self.library).ok()?;
        suite.cases.first().cloned()
    }
}
