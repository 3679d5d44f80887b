//! The weights of the scored dimensions, merged from every place that may say them.

use crate::check::Registry;
use crate::check::support::reading::Share;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Node, OrderedMap, Unparsed, did_you_mean};

/// The scored dimensions, in the order in which they are summed up, with their usual weights.
const USUAL: &[(&str, f64)] =
    &[("tool_accuracy", 0.3), ("output_quality", 0.5), ("sequence_correctness", 0.2)];

/// How much the weights may miss 1 by.
const TOLERANCE: f64 = 0.001;

/// The weight of each part of the score, by name.
pub(crate) type WrittenWeights = OrderedMap<String, Unparsed<Share>>;

/// What each dimension weighs: the usual weights, unless `arraign.yaml`, a suite or a case says otherwise.
#[derive(Debug, Clone)]
pub struct Weights(Vec<(String, f64)>);

impl Default for Weights {
    fn default() -> Self {
        Self(USUAL.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect())
    }
}

impl Weights {
    /// No dimension weighs anything.
    pub fn none() -> Self {
        Self(USUAL.iter().map(|(name, _)| ((*name).to_owned(), 0.0)).collect())
    }

    /// Returns the weight of a dimension.
    pub fn of(&self, dimension: &str) -> f64 {
        self.0.iter().find(|(name, _)| name == dimension).map_or(0.0, |(_, weight)| *weight)
    }

    /// The checks of other blocks that are weighed.
    pub fn of_checks(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0[USUAL.len()..]
            .iter()
            .filter(|(_, weight)| *weight > 0.0)
            .map(|(name, weight)| (name.as_str(), *weight))
    }

    /// These weights, where the mapping `node` names no others.
    pub fn overridden(&self, node: Node<'_>, kinds: &Registry) -> Result<Self, LoadErrors> {
        let written: WrittenWeights = node.decode_all()?;
        let mut weights = self.clone();
        let mut errors = LoadErrors::new();
        for (name, weight) in written.0 {
            errors.take(weights.set(&name, weight.node(), node, kinds));
        }
        errors.or(weights)
    }

    /// Refuses weights whose sum is not 1. `node` is the setting that was read last.
    pub fn even(&self, node: Node<'_>) -> Result<(), LoadError> {
        let sum: f64 = self.0.iter().map(|(_, weight)| weight).sum();
        if (sum - 1.0).abs() > TOLERANCE { Err(self.uneven(node, sum)) } else { Ok(()) }
    }

    fn set(&mut self, name: &str, value: Node<'_>, all: Node<'_>, kinds: &Registry) -> Result<(), LoadError> {
        let weight = value.decode::<Share>()?.get();
        if let Some((_, known)) = self.0.iter_mut().find(|(known, _)| known == name) {
            *known = weight;
        } else if kinds.find(name).is_some() {
            // The name of a check that the table does not contain yet gets a weight of its own. All other names are
            // mistakes.
            self.0.push((name.to_owned(), weight));
        } else {
            let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
            let error = LoadError::new(all.key_place(name), format!("nothing called `{name}` is scored"));
            return Err(error.help_if(did_you_mean(name, &names)));
        }
        Ok(())
    }

    fn uneven(&self, node: Node<'_>, sum: f64) -> LoadError {
        let sum = format!("{sum:.4}");
        let sum = sum.trim_end_matches('0').trim_end_matches('.');
        let counted = self.0.iter().filter(|(_, weight)| *weight > 0.0);
        let all: Vec<String> = counted.map(|(name, weight)| format!("{name} {weight}")).collect();
        node.error(format!("the weights are {sum} together, not 1"))
            .help(format!("with the usual ones for what is not said: {}", all.join(", ")))
    }
}
