//! `sequence_correctness`: how far the calls follow a sequence of tools.
//!
//! The score is the progress along the sequence, rounded to 4 decimals.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/sequence_correctness/fail-order.yaml")]
//! ```

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::check::support::demands::share_without_banned;
use crate::check::support::messages::{note_attempts, say_times};
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::{CallSuccess, Evidence};
use crate::json::json;
use crate::outcome::{CannotDecide, Item, Loss, Outcome, Score, Violation, count_to_f64};
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::trace::{Call, Trace};
use crate::yaml::Placed;

pub(crate) const KIND: CheckKind =
    CheckKind::built::<SequenceSettings>("sequence_correctness", "the calls follow this sequence of tools")
        .shorthand("tool_sequence");

/// The number of calls of a run that a message names.
const SHOWN: usize = 12;

/// Settings of `sequence_correctness`.
#[derive(Deserialize, JsonSchema)]
struct SequenceSettings {
    /// Names of tools, or globs, in order.
    tool_sequence: Option<Vec<ToolPattern>>,
    /// How the calls follow the sequence.
    mode: Option<Mode>,
}

struct SequenceCorrectness {
    sequence: Vec<ToolPattern>,
    mode: Mode,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    /// Other calls may come between. Progress: the tools that follow from the first one on. The default.
    #[default]
    Subsequence,
    /// The calls are this list and no other. Progress: the positions that agree. An extra call breaks the sequence,
    /// but costs nothing.
    Exact,
    /// Each tool is called as often as it is listed, in any order.
    Unordered,
}

impl BuildCheck for SequenceSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let Self { tool_sequence, mode } = settings.into_value();
        let sequence = tool_sequence.unwrap_or_default();
        Ok(Box::new(SequenceCorrectness { sequence, mode: mode.unwrap_or_default() }))
    }
}

/// Which members of the sequence hold, and the first violation.
type Progress = (Vec<bool>, Option<Violation>);

impl Check for SequenceCorrectness {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let trace = &evidence.trace;
        let (held, violation) = match self.mode {
            Mode::Subsequence => self.in_order(trace),
            Mode::Exact => self.exactly(trace),
            Mode::Unordered => self.in_any_order(trace),
        };
        let score = Score::new(rounded_share(held.iter().filter(|held| **held).count(), held.len()));
        let correct = violation.is_none();
        let outcome = Outcome {
            score,
            losses: list_losses(score, &held),
            ..Outcome::of_items(self.items(&held, trace), violation.into_iter().collect())
        };
        Ok(outcome
            .stat("calls_checked", trace.calls.len())
            .value("mode", json!(self.mode))
            .value("correct", correct.into())
            .value("progress", score.get().into()))
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        self.sequence.iter().collect()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(Trace::default().into())
    }

    fn is_vacuous(&self) -> bool {
        self.sequence.is_empty()
    }

    fn lowest_score(&self) -> Score {
        if self.is_vacuous() { Score::FULL } else { Score::ZERO }
    }

    fn highest_score(&self, is_banned: &dyn Fn(&ToolPattern) -> bool) -> Score {
        share_without_banned(self.sequence.iter(), self.sequence.len(), is_banned)
    }
}

impl SequenceCorrectness {
    /// From the first member on, each after the one before it: the first that does not follow ends it.
    fn in_order(&self, trace: &Trace) -> Progress {
        let mut held = vec![false; self.sequence.len()];
        let mut next = 0;
        for (index, tool) in self.sequence.iter().enumerate() {
            // The search goes on behind the last match, as each call counts for one member.
            let Some(at) = trace.calls[next..].iter().position(|call| tool.matches(call)) else {
                return (held, Some(self.does_not_follow(index, next, trace)));
            };
            held[index] = true;
            next += at + 1;
        }
        (held, None)
    }

    fn exactly(&self, trace: &Trace) -> Progress {
        let calls = &trace.calls;
        let agrees =
            |(index, tool): (usize, &ToolPattern)| calls.get(index).is_some_and(|call| tool.matches(call));
        let held: Vec<bool> = self.sequence.iter().enumerate().map(agrees).collect();
        let violation = match (held.iter().position(|held| !held), calls.get(held.len())) {
            (Some(index), _) => Some(self.differs(index, trace)),
            // A longer run fails, also if the sequence is its beginning. An empty sequence says nothing about any
            // call.
            (None, Some(extra)) if !held.is_empty() => Some(self.goes_on(extra, trace)),
            _ => None,
        };
        (held, violation)
    }

    /// Assigns one call of its tool to each member. Globs choose last, so that they leave the named tools their
    /// calls.
    fn in_any_order(&self, trace: &Trace) -> Progress {
        let mut is_taken = vec![false; trace.calls.len()];
        let mut held = vec![false; self.sequence.len()];
        // A greedy choice is right for names, since each takes calls of its own tool only.
        let (names, globs): (Vec<usize>, Vec<usize>) =
            (0..held.len()).partition(|index| self.sequence[*index].exact().is_some());
        for index in names.into_iter().chain(globs) {
            let tool = &self.sequence[index];
            let mut calls = trace.calls.iter().zip(&mut is_taken);
            let found = calls.find(|(call, is_taken)| !**is_taken && tool.matches(call));
            held[index] = found.map(|(_, is_taken)| *is_taken = true).is_some();
        }
        let short = held.iter().position(|held| !held);
        (held, short.map(|index| self.too_few(index, trace)))
    }

