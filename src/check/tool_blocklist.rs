//! `tool_blocklist`: none of these tools is called.
//!
//! Names are globs: `admin_*`, `*_dangerous`, `{rm,del}_*`. A star crosses every character. Case counts unless
//! `case_sensitive: false`. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../tests/check/tool_blocklist/fail-by-glob.yaml")]
//! ```

use serde::{Deserialize, Deserializer, de};

use super::{Check, Kind};
use crate::evidence::Evidence;
use crate::outcome::{Item, Outcome, State, Unfit, Violation};
use crate::pattern::ToolPattern;
use crate::trace::{Arguments, Call, Trace};

pub(super) const KIND: Kind =
    Kind::of::<ToolBlocklist>("tool_blocklist", "none of these tools is called").shorthand("blocklist");

/// Settings of `tool_blocklist`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// The tools that must not be called: names or globs.
    #[serde(alias = "blocked", deserialize_with = "at_least_one")]
    blocklist: Vec<ToolPattern>,
    /// Whether `Delete` and `delete` are two tools.
    #[serde(default = "yes")]
    case_sensitive: bool,
}

fn yes() -> bool {
    true
}

fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ToolPattern>, D::Error> {
    let entries = Vec::<ToolPattern>::deserialize(deserializer)?;
    if entries.is_empty() { Err(de::Error::custom("an empty blocklist blocks nothing")) } else { Ok(entries) }
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "Settings")]
struct ToolBlocklist {
    blocked: Vec<ToolPattern>,
}

impl TryFrom<Settings> for ToolBlocklist {
    type Error = String;

    fn try_from(settings: Settings) -> Result<Self, String> {
        if settings.case_sensitive {
            return Ok(Self { blocked: settings.blocklist });
        }
        let blocked = settings.blocklist.iter().map(ToolPattern::in_any_case).collect::<Result<_, _>>()?;
        Ok(Self { blocked })
    }
}

impl Check for ToolBlocklist {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let calls = &evidence.trace.calls;
        let violations = blocked_tools(calls)
            .into_iter()
            .filter_map(|tool| self.entry_for(tool).map(|(index, entry)| blocked(index, entry, tool, calls)))
            .collect();
        let items = calls.iter().map(|call| self.item(call)).collect();
        Ok(Outcome::of_items(items, violations).stat("calls_checked", calls.len()))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let mut trace = Trace::default();
        trace.push_call(Call::new(self.blocked.first()?.example()?, Arguments::none(), 1));
        Some(trace.into())
    }
}

impl ToolBlocklist {
    fn entry_for(&self, tool: &str) -> Option<(usize, &ToolPattern)> {
        self.blocked.iter().enumerate().find(|(_, entry)| entry.matches(tool))
    }

    fn item(&self, call: &Call) -> Item {
        let state = if self.entry_for(&call.name).is_some() { State::Violated } else { State::Held };
        Item::new(format!("call {}: {}", call.index, call.name), state)
    }
}

/// The called tools, each once, in the order of their first call.
fn blocked_tools(calls: &[Call]) -> Vec<&str> {
    let mut tools: Vec<&str> = Vec::new();
    for call in calls {
        if !tools.contains(&call.name.as_str()) {
            tools.push(&call.name);
        }
    }
    tools
}

fn blocked(index: usize, entry: &ToolPattern, tool: &str, calls: &[Call]) -> Violation {
    let hits: Vec<&Call> = calls.iter().filter(|call| call.name == tool).collect();
    let times = if hits.len() == 1 { String::new() } else { format!(" {} times", hits.len()) };
    let by = if entry.exact() == Some(tool) { String::new() } else { format!(" by `{entry}`") };
    let message = format!("`{tool}` is blocked{by}, but was called{times}");
    Violation {
        calls: hits.iter().map(|call| call.index).collect(),
        constraint: Some(entry.to_string()),
        ..hits[0].violation(message)
    }
    .at(format!("/blocklist/{index}"))
    .help("keep the agent from calling it, or take the entry off the list")
}
