//! `after` and `never_after`: what follows a call.

use super::operand::{Operand, Operands};
use super::reader::{self, RuleReader};
use super::{Finding, Rule, RuleKind, Run};
use crate::check::support::words::say_calls;
use crate::outcome::Violation;
use crate::place::LoadError;
use crate::trace::Call;
use crate::yaml::Node;

pub(super) const AFTER: RuleKind = RuleKind { name: "after", read: read_after };

pub(super) const NEVER_AFTER: RuleKind = RuleKind { name: "never_after", read: never_after };

/// Each call of `trigger` is followed by each `then`. One call may answer several triggers.
struct After {
    trigger: Operand,
    then: Operands,
    within: Within,
}

/// How far behind the trigger the answer may stand.
#[derive(Clone, Copy)]
enum Within {
    Calls(usize),
    Any,
}

fn read_after(reader: &mut RuleReader<'_>) -> Option<Box<dyn Rule>> {
    let (trigger, then) = (reader.tool("trigger"), reader.tools("then"));
    let within = match reader.fields.node("within") {
        Some(node) => reader.fields.take(read_within(node)),
        None => Some(Within::Calls(1)),
    };
    Some(Box::new(After { trigger: trigger?, then: then?, within: within? }))
}

fn read_within(node: Node<'_>) -> Result<Within, LoadError> {
    match node.as_str() {
        Some("any") => Ok(Within::Any),
        Some(_) => Err(node.error("`within` is a number of calls, 1 or more, or `any`")),
        None => reader::window(node, "within").map(Within::Calls),
    }
}

impl Within {
    fn admits(self, trigger: usize, answer: usize) -> bool {
        match self {
            Self::Calls(calls) => answer - trigger <= calls,
            Self::Any => true,
        }
    }

    fn words(self) -> String {
        match self {
            Self::Calls(1) => "directly after it".to_owned(),
            Self::Calls(calls) => format!("within {} after it", say_calls(calls)),
            Self::Any => "anywhere after it".to_owned(),
        }
    }
}

impl Rule for After {
    fn operands(&self) -> Vec<&Operand> {
        std::iter::once(&self.trigger).chain(self.then.tools()).collect()
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        self.then.tools().iter().collect()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let triggers = self.trigger.all_in(run.calls);
        if triggers.is_empty() {
            return never_came(&self.trigger);
        }
        let thens = self.then.tools().iter().enumerate();
        let open = thens.flat_map(|(index, then)| self.unanswered(index, then, &triggers, run));
        Finding::of(open.collect())
    }

    // Until the window is over, a call may still answer the trigger.
    fn find_prefix(&self, violation: &Violation, run: &Run<'_>) -> Option<usize> {
        let Within::Calls(window) = self.within else { return None };
        let trigger = run.calls.iter().position(|call| Some(call.index) == violation.call)?;
        Some(trigger + 1 + window).filter(|calls| *calls <= run.calls.len())
    }

    fn refused(&self) -> Option<Vec<Call>> {
        Some(vec![self.trigger.example(1)?])
    }
}

impl After {
    /// A violation for each trigger that `then` does not follow in time.
    fn unanswered(&self, index: usize, then: &Operand, triggers: &[usize], run: &Run<'_>) -> Vec<Violation> {
        let answers = then.all_in(run.calls);
        // The answers are in order, so the first one behind a trigger is found by a binary search. It alone decides: if the
        // next answer comes too late, so does every further one.
        let nexts = triggers.iter().map(|at| {
            let next = answers.partition_point(|answer| answer <= at);
            (*at, answers.get(next).copied())
        });
        let open = nexts.filter(|(at, next)| !next.is_some_and(|answer| self.within.admits(*at, answer)));
        open.map(|(at, next)| self.alone(at, next, then, run).at(self.then.pointer(index))).collect()
    }

    fn alone(&self, at: usize, next: Option<usize>, then: &Operand, run: &Run<'_>) -> Violation {
        let (call, window) = (&run.calls[at], self.within.words());
        let actual = match next {
            Some(next) => format!("the next call of {then} is call {}", run.calls[next].index),
            None => format!("{then} was never called after it"),
        };
        Violation::of_call(call, format!("{} was called without {then} {window}", self.trigger.say(call)))
            .expected(format!("a call of {then} {window}"), actual)
            .help(format!("call {then} after it, or change the rule"))
    }
}

/// After the first call of `trigger` there is no call of `forbidden`.
struct NeverAfter {
    trigger: Operand,
    forbidden: Operand,
}

fn never_after(reader: &mut RuleReader<'_>) -> Option<Box<dyn Rule>> {
    let (trigger, forbidden) = (reader.tool("trigger"), reader.tool("forbidden"));
    Some(Box::new(NeverAfter { trigger: trigger?, forbidden: forbidden? }))
}

impl Rule for NeverAfter {
    fn operands(&self) -> Vec<&Operand> {
        vec![&self.trigger, &self.forbidden]
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let Some(first) = self.trigger.first_in(run.calls) else { return never_came(&self.trigger) };
        let later = run.calls[first + 1..].iter().filter(|call| self.forbidden.matches(call));
        Finding::of(later.map(|call| self.forbidden(call, &run.calls[first])).collect())
    }

    fn stays_broken(&self, _violations: &[&Violation]) -> bool {
        true
    }

    fn refused(&self) -> Option<Vec<Call>> {
        Some(vec![self.trigger.example(1)?, self.forbidden.example(2)?])
    }
}

impl NeverAfter {
    fn forbidden(&self, call: &Call, trigger: &Call) -> Violation {
        let (said, cause) = (self.forbidden.say(call), self.trigger.say(trigger));
        let violation = Violation::of_call(call, format!("{said} was called after {cause}"))
            .expected(
                format!("no call of {} after call {}", self.forbidden, trigger.index),
                format!("call {} is one", call.index),
            )
            .help(format!("keep the agent from calling it once {cause} was called"))
            .at("/forbidden");
        Violation { calls: vec![trigger.index, call.index], ..violation }
    }
}

fn never_came(trigger: &Operand) -> Finding {
    Finding::NotExercised(format!("{trigger} was never called"))
}
