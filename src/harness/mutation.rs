//! The mutants of the cases of a harness.

use std::env;
use std::sync::Arc;

use super::Harness;
use crate::judge::{JudgeMode, JudgePool};
use crate::mutate::{MutationOptions, MutationReport, ProposedCase, mutate_folder, propose_case};
use crate::place::{LoadErrors, Location};
use crate::suite::{RecordedRun, build_trial_name, find_case_files, load_all, load_recorded};
use crate::trace::Trace;

/// Tries the mutants of the harness's cases on their recorded runs, with the recorded opinions of its judge.
pub fn mutate_cases(harness: &Harness, options: MutationOptions<'_>) -> Result<MutationReport, LoadErrors> {
    let judges =
        JudgePool::new(JudgeMode::Replay, harness.judge.as_ref().map(Arc::clone), |name| env::var_os(name));
    harness.with_library(|library| mutate_folder(library, &judges, options))
}

/// Proposes checks for a run without secrets, as a case below the harness's folder would load them.
pub fn propose_for_run(harness: &Harness, run: &RecordedRun) -> Result<ProposedCase, LoadErrors> {
    harness.with_library(|library| Ok(propose_case(run, library)))
}

/// Passes each recorded run of the harness's cases to `visit`, with the name and the place of its case. Cases and runs that
/// cannot be read are passed over.
pub fn visit_recorded_runs(
    harness: &Harness,
    mut visit: impl FnMut(&str, &Location, &Trace),
) -> Result<(), LoadErrors> {
    harness.with_library(|library| {
        for (path, suite) in load_all(find_case_files(library.files)?, library) {
            for case in suite.iter().flat_map(|suite| &suite.cases) {
                let below = path.strip_prefix(library.files.root()).unwrap_or(&path);
                let name = build_trial_name(below, case.id.as_deref());
                let Ok(recorded) = load_recorded(case, &path, library.files) else { continue };
                recorded.runs.iter().for_each(|run| visit(&name, &case.place.locate(), &run.trace));
            }
        }
        Ok(())
    })
}
