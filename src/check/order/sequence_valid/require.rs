//! `require`: each of the tools is called.

use super::operand::{Operand, Operands};
use super::reader::RuleReader;
use super::{Finding, Rule, RuleKind, Run, words};
use crate::outcome::Violation;
use crate::trace::Call;
use crate::yaml::nearest;

pub(super) const REQUIRE: RuleKind = RuleKind { name: "require", read: read_rule };

struct Require {
    tools: Operands,
}

fn read_rule(reader: &mut RuleReader<'_>) -> Option<Box<dyn Rule>> {
    let key = reader.either(["tool", "tools"]);
    Some(Box::new(Require { tools: reader.tools(key)? }))
}

impl Rule for Require {
    fn operands(&self) -> Vec<&Operand> {
        self.tools.tools().iter().collect()
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        self.operands()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let missing =
            self.tools.tools().iter().enumerate().filter(|(_, tool)| tool.first_in(run.calls).is_none());
        Finding::of(
            missing
                .map(|(index, tool)| never_called(tool, run.calls).at(self.tools.pointer(index)))
                .collect(),
        )
    }

    fn stays_held(&self) -> bool {
        true
    }

    fn list_required(&self) -> Vec<Vec<Vec<Call>>> {
        self.tools.tools().iter().filter_map(|tool| tool.list_alternatives(1)).collect()
    }

    fn refused(&self) -> Option<Vec<Call>> {
        Some(Vec::new())
    }
}

fn never_called(tool: &Operand, calls: &[Call]) -> Violation {
    let called = words::called(calls);
    let near = nearest(tool.name(), called.iter().copied()).filter(|near| *near != tool.name());
    let help = near.map_or_else(
        || format!("have the agent call {tool}, or drop the rule"),
        |near| format!("`{near}` was called: is that the tool meant?"),
    );
    Violation::new(format!("{tool} was never called"))
        .tool(tool.name())
        .expected(
            format!("at least one call of {tool}"),
            format!("the agent called {}", words::names(called)),
        )
        .help(help)
}
