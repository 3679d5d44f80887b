//! `eventually`: a tool is among the first calls.

use super::operand::Operand;
use super::reader::RuleReader;
use super::{Finding, Rule, RuleKind, Run};
use crate::check::support::words::say_calls;
use crate::outcome::Violation;
use crate::trace::Call;

pub(super) const EVENTUALLY: RuleKind = RuleKind { name: "eventually", read: read_rule };

struct Eventually {
    tool: Operand,
    within: usize,
}

fn read_rule(reader: &mut RuleReader<'_>) -> Option<Box<dyn Rule>> {
    let (tool, within) = (reader.tool("tool"), reader.window("within"));
    Some(Box::new(Eventually { tool: tool?, within: within? }))
}

impl Rule for Eventually {
    fn operands(&self) -> Vec<&Operand> {
        vec![&self.tool]
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        self.operands()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        match self.tool.first_in(run.calls) {
            Some(at) if at < self.within => Finding::Held,
            Some(at) => Finding::of(vec![self.late(&run.calls[at])]),
            None => Finding::of(vec![self.never(run)]),
        }
    }

    fn find_prefix(&self, _violation: &Violation, run: &Run<'_>) -> Option<usize> {
        Some(self.within).filter(|calls| *calls <= run.calls.len())
    }

    fn list_required(&self) -> Vec<Vec<Vec<Call>>> {
        self.tool.list_alternatives(1).into_iter().collect()
    }

    fn refused(&self) -> Option<Vec<Call>> {
        Some(Vec::new())
    }
}

impl Eventually {
    fn late(&self, call: &Call) -> Violation {
        let message = format!("{} was called only as call {}", self.tool.say(call), call.index);
        self.explain(Violation::of_call(call, message), format!("its first call is call {}", call.index))
            .at("/within")
    }

    fn never(&self, run: &Run<'_>) -> Violation {
        let violation = Violation::new(format!("{} was never called", self.tool)).tool(self.tool.name());
        self.explain(violation, format!("none among {}", say_calls(run.calls.len()))).at("/tool")
    }

    fn explain(&self, violation: Violation, actual: String) -> Violation {
        let window = if self.within == 1 { "call".to_owned() } else { say_calls(self.within) };
        violation
            .constraint(format!("within: {}", self.within))
            .expected(format!("a call of {} within the first {window}", self.tool), actual)
            .help(format!("call {} earlier, or widen `within`", self.tool))
    }
}
