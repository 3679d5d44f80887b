//! `sequence`: once one of the tools is called, all are, in this order.

use super::operand::{Operand, Operands};
use super::reader::RuleReader;
use super::{Finding, Rule, RuleKind, Run};
use crate::outcome::Violation;
use crate::trace::Call;

pub(super) const SEQUENCE: RuleKind = RuleKind { name: "sequence", read: read_rule };

struct Sequence {
    tools: Operands,
    strict: bool,
}

fn read_rule(reader: &mut RuleReader<'_>) -> Option<Box<dyn Rule>> {
    let (tools, strict) = (reader.tools("tools"), reader.fields.optional("strict"));
    Some(Box::new(Sequence { tools: tools?, strict: strict.unwrap_or_default() }))
}

/// The call at `at` stands where the member `next` was due.
struct Breach {
    at: usize,
    next: usize,
}

impl Rule for Sequence {
    fn operands(&self) -> Vec<&Operand> {
        self.tools.tools().iter().collect()
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        self.operands()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let members = self.tools.tools();
        let reached = if self.strict { self.walk_strictly(run.calls) } else { self.walk_loosely(run.calls) };
        match reached {
            // Without its first member, the sequence was never begun.
            Ok(0) => Finding::NotExercised(format!("none of {} was called", self.tools.say_all(", "))),
            Ok(reached) if reached == members.len() => Finding::Held,
            Ok(reached) => Finding::of(vec![self.unfinished(reached)]),
            Err(breach) => Finding::of(vec![self.breached(&breach, run)]),
        }
    }

    fn refused(&self) -> Option<Vec<Call>> {
        Some(vec![self.tools.tools().first()?.example(1)?])
    }
}

impl Sequence {
    /// Counts the members that were called in their order. Other calls, and repeats of earlier members, may come
    /// between them.
    fn walk_loosely(&self, calls: &[Call]) -> Result<usize, Breach> {
        let members = self.tools.tools();
        // `next` is the member that is due. A call of a later member before it breaks the order; a repeat of an
        // earlier one does not.
        let mut next = 0;
        for (at, call) in calls.iter().enumerate() {
            let (past, due) = members.split_at(next);
            let Some((expected, later)) = due.split_first() else { break };
            if expected.matches(call) {
                next += 1;
            } else if !past.iter().any(|member| member.matches(call))
                && later.iter().any(|member| member.matches(call))
            {
                return Err(Breach { at, next });
            }
        }
        Ok(next)
    }

    /// Counts the members that were called directly one after the other, from the first call of any member on.
    fn walk_strictly(&self, calls: &[Call]) -> Result<usize, Breach> {
        // Calls before the first member are free. From it on, each call must be the next member.
        let Some(start) = calls.iter().position(|call| self.tools.any_matches(call)) else { return Ok(0) };
        let mut next = 0;
        for (member, at) in self.tools.tools().iter().zip(start..calls.len()) {
            if !member.matches(&calls[at]) {
                return Err(Breach { at, next });
            }
            next += 1;
        }
        Ok(next)
    }

    fn unfinished(&self, reached: usize) -> Violation {
        let members = self.tools.tools();
        let (last, missing) = (&members[reached - 1], &members[reached]);
        let violation = Violation::new(format!("{missing} was not called after {last}")).tool(missing.name());
        self.explain(violation, format!("the run ended after {last}"), reached)
    }

    fn breached(&self, breach: &Breach, run: &Run<'_>) -> Violation {
        let (call, expected) = (&run.calls[breach.at], &self.tools.tools()[breach.next]);
        let message = match breach.next.checked_sub(1) {
            Some(last) if self.strict => {
                let last = &self.tools.tools()[last];
                format!("`{}` was called directly after {last}, in place of {expected}", call.name)
            }
            _ => format!("`{}` was called before {expected}", call.name),
        };
        self.explain(
            Violation::of_call(call, message),
            format!("`{}` is call {}", call.name, call.index),
            breach.next,
        )
    }

    fn explain(&self, violation: Violation, actual: String, member: usize) -> Violation {
        let how = if self.strict { "in direct succession" } else { "in this order" };
        violation
            .expected(format!("{} {how}", self.tools.say_all(", ")), actual)
            .help("keep the order, or change the rule")
            .at(self.tools.pointer(member))
    }
}
