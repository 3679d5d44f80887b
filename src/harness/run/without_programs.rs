//! Replaces `programs.rs` without the feature `live`: no program runs.

use std::path::{Path, PathBuf};

use crate::case::Case;
use crate::evidence::{Absent, ProgramReport, ProgramRequest};
use crate::trace::Trace;
use crate::workspace::RunWorkspace;

/// No program runs.
pub(in crate::harness) struct CheckPrograms;

#[expect(clippy::unused_self, reason = "the same signatures as with programs")]
impl CheckPrograms {
    pub(in crate::harness) fn new(_is_allowed: bool, _base: PathBuf) -> Self {
        Self
    }

    pub(in crate::harness) fn is_allowed(&self) -> bool {
        false
    }

    pub(in crate::harness) fn run_program(
        &self,
        _request: &ProgramRequest,
        _case: &Case,
        _path: &Path,
        _trace: &Trace,
        _workspace: Option<&RunWorkspace>,
    ) -> Result<ProgramReport, Absent> {
        Err(Absent::Undecided {
            why: "the program was not run: this build runs none".to_owned(),
            help: "enable the feature `live` of arraign".to_owned(),
        })
    }
}
