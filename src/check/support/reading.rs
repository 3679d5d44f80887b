//! Reading mappings and lists, with all mistakes kept.

use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Key, Node, Placed};

/// The settings beside a `type`, which decides which of them have a meaning.
pub(crate) struct SettingsOfType<'s> {
    /// The place of all settings.
    place: &'s Place,
    /// The settings that are written, with their places.
    given: Vec<(&'static str, &'s Place)>,
}

impl<'s> SettingsOfType<'s> {
    /// No settings, at the place of the mapping.
    pub(crate) fn new(place: &'s Place) -> Self {
        Self { place, given: Vec::new() }
    }

    /// Notes the setting `key`, if it is written.
    pub(crate) fn add<T>(&mut self, key: &'static str, value: Option<&'s Placed<T>>) {
        self.given.extend(value.map(|value| (key, value.place())));
    }

    /// Refuses the written settings that have no meaning for this type.
    pub(crate) fn refuse_others(&self, of_type: &str, known: &[&str]) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        for (key, place) in self.given.iter().filter(|(key, _)| !known.contains(key)) {
            let error =
                LoadError::new((*place).clone(), format!("`{key}` has no meaning with `type: {of_type}`"));
            errors.push(error.help(format!("settings of this type: `{}`", known.join("`, `"))));
        }
        errors.or(())
    }

    /// Returns the value of a setting that this type needs.
    pub(crate) fn require<'v, T>(
        &self,
        key: &str,
        value: Option<&'v Placed<T>>,
    ) -> Result<&'v Placed<T>, LoadError> {
        value.ok_or_else(|| LoadError::new(self.place.clone(), format!("`{key}` is missing")))
    }
}

/// Returns the entries of a mapping. `what` begins the error: `` `prices` is a mapping of models to prices ``.
pub(crate) fn require_entries<'n>(
    node: Node<'n>,
    what: &str,
) -> Result<impl Iterator<Item = (&'n Key, Node<'n>)>, LoadError> {
    node.entries().ok_or_else(|| describe_other(node, what))
}

/// Returns the entries of a list. `what` begins the error: `` `list` is a list of calls ``.
pub(crate) fn require_list<'n>(
    node: Node<'n>,
    what: &str,
) -> Result<impl ExactSizeIterator<Item = Node<'n>>, LoadError> {
    node.list().ok_or_else(|| describe_other(node, what))
}

fn describe_other(node: Node<'_>, what: &str) -> LoadError {
    node.error(format!("{what}, not {}", node.describe()))
}
