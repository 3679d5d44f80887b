//! The context of a run, which all trials of a process share.

use std::path::PathBuf;
use std::sync::Arc;

use super::judging::RunJudge;
use super::live::LiveAgents;
use super::programs::CheckPrograms;
use super::progress::Progress;
use super::tally::Tally;
use crate::case::AgentLimits;
use crate::check::{Registry, Tables};
use crate::harness::plan::{AttackPhase, RecentSuites};
use crate::harness::quarantine::RunQuarantine;
use crate::harness::record::store::{RunProcesses, Store};
use crate::source::Files;
use crate::suite::Library;
use crate::verdict::Rerun;

/// Everything that a trial needs beside its own work.
pub(crate) struct RunContext {
    pub(crate) project: Project,
    pub(crate) readers: OutputReaders,
    /// The agents that are running.
    pub(crate) live: LiveAgents,
    /// The judge.
    pub(crate) judging: RunJudge,
    /// The programs that check runs.
    pub(crate) programs: CheckPrograms,
    /// The failures that do not decide the run.
    pub(crate) quarantine: RunQuarantine,
    /// The line of progress.
    pub(crate) progress: Arc<Progress>,
    /// The folder of the verdicts.
    pub(crate) store: Store,
    /// The results that are kept until the run ends.
    pub(crate) tally: Tally,
    /// What the run is for `cargo arraign attack`.
    pub(crate) attack: Option<Arc<AttackPhase>>,
}

/// The package whose cases run.
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub(crate) struct Project {
    /// The package's folder, to which paths in settings are relative.
    pub(crate) base: PathBuf,
    /// The package's folder below the root of its workspace: empty, or with a `/` at the end. Terminals and IDEs resolve
    /// paths from that root.
    pub(crate) folder: String,
    /// The files of the eval root.
    pub(crate) files: Arc<Files>,
    /// The command that runs one trial alone.
    pub(crate) rerun: Rerun,
    /// The processes of the run, if each of its trials is one (nextest).
    pub(crate) processes: Option<RunProcesses>,
    /// This process runs a part of the trials.
    pub(crate) is_part: bool,
    /// Whether agents may run in a replay.
    #[cfg_attr(not(feature = "live"), expect(dead_code, reason = "only agents read it"))]
    pub(crate) allows_exec: bool,
    /// Whether the scratch folders of workspaces stay (`ARRAIGN_KEEP_WORKSPACE=1`).
    #[cfg_attr(not(feature = "live"), expect(dead_code, reason = "only agents read it"))]
    pub(crate) keeps_workspaces: bool,
    /// The limits on agents in `arraign.yaml`.
    #[cfg_attr(not(feature = "live"), expect(dead_code, reason = "only agents read it"))]
    pub(crate) agent_limits: AgentLimits,
    /// Whether runs that were recorded for another input count (`ARRAIGN_STALE=allow`).
    pub(crate) allows_stale: bool,
    /// Whether the verdicts of passing trials have the details of their runs, which the HTML report shows.
    pub(crate) details_of_passed: bool,
    /// Whether mutants are tried (`ARRAIGN_MUTATE=1`).
    pub(crate) mutates: bool,
    /// The checks.
    pub(crate) kinds: Registry,
    /// The tables of `arraign.yaml`.
    pub(crate) tables: Tables,
    /// The files of deferred cases.
    pub(crate) recent_suites: RecentSuites,
}

impl Project {
    /// Returns what reads cases.
    pub(crate) fn library(&self) -> Library<'_> {
        Library { kinds: &self.kinds, files: &self.files, tables: &self.tables }
    }
}

/// The programs that read this process's output.
pub(crate) struct OutputReaders {
    /// An IDE, which reads JSON events.
    pub(crate) json: bool,
    /// Any program: standard output is JSON events or a `JUnit` report.
    pub(crate) data: bool,
    /// nextest, which reads the headline of a failure from standard error.
    pub(crate) nextest: bool,
}

impl RunContext {
    /// Whether any trial asks an agent or a judge.
    pub(crate) fn asks_anyone(&self) -> bool {
        self.live.count_asking().asked + self.judging.count_asking().asked > 0
    }
}
