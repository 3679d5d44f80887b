//! `tool_collision_detect`: no two servers offer a tool with the same name.
//!
//! <!-- settings -->
//!
//! An agent with several MCP servers selects tools by name. If two servers offer `read_file`, the second can shadow
//! the first and receive its arguments.
//!
//! A collision is a tool name that was called or offered on two or more servers. The trace names the server of a call, or
//! a name like `mcp__SERVER__TOOL` does. In a trace that names servers, a call without one belongs to the agent itself,
//! which counts as a server. Tools that were offered but never called are checked where the trace lists them with their
//! servers: most formats do not list what was offered, and a file of several runs does not say which run was offered what.
//!
//! With `trusted_servers` (names or globs), a collision among these servers is allowed. In any other collision, the
//! calls on the other servers are the violation; a call without a server is not trusted. Without `trusted_servers`,
//! every collision is a violation. If a trace names no server at all, the check is undecided. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/tool_collision_detect/fail-two-servers.yaml")]
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de};

use crate::JsonSchema;
use crate::check::support::messages::join_list;
use crate::check::{Check, CheckKind};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Item, Outcome, Violation};
use crate::pattern::ToolPattern;
use crate::trace::{Arguments, Call, ToolServer, Trace};

pub(crate) const KIND: CheckKind = CheckKind::of::<ToolCollisionDetect>(
    "tool_collision_detect",
    "no two servers offer a tool with the same name",
)
.shorthand("trusted_servers");

/// Settings of `tool_collision_detect`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToolCollisionDetect {
    /// Servers that may share tool names: names or globs.
    #[serde(default, deserialize_with = "read_servers")]
    trusted_servers: Vec<ToolPattern>,
}

/// Reads names of servers, which may have blanks.
fn read_servers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ToolPattern>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    names.iter().map(|name| ToolPattern::of_name(name).map_err(de::Error::custom)).collect()
}

/// The name of a server; `None`: the agent itself.
type Server<'c> = Option<&'c str>;

/// The source of a call without a server.
const ITSELF: &str = "the agent itself";

/// The calls of each tool, by its bare name.
type ByTool<'c> = BTreeMap<&'c str, Vec<&'c Call>>;

impl Check for ToolCollisionDetect {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let calls = &evidence.trace.calls;
        // A single recorded server is enough to tell tools apart; without any, every name looks unique.
        let offers = find_offered_collisions(&evidence.trace);
        let offers: Vec<Violation> =
            offers.iter().filter_map(|(tool, servers)| self.offered(tool, servers)).collect();
        if offers.is_empty()
            && !calls.is_empty()
            && calls.iter().all(|call| call.server == ToolServer::NotRecorded)
        {
            return Err(CannotDecide::missing(
                "the trace names no server: it cannot say which one a tool came from",
            ));
        }
        let tools = by_tool(calls);
        let mut collisions: Vec<(&str, Vec<&Call>)> =
            tools.into_iter().map(|(tool, calls)| (tool, self.offending(&calls))).collect();
        collisions.retain(|(_, calls)| !calls.is_empty());
        // In the order of the run, as the map sorts by name.
        collisions.sort_by_key(|(_, calls)| calls[0].index);
        let items = calls.iter().map(|call| build_item(call, &collisions)).collect();
        let called = collisions.iter().map(|(tool, hits)| self.collision(tool, hits, calls));
        let mut violations: Vec<Violation> = called.collect();
        // A collision of calls is told once, with its calls.
        let is_told =
            |offered: &Violation| collisions.iter().any(|(tool, _)| offered.tool.as_deref() == Some(*tool));
        violations.extend(offers.into_iter().filter(|offered| !is_told(offered)));
        Ok(Outcome::of_items(items, violations).stat("calls_checked", calls.len()))
    }

    // A further call mends no violation.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let mut trace = Trace::default();
        for server in ["server_a", "server_b"] {
            let mut call = Call::new("read_file", Arguments::none(), trace.calls.len() + 1);
            call.server = ToolServer::Named(server.to_owned());
            trace.push_call(call);
        }
        let evidence = Evidence::from(trace);
        self.check(&evidence).is_ok_and(|outcome| !outcome.violations.is_empty()).then_some(evidence)
    }

    fn is_vacuous(&self) -> bool {
        self.trusted_servers.iter().any(|trusted| trusted.as_str() == "*")
    }
}

