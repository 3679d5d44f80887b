//! The programs that check runs (`exec`): whether they may start, and their input.

use std::path::{Path, PathBuf};

use crate::agent::{AgentEnvironment, ProgramRunner};
use crate::case::Case;
use crate::evidence::{Absent, ProgramReport, ProgramRequest};
use crate::harness::run::ALLOW_EXEC;
use crate::json::{self, Json, json};
use crate::reader::to_native;
use crate::trace::Trace;
use crate::workspace::RunWorkspace;

/// The programs of one run of the harness.
pub(in crate::harness) struct CheckPrograms {
    is_allowed: bool,
    runner: ProgramRunner,
}

impl CheckPrograms {
    /// Programs of the package in the folder `base`.
    pub(in crate::harness) fn new(is_allowed: bool, base: PathBuf) -> Self {
        let environment = AgentEnvironment::new(base, |name| std::env::var_os(name));
        Self { is_allowed, runner: ProgramRunner::new(environment) }
    }

    /// Whether a program may start.
    pub(in crate::harness) fn is_allowed(&self) -> bool {
        self.is_allowed
    }

    /// Runs a program on the run `trace` of a case in the file `path`.
    pub(in crate::harness) fn run_program(
        &self,
        request: &ProgramRequest,
        case: &Case,
        path: &Path,
        trace: &Trace,
        workspace: Option<&RunWorkspace>,
    ) -> Result<ProgramReport, Absent> {
        if !self.is_allowed {
            return Err(Absent::Undecided {
                why: "the program was not run: a folder of evals cannot allow itself to start one".to_owned(),
                help: ALLOW_EXEC.to_owned(),
            });
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let trace: Json = json::from_str(&to_native(trace)).unwrap_or_default();
        let facts = json!({"id": case.id.as_deref().unwrap_or(&stem), "input": case.input, "trace": trace});
        let facts = format!("{facts}\n").into_bytes();
        match (&case.workspace, workspace) {
            _ if !request.in_workspace => self.runner.run_program(request, facts).map_err(Absent::Failed),
            (Some(settings), Some(workspace)) => {
                self.runner.run_in_workspace(request, facts, settings, workspace)
            }
            _ => Err(Absent::Undecided {
                why: "the program was not run: nothing is known of the files of the run".to_owned(),
                help: "run or record the agent: ARRAIGN_AGENT_MODE=record cargo test".to_owned(),
            }),
        }
    }
}
