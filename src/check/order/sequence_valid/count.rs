//! `count` and `max_calls`: how often a tool is called.

use super::operand::Operand;
use super::reader::RuleReader;
use super::{Finding, Rule, RuleKind, Run, words};
use crate::check::support::words::say_calls;
use crate::outcome::Violation;
use crate::trace::Call;

/// A bound above this has no counterexample: a trace of so many calls is not worth building.
const LARGEST_EXAMPLE: usize = 10_000;

/// A required number above this is not compared with other rules.
const LARGEST_REQUIRED: usize = 100;

pub(super) const COUNT: RuleKind = RuleKind { name: "count", read: read_count };

pub(super) const MAX_CALLS: RuleKind = RuleKind { name: "max_calls", read: max_calls };

struct Count {
    tool: Operand,
    bounds: Vec<Bound>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BoundKind {
    Exactly,
    Min,
    Max,
}

#[derive(Clone, Copy)]
struct Bound {
    kind: BoundKind,
    number: usize,
}

/// The bounds by their keys, and what messages call them.
const BOUNDS: [(&str, BoundKind, &str); 3] = [
    ("exactly", BoundKind::Exactly, "exactly"),
    ("min", BoundKind::Min, "at least"),
    ("max", BoundKind::Max, "at most"),
];

fn read_count(reader: &mut RuleReader<'_>) -> Option<Box<dyn Rule>> {
    let (tool, bounds) = (reader.tool("tool"), read_bounds(reader));
    Some(Box::new(Count { tool: tool?, bounds: bounds? }))
}

fn read_bounds(reader: &mut RuleReader<'_>) -> Option<Vec<Bound>> {
    let given = BOUNDS.into_iter().filter_map(|(key, kind, _)| {
        let node = reader.fields.node(key)?;
        Some(reader.fields.take(node.decode()).map(|number| Bound { kind, number }))
    });
    let given: Vec<Option<Bound>> = given.collect();
    // A bound that cannot be read is noted already: nothing is said about the others then.
    let bounds = given.into_iter().collect::<Option<Vec<Bound>>>()?;
    let Some((pointer, problem)) = find_contradiction(&bounds) else { return Some(bounds) };
    let error = reader.error(pointer, problem).help("give `min`, `max` or both, or `exactly` alone");
    // No bound at all may be a misspelt one, which the reader of the fields reports better.
    if bounds.is_empty() {
        reader.fields.missing(&BOUNDS.map(|(key, ..)| key), error);
    } else {
        reader.fields.errors.push(error);
    }
    None
}

fn max_calls(reader: &mut RuleReader<'_>) -> Option<Box<dyn Rule>> {
    let tool = reader.tool("tool");
    let max = reader.node("max").and_then(|node| reader.fields.take(node.decode()));
    Some(Box::new(Count { tool: tool?, bounds: vec![Bound { kind: BoundKind::Max, number: max? }] }))
}

/// Returns the key at fault and the reason, for bounds that say nothing or cannot hold together.
fn find_contradiction(bounds: &[Bound]) -> Option<(&'static str, &'static str)> {
    use BoundKind::{Exactly, Max, Min};
    match bounds {
        [] => Some(("", "a `count` without a bound holds always")),
        [Bound { kind: Min, number: 0 }] => Some(("/min", "`min: 0` holds always")),
        [Bound { kind: Exactly, .. }, _, ..] => {
            Some(("/exactly", "`exactly` leaves nothing to `min` and `max`"))
        }
        [Bound { kind: Min, number: min }, Bound { kind: Max, number: max }] if min > max => {
            Some(("/min", "`min` is more than `max`"))
        }
        _ => None,
    }
}

impl Bound {
    fn admits(self, count: usize) -> bool {
        match self.kind {
            BoundKind::Min => count >= self.number,
            BoundKind::Max => count <= self.number,
            BoundKind::Exactly => count == self.number,
        }
    }

    /// Whether the bound requires calls.
    fn is_minimum(self) -> bool {
        self.kind != BoundKind::Max && self.number > 0
    }

    /// Returns the key, and what messages call the bound.
    fn words(self) -> (&'static str, &'static str) {
        let known = BOUNDS.iter().find(|(_, kind, _)| *kind == self.kind);
        known.map_or(("", ""), |(key, _, words)| (key, words))
    }

    /// Returns the smallest number of calls that breaks the bound.
    fn find_breaking_count(self) -> Option<usize> {
        match self.kind {
            BoundKind::Min => (self.number > 0).then_some(0),
            BoundKind::Max => self.number.checked_add(1),
            BoundKind::Exactly => Some(usize::from(self.number == 0)),
        }
    }

    /// Finds the first call that is one too many.
    fn find_excess<'c>(self, hits: &[&'c Call]) -> Option<&'c Call> {
        hits.get(self.number).copied().filter(|_| self.kind != BoundKind::Min)
    }
}

impl Rule for Count {
    fn operands(&self) -> Vec<&Operand> {
        vec![&self.tool]
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        if self.bounds.iter().any(|bound| bound.is_minimum()) { vec![&self.tool] } else { Vec::new() }
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let hits: Vec<&Call> = self.tool.all_in(run.calls).into_iter().map(|at| &run.calls[at]).collect();
        let broken = self.bounds.iter().find(|bound| !bound.admits(hits.len()));
        Finding::of(broken.map(|bound| self.miscounted(*bound, &hits)).into_iter().collect())
    }

    fn stays_broken(&self, violations: &[&Violation]) -> bool {
        // A call that is one too many is named; calls that are missing cannot be.
        violations.iter().any(|violation| violation.call.is_some())
    }

    fn stays_held(&self) -> bool {
        self.bounds.iter().all(|bound| bound.kind == BoundKind::Min)
    }

    fn list_required(&self) -> Vec<Vec<Vec<Call>>> {
        let least = self.bounds.iter().filter(|bound| bound.is_minimum()).map(|bound| bound.number).max();
        let least = least.filter(|least| *least <= LARGEST_REQUIRED);
        least.and_then(|least| self.tool.list_alternatives(least)).into_iter().collect()
    }

    fn refused(&self) -> Option<Vec<Call>> {
        let counts = self.bounds.iter().filter_map(|bound| bound.find_breaking_count());
        let count = counts.min().filter(|count| *count <= LARGEST_EXAMPLE)?;
        (1..=count).map(|turn| self.tool.example(turn)).collect()
    }
}

impl Count {
    fn miscounted(&self, bound: Bound, hits: &[&Call]) -> Violation {
        let (key, limit) = bound.words();
        let (demand, expected) = match bound.number {
            0 => ("never be".to_owned(), "no call".to_owned()),
            number => (
                format!("be called {limit} {}", words::times(number)),
                format!("{limit} {}", say_calls(number)),
            ),
        };
        let message = format!("{} was {}, but should {demand}", self.tool, say_called(hits.len()));
        let violation = bound.find_excess(hits).map_or_else(
            || Violation::new(&message).tool(self.tool.name()),
            |call| Violation::of_call(call, &message),
        );
        Violation { calls: hits.iter().map(|call| call.index).collect(), ..violation }
            .constraint(format!("{key}: {}", bound.number))
            .expected(expected, say_calls(hits.len()))
            .help("change how often the agent calls it, or the bound")
            .at(format!("/{key}"))
    }
}

fn say_called(count: usize) -> String {
    if count == 0 { "never called".to_owned() } else { format!("called {}", words::times(count)) }
}
