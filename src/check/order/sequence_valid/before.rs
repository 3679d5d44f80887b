//! `before` and `immediately_before`: another call precedes a call.

use super::operand::{Operand, Operands};
use super::reader::RuleReader;
use super::{Finding, Rule, RuleKind, Run, SameTurn};
use crate::check::support::words::join_list;
use crate::outcome::Violation;
use crate::trace::Call;

pub(super) const BEFORE: RuleKind =
    RuleKind { name: "before", read: |reader| Some(Box::new(Before(Order::read(reader)?))) };

pub(super) const IMMEDIATELY_BEFORE: RuleKind = RuleKind {
    name: "immediately_before",
    read: |reader| Some(Box::new(ImmediatelyBefore(Order::read(reader)?))),
};

/// Why a call of the same turn does not count.
const SAME_TURN: &str = "same turn: the second call could not have seen the first's result";

/// The tools of both rules.
struct Order {
    first: Operands,
    then: Operands,
}

impl Order {
    fn read(reader: &mut RuleReader<'_>) -> Option<Self> {
        let (first, then) = (reader.tools("first"), reader.tools("then"));
        let order = Self { first: first?, then: then? };
        let firsts = order.first.tools();
        // An operand that names the same tool on both sides could only be kept by never calling it.
        let itself = order.then.tools().iter().position(|then| firsts.iter().any(|first| first.same(then)));
        if let Some(index) = itself {
            let problem = format!("{} cannot come before itself", order.then.tools()[index]);
            let error = reader.error(&order.then.pointer(index), problem);
            reader.fields.errors.push(error.help("`first` and `then` name different tools"));
            return None;
        }
        Some(order)
    }

    fn operands(&self) -> Vec<&Operand> {
        self.first.tools().iter().chain(self.then.tools()).collect()
    }

    fn not_exercised(&self) -> Finding {
        Finding::NotExercised(format!("{} was never called", self.then.say_all(", ")))
    }

    /// `then` alone.
    fn refused(&self) -> Option<Vec<Call>> {
        Some(vec![self.then.tools().iter().find_map(|then| then.example(1))?])
    }
}

/// Each `first` is called before the first call of each `then`.
struct Before(Order);

impl Rule for Before {
    fn operands(&self) -> Vec<&Operand> {
        self.0.operands()
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        self.0.first.tools().iter().collect()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let thens = self.0.then.tools().iter();
        let tested: Vec<(&Operand, usize)> =
            thens.filter_map(|then| Some((then, then.first_in(run.calls)?))).collect();
        if tested.is_empty() {
            return self.0.not_exercised();
        }
        Finding::of(tested.into_iter().filter_map(|(then, at)| self.unprepared(then, at, run)).collect())
    }

    fn refused(&self) -> Option<Vec<Call>> {
        self.0.refused()
    }
}

impl Before {
    /// The violation when some `first` does not stand before the call of `then` at `at`.
    fn unprepared(&self, then: &Operand, at: usize, run: &Run<'_>) -> Option<Violation> {
        let firsts = self.0.first.tools().iter().enumerate();
        let missing: Vec<(usize, &Operand)> =
            firsts.filter(|(_, first)| !stands_before(first, at, run)).collect();
        let (index, _) = missing.first()?;
        let missing_tools: Vec<&Operand> = missing.iter().map(|(_, first)| *first).collect();
        Some(describe_missing(&missing_tools, then, at, run).at(self.0.first.pointer(*index)))
    }
}

fn stands_before(first: &Operand, at: usize, run: &Run<'_>) -> bool {
    let then = &run.calls[at];
    let mut earlier = run.calls[..at].iter().filter(|call| first.matches(call));
    earlier.any(|call| run.same_turn == SameTurn::Allow || !is_parallel(call, then))
}

/// Turns are counted by each agent for itself.
fn is_parallel(one: &Call, other: &Call) -> bool {
    one.turn == other.turn && one.agent_path == other.agent_path
}

fn describe_missing(missing: &[&Operand], then: &Operand, at: usize, run: &Run<'_>) -> Violation {
    let call = &run.calls[at];
    let said: Vec<String> = missing.iter().map(ToString::to_string).collect();
    let said = join_list(&said, "and");
    // A call of the same turn was made without the other's result, so it does not count as one before.
    let same_turn = missing.iter().any(|first| first.first_in(&run.calls[..at]).is_some());
    let (when, help) = if same_turn {
        (
            "in an earlier turn",
            format!("{SAME_TURN}; call {said} in an earlier turn, or say `same_turn: allow`"),
        )
    } else {
        ("before it", format!("call {said} first, or drop the rule"))
    };
    let actual: Vec<String> = missing.iter().map(|first| locate_first(first, at, run)).collect();
    Violation::of_call(call, format!("{} was called without {said} {when}", then.say(call)))
        .expected(format!("{said} before call {}", call.index), join_list(&actual, "and"))
        .help(help)
}

fn locate_first(first: &Operand, at: usize, run: &Run<'_>) -> String {
    match first.first_in(run.calls) {
        None => format!("{first} was never called"),
        Some(found) if found < at => format!("{first} is call {} of the same turn", run.calls[found].index),
        Some(found) => format!("{first} came only as call {}", run.calls[found].index),
    }
}

/// Directly before every call of each `then` stands a call of one `first`.
struct ImmediatelyBefore(Order);

impl Rule for ImmediatelyBefore {
    fn operands(&self) -> Vec<&Operand> {
        self.0.operands()
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        // Of several tools one will do: which of them was meant is unknown.
        if let [only] = self.0.first.tools() { vec![only] } else { Vec::new() }
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let tested: Vec<usize> =
            (0..run.calls.len()).filter(|at| self.0.then.any_matches(&run.calls[*at])).collect();
        if tested.is_empty() {
            return self.0.not_exercised();
        }
        Finding::of(tested.into_iter().filter_map(|at| self.unpreceded(at, run)).collect())
    }

    fn refused(&self) -> Option<Vec<Call>> {
        self.0.refused()
    }
}

impl ImmediatelyBefore {
    fn unpreceded(&self, at: usize, run: &Run<'_>) -> Option<Violation> {
        let previous = at.checked_sub(1).map(|previous| &run.calls[previous]);
        if previous.is_some_and(|call| self.0.first.any_matches(call)) {
            return None;
        }
        let call = &run.calls[at];
        let then = self.0.then.tools().iter().find(|then| then.matches(call))?;
        let first = self.0.first.say_all(" or ");
        let actual = previous.map_or_else(
            || "it was the first call".to_owned(),
            |previous| format!("`{}` stands directly before it", previous.name),
        );
        let message = format!("{} was called without {first} directly before it", then.say(call));
        let violation = Violation::of_call(call, message)
            .expected(format!("{first} as the call before call {}", call.index), actual)
            .help(format!("call {first} right before each {then}, or use `before`"));
        Some(violation.at("/first"))
    }
}
