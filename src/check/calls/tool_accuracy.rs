//! `tool_accuracy`: each of these tools was called, and one of each of these categories.
//!
//! The score is the share of tools and categories that were called; each counts the same. Additional calls cost
//! nothing.
//!
//! <!-- settings -->
//!
//! The values of the verdict list the `missing` tools, the `correct` tools, and each `unexpected` call. This case
//! fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/tool_accuracy/fail-another-spelling.yaml")]
//! ```

use std::collections::HashSet;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::demands::share_without_banned;
use crate::check::support::messages::{called_tools, never_called, note_attempts, what_was_called};
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::{CallSuccess, Evidence};
use crate::json::Json;
use crate::outcome::{CannotDecide, Item, Outcome, Score, Violation};
use crate::pattern::{ToolCategory, ToolPattern, normal_name};
use crate::place::LoadErrors;
use crate::trace::{Call, Trace};
use crate::yaml::{Placed, nearest};

pub(crate) const KIND: CheckKind = CheckKind::built::<ToolAccuracySettings>(
    "tool_accuracy",
    "each of these tools, and one tool of each category, is called",
)
.shorthand("tools");

/// The number of tools of a category that a message names.
const SHOWN: usize = 6;

/// Settings of `tool_accuracy`.
#[derive(Deserialize, JsonSchema)]
struct ToolAccuracySettings {
    /// Names of tools, or globs. A name that is given twice counts once.
    #[serde(default)]
    tools: Vec<ToolPattern>,
    /// Categories of tools, one tool of each of which is called: `file_read`, `file_write`, `file_list`, `search`, `shell`,
    /// `web`, `git`, `python`, or a suite's own.
    #[serde(default)]
    categories: Vec<Placed<String>>,
}

struct ToolAccuracy {
    expected: Vec<Expected>,
}

/// The expected tool, and the pointer of its entry in the settings.
struct Expected {
    call: Wanted,
    at: String,
}

enum Wanted {
    Tool(ToolPattern),
    AnyOf(ToolCategory),
}

impl BuildCheck for ToolAccuracySettings {
    fn build(settings: Placed<Self>, scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let Self { tools, categories } = settings.into_value();
        let mut expected = Vec::with_capacity(tools.len() + categories.len());
        let mut seen = HashSet::new();
        for (index, tool) in tools.into_iter().enumerate() {
            // A tool that is listed twice would count twice in the accuracy.
            if seen.insert(tool.as_str().to_owned()) {
                expected.push(Expected { call: Wanted::Tool(tool), at: format!("/tools/{index}") });
            }
        }
        let mut errors = LoadErrors::new();
        let known = &scope.tables.tool_categories;
        for (index, name) in categories.iter().enumerate() {
            let Some(category) = known.find(name) else {
                let problem = format!("unknown tool category `{}`", **name);
                errors.push(name.error(problem).help(known.help(name)));
                continue;
            };
            expected.push(Expected { call: Wanted::AnyOf(category), at: format!("/categories/{index}") });
        }
        errors.or(Box::new(ToolAccuracy { expected }))
    }
}

impl Check for ToolAccuracy {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let trace = &evidence.trace;
        let mut items = Vec::new();
        let mut violations = Vec::new();
        let mut satisfied = 0_u32;
        let success = CallSuccess::of(trace);
        for expected in &self.expected {
            let mut own = trace.calls.iter().filter(|call| expected.call.is_met_by(call)).peekable();
            let held = own.peek().is_some();
            items.push(note_attempts(Item::tested(expected.call.label(), held), own, success));
            violations.extend((!held).then(|| expected.lacking(trace)));
            // Only categories are counted here: named tools are listed below.
            satisfied += u32::from(held && expected.call.tool().is_none());
        }
        let (correct, missing): (Vec<_>, Vec<_>) =
            self.named().partition(|tool| trace.calls.iter().any(|call| tool.matches(call)));
        Ok(Outcome::of_items(items, violations)
            .stat("calls_checked", trace.calls.len())
            .value("correct", list_names(&correct))
            .value("missing", list_names(&missing))
            .value("unexpected", self.unexpected(trace))
            .value("categories_satisfied", satisfied.into()))
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        self.named().chain(self.categories().flat_map(ToolCategory::added)).collect()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(Trace::default().into())
    }

    fn is_vacuous(&self) -> bool {
        self.expected.is_empty()
    }

    fn lowest_score(&self) -> Score {
        if self.is_vacuous() { Score::FULL } else { Score::ZERO }
    }

    fn highest_score(&self, is_banned: &dyn Fn(&ToolPattern) -> bool) -> Score {
        share_without_banned(self.named(), self.expected.len(), is_banned)
    }
}

