//! What stands in for agents without the feature `live`: recorded traces.

use std::path::Path;
use std::process::ExitCode;

use super::args::Command;
use super::plan::Plan;
use super::progress::Asking;
use crate::case::{Case, NamedAgent};
use crate::source::Files;
use crate::suite::RunsOfCase;
use crate::verdict::Rerun;

/// Nothing can be said of agents.
#[derive(Default)]
pub(super) struct Setup {}

/// No agent runs.
pub(super) struct Live;

#[cfg_attr(not(feature = "judge"), expect(dead_code, reason = "the same face as with agents"))]
#[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "the same face as with agents")]
impl Live {
    pub(super) fn start(
        _setup: Setup,
        _described: Vec<NamedAgent>,
        _plan: &mut Plan,
        _command: &Command,
        _at: (&Path, &Files, &Rerun),
    ) -> Result<Self, ExitCode> {
        Ok(Self)
    }

    pub(super) fn asking(&self) -> Asking {
        Asking::default()
    }

    pub(super) fn may_print(&self) -> bool {
        false
    }

    pub(super) fn wait(&self, _name: &str) {}

    pub(super) fn was_asked(&self, _name: &str) -> bool {
        false
    }

    pub(super) fn runs(
        &self,
        _name: &str,
        case: &Case,
        path: &Path,
        files: &Files,
    ) -> Result<RunsOfCase, String> {
        RunsOfCase::find(case, path, files)
    }
}
