//! Replaces `live.rs` without the feature `live`: no agent runs, and all traces are recorded ones.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use super::asking::Asking;
use super::failure::RunFailure;
use crate::case::{AgentFingerprint, AgentLimits, Case, NamedAgent};
use crate::harness::cli::HarnessCommand;
use crate::harness::plan::Plan;
use crate::source::Files;
use crate::suite::CaseRuns;
use crate::trace::Trace;
use crate::verdict::Rerun;

/// No agents can be registered.
#[derive(Default)]
pub(in crate::harness) struct AgentSetup {}

/// Where agents would be.
#[expect(dead_code, reason = "the same fields as with agents")]
pub(in crate::harness) struct AgentProject<'p> {
    pub(in crate::harness) base: &'p Path,
    pub(in crate::harness) folder: &'p str,
    pub(in crate::harness) files: &'p Arc<Files>,
    pub(in crate::harness) rerun: &'p Rerun,
    pub(in crate::harness) shared_hashes: Option<PathBuf>,
    pub(in crate::harness) allows_exec: bool,
    pub(in crate::harness) limits: AgentLimits,
}

/// No agent runs.
pub(in crate::harness) struct LiveAgents;

#[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "the same signatures as with agents")]
impl LiveAgents {
    pub(in crate::harness) fn start_agents(
        _setup: AgentSetup,
        _described: Vec<NamedAgent>,
        _plan: &mut Plan,
        _command: &HarnessCommand,
        _project: &AgentProject<'_>,
    ) -> Result<Self, ExitCode> {
        Ok(Self)
    }

    pub(in crate::harness) fn count_asking(&self) -> Asking {
        Asking::default()
    }

    pub(in crate::harness) fn asks_agents(&self) -> bool {
        false
    }

    pub(in crate::harness) fn may_print(&self) -> bool {
        false
    }

    pub(in crate::harness) fn wait_for_answer(&self, _name: &str) {}

    pub(in crate::harness) fn was_asked(&self, _name: &str) -> bool {
        false
    }

    pub(in crate::harness) fn fingerprint_of(
        &self,
        _case: &Case,
    ) -> Result<Option<Arc<AgentFingerprint>>, String> {
        Ok(None)
    }

    pub(in crate::harness) fn note_run(
        &self,
        _name: &str,
        _agent: Option<&AgentFingerprint>,
        _trace: &Trace,
    ) {
    }

    pub(in crate::harness) fn describe_run(&self) -> Vec<String> {
        Vec::new()
    }

    pub(in crate::harness) fn runs_of(
        &self,
        _name: &str,
        case: &Case,
        path: &Path,
        files: &Files,
    ) -> Result<CaseRuns, RunFailure> {
        Ok(CaseRuns::find_runs(case, path, files)?)
    }
}
