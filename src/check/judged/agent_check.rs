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

use crate::JsonSchema;
use crate::check::support::opinion::{judged, passes};
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::{AnswerForm, Evidence, JudgeContext, Judged, Question};
use crate::outcome::{CannotDecide, Outcome, Violation};
use crate::place::LoadErrors;
use crate::yaml::Placed;

pub(crate) const KIND: CheckKind = CheckKind::built::<AgentCheck>(
    "agent_check",
    "a judge answers a question about the final answer with yes",
)
.without_calls();

/// Settings of `agent_check`.
#[derive(Deserialize, JsonSchema)]
struct AgentCheck {
    /// The name of the question. The judge's opinion has the same label.
    label: Placed<String>,
    /// The question that the judge decides.
    prompt: Placed<String>,
    /// What the judge sees beside the final answer. Default: nothing.
    context: Option<JudgeContext>,
}

impl BuildCheck for AgentCheck {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let mut errors = LoadErrors::new();
        for text in [&settings.label, &settings.prompt] {
            if text.trim().is_empty() {
                errors.push(text.error(format!("`{}` is empty", text.key())));
            }
        }
        errors.or(Box::new(settings.into_value()))
    }
}

impl Check for AgentCheck {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let outcome = passes(evidence, &self.label, &format!("the judge says no to `{}`", *self.label))?;
        let violations = outcome.violations.into_iter().map(|violation| self.about(violation)).collect();
        Ok(Outcome { violations, ..outcome })
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(judged(&self.label, Judged::Fail))
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question {
            label: self.label.to_string(),
            prompt: self.prompt.to_string(),
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
