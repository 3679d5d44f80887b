//! `tool_input`: a call of this tool has these arguments.
//!
//! <!-- settings -->
//!
//! If the tool was never called, the check fails. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/tool_input/fail-other-city.yaml")]
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::js_pattern::{compile_pattern, exhausted};
use crate::check::support::messages::{find_calls, note_attempts, run_of, say_times, what_was_called};
use crate::check::support::reading::{Occurrence, SettingsOfType};
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::{CallSuccess, Evidence, require_arguments};
use crate::json::Json;
use crate::outcome::{CannotDecide, Item, Outcome, State, Violation};
use crate::pattern::{Flags, JsRegex, JsonPath, ToolPattern};
use crate::place::{LoadErrors, Place};
use crate::trace::{Call, Trace};
use crate::yaml::{Placed, even_null};

pub(crate) const KIND: CheckKind =
    CheckKind::built::<ToolInputSettings>("tool_input", "a call of this tool has these arguments");

/// Settings of `tool_input`.
#[derive(Deserialize, JsonSchema)]
struct ToolInputSettings {
    /// The name of the tool, or a glob. `server:tool` means the tool of that server.
    tool: ToolPattern,
    /// The required arguments.
    r#type: InputAssertion,
    /// The text that `type: contains` looks for.
    value: Option<Placed<String>>,
    /// The regular expression of `type: regex`.
    pattern: Option<Placed<String>>,
    /// The flags of the regular expression.
    flags: Option<Placed<String>>,
    /// The JSONPath of `type: jsonpath`.
    path: Option<Placed<String>>,
    /// The value that `path` must select.
    #[serde(default, deserialize_with = "even_null")]
    equals: Option<Placed<Json>>,
    /// The calls of the tool that must have these arguments. A number is the n-th call of the tool. Default: `any`.
    calls: Option<Occurrence>,
}

/// What the arguments must be.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum InputAssertion {
    /// `value` is in the serialized arguments, in any case.
    Contains,
    /// `pattern` is found in the serialized arguments. Case counts.
    Regex,
    /// `path` selects something in the arguments, or the value `equals`.
    Jsonpath,
}

struct ToolInput {
    tool: ToolPattern,
    calls: Occurrence,
    wanted: Wanted,
}

/// What the arguments must be.
enum Wanted {
    Contains(String),
    Regex(JsRegex),
    Path { path: JsonPath, equals: Option<Json> },
}

impl BuildCheck for ToolInputSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let wanted = settings.build_wanted(settings.place())?;
        let Self { tool, calls, .. } = settings.into_value();
        Ok(Box::new(ToolInput { tool, calls: calls.unwrap_or_default(), wanted }))
    }
}

impl ToolInputSettings {
    /// Builds the assertion of the type, and refuses the settings of the other types.
    fn build_wanted(&self, place: &Place) -> Result<Wanted, LoadErrors> {
        let mut settings = SettingsOfType::new(place);
        settings.add("value", self.value.as_ref());
        settings.add("pattern", self.pattern.as_ref());
        settings.add("flags", self.flags.as_ref());
        settings.add("path", self.path.as_ref());
        settings.add("equals", self.equals.as_ref());
        match self.r#type {
            InputAssertion::Contains => {
                settings.refuse_others("contains", &["value"])?;
                let value = settings.require("value", self.value.as_ref())?;
                if value.is_empty() {
                    return Err(value.error("an empty `value` is in everything").into());
                }
                Ok(Wanted::Contains(value.to_lowercase()))
            }
            InputAssertion::Regex => {
                settings.refuse_others("regex", &["pattern", "flags"])?;
                let pattern = settings.require("pattern", self.pattern.as_ref())?;
                Ok(Wanted::Regex(compile_pattern(pattern, self.flags.as_ref(), Flags::default())?))
            }
            InputAssertion::Jsonpath => {
                settings.refuse_others("jsonpath", &["path", "equals"])?;
                let path = settings.require("path", self.path.as_ref())?;
                let path = path.try_map(|path| JsonPath::new(path))?;
                Ok(Wanted::Path { path, equals: self.equals.as_deref().cloned() })
            }
        }
    }
}

