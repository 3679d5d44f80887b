//! What all trials of a process share.

use std::path::PathBuf;
use std::sync::Arc;

use super::judging::RunJudge;
use super::live::LiveAgents;
use super::progress::Progress;
use crate::harness::output::tally::Tally;
use crate::harness::record::store::Store;
use crate::source::Files;
use crate::verdict::Rerun;

/// What all trials of a process share.
pub(in crate::harness) struct RunContext {
    pub(in crate::harness) project: Project,
    pub(in crate::harness) readers: Readers,
    /// The agents that run.
    pub(in crate::harness) live: LiveAgents,
    /// The judge.
    pub(in crate::harness) judging: RunJudge,
    /// When the line of progress may be seen.
    pub(in crate::harness) progress: Arc<Progress>,
    /// Where the verdicts go.
    pub(in crate::harness) store: Store,
    /// What is kept of each trial until the run ends.
    pub(in crate::harness) tally: Tally,
}

/// The package whose cases run.
pub(in crate::harness) struct Project {
    /// The package's folder: snapshots are named relative to it.
    pub(in crate::harness) base: PathBuf,
    /// The files of the eval root.
    pub(in crate::harness) files: Files,
    /// The command that runs one trial alone.
    pub(in crate::harness) rerun: Rerun,
}

/// The programs that read what this process prints.
pub(in crate::harness) struct Readers {
    /// An IDE: the output is JSON events.
    pub(in crate::harness) json: bool,
    /// nextest, which reads standard error for a heading.
    pub(in crate::harness) nextest: bool,
}

impl RunContext {
    /// Whether an agent or a judge is asked by any trial.
    pub(in crate::harness) fn asks_anyone(&self) -> bool {
        self.live.count_asking().asked + self.judging.count_asking().asked > 0
    }
}
