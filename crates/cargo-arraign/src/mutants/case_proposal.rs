//! A case for a run: of the checks that are proposed, those that kill a mutant.

use arraign::__internals::engine::MutantVerdict;
use arraign::__internals::mutate::{
    AdditionFinder, MutantWords, derive_mutants, list_names, list_with_arguments, propose_for_answer,
    remove_guards,
};
use arraign::__internals::secrets::SecretMasker;
use arraign::__internals::suite::{Library, RecordedRun};
use arraign::json::{Json, json};
use arraign::trace::{Call, CallStatus, Trace};
use arraign::verdict::MutationSort;

/// The sorts of changes of the answer and of the figures, each of which proposes checks.
const SORTS: [MutationSort; 7] = [
    MutationSort::ChangeNumbers,
    MutationSort::BlankAnswer,
    MutationSort::CutAnswer,
    MutationSort::InvertNegation,
    MutationSort::DoubleTokens,
    MutationSort::DoubleCost,
    MutationSort::DoubleDuration,
];

/// Checks for a run, and what they notice.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProposedCase {
    /// The entries of `expect`.
    pub(crate) expect: Vec<Json>,
    /// The number of mutants that they notice.
    pub(crate) killed: usize,
    /// The number of all mutants.
    pub(crate) mutants: usize,
}

/// Proposes checks for a run without secrets. The run passes each of them, and each kills a mutant that no other one kills.
pub(super) fn propose_case(run: &RecordedRun, library: Library<'_>) -> ProposedCase {
    let masker = SecretMasker::default();
    let mut finder = AdditionFinder::new(library, run, &masker);
    let mut unguarded = run.clone();
    remove_guards(&mut unguarded.trace);
    let mutants = derive_mutants(&unguarded.trace, &MutantWords { masker: &masker });
    let changed: Vec<RecordedRun> = mutants
        .iter()
        // 2.0 in place of 2 is a change that few checks are meant to notice.
        .filter(|mutant| !mutant.is_fraction)
        .map(|mutant| RecordedRun { trace: mutant.apply(&unguarded.trace), ..unguarded.clone() })
        .filter(|changed| changed.trace != unguarded.trace)
        .collect();
    // Greedy: an entry stays if it kills a mutant that no earlier entry kills. A later pass drops those that became needless.
    let mut kept: Vec<KillRow> = Vec::new();
    for entry in propose_entries(&run.trace) {
        let Some(case) = finder.load_entry(&entry) else { continue };
        let kills: Vec<bool> = changed
            .iter()
            .map(|mutant| matches!(finder.evaluate_entry(&case, mutant), MutantVerdict::Violated(_)))
            .collect();
        if (0..changed.len()).any(|at| kills[at] && !is_killed(&kept, at, None)) {
            kept.push((entry, kills));
        }
    }
    drop_needless(&mut kept, changed.len());
    let killed = (0..changed.len()).filter(|at| is_killed(&kept, *at, None)).count();
    ProposedCase {
        expect: kept.into_iter().map(|(entry, _)| entry).collect(),
        killed,
        mutants: changed.len(),
    }
}

/// An entry, and for each mutant whether the entry kills it.
pub(super) type KillRow = (Json, Vec<bool>);

/// Whether an entry kills this mutant. The entry `except` does not count.
pub(super) fn is_killed(kept: &[KillRow], mutant: usize, except: Option<usize>) -> bool {
    let others = kept.iter().enumerate().filter(|(at, _)| Some(*at) != except);
    others.map(|(_, (_, kills))| kills).any(|kills| kills[mutant])
}

/// Drops entries whose mutants are all killed by other entries.
pub(super) fn drop_needless(kept: &mut Vec<KillRow>, mutants: usize) {
    // The index moves on only past an entry that is needed, because removing one shifts the others.
    let mut at = 0;
    while at < kept.len() {
        let is_needed = (0..mutants).any(|mutant| kept[at].1[mutant] && !is_killed(kept, mutant, Some(at)));
        if is_needed {
            at += 1;
        } else {
            kept.remove(at);
        }
    }
}

/// Lists entries for all sides of a run, those that notice most first.
fn propose_entries(run: &Trace) -> Vec<Json> {
    let succeeded: Vec<&Call> = run.calls.iter().filter(|call| call.status != CallStatus::Error).collect();
    let mut proposed = Vec::new();
    // Without a call that succeeded, an empty list would forbid nothing.
    if !succeeded.is_empty() {
        proposed.push(json!({"calls": list_with_arguments(&succeeded)}));
        proposed.push(json!({"calls": list_names(&succeeded)}));
    }
    proposed.extend([
        json!({"no_failed_calls": true}),
        json!({"tool_calls_at_most": run.calls.len()}),
        json!({"no_repeated_calls": true}),
    ]);
    proposed.extend(SORTS.iter().flat_map(|sort| propose_for_answer(run, *sort)));
    proposed
}
