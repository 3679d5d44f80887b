//! Mutation: finds out what a case would notice, by evaluating it on changed copies of its runs.
//!
//! Each mutant is one change of one run. A mutant is killed if a check of the case is violated; a check that is undecided
//! kills nothing. `calls`, `arguments`, `answer` and `forbidden` derive the mutants, `case` evaluates them, `addition`
//! searches what would kill a survivor, `tally` counts by trace, `fix` chooses what to add to the cases, and
//! `case_proposal` proposes a case for a run.

mod addition;
mod answer;
mod answer_proposal;
mod arguments;
mod calls;
mod case;
mod case_proposal;
pub(crate) mod change;
mod fix;
mod folder;
mod forbidden;
mod mutant;
mod proposal;
mod tally;
mod text;
pub(crate) mod value;

pub use case_proposal::{ProposedCase, propose_case};
pub use fix::{CaseFix, FixEntry, FixedMutant};
pub use folder::{MutationOptions, MutationReport};
pub use tally::{TraceMutation, share, tally_traces};

pub(crate) use case::CaseMutator;
pub(crate) use fix::choose_fixes;
pub(crate) use folder::{EvidenceSources, mutate_case_in_text, mutate_folder};

use self::mutant::{Mutant, MutantWords};
use crate::trace::Trace;

/// Derives all mutants of a run that do not depend on the case.
fn derive_mutants(run: &Trace, words: &MutantWords<'_>) -> Vec<Mutant> {
    let mut mutants = calls::derive_call_mutants(run, words);
    mutants.extend(arguments::derive_argument_mutants(run, words));
    mutants.extend(answer::derive_answer_mutants(run));
    mutants.extend(answer::derive_figure_mutants(run));
    mutants
}
