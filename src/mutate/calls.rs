//! The mutants of a run's calls.

use super::change::{
    UNKNOWN_TOOL, answer_added_call, cut_run, fail_call, insert_call, insert_turn, mend_call, omit_calls,
    records_results, rename_call, swap_calls,
};
use super::mutant::{Mutant, MutantWords};
use super::value::{blank_value, change_value};
use crate::case::MutationSort;
use crate::trace::{Arguments, Call, CallStatus, ToolServer, Trace};

/// The name of a server that no agent has.
const UNKNOWN_SERVER: &str = "a-server-that-nobody-has";

/// Derives the mutants that omit, add, move, rename, fail or repair calls, and those of their results.
pub(super) fn derive_call_mutants(run: &Trace, words: &MutantWords<'_>) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    // By call and not by sort: mutants of one call are neighbours in reports, and a sample takes some of each call.
    for (at, call) in run.calls.iter().enumerate().step_by(words.step) {
        mutants.push(omit_call(at, call, words));
        mutants.push(duplicate_call(at, call, words));
        // Only neighbours are swapped: any other order is a chain of such swaps.
        mutants.extend(run.calls.get(at + 1).and_then(|next| swap_with_next(at, call, next, words)));
        mutants.push(rename_one(at, call, words));
        mutants.extend(move_call(at, call, words));
        mutants.extend(end_otherwise(at, call, run, words));
        mutants.extend(exchange_arguments(at, call, run, words));
        mutants.extend(change_results(at, call, words));
    }
    mutants.extend(add_unknown_calls(run));
    mutants.extend(cut_runs(run, words));
    mutants
}

fn omit_call(at: usize, call: &Call, words: &MutantWords<'_>) -> Mutant {
    let change = format!("{} is not made", words.name_call(call));
    Mutant::new(MutationSort::Omit, change, move |run| omit_calls(run, |number, _| number == at))
        .of_call(call)
}

fn duplicate_call(at: usize, call: &Call, words: &MutantWords<'_>) -> Mutant {
    let change = format!("{} is made twice", words.name_call(call));
    let again = Call { id: None, ..call.clone() };
    Mutant::new(MutationSort::Duplicate, change, move |run| insert_call(run, at + 1, again.clone()))
        .of_call(call)
}

/// Calls of one parallel turn have no order, and equal calls cannot be distinguished.
fn swap_with_next(at: usize, call: &Call, next: &Call, words: &MutantWords<'_>) -> Option<Mutant> {
    let is_same = call.name == next.name
        && call.server == next.server
        && call.arguments == next.arguments
        && call.result == next.result
        && call.status == next.status;
    if call.turn == next.turn || is_same {
        return None;
    }
    let change = format!("{} and {} are swapped", words.name_call(call), words.name_call(next));
    let mutant = Mutant::new(MutationSort::Swap, change, move |run| swap_calls(run, at));
    Some(mutant.of_call(call).and_call(next))
}

fn rename_one(at: usize, call: &Call, words: &MutantWords<'_>) -> Mutant {
    let change = format!("{} is a call of `{UNKNOWN_TOOL}`", words.name_call(call));
    Mutant::new(MutationSort::Rename, change, move |run| rename_call(&mut run.calls[at])).of_call(call)
}

/// A server that is not recorded cannot be another one.
fn move_call(at: usize, call: &Call, words: &MutantWords<'_>) -> Option<Mutant> {
    let server = call.server.name()?;
    let change = format!("{} goes to another server than `{server}`", words.name_call(call));
    let mutant = Mutant::new(MutationSort::MoveServer, change, move |run| {
        run.calls[at].server = ToolServer::Named(UNKNOWN_SERVER.to_owned());
        run.calls[at].written = None;
    });
    Some(mutant.of_call(call))
}

