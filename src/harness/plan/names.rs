//! The names of trials, which must be unique.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::place::{LoadError, Place};

/// Maps each trial name to the place of the case that it belongs to.
#[derive(Default)]
pub(super) struct TrialNames(HashMap<String, Place>);

impl TrialNames {
    /// Reserves `name` for the case at `place`. The error says that another case has the name.
    pub(super) fn claim_name(&mut self, name: String, place: &Place) -> Result<(), LoadError> {
        match self.0.entry(name) {
            Entry::Occupied(known) => Err(duplicate_name(known.key(), place, known.get())),
            Entry::Vacant(free) => {
                free.insert(place.clone());
                Ok(())
            }
        }
    }
}

fn duplicate_name(name: &str, place: &Place, first: &Place) -> LoadError {
    let problem = format!("two cases make the trial `{name}`: the other is at {first}");
    LoadError::new(place.clone(), problem).help("rename the file or the case")
}
