//! The mutants of the arguments of calls.

use super::mutant::{Mutant, MutantWords};
use super::value::{add_fraction, change_type, change_value, list_leaves};
use crate::case::MutationSort;
use crate::json::{Json, JsonMap, json};
use crate::trace::{Arguments, Call, Trace};

/// The name of an argument that no tool has.
const UNKNOWN_ARGUMENT: &str = "an_argument_that_nobody_has";

/// Derives the mutants that change, omit or add an argument.
pub(super) fn derive_argument_mutants(run: &Trace, words: &MutantWords<'_>) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for call in run.calls.iter().step_by(words.step) {
        // Arguments that are no object have no names to change.
        let Arguments::Json(Json::Object(passed)) = &call.arguments else { continue };
        for (key, value) in passed {
            mutants.extend(change_argument(call, key, value, words));
            mutants.push(omit_argument(call, key, words));
        }
        mutants.push(add_argument(call, words));
    }
    mutants
}

/// Changes each value inside an argument, in value and in type.
fn change_argument(call: &Call, key: &str, value: &Json, words: &MutantWords<'_>) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (pointer, path) in list_leaves(value) {
        let Some(leaf) = value.pointer(&pointer) else { continue };
        let leaf = ChangedLeaf { call, key, path: format!(".{key}{path}"), pointer, leaf };
        mutants.push(leaf.build_mutant(MutationSort::ChangeValue, change_value(leaf.leaf), words));
        mutants.push(leaf.build_mutant(MutationSort::ChangeType, change_type(leaf.leaf), words));
        // 2 and 2.0 are one number to most checks. The mutant counts only where some check distinguishes them.
        let fraction = add_fraction(leaf.leaf);
        mutants.extend(
            fraction.map(|other| leaf.build_mutant(MutationSort::ChangeType, other, words).into_fraction()),
        );
    }
    mutants
}

/// A value inside an argument.
struct ChangedLeaf<'l> {
    call: &'l Call,
    key: &'l str,
    /// The names on the way to the value, each behind a dot.
    path: String,
    /// The JSON pointer to the value in the argument.
    pointer: String,
    leaf: &'l Json,
}

impl ChangedLeaf<'_> {
    fn build_mutant(&self, sort: MutationSort, other: Json, words: &MutantWords<'_>) -> Mutant {
        let [old, new] = [self.leaf, &other].map(|value| words.quote_argument(self.key, value));
        let argument = self.path.trim_start_matches('.');
        let change = format!("{}: `{argument}` is {new} instead of {old}", words.name_call(self.call));
        // The mutant finds its leaf again by the path, since it is applied to a copy of the run.
        let at = self.call.index - 1;
        let key = self.key.to_owned();
        let pointer = self.pointer.clone();
        let mutant = Mutant::new(sort, change, move |run| {
            let Some(passed) = find_arguments(run, at) else { return };
            if let Some(leaf) = passed.get_mut(&key).and_then(|value| value.pointer_mut(&pointer)) {
                *leaf = other.clone();
            }
        });
        mutant.of_call(self.call).of_argument(self.key, &self.path)
    }
}

fn omit_argument(call: &Call, key: &str, words: &MutantWords<'_>) -> Mutant {
    let change = format!("{} is made without `{key}`", words.name_call(call));
    let at = call.index - 1;
    let omitted = key.to_owned();
    let mutant = Mutant::new(MutationSort::OmitArgument, change, move |run| {
        if let Some(passed) = find_arguments(run, at) {
            passed.remove(&omitted);
        }
    });
    mutant.of_call(call).of_argument(key, &format!(".{key}"))
}

fn add_argument(call: &Call, words: &MutantWords<'_>) -> Mutant {
    let change = format!("{} has the argument `{UNKNOWN_ARGUMENT}`", words.name_call(call));
    let at = call.index - 1;
    let mutant = Mutant::new(MutationSort::AddArgument, change, move |run| {
        if let Some(passed) = find_arguments(run, at) {
            passed.insert(UNKNOWN_ARGUMENT.to_owned(), json!("a value"));
        }
    });
    mutant.of_call(call)
}

fn find_arguments(run: &mut Trace, at: usize) -> Option<&mut JsonMap> {
    match &mut run.calls.get_mut(at)?.arguments {
        Arguments::Json(Json::Object(passed)) => Some(passed),
        _ => None,
    }
}
