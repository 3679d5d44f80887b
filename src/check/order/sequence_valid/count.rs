//! `count` and `max_calls`: how often a tool is called.

use super::operand::Operand;
use super::reader::RuleReader;
use super::{Finding, Rule, RuleKind, Run, words};
use crate::outcome::Violation;
use crate::trace::Call;

/// A bound above this has no counterexample: a trace of so many calls is not worth building.
const LARGEST_EXAMPLE: usize = 10_000;

/// A required number above this is not compared with other rules.
const LARGEST_REQUIRED: usize = 100;

pub(super) const COUNT: RuleKind = RuleKind { name: "count", read: count };

pub(super) const MAX_CALLS: RuleKind = RuleKind { name: "max_calls", read: max_calls };

struct Count {
    tool: Operand,
    bounds: Vec<Bound>,
}

#[derive(Clone, Copy)]
enum Bound {
    Min(usize),
    Max(usize),
    Exactly(usize),
}

type MakeBound = fn(usize) -> Bound;

const BOUNDS: [(&str, MakeBound); 3] =
    [("exactly", Bound::Exactly), ("min", Bound::Min), ("max", Bound::Max)];

fn count(reader: &mut RuleReader<'_>) -> Option<Box<dyn Rule>> {
    let (tool, bounds) = (reader.tool("tool"), bounds(reader));
    Some(Box::new(Count { tool: tool?, bounds: bounds? }))
}

fn bounds(reader: &mut RuleReader<'_>) -> Option<Vec<Bound>> {
    let given: Vec<Option<Bound>> = BOUNDS
        .into_iter()
        .filter_map(|(key, bound)| reader.given(key).map(|node| reader.take(node.decode()).map(bound)))
        .collect();
    // A bound that cannot be read is noted already: nothing is said about the others then.
    let bounds = given.into_iter().collect::<Option<Vec<Bound>>>()?;
    let Some((pointer, problem)) = contradiction(&bounds) else { return Some(bounds) };
    let error = reader.error(pointer, problem).help("give `min`, `max` or both, or `exactly` alone");
    if bounds.is_empty() {
        reader.missing(&BOUNDS.map(|(key, _)| key), error);
    } else {
        reader.refuse(error);
    }
    None
}

fn max_calls(reader: &mut RuleReader<'_>) -> Option<Box<dyn Rule>> {
    let tool = reader.tool("tool");
    let max = reader.node("max").and_then(|node| reader.take(node.decode()));
    Some(Box::new(Count { tool: tool?, bounds: vec![Bound::Max(max?)] }))
}

/// What to blame and why, for bounds that say nothing or cannot hold together.
fn contradiction(bounds: &[Bound]) -> Option<(&'static str, &'static str)> {
    match bounds {
        [] => Some(("", "a `count` without a bound holds always")),
        [Bound::Min(0)] => Some(("/min", "`min: 0` holds always")),
        [Bound::Exactly(_), _, ..] => Some(("/exactly", "`exactly` leaves nothing to `min` and `max`")),
        [Bound::Min(min), Bound::Max(max)] if min > max => Some(("/min", "`min` is more than `max`")),
        _ => None,
    }
}

impl Bound {
    fn admits(self, count: usize) -> bool {
        match self {
            Self::Min(min) => count >= min,
            Self::Max(max) => count <= max,
            Self::Exactly(exactly) => count == exactly,
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Min(_) => "min",
            Self::Max(_) => "max",
            Self::Exactly(_) => "exactly",
        }
    }

    /// The smallest number of calls that breaks it.
    fn missed(self) -> Option<usize> {
        match self {
            Self::Min(min) => (min > 0).then_some(0),
            Self::Max(max) => max.checked_add(1),
            Self::Exactly(exactly) => Some(usize::from(exactly == 0)),
        }
    }

    /// The first call that is one too many.
    fn excess<'c>(self, hits: &[&'c Call]) -> Option<&'c Call> {
        let over = matches!(self, Self::Max(_) | Self::Exactly(_));
        hits.get(self.number()).copied().filter(|_| over)
    }

    fn demand(self) -> String {
        match self.number() {
            0 => "never be".to_owned(),
            number => format!("be called {} {}", self.limit(), words::times(number)),
        }
    }

    fn expected(self) -> String {
        match self.number() {
            0 => "no call".to_owned(),
            number => format!("{} {}", self.limit(), words::calls(number)),
        }
    }

    fn limit(self) -> &'static str {
        match self {
            Self::Min(_) => "at least",
            Self::Max(_) => "at most",
            Self::Exactly(_) => "exactly",
        }
    }

    fn number(self) -> usize {
        match self {
            Self::Min(number) | Self::Max(number) | Self::Exactly(number) => number,
        }
    }
}

impl Rule for Count {
    fn operands(&self) -> Vec<&Operand> {
        vec![&self.tool]
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        let is_minimum = |bound: &Bound| !matches!(bound, Bound::Max(_)) && bound.number() > 0;
        if self.bounds.iter().any(is_minimum) { vec![&self.tool] } else { Vec::new() }
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
        self.bounds.iter().all(|bound| matches!(bound, Bound::Min(_)))
    }

    fn list_required(&self) -> Vec<Vec<Vec<Call>>> {
        let least =
            self.bounds.iter().filter(|bound| !matches!(bound, Bound::Max(_))).map(|bound| bound.number());
        let least = least.max().filter(|least| (1..=LARGEST_REQUIRED).contains(least));
        least.and_then(|least| self.tool.list_alternatives(least)).into_iter().collect()
    }

    fn refused(&self) -> Option<Vec<Call>> {
        let counts = self.bounds.iter().filter_map(|bound| bound.missed());
        let count = counts.min().filter(|count| *count <= LARGEST_EXAMPLE)?;
        (1..=count).map(|turn| self.tool.example(turn)).collect()
    }
}

impl Count {
    fn miscounted(&self, bound: Bound, hits: &[&Call]) -> Violation {
        let message = format!("{} was {}, but should {}", self.tool, called(hits.len()), bound.demand());
        let violation = bound.excess(hits).map_or_else(
            || Violation { tool: Some(self.tool.name().to_owned()), ..Violation::new(&message) },
            |call| Violation::of_call(call, &message),
        );
        let constraint = Some(format!("{}: {}", bound.key(), bound.number()));
        Violation { calls: hits.iter().map(|call| call.index).collect(), constraint, ..violation }
            .expected(bound.expected(), words::calls(hits.len()))
            .help("change how often the agent calls it, or the bound")
            .at(format!("/{}", bound.key()))
    }
}

fn called(count: usize) -> String {
    if count == 0 { "never called".to_owned() } else { format!("called {}", words::times(count)) }
}
