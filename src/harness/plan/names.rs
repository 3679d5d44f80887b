//! The names of trials that are taken: one name, one trial.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::place::{LoadError, Place};

/// Whose each name is.
#[derive(Default)]
pub(super) struct TrialNames(HashMap<String, Place>);

impl TrialNames {
    /// Gives `name` to what stands at `place`; a name that is taken already is a mistake.
    pub(super) fn claim_name(&mut self, name: String, place: &Place) -> Result<(), LoadError> {
        match self.0.entry(name) {
            Entry::Occupied(known) => Err(name_taken(known.key(), place, known.get())),
            Entry::Vacant(free) => {
                free.insert(place.clone());
                Ok(())
            }
        }
    }
}

fn name_taken(name: &str, place: &Place, first: &Place) -> LoadError {
    let problem = format!("two cases make the trial `{name}`: the other stands at {first}");
    LoadError::new(place.clone(), problem).help("rename the file or the case")
}