impl Check for ToolInput {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let calls = find_calls(&self.tool, &evidence.trace);
        let chosen = self.calls.choose(&calls);
        // Without a call there is no input that could be right, and silence would look like success.
        if chosen.is_empty() {
            return Ok(Some(self.no_call(calls.len(), evidence)).into());
        }
        let mut broken = Vec::new();
        for call in &chosen {
            if !self.holds(call)? {
                broken.push(*call);
            }
        }
        Ok(self.outcome(&chosen, &broken, &evidence.trace))
    }

    // One call with these arguments is enough for `any`; one without them is too many for `all`.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        let was_tested = outcome.violations.iter().any(|violation| violation.call.is_some());
        match self.calls {
            Occurrence::Any => outcome.violations.is_empty(),
            Occurrence::All => was_tested,
            Occurrence::First | Occurrence::Last | Occurrence::Nth(_) => false,
        }
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        vec![&self.tool]
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(run_of(Vec::new()).into())
    }
}

impl ToolInput {
    fn holds(&self, call: &Call) -> Result<bool, CannotDecide> {
        require_arguments(call)?;
        match &self.wanted {
            Wanted::Contains(value) => Ok(call.arguments.to_text().to_lowercase().contains(value)),
            Wanted::Regex(pattern) => {
                pattern.is_match(&call.arguments.to_text()).map_err(|_| exhausted(pattern))
            }
            // Any of the selected values is enough, and without `equals` its existence is.
            Wanted::Path { path, equals } => Ok(call.arguments.json().is_some_and(|arguments| {
                let selected = path.select(arguments);
                selected.iter().any(|value| equals.as_ref().is_none_or(|wanted| *value == wanted))
            })),
        }
    }

    /// With `any`, one call that holds makes up for the others.
    fn outcome(&self, chosen: &[&Call], broken: &[&Call], trace: &Trace) -> Outcome {
        let enough = self.calls == Occurrence::Any && broken.len() < chosen.len();
        let success = CallSuccess::of(trace);
        let items = chosen.iter().map(|call| match broken.iter().any(|one| one.index == call.index) {
            // Another call made up for it, so it is neither held nor violated.
            true if enough => Item::new(call.label(), State::NotExercised),
            true => Item::new(call.label(), State::Violated),
            false => note_attempts(Item::new(call.label(), State::Held), [*call], success),
        });
        let violations = match broken {
            [] => Vec::new(),
            _ if enough => Vec::new(),
            [first, ..] if self.calls == Occurrence::Any => {
                let calls = broken.iter().map(|call| call.index).collect();
                vec![Violation { calls, ..self.other_arguments(first) }]
            }
            broken => broken.iter().map(|call| self.other_arguments(call)).collect(),
        };
        Outcome::of_items(items.collect(), violations).stat("calls_checked", chosen.len())
    }

    fn no_call(&self, calls: usize, evidence: &Evidence<'_>) -> Violation {
        let name = self.tool.as_str();
        let (message, help) = match self.calls {
            Occurrence::Nth(number) if calls > 0 => (
                format!("there is no call {number} of `{name}`: it was called {}", say_times(calls)),
                "look at another call, or at `any`".to_owned(),
            ),
            _ => (format!("`{name}` was never called"), what_was_called(&evidence.trace)),
        };
        Violation::new(message).tool(name).at("/tool").help(help)
    }

    fn other_arguments(&self, call: &Call) -> Violation {
        let (at, wanted) = match &self.wanted {
            Wanted::Contains(value) => ("/value", format!("contain `{value}`")),
            Wanted::Regex(pattern) => ("/pattern", format!("match {pattern}")),
            Wanted::Path { path, equals: None } => {
                ("/path", format!("have something at `{}`", path.as_str()))
            }
            Wanted::Path { path, equals: Some(value) } => {
                ("/equals", format!("have {value} at `{}`", path.as_str()))
            }
        };
        let which = match self.calls {
            Occurrence::Nth(_) => "that call of".to_owned(),
            calls => calls.words(),
        };
        let does_not =
            if self.calls == Occurrence::Any { "has arguments that" } else { "has no arguments that" };
        Violation::of_call(call, format!("{which} `{}` {does_not} {wanted}", call.name))
            .at(at)
            .expected(format!("arguments that {wanted}"), call.arguments.to_text())
            .help("change what the agent passes, or the assertion")
    }
}
