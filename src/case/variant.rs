//! The variants of the agents: what a run changes about the agents that the cases name.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{AgentFrom, Case, InputGlob, MockTools, ModelSettings, TraceFrom};
use crate::json::{Json, json};
use crate::place::{LoadError, Place};

/// The variant that runs the agents as the cases name them, unless it is defined otherwise.
pub const BASELINE: &str = "baseline";

/// A variant of the agents.
#[derive(Debug, Clone)]
pub struct Variant {
    /// The name.
    pub name: String,
    /// The place of the name; `None` for a variant that no file defines.
    pub place: Option<Place>,
    /// The agent that replaces those of the cases.
    pub agent: Option<VariantAgent>,
    /// Variables that are set for the agent's process.
    pub env: BTreeMap<String, String>,
    /// Further files that the agent depends on.
    pub inputs: Vec<InputGlob>,
    /// How the requests to the model are recorded, in place of the settings of the agent.
    pub model: Option<ModelSettings>,
    /// The mock tools, in place of those of the cases.
    pub mocks: Option<Arc<MockTools>>,
    /// The number of runs, in place of that of the cases.
    pub repeat: Option<u32>,
}

/// The agent of a variant.
#[derive(Debug, Clone)]
pub struct VariantAgent {
    /// The name of the agent.
    pub name: String,
    /// The place of the name; `None` for a variant that no file defines.
    pub place: Option<Place>,
}

impl Variant {
    /// Creates a variant that changes nothing.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            place: None,
            agent: None,
            env: BTreeMap::new(),
            inputs: Vec::new(),
            model: None,
            mocks: None,
            repeat: None,
        }
    }

    /// Creates the variant that is called like an agent, and asks this agent.
    pub fn of_agent(name: &str) -> Self {
        Self { agent: Some(VariantAgent { name: name.to_owned(), place: None }), ..Self::new(name) }
    }

    /// Whether the trials and recordings of the variant are called like their cases.
    pub fn is_baseline(&self) -> bool {
        self.name == BASELINE
    }

    /// Whether cases run as if there were no variants.
    pub fn changes_nothing(&self) -> bool {
        self.is_baseline()
            && self.agent.is_none()
            && self.env.is_empty()
            && self.inputs.is_empty()
            && self.model.is_none()
            && self.mocks.is_none()
            && self.repeat.is_none()
    }

    /// Returns what follows the name of a case in the names of its trials and recordings: `@cheaper`. Empty for the baseline.
    pub fn suffix(&self) -> String {
        if self.is_baseline() { String::new() } else { format!("@{}", self.name) }
    }

    /// Returns what the variant sets, for the fingerprint of a recording. `None` for a baseline that sets nothing, because
    /// its recordings are those of the case. The agent, the files of `inputs` and the mock tools have fingerprints of their own.
    pub fn define(&self) -> Option<Json> {
        if self.is_baseline() && self.env.is_empty() && self.model.is_none() {
            return None;
        }
        let mut settings = json!({ "env": self.env });
        if let Some(model) = &self.model {
            settings["model"] = model.define();
        }
        Some(settings)
    }
}

impl Case {
    /// Returns the case with its agent as `variant` has it. The error says what of the case cannot go with the variant: a
    /// file that cannot hold its recordings, or a state of other tools.
    pub fn with_variant(&self, variant: &Arc<Variant>) -> Result<Self, LoadError> {
        let mut case = self.clone();
        if let (Some(agent), Some(used)) = (&variant.agent, &mut case.agent) {
            used.from = AgentFrom::Named(agent.name.clone());
        }
        if let Some(mocks) = &variant.mocks {
            // The checks of the case follow the state of its own tools.
            if case.mocks.as_ref().is_some_and(|mocks| mocks.script.state.is_some()) {
                let problem = format!(
                    "the variant `{}` has mock tools of its own, and those of this case have a `state`",
                    variant.name
                );
                let help = "take `mocks` out of the variant, or `state` out of the case";
                return Err(LoadError::new(self.place.clone(), problem).help(help));
            }
            case.mocks = Some(Arc::clone(mocks));
        }
        if let Some(runs) = variant.repeat {
            let place = variant.place.clone().unwrap_or_else(|| self.place.clone());
            case.repeat = Some((runs, place));
        }
        if let TraceFrom::File(file) = &mut case.trace {
            if variant.repeat.is_some_and(|runs| runs > 1) {
                let problem = format!(
                    "the variant `{}` records several runs (`repeat`), and `trace` names one file",
                    variant.name
                );
                let help = "take `trace` out: the runs are then recorded below `traces`";
                return Err(LoadError::new(file.place.clone(), problem).help(help));
            }
            file.path = add_suffix(&file.path, &variant.suffix());
        }
        case.variant = Some(Arc::clone(variant));
        Ok(case)
    }
}

/// Adds `suffix` to the name of the file at `path`, before its extension.
fn add_suffix(path: &str, suffix: &str) -> String {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    // The point of a hidden file begins its name.
    let end = path[name..].rfind('.').filter(|point| *point > 0).map_or(path.len(), |point| name + point);
    [&path[..end], suffix, &path[end..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suffix_stands_before_the_extension() {
        for (path, expected) in [
            ("traces/refund.json", "traces/refund@x.json"),
            ("traces.d/refund", "traces.d/refund@x"),
            ("refund.v1.json", "refund.v1@x.json"),
            ("a/.refund", "a/.refund@x"),
        ] {
            assert_eq!(add_suffix(path, "@x"), expected);
        }
    }

    #[test]
    fn a_baseline_that_sets_nothing_is_no_part_of_a_fingerprint() {
        assert_eq!(Variant::new(BASELINE).define(), None);
        assert!(Variant::new("other").define().is_some());
        let env = BTreeMap::from([("MODEL".to_owned(), "x".to_owned())]);
        assert!(Variant { env, ..Variant::new(BASELINE) }.define().is_some());
    }
}
