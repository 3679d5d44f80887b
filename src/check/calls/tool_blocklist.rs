//! `tool_blocklist`: none of these tools is called.
//!
//! <!-- settings -->
//!
//! Names are [names of tools](../traces.md#names-of-tools) or globs: `rm`, `shop:refund`, `admin_*`, `{rm,del}_*`. A
//! star matches any characters. Names are case-sensitive unless `case_sensitive: false`.
//! A call of [nearly such a name](../traces.md#near-names), such as `shop.refund` for `refund`, leaves the check undecided.
//! With a [pass rate](../expected.md#several-runs), the check need not hold in every run. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/tool_blocklist/fail-by-glob.yaml")]
//! ```

use std::collections::HashMap;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::messages::{BLOCKED_HELP, is_blocked, run_of};
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Item, Outcome, Violation};
use crate::pattern::{ToolPattern, ToolPatternSet};
use crate::place::LoadErrors;
use crate::trace::{Call, ToolServer};
use crate::yaml::{Placed, read_all};

pub(crate) const KIND: CheckKind =
    CheckKind::built::<BlocklistSettings>("tool_blocklist", "none of these tools is called")
        .shorthand("blocklist");

/// Settings of `tool_blocklist`.
#[derive(Deserialize, JsonSchema)]
struct BlocklistSettings {
    /// The names or globs of tools that must not be called.
    #[serde(alias = "blocked")]
    #[schemars(extend("x-aliases" = ["blocked"]))]
    blocklist: Placed<Vec<Placed<ToolPattern>>>,
    /// `false`: letter case in names does not count. Default: `true`.
    case_sensitive: Option<bool>,
}

impl BuildCheck for BlocklistSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let list = &settings.blocklist;
        if list.is_empty() {
            return Err(list.error("an empty blocklist blocks nothing").into());
        }
        let is_exact = settings.case_sensitive.unwrap_or(true);
        let spell = |entry: &Placed<ToolPattern>| {
            if is_exact { Ok((**entry).clone()) } else { entry.try_map(ToolPattern::in_any_case) }
        };
        let blocked = ToolPatternSet::new(read_all(list.iter().map(spell))?);
        Ok(Box::new(ToolBlocklist { key: list.key().to_owned(), blocked }))
    }
}

struct ToolBlocklist {
    /// The name under which the list is given.
    key: String,
    /// The tools that must not be called: names or globs.
    blocked: ToolPatternSet,
}

impl Check for ToolBlocklist {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let calls = &evidence.trace.calls;
        let mut items = Vec::with_capacity(calls.len());
        let mut blocked = BlockedTools::default();
        for call in calls {
            let entry = self.blocked.find_match(call);
            items.push(Item::tested(call.label(), entry.is_none()));
            if let Some(entry) = entry {
                blocked.add_call(call, entry);
            }
        }
        let violations = blocked.hits.iter().map(|(entry, hits)| self.violation(*entry, hits)).collect();
        Ok(Outcome::of_items(items, violations).stat("calls_checked", calls.len()))
    }

    // A further call mends no violation.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        self.blocked.patterns().iter().collect()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(run_of(vec![self.blocked.patterns().first()?.example(1)?]).into())
    }

    fn bans_call(&self, call: &Call) -> bool {
        self.blocked.find_match(call).is_some()
    }
}

impl ToolBlocklist {
    /// Builds one violation for all calls of a tool, which the entry at `index` blocks.
    fn violation(&self, index: usize, hits: &[&Call]) -> Violation {
        let first = hits[0];
        let entry = &self.blocked.patterns()[index];
        let message = is_blocked(&first.name, &format!("`{entry}`"), hits.len());
        let violation = Violation::of_call(first, message).constraint(entry.as_str());
        Violation { calls: hits.iter().map(|call| call.index).collect(), ..violation }
            .at(format!("/{}/{index}", self.key))
            .help(BLOCKED_HELP)
    }
}

/// The blocked tools that were called, in the order of their first calls.
#[derive(Default)]
struct BlockedTools<'t> {
    /// The first entry that blocks each tool, and the calls of the tool.
    hits: Vec<(usize, Vec<&'t Call>)>,
    /// The positions in `hits`.
    by_tool: HashMap<(&'t str, &'t ToolServer, &'t str), usize>,
}

impl<'t> BlockedTools<'t> {
    fn add_call(&mut self, call: &'t Call, entry: usize) {
        // Tools are compared with their servers: two servers may have tools of one name.
        let tool = (call.name.as_str(), &call.server, call.written_name());
        let at = *self.by_tool.entry(tool).or_insert(self.hits.len());
        if at == self.hits.len() {
            self.hits.push((entry, Vec::new()));
        }
        self.hits[at].1.push(call);
    }
}
