//! The mutants of the cases of a harness.

use std::env;
use std::sync::Arc;

use super::Harness;
use crate::judge::{JudgeMode, JudgePool};
use crate::mutate::{MutationOptions, MutationReport, mutate_folder};
use crate::place::LoadErrors;

/// Tries the mutants of the harness's cases on their recorded runs, with the recorded opinions of its judge.
pub fn mutate_cases(harness: &Harness, options: MutationOptions<'_>) -> Result<MutationReport, LoadErrors> {
    let judges =
        JudgePool::new(JudgeMode::Replay, harness.judge.as_ref().map(Arc::clone), |name| env::var_os(name));
    harness.with_library(|library| mutate_folder(library, &judges, options))
}
