//! Replaces the recording of models when the crate is built without it. Files with such agents are rejected.

use super::RunRequest;
use crate::agent::ModelTask;
use crate::case::ModelSettings;
use crate::harness::run::failure::RunFailure;

/// There is no port.
#[derive(Default)]
pub(super) struct RecordedModels {}

#[expect(clippy::unused_self, reason = "the same signatures as with models")]
impl RecordedModels {
    pub(super) fn plan_runs(
        &self,
        _request: &RunRequest<'_>,
        _settings: &ModelSettings,
    ) -> Result<ModelTask, RunFailure> {
        Err(RunFailure::Error("`model` needs arraign's feature `model`".to_owned()))
    }

    pub(super) fn take_remarks(&self) -> Vec<String> {
        Vec::new()
    }
}
