//! A case for a run: of the checks that are proposed, those that kill a mutant.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use arraign::__internals::engine::MutantVerdict;
use arraign::__internals::mutate::{
    AdditionFinder, MutantWords, derive_mutants, list_names, list_with_arguments, propose_for_answer,
    remove_guards, sample_mutants,
};
use arraign::__internals::secrets::SecretMasker;
use arraign::__internals::suite::{Library, RecordedRun};
use arraign::Case;
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

/// The largest number of calls in all mutants of a run: each entry is tried on all calls of each mutant.
pub(super) const MAX_MUTATED_CALLS: usize = 60_000;

/// About how many mutants a call has.
const MUTANTS_OF_A_CALL: usize = 12;

/// The largest number of calls that an entry lists. A longer list is read by nobody.
const MAX_LISTED_CALLS: usize = 100;

/// The largest number of tools whose calls are counted in place of a list.
const MAX_COUNTED_TOOLS: usize = 20;

/// Checks for a run, and what they notice.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProposedCase {
    /// The entries of `expect`.
    pub(crate) expect: Vec<Json>,
    /// The number of mutants that they notice.
    pub(crate) killed: usize,
    /// The number of mutants that were tried.
    pub(crate) mutants: usize,
    /// Whether these are some of the mutants of a long run, and not all.
    pub(crate) is_sample: bool,
}

/// Proposes checks for a run without secrets. The run passes each of them, and each kills a mutant that no other one kills.
/// All mutants that are tried have at most `most_calls` calls together.
pub(super) fn propose_case(run: &RecordedRun, library: Library<'_>, most_calls: usize) -> ProposedCase {
    let masker = SecretMasker::default();
    let mut finder = AdditionFinder::new(library, run, &masker);
    let mut unguarded = run.clone();
    remove_guards(&mut unguarded.trace);
    // Of a long run only some calls are changed, so that the work grows with the run and not with its square.
    let calls = unguarded.trace.calls.len().max(1);
    let most = (most_calls / calls).max(1);
    let step = (calls * MUTANTS_OF_A_CALL).div_ceil(most.max(MUTANTS_OF_A_CALL));
    let mutants = derive_mutants(&unguarded.trace, &MutantWords { masker: &masker, step });
    let is_sample = step > 1 || mutants.len() > most;
    let entries = propose_entries(&run.trace).into_iter();
    let mut candidates: Vec<(Arc<Case>, KillRow)> =
        entries.filter_map(|entry| Some((finder.load_entry(&entry)?, (entry, Vec::new())))).collect();
    let mut tried = 0;
    // 2.0 in place of 2 is a change that few checks are meant to notice.
    for mutant in sample_mutants(mutants, most).iter().filter(|mutant| !mutant.is_fraction) {
        let changed = RecordedRun { trace: mutant.apply(&unguarded.trace), ..unguarded.clone() };
        if changed.trace == unguarded.trace {
            continue;
        }
        tried += 1;
        for (case, (_, kills)) in &mut candidates {
            kills.push(matches!(finder.evaluate_entry(case, &changed), MutantVerdict::Violated(_)));
        }
    }
    // Greedy: an entry stays if it kills a mutant that no earlier entry kills. A later pass drops those that became needless.
    let mut kept: Vec<KillRow> = Vec::new();
    for (_, (entry, kills)) in candidates {
        if (0..tried).any(|at| kills[at] && !is_killed(&kept, at, None)) {
            kept.push((entry, kills));
        }
    }
    drop_needless(&mut kept, tried);
    let killed = (0..tried).filter(|at| is_killed(&kept, *at, None)).count();
    let expect = kept.into_iter().map(|(entry, _)| entry).collect();
    ProposedCase { expect, killed, mutants: tried, is_sample }
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
    if succeeded.len() > MAX_LISTED_CALLS {
        proposed.extend(count_calls(&succeeded));
    } else if !succeeded.is_empty() {
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

/// Counts the calls of each tool, those of the commonest tools first.
fn count_calls(calls: &[&Call]) -> Vec<Json> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for call in calls {
        *counts.entry(&call.name).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    let commonest = counts.into_iter().take(MAX_COUNTED_TOOLS);
    commonest.map(|(tool, times)| json!({"call": {"tool": tool, "times": times}})).collect()
}

#[cfg(test)]
mod tests {
    use arraign::trace::Arguments;
    use arraign::{Harness, Trace};

    use super::*;
    use crate::mutants::with_library;

    fn run_of(calls: usize) -> RecordedRun {
        let calls = (0..calls).map(|at| {
            let arguments =
                Arguments::Json(json!({"path": format!("src/{at}.rs"), "deep": [at, {"at": at}]}));
            Call { index: at + 1, ..Call::new(["read", "edit", "bash"][at % 3], arguments, at + 1) }
        });
        let answer = Some("Changed 3 files.".to_owned());
        let trace = Trace { calls: calls.collect(), answer, ..Trace::default() };
        RecordedRun { file: None, format: "native", trace, workspace: None }
    }

    #[test]
    fn the_work_for_a_long_run_grows_no_faster_than_the_run() {
        let folder = tempfile::tempdir().expect("a folder");
        for (calls, listed) in [(20, true), (200, false)] {
            let propose = |library: Library<'_>| Ok(propose_case(&run_of(calls), library, 6_000));
            let proposed = with_library(&Harness::new(folder.path()), propose).expect("a case");
            assert!(proposed.mutants * calls <= 6_000, "{} of {calls}", proposed.mutants);
            assert_eq!(proposed.is_sample, !listed);
            assert!(proposed.killed > 0, "{proposed:?}");
            let text = json!(proposed.expect).to_string();
            assert_eq!(text.contains(r#""path""#), listed, "{text}");
            assert!(listed || text.len() < 400, "{text}");
        }
    }
}
