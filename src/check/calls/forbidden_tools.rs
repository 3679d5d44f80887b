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
use serde::de::DeserializeOwned;

use crate::check::support::named_tools::run_of;
use crate::check::{Check, Kind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{Item, Outcome, Unfit, Violation};
use crate::pattern::{NormalPattern, ToolPattern, ToolPatternSet};
use crate::place::LoadErrors;
use crate::trace::Call;
use crate::yaml::{Fields, Node};

pub(crate) const KIND: Kind =
    Kind::with::<ForbiddenToolsSettings>("forbidden_tools", "none of these tools is called", read_check)
        .shorthand("tools");

/// The largest number of spellings of a name in a message.
const SHOWN: usize = 5;

/// Settings of `forbidden_tools`, for their schema.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(dead_code, reason = "describes settings that are read by hand, with their places")]
struct ForbiddenToolsSettings {
    /// The tools that must not be called.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    tools: Vec<String>,
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

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum Names {
    /// Names are compared character by character. The default.
    #[default]
    Exact,
    /// Case, `-`, `_`, blanks and dots do not count (`EditFile` is `edit_file`). Two spellings of one name count once.
    Normalised,
}

fn read_check(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let mut fields = Fields::of(node, "the settings of `forbidden_tools`")?;
    let names = fields.optional("names").unwrap_or_default();
    let tools = match names {
        Names::Exact => read_list(&mut fields, Name::Exact),
        Names::Normalised => read_list(&mut fields, Name::Normalised).map(each_once),
    };
    fields.finish_some(tools.map(|tools| Box::new(ForbiddenTools::new(tools)) as Box<dyn Check>))
}

fn read_list<T: DeserializeOwned>(
    fields: &mut Fields<'_>,
    name: fn(T) -> Name,
) -> Option<Vec<(usize, Name)>> {
    let Some(list) = fields.node("tools") else {
        fields.required::<Vec<String>>("tools");
        return None;
    };
    let tools: Vec<T> = fields.take(list.decode_each())?;
    if tools.is_empty() {
        fields.errors.push(list.error("an empty list checks nothing"));
    }
    Some(tools.into_iter().map(name).enumerate().collect())
}

/// Without further spellings of what is there already.
fn each_once(tools: Vec<(usize, Name)>) -> Vec<(usize, Name)> {
    let mut kept: Vec<(usize, Name)> = Vec::with_capacity(tools.len());
    for (index, tool) in tools {
        if !kept.iter().any(|(_, known)| known.is_spelling_of(&tool)) {
            kept.push((index, tool));
        }
    }
    kept
}

impl ForbiddenTools {
    fn new(tools: Vec<(usize, Name)>) -> Self {
        let patterns = tools.iter().map(|(_, name)| name.pattern().clone()).collect();
        Self { tools, patterns: ToolPatternSet::new(patterns) }
    }
}

impl Check for ForbiddenTools {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let (mut items, mut violations) = (Vec::new(), Vec::new());
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
