//! The mutants of the cases of a harness, for the commands that show them and that add checks against them.

mod case_proposal;
mod choice;
mod folder;

use std::fs;
use std::path::Path;

use arraign::__internals::harness::sources::{with_library, with_sources};
use arraign::__internals::mutate::TraceMutation;
use arraign::__internals::place::Location;
use arraign::__internals::suite::{RecordedRun, build_trial_name, find_case_files, load_all, load_recorded};
use arraign::verdict::CaseMutation;
use arraign::{Harness, LoadErrors, Trace};

pub(crate) use self::case_proposal::ProposedCase;
pub(crate) use self::choice::{CaseFix, FixEntry};
pub(crate) use self::folder::{MutationOptions, MutationReport};

use self::case_proposal::{MAX_MUTATED_CALLS, propose_case};
use self::choice::choose_fixes;
use self::folder::{mutate_case_in_text, mutate_folder};

/// Tries the mutants of the harness's cases on their recorded runs, with the recorded opinions of its judge.
pub(crate) fn mutate_cases(
    harness: &Harness,
    options: MutationOptions<'_>,
) -> Result<MutationReport, LoadErrors> {
    with_sources(harness, |library, sources| mutate_folder(library, sources, options))
}

/// Chooses entries of `expect` that kill the survivors of the traces, for the cases of the harness.
pub(crate) fn choose_additions(
    harness: &Harness,
    traces: &[TraceMutation<'_>],
) -> Result<Vec<CaseFix>, LoadErrors> {
    with_library(harness, |library| choose_fixes(library, traces))
}

/// Tries the mutants of the case of a fix as if its file contained `text`.
pub(crate) fn mutate_fixed_case(
    harness: &Harness,
    fix: &CaseFix,
    text: &str,
) -> Result<CaseMutation, LoadErrors> {
    with_sources(harness, |library, sources| {
        mutate_case_in_text(library, sources, &fix.path, text, &fix.name)
    })
}

/// Replaces the text of a case file. The error is a sentence: the file changed since `before` was read, or it cannot be
/// written.
pub(crate) fn replace_case_file(
    harness: &Harness,
    path: &Path,
    before: &str,
    after: &str,
) -> Result<(), String> {
    let replaced = with_library(harness, |library| {
        // Writing a file replaces it, which would put a file in the place of the link.
        if fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink()) {
            return Ok(Err("the file is a link".to_owned()));
        }
        if fs::metadata(path).is_ok_and(|data| data.permissions().readonly()) {
            return Ok(Err("the file is read-only".to_owned()));
        }
        // The mutants were tried on the text that was read before. Another text needs other checks.
        if library.files.source(path)?.text() != before {
            return Ok(
                Err("the file changed while the mutants were tried: run the command again".to_owned()),
            );
        }
        Ok(library.files.write(path, after.as_bytes()).map_err(|error| error.problem.to_string()))
    });
    replaced.unwrap_or_else(|errors| Err(errors.to_string()))
}

/// Proposes checks for a run without secrets, as a case below the harness's folder would load them.
pub(crate) fn propose_for_run(harness: &Harness, run: &RecordedRun) -> Result<ProposedCase, LoadErrors> {
    with_library(harness, |library| Ok(propose_case(run, library, MAX_MUTATED_CALLS)))
}

/// Passes each recorded run of the harness's cases to `visit`, with the name and the place of its case. Cases and runs that
/// cannot be read are passed over.
pub(crate) fn visit_recorded_runs(
    harness: &Harness,
    mut visit: impl FnMut(&str, &Location, &Trace),
) -> Result<(), LoadErrors> {
    with_library(harness, |library| {
        for (path, suite) in load_all(find_case_files(library.files)?, library) {
            for case in suite.iter().flat_map(|suite| &suite.cases) {
                let below = path.strip_prefix(library.files.root()).unwrap_or(&path);
                let name = build_trial_name(below, case.id.as_deref());
                // A trace that is missing is the business of `cargo test`; here the other cases still count.
                let Ok(recorded) = load_recorded(case, &path, library.files) else { continue };
                recorded.runs.iter().for_each(|run| visit(&name, &case.place.locate(), &run.trace));
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use arraign::__internals::mutate::{share, tally_traces};
    use arraign::verdict::MutantFate;

    use super::*;

    /// The share of the mutants of each trace that this repository's own cases notice.
    const MIN_SHARE: f64 = 0.8;

    #[test]
    fn our_own_cases_notice_four_of_five_mutants_of_each_trace_or_say_why_not() {
        let harness = Harness::new("evals").at(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let mut options = MutationOptions::new(&[]);
        options.finds_additions = false;
        let report = mutate_cases(&harness, options).expect("the cases are found");
        let traces = tally_traces(&report.cases);
        let below: Vec<String> = traces
            .iter()
            // A trial that a mutant leaves undecided is red as well.
            .filter(|trace| share(trace.killed + trace.count_undecided(), trace.count_mutants()) < MIN_SHARE)
            .map(|trace| format!("{}: {} of {}", trace.trace, trace.killed, trace.count_mutants()))
            .collect();
        assert!(below.is_empty(), "{below:#?}");
        let undeclared = traces.iter().filter(|trace| trace.ignored == 0).count();
        assert!(
            undeclared > 50 && traces.len() > 130,
            "{undeclared} of {} traces declare nothing",
            traces.len()
        );
        let mutants =
            report.cases.iter().flat_map(|case| case.mutants().map(move |(_, mutant)| (case, mutant)));
        let silent: Vec<&str> = mutants
            .filter(|(_, mutant)| matches!(mutant.fate, MutantFate::Ignored { reason: None }))
            .map(|(case, _)| case.name.as_str())
            .collect();
        assert!(silent.is_empty(), "ignored without a reason: {silent:?}");
    }
}
