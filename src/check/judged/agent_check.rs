//! `agent_check`: a judge confirms that the final answer does what a prompt asks.
//!
//! <!-- settings -->
//!
//! Without an opinion, the check is undecided. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/agent_check/fail-rude.yaml")]
//! ```

use serde::Deserialize;

use crate::check::support::opinion::{judged, passes};
use crate::check::{Check, Kind, Scope};
use crate::evidence::{AnswerForm, Evidence, JudgeContext, Judged, Question};
use crate::outcome::{Outcome, Unfit, Violation};
use crate::place::LoadErrors;
use crate::yaml::Node;

pub(crate) const KIND: Kind = Kind::with::<AgentCheck>(
    "agent_check",
    "a judge says that the answer does what a prompt asks",
    read_check,
)
.without_calls();

/// Settings of `agent_check`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct AgentCheck {
    /// The name of the question. The judge's opinion has the same label.
    label: String,
    /// The question that the judge decides.
    prompt: String,
    /// What the judge sees beside the final answer. Default: nothing.
    context: Option<JudgeContext>,
}

fn read_check(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let check: AgentCheck = node.decode_all()?;
    let mut errors = LoadErrors::new();
    for (key, text) in [("label", &check.label), ("prompt", &check.prompt)] {
        if text.trim().is_empty() {
            errors.push(node.get(key).unwrap_or(node).error(format!("`{key}` is empty")));
        }
    }
    errors.or(Box::new(check))
}

impl Check for AgentCheck {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let outcome = passes(evidence, &self.label, &format!("the judge says no to `{}`", self.label))?;
        let violations = outcome.violations.into_iter().map(|violation| self.about(violation)).collect();
        Ok(Outcome { violations, ..outcome })
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(judged(&self.label, Judged::Fail))
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question {
            label: self.label.clone(),
            prompt: self.prompt.clone(),
            answer: AnswerForm::PassOrFail,
            context: self.context.unwrap_or_default(),
        }]
    }
}

impl AgentCheck {
    fn about(&self, violation: Violation) -> Violation {
        let reason = violation.actual.clone().unwrap_or_default();
        violation.at("/prompt").expected(self.prompt.as_str(), reason)
    }
}