impl ToolAccuracy {
    /// The expected tools that have a name.
    fn named(&self) -> impl Iterator<Item = &ToolPattern> {
        self.expected.iter().filter_map(|expected| expected.call.tool())
    }

    fn categories(&self) -> impl Iterator<Item = &ToolCategory> {
        self.expected.iter().filter_map(|expected| match &expected.call {
            Wanted::AnyOf(category) => Some(category),
            Wanted::Tool(_) => None,
        })
    }

    /// The calls of tools that `tools` does not name, in the run's order.
    fn unexpected(&self, trace: &Trace) -> Json {
        let unexpected = trace.calls.iter().filter(|call| !self.named().any(|tool| tool.matches(call)));
        unexpected.map(|call| call.name.as_str()).collect()
    }
}

impl Wanted {
    fn tool(&self) -> Option<&ToolPattern> {
        match self {
            Self::Tool(tool) => Some(tool),
            Self::AnyOf(_) => None,
        }
    }

    fn is_met_by(&self, call: &Call) -> bool {
        match self {
            Self::Tool(tool) => tool.matches(call),
            Self::AnyOf(category) => category.has(call),
        }
    }

    fn label(&self) -> String {
        match self {
            Self::Tool(tool) => tool.to_string(),
            Self::AnyOf(category) => format!("category {}", category.name()),
        }
    }
}

impl Expected {
    /// Builds the violation for a run without such a call.
    fn lacking(&self, trace: &Trace) -> Violation {
        let violation = match &self.call {
            Wanted::Tool(tool) => match near_call(tool.as_str(), &called_tools(trace)) {
                Some(near) => never_called(tool, trace)
                    .help(format!("it called `{near}`, which is another name: names are exact here")),
                None => never_called(tool, trace),
            },
            Wanted::AnyOf(category) => none_of(category, trace),
        };
        violation.at(&self.at)
    }
}

fn list_names(tools: &[&ToolPattern]) -> Json {
    tools.iter().map(|tool| tool.as_str()).collect()
}

fn none_of(category: &ToolCategory, trace: &Trace) -> Violation {
    let name = category.name();
    let mut tools: Vec<&str> = category.tools().take(SHOWN).collect();
    if category.tools().nth(SHOWN).is_some() {
        tools.push("...");
    }
    Violation::new(format!("no tool of the category `{name}` was called"))
        .expected(format!("any of {}", tools.join(", ")), what_was_called(trace))
        .help(format!("let the agent call one, or add its tool by `tool_categories: {{{name}: [TOOL, ..]}}`"))
}

/// Only names of these lengths are compared letter by letter.
const LETTERS: std::ops::RangeInclusive<usize> = 4..=100;

/// Finds the name in `called` that differs from `wanted` only in spelling, or by a typo.
fn near_call<'t>(wanted: &str, called: &[&'t str]) -> Option<&'t str> {
    let normal = normal_name(wanted);
    let spelled = called.iter().find(|name| normal_name(name) == normal);
    spelled.copied().or_else(|| {
        let names = called.iter().copied().filter(|name| LETTERS.contains(&name.len()));
        Some(wanted).filter(|name| LETTERS.contains(&name.len())).and_then(|wanted| nearest(wanted, names))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spelling_comes_before_a_slip_and_a_stranger_is_none() {
        assert_eq!(near_call("fetch_data", &["fetch_date", "FetchData"]), Some("FetchData"));
        assert_eq!(near_call("fetch_data", &["search", "fetch_dat"]), Some("fetch_dat"));
        assert_eq!(near_call("fetch_data", &["send_mail"]), None);
        assert_eq!(near_call("a", &["x"]), None);
        assert_eq!(near_call("fetch_data", &[&"fetch_data".repeat(100_000)]), None);
    }
}
