//! The setting `sequence`: exactly these calls, in this order, and no others.

use super::operand::{Operand, Operands};
use super::{Finding, Rule, Run, words};
use crate::check::support::words::say_calls;
use crate::outcome::Violation;
use crate::trace::Call;

/// The whole run, call by call.
pub(super) struct Exact {
    pub(super) tools: Operands,
}

impl Rule for Exact {
    fn operands(&self) -> Vec<&Operand> {
        self.tools.tools().iter().collect()
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        self.operands()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        Finding::of(self.first_difference(run.calls).into_iter().collect())
    }

    fn refused(&self) -> Option<Vec<Call>> {
        Some(Vec::new())
    }
}

impl Exact {
    fn first_difference(&self, calls: &[Call]) -> Option<Violation> {
        let tools = self.tools.tools();
        // The first place where the lists part is the one to report: all places behind it may only be shifted.
        let same = tools.iter().zip(calls).take_while(|(tool, call)| tool.matches(call)).count();
        let violation = match (tools.get(same), calls.get(same)) {
            (None, None) => return None,
            (Some(tool), Some(call)) => describe_other(call, tool),
            (Some(tool), None) => describe_missing(tool, calls.len()),
            (None, Some(call)) => {
                Violation::of_call(call, format!("`{}` was called after the sequence had ended", call.name))
            }
        };
        let at = if same < tools.len() { self.tools.pointer(same) } else { "/sequence".to_owned() };
        let called = words::names(calls.iter().map(|call| call.name.as_str()));
        let expected = format!("exactly {}", self.tools.say_all(", "));
        Some(violation.expected(expected, called).help("keep the order, or change `sequence`").at(at))
    }
}

fn describe_other(call: &Call, tool: &Operand) -> Violation {
    Violation::of_call(call, format!("`{}` was called as call {}, in place of {tool}", call.name, call.index))
}

fn describe_missing(tool: &Operand, calls: usize) -> Violation {
    Violation::new(format!("{tool} was not called: the run ended after {}", say_calls(calls)))
        .tool(tool.name())
}
