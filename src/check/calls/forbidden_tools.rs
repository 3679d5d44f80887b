//! `forbidden_tools`: none of these tools is called.
//!
//! <!-- settings -->
//!
//! A name is [the name of a tool](../traces.md#names-of-tools): `refund`, `shop:refund`, `"delete_*"`. Each tool is one
//! violation, however often it was called. A call of [nearly such a name](../traces.md#near-names), such as `shop.refund` for
//! `refund`, leaves the check undecided. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/forbidden_tools/fail-twice.yaml")]
//! ```

use std::collections::HashSet;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::messages::run_of;
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Item, Outcome, Violation};
use crate::pattern::{NormalPattern, PatternError, ToolPattern, ToolPatternSet};
use crate::place::LoadErrors;
use crate::trace::Call;
use crate::yaml::{Placed, read_all};

pub(crate) const KIND: CheckKind =
    CheckKind::built::<ForbiddenToolsSettings>("forbidden_tools", "none of these tools is called")
        .shorthand("tools");

/// The largest number of spellings of a name in a message.
const SHOWN: usize = 5;

/// Settings of `forbidden_tools`.
#[derive(Deserialize, JsonSchema)]
struct ForbiddenToolsSettings {
    /// The tools that must not be called.
    #[schemars(length(min = 1))]
    tools: Placed<Vec<Placed<String>>>,
    /// How names are compared.
    names: Option<Names>,
}

/// The tools that must not be called, each with its index in the settings.
struct ForbiddenTools {
    tools: Vec<(usize, Name)>,
    /// The patterns of `tools`.
    patterns: ToolPatternSet,
}

enum Name {
    Exact(ToolPattern),
    Normalised(NormalPattern),
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Names {
    /// Names are compared character by character. The default.
    #[default]
    Exact,
    /// Case, `-`, `_`, blanks and dots do not count (`EditFile` is `edit_file`). Two spellings of one name count once.
    Normalised,
}

impl BuildCheck for ForbiddenToolsSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let Self { tools: written, names } = settings.into_value();
        if written.is_empty() {
            return Err(written.error("an empty list checks nothing").into());
        }
        let names = names.unwrap_or_default();
        let all = read_all(written.iter().map(|text| text.try_map(|text| Name::parse(text, names))))?;
        let mut tools: Vec<(usize, Name)> = Vec::with_capacity(all.len());
        for (index, tool) in all.into_iter().enumerate() {
            // A further spelling of a normalised name is the same name.
            if !tools.iter().any(|(_, known)| known.is_spelling_of(&tool)) {
                tools.push((index, tool));
            }
        }
        let patterns = tools.iter().map(|(_, name)| name.pattern().clone()).collect();
        Ok(Box::new(ForbiddenTools { tools, patterns: ToolPatternSet::new(patterns) }))
    }
}

impl Check for ForbiddenTools {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let mut items = Vec::new();
        let mut violations = Vec::new();
        let mut hits: Vec<Vec<&Call>> = vec![Vec::new(); self.tools.len()];
        for call in &evidence.trace.calls {
            self.patterns.list_matches(call).into_iter().for_each(|tool| hits[tool].push(call));
        }
        for ((index, tool), calls) in self.tools.iter().zip(hits) {
            items.push(Item::tested(tool.as_str(), calls.is_empty()));
            violations.extend(describe_forbidden(*index, tool, &calls));
        }
        // The violations were found tool by tool. A reader follows the run.
        violations.sort_by_key(|violation| violation.call);
        Ok(Outcome::of_items(items, violations).stat("calls_checked", evidence.trace.calls.len()))
    }

    // A further call mends no violation.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        self.patterns.patterns().iter().collect()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(run_of(vec![self.patterns.patterns().first()?.example(1)?]).into())
    }

    fn bans_call(&self, call: &Call) -> bool {
        self.patterns.find_match(call).is_some()
    }
}

impl Name {
    fn parse(text: &str, names: Names) -> Result<Self, PatternError> {
        match names {
            Names::Exact => ToolPattern::new(text).map(Self::Exact),
            Names::Normalised => NormalPattern::new(text).map(Self::Normalised),
        }
    }

    fn pattern(&self) -> &ToolPattern {
        match self {
            Self::Exact(name) => name,
            Self::Normalised(name) => name.pattern(),
        }
    }

    /// Returns the name as the user wrote it.
    fn as_str(&self) -> &str {
        self.pattern().as_str()
    }

    fn is_spelling_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Normalised(one), Self::Normalised(other)) => one.is_spelling_of(other),
            _ => false,
        }
    }
}

fn describe_forbidden(index: usize, tool: &Name, calls: &[&Call]) -> Option<Violation> {
    let first = calls.first()?;
    let times = if calls.len() == 1 { String::new() } else { format!(" {} times", calls.len()) };
    let spelled = list_spellings(tool, calls).map_or_else(String::new, |names| format!(" as {names}"));
    let message = format!("`{}` is forbidden, but was called{times}{spelled}", tool.as_str());
    let calls = calls.iter().map(|call| call.index).collect();
    let help = "keep the agent from calling it, or take it off the list";
    Some(Violation { calls, ..Violation::of_call(first, message) }.at(format!("/tools/{index}")).help(help))
}

/// The names that were called, where there are others than the declared one.
fn list_spellings(tool: &Name, calls: &[&Call]) -> Option<String> {
    let mut seen = HashSet::new();
    let names = calls.iter().map(|call| call.name.as_str()).filter(|name| seen.insert(*name));
    let names: Vec<&str> = names.collect();
    let shown = names[..names.len().min(SHOWN)].join("`, `");
    match names.as_slice() {
        [only] if *only == tool.pattern().tool() => None,
        names if names.len() > SHOWN => Some(format!("`{shown}` and {} more", names.len() - SHOWN)),
        _ => Some(format!("`{shown}`")),
    }
}
