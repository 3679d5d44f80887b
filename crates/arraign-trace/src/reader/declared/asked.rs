//! The calls that a model asked for, where the calls themselves are steps of their own: the spans of tools.
//!
//! Parallel calls are recorded as they start or end. What the model asked for has their order, and shows which of them
//! was not recorded.

use super::declaration::AskedRule;
use super::selections::{SelectedAs, Selections};
use crate::json::JsonNode;
use crate::trace::{Arguments, Call, Trace, UnreadContent};

/// So many calls of one turn are looked for; more are not read.
const MOST_ASKED: usize = 1000;

/// A call that a model asked for.
pub(super) struct AskedCall<'v> {
    pub(super) node: &'v JsonNode<'v>,
    /// `None` for a value that names no tool.
    name: Option<String>,
    arguments: Arguments,
}

/// The calls that a model asked for in one turn.
pub(super) struct AskedTurn<'v> {
    /// The number of calls that the run has before the turn.
    first: usize,
    calls: Vec<AskedCall<'v>>,
}

impl<'v> AskedTurn<'v> {
    /// Reads what the model asks for in a step. Returns `None` where it asks for nothing.
    pub(super) fn read(
        rule: &AskedRule,
        step: &'v JsonNode<'v>,
        selections: &mut Selections,
        first: usize,
    ) -> Option<Self> {
        let mut calls = Vec::new();
        for node in selections.select_nodes(&rule.each, step, SelectedAs::Node) {
            let name = selections.select(&rule.name, node, SelectedAs::Whole);
            let name = name.first().and_then(|name| name.as_str()).map(str::to_owned);
            let arguments = selections.select_with(rule.args.as_ref(), node);
            let arguments = arguments
                .first()
                .map_or(Arguments::Unrecorded, |value| Arguments::from_json(value.to_json()));
            calls.push(AskedCall { node, name, arguments });
        }
        (!calls.is_empty()).then_some(Self { first, calls })
    }

    /// Whether the turn is recorded a second time: the same is asked for, and nothing was called in between.
    pub(super) fn repeats(&self, earlier: &Self) -> bool {
        let calls = self.calls.iter().map(|call| (&call.name, &call.arguments));
        self.first == earlier.first
            && calls.eq(earlier.calls.iter().map(|call| (&call.name, &call.arguments)))
    }
}

impl AskedCall<'_> {
    /// What is not read if the call is no call of the run.
    pub(super) fn to_unread(&self) -> UnreadContent {
        let kind = "asked".to_owned();
        match &self.name {
            Some(name) => UnreadContent::UnreadCall { name: name.clone(), kind },
            None => UnreadContent::UnknownKind(kind),
        }
    }

    /// Whether `call` is the call that the model asked for. A tool may add defaults to the arguments.
    fn is_made_by(&self, call: &Call) -> bool {
        let Some(name) = &self.name else { return false };
        if *name != call.name && Some(name) != call.written.as_ref() {
            return false;
        }
        match (self.arguments.json().and_then(|json| json.as_object()), call.arguments.json()) {
            (Some(asked), Some(made)) => asked.iter().all(|(key, value)| made.get(key) == Some(value)),
            (_, None) => call.arguments == Arguments::Unrecorded || call.arguments == self.arguments,
            (None, Some(_)) => self.arguments == Arguments::Unrecorded || self.arguments == call.arguments,
        }
    }
}

/// Puts the calls of each turn into the order in which the model asked for them, and returns the calls that it asked for and
/// that are no calls of the run.
pub(super) fn order_calls<'v>(trace: &mut Trace, turns: Vec<AskedTurn<'v>>) -> Vec<AskedCall<'v>> {
    let starts: Vec<usize> = turns.iter().map(|turn| turn.first).collect();
    let mut missing = Vec::new();
    for (number, turn) in turns.into_iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(trace.calls.len());
        let made = trace.calls.get_mut(turn.first..end).unwrap_or_default();
        // Each call that was asked for takes the first call of its kind that is left. What nobody asked for, such as a call
        // of another agent, stays behind the others.
        let mut ranks = vec![usize::MAX; made.len()];
        for (rank, asked) in turn.calls.into_iter().enumerate() {
            // Each is compared with each, which a hostile file could make slow.
            if rank >= MOST_ASKED {
                missing.push(asked);
                continue;
            }
            let mut free = made.iter().zip(&mut ranks).filter(|(_, taken)| **taken == usize::MAX);
            match free.find(|(call, _)| asked.is_made_by(call)) {
                Some((_, taken)) => *taken = rank,
                None => missing.push(asked),
            }
        }
        // A text between two calls has its place by their number.
        let is_split = trace
            .messages
            .iter()
            .any(|message| turn.first < message.after_calls && message.after_calls < end);
        if !is_split {
            sort_by_ranks(made, &ranks, turn.first);
        }
    }
    missing
}

/// Sorts calls by their ranks, and numbers them anew.
fn sort_by_ranks(calls: &mut [Call], ranks: &[usize], first: usize) {
    let mut ranked: Vec<(usize, Call)> = ranks.iter().copied().zip(calls.iter().cloned()).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    for (at, (place, (_, call))) in calls.iter_mut().zip(ranked).enumerate() {
        *place = Call { index: first + at + 1, ..call };
    }
}
