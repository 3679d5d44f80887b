//! `correctness`: the expected tools are called.
//!
//! One of the three axes of a golden dataset: the share of the listed tools that were called. A name is
//! [the name of a tool](../traces.md#names-of-tools). The order, other calls, and failures do not
//! matter: the model's decision counts.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/correctness/fail-one-of-two.yaml")]
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::demands::share_without_banned;
use crate::check::support::messages::never_called;
use crate::check::{Check, CheckKind};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Item, Outcome, Score, State};
use crate::pattern::ToolPattern;
use crate::trace::Trace;
use crate::yaml::Node;

pub(crate) const KIND: CheckKind =
    CheckKind::of::<Correctness>("correctness", "the expected tools are called")
        .shorthand("expected_tools")
        .only_reports(expects_nothing);

/// Settings of `correctness`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Correctness {
    /// The tools. One that is listed twice counts twice. Without any, the score is 1, and the verdict notes it.
    expected_tools: Option<Vec<ToolPattern>>,
}

/// A row that expects no tool is right whatever the agent calls.
fn expects_nothing(node: Node<'_>) -> bool {
    node.get("expected_tools").and_then(Node::list).is_none_or(|tools| tools.len() == 0)
}

impl Check for Correctness {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let mut items = Vec::new();
        let mut violations = Vec::new();
        for (index, tool) in self.expected_tools.iter().flatten().enumerate() {
            let is_called = evidence.trace.calls.iter().any(|call| tool.matches(call));
            items.push(Item::tested(tool.as_str(), is_called));
            violations.extend(
                (!is_called)
                    .then(|| never_called(tool, &evidence.trace).at(format!("/expected_tools/{index}"))),
            );
        }
        // An empty list requires nothing. The report shows that, and it costs no points.
        if items.is_empty() {
            items.push(Item::new("expected tools", State::NotExercised).note("none are expected"));
        }
        let called = evidence.trace.tool_names().into();
        Ok(Outcome::of_items(items, violations).value("tools_called", called))
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        self.expected_tools.iter().flatten().collect()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(Trace::default().into())
    }

    fn is_vacuous(&self) -> bool {
        self.expected_tools.iter().flatten().next().is_none()
    }

    fn lowest_score(&self) -> Score {
        if self.is_vacuous() { Score::FULL } else { Score::ZERO }
    }

    fn highest_score(&self, is_banned: &dyn Fn(&ToolPattern) -> bool) -> Score {
        share_without_banned(
            self.expected_tools.iter().flatten(),
            self.expected_tools.iter().flatten().count(),
            is_banned,
        )
    }
}