impl ToolCollisionDetect {
    /// The calls at fault among those of one tool.
    fn offending<'c>(&self, calls: &[&'c Call]) -> Vec<&'c Call> {
        let first = calls.first().map(|call| call.server.name());
        if calls.iter().all(|call| Some(call.server.name()) == first) {
            return Vec::new();
        }
        calls.iter().copied().filter(|call| !self.trusts(call.server.name())).collect()
    }

    /// The violation of a tool that several servers offer, unless all of them are trusted.
    fn offered(&self, tool: &str, servers: &[&str]) -> Option<Violation> {
        let at_fault: Vec<Server> =
            servers.iter().copied().map(Some).filter(|server| !self.trusts(*server)).collect();
        if at_fault.is_empty() {
            return None;
        }
        let all: Vec<Server> = servers.iter().copied().map(Some).collect();
        let message = format!("`{tool}` was offered by {} servers: {}", all.len(), name_servers(&all));
        let (help, at) = if self.trusted_servers.is_empty() {
            (advise_to_separate(&all), "")
        } else {
            (advise_to_trust(&at_fault), "/trusted_servers")
        };
        Some(Violation::new(message).tool(tool).at(at).help(help))
    }

    fn trusts(&self, server: Option<&str>) -> bool {
        server.is_some_and(|server| self.trusted_servers.iter().any(|trusted| trusted.matches_name(server)))
    }

    fn collision(&self, tool: &str, hits: &[&Call], calls: &[Call]) -> Violation {
        let offers = list_servers(calls.iter().filter(|call| call.name.as_str() == tool));
        let at_fault = list_servers(hits.iter().copied());
        let (message, help, at) = if self.trusted_servers.is_empty() {
            let servers = name_servers(&offers);
            let message = format!("`{tool}` was called on {} servers: {servers}", offers.len());
            (message, advise_to_separate(&offers), "")
        } else {
            // A trusted server is named beside the untrusted one, because the collision is between both.
            let others: Vec<Server> =
                offers.into_iter().filter(|server| !at_fault.contains(server)).collect();
            (on_untrusted(tool, &at_fault, &others), advise_to_trust(&at_fault), "/trusted_servers")
        };
        Violation {
            calls: hits.iter().map(|call| call.index).collect(),
            ..Violation::of_call(hits[0], message)
        }
        .at(at)
        .help(help)
    }
}

/// The servers of `calls`, each once, in the order of their first calls.
fn list_servers<'c>(calls: impl Iterator<Item = &'c Call>) -> Vec<Server<'c>> {
    let mut servers = Vec::new();
    for call in calls {
        let server = call.server.name();
        if !servers.contains(&server) {
            servers.push(server);
        }
    }
    servers
}

fn on_untrusted(tool: &str, at_fault: &[Server], others: &[Server]) -> String {
    let are = if at_fault.len() == 1 { "is" } else { "are" };
    let untrusted = format!("`{tool}` was called on {}, which {are} not trusted", name_servers(at_fault));
    match others {
        [] => untrusted,
        [_] => format!("{untrusted}: {} offers it too", name_servers(others)),
        _ => format!("{untrusted}: {} offer it too", name_servers(others)),
    }
}

/// The agent itself is no server that could be listed.
fn advise_to_separate(offers: &[Server]) -> String {
    if offers.contains(&None) {
        return "rename one of the tools, or drop a server".to_owned();
    }
    format!(
        "rename one of the tools, drop a server, or list {} under `trusted_servers`",
        name_servers(offers)
    )
}

fn advise_to_trust(at_fault: &[Server]) -> String {
    let listed: Vec<Server> = at_fault.iter().flatten().copied().map(Some).collect();
    if listed.is_empty() {
        return "rename one of the tools, or drop a server: the agent itself cannot be trusted by name"
            .to_owned();
    }
    format!("rename one of the tools, drop {0}, or add {0} to `trusted_servers`", name_servers(&listed))
}

/// `a`, `a and b`, `a, b and c`.
fn name_servers(servers: &[Server]) -> String {
    let names = servers.iter().map(|server| server.map_or(ITSELF.to_owned(), |name| format!("`{name}`")));
    join_list(&names.collect::<Vec<_>>(), "and")
}

/// The tools that two or more recorded servers offer, with the servers. An offer without a server is left out: it may be any
/// server's.
fn find_offered_collisions(trace: &Trace) -> Vec<(&str, Vec<&str>)> {
    let mut servers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for tool in &trace.offered {
        let offering = servers.entry(tool.name.as_str()).or_default();
        offering.extend(tool.server.name().filter(|server| !offering.contains(server)));
    }
    servers.into_iter().filter(|(_, offering)| offering.len() > 1).collect()
}

fn by_tool(calls: &[Call]) -> ByTool<'_> {
    let mut tools = ByTool::new();
    for call in calls {
        tools.entry(call.name.as_str()).or_default().push(call);
    }
    tools
}

fn build_item(call: &Call, collisions: &[(&str, Vec<&Call>)]) -> Item {
    let hit = collisions.iter().any(|(_, hits)| hits.iter().any(|hit| hit.index == call.index));
    Item::tested(call.label(), !hit).note(format!("server: {}", call.server.name().unwrap_or(ITSELF)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_trusts_everybody_has_no_counterexample() {
        let all = ToolCollisionDetect { trusted_servers: vec![ToolPattern::new("*").expect("a glob")] };
        assert!(all.counterexample().is_none() && ToolCollisionDetect::default().counterexample().is_some());
    }
}
