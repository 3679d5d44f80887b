//! `agent_check`: a judge says that the final answer does what a prompt asks of it.
//!
//! | setting | meaning |
//! |---|---|
//! | `label` | what the question is called; the judge's opinion has the same label |
//! | `prompt` | what the judge is to decide |
//! | `context: {include_prompt, include_tool_sequence, include_tool_inputs}` | what it sees beside the final answer; default: nothing |
//!
//! Without an opinion the check is undecided. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../tests/check/agent_check/fail-rude.yaml")]
//! ```

use super::opinion::{judged, passes};
use super::{Check, Kind, Scope};
use crate::evidence::{AnswerForm, Evidence, JudgeContext, Judged, Question};
use crate::outcome::{Outcome, Unfit, Violation};
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node};

pub(super) const KIND: Kind =
    Kind::with("agent_check", "a judge says that the answer does what a prompt asks", read).without_calls();

struct AgentCheck {
    label: String,
    prompt: String,
    context: JudgeContext,
}

fn read(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let mut fields = Fields::of(node, "the settings of `agent_check`")?;
    let (label, prompt) = (text(&mut fields, "label"), text(&mut fields, "prompt"));
    let context = fields.optional("context").unwrap_or_default();
    let check = label.zip(prompt).map(|(label, prompt)| AgentCheck { label, prompt, context });
    fields.finish_some(check.map(|check| Box::new(check) as Box<dyn Check>))
}

/// The text under `key`, which says something.
fn text(fields: &mut Fields<'_>, key: &'static str) -> Option<String> {
    let text: String = fields.required(key)?;
    if let Some(node) = fields.node(key).filter(|_| text.trim().is_empty()) {
        fields.errors.push(node.error(format!("`{key}` is empty")));
    }
    Some(text)
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
            context: self.context,
        }]
    }
}

impl AgentCheck {
    fn about(&self, violation: Violation) -> Violation {
        let reason = violation.actual.clone().unwrap_or_default();
        violation.at("/prompt").expected(self.prompt.as_str(), reason)
    }
}
