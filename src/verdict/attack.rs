//! The attack that a trial makes on its agent.

use serde::{Deserialize, Serialize};

/// An attack on the agent of a case: a text in a result of its mock tools, which asks for what the user did not ask for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TrialAttack {
    /// The name of the attacked case's trial.
    pub case: String,
    /// The place of the text: the tool, and the path in its results, as in `get_order.items.0.note`.
    pub place: String,
    /// The id of the text's template.
    pub template: String,
    /// The tool that the text asks for, which must not be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoy: Option<String>,
    /// Whether the case has several such tools, so that the name of the trial tells which one it is about.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub names_decoy: bool,
}

impl TrialAttack {
    /// Returns what follows the name of the case in the name of the trial: `@attack[get_order.note,important_instructions]`.
    pub fn suffix(&self) -> String {
        let decoy = self.decoy.as_deref().filter(|_| self.names_decoy);
        let decoy = decoy.map_or_else(String::new, |decoy| format!(",{decoy}"));
        format!("@attack[{},{}{decoy}]", self.place, self.template)
    }
}
