//! The programs that check runs (`exec`) and that answer calls of mock tools: whether they may start, and their input.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::agent::{AgentEnvironment, ProgramRunner};
use crate::case::Case;
use crate::engine::StartPrograms;
use crate::evidence::{Absent, ProgramAnswer, ProgramReplies, ProgramReport, ProgramRequest};
use crate::harness::run::ALLOW_EXEC;
use crate::json::{self, Json, json};
use crate::reader::to_native;
use crate::trace::Trace;
use crate::workspace::RunWorkspace;

/// The programs of one run of the harness.
pub struct CheckPrograms {
    is_allowed: bool,
    runner: ProgramRunner,
}

/// The programs of a case, in the file `path`.
pub struct CasePrograms<'c> {
    programs: &'c CheckPrograms,
    case: &'c Case,
    path: &'c Path,
    replies: Mutex<ProgramReplies>,
}

impl CheckPrograms {
    /// Programs of the package in the folder `base`.
    pub(in crate::harness) fn new(is_allowed: bool, base: PathBuf) -> Self {
        let environment = AgentEnvironment::new(base, |name| std::env::var_os(name));
        Self { is_allowed, runner: ProgramRunner::new(environment) }
    }

    /// Whether a program may start.
    pub fn is_allowed(&self) -> bool {
        self.is_allowed
    }

    /// Returns the programs of a case in the file `path`.
    pub fn of_case<'c>(&'c self, case: &'c Case, path: &'c Path) -> CasePrograms<'c> {
        CasePrograms { programs: self, case, path, replies: Mutex::default() }
    }

    fn require_consent(&self) -> Result<(), Absent> {
        if self.is_allowed {
            return Ok(());
        }
        let why = "the program was not run: a folder of evals cannot allow itself to start one";
        Err(Absent::undecided(why, ALLOW_EXEC))
    }
}

impl StartPrograms for CasePrograms<'_> {
    fn check_run(
        &self,
        request: &ProgramRequest,
        trace: &Trace,
        workspace: Option<&RunWorkspace>,
    ) -> Result<ProgramReport, Absent> {
        self.programs.require_consent()?;
        let Self { programs, case, path, .. } = self;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let trace: Json = json::from_str(&to_native(trace)).unwrap_or_default();
        let facts = json!({"id": case.id.as_deref().unwrap_or(&stem), "input": case.input, "trace": trace});
        let facts = format!("{facts}\n").into_bytes();
        match (&case.workspace, workspace) {
            _ if !request.in_workspace => programs.runner.run_program(request, facts).map_err(Absent::Failed),
            (Some(settings), Some(workspace)) => {
                programs.runner.run_in_workspace(request, facts, settings, workspace)
            }
            _ => Err(Absent::undecided(
                "the program was not run: nothing is known of the files of the run",
                "run or record the agent: ARRAIGN_AGENT_MODE=record cargo test",
            )),
        }
    }

    fn answer_call(&self, request: &ProgramRequest, input: String) -> Result<ProgramAnswer, Absent> {
        self.programs.require_consent()?;
        self.programs.runner.answer_call(request, input).map_err(Absent::Failed)
    }

    fn known_replies(&self) -> &Mutex<ProgramReplies> {
        &self.replies
    }
}
