//! The verdicts that the processes of one run share, so that each asks only the agents that no other has asked.
//!
//! nextest starts a process for each trial. The trial of a gate needs the results of its suite's cases, whose own trials run
//! before, beside or after it. Whoever comes first asks the agent, under a lock of the case, and leaves the verdict; the other
//! waits for the lock and takes the verdict. The system drops the locks of a process that ends.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::LiveAgents;
use crate::agent::AgentPool;
use crate::harness::plan::{CaseWork, GateWork};
use crate::harness::record::store::RunProcesses;
use crate::harness::run::context::Project;
use crate::json;
use crate::source::{fingerprint_bytes, write_with_folder};
use crate::verdict::Verdict;

/// The trial that evaluates a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Asker {
    /// The trial of the case.
    Case,
    /// The trial of its suite's gate.
    Gate,
}

/// The folder of the shared verdicts.
pub(super) struct SharedVerdicts {
    folder: PathBuf,
    /// Whether this process is a later attempt at its trial, or a later round of a stress run: such a trial asks again.
    is_repeated: bool,
}

impl LiveAgents {
    /// The number of agents that a trial may ask at once, if it is the trial that asks them.
    pub(crate) fn count_at_once(&self) -> usize {
        let pool = self.pool.as_ref().filter(|_| self.shared.is_some());
        pool.map_or(1, AgentPool::at_once)
    }

    /// Whether a report decides this gate, because other processes ask the agents of its cases and share nothing with this one.
    pub(crate) fn leaves_to_report(&self, gate: &GateWork) -> bool {
        self.is_part && gate.cases.iter().any(|(_, work)| work.case.agent.is_some())
    }

    /// Evaluates the case of the trial `name`, unless another process of the run has asked its agent and left the verdict. The
    /// error is that of `evaluate`, or says that the processes cannot share verdicts.
    pub(crate) fn ask_once(
        &self,
        name: &str,
        work: &CaseWork,
        project: &Project,
        asker: Asker,
        evaluate: impl FnOnce() -> Result<Verdict, String>,
    ) -> Result<Verdict, String> {
        let Some(shared) = self.shared.as_ref().filter(|_| work.case.agent.is_some()) else {
            return evaluate();
        };
        let explain = |error| format!("the processes of a run cannot share verdicts: {error}");
        let _lock = shared.lock_case(name).map_err(explain)?;
        if let Some(verdict) = shared.take_over(name, asker) {
            self.asked.note_elsewhere(name);
            return Ok(verdict);
        }
        self.ask_agent(name, work, project);
        let verdict = evaluate()?;
        if self.was_asked(name) {
            shared.leave(name, asker, &verdict).map_err(explain)?;
        }
        Ok(verdict)
    }
}

/// A verdict of a case whose agent was asked.
#[derive(Serialize, Deserialize)]
struct SharedVerdict {
    name: String,
    asker: Asker,
    verdict: Verdict,
}

impl SharedVerdicts {
    /// The verdicts of the run of these processes.
    pub(super) fn of_run(processes: &RunProcesses) -> Self {
        Self { folder: processes.hashes.with_extension("asked"), is_repeated: processes.is_repeated }
    }

    /// Waits until no other process evaluates the case, and keeps the others waiting until the file is dropped.
    pub(super) fn lock_case(&self, name: &str) -> io::Result<File> {
        fs::create_dir_all(&self.folder)?;
        let path = self.locate(name, "lock");
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        file.lock()?;
        Ok(file)
    }

    /// Returns the verdict that another process has left. A case takes that of its gate, and asks again if it is repeated.
    pub(super) fn take_over(&self, name: &str, asker: Asker) -> Option<Verdict> {
        let text = fs::read_to_string(self.locate(name, "json")).ok()?;
        let left: SharedVerdict =
            json::from_str(&text).ok().filter(|left: &SharedVerdict| left.name == name)?;
        let is_taken = match asker {
            Asker::Gate => true,
            Asker::Case => left.asker == Asker::Gate && !self.is_repeated,
        };
        is_taken.then_some(left.verdict)
    }

    /// Leaves a verdict for the other processes.
    pub(super) fn leave(&self, name: &str, asker: Asker, verdict: &Verdict) -> io::Result<()> {
        let left = SharedVerdict { name: name.to_owned(), asker, verdict: verdict.clone() };
        write_with_folder(&self.locate(name, "json"), &json::to_vec(&left)?)
    }

    fn locate(&self, name: &str, extension: &str) -> PathBuf {
        let hash = fingerprint_bytes(name.as_bytes());
        self.folder.join(hash.replace(':', "-")).with_extension(extension)
    }
}
