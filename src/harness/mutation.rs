//! The mutants of the cases of a harness.

use std::env;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::Harness;
use super::run::programs::CheckPrograms;
use crate::case::Case;
use crate::evidence::ProgramRequest;
use crate::judge::{JudgeMode, JudgePool};
use crate::mutate::{
    CaseFix, EvidenceSources, MutationOptions, MutationReport, ProposedCase, TraceMutation, choose_fixes,
    mutate_case_in_text, mutate_folder, propose_case,
};
use crate::place::{LoadErrors, Location};
use crate::suite::{Library, RecordedRun, build_trial_name, find_case_files, load_all, load_recorded};
use crate::trace::Trace;
use crate::verdict::CaseMutation;

/// Tries the mutants of the harness's cases on their recorded runs, with the recorded opinions of its judge.
pub fn mutate_cases(harness: &Harness, options: MutationOptions<'_>) -> Result<MutationReport, LoadErrors> {
    with_sources(harness, |library, sources| mutate_folder(library, sources, options))
}

/// Calls `work` with the judge's recorded opinions, and with the programs of checks if the harness allows them.
fn with_sources<T>(
    harness: &Harness,
    work: impl FnOnce(Library<'_>, EvidenceSources<'_>) -> Result<T, LoadErrors>,
) -> Result<T, LoadErrors> {
    let judges = build_judges(harness);
    let base = harness.find_files().map(|(base, _)| base).unwrap_or_default();
    let programs = CheckPrograms::new(harness.allows_exec, base);
    let run_program = |request: &ProgramRequest, case: &Case, path: &Path, trace: &Trace| {
        programs.run_program(request, case, path, trace)
    };
    let programs = harness.allows_exec.then_some(&run_program as _);
    harness.with_library(|library| work(library, EvidenceSources { judges: &judges, programs }))
}

/// The judge with its recorded opinions.
fn build_judges(harness: &Harness) -> JudgePool {
    JudgePool::new(JudgeMode::Replay, harness.judge.as_ref().map(Arc::clone), |name| env::var_os(name))
}

/// Chooses entries of `expect` that kill the survivors of the traces, for the cases of the harness.
pub fn choose_additions(harness: &Harness, traces: &[TraceMutation<'_>]) -> Result<Vec<CaseFix>, LoadErrors> {
    harness.with_library(|library| choose_fixes(library, traces))
}

/// Tries the mutants of the case of a fix as if its file contained `text`.
pub fn mutate_fixed_case(harness: &Harness, fix: &CaseFix, text: &str) -> Result<CaseMutation, LoadErrors> {
    with_sources(harness, |library, sources| {
        mutate_case_in_text(library, sources, (&fix.path, text), &fix.name)
    })
}

/// Replaces the text of a case file. The error is a sentence: the file changed since `before` was read, or it cannot be
/// written.
pub fn replace_case_file(harness: &Harness, path: &Path, before: &str, after: &str) -> Result<(), String> {
    let replaced = harness.with_library(|library| {
        if fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink()) {
            return Ok(Err("the file is a link".to_owned()));
        }
        if fs::metadata(path).is_ok_and(|data| data.permissions().readonly()) {
            return Ok(Err("the file is read-only".to_owned()));
        }
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
