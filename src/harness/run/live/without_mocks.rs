//! Replaces mock tools when the crate is built without them. Files with them are rejected.

use super::RunRequest;
use super::models::RecordedModels;
use crate::agent::MocksTask;
use crate::harness::run::failure::RunFailure;

/// There are no mock tools.
#[expect(clippy::unnecessary_wraps, reason = "the same signature as with mock tools")]
pub(super) fn plan_mocks(_: &RecordedModels, _: &RunRequest<'_>) -> Result<Option<MocksTask>, RunFailure> {
    Ok(None)
}
