//! The checks, files and sources of evidence of a harness, for a program that evaluates its cases in ways of its own.

use std::env;
use std::sync::Arc;

use super::Harness;
pub use super::run::programs::CheckPrograms;
use crate::case::Day;
use crate::judge::{JudgeMode, JudgePool};
use crate::place::LoadErrors;
use crate::suite::Library;

/// The judge and the programs that are asked about a run, beside its checks.
#[derive(Clone, Copy)]
pub struct EvidenceSources<'s> {
    /// The judge, with its recorded opinions.
    pub judges: &'s JudgePool,
    /// The programs of checks, if they may start.
    pub programs: Option<&'s CheckPrograms>,
}

/// Sets the day on which a harness looks at its quarantine, for tests. The default is the day of the clock.
pub fn set_today(harness: Harness, today: Day) -> Harness {
    Harness { today: Some(today), ..harness }
}

/// Calls `read` with the checks of a harness, and with the files and tables of its folder.
pub fn with_library<T>(
    harness: &Harness,
    read: impl FnOnce(Library<'_>) -> Result<T, LoadErrors>,
) -> Result<T, LoadErrors> {
    harness.with_library(read)
}

/// Calls `work` with the checks and files of a harness, the recorded opinions of its judge, and the programs of checks if the
/// harness allows them.
pub fn with_sources<T>(
    harness: &Harness,
    work: impl FnOnce(Library<'_>, EvidenceSources<'_>) -> Result<T, LoadErrors>,
) -> Result<T, LoadErrors> {
    let own_judge = harness.judge.as_ref().map(Arc::clone);
    let judges = JudgePool::new(JudgeMode::Replay, own_judge, |name| env::var_os(name));
    let base = harness.find_files().map(|(base, _)| base).unwrap_or_default();
    let programs = CheckPrograms::new(harness.allows_exec, base);
    let programs = harness.allows_exec.then_some(&programs);
    harness.with_library(|library| work(library, EvidenceSources { judges: &judges, programs }))
}