/// A run that records no result at all cannot record a failure.
fn end_otherwise(at: usize, call: &Call, run: &Trace, words: &MutantWords<'_>) -> Option<Mutant> {
    if call.status == CallStatus::Error {
        let change = format!("{} succeeds", words.name_call(call));
        let mutant = Mutant::new(MutationSort::Succeed, change, move |run| mend_call(&mut run.calls[at]));
        return Some(mutant.of_call(call));
    }
    if !records_results(run) {
        return None;
    }
    let change = format!("{} fails with \"{}\"", words.name_call(call), super::change::ERROR_TEXT);
    Some(Mutant::new(MutationSort::Fail, change, move |run| fail_call(&mut run.calls[at])).of_call(call))
}

/// Exchanges the arguments with those of the next call of the tool that has others, or else of the next call that does.
fn exchange_arguments(at: usize, call: &Call, run: &Trace, words: &MutantWords<'_>) -> Option<Mutant> {
    let differs = |other: &&Call| {
        let has_both = call.arguments.json().is_some() && other.arguments.json().is_some();
        // Parallel calls of one tool with equal results cannot be distinguished.
        let is_alike = call.turn == other.turn && call.name == other.name && call.result == other.result;
        has_both && !is_alike && call.arguments != other.arguments
    };
    let later = || run.calls[at + 1..].iter().filter(differs);
    let other = later().find(|other| other.name == call.name).or_else(|| later().next())?;
    let change = format!("{} and {} exchange their arguments", words.name_call(call), words.name_call(other));
    let second = other.index - 1;
    let mutant = Mutant::new(MutationSort::ExchangeArguments, change, move |run| {
        let own = run.calls[at].arguments.clone();
        run.calls[at].arguments = std::mem::replace(&mut run.calls[second].arguments, own);
    });
    Some(mutant.of_call(call).and_call(other))
}

fn change_results(at: usize, call: &Call, words: &MutantWords<'_>) -> Vec<Mutant> {
    // The result of a failed call is the text of its error, on which nothing rests.
    let Some(result) = call.result.as_ref().filter(|_| call.status != CallStatus::Error) else {
        return Vec::new();
    };
    let name = words.name_call(call);
    let others = [
        (MutationSort::BlankResult, "is empty", blank_value(result)),
        (MutationSort::ChangeResult, "has other values", change_value(result)),
    ];
    let mutants = others.into_iter().map(|(sort, words, other)| {
        let change = format!("the result of {name} {words}");
        Mutant::new(sort, change, move |run| run.calls[at].result = Some(other.clone())).of_call(call)
    });
    mutants.collect()
}

/// Adds a call of an unknown tool at the beginning, in the middle and at the end.
fn add_unknown_calls(run: &Trace) -> Vec<Mutant> {
    let count = run.calls.len();
    let mut places = vec![(0, "first"), (count / 2, "in the middle"), (count, "last")];
    // Of few calls, two of the places are one.
    places.dedup_by_key(|(at, _)| *at);
    let mutants = places.into_iter().map(|(at, place)| {
        let call = answer_added_call(run, Call::new(UNKNOWN_TOOL, Arguments::none(), 1));
        let change = format!("`{UNKNOWN_TOOL}` is called {place}");
        Mutant::new(MutationSort::UnknownCall, change, move |run| insert_turn(run, at, call.clone()))
            .with_detail(place)
    });
    mutants.collect()
}

/// Ends the run after each call but the last one, which a blank answer is about.
fn cut_runs(run: &Trace, words: &MutantWords<'_>) -> Vec<Mutant> {
    // A run that ends after its last call is the whole run but for its answer.
    let ends = run.calls.iter().take(run.calls.len().saturating_sub(1));
    let cut = ends.step_by(words.step).map(|call| {
        let count = call.index;
        let change = format!("the run ends after {}", words.name_call(call));
        Mutant::new(MutationSort::CutRun, change, move |run| cut_run(run, count)).of_call(call)
    });
    cut.collect()
}