    fn items(&self, held: &[bool], trace: &Trace) -> Vec<Item> {
        let success = CallSuccess::of(trace);
        let members = self.sequence.iter().zip(held).enumerate();
        let items = members.map(|(index, (tool, held))| {
            let item = Item::tested(format!("{}: {tool}", index + 1), *held);
            note_attempts(item, trace.calls.iter().filter(|call| tool.matches(call)), success)
        });
        items.collect()
    }

    fn violation(&self, index: usize, message: String, trace: &Trace) -> Violation {
        let tool = self.sequence.get(index).map(ToString::to_string);
        let names: Vec<&str> = self.sequence.iter().map(ToolPattern::as_str).collect();
        Violation { tool, ..Violation::new(message) }
            .at(format!("/tool_sequence/{index}"))
            .expected(join_arrows(&names), join_arrows(&trace.tool_names()))
            .help("let the agent call them so, or change the sequence")
    }

    /// The member `index` does not follow: the search for it began at the call `next`.
    fn does_not_follow(&self, index: usize, next: usize, trace: &Trace) -> Violation {
        let tool = &self.sequence[index];
        let early = trace.calls[..next].iter().rfind(|call| tool.matches(call));
        let message = match (next.checked_sub(1).map(|last| &trace.calls[last]), early) {
            (None, _) => format!("`{tool}` was never called: the sequence does not begin"),
            // The last call of the tool came before the call that it should follow.
            (Some(last), Some(early)) if early.index < last.index => {
                format!("`{tool}` was called before `{}` (call {}), not after it", last.name, last.index)
            }
            (Some(last), _) => format!("`{tool}` was not called after `{}` (call {})", last.name, last.index),
        };
        let violation = self.violation(index, message, trace);
        Violation { call: early.map(|call| call.index), ..violation }
    }

    fn differs(&self, index: usize, trace: &Trace) -> Violation {
        let tool = &self.sequence[index];
        let Some(call) = trace.calls.get(index) else {
            let message = format!("`{tool}` should be call {}, but the run ends before it", index + 1);
            return self.violation(index, message, trace);
        };
        let message = format!("call {} is `{}`, not `{tool}`", call.index, call.name);
        Violation { call: Some(call.index), ..self.violation(index, message, trace) }
    }

    fn goes_on(&self, extra: &Call, trace: &Trace) -> Violation {
        let message =
            format!("`{}` (call {}) is called after the end of the sequence", extra.name, extra.index);
        let violation = self.violation(self.sequence.len(), message, trace);
        Violation { call: Some(extra.index), tool: Some(extra.name.clone()), ..violation }
            .at("/tool_sequence")
    }

    fn too_few(&self, index: usize, trace: &Trace) -> Violation {
        let tool = &self.sequence[index];
        let wanted = self.sequence.iter().filter(|member| member.as_str() == tool.as_str()).count();
        let called = trace.calls.iter().filter(|call| tool.matches(call)).count();
        let message = match (called, wanted) {
            (0, _) => format!("`{tool}` was never called"),
            _ => format!("`{tool}` was called {}, not {}", say_times(called), say_times(wanted)),
        };
        let names: Vec<&str> = self.sequence.iter().map(ToolPattern::as_str).collect();
        let wanted = format!("{}, in any order", names.join(", "));
        self.violation(index, message, trace).expected(wanted, join_arrows(&trace.tool_names()))
    }
}

/// `part / whole` to 4 decimals, a tie to the even digit, as Python rounds. Nothing of nothing is all of it.
fn rounded_share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 1.0;
    }
    format!("{:.4}", count_to_f64(part) / count_to_f64(whole)).parse().unwrap_or_default()
}

fn list_losses(score: Score, held: &[bool]) -> Vec<Loss> {
    let points = 1.0 - score.get();
    let missing = held.iter().filter(|held| !**held).count();
    let loss = Loss::new(points, format!("{missing} of {} members of the sequence", held.len()));
    if points > 0.0 { vec![loss] } else { Vec::new() }
}

fn join_arrows(names: &[&str]) -> String {
    match names {
        [] => "no call at all".to_owned(),
        names if names.len() > SHOWN => {
            format!("{} -> ... ({} more)", names[..SHOWN].join(" -> "), names.len() - SHOWN)
        }
        names => names.join(" -> "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_rounded_as_python_rounds() {
        for (part, whole, share) in
            [(1, 3, 0.3333), (2, 3, 0.6667), (1, 32, 0.0312), (3, 32, 0.0938), (1, 160, 0.0063), (0, 0, 1.0)]
        {
            assert_eq!(rounded_share(part, whole).to_string(), share.to_string(), "{part}/{whole}");
        }
    }
}
