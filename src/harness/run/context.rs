//! The context of a run, which all trials of a process share.

use std::path::PathBuf;
use std::sync::Arc;

use super::judging::RunJudge;
use super::live::LiveAgents;
use super::programs::CheckPrograms;
use super::progress::Progress;
use crate::check::{Registry, Tables};
use crate::harness::output::tally::Tally;
use crate::harness::record::store::Store;
use crate::source::Files;
use crate::verdict::Rerun;

/// Everything that a trial needs beside its own work.
pub(in crate::harness) struct RunContext {
    pub(in crate::harness) project: Project,
    pub(in crate::harness) readers: OutputReaders,
    /// The agents that are running.
    pub(in crate::harness) live: LiveAgents,
    /// The judge.
    pub(in crate::harness) judging: RunJudge,
    /// The programs that check runs.
    pub(in crate::harness) programs: CheckPrograms,
    /// The line of progress.
    pub(in crate::harness) progress: Arc<Progress>,
    /// The folder of the verdicts.
    pub(in crate::harness) store: Store,
    /// The results that are kept until the run ends.
    pub(in crate::harness) tally: Tally,
}

/// The package whose cases run.
pub(in crate::harness) struct Project {
    /// The package's folder, to which paths in settings are relative.
    pub(in crate::harness) base: PathBuf,
    /// The package's folder below the root of its workspace: empty, or with a `/` at the end. Terminals and IDEs resolve
    /// paths from that root.
    pub(in crate::harness) folder: String,
    /// The files of the eval root.
    pub(in crate::harness) files: Arc<Files>,
    /// The command that runs one trial alone.
    pub(in crate::harness) rerun: Rerun,
    /// Whether runs that were recorded for another input count (`ARRAIGN_STALE=allow`).
    pub(in crate::harness) allows_stale: bool,
    /// What mutants need, if they are tried (`ARRAIGN_MUTATE=1`).
    pub(in crate::harness) mutation: Option<MutationTables>,
}

/// The checks and tables by which additions to a case are tried.
pub(in crate::harness) struct MutationTables {
    pub(in crate::harness) kinds: Registry,
    pub(in crate::harness) tables: Tables,
}

/// The programs that read this process's output.
pub(in crate::harness) struct OutputReaders {
    /// An IDE, which reads JSON events.
    pub(in crate::harness) json: bool,
    /// nextest, which reads the headline of a failure from standard error.
    pub(in crate::harness) nextest: bool,
}

impl RunContext {
    /// The context of a run that begins. `asked` are those who answer: agents, the judge and programs.
    pub(in crate::harness) fn new(
        project: Project,
        readers: OutputReaders,
        asked: (LiveAgents, RunJudge, CheckPrograms),
        store: Store,
        tally: Tally,
    ) -> Self {
        let (live, judging, programs) = asked;
        Self { project, readers, live, judging, programs, progress: Arc::default(), store, tally }
    }

    /// Whether any trial asks an agent or a judge.
    pub(in crate::harness) fn asks_anyone(&self) -> bool {
        self.live.count_asking().asked + self.judging.count_asking().asked > 0
    }
}
