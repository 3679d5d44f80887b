//! The names of trials that are taken: one name, one trial.

use std::collections::HashMap;

use crate::place::{LoadError, Place};

/// Whose each name is.
#[derive(Default)]
pub(super) struct Names(HashMap<String, Place>);

impl Names {
    /// Gives `name` to what stands at `place`; a name that is taken already is a mistake.
    pub(super) fn claim(&mut self, name: &str, place: &Place) -> Result<(), LoadError> {
        match self.0.insert(name.to_owned(), place.clone()) {
            Some(first) => Err(taken(name, place, &first)),
            None => Ok(()),
        }
    }
}

fn taken(name: &str, place: &Place, first: &Place) -> LoadError {
    let problem = format!("two cases make the trial `{name}`: the other stands at {first}");
    LoadError::new(place.clone(), problem).help("rename the file or the case")
}
