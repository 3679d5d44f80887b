//! Replaces `live/` without the feature `live`: no agent runs, and all traces are recorded ones.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use super::asking::AskProgress;
use super::context::Project;
use super::failure::RunFailure;
use crate::case::{AgentFingerprint, Case, NamedAgent};
use crate::harness::cli::HarnessCommand;
use crate::harness::plan::{CaseWork, GateWork, Plan};
use crate::harness::quarantine::AgentFiles;
use crate::source::Files;
use crate::suite::CaseRuns;
use crate::trace::Trace;
use crate::verdict::Verdict;

/// The trial that evaluates a case.
#[derive(Clone, Copy)]
pub(crate) enum Asker {
    Case,
    Gate,
}

/// No agents can be registered.
#[derive(Default)]
pub(crate) struct AgentSetup {}

#[expect(clippy::unused_self, reason = "the same signature as with agents")]
impl AgentSetup {
    pub(crate) fn list_names(&self) -> Vec<&str> {
        Vec::new()
    }
}

/// No agent runs.
pub(crate) struct LiveAgents;

#[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "the same signatures as with agents")]
impl LiveAgents {
    pub(crate) fn start_agents(
        _setup: AgentSetup,
        _described: Vec<NamedAgent>,
        _plan: &mut Plan,
        _command: &HarnessCommand,
        _project: &Project,
    ) -> Result<Self, ExitCode> {
        Ok(Self)
    }

    pub(crate) fn count_asking(&self) -> AskProgress {
        AskProgress::default()
    }

    pub(crate) fn asks_agents(&self) -> bool {
        false
    }

    pub(crate) fn may_print(&self) -> bool {
        false
    }

    pub(crate) fn leaves_to_report(&self, _work: &GateWork) -> bool {
        false
    }

    pub(crate) fn count_at_once(&self) -> usize {
        1
    }

    pub(crate) fn ask_once(
        &self,
        _name: &str,
        _work: &CaseWork,
        _project: &Project,
        asker: Asker,
        evaluate: impl FnOnce() -> Result<Verdict, String>,
    ) -> Result<Verdict, String> {
        match asker {
            Asker::Case | Asker::Gate => evaluate(),
        }
    }

    pub(crate) fn wait_for_answer(&self, _name: &str) {}

    pub(crate) fn was_asked(&self, _name: &str) -> bool {
        false
    }

    pub(crate) fn hash_cassettes(
        &self,
        _name: &str,
        _case: &Case,
        _path: &Path,
        _files: &Files,
    ) -> Vec<String> {
        Vec::new()
    }

    pub(crate) fn fingerprint_of(&self, _case: &Case) -> Result<Option<Arc<AgentFingerprint>>, String> {
        Ok(None)
    }

    pub(crate) fn list_agent_files(&self, _case: &Case, _base: &Path) -> AgentFiles {
        AgentFiles::default()
    }

    pub(crate) fn note_run(&self, _name: &str, _agent: Option<&AgentFingerprint>, _trace: &Trace) {}

    pub(crate) fn describe_run(&self) -> Vec<String> {
        Vec::new()
    }

    pub(crate) fn runs_of(
        &self,
        _name: &str,
        case: &Case,
        path: &Path,
        files: &Files,
    ) -> Result<CaseRuns, RunFailure> {
        Ok(CaseRuns::find_runs(case, path, files)?)
    }
}
