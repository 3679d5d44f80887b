//! Mutation: finds out what a case would notice, by evaluating it on changed copies of its runs.
//!
//! Each mutant is one change of one run. A mutant is killed if a check of the case is violated; a check that is undecided
//! kills nothing. `calls`, `arguments`, `answer` and `forbidden` derive the mutants, `case` evaluates them, `addition`
//! searches what would kill a survivor, and `tally` counts by trace.

mod addition;
mod answer;
mod answer_proposal;
mod arguments;
mod calls;
mod case;
pub(crate) mod change;
mod forbidden;
mod mutant;
mod proposal;
mod tally;
mod text;
pub(crate) mod value;

pub use addition::AdditionFinder;
pub use answer_proposal::propose_for_answer;
pub use case::{CaseMutator, fingerprint_run, is_stopped, sample_mutants};
pub use change::remove_guards;
pub use mutant::{Mutant, MutantWords};
pub use proposal::{list_names, list_with_arguments};
pub use tally::{TraceMutation, share, tally_traces};

use crate::trace::Trace;

/// Derives all mutants of a run that do not depend on the case.
pub fn derive_mutants(run: &Trace, words: &MutantWords<'_>) -> Vec<Mutant> {
    let mut mutants = calls::derive_call_mutants(run, words);
    mutants.extend(arguments::derive_argument_mutants(run, words));
    mutants.extend(answer::derive_answer_mutants(run));
    mutants.extend(answer::derive_figure_mutants(run));
    mutants
}
