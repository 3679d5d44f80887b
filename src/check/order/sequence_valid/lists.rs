//! `blocklist` and `allowlist`: which tools may be called at all.

use super::operand::{Operand, Operands};
use super::reader::RuleReader;
use super::{Finding, Rule, RuleKind, Run};
use crate::check::support::blocked_message::{HELP, is_blocked};
use crate::outcome::Violation;
use crate::pattern::{ToolPattern, is_glob};
use crate::place::LoadError;
use crate::trace::{Arguments, Call, ToolServer};
use crate::yaml::Node;

pub(super) const BLOCKLIST: RuleKind = RuleKind { name: "blocklist", read: read_blocklist };

pub(super) const ALLOWLIST: RuleKind = RuleKind {
    name: "allowlist",
    read: |reader| Some(Box::new(Allowlist { allowed: reader.tools("tools")? })),
};

fn read_blocklist(reader: &mut RuleReader<'_>) -> Option<Box<dyn Rule>> {
    match reader.either(["tools", "pattern"]) {
        "pattern" => {
            let pattern = reader.node("pattern")?;
            Some(Box::new(Pattern { part: reader.fields.take(read_part(pattern))? }))
        }
        tools => Some(Box::new(Blocklist { blocked: reader.tools(tools)? })),
    }
}

/// None of these is called.
struct Blocklist {
    blocked: Operands,
}

impl Rule for Blocklist {
    fn operands(&self) -> Vec<&Operand> {
        self.blocked.tools().iter().collect()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        Finding::of(run.calls.iter().filter_map(|call| self.blocked(call)).collect())
    }

    fn stays_broken(&self, _violations: &[&Violation]) -> bool {
        true
    }

    fn refused(&self) -> Option<Vec<Call>> {
        Some(vec![self.blocked.tools().iter().find_map(|tool| tool.example(1))?])
    }
}

impl Blocklist {
    fn blocked(&self, call: &Call) -> Option<Violation> {
        let index = self.blocked.find_match(call)?;
        let entry = self.blocked.tools()[index].to_string();
        let violation = build_violation(call, &entry, format!("no call of {entry}"));
        Some(violation.constraint(entry.replace('`', "")).at(self.blocked.pointer(index)))
    }
}

/// No tool's name has this part.
struct Pattern {
    part: Part,
}

enum Part {
    Glob(Operand),
    /// A part of names, and the glob that means the same.
    Text(String, Operand),
}

/// A glob matches the whole name; anything else is looked for inside of it.
fn read_part(node: Node<'_>) -> Result<Part, LoadError> {
    let text: String = node.decode()?;
    if text.is_empty() {
        return Err(node.error("an empty `pattern` is part of every name").help("name the tools to block"));
    }
    // `delete` blocks `delete_user` as well. A blocklist that is too wide is noticed, one that is too narrow is not.
    if !is_glob(&text) {
        // The glob is for names that are nearly such names. What cannot be a glob has none.
        let glob = ToolPattern::new(&format!("*{text}*")).map_err(|problem| node.error(problem))?;
        return Ok(Part::Text(text, Operand::of_pattern(glob)));
    }
    Ok(Part::Glob(Operand::of_pattern(node.decode()?)))
}

impl Part {
    fn matches(&self, call: &Call) -> bool {
        match self {
            Self::Glob(glob) => glob.matches(call),
            Self::Text(text, _) => call.name.contains(text) || call.written_name().contains(text),
        }
    }

    fn as_str(&self) -> &str {
        match self {
            Self::Glob(glob) => glob.name(),
            Self::Text(text, _) => text,
        }
    }
}

impl Rule for Pattern {
    fn operands(&self) -> Vec<&Operand> {
        match &self.part {
            Part::Glob(glob) | Part::Text(_, glob) => vec![glob],
        }
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let hits = run.calls.iter().filter(|call| self.part.matches(call));
        Finding::of(hits.map(|call| self.blocked(call)).collect())
    }

    fn stays_broken(&self, _violations: &[&Violation]) -> bool {
        true
    }

    fn refused(&self) -> Option<Vec<Call>> {
        match &self.part {
            Part::Glob(glob) => Some(vec![glob.example(1)?]),
            Part::Text(text, _) => Some(vec![Call::new(text, Arguments::none(), 1)]),
        }
    }
}

impl Pattern {
    fn blocked(&self, call: &Call) -> Violation {
        let pattern = self.part.as_str();
        let expected = match self.part {
            Part::Glob(_) => format!("no call of `{pattern}`"),
            Part::Text(..) => format!("no call of a tool with `{pattern}` in its name"),
        };
        build_violation(call, &format!("`{pattern}`"), expected).constraint(pattern).at("/pattern")
    }
}

fn build_violation(call: &Call, entry: &str, expected: String) -> Violation {
    Violation::of_call(call, is_blocked(&call.name, entry, 1))
        .expected(expected, format!("`{}` is call {}", call.name, call.index))
        .help(HELP)
}

/// Nothing else is called.
struct Allowlist {
    allowed: Operands,
}

impl Rule for Allowlist {
    fn operands(&self) -> Vec<&Operand> {
        self.allowed.tools().iter().collect()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let others =
            run.calls.iter().filter(|call| self.allowed.find(call, |tool| tool.may_match(call)).is_none());
        Finding::of(others.map(|call| self.outside(call)).collect())
    }

    fn stays_broken(&self, _violations: &[&Violation]) -> bool {
        true
    }

    fn is_vacuous(&self) -> bool {
        self.allowed.tools().iter().any(Operand::means_every_call)
    }

    fn refused(&self) -> Option<Vec<Call>> {
        let strangers = ["unlisted_tool", "x", "_", "0"]
            .map(|name| Call { server: ToolServer::BuiltIn, ..Call::new(name, Arguments::none(), 1) });
        Some(vec![strangers.into_iter().find(|call| !self.allowed.any_matches(call))?])
    }
}

impl Allowlist {
    fn outside(&self, call: &Call) -> Violation {
        Violation::of_call(call, format!("`{}` was called, but is not on the allowlist", call.name))
            .expected(self.allowed.say_all(" or "), format!("`{}`", call.name))
            .help("keep the agent from calling it, or add it to the allowlist")
            .at("/tools")
    }
}
