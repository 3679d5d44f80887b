//! A violation: the message for the reader, and the call, argument and policy that it concerns.

use serde::{Deserialize, Serialize};

use crate::json::Json;
use crate::place::{Location, Place};
use crate::trace::Call;

/// One thing that is wrong with a run.
///
/// A check builds a `Violation` in which `at` is a JSON pointer into the check's settings. The engine resolves the pointer
/// and builds a [`LocatedViolation`]. Fields that do not apply stay empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "Violation", bound = "At: schemars::JsonSchema + Default + Serialize")
)]
#[serde(default)]
#[non_exhaustive]
pub struct Violation<At = String> {
    /// The violated claim, as one sentence without a full stop: "`refund` was called without `authenticate` before it".
    pub message: String,
    /// The place of the violated setting in the case's file. While a check runs, a JSON pointer into the settings, empty for
    /// the settings as a whole.
    pub at: At,
    /// Whether the setting is outside of the case, in the defaults of its suite. The engine sets this field.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// The rule's number, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<usize>,
    /// The tool concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The call concerned: its index, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<usize>,
    /// The id of that call in the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// All calls concerned, from 1, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<usize>,
    /// The argument concerned: its name at the top level, a JSON pointer below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// The value found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Json>,
    /// The violated constraint, as in the policy: `max: 30`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraint: Option<String>,
    /// The policy's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The line of the constraint in the policy, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_line: Option<usize>,
    /// The full location of the constraint in the policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_at: Option<Location>,
    /// The expected value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The actual value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// Advice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// A [`Violation`] in a verdict: `at` is a location in the case's file.
pub type LocatedViolation = Violation<Location>;

impl Violation {
    /// Returns a violation with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Returns a violation with this message about `call`.
    pub fn of_call(call: &Call, message: impl Into<String>) -> Self {
        Self {
            tool: Some(call.name.clone()),
            call: Some(call.index),
            call_id: call.id.clone(),
            ..Self::new(mention_written_name(message.into(), call))
        }
    }

    /// Points at a part of the settings.
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.at = pointer.into();
        self
    }

    /// Says what to do.
    pub fn help(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Names the argument that is wrong, and its value.
    pub fn argument(mut self, name: impl Into<String>, value: Json) -> Self {
        (self.argument, self.value) = (Some(name.into()), Some(value));
        self
    }

    /// Names the tool, for a violation that is not about one call.
    pub(crate) fn tool(mut self, name: &str) -> Self {
        self.tool = Some(name.to_owned());
        self
    }

    /// Adds the constraint that is violated.
    pub(crate) fn constraint(mut self, constraint: impl Into<String>) -> Self {
        self.constraint = Some(constraint.into());
        self
    }

    /// Adds the value that violates the constraint.
    pub(crate) fn value(mut self, value: impl Into<Json>) -> Self {
        self.value = Some(value.into());
        self
    }

    /// Sets the expected and the actual value.
    pub fn expected(mut self, expected: impl Into<String>, actual: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self.actual = Some(actual.into());
        self
    }

    /// Cites the place of the constraint in a policy file.
    pub fn cite_policy(mut self, constraint: &Place) -> Self {
        let location = constraint.locate();
        self.policy = Some(location.file.clone());
        self.policy_line = Some(location.line);
        self.policy_at = Some(location);
        self
    }

    /// Replaces the pointer with the place in the case's file that it leads to.
    pub fn resolve(self, at: Location) -> LocatedViolation {
        Violation {
            at,
            message: self.message,
            shared: self.shared,
            rule: self.rule,
            tool: self.tool,
            call: self.call,
            call_id: self.call_id,
            calls: self.calls,
            argument: self.argument,
            value: self.value,
            constraint: self.constraint,
            policy: self.policy,
            policy_line: self.policy_line,
            policy_at: self.policy_at,
            expected: self.expected,
            actual: self.actual,
            suggestion: self.suggestion,
        }
    }
}

/// Puts the name that the host wrote behind the first mention of the tool, if the host wrote another one.
fn mention_written_name(message: String, call: &Call) -> String {
    let Some(written) = &call.written else { return message };
    let name = format!("`{}`", call.name);
    message.replacen(&name, &format!("{name} (`{written}`)"), 1)
}
