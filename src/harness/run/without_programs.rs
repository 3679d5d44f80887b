//! Replaces `programs.rs` without the feature `live`: no program runs.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::case::Case;
use crate::engine::StartPrograms;
use crate::evidence::{Absent, ProgramAnswer, ProgramReplies, ProgramReport, ProgramRequest};
use crate::trace::Trace;
use crate::workspace::RunWorkspace;

/// No program runs.
pub struct CheckPrograms;

/// The programs of a case, of which none runs.
pub struct CasePrograms(Mutex<ProgramReplies>);

impl CheckPrograms {
    pub(in crate::harness) fn new(_is_allowed: bool, _base: PathBuf) -> Self {
        Self
    }

    /// Whether a program may start.
    pub fn is_allowed(&self) -> bool {
        false
    }

    /// Returns the programs of a case, of which none runs.
    pub fn of_case(&self, _case: &Case, _path: &Path) -> CasePrograms {
        CasePrograms(Mutex::default())
    }
}

fn refuse_program() -> Absent {
    Absent::undecided("the program was not run: this build runs none", "enable the feature `live` of arraign")
}

impl StartPrograms for CasePrograms {
    fn check_run(
        &self,
        _request: &ProgramRequest,
        _trace: &Trace,
        _workspace: Option<&RunWorkspace>,
    ) -> Result<ProgramReport, Absent> {
        Err(refuse_program())
    }

    fn answer_call(&self, _request: &ProgramRequest, _input: String) -> Result<ProgramAnswer, Absent> {
        Err(refuse_program())
    }

    fn known_replies(&self) -> &Mutex<ProgramReplies> {
        &self.0
    }
}
